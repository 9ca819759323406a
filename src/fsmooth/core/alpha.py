"""Alpha-equivalence: equality of terms up to the names of bound variables.

`alpha_key` gives a hashable value that two terms share exactly when they are alpha-equivalent.  Bound variables are
numbered by the binders between them and their own (binders passed, not entries of an environment, so that shadowed
names cannot disturb it).  Keys of closed-over subterms are cached on the nodes: a subterm none of whose free variables
is bound above it has the same key everywhere.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable
from typing import cast
from weakref import WeakValueDictionary

from fsmooth.core.term import (
    Check,
    Const,
    Custom,
    Deriv,
    Lam,
    Length,
    Let,
    MakeTuple,
    Prim,
    Proj,
    Reduce,
    Require,
    Term,
    Var,
    Zero,
)
from fsmooth.core.term.linear_maps import HCat, VCat
from fsmooth.core.traverse import binds, bound_in, children
from fsmooth.core.types import Tuple


class Key:
    """A key that hashes and compares in constant time: equal structure means the same object.

    It is kept by the terms and tables that have it, and keeps the keys of its parts, which are in its structure.
    """

    __slots__ = ("__weakref__", "number", "structure")

    def __init__(self, structure: Hashable) -> None:
        self.number = next(_numbers)
        self.structure = structure


_numbers = itertools.count()
_table: WeakValueDictionary[Hashable, Key] = WeakValueDictionary()
"""The keys that somebody has."""

_Found = dict[int, tuple[Term, Key]]
"""Keys by the identity of terms, which are kept as long."""


def _intern(structure: Hashable) -> Key:
    found = _table.get(structure)
    if found is None:
        found = _table[structure] = Key(structure)
    return found


def alpha_key(term: Term) -> Key:
    """A hashable key; equal keys mean alpha-equivalent terms.

    >>> from fsmooth.core.types import INT
    >>> from fsmooth.core.term import Build
    >>> n, i, j = Var("n", INT), Var("i", INT), Var("j", INT)
    >>> alpha_key(Build(n, i, i)) == alpha_key(Build(n, j, j))
    True
    """
    return _key(term, {}, 0, {})


def alpha_equal(left: Term, right: Term) -> bool:
    """Are the terms equal up to renaming of bound variables?  Sites (source positions) do not count."""
    if left is right:
        return True
    if type(left) is not type(right) or left.type != right.type or left.free != right.free:
        return False
    return alpha_key(left) is alpha_key(right)


def _key(term: Term, levels: dict[Var, int], depth: int, found: _Found) -> Key:
    """`found` has the keys of terms that were met under the same binders: in a graph one term is met many times."""
    if isinstance(term, Var):
        level = levels.get(term)
        return _intern(("free", term)) if level is None else _intern(("bound", depth - level))
    closed = not levels or levels.keys().isdisjoint(term.free)
    if closed:
        if term._key is not None:
            return term._key  # type: ignore[return-value]
        levels, depth, found = {}, 0, {}
    elif id(term) in found:
        return found[id(term)][1]
    parts = children(term)
    head = _head(term)
    if not binds(term):
        result = _intern((head, *[_key(p, levels, depth, found) for p in parts]))
    elif isinstance(term, Let):
        scope = dict(levels)
        keys = []
        for offset, (var, value) in enumerate(term.bindings):
            keys.append(_key(value, scope, depth + offset, {}))
            scope[var] = depth + offset
        result = _intern((head, *keys, _key(term.body, scope, depth + len(term.bindings), {})))
    else:
        keys = []
        for k, part in enumerate(parts):
            inner = bound_in(term, k)
            if inner:
                scope = dict(levels)
                for offset, var in enumerate(inner):
                    scope[var] = depth + offset
                keys.append(_key(part, scope, depth + len(inner), {}))
            else:
                keys.append(_key(part, levels, depth, found))
        result = _intern((head, *keys))
    if closed:
        term._key = result
    else:
        found[id(term)] = (term, result)
    return result


def _head(term: Term) -> Hashable:
    match term:
        case Const(value):
            return ("const", repr(value), term.type)
        case Prim(primitive):
            return ("prim", primitive.name, term.type)
        case Lam(parameters):
            return ("lam", tuple([q.type for q in parameters]))
        case Length(_, axis):
            return ("length", axis)
        case Proj(_, position):
            return ("proj", position)
        case Reduce(reduction):
            return ("reduce", reduction)
        case MakeTuple():
            return ("tuple", term.type, cast(Tuple, term.type).record)
        case Zero(_, leaf):
            return ("zero", leaf)
        case Check():
            return "check"
        case Require():
            return ("require", term.failure, len(term.numbers))
        case VCat() | HCat():
            return (type(term).__name__, term.type)
        case Custom(_, jvp, vjp):
            return ("custom", jvp is not None, vjp is not None)
        case Deriv(_, wrt, verb):
            return ("deriv", wrt, verb, term.method, term.single, term.checkpoint)
        case _:
            return (type(term).__name__, term.type if not children(term) else None)

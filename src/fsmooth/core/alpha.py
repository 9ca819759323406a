"""Alpha-equivalence: equality of terms up to the names of bound variables.

`alpha_key` gives a hashable value that two terms share exactly when they are alpha-equivalent.  Bound variables are
numbered by the binders between them and their own (binders passed, not entries of an environment, so that shadowed
names cannot disturb it).  Keys of closed-over subterms are cached on the nodes: a subterm none of whose free variables
is bound above it has the same key everywhere.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable
from weakref import WeakValueDictionary

from fsmooth.core.term import Term, Var
from fsmooth.core.traverse import binds, children, steps


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

_Found = dict[Term, Key]


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
    known = term._key
    return known if isinstance(known, Key) else _key(term, {}, 0, {})


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
        if level is not None:
            return _intern(("bound", depth - level))
        if term._key is None:
            term._key = _intern(("free", term.id))
        return term._key  # type: ignore[return-value]
    closed = not levels or levels.keys().isdisjoint(term.free)
    if closed:
        if term._key is not None:
            return term._key  # type: ignore[return-value]
        levels, depth, found = {}, 0, {}
    elif term in found:
        return found[term]
    head = (type(term), *[alpha_key(d) if isinstance(d, Term) else d for d in term.declared.data(term)])
    if not binds(term):
        result = _intern((head, *[_key(p, levels, depth, found) for p in children(term)]))
    else:
        keys = []
        scope, inner = dict(levels), depth
        for step in steps(term):
            if step.var is not None:
                scope[step.var] = inner
                inner += 1
            else:
                keys.append(_key(step.term, scope, inner, found if inner == depth else {}))
        result = _intern((head, *keys))
    if closed:
        term._key = result
    else:
        found[term] = result
    return result

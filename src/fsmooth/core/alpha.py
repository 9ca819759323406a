"""Alpha-equivalence: equality of terms up to the names of bound variables.

`alpha_key` gives a hashable value that two terms share exactly when they are alpha-equivalent.  It is made from the parts
up, once for each node, whatever is bound above: a term is its *skeleton*, in which free variables are places numbered in
the order of their first occurrence, with the variables at these places.  A node's skeleton has those of its children, and
for each the places of its variables among the node's, or the number of the binder that binds them.  So a node costs as
much as it has free variables, as their set does (Maziarz, Ellis, Lawrence, Fitzgibbon, Peyton Jones, *Hashing modulo
alpha-equivalence*, PLDI 2021, split terms in the same way and hash them; here equal structures are one object, and no hash
stands for them).
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable
from typing import cast
from weakref import WeakValueDictionary

from fsmooth.core.term import Term, Var
from fsmooth.core.traverse import children, steps


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


class _Form:
    """What a term is up to the names that it binds: a skeleton and the variables at its places."""

    __slots__ = ("key", "skeleton", "variables")

    def __init__(self, skeleton: Key, variables: tuple[Var, ...]) -> None:
        self.skeleton = skeleton
        self.variables = variables
        self.key = None if variables else skeleton


def _intern(structure: Hashable) -> Key:
    found = _table.get(structure)
    if found is None:
        found = _table[structure] = Key(structure)
    return found


_PLACE = _intern("place")


def alpha_key(term: Term) -> Key:
    """A hashable key; equal keys mean alpha-equivalent terms.

    >>> from fsmooth.core.types import INT
    >>> from fsmooth.core.term import Build
    >>> n, i, j = Var("n", INT), Var("i", INT), Var("j", INT)
    >>> alpha_key(Build(n, i, i)) == alpha_key(Build(n, j, j))
    True
    """
    form = cast("_Form | None", term._key) or _form(term)
    if form.key is None:
        form.key = _intern((form.skeleton, *[v.id for v in form.variables]))
    return form.key


def alpha_equal(left: Term, right: Term) -> bool:
    """Are the terms equal up to renaming of bound variables?  Sites (source positions) do not count."""
    if left is right:
        return True
    if type(left) is not type(right) or left.type != right.type or left.free != right.free:
        return False
    return alpha_key(left) is alpha_key(right)


def _form(root: Term) -> _Form:
    """The form of a term, and of all terms in it, without recursion."""
    stack = [root]
    while stack:
        term = stack[-1]
        if term._key is None:
            missing = [part for part in children(term) if part._key is None]
            if missing:
                stack.extend(missing)
                continue
            term._key = _made(term)
        stack.pop()
    return cast(_Form, root._key)


def _made(term: Term) -> _Form:
    """The form of a term whose parts have theirs."""
    if isinstance(term, Var):
        return _Form(_PLACE, (term,))
    structure: list[Hashable] = [
        (type(term), *[alpha_key(d) if isinstance(d, Term) else d for d in term.declared.data(term)])
    ]
    places: dict[Var, int] = {}
    bound: dict[Var, int] = {}  # negative, by the order of the binders
    binders = 0
    for step in steps(term):
        if step.var is not None:
            binders += 1
            bound[step.var] = -binders
            continue
        form = cast(_Form, step.term._key)
        if bound or places:
            where = [bound[v] if v in bound else places.setdefault(v, len(places)) for v in form.variables]
            structure += (form.skeleton, tuple(where))
        else:  # its places are the first of the whole
            places = {v: k for k, v in enumerate(form.variables)}
            structure.append(form.skeleton)
    return _Form(_intern(tuple(structure)), tuple(places))

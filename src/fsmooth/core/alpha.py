"""Alpha-equivalence: equality of terms up to the names of bound variables.

`alpha_key` gives a hashable value that two terms share exactly when they are alpha-equivalent.  It is made from the parts
up, once for each node, whatever is bound above: a term is its *skeleton*, in which free variables are places numbered in
the order of their first occurrence, with the variables at these places.  A node's skeleton has those of its children, and
for each the places of its variables among the node's, or the number of the binder that binds them (Maziarz, Ellis,
Lawrence, Fitzgibbon, Peyton Jones, *Hashing modulo alpha-equivalence*, PLDI 2021, sections 4 and 5; exact here, since
equal structures are one object, and no hash stands for them).
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable
from typing import cast
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
            parts = children(term)
            missing = [part for part in parts if part._key is None]
            if missing:
                stack.extend(missing)
                continue
            term._key = _made(term, parts)
        stack.pop()
    return cast(_Form, root._key)


def _made(term: Term, parts: tuple[Term, ...]) -> _Form:
    """The form of a term whose parts have theirs."""
    if isinstance(term, Var):
        return _Form(_PLACE, (term,))
    head = (type(term), *[alpha_key(d) if isinstance(d, Term) else d for d in term.declared.data(term)])
    if binds(term):
        return _binding(term, head)
    forms = [cast(_Form, part._key) for part in parts]
    if not forms:
        return _Form(_intern((head,)), ())
    first, *others = forms
    structure: list[Hashable] = [head, first.skeleton]  # the places of the first are those of the whole
    variables = first.variables
    if others:
        places = {v: k for k, v in enumerate(variables)}
        for form in others:
            structure.append(form.skeleton)
            structure.append(tuple([places.setdefault(v, len(places)) for v in form.variables]))
        variables = tuple(places) if len(places) > len(variables) else variables
    return _Form(_intern(tuple(structure)), variables)


def _binding(term: Term, head: Hashable) -> _Form:
    """The form of a term that binds: a variable that its binder number k binds is at −1 − k."""
    structure = [head]
    places: dict[Var, int] = {}
    bound: dict[Var, int] = {}
    number = 0
    for step in steps(term):
        if step.var is not None:
            number += 1
            bound[step.var] = -number
        else:
            form = cast(_Form, step.term._key)
            structure.append(form.skeleton)
            structure.append(
                tuple([bound[v] if v in bound else places.setdefault(v, len(places)) for v in form.variables])
            )
    return _Form(_intern(tuple(structure)), tuple(places))

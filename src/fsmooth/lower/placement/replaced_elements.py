"""What an assignment replaces is read before, if it is needed after: so the array can change where it is.

    let a' = update a i v in (update a' j w, … a[i] …)
    is  let old = a[i] in let a' = update a i v in (update a' j w, … old …)

A step backwards over two assignments is like this: the cotangent of what was assigned is there until it is set to zero.
Element i is there, since it is assigned; of others that would not be known where the read is under a condition.  Where
a[i] is a row, `old` is a copy of it; of `update a i (update a[i] k v)`, it is a[i][k].
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmooth.core.alpha import alpha_equal
from fsmooth.core.build import named_part
from fsmooth.core.subst import substitute1
from fsmooth.core.term import Get, Length, Let, Term, Update, Var, let
from fsmooth.core.traverse import children, transform
from fsmooth.core.types import is_scalar
from fsmooth.lower.cardinality import is_path

Bindings = list[tuple[Var, Term]]


def with_replaced_first(scope: Let) -> tuple[Let, frozenset[Var]]:
    """The scope in which what assignments replace has names, where nothing else is needed of the array as it was; which
    names are of rows, to be copied.
    """
    done: Bindings = []
    names: Bindings = []
    rest: Term = scope
    while isinstance(rest, Let):
        (var, value), later = rest.bindings[0], let(rest.bindings[1:], rest.body)
        if isinstance(value, Get) and not is_scalar(value.type) and is_path(value):
            rest = substitute1(later, var, value)
            continue
        new, rest = _read_first(value, later)
        names.extend(new)
        done.extend([*new, (var, value)])
    if not names:
        return scope, frozenset()
    return Let(tuple(done), rest), frozenset([name for name, element in names if not is_scalar(element.type)])


def _read_first(value: Term, later: Term) -> tuple[Bindings, Term]:
    """Names for what `value` replaces in an array, and what comes later with them, if it reads nothing else of it."""
    array = _whole(value)
    if array is value or named_part(array) is None or not _reads(later, array):
        return [], later
    names: Bindings = []
    rest = later
    for element in _replaced(value, array):
        name = Var("old", element.type)
        new = _with(rest, element, name)
        if new is not rest:
            names.append((name, element))
        rest = new
    return ([], later) if _reads(rest, array) else (names, rest)


def _whole(value: Term) -> Term:
    """The array that a value has other elements of."""
    while isinstance(value, Update):
        value = value.array
    return value


def _replaced(value: Term, array: Term) -> Iterator[Get]:
    """The elements of `array` that are not those of `value`."""
    while isinstance(value, Update):
        element = Get(array, value.index)
        inner = _whole(value.value)
        if isinstance(value.value, Update) and alpha_equal(inner, element):
            yield from _replaced(value.value, element)
        else:
            yield element
        value = value.array


def _reads(term: Term, array: Term) -> bool:
    """Does the term read the array?  (Its length does not.)"""
    seen: set[Term] = set()
    stack = [term]
    while stack:
        t = stack.pop()
        if t in seen or array.free.isdisjoint(t.free):
            continue
        seen.add(t)
        if t.type == array.type and alpha_equal(t, array):
            return True
        if not (isinstance(t, Length) and named_part(t.array)):
            stack.extend(children(t))
    return False


def _with(term: Term, element: Get, name: Var) -> Term:
    """The term with the name instead of the element."""

    def change(t: Term) -> Term:
        return name if isinstance(t, Get) and t.type == element.type and alpha_equal(t, element) else t

    return transform(term, change)

"""What an assignment replaces is read before, if it is needed after: so the array can change where it is.

    let a' = update a i v in (update a' j w, … a[i] …)
    is  let old = a[i] in let a' = update a i v in (update a' j w, … old …)

A step backwards over two assignments is like this: the cotangent of what was assigned is there until it is set to zero.
Element i is there, since it is assigned; so is a row that had a name before, and an element that is read in any case; of
others that would not be known where the read is under a condition.  Where a[i] is a row, `old` is a copy of it; of
`update a i (update a[i] k v)`, it is a[i][k].
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fsmooth.core.alpha import alpha_equal
from fsmooth.core.build import named_part
from fsmooth.core.subst import substitute1
from fsmooth.core.term import Delta, Get, Length, Let, MakeTuple, Plus, Term, Update, Var, let
from fsmooth.core.term.fields import Failing, Runs
from fsmooth.core.traverse import binds, children, runs, subterms, transform
from fsmooth.core.types import Int, is_scalar
from fsmooth.lower.cardinality import is_path

Bindings = list[tuple[Var, Term]]


def with_replaced_first(scope: Let) -> tuple[Let, frozenset[Var]]:
    """The scope in which what assignments replace has names, where nothing else is needed of the array as it was; which
    names are of rows, to be copied.
    """
    found = _Reading(scope)
    if found.needed:
        other = _Reading(_with_indices_first(scope))
        found = other if other.needed < found.needed else found
    if not found.names:
        return scope, frozenset()
    return Let(tuple(found.done), found.rest), frozenset(
        [x for x, element in found.names if not is_scalar(element.type)]
    )


class _Reading:
    """A scope with names for what is read first; so many arrays as they were are `needed` still."""

    def __init__(self, scope: Let) -> None:
        self.done: Bindings = []
        self.names: Bindings = []
        self.needed = 0
        rows: list[Get] = []
        self.rest: Term = scope
        while isinstance(self.rest, Let):
            (var, value), later = self.rest.bindings[0], let(self.rest.bindings[1:], self.rest.body)
            if isinstance(value, Get) and not is_scalar(value.type) and is_path(value):
                self.rest = substitute1(later, var, value)
                rows.append(value)
                continue
            new, rest = _read_first(value, later, rows)
            if rest is None:
                self.needed += 1
            self.rest = later if rest is None else rest
            self.names.extend(new)
            self.done.extend([*new, (var, value)])
        if isinstance(self.rest, MakeTuple):
            new, self.rest = _read_before_parts(self.rest)
            self.names.extend(new)
            self.done.extend(new)


def _with_indices_first(scope: Let) -> Let:
    """The scope with indices defined before everything else, but for failures, whose order stays."""
    first: Bindings = []
    others: Bindings = []
    waits: set[Var] = set()
    fails = False
    for var, value in scope.bindings:
        inner = list(subterms(value))
        may = any([t.failing not in (Failing.NEVER, Failing.BOUNDS) for t in inner])
        is_index = isinstance(value.type, Int) and not any([binds(t) for t in inner])
        if is_index and waits.isdisjoint(value.free) and not (may and fails):
            first.append((var, value))
        else:
            others.append((var, value))
            waits.add(var)
            fails = fails or may
    return Let((*first, *others), scope.body)


def _read_first(value: Term, later: Term, rows: Iterable[Get]) -> tuple[Bindings, Term | None]:
    """Names for what `value` replaces in an array, and for its `rows` that had names, and what comes later with them; None
    if that reads anything else of the array.
    """
    array = _whole(value)
    if array is value or named_part(array) is None or not _reads(later, array):
        return [], later
    given = [row for row in rows if _is_within(row, array)]
    names, rest = _named(later, (*_replaced(value, array), *given, *_certain(later, array)))
    return ([], None) if _reads(rest, array) else (names, rest)


def _read_before_parts(parts: MakeTuple) -> tuple[Bindings, Term]:
    """Names for elements that parts of a state read of one another, each of which is updated, and the parts with them."""
    arrays = {k: _whole(part) for k, part in enumerate(parts.items)}
    updated = {k: x for k, x in arrays.items() if x is not parts.items[k] and named_part(x) is not None}
    names: Bindings = []
    rest: Term = parts
    while len(updated) > 1:
        assert isinstance(rest, MakeTuple)
        others = {k: [x for j, x in enumerate(rest.items) if j in updated and j != k] for k in updated}
        k = next((k for k, array in updated.items() if not any([_reads(x, array) for x in others[k]])), None)
        if k is None:  # each is read by another one
            k = next(iter(updated))
            new, rest = _named(rest, [e for x in others[k] for e in _certain(x, updated[k])])
            names.extend(new)
        del updated[k]
    return names, rest


def _certain(term: Term, array: Term) -> list[Get]:
    """The numbers of an array that are read whenever a term is evaluated, at indices that are known before it.

    (Of two indices out of bounds in one step, the other one may be reported.)
    """
    found: list[Get] = []
    bound: set[Var] = set()
    seen: set[Term] = set()
    stack = [term]
    while stack:
        t = stack.pop()
        if t in seen or array.free.isdisjoint(t.free):
            continue
        seen.add(t)
        if isinstance(t, Let):
            bound.update([var for var, _ in t.bindings])
        if isinstance(t, Get) and is_scalar(t.type) and _is_within(t, array):
            found.append(t)
        stack.extend([x for x, how in zip(children(t), runs(t), strict=True) if how is Runs.ONCE])
    return [t for t in found if bound.isdisjoint(t.free)]


def _is_within(element: Term, array: Term) -> bool:
    """Is it an element of the array, or of a row of it?"""
    while isinstance(element, Get):
        element = element.array
        if element.type == array.type and alpha_equal(element, array):
            return True
    return False


def _whole(value: Term) -> Term:
    """The array that a value has other elements of; the value itself if there is none."""
    while True:
        match value:
            case Update(array):
                value = array
            case Plus(items) if len(rest := [x for x in items if not isinstance(x, Delta)]) == 1:
                value = rest[0]
            case _:
                return value


def _replaced(value: Term, array: Term) -> Iterator[Get]:
    """The elements of `array` that are not those of `value`, but for those that something is added to."""
    while isinstance(value, Update | Plus):
        if isinstance(value, Plus):
            value = next(x for x in value.items if not isinstance(x, Delta))
            continue
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


def _named(term: Term, elements: Iterable[Get]) -> tuple[Bindings, Term]:
    """Names for those of the elements that are in the term, and the term with them."""
    names: Bindings = []
    for element in elements:
        name = Var("old", element.type)
        new = _with(term, element, name)
        if new is not term:
            names.append((name, element))
        term = new
    return names, term


def _with(term: Term, element: Get, name: Var) -> Term:
    """The term with the name instead of the element."""

    def change(t: Term) -> Term:
        return name if isinstance(t, Get) and t.type == element.type and alpha_equal(t, element) else t

    return transform(term, change)

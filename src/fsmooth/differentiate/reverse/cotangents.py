"""Cotangents of a scope: for each active variable, the contributions to it (design §4, "environments are sparse").

A contribution is made to a path, `x`, `x.1[i]`, and is kept with the variable and the projections at its root; the
rest of the path becomes one-hot: `x[i]` receives c when x receives `delta n i c` (transposes of paper 001, Fig. 2).
Absent means zero.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.build import both, zero_like
from fsmooth.core.shape import size_of
from fsmooth.core.term import Const, Delta, Get, If, MakeTuple, Plus, Prim, Proj, Term, Var, Zero
from fsmooth.core.types import Array, Float, Tuple, has_float

Key = tuple[Var, tuple[Term | int, ...]]
"""A path, as its variable and the projections (numbers) and indices (atoms) that follow."""


def place_of(key: Key) -> Term:
    """The path of a key."""
    term: Term = key[0]
    for accessor in key[1]:
        term = Proj(term, accessor) if isinstance(accessor, int) else Get(term, accessor)
    return term


def is_nothing(cotangent: Term) -> bool:
    """Is it zero by construction, or of something without real numbers?"""
    match cotangent:
        case Zero():
            return True
        case MakeTuple(items):
            return all([is_nothing(item) for item in items])
        case _:
            return False


def added(terms: Iterable[Term], place: Term) -> Term:
    """The sum of cotangents of `place`: numbers by `+`, arrays by `plus`, tuples part by part."""
    present = [t for t in terms if not is_nothing(t)]
    if not present:
        return zero_like(place)
    if len(present) == 1:
        return present[0]
    match present[0].type:
        case Float():
            return _total(present)
        case Array():
            return Plus(tuple(present))
        case Tuple(items) as type_:
            parts = [added([component(t, k) for t in present], component(place, k)) for k in range(len(items))]
            return MakeTuple(tuple(parts), type_)
        case _:
            raise AssertionError(f"a cotangent of type {present[0].type!r}")


def _total(terms: list[Term]) -> Term:
    """Numbers added: a few one after the other, many by halves, so that terms stay shallow."""
    if len(terms) > thresholds.SUMMED_COTANGENTS:
        half = len(terms) // 2
        return Prim(p.add, (_total(terms[:half]), _total(terms[half:])))
    total = terms[0]
    for t in terms[1:]:
        total = Prim(p.add, (total, t))
    return total


def component(value: Term, k: int) -> Term:
    """Component k of a tuple."""
    return value.items[k] if isinstance(value, MakeTuple) else Proj(value, k)


class Cotangents:
    """The contributions made so far, by variable."""

    def __init__(self) -> None:
        self.parts: dict[Var, list[tuple[tuple[Term | int, ...], Term]]] = {}

    def add(self, place: Term, cotangent: Term) -> None:
        """`place` += `cotangent`, where `place` is a path or a display of paths."""
        if is_nothing(cotangent) or not has_float(place.type):
            return
        accessors: list[Term | int] = []
        while True:
            match place:
                case Const() | Zero():
                    return
                case MakeTuple(items):
                    for k, item in enumerate(items):
                        self.add(item, component(cotangent, k))
                    return
                case Var():
                    self.parts.setdefault(place, []).append((tuple(reversed(accessors)), cotangent))
                    return
                case Proj(whole, position):
                    accessors.append(position)
                    place = whole
                case Get(array, index):
                    accessors.append(index)
                    place = array
                case _:
                    raise AssertionError(f"a contribution to {type(place).__name__}")

    def reaches(self, var: Var) -> bool:
        """Did anything contribute to `var`?"""
        return var in self.parts

    def take(self, var: Var) -> Term | None:
        """The whole cotangent of `var`, which is forgotten; None if nothing contributed."""
        parts = self.parts.pop(var, None)
        return None if parts is None else _assembled(var, parts)

    def leaving(self, hidden: Container[Var], *, indices: bool) -> dict[Key, Term]:
        """The cotangents by path, as far as the path does not mention `hidden` variables.

        Without `indices` paths end before an index that may not exist: they leave a branch, which may not be taken.
        """
        found: dict[tuple[Var, tuple[object, ...]], tuple[Key, list[tuple[tuple[Term | int, ...], Term]]]] = {}
        for var, parts in self.parts.items():
            for accessors, cotangent in parts:
                known = 0
                place: Term = var
                while known < len(accessors) and not _mentions(accessors[known], hidden):
                    accessor = accessors[known]
                    if not indices and not isinstance(accessor, int) and not is_certain(place, accessor):
                        break
                    place = place_of((var, accessors[: known + 1]))
                    known += 1
                prefix = accessors[:known]
                same = (var, tuple([_identity(a) for a in prefix]))
                found.setdefault(same, ((var, prefix), []))[1].append((accessors[known:], cotangent))
        return {key: _assembled(place_of(key), parts) for key, parts in found.values()}


def is_certain(array: Term, index: Term) -> bool:
    """Is there an element at the index whatever runs?"""
    if not isinstance(index, Const):
        return False
    size = size_of(array)
    return isinstance(size, Const) and 0 <= index.value < size.value


def settled(key: Key, cotangent: Term) -> tuple[Term, Term]:
    """A place that exists whatever runs, and its cotangent: from `cotangent`, what a loop contributes to the path.

    A loop that does not run contributes nothing, and then there may be no element at an index of the path.
    """
    var, accessors = key
    for k, accessor in enumerate(accessors):
        place = place_of((var, accessors[:k]))
        if not isinstance(accessor, int) and not is_certain(place, accessor):
            return place, _one_hot(place, accessors[k:], cotangent)
    return place_of(key), cotangent


def _one_hot(place: Term, accessors: tuple[Term | int, ...], cotangent: Term) -> Term:
    """`cotangent` at a path from `place`, zero elsewhere, and everywhere if the path does not exist."""
    if not accessors:
        return cotangent
    first, rest = accessors[0], accessors[1:]
    if isinstance(first, int):
        assert isinstance(place.type, Tuple)
        count = len(place.type.items)
        parts = [component(place, k) for k in range(count)]
        items = [_one_hot(x, rest, cotangent) if k == first else zero_like(x) for k, x in enumerate(parts)]
        return MakeTuple(tuple(items), place.type)
    size = size_of(place)
    hot = Delta(size, first, _one_hot(Get(place, first), rest, cotangent))
    if is_certain(place, first):
        return hot
    inside = both(Prim(p.less_equal, (Const(0), first)), Prim(p.less, (first, size)))
    return If(inside, hot, zero_like(place))


def same_key(a: Key, b: Key) -> bool:
    """Are they the same path?"""
    return a[0] is b[0] and [_identity(x) for x in a[1]] == [_identity(x) for x in b[1]]


def _identity(accessor: Term | int) -> object:
    return ("at", accessor.value) if isinstance(accessor, Const) else accessor


def _mentions(accessor: Term | int, hidden: Container[Var]) -> bool:
    return not isinstance(accessor, int) and any([x in hidden for x in accessor.free])


def _assembled(place: Term, parts: list[tuple[tuple[Term | int, ...], Term]]) -> Term:
    """One cotangent of `place` from contributions to parts of it; what is at an index becomes one-hot."""
    whole = [cotangent for accessors, cotangent in parts if not accessors]
    groups: dict[object, tuple[Term | int, list[tuple[tuple[Term | int, ...], Term]]]] = {}
    for accessors, cotangent in parts:
        if accessors:
            first = accessors[0]
            groups.setdefault(_identity(first), (first, []))[1].append((accessors[1:], cotangent))
    if isinstance(place.type, Tuple):
        items = []
        for k in range(len(place.type.items)):
            part = component(place, k)
            inside = [_assembled(part, groups[k][1])] if k in groups else []
            items.append(added([*[component(c, k) for c in whole], *inside], part))
        return MakeTuple(tuple(items), place.type)
    for index, inner in groups.values():
        assert not isinstance(index, int)
        whole.append(Delta(size_of(place), index, _assembled(Get(place, index), inner)))
    return added(whole, place)

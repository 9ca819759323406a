"""Which elements of a buffer the iterations of a loop touch: only their own?  (Then they may run side by side.)

for i < n: { a[3*n + i] += …;  a[n + i] += …;  a[i] += … }      yes: pieces of n elements, one after the other
for i < n: { a[i + 1] += …;  a[i] += … }                        no: the next iteration adds to the same element

With strides, as of the fields of records, iterations may take turns:

for i < n: { a[3*i] += …;  a[3*i + 1] += … }                    yes: 1 is no multiple of 3
for i < n: { a[3*i] += …;  a[3*i + 6] += … }                    no: the iteration after the next one adds to the same element
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from fsmooth.core import primitives as p
from fsmooth.core.types import Int
from fsmooth.loops import tree as t
from fsmooth.loops.affine import start_of_next, stride_of
from fsmooth.loops.arithmetic import same
from fsmooth.loops.usage import changed, declared, loads_of, names_of, walk

Coefficients = dict[tuple[str, ...], int]
"""Of a sum of products of names."""


class OwnElements:
    """The elements that a loop's body stores to and loads."""

    def __init__(self, loop: t.For) -> None:
        self.loop = loop
        self.indices: dict[str, t.Expression] = {
            s.name: s.value
            for s in walk(loop.body)
            if isinstance(s, t.Declare) and s.value is not None and not s.mutable and isinstance(s.type, Int)
        }
        self._known: dict[str, t.Expression] = {}
        self.varying = changed(loop.body) | {name for s in walk(loop.body) for name in declared(s)}
        self.stores: dict[str, list[t.Expression]] = {}
        self.loads: dict[str, list[t.Expression]] = {}
        for s in walk(loop.body):
            if isinstance(s, t.Store):
                self.stores.setdefault(s.buffer, []).append(s.index)
        for s in walk(loop.body):
            for load in loads_of(s):
                if load.buffer in self.stores:
                    self.loads.setdefault(load.buffer, []).append(load.index)

    def all(self) -> bool:
        """Does no iteration store to an element that another one touches?"""
        return all([self.of(buffer) for buffer in self.stores])

    def of(self, buffer: str) -> bool:
        """Does none of this buffer?"""
        starts = [self._start(x) for x in self.stores.get(buffer, ())]
        others = [*starts, *[self._start(x) for x in self.loads.get(buffer, ())]]
        found = [x for x in others if x is not None]
        pairs = product(found[: len(starts)], found)
        return len(found) == len(others) and all([same(a, b) or self._are_apart(a, b) for a, b in pairs])

    def all_with_strides(self) -> bool:
        """Likewise, where what an iteration touches need not be beside what the next one does."""
        return all([self.of(buffer) or self._in_turns(buffer) for buffer in self.stores])

    def all_in_rows(self, most: int) -> bool:
        """Likewise, where an iteration may store to a whole row of so many numbers at most, as to the coordinates of a point."""
        return all([self.of(b) or (self._in_turns(b) and self._is_row(b, most)) for b in self.stores])

    def _in_turns(self, buffer: str) -> bool:
        """Is an element that one iteration stores none that another one touches, by the stride that they have in common?"""
        stores = [self._strided(x) for x in self.stores[buffer]]
        found = [*stores, *[self._strided(x) for x in self.loads.get(buffer, ())]]
        strides = {x[1] for x in found if x is not None}
        if None in found or len(strides) != 1:
            return False
        (stride,) = strides
        starts = [x[0] for x in found if x is not None]
        return all([_take_turns(a, b, stride) for a, b in product(starts[: len(stores)], starts)])

    def _is_row(self, buffer: str, most: int) -> bool:
        """Does an iteration store to all elements up to where the next one begins?"""
        stores = [self._strided(x) for x in self.stores[buffer]]
        rows = {(x[1], x[0].get((), 0) % x[1]) for x in stores if x is not None}
        (stride, _), *_ = rows
        return 0 < stride <= most and len(rows) == stride

    def _strided(self, index: t.Expression) -> tuple[Coefficients, int] | None:
        """Where an index starts, and by how much it grows in each iteration, which is known."""
        found = stride_of(self.resolved(index), self.loop.index)
        if found is None or not names_of(found[0]).isdisjoint(self.varying):
            return None
        start, stride = _coefficients(found[0]), coefficients(found[1])
        return None if start is None or not stride or stride.keys() != {()} else (start, stride[()])

    def _are_apart(self, a: t.Expression, b: t.Expression) -> bool:
        first, second, size = _coefficients(a), _coefficients(b), _coefficients(self.loop.size)
        return first is not None and second is not None and size is not None and _do_not_meet(first, second, size)

    def _start(self, index: t.Expression) -> t.Expression | None:
        """Where a piece of neighbouring elements begins, one for each iteration."""
        start = start_of_next(self.resolved(index), self.loop.index)
        return start if start is not None and names_of(start).isdisjoint(self.varying) else None

    def resolved(self, e: t.Expression) -> t.Expression:
        """An index with what the names in it stand for."""
        if isinstance(e, t.Name) and e.name in self.indices:
            if e.name not in self._known:
                self._known[e.name] = self.resolved(self.indices[e.name])
            return self._known[e.name]
        if isinstance(e, t.Operation):
            return t.Operation(e.primitive, tuple([self.resolved(a) for a in e.arguments]), e.type)
        return e


def _do_not_meet(a: Coefficients, b: Coefficients, size: Coefficients) -> bool:
    """The same piece, or pieces that do not overlap: their distance is a multiple of the size."""
    distance = _sum(a, b, -1)
    if not distance:
        return True
    [(monomial, one), *rest] = size.items() or [((), 0)]
    if rest or one <= 0:
        return False
    return distance.keys() == {monomial} and abs(distance[monomial]) >= one


def _take_turns(a: Coefficients, b: Coefficients, stride: int) -> bool:
    """The same start, or starts whose distance is no multiple of the stride, whatever the names in it are."""
    distance = _sum(a, b, -1)
    steady = distance.pop((), 0)
    return all([count % stride == 0 for count in distance.values()]) and (
        steady % stride != 0 if steady or distance else True
    )


def coefficients(e: t.Expression) -> Coefficients:
    """Of a sum of products, what is neither being a name of its own, "?"."""
    match e:
        case t.Literal(value):
            return {(): int(value)} if value else {}
        case t.Name(name):
            return {(name,): 1}
        case t.Operation(primitive, (a, b)) if primitive in (p.add, p.subtract, p.multiply):
            left, right = coefficients(a), coefficients(b)
            if primitive is not p.multiply:
                return _sum(left, right, 1 if primitive is p.add else -1)
            product: Coefficients = {}
            for m, c in left.items():
                product = _sum(product, {tuple(sorted(m + n)): c * d for n, d in right.items()}, 1)
            return product
        case _:
            return {("?",): 1}


def _coefficients(e: t.Expression) -> Coefficients | None:
    """Those of nothing but names."""
    found = coefficients(e)
    return None if any(["?" in monomial for monomial in found]) else found


def _sum(a: Mapping[tuple[str, ...], int], b: Mapping[tuple[str, ...], int], factor: int) -> Coefficients:
    total = dict(a)
    for monomial, c in b.items():
        total[monomial] = total.get(monomial, 0) + factor * c
    return {monomial: c for monomial, c in total.items() if c}

"""What a loop adds to zeros, once to each, it stores; zeros are left where it does not come.

    a[0 .. m] = 0;  for i < n: a[2 i] += x; a[2 i + 1] += y   ~>   a[2 n .. m] = 0;  for i < n: a[2 i] = x; a[2 i + 1] = y

A gradient by an array of which a program reads the first n elements, or rows, is such a loop: it wrote, read and wrote them.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from fsmooth.core import primitives as p
from fsmooth.core.types import INT
from fsmooth.loops import tree as t
from fsmooth.loops.affine import stride_of, without_constant
from fsmooth.loops.arithmetic import ZERO, integer, is_integer, minus, plus, same, times, with_values
from fsmooth.loops.names import Names
from fsmooth.loops.passes.places import Places
from fsmooth.loops.rewriting import same_or, with_bodies, with_body
from fsmooth.loops.usage import changed, declared, definitions, loads, names_of, own_names, walk


def store_over_zeros(function: t.Function, _: Names) -> t.Function:
    """Store what is added to zeros once."""
    return with_body(function, _Zeros(function).within(function.body))


class _Zeros:
    """Those of a function."""

    def __init__(self, function: t.Function) -> None:
        self.places = Places.of(function.body)
        self.nonnegative = function.facts.nonnegative

    def within(self, body: t.Body) -> t.Body:
        """Statements with what the loops among them add to zeros that are there before, stored."""
        found = [with_bodies(s, self.within) for s in body]
        fills = [s for s in found if isinstance(s, t.Fill)]
        if not fills or not any([isinstance(s, t.For) for s in found]):
            return same_or(body, found)
        mentioned = {s: {name for x in walk([s]) for name in own_names(x)} for s in found}
        for fill in fills:
            near = {name for names in mentioned.values() for name in names if not self.places.apart(fill.buffer, name)}
            k = found.index(fill)
            after = next((n for n in range(k + 1, len(found)) if not mentioned[found[n]].isdisjoint(near)), None)
            loop = None if after is None else found[after]
            if after is not None and isinstance(loop, t.For):
                is_same = names_of(fill.offset, fill.count).isdisjoint(changed(found[k:after]))
                stored = self.stored(loop, fill, near) if is_same else None
                if stored is not None:
                    found[k : after + 1] = [*found[k + 1 : after], *stored]
                    mentioned |= dict.fromkeys(stored, mentioned[loop])
        return same_or(body, found)

    def stored(self, loop: t.For, fill: t.Fill, near: set[str]) -> list[t.Statement] | None:
        """What is left of the zeros, and the loop that stores; None if it does anything else with the memory `near` them."""
        uses = [s for s in walk([loop]) if not own_names(s).isdisjoint(near)]
        stores = [s for s in uses if isinstance(s, t.Store) and s.buffer == fill.buffer and s.accumulate]
        if loop.kind is t.Kind.SEARCH or len(stores) < len(uses) or fill.buffer in names_of(*[s.value for s in stores]):
            return None
        if any([isinstance(s, t.Check | t.Demand | t.CheckAll) for s in walk([loop])]):
            return None  # it may have more iterations than there are numbers
        width = _side_by_side(loop, stores, fill) or _in_rows(loop, stores, fill)
        if width is None:
            return None
        covered = times(self.positive(loop.size), self.positive(width))
        rest = t.Fill(fill.buffer, plus(fill.offset, covered), minus(fill.count, covered), fill.type)
        new = replace(loop, body=_assigning(loop.body, fill.buffer))
        return [new] if same(covered, fill.count) else [rest, new]

    def positive(self, size: t.Expression) -> t.Expression:
        """A size, or 0 if it is negative."""
        if isinstance(size, t.Name) and size.name in self.nonnegative:
            return size
        if isinstance(size, t.Literal):
            return integer(max(int(size.value), 0))
        return t.Operation(p.maximum, (size, ZERO), INT)


def _side_by_side(loop: t.For, stores: Sequence[t.Store], fill: t.Fill) -> t.Expression | None:
    """How many numbers each iteration adds to, if these are the next ones each time, and it adds once to each."""
    if not stores or not all([s in loop.body for s in stores]):
        return None
    known = definitions(loop.body, {})
    positions: list[int] = []
    for s in stores:
        found = stride_of(with_values(s.index, known), loop.index)
        position = None if found is None or not is_integer(found[1], len(stores)) else _beyond(found[0], fill.offset)
        if position is None:
            return None
        positions.append(position)
    return integer(len(stores)) if sorted(positions) == list(range(len(stores))) else None


def _in_rows(loop: t.For, stores: Sequence[t.Store], fill: t.Fill) -> t.Expression | None:
    """How long the rows are, if each iteration adds once to all numbers of the next one."""
    inner = next((s for s in loop.body if isinstance(s, t.For) and any([x in s.body for x in stores])), None)
    if inner is None or len(stores) != 1 or inner.kind is t.Kind.SEARCH:
        return None
    known = definitions((*loop.body, *inner.body), {})
    size = with_values(inner.size, known)
    across = stride_of(with_values(stores[0].index, known), inner.index)
    down = None if across is None or not is_integer(across[1], 1) else stride_of(across[0], loop.index)
    if down is None or _beyond(down[0], fill.offset) != 0 or loop.index in names_of(size) or loads(size):
        return None
    outside = names_of(size).isdisjoint({name for s in walk(loop.body) for name in declared(s)})
    return size if same(down[1], size) and outside else None


def _beyond(start: t.Expression, offset: t.Expression) -> int | None:
    """How far a place is beyond another, if that is known."""
    if is_integer(offset, 0) and isinstance(start, t.Literal):
        return int(start.value)
    base, constant = without_constant(start)
    return constant if same(base, offset) else None


def _assigning(body: t.Body, buffer: str) -> t.Body:
    """The statements, which store what they added."""
    return tuple(
        [
            replace(s, accumulate=False)
            if isinstance(s, t.Store) and s.buffer == buffer
            else with_bodies(s, lambda inner: _assigning(inner, buffer))
            for s in body
        ]
    )

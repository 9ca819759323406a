"""Loops whose iterations keep to a column each of the matrices that they change: no other iteration reads or writes there.

`for j < n: a[r * n + j] = f(a[q * n + j])` may change the row that it reads or another one: that of iteration j is in column j.

Where such loops are the iterations of another one, and change a row that all of these change, several of them run as one: the
row is loaded and stored once for all of them (rotations of neighbouring rows, say).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from msgspec.structs import replace

from fsmooth.core import primitives as p
from fsmooth.core.types import INT, Int
from fsmooth.loops import tree as t
from fsmooth.loops.affine import row_of
from fsmooth.loops.arithmetic import map_loads, same, with_values
from fsmooth.loops.names import Names
from fsmooth.loops.passes.accesses import Accesses
from fsmooth.loops.passes.places import Places
from fsmooth.loops.passes.unrolling import copied, without_loads
from fsmooth.loops.usage import expressions_of, names_of, walk

Sizes = Mapping[str, t.Expression]
"""Names of sizes, and of what each is the larger of that and 0: a loop over the latter goes over a row of the former."""


def sizes_in(function: t.Function) -> Sizes:
    """Those that a function declares."""
    found: dict[str, t.Expression] = {}
    for s in walk(function.body):
        match s:
            case t.Declare(name, Int(), t.Operation(p.maximum, (size, t.Literal(0))), False):
                found[name] = size
            case _:
                pass
    return found


def column_of(at: t.Expression, loop: t.For, sizes: Sizes) -> t.Expression | None:
    """The row of a place in the column that belongs to the iteration of a loop over the columns; None if it may be elsewhere."""
    own = [t.Name(name, INT) for name in names_of(at) & sizes.keys() if same(sizes[name], loop.size)]
    return next((row for width in (loop.size, *own) if (row := row_of(at, loop.index, width)) is not None), None)


def in_own_column(indices: Sequence[t.Expression], loop: t.For, sizes: Sizes, varying: Collection[str] = ()) -> bool:
    """Are these places of one buffer all in the column that belongs to the iteration, in rows that do not vary?"""
    rows = [column_of(at, loop, sizes) for at in indices]
    return all([row is not None and names_of(row).isdisjoint({loop.index, *varying}) for row in rows])


def keeps_to_columns(loop: t.For, sizes: Sizes) -> bool:
    """Does each iteration of a loop touch what the loop changes in a column of its own only?"""
    found = Accesses.of(loop.body)
    return found is not None and all(
        [
            in_own_column([*indices, *found.reads.get(buffer, [])], loop, sizes, found.locals)
            for buffer, indices in found.writes.items()
        ]
    )


def in_columns(loop: t.For, places: Places, sizes: Sizes) -> Accesses | None:
    """What a loop touches, if all that it does is in a loop that keeps to its own columns, whichever iteration it is in."""
    *before, inner = loop.body
    if not isinstance(inner, t.For) or inner.kind is not t.Kind.PARALLEL or inner.own or loop.own:
        return None
    if not all([isinstance(s, t.Declare) for s in before]):
        return None
    found = Accesses.of((*before, *inner.body))
    if found is None or loop.index in names_of(inner.size) or not names_of(inner.size).isdisjoint(found.locals):
        return None
    for buffer, indices in found.writes.items():
        if any([other != buffer and not places.apart(buffer, other) for other in found.buffers()]):
            return None
        if any([column_of(at, inner, sizes) is None for at in (*indices, *found.reads.get(buffer, []))]):
            return None
    defined = [e for s in before for e in expressions_of(s)]
    return None if found.writes.keys() & names_of(*defined) else found


def carried_rows(loop: t.For, places: Places, sizes: Sizes) -> frozenset[str]:
    """The rows that each iteration of a loop changes, if all that it does is in a loop that keeps to its own columns."""
    inner = loop.body[-1]
    found = in_columns(loop, places, sizes)
    if found is None or not isinstance(inner, t.For) or inner.vectors is not t.Vectors.IMPLIED:
        return frozenset()
    row = t.Name(inner.index, INT)
    carried = found.writes.keys() & found.reads.keys()
    return frozenset([x for x in carried if all([same(at, row) for at in (*found.writes[x], *found.reads[x])])])


def in_turn(loop: t.For, indices: Sequence[t.Expression], names: Names, *, carried: Collection[str]) -> t.Body:
    """Iterations of a loop one after the other in each column: of a row that they carry, each takes what the one before made."""
    *_, inner = loop.body
    assert isinstance(inner, t.For)
    before: list[t.Statement] = []
    found: list[t.Statement] = []
    latest: dict[str, t.Name] = {}
    varying = {inner.index}

    def number(at: t.Load) -> t.Expression:
        return latest.get(at.buffer, at)

    for index in indices:
        *above, own = copied(loop.body, {loop.index: index}, names)
        assert isinstance(own, t.For)
        before += [s for s in above if s not in before]
        local: dict[str, t.Expression] = {}  # what this iteration calls its numbers
        for s in own.body:
            match s:
                case t.Declare() if varying.isdisjoint(names_of(*expressions_of(s))):
                    before += [s] if s not in before else []
                case t.Declare() if s.value is not None:
                    value = without_loads(map_loads(with_values(s.value, local), number), varying, before, names)
                    name = t.Name(names.fresh(s.name), s.type)
                    varying |= {s.name, name.name}
                    found.append(t.Declare(name.name, s.type, value))
                    local[s.name] = name
                case t.Store():
                    value = without_loads(map_loads(with_values(s.value, local), number), varying, before, names)
                    if s.buffer not in carried:
                        found.append(replace(s, value=value))
                        continue
                    if s.accumulate:
                        value = t.Operation(p.add, (number(t.Load(s.buffer, s.index, value.type)), value), value.type)
                    name = t.Name(names.fresh("next"), value.type)
                    varying.add(name.name)
                    found.append(t.Declare(name.name, name.type, value))
                    latest[s.buffer] = name
                case _:
                    raise TypeError(f"{s!r} is no statement of a loop over columns")
    found += [t.Store(buffer, t.Name(inner.index, INT), name) for buffer, name in latest.items()]
    return (*before, replace(inner, body=tuple(found), simd=True))

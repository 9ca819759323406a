"""What the iterations of a loop share: nothing, numbers and arrays that they add to, or what makes them go on from one another.

A part of a result is its iteration's own.  Of other arrays it must be seen: an iteration keeps to elements of its own
(own_elements.py), or the loop's index is all that the index on one axis is, in every access.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from fsmooth.core import primitives as p
from fsmooth.core.types import INT
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import ONE, ZERO, inside, plus, same, times
from fsmooth.loops.passes.own_elements import Coefficients, OwnElements, coefficients
from fsmooth.loops.passes.places import Places
from fsmooth.loops.rewriting import same_or, with_bodies
from fsmooth.loops.substitution import without_pointers
from fsmooth.loops.usage import bodies_of, declared, expressions_of, loads_of, mentioned, names_of, targets, walk

Loop = t.For | t.Block | t.CheckAll


class Independent(Struct, frozen=True):
    """What the iterations of a loop share: `summed` numbers, and arrays that they add to, with their lengths."""

    summed: tuple[str, ...] = ()
    added: tuple[tuple[str, t.Expression], ...] = ()


def independent(
    loop: Loop,
    lengths: Mapping[str, t.Expression],
    places: Places,
    private: Collection[str],
    storage: Collection[str],
    sizes: Mapping[str, Sequence[t.Expression]],
) -> Independent | str:
    """What iterations that could run at one time share, or why they cannot.

    `private` is storage that nothing else uses: each iteration writes it before it reads it, or there would be nothing to read
    in the first one, and loops whose iterations go on from one another are of another kind.  Of these, some do not after all.
    """
    if isinstance(loop, t.Block | t.CheckAll):
        return Independent()
    if loop.extrema or loop.kind is t.Kind.SEARCH:
        return "it looks for an extremum"
    inside = {name for s in walk(loop.body) for name in declared(s)} | {loop.index, *private}
    if _may_end(loop.body):
        return "it may end early"
    elements = OwnElements(loop)
    added: dict[str, t.Expression] = {}
    written: dict[str, list[t.Statement]] = {}
    for s in walk(loop.body):
        for name in targets(s) - inside:
            if isinstance(s, t.Assign):
                if name not in loop.reduced or not s.accumulate:
                    return f"each iteration goes on from what the one before set {name} to"
            elif isinstance(s, t.Swap | t.Choose):
                return f"each iteration changes where {name} is"
            else:
                written.setdefault(name, []).append(s)
    reads = {name for s in walk(loop.body) for e in expressions_of(s) for name in names_of(e)}
    if not reads.isdisjoint(loop.reduced):
        return "each iteration reads a sum"
    behind = {name for s in walk(loop.body) for pointer in declared(s) for name in places.memory(pointer)} - inside
    for name in sorted(behind):
        if name in written or any([name in places.memory(x) for s in walk(loop.body) for x in targets(s) & inside]):
            return f"a pointer is set to {name} in each iteration"
    used = mentioned(loop.body) - inside
    for name, statements in written.items():
        if any([other != name and not places.apart(name, other) for other in used]):
            return f"{name} has two names"
        is_result = name not in storage or all(
            [loop.index in names_of(elements.resolved(_place(s, name))) for s in statements]
        )
        if loop.kind is t.Kind.PARALLEL and is_result:  # each element of a result is made once
            continue
        if not all([isinstance(s, t.Store) for s in statements]) or _is_read_otherwise(loop, name):
            return f"iterations share {name}"
        if elements.of(name) or _keeps_to_index(loop, name, elements, sizes.get(name, ())):
            continue
        is_read = any([load.buffer == name for s in walk(loop.body) for load in loads_of(s)])
        if is_read or not all([isinstance(s, t.Store) and s.accumulate for s in statements]):
            return f"iterations share {name}"
        if name not in lengths or not names_of(lengths[name]).isdisjoint(inside):
            return f"all iterations add to {name}"
        added[name] = lengths[name]
    return Independent(loop.reduced, tuple(added.items()))


def _place(s: t.Statement, name: str) -> t.Expression:
    """Where a statement writes to an array."""
    match s:
        case t.Store():
            return s.index
        case t.Fill():
            return s.offset
        case t.Copy():
            return s.target_offset
        case t.Multiply():
            return s.target.offset
        case t.Block():
            return next(plus(o.base, t.Name(s.index, INT)) for o in s.outputs if o.buffer == name)
        case _:
            return ZERO


def _may_end(body: t.Body) -> bool:
    """Is there a way out of the loop of which this is the body, or a part?"""
    inner = [x for s in body if not isinstance(s, t.For | t.While) for x in bodies_of(s)]
    return any([isinstance(s, t.Break) for s in body]) or any([_may_end(x) for x in inner])


def _is_read_otherwise(loop: t.For, buffer: str) -> bool:
    """Is an array read other than element by element?"""
    for s in walk(loop.body):
        match s:
            case t.Copy() if s.source == buffer:
                return True
            case t.Multiply() if buffer in (s.left.buffer, s.right.buffer):
                return True
            case t.Block() if any([rows.buffer == buffer for rows in s.rows]):
                return True
            case _:
                searches = [e for e in inside(*expressions_of(s)) if isinstance(e, t.Search)]
                if any([e.buffer == buffer for e in searches]):
                    return True
    return False


def _keeps_to_index(loop: t.For, buffer: str, elements: OwnElements, sizes: Sequence[t.Expression]) -> bool:
    """Is the loop's index all that the index on an axis of an array is, in every access?

    An access is within the size of each axis, so that it has one index on each: what is multiplied by the stride of an axis.
    What does not vary is to be the same in all accesses, but for a constant that belongs to an axis further inside.
    """
    strides: list[Coefficients] = []
    step: t.Expression = ONE
    for size in reversed(sizes):
        strides.append(coefficients(step))
        step = times(size, step)
    varying = {s.index for s in walk(loop.body) if isinstance(s, t.For | t.Block)} | elements.varying | {"?"}
    axes: set[int] = set()
    steady: list[tuple[Coefficients, int]] = []
    for access in [*elements.stores.get(buffer, ()), *elements.loads.get(buffer, ())]:
        by: dict[str, Coefficients] = {}
        same_for_all: Coefficients = {}
        for monomial, count in coefficients(elements.resolved(access)).items():
            vary = [name for name in monomial if name in varying or name == loop.index]
            if len(vary) > 1:
                return False
            if vary:
                rest = list(monomial)
                rest.remove(vary[0])
                by.setdefault(vary[0], {})[tuple(rest)] = count
            else:
                same_for_all[monomial] = count
        own = by.pop(loop.index, None)
        own = own if own is None or own in strides else _of_a_piece(own, by, loop)
        if own is None or own not in strides or not all([other in strides and other != own for other in by.values()]):
            return False
        axes.add(strides.index(own))
        constant = same_for_all.pop((), 0)
        steady.append((same_for_all, constant // own[()] if own.keys() == {()} else 0))
    return len(axes) == 1 and all([each == steady[0] for each in steady])


def _of_a_piece(own: Coefficients, by: dict[str, Coefficients], loop: t.For) -> Coefficients | None:
    """The stride of an axis of which each iteration has a piece, in which another loop goes on from place to place, which is
    taken from the others; None if that may leave the piece.
    """
    sizes = {s.index: s.size for s in walk(loop.body) if isinstance(s, t.For)}
    values = {s.name: s.value for s in walk(loop.body) if isinstance(s, t.Declare) and not s.mutable}
    for name, step in by.items():
        size = sizes.get(name)
        most = at_most(values.get(size.name, size) if isinstance(size, t.Name) else size)
        if most is not None and own == {monomial: most * count for monomial, count in step.items()}:
            return by.pop(name)
    return None


def at_most(size: t.Expression | None) -> int | None:
    """A number that a size does not exceed."""
    match size:
        case t.Literal(int(value)) | t.Operation(p.minimum, (_, t.Literal(int(value)))):
            return value
        case _:
            return None


def plain(loop: t.For) -> t.For:
    """A loop without pointers to what it does not make, and with `a[i] += e` for `a[i] = a[i] + e`."""
    inside = {name for s in walk(loop.body) for name in declared(s) if not isinstance(s, t.Choose)} | {*loop.own}
    body = _adding(without_pointers(loop.body, inside))
    return loop if body is loop.body else replace(loop, body=body)


def _adding(body: t.Body) -> t.Body:
    found: list[t.Statement] = []
    for s in body:
        new = with_bodies(s, _adding)
        if isinstance(new, t.Store) and not new.accumulate:
            rest = _added(new)
            new = new if rest is None else t.Store(new.buffer, new.index, rest, accumulate=True)
        found.append(new)
    return same_or(body, found)


def _added(s: t.Store) -> t.Expression | None:
    """What a statement adds to the element that it stores to."""
    match s.value:
        case t.Operation(p.add, (a, b)):
            return b if _is_element(a, s) else a if _is_element(b, s) else None
        case t.Operation(p.subtract, (a, b)) if _is_element(a, s):
            return t.Operation(p.negate, (b,), b.type)
        case _:
            return None


def _is_element(e: t.Expression, s: t.Store) -> bool:
    return isinstance(e, t.Load) and e.buffer == s.buffer and same(e.index, s.index)

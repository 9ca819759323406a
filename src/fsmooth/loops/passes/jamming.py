"""Nests that add products to rows are unrolled and jammed, so that what one iteration loads serves the next ones.

    for i: for k: for j: x[i, j] += a[i, k] * b[k, j]

loads two numbers and stores one for each product.  With four rows i and four k at once, one row of b is loaded for four
rows of x, and a number of x for four products (Carr and Kennedy, *Improving the ratio of memory operations to
floating-point operations in loops*, TOPLAS 16, 1994).  Each number is added up in the order in which it was before.

So do loops that add up along rows: of a matrix and a vector, the vector is loaded once for four rows, whose sums do not wait for
one another.  And those that do both, as the gradient of a regression does:

    for i: { s = sum over j of x[i, j] * w[j];  for j: g[j] += f(s, i) * x[i, j] }

A loop that adds to the whole of an array may read a number of it before, as elimination does: that is the number before the
block, and what the iterations of the block before this one add to it.  Loops that carry a row are in `columns`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeGuard

from msgspec.structs import replace

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.types import INT, Int
from fsmooth.loops import tree as t
from fsmooth.loops.affine import is_next, stride_of
from fsmooth.loops.arithmetic import inside, integer, is_integer, map_loads, same, times, with_values
from fsmooth.loops.arithmetic import replace as replaced
from fsmooth.loops.names import Names
from fsmooth.loops.passes.columns import carried_rows, in_turn, sizes_in
from fsmooth.loops.passes.places import Places
from fsmooth.loops.passes.unrolling import copied, in_blocks_of, without_loads
from fsmooth.loops.rewriting import each_loop
from fsmooth.loops.usage import are_definitions, change_of, definitions, expressions_of, loads_of, names_of, walk


def jam_loops(function: t.Function, names: Names) -> t.Function:
    """Unroll and jam the nests of a function that add products to rows."""
    if thresholds.JAMMED < 2:
        return function
    is_large = sum([1 for _ in walk(function.body)]) > thresholds.JAMMED_STATEMENTS
    jammed: dict[str, t.For] = {}
    counts, places, sizes = _counts(function), Places.of(function.body), sizes_in(function)

    def is_jammed(s: t.Statement) -> TypeGuard[t.For]:
        return isinstance(s, t.For) and s.index in jammed

    def change(loop: t.For) -> Sequence[t.Statement]:
        if _is_short(loop.size):
            return (loop,)
        if not is_large and _adds_to_row(loop, counts, places):
            block, made = in_blocks_of(
                loop, thresholds.JAMMED, loop.body, names, function.facts, _together, _row_of(loop.body)[1].size
            )
            jammed[block] = _vectorised(loop)
            return made
        if not is_large and _sums_and_adds(loop, places):
            size = _row_of(loop.body)[1].size
            return in_blocks_of(
                loop, thresholds.JAMMED_ROWS, loop.body, names, function.facts, _summed_and_added, size
            )[1]
        carried = carried_rows(loop, places, sizes)
        if carried:
            inner = loop.body[-1]
            assert isinstance(inner, t.For)
            jam = partial(in_turn, carried=carried)
            return in_blocks_of(loop, thresholds.JAMMED, loop.body, names, function.facts, jam, inner.size)[1]
        if not is_large and _sums_rows(loop):
            return in_blocks_of(loop, thresholds.JAMMED_ROWS, loop.body, names, function.facts, _side_by_side)[1]
        if not _can_be_side_by_side(loop) or not any([is_jammed(s) and _is_shared(s, loop.index) for s in loop.body]):
            return (loop,)
        rest = _as_it_was(loop.body, jammed)
        return in_blocks_of(loop, thresholds.JAMMED_ROWS, rest, names, function.facts, _side_by_side)[1]

    return each_loop(function, change)


def _is_short(size: t.Expression) -> bool:
    return isinstance(size, t.Literal) and int(size.value) < 2 * thresholds.JAMMED


def _adds_to_row(loop: t.For, counts: Mapping[str, t.Expression], places: Places) -> bool:
    """Is it a loop that in each iteration adds numbers to those of the same row?

    It may read a number of the row before it adds to it, where it adds to all of an array (one of `counts`): that number is
    the one before the iterations that run at once, and what those of them before this one add to it.
    """
    *before, inner = loop.body
    if not isinstance(inner, t.For) or _is_short(inner.size) or inner.kind is not t.Kind.PARALLEL:
        return False
    if inner.vectors is not t.Vectors.IMPLIED:  # strips are in the fastest cache
        return False
    *found, store = inner.body
    if not isinstance(store, t.Store) or change_of(store, {}) is None or loop.own or inner.own:
        return False
    kept = [s for s in before if isinstance(s, t.Store)]
    defined = [s for s in (*before, *found) if s not in kept]
    if not are_definitions(defined):
        return False
    own = {s.name for s in defined if isinstance(s, t.Declare)} | {loop.index}
    if not names_of(store.index).isdisjoint(own) or not is_next(store.index, inner.index):
        return False
    if not names_of(inner.size).isdisjoint(own):
        return False
    read = names_of(*[e for s in walk(loop.body) for e in _read(s)])
    written = {store.buffer, *[s.buffer for s in kept]}
    if any([a != b and not places.apart(a, b) for a in written for b in read | written]):
        return False
    if any([s.accumulate or s.buffer == store.buffer or s.buffer in read for s in kept]):
        return False
    if store.buffer in names_of(*[e for s in (*kept, *inner.body) for e in _read(s)]):
        return False
    if store.buffer not in read:
        return True
    whole = counts.get(store.buffer)
    is_whole = whole is not None and same(whole, inner.size) and same(store.index, t.Name(inner.index, INT))
    return is_whole and not found and not isinstance(store.value.type, Int)


def _sums_and_adds(loop: t.For, places: Places) -> bool:
    """Is it a loop that in each iteration adds up numbers along rows, and then adds to those of a row, the same each time?"""
    *before, inner = loop.body
    if not isinstance(inner, t.For) or _is_short(inner.size) or inner.kind is not t.Kind.PARALLEL:
        return False
    if loop.own or loop.simd or loop.reduced or loop.extrema or inner.own or inner.vectors is not t.Vectors.IMPLIED:
        return False
    if not any([isinstance(s, t.For) for s in before]) or not all([_only_sums(s) for s in before]):
        return False
    *found, store = inner.body
    if not isinstance(store, t.Store) or change_of(store, {}) is None or not is_next(store.index, inner.index):
        return False
    if not are_definitions(found):
        return False
    own = {s.name for s in walk(loop.body) if isinstance(s, t.Declare)} | {loop.index}
    sizes = [s.size for s in walk(loop.body) if isinstance(s, t.For)]
    if not own.isdisjoint(names_of(store.index, *sizes)):
        return False
    read = names_of(*[e for s in walk(loop.body) for e in _read(s)])
    return all([name != store.buffer and places.apart(store.buffer, name) for name in read])


def _only_sums(s: t.Statement) -> bool:
    """Is it a definition, or a loop that adds up what one reads there?"""
    match s:
        case t.Declare(value=t.Expression()):
            return True
        case t.For(kind=t.Kind.REDUCTION, extrema=(), own=()):
            return not _is_short(s.size) and all([isinstance(x, t.Assign | t.Declare) for x in s.body])
        case _:
            return False


def _counts(function: t.Function) -> Mapping[str, t.Expression]:
    """How many numbers there are in arrays of a function, and in those that pointers point to from their start."""
    found: dict[str, t.Expression] = {}
    several: set[str] = set()
    for s in walk(function.body):
        match s:
            case t.Allocate(name, _, count):
                pass
            case t.LocalArray(name, _, size):
                count = integer(size)
            case t.Choose(name, _, then, offset, None) if then in found and is_integer(offset, 0):
                count = found[then]
            case t.Choose(name):
                several.add(name)
                continue
            case t.Swap():
                several |= {s.left, s.right}
                continue
            case _:
                continue
        if name in found:
            several.add(name)
        found[name] = count
    return {name: count for name, count in found.items() if name not in several}


def _read(s: t.Statement) -> list[t.Expression]:
    if not isinstance(s, t.Store):
        return list(expressions_of(s))
    change = change_of(s, {})
    return [s.index, s.value if change is None else change[1]]


def _is_shared(nest: t.For, index: str) -> bool:
    """Does a nest load in its innermost loop what does not depend on `index`?"""
    inner = nest.body[-1]
    assert isinstance(inner, t.For)
    varying = {index} | {
        s.name
        for s in walk(nest.body)
        if isinstance(s, t.Declare) and s.value is not None and index in names_of(s.value)
    }
    for s in walk(inner.body):
        for e in inside(*_read(s)):
            if isinstance(e, t.Load) and inner.index in names_of(e.index) and varying.isdisjoint(names_of(e.index)):
                return True
    return False


def _can_be_side_by_side(loop: t.For) -> bool:
    """May iterations run at once?"""
    return loop.kind is t.Kind.PARALLEL and not loop.own and thresholds.JAMMED_ROWS > 1 and _can_be_copied(loop.body)


def _sums_rows(loop: t.For) -> bool:
    """Is it a loop that adds up numbers along a row in each iteration, and reads besides what all of these read?"""
    loops = [s for s in loop.body if isinstance(s, t.For)]
    if len(loops) != 1 or not _can_be_side_by_side(loop):
        return False
    (inner,) = loops
    if inner.kind is not t.Kind.REDUCTION or not inner.reduced or inner.extrema or _is_short(inner.size):
        return False
    known = definitions(loop.body, {})
    varying = {s.name for s in loop.body if isinstance(s, t.Declare) and s.name not in known} | {loop.index}
    if not varying.isdisjoint(names_of(with_values(inner.size, known))):
        return False
    if any([not isinstance(s, t.Assign | t.Declare) or (isinstance(s, t.Declare) and s.mutable) for s in inner.body]):
        return False
    row = [e for s in inner.body for e in loads_of(s)]
    is_row = [is_next(e.index, inner.index) for e in row]
    varies = [loop.index in names_of(e.index) for e in row]
    return all(is_row) and any(varies) and not all(varies)


def _can_be_copied(body: t.Body) -> bool:
    """Is it made of what can be done for several iterations in turn?"""
    declared = {s.name for s in walk(body) if isinstance(s, t.Declare)}
    for s in walk(body):
        match s:
            case t.Declare() | t.Store() | t.Fill() | t.Copy():
                pass
            case t.Assign(name) if name in declared:
                pass
            case t.For() if not s.own and not s.extrema:
                pass
            case _:
                return False
    return True


def _as_it_was(body: t.Body, jammed: Mapping[str, t.For]) -> t.Body:
    """A body with the loops in it that run in blocks as they were: for few iterations they are not worth their code."""
    found: list[t.Statement] = []
    is_rest = False
    for s in body:
        if not is_rest:
            found.append(jammed.get(s.index, s) if isinstance(s, t.For) else s)
        is_rest = isinstance(s, t.For) and s.index in jammed and not _is_divided_evenly(jammed[s.index].size)
    return tuple(found)


def _vectorised(loop: t.For) -> t.For:
    """The loop, its loop over the row marked for vectors: the C compiler, too, would jam it, which takes it long."""
    return replace(loop, body=(*loop.body[:-1], replace(_row_of(loop.body)[1], simd=True)))


def _is_divided_evenly(size: t.Expression) -> bool:
    """Is it known that no iterations are left after those in blocks?"""
    return isinstance(size, t.Literal) and int(size.value) % thresholds.JAMMED == 0


# -- four iterations as one ------------------------------------------------------------------------------------------


def _together(loop: t.For, indices: Sequence[t.Expression], names: Names) -> t.Body:
    """Iterations of a loop that adds to a row: one loop over the row adds what they all would."""
    row = _Row(_row_of(loop.body)[1], names, [])
    for index in indices:
        body = copied(loop.body, {loop.index: index}, names)
        for s in body[:-1]:
            if s not in row.before:
                new = s if not isinstance(s, t.Declare) else replace(s, value=_mapped(s.value, row.updated))
                row.before.append(new)
        row.add(body)
    return row.all()


def _summed_and_added(loop: t.For, indices: Sequence[t.Expression], names: Names) -> t.Body:
    """Iterations that add up rows, side by side, and then add to a row, in one loop over it."""
    copies = [copied(loop.body, {loop.index: index}, names) for index in indices]
    row = _Row(_row_of(loop.body)[1], names, list(_jammed([copy[:-1] for copy in copies])))
    for copy in copies:
        row.add(copy)
    return row.all()


class _Row:
    """One loop over a row for several iterations that add to it, and the statements `before` it."""

    def __init__(self, inner: t.For, names: Names, before: list[t.Statement]) -> None:
        self.inner, self.names, self.before = inner, names, before
        self.store = inner.body[-1]
        self.updates: list[tuple[p.Primitive, t.Expression]] = []
        self.definitions: list[t.Statement] = []
        self.seen: list[t.Declare] = []

    def add(self, body: t.Body) -> None:
        """What an iteration with this body adds."""
        _, loop, own, last = _row_of(body)
        varying = {loop.index}
        for s in own:
            assert s.value is not None
            if varying.isdisjoint(names_of(s.value)):
                self.before += [s] if s not in self.before else []
                continue
            varying.add(s.name)
            if s not in self.seen:
                self.seen.append(s)
                value = without_loads(s.value, varying, self.before, self.names)
                self.definitions.append(replace(s, value=value))
        change = change_of(last, {})
        assert change is not None
        self.updates.append((change[0], without_loads(change[1], varying, self.before, self.names)))

    def updated(self, at: t.Load) -> t.Expression:
        """A number of the row, after the iterations so far; any other number as it is."""
        assert isinstance(self.store, t.Store)
        number: t.Expression = at
        for how, value in self.updates if at.buffer == self.store.buffer else ():
            number = t.Operation(how, (number, replaced(value, self.inner.index, at.index)), at.type)
        return number

    def all(self) -> t.Body:
        """The statements before the loop, and the loop."""
        assert isinstance(self.store, t.Store)
        total: t.Expression = t.Load(self.store.buffer, self.store.index, self.store.value.type)
        for how, value in self.updates:
            total = t.Operation(how, (total, value), value.type)
        store = t.Store(self.store.buffer, self.store.index, total)
        return (*self.before, replace(self.inner, body=(*self.definitions, store), simd=True))


def _mapped(value: t.Expression | None, change: Callable[[t.Load], t.Expression]) -> t.Expression | None:
    return None if value is None else map_loads(value, change)


def _row_of(body: t.Body) -> tuple[t.Body, t.For, Sequence[t.Declare], t.Store]:
    """The body of a loop that adds to a row: what is before the loop over the row, this, its definitions, and its store."""
    *before, inner = body
    assert isinstance(inner, t.For)
    *_, store = inner.body
    assert isinstance(store, t.Store)
    return tuple(before), inner, [s for s in inner.body if isinstance(s, t.Declare)], store


def _side_by_side(loop: t.For, indices: Sequence[t.Expression], names: Names) -> t.Body:
    """Iterations that are independent: each statement for all of them, loops of the same size as one."""
    copies = [copied(loop.body, {loop.index: index}, names) for index in indices]
    found: list[t.Statement] = []
    for original, first, *others in zip(loop.body, *copies, strict=True):
        if isinstance(first, t.Fill) and isinstance(original, t.Fill) and _is_row_by_row(original, loop.index):
            found.append(replace(first, count=times(first.count, integer(len(indices)))))
        else:
            found += _jammed([(first,), *[(s,) for s in others]])
    return tuple(found)


def _is_row_by_row(zeroes: t.Fill, index: str) -> bool:
    """Do the zeroes of an iteration begin where those of the iteration before end?"""
    found = stride_of(zeroes.offset, index)
    return found is not None and same(found[1], zeroes.count) and index not in names_of(zeroes.count)


def _jammed(copies: Sequence[t.Body]) -> t.Body:
    found: list[t.Statement] = []
    for statements in zip(*copies, strict=True):
        first = statements[0]
        loops = [s for s in statements if isinstance(s, t.For)]
        if loops and all([s.index == loops[0].index and same(s.size, loops[0].size) for s in loops]):
            found.append(_one_loop(loops))
        elif all([s is first for s in statements]):
            found.append(first)
        else:
            found += statements
    return tuple(found)


def _one_loop(loops: Sequence[t.For]) -> t.For:
    """Loops over the same range as one; the C compiler does not know that the rows of different iterations are apart."""
    first = loops[0]
    reduced = tuple(dict.fromkeys([name for s in loops for name in s.reduced]))
    simd = first.simd or first.kind is t.Kind.PARALLEL
    return replace(first, body=_jammed([s.body for s in loops]), reduced=reduced, simd=simd)

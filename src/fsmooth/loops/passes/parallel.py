"""Loops in chunks that may run at one time: outermost loops whose iterations touch places of their own, and products of matrices.

    for i < n: body    ~>    in parallel chunk < count: for j < length: body[i := chunk * length + j]

Which chunks there are depends on the sizes and on nothing else, so that the same sums are added in the same order on any
number of threads: numbers that iterations add up are summed by each chunk for itself, then in the order of the chunks, and so
are arrays that all iterations add to, where copies of these are small compared with the work.  What a body allocates is its
chunk's own.  A loop of little work is one chunk, which its caller runs.

Where iterations go on from one another, but each column of what they change only from itself, a chunk has some of the columns:

    for i < m: for j < n: body    ~>    in parallel chunk < count: for i < m: for j < length: body[j := chunk * length + j]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.term import NOWHERE
from fsmooth.core.types import BOOL, INT
from fsmooth.loops import tree as t
from fsmooth.loops.affine import distinct_elements
from fsmooth.loops.arithmetic import ONE, ZERO, integer, is_integer, minus, plus, times, zero_of
from fsmooth.loops.names import Names
from fsmooth.loops.parameters import types_of
from fsmooth.loops.passes.columns import in_columns, sizes_in
from fsmooth.loops.passes.places import Places
from fsmooth.loops.passes.sharing import Independent, Loop, at_most, independent, plain
from fsmooth.loops.rewriting import same_or, with_bodies, with_body
from fsmooth.loops.substitution import renamed, substituted
from fsmooth.loops.usage import (
    bodies_of,
    declared,
    expressions_of,
    loads,
    mentioned,
    names_of,
    own_names,
    targets,
    walk,
)


def in_parallel(threads: int) -> Callable[[t.Function, Names], t.Function]:
    """The pass, for so many threads at most; 0: as many as the machine has processors for."""

    def run(function: t.Function, names: Names) -> t.Function:
        if not applies(function):
            return function
        return with_body(function, without_storage(_Chunks(function, names, threads).block(function.body)))

    return run


def _length(s: t.Allocate | t.LocalArray) -> t.Expression:
    return s.count if isinstance(s.count, t.Expression) else integer(s.count)


def _uses(body: t.Body) -> Counter[str]:
    """In how many statements each name is, besides what it is declared by, and what sets all of it to zero."""
    return Counter([x for s in walk(body) if not _is_storage(s) for x in own_names(s)])


def _is_storage(s: t.Statement) -> bool:
    return isinstance(s, t.Allocate | t.LocalArray) or (isinstance(s, t.Fill) and is_integer(s.offset, 0))


def _owned_uses(body: t.Body, own: frozenset[str]) -> Counter[str]:
    """In how many of those that are in loops that own it."""
    found: Counter[str] = Counter()
    for s in body:
        now = own | {*s.own} if isinstance(s, t.For) else own
        if not _is_storage(s):
            found.update([name for name in own_names(s) if name in now])
        for inner in bodies_of(s):
            found.update(_owned_uses(inner, now))
    return found


def told(function: t.Function) -> list[str]:
    """For people: which loops of a function run in chunks, and why others do not."""
    if not applies(function):
        return ["no loop: functions that call one another, and tapes, run on one thread"]
    chunks = _Chunks(function, Names(), 0)
    found: dict[str, None] = {}

    def look(body: t.Body) -> None:
        for s in body:
            if isinstance(s, t.Parallel):
                what = "a product of matrices, " if any([isinstance(x, t.Multiply) for x in s.body]) else _line(s)
                found[f"{what}in up to {thresholds.MOST_CHUNKS} chunks"] = None
            elif isinstance(s, t.If) and any([isinstance(x, t.Parallel) for x in s.then]):
                look(s.then)  # the other branch is the loop where it is one chunk
            elif isinstance(s, t.For) and not is_little(s.size, cost_of(s)):
                why = independent(
                    plain(s), chunks.lengths, chunks.places, chunks.private(s), chunks.storage, chunks.sizes
                )
                if isinstance(why, str):
                    found[f"{_line(s)}one after the other: {why}"] = None
                look(s.body)
            elif isinstance(s, t.Multiply) and _distinct(s) is None:
                found["a product of matrices, one after the other: some of what it adds goes to one place"] = None
            else:
                for inner in bodies_of(s):
                    look(inner)

    look(function.body)
    return list(found) or ["no loop"]


def _distinct(s: t.Multiply) -> t.Expression | None:
    """What says that a product adds to each place one number; None if nothing short does."""
    return distinct_elements(s.target.row, s.target.column, s.rows, s.columns)


def _line(s: t.For | t.Parallel) -> str:
    return f"line {s.site.line}: " if s.site.line else ""


def without_storage(body: t.Body) -> t.Body:
    """Statements without storage that only chunks use, each its own."""
    used: set[str] = set()

    def outside(part: t.Body) -> None:
        for s in part:
            used.update(own_names(s) if not isinstance(s, t.Allocate | t.LocalArray) else ())
            if not isinstance(s, t.Parallel):
                for inner in bodies_of(s):
                    outside(inner)
            else:
                own = {name for x in walk(s.body) for name in declared(x)}
                used.update(mentioned(s.body) - own)

    def kept(part: t.Body) -> t.Body:
        found = [
            s if isinstance(s, t.Parallel) else with_bodies(s, kept)
            for s in part
            if not isinstance(s, t.Allocate | t.LocalArray) or s.buffer in used
        ]
        return same_or(part, found)

    outside(body)
    return kept(body)


def applies(function: t.Function) -> bool:
    """Not to what calls functions of the program, or is called by them, or has a tape."""
    others = t.Invoke | t.Keep | t.Reserve | t.Pack | t.Unpack | t.OpenTape | t.OpenBars
    return not function.is_called and not any([isinstance(s, others) for s in walk(function.body)])


class _Region(Struct):
    """A parallel loop that is being made: what is done before all chunks, the storage that they share, what each does before and
    after its loop, and what is done after all.
    """

    before: list[t.Statement] = field(default_factory=list)
    storage: list[t.Statement] = field(default_factory=list)
    first: list[t.Statement] = field(default_factory=list)
    last: list[t.Statement] = field(default_factory=list)
    after: list[t.Statement] = field(default_factory=list)


class _Chunks:
    def __init__(self, function: t.Function, names: Names, threads: int) -> None:
        self.names, self.threads = names, threads
        self.places = Places.of(function.body)
        self.types = types_of(function)
        self.uses = _uses(function.body)
        self.owned = _owned_uses(function.body, frozenset())
        self.sizes = function.facts.sizes
        self.widths = sizes_in(function)
        self.storage = {s.buffer: s for s in walk(function.body) if isinstance(s, t.Allocate | t.LocalArray)}
        self.lengths = {name: _length(s) for name, s in self.storage.items()}
        for name, axes in self.sizes.items():
            length: t.Expression = ONE
            for axis in axes:
                length = times(length, axis)
            if name in self.types and name not in self.lengths and names_of(length) <= self.types.keys():
                self.lengths[name] = length

    def block(self, body: t.Body, *, in_loop: bool = False) -> t.Body:
        """Statements with loops in chunks."""

        def inner(part: t.Body) -> t.Body:
            return self.block(part, in_loop=in_loop or isinstance(s, t.For | t.While))

        found: list[t.Statement] = []
        for s in body:
            if isinstance(s, t.Multiply):
                found.extend(self.product(s, in_loop=in_loop))
                continue
            private = self.private(s) if isinstance(s, t.For) else ()
            if isinstance(s, t.For):
                s = plain(s)
            shared = (
                independent(s, self.lengths, self.places, private, self.storage, self.sizes)
                if isinstance(s, Loop)
                else ""
            )
            if isinstance(s, Loop) and isinstance(shared, Independent):
                found.extend(self.loop(s, shared, private, in_loop=in_loop))
            elif isinstance(s, t.For) and in_columns(s, self.places, self.widths) is not None:
                found.extend(self.columns(s, in_loop=in_loop))
            else:
                found.append(with_bodies(s, inner))
        return same_or(body, found)

    def private(self, loop: t.For) -> list[str]:
        """Storage that only this loop uses, or only loops of which each iteration makes it anew."""
        inside = _uses(loop.body)
        written = {name for s in walk(loop.body) for name in targets(s)}
        own = {name for name in loop.own if self.owned[name] == self.uses[name]}
        apart = loop.kind is not t.Kind.SEQUENTIAL
        only = {name for name in self.storage if apart and inside[name] == self.uses[name]} | own
        return [name for name in self.storage if name in written and name in only]

    def loop(self, loop: Loop, shared: Independent, private: Sequence[str], *, in_loop: bool) -> Sequence[t.Statement]:
        """A loop in chunks, and what adds up their sums."""
        cost = cost_of(loop)
        if is_little(loop.size, cost) or (isinstance(loop, t.CheckAll) and loop.ends):
            return (loop,)
        region = _Region()
        size = self.named(loop.size, "n", region.before)
        work = times(size, cost)
        for _, total in shared.added:  # the copies are to be a small part of the work
            work = minus(work, times(total, integer(thresholds.COPIED_SUMS)))
        is_innermost = not any([isinstance(s, t.For | t.While | t.Block | t.Multiply) for s in walk(loop.body)])
        unit = thresholds.CHUNK_UNIT if is_innermost else 1
        chunk, count, first, length = self.chunks(size, work, thresholds.CHUNK_WORK, unit, region)
        index = t.Name(self.names.fresh(f"{loop.index}_own"), INT)
        many = _at_most(minus(size, first), length)
        inner = _part(loop, index, first, many)
        if isinstance(inner, t.For):
            own = {name: self.summed(name, chunk, count, region) for name in shared.summed}
            body = renamed(inner.body, own)
            for name, total in shared.added:
                body = self.added(name, total, chunk, count, body, region)
            inner = replace(inner, body=body, reduced=tuple([own[name].name for name in inner.reduced]))
            allocated = {name for x in walk(loop.body) for name in declared(x)}
            for storage in [self.storage[name] for name in private if name not in allocated]:
                zeros = t.Fill(storage.buffer, ZERO, _length(storage), storage.type)
                region.first += [storage, zeros]  # strips read a little more than they wrote
        whole = (*region.first, inner, *region.last)
        site = NOWHERE if isinstance(loop, t.CheckAll) else loop.site
        parallel = (*region.storage, t.Parallel(chunk.name, count, whole, self.threads, site), *region.after)
        if in_loop or region.after:
            alone = with_bodies(loop, lambda part: self.block(part, in_loop=True)) if _has_product(loop) else loop
            return (*region.before, t.If(_are_several(count), parallel, (alone,)))
        return (*region.before, *parallel)

    def columns(self, loop: t.For, *, in_loop: bool) -> Sequence[t.Statement]:
        """A loop that has all in one loop over columns, in chunks of these."""
        *before, inner = loop.body
        assert isinstance(inner, t.For)
        region = _Region()
        trips = self.named(loop.size, "n", region.before)
        cost = times(trips, cost_of(inner))
        if is_little(inner.size, cost):
            return (loop,)
        size = self.named(inner.size, "n", region.before)
        work = _at_most(times(size, cost), integer(thresholds.COLUMN_CHUNKS * thresholds.CHUNK_WORK))
        chunk, count, first, length = self.chunks(size, work, thresholds.CHUNK_WORK, thresholds.COLUMN_UNIT, region)
        index = t.Name(self.names.fresh(f"{inner.index}_own"), INT)
        part = _part(plain(inner), index, first, _at_most(minus(size, first), length))
        whole = replace(loop, size=trips, body=(*before, part))
        parallel = t.Parallel(chunk.name, count, (*region.first, whole), self.threads, inner.site)
        return (*region.before, t.If(_are_several(count), (parallel,), (loop,)) if in_loop else parallel)

    def chunks(
        self, size: t.Expression, work: t.Expression, least: int, unit: int, region: _Region
    ) -> tuple[t.Name, t.Expression, t.Name, t.Expression]:
        """Chunks of so many units each that they do the `least` work, but for the last one: a chunk, how many there are,
        where one begins, and how long all but the last are.
        """
        wanted = _wanted(work, least)
        units = _at_least(
            _rounded_up(_rounded_up(size, integer(unit)), self.named(wanted, "wanted", region.before)), ONE
        )
        return self.of_length(size, times(units, integer(unit)), region)

    def even_chunks(
        self, size: t.Expression, work: t.Expression, region: _Region
    ) -> tuple[t.Name, t.Expression, t.Name, t.Expression]:
        """Likewise of a product of matrices: an even number of chunks of about the same length, or a single one."""
        rows = _rounded_up(size, integer(thresholds.PRODUCT_ROWS))
        several = self.named(_at_most(rows, _wanted(work, thresholds.PRODUCT_WORK)), "wanted", region.before)
        even = t.Conditional(_are_several(several), times(_rounded_up(several, integer(2)), integer(2)), ONE)
        unit = integer(thresholds.PRODUCT_UNIT)
        each = _rounded_up(size, self.named(even, "even", region.before))
        return self.of_length(size, times(_at_least(_rounded_up(each, unit), ONE), unit), region)

    def of_length(
        self, size: t.Expression, length: t.Expression, region: _Region
    ) -> tuple[t.Name, t.Expression, t.Name, t.Expression]:
        """A chunk, how many there are, where one begins, and how long all but the last are."""
        length = self.named(length, "chunk_length", region.before)
        count = self.named(_rounded_up(size, length), "chunks", region.before)
        chunk, first = t.Name(self.names.fresh("chunk"), INT), t.Name(self.names.fresh("first"), INT)
        region.first.append(t.Declare(first.name, INT, times(chunk, length)))
        return chunk, count, first, length

    def summed(self, name: str, chunk: t.Name, count: t.Expression, region: _Region) -> t.Name:
        """The number that a chunk sums up in place of `name`, to which they are added in their order."""
        type_ = self.types[name].type
        own, parts = self.names.fresh(name), self.names.beside(name, "parts")
        k = t.Name(self.names.fresh("k"), INT)
        region.storage.append(t.LocalArray(parts, type_, thresholds.MOST_CHUNKS))
        region.first.append(t.Declare(own, type_, zero_of(type_), mutable=True))
        region.last.append(t.Store(parts, chunk, t.Name(own, type_)))
        add = t.Assign(name, t.Load(parts, k, type_), accumulate=True)
        region.after.append(t.For(k.name, count, (add,), t.Kind.SEQUENTIAL))
        return t.Name(own, type_)

    def added(
        self, name: str, total: t.Expression, chunk: t.Name, count: t.Expression, body: t.Body, region: _Region
    ) -> t.Body:
        """What adds to a copy of an array, one for each chunk, all of which are added to it in their order."""
        type_ = self.types[name].type
        copies = self.names.beside(name, "copies")
        total = self.named(_at_least(total, ZERO), "n", region.before)
        start = times(chunk, total)
        region.storage.append(t.Allocate(copies, type_, times(count, total)))
        region.first.append(t.Fill(copies, start, total, type_))
        k, i = t.Name(self.names.fresh("k"), INT), t.Name(self.names.fresh("i"), INT)
        add = t.Store(name, i, t.Load(copies, plus(times(k, total), i), type_), accumulate=True)
        row = t.For(i.name, total, (add,), t.Kind.PARALLEL)
        region.after.append(t.For(k.name, count, (row,), t.Kind.SEQUENTIAL))
        return _moved(body, name, copies, start)

    def product(self, s: t.Multiply, *, in_loop: bool) -> Sequence[t.Statement]:
        """A product by rows of the result, or by columns if there are more of these: each of its numbers is the same.

        Elements that are added to one place, as on the diagonals of a product of polynomials, are added by one thread.
        """
        sizes = (s.rows, s.columns, s.summed)
        if all([isinstance(size, t.Literal) for size in sizes]) and is_little(s.rows, times(s.columns, s.summed)):
            return (s,)
        apart = _distinct(s)
        if apart is None:
            return (s,)
        region = _Region()
        rows, columns, summed = [self.named(size, "n", region.before) for size in sizes]
        fewer = t.Literal(True, BOOL) if rows == columns else t.Operation(p.less_equal, (columns, rows), BOOL)
        by_rows = self.named(fewer, "by_rows", region.before)
        size = self.named(_if(by_rows, rows, columns), "n", region.before)
        work = times(times(rows, columns), summed)
        chunk, count, first, length = self.even_chunks(size, work, region)
        many = self.named(_at_most(minus(size, first), length), "n", region.first)
        row = self.named(_if(by_rows, first, ZERO), "row", region.first)
        column = self.named(_if(by_rows, ZERO, first), "column", region.first)
        part = replace(
            s,
            target=_from(_from(s.target, row, s.target.row), column, s.target.column),
            left=_from(s.left, row, s.left.row),
            right=_from(s.right, column, s.right.column),
            rows=_if(by_rows, many, rows),
            columns=_if(by_rows, columns, many),
            summed=summed,
        )
        parallel = t.Parallel(chunk.name, count, (*region.first, part), self.threads)
        if isinstance(apart, t.Literal):
            return (*region.before, t.If(_are_several(count), (parallel,), (s,)) if in_loop else parallel)
        are_several = t.Conditional(apart, _are_several(count), t.Literal(False, BOOL))
        return (*region.before, t.If(are_several, (parallel,), (s,)))

    def named(self, value: t.Expression, hint: str, into: list[t.Statement]) -> t.Expression:
        """A name for what chunks ask for often."""
        if isinstance(value, t.Name | t.Literal):
            return value
        name = self.names.fresh(hint)
        into.append(t.Declare(name, value.type, value))
        return t.Name(name, value.type)


def _part(loop: Loop, index: t.Name, first: t.Expression, many: t.Expression) -> Loop:
    """So many iterations of a loop from the `first` on."""
    (whole,) = substituted((loop,), loop.index, plus(first, index))
    assert isinstance(whole, t.For | t.Block | t.CheckAll)
    if isinstance(whole, t.Block):
        outputs = tuple([replace(o, base=plus(o.base, times(integer(o.width), first))) for o in whole.outputs])
        return replace(whole, index=index.name, size=many, outputs=outputs)
    return replace(whole, index=index.name, size=many)


def cost_of(loop: Loop) -> t.Expression:
    """About how many operations an iteration takes."""
    return _Costs(loop).of(loop.body)


class _Costs:
    """Operations of the statements in a loop."""

    def __init__(self, loop: Loop) -> None:
        self.hidden = {name for s in walk(loop.body) for name in declared(s)} | {loop.index}
        self.bounds = {s.name: most for s in walk(loop.body) if isinstance(s, t.Declare) and (most := at_most(s.value))}

    def of(self, body: t.Body) -> t.Expression:
        total: t.Expression = ZERO
        for s in body:
            match s:
                case t.For() | t.CheckAll():
                    total = plus(total, times(self.trips(s.size), self.of(s.body)))
                case t.Multiply():
                    rows, columns, summed = [self.trips(x) for x in (s.rows, s.columns, s.summed)]
                    total = plus(total, times(times(rows, columns), summed))
                case _:
                    weight = sum([e.weight for e in expressions_of(s)])
                    total = plus(total, integer(weight))
                    for inner in bodies_of(s):
                        total = plus(total, self.of(inner))
        return total

    def trips(self, size: t.Expression) -> t.Expression:
        """How often a loop goes round, as far as that is known outside: of strips, as often as in a whole one."""
        if names_of(size).isdisjoint(self.hidden) and not loads(size):
            return size
        most = self.bounds.get(size.name) if isinstance(size, t.Name) else None
        return integer(thresholds.UNKNOWN_TRIPS if most is None else most)


def is_little(size: t.Expression, cost: t.Expression) -> bool:
    """Is it known to be too little work for two chunks?"""
    if not isinstance(size, t.Literal) or not isinstance(cost, t.Literal):
        return False
    return int(size.value) * int(cost.value) < 2 * thresholds.CHUNK_WORK


def _moved(body: t.Body, buffer: str, other: str, start: t.Expression) -> t.Body:
    """Statements that store to another array, from `start` on."""

    def change(part: t.Body) -> t.Body:
        found: list[t.Statement] = []
        for s in part:
            new = with_bodies(s, change)
            if isinstance(new, t.Store) and new.buffer == buffer:
                new = replace(new, buffer=other, index=plus(start, new.index))
            found.append(new)
        return same_or(part, found)

    return change(body)


def _from(matrix: t.Matrix, first: t.Expression, stride: t.Expression) -> t.Matrix:
    return replace(matrix, offset=plus(matrix.offset, times(first, stride)))


def _has_product(loop: Loop) -> bool:
    """Does a loop multiply matrices, so that where it is one chunk there may be some in its body?"""
    return any([isinstance(s, t.Multiply) for s in walk(loop.body)])


def _are_several(count: t.Expression) -> t.Expression:
    return t.Operation(p.less, (ONE, count), BOOL)


def _wanted(work: t.Expression, least: int) -> t.Expression:
    """How many chunks there are to be, by their work."""
    return _at_most(_at_least(_divided(work, integer(least)), ONE), integer(thresholds.MOST_CHUNKS))


def _if(condition: t.Expression, a: t.Expression, b: t.Expression) -> t.Expression:
    return a if isinstance(condition, t.Literal) and condition.value else t.Conditional(condition, a, b)


def _at_most(a: t.Expression, b: t.Expression) -> t.Expression:
    return t.Operation(p.minimum, (a, b), INT)


def _at_least(a: t.Expression, b: t.Expression) -> t.Expression:
    return t.Operation(p.maximum, (a, b), INT)


def _divided(a: t.Expression, b: t.Expression) -> t.Expression:
    return a if is_integer(b, 1) else t.Operation(p.floor_divide, (a, b), INT)


def _rounded_up(a: t.Expression, b: t.Expression) -> t.Expression:
    """A / b, rounded up."""
    return a if is_integer(b, 1) else _divided(plus(a, minus(b, ONE)), b)

"""An array that loops only add to, and of which only sums are read, is kept as these sums.

    zero a;  for c: for i < n: a[r][i] += f[c] * g[i];    s += sum over i of -a[r][i]
    ~>  zero a;  { t = sum over i < n of g[i];  for c: a[r] += f[c] * t };    s += -a[r]

The cotangent of `[x[i] - m for i in range(n)]` is such an array, since all that m needs of it is the sum: n times the
memory, and n operations for each addition to it, or one where what is added has been summed before the loops around.

A factor that the terms share is multiplied with their sum, as strips do too: this rounds differently, and may give NaN
for an infinity or the other way round where a factor is infinite.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from fsmooth.core import primitives as p
from fsmooth.core.types import F64
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import positive, replace, same
from fsmooth.loops.pruning import prune
from fsmooth.loops.usage import bodies_of, changed, own_names, pointed_to, targets, walk, with_pointed_to
from fsmooth.lower.checks import declared
from fsmooth.lower.strip import row_of, rows_of
from fsmooth.lower.vectorise import vectorise
from fsmooth.lower.vectors import names_of

_LARGEST = 30
"""The weight up to which what is summed is written out, to sum it before the loops around."""


def keep_sums(fresh: Callable[[str], str], function: t.Function) -> None:
    """Keep the sums of arrays of which only sums are read, instead of the arrays."""
    sizes = _summed_arrays(function.body)
    if sizes:
        _Rewriting(fresh, sizes, pointed_to(function.body)).body(function.body, ())
        prune(function)


@dataclass(frozen=True)
class _Use:
    """A statement that mentions an array, and the statement around it."""

    statement: t.Statement
    around: t.Statement | None


def _summed_arrays(body: list[t.Statement]) -> dict[str, t.Expression]:
    """The arrays of which only sums are read, with the number of elements in each sum."""
    allocated = {s.buffer: s for s in walk(body) if isinstance(s, t.Allocate) and s.type == F64}
    if not allocated:
        return {}
    uses: dict[str, list[_Use]] = {name: [] for name in allocated}
    stack: list[tuple[t.Statement | None, list[t.Statement]]] = [(None, body)]
    while stack:
        around, inside = stack.pop()
        for s in inside:
            for name in own_names(s) & uses.keys():
                uses[name].append(_Use(s, around))
            stack.extend([(s, inner) for inner in bodies_of(s)])
    assigned = {name for s in walk(body) if isinstance(s, t.Assign) for name in targets(s)}
    found: dict[str, t.Expression] = {}
    for name, allocation in allocated.items():
        size = _size(allocation, uses[name])
        if size is not None and assigned.isdisjoint(names_of(size)):
            found[name] = size
    return found


def _size(allocation: t.Allocate, uses: list[_Use]) -> t.Expression | None:
    """The number of elements in each sum over the array, if only sums of it are read."""
    stores = [u for u in uses if isinstance(u.statement, t.Store)]
    loops = [u.around for u in stores if isinstance(u.around, t.For)]
    size = loops[0].size if loops else None
    if size is None or size.weight != 1 or rows_of(allocation.count, size) is None:
        return None
    reads = [u.around for u in uses if isinstance(u.statement, t.Assign)]
    if not reads or any([loop is read for loop in loops for read in reads]):
        return None
    return size if all([_is_allowed(u, allocation.buffer, size) for u in uses]) else None


def _is_allowed(use: _Use, buffer: str, size: t.Expression) -> bool:
    """Does the statement allocate the array, set it to zero, add to an element, or sum a row?"""
    match use.statement, use.around:
        case t.Allocate(), _:
            return True
        case t.Fill(_, offset, count), _:
            return rows_of(offset, size) is not None and rows_of(count, size) is not None
        case t.Store(_, at, value, True), t.For() as loop if buffer not in names_of(value):
            return _is_plain(loop, size) and _row(at, loop, size) is not None
        case t.Assign(name, value, True), t.For() as loop if name in loop.reduced and _is_plain(loop, size):
            product = _Product.of(value, loop)
            match product.varying:
                case [t.Load(read, at)] if read == buffer:
                    return _row(at, loop, size) is not None
    return False


def _is_plain(loop: t.For, size: t.Expression) -> bool:
    """Is it a loop over all elements of a row, straight-line but for sums?"""
    if not same(loop.size, size) or loop.extrema or loop.kind not in (t.Kind.PARALLEL, t.Kind.REDUCTION):
        return False
    for s in loop.body:
        match s:
            case t.Declare(_, _, value) if value is not None and not s.mutable:
                pass
            case t.Assign(name, _, True) if name in loop.reduced:
                pass
            case t.Store():
                pass
            case _:
                return False
    return True


def _changing(loop: t.For) -> set[str]:
    """What differs from one iteration of the loop to the other."""
    return {loop.index, *changed(loop.body), *[name for s in walk(loop.body) for name in declared(s)]}


def _row(at: t.Expression, loop: t.For, size: t.Expression) -> t.Expression | None:
    """The row of the element that belongs to an iteration, the same for all iterations."""
    row = row_of(at, loop.index, size)
    return row if row is not None and names_of(row).isdisjoint(_changing(loop)) else None


@dataclass
class _Product:
    """A product, as what is the same in all iterations of a loop and what is not."""

    negative: bool = False
    fixed: list[t.Expression] = field(default_factory=list)
    varying: list[t.Expression] = field(default_factory=list)

    @staticmethod
    def of(e: t.Expression, loop: t.For) -> _Product:
        """Split an expression of a loop."""
        found = _Product()
        changing = _changing(loop)
        stack = [e]
        while stack:
            x = stack.pop()
            if isinstance(x, t.Operation) and x.primitive is p.multiply:
                stack.extend(reversed(x.arguments))
            elif isinstance(x, t.Operation) and x.primitive is p.negate:
                found.negative = not found.negative
                stack.append(x.arguments[0])
            else:
                (found.fixed if names_of(x).isdisjoint(changing) else found.varying).append(x)
        return found if found.varying else _Product(False, [], [e])

    def times(self, number: t.Expression) -> t.Expression:
        """What is fixed, times a number."""
        whole = _multiplied([*self.fixed, number])
        return t.Operation(p.negate, (whole,), F64) if self.negative else whole

    def if_it_runs(self, s: t.Statement, loop: t.For) -> t.Statement:
        """A statement that computes what is fixed, which may be infinite, or not there, if the loop does not run."""
        runs = positive(loop.size)
        return t.If(runs, [s], []) if self.fixed and not _holds(runs) else s


def _multiplied(factors: list[t.Expression]) -> t.Expression:
    whole = factors[0]
    for factor in factors[1:]:
        whole = t.Operation(p.multiply, (whole, factor), F64)
    return whole


@dataclass
class _Rewriting:
    """The arrays that are kept as sums of so many elements; `early` has what goes before a loop, by its identity."""

    fresh: Callable[[str], str]
    sizes: dict[str, t.Expression]
    pointers: dict[str, set[str]]
    early: dict[int, list[t.Statement]] = field(default_factory=dict)

    def body(self, statements: list[t.Statement], around: tuple[t.For, ...]) -> None:
        """Rewrite statements; `around` are the loops that have nothing but loops between them and the statements."""
        found: list[t.Statement] = []
        for s in statements:
            match s:
                case t.Allocate() if s.buffer in self.sizes:
                    s.count = self.rows(s.buffer, s.count)
                case t.Fill() if s.buffer in self.sizes:
                    s.offset, s.count = self.rows(s.buffer, s.offset), self.rows(s.buffer, s.count)
                case t.For() if self.uses(s):
                    found.extend(self.loop(s, around))
                    continue
                case _:
                    for inner in bodies_of(s):
                        self.body(inner, (*around, s) if isinstance(s, t.For) else ())
            found.extend([*self.early.pop(id(s), []), s])
        statements[:] = found

    def uses(self, loop: t.For) -> bool:
        """Does the loop itself add to the arrays, or read them?"""
        inside = [s for s in loop.body if isinstance(s, t.Store | t.Assign)]
        return any([not own_names(s).isdisjoint(self.sizes) for s in inside])

    def rows(self, buffer: str, count: t.Expression) -> t.Expression:
        rows = rows_of(count, self.sizes[buffer])
        assert rows is not None
        return rows

    def loop(self, loop: t.For, around: tuple[t.For, ...]) -> list[t.Statement]:
        """A loop that adds to such arrays or sums their rows, and what is added or read instead after it."""
        before: list[t.Statement] = []
        after: list[t.Statement] = []
        body: list[t.Statement] = []
        sums = list(loop.reduced)
        for s in loop.body:
            match s:
                case t.Store(buffer, at, value) if buffer in self.sizes:
                    row = _row(at, loop, self.sizes[buffer])
                    assert row is not None
                    product, total = _Product.of(value, loop), self.fresh(f"{buffer}_sum")
                    added = product.times(t.Name(total, F64))
                    after.append(product.if_it_runs(t.Store(buffer, row, added, accumulate=True), loop))
                    if not self.sum_earlier(total, product, loop, around):
                        before.append(_zero(total))
                        body.append(t.Assign(total, _multiplied(product.varying), accumulate=True))
                        sums.append(total)
                case t.Assign(name, value) if not names_of(value).isdisjoint(self.sizes):
                    product = _Product.of(value, loop)
                    (read,) = product.varying
                    assert isinstance(read, t.Load)
                    row = _row(read.index, loop, self.sizes[read.buffer])
                    assert row is not None
                    added = product.times(t.Load(read.buffer, row, F64))
                    after.append(product.if_it_runs(t.Assign(name, added, accumulate=True), loop))
                case _:
                    body.append(s)
        reduced = tuple([name for name in sums if any([name in targets(s) for s in body])])
        kind = t.Kind.REDUCTION if reduced else t.Kind.PARALLEL
        new = t.For(loop.index, loop.size, body, kind, loop.site, reduced, (), loop.simd, loop.vectors)
        vectorise(new)
        return [*before, new, *after]

    def sum_earlier(self, total: str, product: _Product, loop: t.For, around: tuple[t.For, ...]) -> bool:
        """Sum what varies in a loop before the loops around it, from iteration to iteration of which it is the same."""
        value = _written_out(_multiplied(product.varying), loop)
        needed = with_pointed_to(names_of(value) | names_of(loop.size), self.pointers) - {loop.index}
        crossed: list[t.For] = []
        for outer in reversed(around):
            if not self.is_same_in(outer, needed) or value.weight > _LARGEST:
                break
            crossed.append(outer)
            needed |= names_of(outer.size)
        if not crossed:
            return False
        new = t.For(loop.index, loop.size, [t.Assign(total, value, True)], t.Kind.REDUCTION, loop.site, (total,))
        vectorise(new)
        summed: t.Statement = new
        for outer in crossed:
            runs = positive(outer.size)
            summed = summed if _holds(runs) else t.If(runs, [summed], [])
        self.early.setdefault(id(crossed[-1]), []).extend([_zero(total), summed])
        return True

    def is_same_in(self, outer: t.For, needed: set[str]) -> bool:
        """Are these the same in all iterations of a loop that runs to its end?"""
        if any([isinstance(s, t.Check | t.CheckAll | t.Demand | t.Break) for s in walk(outer.body)]):
            return False
        return needed.isdisjoint(with_pointed_to(_changing(outer), self.pointers))


def _holds(condition: t.Expression) -> bool:
    return isinstance(condition, t.Literal) and bool(condition.value)


def _zero(name: str) -> t.Declare:
    return t.Declare(name, F64, t.Literal(0.0, F64), mutable=True)


def _written_out(e: t.Expression, loop: t.For) -> t.Expression:
    """An expression of a loop without the numbers that the loop declares."""
    for s in reversed(loop.body):
        if isinstance(s, t.Declare) and s.value is not None:
            e = replace(e, s.name, s.value)
            if e.weight > _LARGEST:
                break
    return e

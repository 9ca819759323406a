"""An array that loops only add to, and of which only sums are read, is kept as these sums.

    zero a;  for c: for i < n: a[r][i] += f[c] * g[i];    s += sum over i of -a[r][i]
    ~>  zero a;  { t = sum over i < n of g[i];  for c: a[r] += f[c] * t };    s += -a[r]

The cotangent of `[x[i] - m for i in range(n)]` is such an array, since all that m needs of it is the sum: n times the
memory, and n operations for each addition to it, or one where what is added has been summed before the loops around.

A factor that the terms share is multiplied with their sum, as strips do too: this rounds differently, and may give NaN
for an infinity or the other way round where a factor is infinite.
"""

from __future__ import annotations

from msgspec import Struct, field
from msgspec.structs import replace

from fsmooth import thresholds
from fsmooth.core.types import Type
from fsmooth.loops import tree as t
from fsmooth.loops.affine import rows_of
from fsmooth.loops.arithmetic import positive, zero_of
from fsmooth.loops.arithmetic import replace as replaced
from fsmooth.loops.names import Names
from fsmooth.loops.passes.pruning import prune
from fsmooth.loops.passes.summed_arrays import (
    Pointers,
    Product,
    changing_in,
    holds,
    multiplied,
    row_in,
    summed_arrays,
)
from fsmooth.loops.passes.vectorise import marked
from fsmooth.loops.rewriting import same_or, with_bodies, with_body
from fsmooth.loops.usage import names_of, own_names, pointed_to, targets, walk, with_pointed_to


def keep_sums(function: t.Function, names: Names) -> t.Function:
    """Keep the sums of arrays of which only sums are read, instead of the arrays."""
    pointers = pointed_to(function.body)
    sizes = summed_arrays(function.body, pointers)
    if not sizes:
        return function
    return prune(with_body(function, _Rewriting(names, sizes, pointers).body(function.body, ())), names)


class _Rewriting(Struct):
    """The arrays that are kept as sums of so many elements; `early` has what goes before a loop around."""

    names: Names
    sizes: dict[str, t.Expression]
    pointers: Pointers
    early: dict[t.For, list[t.Statement]] = field(default_factory=dict)
    known: dict[t.For, set[str] | None] = field(default_factory=dict)

    def body(self, statements: t.Body, around: tuple[t.For, ...]) -> t.Body:
        """Statements rewritten; `around` are the loops that have nothing but loops between them and the statements."""
        found: list[t.Statement] = []
        for s in statements:
            match s:
                case t.Allocate() if s.buffer in self.sizes:
                    found.append(replace(s, count=self.rows(s.buffer, s.count)))
                case t.Fill() if s.buffer in self.sizes:
                    offset, count = self.rows(s.buffer, s.offset), self.rows(s.buffer, s.count)
                    found.append(replace(s, offset=offset, count=count))
                case t.For() if self.uses(s):
                    found.extend(self.loop(s, around))
                case t.For():
                    body = self.body(s.body, (*around, s))
                    found.extend([*self.early.pop(s, []), s if body is s.body else replace(s, body=body)])
                case _:
                    found.append(with_bodies(s, lambda body: self.body(body, ())))
        return same_or(statements, found)

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
                    row = row_in(at, loop, self.pointers)
                    assert row is not None
                    product, total = Product.of(value, loop, self.pointers), self.names.beside(buffer, "sum")
                    added = product.times(t.Name(total, value.type))
                    after.append(product.if_it_runs(t.Store(buffer, row, added, accumulate=True), loop))
                    if not self.sum_earlier(total, product, loop, around):
                        before.append(_zero(total, value.type))
                        body.append(t.Assign(total, multiplied(product.varying), accumulate=True))
                        sums.append(total)
                case t.Assign(name, value) if not names_of(value).isdisjoint(self.sizes):
                    product = Product.of(value, loop, self.pointers)
                    (read,) = product.varying
                    assert isinstance(read, t.Load)
                    row = row_in(read.index, loop, self.pointers)
                    assert row is not None
                    added = product.times(t.Load(read.buffer, row, read.type))
                    after.append(product.if_it_runs(t.Assign(name, added, accumulate=True), loop))
                case _:
                    body.append(s)
        reduced = tuple([name for name in sums if any([name in targets(s) for s in body])])
        kind = t.Kind.REDUCTION if reduced else t.Kind.PARALLEL
        new = t.For(loop.index, loop.size, tuple(body), kind, loop.site, reduced, (), loop.simd, loop.vectors)
        return [*before, marked(new), *after]

    def sum_earlier(self, total: str, product: Product, loop: t.For, around: tuple[t.For, ...]) -> bool:
        """Sum what varies in a loop before the loops around it, from iteration to iteration of which it is the same."""
        value = _written_out(multiplied(product.varying), loop)
        needed = (names_of(value) | names_of(loop.size)) - {loop.index}
        crossed: list[t.For] = []
        for outer in reversed(around) if value.weight <= thresholds.KEPT_SUM else ():
            changing = self.changing(outer)
            if changing is None or not with_pointed_to(needed, self.pointers).isdisjoint(changing):
                break
            crossed.append(outer)
            needed |= names_of(outer.size)
        if not crossed:
            return False
        added = t.Assign(total, value, True)
        summed: t.Statement = marked(t.For(loop.index, loop.size, (added,), t.Kind.REDUCTION, loop.site, (total,)))
        for outer in crossed:
            runs = positive(outer.size)
            summed = summed if holds(runs) else t.If(runs, (summed,))
        self.early.setdefault(crossed[-1], []).extend([_zero(total, value.type), summed])
        return True

    def changing(self, loop: t.For) -> set[str] | None:
        """What differs between the iterations of a loop around; None if it may end before a loop inside it runs."""
        if loop not in self.known:
            ends = any([isinstance(s, t.Check | t.CheckAll | t.Demand | t.Break) for s in walk(loop.body)])
            self.known[loop] = None if ends else changing_in(loop, self.pointers)
        return self.known[loop]


def _zero(name: str, type_: Type) -> t.Declare:
    return t.Declare(name, type_, zero_of(type_), mutable=True)


def _written_out(e: t.Expression, loop: t.For) -> t.Expression:
    """An expression of a loop without the numbers that the loop declares."""
    for s in reversed(loop.body):
        if isinstance(s, t.Declare) and s.value is not None:
            e = replaced(e, s.name, s.value)
            if e.weight > thresholds.KEPT_SUM:
                break
    return e

"""A factor of a product of matrices that is computed for it is computed in blocks, which the caches hold, and never stored whole.

    for i: for l: x[i, l] = e    …    C = x B      ~>
        for each block of l: for each block of i: (for i: for l: x[i, l] = e); C[i] (+)= x B[l]

Each element is computed once, as before.  A block has as many l as the kernel adds up at once (backend/c/products.py), so that
sums have the same bits.  Where B is wide the product takes so much longer that nothing is won: then there is one block.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.types import BOOL, INT
from fsmooth.loops import tree as t
from fsmooth.loops.affine import stride_of
from fsmooth.loops.arithmetic import ONE, ZERO, integer, is_integer, minus, plus, same, times
from fsmooth.loops.names import Names
from fsmooth.loops.passes.places import Places
from fsmooth.loops.rewriting import same_or, with_bodies, with_body
from fsmooth.loops.substitution import substituted
from fsmooth.loops.usage import changed, loads_of, mentioned, own_names, walk

DEPTH = 256
"""So many terms the kernel adds up at once, FS_DEPTH."""


def factors_in_blocks(function: t.Function, names: Names) -> t.Function:
    """Compute the factors of products in blocks; what they were stored in is dead code then."""
    if not any([isinstance(s, t.Multiply) for s in walk(function.body)]):
        return function
    return with_body(function, _Factors(function, names).block(function.body))


class _Factor(Struct, frozen=True):
    """A nest that computes a matrix: `own` is the axis that it has alone, `summed` the other one, as loops of the nest; between
    the two there are definitions `before`, and in the inner one `values`.
    """

    outer: t.For
    inner: t.For
    before: t.Body
    values: t.Body
    store: t.Store
    is_own_inner: bool

    @property
    def own(self) -> t.For:
        return self.inner if self.is_own_inner else self.outer

    @property
    def summed(self) -> t.For:
        return self.outer if self.is_own_inner else self.inner


class _Factors:
    def __init__(self, function: t.Function, names: Names) -> None:
        self.names = names
        self.places = Places.of(function.body)
        self.storage = {s.buffer: s for s in walk(function.body) if isinstance(s, t.Allocate)}
        self.uses = Counter([x for s in walk(function.body) if not isinstance(s, t.Allocate) for x in own_names(s)])

    def block(self, body: t.Body) -> t.Body:
        """Statements with the factors of products among them in blocks."""
        found = [with_bodies(s, self.block) for s in body]
        for product in [s for s in found if isinstance(s, t.Multiply)]:
            for side in (product.left, product.right):
                place = self._place(found, product, side)
                if place is not None:
                    k, factor = place
                    at = found.index(product)
                    found[at : at + 1] = self._in_blocks(factor, product, is_left=side is product.left)
                    del found[k]
                    break
        return same_or(body, found)

    def _place(self, body: Sequence[t.Statement], product: t.Multiply, side: t.Matrix) -> tuple[int, _Factor] | None:
        """Where before a product a side of it is computed, for it alone and from what is the same there."""
        if (
            side.buffer not in self.storage
            or self.uses[side.buffer] != 2
            or product.left.buffer == product.right.buffer
        ):
            return None
        end = body.index(product)
        for k in range(end - 1, -1, -1):
            s = body[k]
            if side.buffer not in mentioned([s]):
                continue
            factor = _factor(s, product, side)
            if factor is None:
                return None
            read = mentioned([s]) - {side.buffer}
            written = changed(body[k + 1 : end]) | {product.target.buffer}
            return (k, factor) if self.places.all_apart(read, written) else None
        return None

    def _in_blocks(self, factor: _Factor, product: t.Multiply, *, is_left: bool) -> list[t.Statement]:
        """The blocks of a factor, each with its part of the product."""
        other = product.columns if is_left else product.rows
        made: list[t.Statement] = []
        wide = self._named(t.Operation(p.less, (integer(thresholds.WIDE_PRODUCT), other), BOOL), "wide", made)
        tall = self._named(_length(factor.own.size, thresholds.FACTOR_ROWS, wide), "tall", made)
        deep = self._named(_length(factor.summed.size, DEPTH, wide), "deep", made)
        buffer = self.names.beside(factor.store.buffer, "block")
        made.append(t.Allocate(buffer, product.type, times(tall, deep)))
        block, part = [t.Name(self.names.fresh(hint), INT) for hint in ("block", "part")]
        around: list[t.Statement] = []
        first, terms = self._stretch(block, deep, factor.summed.size, around)
        inside: list[t.Statement] = []
        start, rows = self._stretch(part, tall, factor.own.size, inside)
        is_own_inner = factor.is_own_inner or (is_left and _runs_along_own(factor))
        row = tall if is_own_inner else deep
        inside.append(_nest(factor, buffer, row, (start, rows), (first, terms), is_own_inner=is_own_inner))
        own_stride, stride = (ONE, tall) if is_own_inner else (deep, ONE)
        if is_left:
            parts = replace(
                product,
                target=_from(product.target, start, product.target.row),
                left=t.Matrix(buffer, ZERO, own_stride, stride),
                right=_from(product.right, first, product.right.row),
                rows=rows,
                summed=terms,
            )
        else:
            parts = replace(
                product,
                target=_from(product.target, start, product.target.column),
                left=_from(product.left, first, product.left.column),
                right=t.Matrix(buffer, ZERO, stride, own_stride),
                columns=rows,
                summed=terms,
            )
        is_first = t.Operation(p.equal, (block, ZERO), BOOL)
        inside.append(parts if product.adds else t.If(is_first, (parts,), (replace(parts, adds=True),)))
        many = _rounded_up(factor.own.size, tall)
        around.append(t.For(part.name, many, tuple(inside), t.Kind.PARALLEL, own=(buffer,)))
        blocks = t.Operation(p.maximum, (_rounded_up(factor.summed.size, deep), ONE), INT)
        return [*made, t.For(block.name, blocks, tuple(around), t.Kind.SEQUENTIAL)]

    def _named(self, value: t.Expression, hint: str, into: list[t.Statement]) -> t.Name:
        name = t.Name(self.names.fresh(hint), value.type)
        into.append(t.Declare(name.name, value.type, value))
        return name

    def _stretch(
        self, block: t.Name, length: t.Name, size: t.Expression, into: list[t.Statement]
    ) -> tuple[t.Name, t.Name]:
        """Where a block of an axis begins, and how many of its indices there are."""
        first = self._named(times(block, length), "first", into)
        return first, self._named(t.Operation(p.minimum, (minus(size, first), length), INT), "many", into)


def _factor(s: t.Statement, product: t.Multiply, side: t.Matrix) -> _Factor | None:
    """A statement as the nest that computes all of a side of a product, and nothing else."""
    if not isinstance(s, t.For) or not _is_plain(s) or not is_integer(side.offset, 0):
        return None
    *before, inner = s.body or (None,)
    if not isinstance(inner, t.For) or not _is_plain(inner) or not inner.body:
        return None
    *values, store = inner.body
    if not isinstance(store, t.Store) or store.buffer != side.buffer or store.accumulate:
        return None
    if not all([isinstance(x, t.Declare) and not x.mutable and x.value is not None for x in (*before, *values)]):
        return None
    if not same(store.index, plus(times(t.Name(s.index, INT), inner.size), t.Name(inner.index, INT))):
        return None
    is_left = side is product.left
    if same(side.row, inner.size) and is_integer(side.column, 1):
        rows, columns = s, inner
    elif same(side.column, inner.size) and is_integer(side.row, 1):
        rows, columns = inner, s
    else:
        return None
    own, summed = (rows, columns) if is_left else (columns, rows)
    if not same(own.size, product.rows if is_left else product.columns) or not same(summed.size, product.summed):
        return None
    if _is_little(own.size, summed.size):
        return None
    return _Factor(s, inner, tuple([x for x in before if x]), tuple(values), store, own is inner)


def _is_plain(s: t.For) -> bool:
    return s.kind is t.Kind.PARALLEL and not s.own and not s.reduced and not s.extrema


def _is_little(a: t.Expression, b: t.Expression) -> bool:
    """Is the matrix known to be one block?"""
    return (
        isinstance(a, t.Literal) and isinstance(b, t.Literal) and a.value <= thresholds.FACTOR_ROWS and b.value <= DEPTH
    )


def _runs_along_own(factor: _Factor) -> bool:
    """Is what is read side by side in memory along the factor's own axis, where the nest goes along the other one?"""
    if factor.before:
        return False
    own = other = 0
    for load in [load for s in (*factor.values, factor.store) for load in loads_of(s)]:
        a, b = [stride_of(load.index, axis.index) for axis in (factor.own, factor.summed)]
        if a is not None and b is not None and not is_integer(a[1], 0) and not is_integer(b[1], 0):
            own += is_integer(a[1], 1)
            other += is_integer(b[1], 1)
    return own > other


def _nest(
    factor: _Factor,
    buffer: str,
    row: t.Name,
    own: tuple[t.Name, t.Name],
    summed: tuple[t.Name, t.Name],
    *,
    is_own_inner: bool,
) -> t.For:
    """A block of the factor, which begins at an index of each axis and has so many."""
    inner, outer = (factor.own, factor.summed) if is_own_inner else (factor.summed, factor.own)
    at = plus(times(t.Name(outer.index, INT), row), t.Name(inner.index, INT))
    body: t.Body = (*factor.values, factor.store)
    before = factor.before
    for loop, (first, _) in ((factor.own, own), (factor.summed, summed)):
        index = plus(first, t.Name(loop.index, INT))
        body, before = [substituted(part, loop.index, index) for part in (body, before)]
    *values, store = body
    assert isinstance(store, t.Store)
    inner_many, outer_many = (own[1], summed[1]) if is_own_inner else (summed[1], own[1])
    short = replace(inner, size=inner_many, body=(*values, replace(store, buffer=buffer, index=at)))
    return replace(outer, size=outer_many, body=(*before, short))


def _length(size: t.Expression, most: int, whole: t.Expression) -> t.Expression:
    """How long blocks of an axis are: at most so long, or the `whole`, and never 0."""
    some = t.Operation(p.maximum, (size, ONE), INT)
    return t.Conditional(whole, some, t.Operation(p.minimum, (some, integer(most)), INT))


def _rounded_up(size: t.Expression, length: t.Name) -> t.Expression:
    return t.Operation(p.floor_divide, (plus(size, minus(length, ONE)), length), INT)


def _from(matrix: t.Matrix, first: t.Name, stride: t.Expression) -> t.Matrix:
    return replace(matrix, offset=plus(matrix.offset, times(first, stride)))

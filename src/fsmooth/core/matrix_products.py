"""Products of matrices: sums of products of two factors, each of which does not vary along an axis of the other.

    build m (fun i -> build n (fun j -> sum k (fun l -> a i l * b l j)))

is what `A @ B`, `A.T @ B` and every comprehension that says the same are, and what their derivatives are again.  So are
contractions with more axes, such as convolutions,

    build o (fun a -> build m (fun i -> build n (fun j -> sum c (fun k -> sum 3 (fun l -> w a k l * x k (i + l) j)))))

a product of matrices for each index along all axes but three.  This is a reading of terms, not a construct: all laws of
loops hold of it, and what is no product any more is a nest of loops.  It pays to leave one whole: its elements share all
that they read, which tiles of registers and caches make use of (Goto and van de Geijn, *Anatomy of high-performance matrix
multiplication*, TOMS 34, 2008).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from itertools import product

from msgspec import Struct

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.subst import substitute
from fsmooth.core.term import Build, Const, Get, Length, Let, MakeTuple, Prim, Reduce, Reduction, Term, Var, let
from fsmooth.core.term.fields import Failing
from fsmooth.core.traverse import children, is_loop_free, subterms, transform
from fsmooth.core.types import INT, Float

Names = Mapping[Var, Term]
"""What names of parts of arrays stand for, in the order in which they are defined."""


class Axis(Struct, frozen=True, eq=False):
    """An index and the size it is below."""

    size: Term
    index: Var


class Nest(Struct, frozen=True, eq=False):
    """An array by two `axes` or more: its element, and what stands for other `names` in that, as rows of arrays have."""

    axes: tuple[Axis, ...]
    element: Term
    names: Names


class Product(Struct, frozen=True, eq=False):
    """`sum (left * right)` over `summed`, for each of `rows`, which only `left` mentions.  Sides are factors."""

    rows: Axis
    summed: Axis
    left: tuple[Term, ...]
    right: tuple[Term, ...]

    @property
    def outer(self) -> tuple[Axis, ...]:
        """The axes of the product itself."""
        return (self.rows,)

    @property
    def sums(self) -> tuple[Axis, ...]:
        """The axes that are summed over."""
        return (self.summed,)


class MatrixProduct(Product, frozen=True, eq=False):
    """One of two matrices: for each of `columns`, too, which only `right` mentions.

    There is one for each index of the axes of the `nest` that are neither rows nor columns, and over the `repeated` axes
    they are summed up.
    """

    columns: Axis
    nest: tuple[Axis, ...]
    repeated: tuple[Axis, ...] = ()

    @property
    def outer(self) -> tuple[Axis, ...]:
        return self.nest

    @property
    def sums(self) -> tuple[Axis, ...]:
        return (*self.repeated, self.summed)

    @property
    def around(self) -> tuple[Axis, ...]:
        """The axes of the array for each index of which there is a product of two matrices."""
        return tuple([axis for axis in self.nest if axis is not self.rows and axis is not self.columns])

    @property
    def array(self) -> Build:
        """The product, element by element."""
        return built(self.nest, summed_over(self.sums, multiplied(self.left + self.right)))

    @property
    def matrices(self) -> tuple[Build, Build]:
        """The sides as arrays, rows by summed and summed by columns."""
        left, right = multiplied(self.left), multiplied(self.right)
        return built((self.rows, self.summed), left), built((self.summed, self.columns), right)


def built(axes: Sequence[Axis], element: Term) -> Build:
    """The array by these axes."""
    for axis in reversed(axes):
        element = Build(axis.size, axis.index, element)
    assert isinstance(element, Build)
    return element


def summed_over(axes: Sequence[Axis], term: Term) -> Term:
    """The sum over all these axes."""
    for axis in reversed(axes):
        term = Reduce(Reduction.SUM, axis.size, axis.index, term)
    return term


def matrix_product(term: Term) -> MatrixProduct | None:
    """What an array is as a product of matrices; None if it is none, or so small that it is better written out."""
    nest = nest_of(term)
    return None if nest is None else product_in(nest, nest.element)


def matrix_by_vector(term: Term) -> Product | None:
    """What an array is as a product of a matrix and a vector."""
    if not isinstance(term, Build):
        return None
    element, names = _opened(term.body, {})
    if not isinstance(element, Reduce) or element.reduction is not Reduction.SUM or not isinstance(element.type, Float):
        return None
    rows, summed = Axis(term.size, term.index), Axis(element.size, element.index)
    i, k = rows.index, summed.index
    if i is k or not summed.size.free.isdisjoint((i, *names)) or _is_small(rows.size) or _is_small(summed.size):
        return None
    body, names = _opened(element.body, names)
    factors = [_written_out(f, names) for f in factors_of(body)]
    left = tuple([f for f in factors if i in f.free])
    right = tuple([f for f in factors if i not in f.free])
    if not _depends_on(left, i, k) or not any([k in f.free for f in right]) or not _cannot_fail(factors):
        return None
    return Product(rows, summed, left, right)


def products_with_vectors(term: Term) -> Iterator[Product]:
    """The products of a matrix and a vector in a term, those of matrices apart."""
    pending = [term]
    while pending:
        part = pending.pop()
        if isinstance(part, Build) and matrix_product(part) is not None:
            continue
        found = matrix_by_vector(part)
        if found is not None:
            yield found
        else:
            pending.extend(children(part))


def has_product(term: Term) -> bool:
    """Is an array a product, of two matrices perhaps, or a sum of such, or is one of a component of its elements?"""
    return has_matrix_product(term) or matrix_by_vector(term) is not None


def has_matrix_product(term: Term) -> bool:
    """Is an array, or one of a component of its elements, a product of matrices or a sum of such?"""
    nest = nest_of(term)
    return nest is not None and any([product_in(nest, part) is not None for part in _sums_in(nest.element)])


def nest_of(term: Term) -> Nest | None:
    """An array of arrays, with names between the two that stand for parts of others."""
    axes: list[Axis] = []
    names: Names = {}
    while isinstance(term, Build):
        indices, size = {axis.index for axis in axes}, _written_out(term.size, names)
        if term.index in indices or not size.free.isdisjoint(indices):
            return None
        axes.append(Axis(size, term.index))
        term, names = _opened(term.body, names, with_rows=True)
    return Nest(tuple(axes), term, names) if len(axes) > 1 else None


def product_in(nest: Nest, element: Term, *, may_fail: bool = False) -> MatrixProduct | None:
    """What a sum, computed for each element of a nest of loops, is as a product of matrices.

    The first axis of the nest is that of the rows: if it is another, there is a product in each of its iterations.
    """
    sums: list[Axis] = []
    names, bound = nest.names, {axis.index for axis in nest.axes}
    while isinstance(element, Reduce) and element.reduction is Reduction.SUM and isinstance(element.type, Float):
        size = _written_out(element.size, names)
        if element.index in bound or not size.free.isdisjoint(bound):
            return None
        sums.append(Axis(size, element.index))
        bound.add(element.index)
        element, names = _opened(element.body, names)
    factors = [_written_out(f, names) for f in factors_of(element)] if sums else []
    if len(factors) < 2 or not (may_fail or _cannot_fail(factors)):
        return None
    rows, *others = nest.axes
    for columns, summed in product(_by_use(others, factors), _by_use(sums, factors)):
        i, j, k = rows.index, columns.index, summed.index
        right = tuple([f for f in factors if j in f.free])
        left = tuple([f for f in factors if j not in f.free])
        if any([i in f.free for f in right]) or any([_is_small(axis.size) for axis in (rows, columns, summed)]):
            continue
        if _depends_on(left, i, k) and _depends_on(right, j, k):
            repeated = tuple([axis for axis in sums if axis is not summed])
            return MatrixProduct(rows, summed, left, right, columns, nest.axes, repeated)
    return None


def _by_use(axes: Sequence[Axis], factors: Sequence[Term]) -> list[Axis]:
    """Axes of which the first serves best as one of a matrix: an index by itself everywhere, and the last of those."""
    computed = [
        t.index.free for f in factors for t in subterms(f) if isinstance(t, Get) and not isinstance(t.index, Var)
    ]
    last_first = list(reversed(axes))
    last_first.sort(key=lambda axis: any([axis.index in free for free in computed]))
    return last_first


def _cannot_fail(factors: Sequence[Term]) -> bool:
    return all([t.failing in _HARMLESS for f in factors for t in subterms(f)])


_HARMLESS = (Failing.NEVER, Failing.BOUNDS)
"""An element is read where the loops say, and the loops over one side have the same indices."""


def _opened(term: Term, names: Names, *, with_rows: bool = False) -> tuple[Term, Names]:
    """What follows definitions that only give names to parts of arrays and to sizes, or to rows of numbers that no loop
    computes, and these.
    """
    while isinstance(term, Let) and all(
        [_is_name(value) or (with_rows and _is_row(value)) for _, value in term.bindings]
    ):
        names = {**names, **dict(term.bindings)}
        term = term.body
    return term, names


def _is_name(value: Term) -> bool:
    return isinstance(value, Get | Var | Length) or (isinstance(value, Prim) and value.type == INT)


def _is_row(value: Term) -> bool:
    """Such a row is a factor's part in a matrix: each of its numbers is computed once there, too."""
    return isinstance(value, Build) and isinstance(value.body.type, Float) and is_loop_free(value.body)


def _written_out(term: Term, names: Names) -> Term:
    """A factor with what the names stand for, the last ones first."""
    for var, value in reversed(list(names.items())):
        if var in term.free:
            term = substitute(term, {var: value})
            if isinstance(value, Build):
                term = transform(term, _element)
    return term


def _element(term: Term) -> Term:
    match term:
        case Get(Build(_, index, body), at):
            return substitute(body, {index: at})
        case _:
            return term


def _sums_in(element: Term) -> Iterator[Term]:
    """The sums that are an element, or its components or their summands."""
    pending = [element]
    while pending:
        match pending.pop():
            case MakeTuple(items):
                pending.extend(items)
            case Prim(p.add | p.subtract, arguments):
                pending.extend(arguments)
            case Reduce(Reduction.SUM, size, index, body):
                inner, names = _opened(body, {})
                if isinstance(inner, MakeTuple) or (isinstance(inner, Prim) and inner.primitive in (p.add, p.subtract)):
                    parts = inner.items if isinstance(inner, MakeTuple) else inner.arguments
                    pending.extend(
                        [Reduce(Reduction.SUM, size, index, let(tuple(names.items()), part)) for part in parts]
                    )
                else:
                    yield Reduce(Reduction.SUM, size, index, body)


def _is_small(size: Term) -> bool:
    return isinstance(size, Const) and size.value < thresholds.MATRIX_SIDE


def _depends_on(factors: tuple[Term, ...], a: Var, b: Var) -> bool:
    return any([a in f.free and b in f.free for f in factors])


def factors_of(term: Term) -> list[Term]:
    """The factors of a product, left to right; the sign of one goes to a factor that is computed."""
    match term:
        case Prim(p.multiply, (a, b)):
            return [*factors_of(a), *factors_of(b)]
        case Prim(p.negate, (inner,)) if isinstance(inner, Prim) and inner.primitive in (p.multiply, p.negate):
            factors = factors_of(inner)
            place = next((k for k, f in enumerate(factors) if not isinstance(f, Get)), 0)
            factors[place] = Prim(p.negate, (factors[place],))
            return factors
        case _:
            return [term]


def multiplied(factors: tuple[Term, ...]) -> Term:
    """The product of factors."""
    return reduce(lambda a, b: Prim(p.multiply, (a, b)), factors)

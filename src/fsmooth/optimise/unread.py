"""Components that nobody reads are not computed (paper 000, §5.1; the tangents of gradients are full of them).

    snd (sum n (fun i -> (a i, b i)))             is   sum n (fun i -> b i)
    snd (sum n (fun i -> delta m k (a i, b i)))[j]   is   (sum n (fun i -> delta m k (b i)))[j]

The tangent of a gradient, which a Hessian times a vector is, makes sums of arrays of dual numbers, of which only the
tangents are wanted.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsmooth.core.build import get, nested_build
from fsmooth.core.shape import Ragged, shape_of
from fsmooth.core.term import (
    Build,
    Delta,
    Get,
    If,
    Let,
    MakeTuple,
    Plus,
    Proj,
    Reduce,
    Reduction,
    Term,
    Var,
    Zero,
    let,
)
from fsmooth.core.types import Array, Float, Tuple, leaf_of, rank_of
from fsmooth.optimise.occurrences import Uses
from fsmooth.optimise.tuples_of_arrays import chosen, is_written_out


def read_of_sum(value: Term, uses: Uses) -> list[int] | None:
    """The components that are read of a sum of tuples that are written out; None if all are, or some may be."""
    match value:
        case Reduce(Reduction.SUM, _, _, body) if isinstance(value.type, Tuple) and is_written_out(body):
            read = sorted(uses.positions)
            return read if not uses.whole and 0 < len(read) < len(value.type.items) else None
        case _:
            return None


def sum_of(value: Term, read: Sequence[int]) -> Term:
    """The sum of those components alone."""
    assert isinstance(value, Reduce)
    return Reduce(value.reduction, value.size, value.index, chosen(value.body, tuple(read)))


def read_of_array(value: Term, uses: Uses) -> int | None:
    """The one component that is read of the tuples in an array.  (Of a matrix that is read whole there would be a copy.)"""
    leaf = leaf_of(value.type)
    if rank_of(value.type) != 1 or not isinstance(leaf, Tuple) or isinstance(value, Build):
        return None
    alone = not uses.unsplit and len(uses.parts) == 1 and len(leaf.items) > 1
    return next(iter(uses.parts)) if alone else None


def component(value: Term, k: int) -> Term | None:
    """Component k of the tuples in an array, or of a tuple; None if that cannot be written down."""
    match value:
        case MakeTuple(items):
            return items[k]
        case Build(size, index, body):
            inner = component(body, k)
            return None if inner is None else Build(size, index, inner)
        case Delta(size, index, element):
            inner = component(element, k)
            return None if inner is None else Delta(size, index, inner)
        case Reduce(Reduction.SUM, size, index, body):
            inner = component(body, k)
            return None if inner is None else Reduce(Reduction.SUM, size, index, inner)
        case Let(bindings, body):
            inner = component(body, k)
            return None if inner is None else let(bindings, inner)
        case If(condition, then, otherwise):
            left, right = component(then, k), component(otherwise, k)
            return None if left is None or right is None else If(condition, left, right)
        case Plus(items):
            parts = [component(item, k) for item in items]
            known = [part for part in parts if part is not None]
            return Plus(tuple(known)) if len(known) == len(parts) else None
        case Var() | Proj() | Get() if _is_path(value):
            return _component_of_path(value, k) if isinstance(value.type, Array) else Proj(value, k)
        case _:
            return None


def _is_path(term: Term) -> bool:
    """A part of a variable: what is read of a loop that has no name would be computed for each element."""
    while isinstance(term, Get | Proj):
        term = term.array if isinstance(term, Get) else term.tuple
    return isinstance(term, Var)


def _component_of_path(path: Term, k: int) -> Term | None:
    try:
        sizes = shape_of(path)
    except Ragged:
        return None
    return nested_build(sizes, lambda indices: Proj(get(path, *indices), k))


def with_zeros(array: Term, k: int, like: Term) -> Term | None:
    """An array of tuples as `like` whose component k is read from `array`, and whose others, which nobody reads, are zero."""
    leaf = leaf_of(like.type)
    assert isinstance(leaf, Tuple)
    if not all([isinstance(item, Float) for item in leaf.items]):
        return None

    def element(indices: tuple[Term, ...]) -> Term:
        items = [get(array, *indices) if j == k else Zero((), item) for j, item in enumerate(leaf.items)]
        return MakeTuple(tuple(items), leaf)

    try:
        return nested_build(shape_of(array), element)
    except Ragged:
        return None

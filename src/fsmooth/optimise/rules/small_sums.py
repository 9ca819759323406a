"""Sums of small arrays whose elements are written out are added element by element, in registers.

Reverse mode adds up what each use of a small array contributes to it (paper 001, Fig. 6): deltas at known places, once loops
over its elements are unrolled.  Added element by element they are a display, which needs no memory; nor does a sum of
displays over a loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fsmooth import thresholds
from fsmooth.core.build import tuple_of
from fsmooth.core.term import (
    Const,
    Delta,
    Let,
    MakeTuple,
    Plus,
    Proj,
    Reduce,
    Reduction,
    Term,
    Var,
    Vector,
    Zero,
    let,
)
from fsmooth.core.types import Array, Tuple, Type, has_array
from fsmooth.core.vectors import add, is_zero
from fsmooth.optimise.rules.sum_fission import opened
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import rule


@rule(
    "plus [x, y] (delta 2 1 z) ~> [x, y + z];  plus (delta 2 0 x) (delta 2 1 y) ~> [x, y];"
    "  plus (delta 3 0 x) (delta 3 0 y) (delta 3 2 z) ~> [x + y, zero, z]",
    source="001, Fig. 4",
    heads=Plus,
)
def plus_displays(t: Term, facts: Facts) -> Term | None:
    """All summands are displays of numbers or of tuples, or have one element at a known place."""
    match t:
        case Plus(items):
            parts = [written_out(item) for item in items]
        case _:
            return None
    if None in parts or not isinstance(t.type, Array):
        return None
    sums: dict[int, Term] = {}
    count = 0
    for part in parts:
        assert part is not None
        count = part[0]
        for k, value in part[1].items():
            sums[k] = add(sums[k], value) if k in sums else value
    return Vector(tuple([sums[k] if k in sums else _zero(t.type.element) for k in range(count)]))


def _zero(type_: Type) -> Term:
    return MakeTuple(tuple(map(_zero, type_.items)), type_) if isinstance(type_, Tuple) else Zero((), type_)


def written_out(t: Term) -> tuple[int, Mapping[int, Term]] | None:
    """How many elements the array has, and those that are not zero; if it is small, of no arrays, and all of that is known."""
    if not isinstance(t.type, Array) or has_array(t.type.element):
        return None
    match t:
        case Vector(items) if len(items) <= thresholds.SUMMED_DISPLAY:
            return len(items), {k: item for k, item in enumerate(items) if not is_zero(item)}
        case Delta(Const(size), Const(k), value) if 0 <= k < size <= thresholds.SUMMED_DISPLAY:
            return int(size), {int(k): value}
        case Zero((Const(size),)) if size <= thresholds.SUMMED_DISPLAY:
            return int(size), {}
        case _:
            return None


@rule(
    "sum n (fun i -> [x i, y i]) ~> let t = sum n (fun i -> (x i, y i)) in [fst t, snd t];"
    "  sum n (fun i -> (x i, [y i, zero])) ~> let t = sum n (fun i -> (x i, y i)) in (fst t, [snd t, zero]);  "
    "sum n (fun i -> ((sin (x i), cos (y i)), sin (z i)))"
    " ~> let t = sum n (fun i -> (sin (x i), cos (y i), sin (z i))) in ((t.0, t.1), t.2)",
    source="001, Fig. 4",
    heads=Reduce,
)
def sum_of_displays(t: Term, facts: Facts) -> Term | None:
    """Displays, and tuples of tuples, as of dual numbers, are summed number by number: none of them need be computed that is not
    read.
    """
    if not isinstance(t, Reduce) or t.reduction is not Reduction.SUM:
        return None
    bindings, result = opened(t.body)
    parts = result.items if isinstance(result, MakeTuple) else (result,)
    numbers = list(_numbers(result))
    if not numbers or not any([_is_display(part) or isinstance(part, MakeTuple) for part in parts]):
        return None
    loop = Reduce(Reduction.SUM, t.size, t.index, let(bindings, tuple_of(numbers)))
    whole = Var("sums", loop.type, t.index.site)
    found = iter([Proj(whole, k) for k in range(len(numbers))] if len(numbers) > 1 else [whole])
    return Let(((whole, loop),), _again(result, found))


def _is_display(t: Term) -> bool:
    return isinstance(t, Vector) and written_out(t) is not None


def _is_nothing(t: Term) -> bool:
    """Is it zero, and no array, whose size may be known in the loop only?"""
    return is_zero(t) and not has_array(t.type)


def _numbers(t: Term) -> Iterator[Term]:
    """What is to be summed of displays and tuples in one another."""
    if isinstance(t, MakeTuple) or (isinstance(t, Vector) and _is_display(t)):
        for item in t.items:
            yield from _numbers(item)
    elif not _is_nothing(t):
        yield t


def _again(t: Term, found: Iterator[Term]) -> Term:
    """The displays and tuples of the sums, which are taken from those found."""
    if isinstance(t, MakeTuple):
        return MakeTuple(tuple([_again(item, found) for item in t.items]), t.type)
    if isinstance(t, Vector) and _is_display(t):
        return Vector(tuple([_again(item, found) for item in t.items]))
    return t if _is_nothing(t) else next(found)

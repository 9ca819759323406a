"""Sums of small arrays whose elements are written out are added element by element, in registers.

Reverse mode adds up what each use of a small array contributes to it (paper 001, Fig. 6): deltas at known places, once loops
over its elements are unrolled.  Added element by element they are a display, which needs no memory; nor does a sum of
displays over a loop.
"""

from __future__ import annotations

from collections.abc import Mapping

from fsmooth import thresholds
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
    "  sum n (fun i -> (x i, [y i, zero])) ~> let t = sum n (fun i -> (x i, y i)) in (fst t, [snd t, zero])",
    source="001, Fig. 4",
    heads=Reduce,
)
def sum_of_displays(t: Term, facts: Facts) -> Term | None:
    """Displays of numbers, alone or in a tuple, are summed number by number."""
    match t:
        case Reduce(Reduction.SUM, size, index, body):
            bindings, result = (body.bindings, body.body) if isinstance(body, Let) else ((), body)
        case _:
            return None
    parts = result.items if isinstance(result, MakeTuple) else (result,)
    if not any([_is_display(part) for part in parts]):
        return None
    numbers: list[Term] = []
    for part in parts:
        numbers += _nonzero(part) if _is_display(part) else [part]
    if not numbers:
        return None
    summand = MakeTuple(tuple(numbers)) if len(numbers) > 1 else numbers[0]
    loop = Reduce(Reduction.SUM, size, index, let(bindings, summand))
    whole = Var("sums", loop.type, index.site)
    found: list[Term] = [Proj(whole, k) for k in range(len(numbers))] if len(numbers) > 1 else [whole]
    made: list[Term] = []
    for part in parts:
        made.append(_again(part, found) if _is_display(part) else found.pop(0))
    return Let(((whole, loop),), MakeTuple(tuple(made), t.type) if isinstance(result, MakeTuple) else made[0])


def _is_display(t: Term) -> bool:
    return isinstance(t, Vector) and written_out(t) is not None


def _nonzero(display: Term) -> list[Term]:
    assert isinstance(display, Vector)
    return [x for x in display.items if not is_zero(x)]


def _again(display: Term, found: list[Term]) -> Term:
    """The display of the sums, which are taken from those found."""
    assert isinstance(display, Vector)
    return Vector(tuple([x if is_zero(x) else found.pop(0) for x in display.items]))

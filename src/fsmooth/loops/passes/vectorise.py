"""Which loops are marked `omp simd` (c-facts: sums vectorise only so, vector math is reached only so)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import inside
from fsmooth.loops.names import Names
from fsmooth.loops.passes.own_elements import OwnElements
from fsmooth.loops.rewriting import each_loop
from fsmooth.loops.usage import expressions_of, walk
from fsmooth.loops.vector_math import SCALAR_ONLY, VECTOR_MATH


def marks(function: t.Function, _: Names) -> t.Function:
    """Mark the loops that the C compiler may run in vectors, and would not by itself."""

    def changed(loop: t.For) -> Sequence[t.Statement]:
        return (marked(loop),)

    return each_loop(function, changed)


def marked(loop: t.For) -> t.For:
    """The loop, marked if its iterations are independent but for its sums, and if marking it gains anything."""
    return replace(loop, simd=True) if not loop.simd and _gains(loop) else loop


def _gains(loop: t.For) -> bool:
    if isinstance(loop.size, t.Literal) and int(loop.size.value) <= thresholds.TOO_SHORT_FOR_VECTORS:
        return False
    if loop.kind not in (t.Kind.PARALLEL, t.Kind.REDUCTION):
        return False
    private: set[str] = set()
    gains = loop.kind is t.Kind.REDUCTION
    extrema = {name for name, _ in loop.extrema}
    if _chooses_math(loop.body):
        return False
    for s in walk(loop.body):
        match s:
            case t.Declare():
                private.add(s.name)
            case t.Assign():
                if s.name not in private | extrema and not (s.accumulate and s.name in loop.reduced):
                    return False
            case t.Store() | t.If():
                pass
            case _:
                return False
        for e in expressions_of(s):
            used = _primitives(e)
            if used & SCALAR_ONLY:
                return False
            gains = gains or bool(used & VECTOR_MATH)
    return gains and (loop.kind is t.Kind.PARALLEL or OwnElements(loop).all_in_rows(thresholds.ROW_IN_VECTORS))


def _chooses_math(body: t.Body) -> bool:
    """Is there a function with a vector version in a branch?  gcc calls it for one number at a time then."""
    chosen: list[t.Expression] = []
    for s in walk(body):
        if isinstance(s, t.If):
            chosen += [e for x in walk((*s.then, *s.otherwise)) for e in expressions_of(x)]
        for e in inside(*expressions_of(s)):
            if isinstance(e, t.Conditional):
                chosen += [e.then, e.otherwise]
    return any([_primitives(e) & VECTOR_MATH for e in chosen])


def stays_scalar(e: t.Expression) -> bool:
    """Does the expression contain something that has no vector version?"""
    return bool(_primitives(e) & SCALAR_ONLY) or isinstance(e, t.Search)


def _primitives(e: t.Expression) -> set[p.Primitive]:
    return {x.primitive for x in inside(e) if isinstance(x, t.Operation)}

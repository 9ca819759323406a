"""A function of what a loop sums is applied in a loop of its own, in vectors; not where that would change what is read."""

from __future__ import annotations

import numpy as np
import pytest

from fsmooth.core import build as b
from fsmooth.core import primitives as p
from fsmooth.core.term import Get, Lam, Length, Term
from fsmooth.core.types import F64, INT, Array
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import integer, plus, times
from fsmooth.loops.names import Names
from fsmooth.loops.passes.split_math import split_math
from fsmooth.loops.usage import walk
from fsmooth.lower.functions import lower
from tests.lower.harness import FAST, agree, compile_all, expected

i, j, k, n = (t.Name(name, INT) for name in "ijkn")
SUM = t.Name("sum", F64)
INNER = t.For("j", n, (t.Assign("sum", t.Load("x", j, F64), accumulate=True),), t.Kind.REDUCTION)


def _of_sums(primitive: p.Primitive) -> Lam:
    def element(w: Term, v: Term, k: Term) -> Term:
        return b.prim(primitive, b.sum_(Length(v), lambda j: b.prim(p.multiply, Get(Get(w, k), j), Get(v, j)), "j"))

    return b.lam(
        (("w", Array(Array(F64))), ("v", Array(F64))), lambda w, v: b.build(Length(w), lambda k: element(w, v, k))
    )


@pytest.mark.parametrize(("primitive", "loops"), [(p.tanh, 5), (p.exp, 5), (p.lgamma, 4), (p.sqrt, 4), (p.negate, 4)])
def test_functions_with_vector_versions_have_a_loop(primitive: p.Primitive, loops: int) -> None:
    """With those of rows by themselves: over four at once and those left, each with a sum."""
    term = _of_sums(primitive)
    found = [s for s in walk(lower(term, "f").kernel.body) if isinstance(s, t.For)]
    assert len(found) == loops
    [kernel] = compile_all([term], FAST)
    for rows in (0, 1, 7):
        given = np.linspace(0.1, 0.9, rows * 5).reshape(rows, 5), np.linspace(0.2, 1.0, 5)
        agree(kernel(*given), expected(term, *given))


def _loop(store: t.Store, *before: t.Statement, size: t.Expression = n) -> t.For:
    body = t.Declare("sum", F64, t.Literal(0.0, F64), mutable=True), *before, INNER, store
    return t.For("i", size, body, t.Kind.PARALLEL)


def _tanh(argument: t.Expression) -> t.Operation:
    return t.Operation(p.tanh, (argument,), F64)


def test_the_last_store_is_split() -> None:
    loop = _loop(t.Store("a", plus(times(k, n), i), _tanh(SUM)))
    loop, after = split_math(t.Function("f", (), (loop,)), Names()).body
    assert after.simd
    assert (loop.body[-1].value, after.body[0].value.arguments[0].buffer) == (SUM, "a")


KEPT = [
    _loop(t.Store("a", i, _tanh(SUM), accumulate=True)),
    _loop(t.Store("a", i, SUM)),
    _loop(t.Store("a", integer(0), _tanh(SUM))),
    _loop(t.Store("a", times(integer(2), i), _tanh(SUM))),
    _loop(t.Store("a", i, _tanh(SUM)), t.Store("a", plus(i, integer(1)), SUM)),
    _loop(t.Store("a", i, _tanh(t.Operation(p.add, (SUM, t.Load("a", i, F64)), F64)))),
    _loop(t.Store("at", i, _tanh(SUM)), t.Choose("at", F64, "a", k, None, None, None)),
    _loop(t.Store("a", plus(t.Name("row", INT), i), _tanh(SUM)), t.Declare("row", INT, times(i, n))),
    _loop(t.Store("a", i, _tanh(SUM)), size=integer(3)),
    t.For("i", n, (t.Store("a", i, _tanh(t.Load("x", i, F64))),), t.Kind.PARALLEL),
    t.For("i", n, _loop(t.Store("a", i, _tanh(SUM))).body, t.Kind.SEQUENTIAL),
]


@pytest.mark.parametrize("loop", KEPT)
def test_a_loop_is_left_as_it_is(loop: t.For) -> None:
    function = t.Function("f", (), (loop,))
    assert split_math(function, Names()) is function

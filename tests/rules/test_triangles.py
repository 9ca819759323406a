"""Packed triangles: what is proved of quotients of products, and where they may have wrapped around (rewrite/gaps.py)."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core import primitives as p
from fsmooth.core.array_value import ArrayValue
from fsmooth.core.build import minus, plus, prim, times
from fsmooth.core.evaluate import evaluate
from fsmooth.core.integers import FITS
from fsmooth.core.pretty import show
from fsmooth.core.term import Const, Length, Prim, Term, Var
from fsmooth.core.types import F64, INT, Array
from fsmooth.rewrite.facts import Facts

D, FLAT = Length(Var("y", Array(F64))), Length(Var("x", Array(F64)))
I, J = Var("i", INT), Var("j", INT)


def half(product: Term) -> Term:
    return prim(p.floor_divide, product, Const(2))


def fitting(limit: float) -> Term:
    size = Prim(p.to_float, (D,))
    return Prim(p.less_equal, (prim(p.multiply, size, size), Const(limit)))


def in_loops(inner: Term, limit: float = FITS, size: Term | None = None) -> Facts:
    """Of i below d and j below `inner`, in a program whose sizes were required."""
    facts = Facts()
    facts.assume(fitting(limit), True)
    if size is not None:
        facts.assume(Prim(p.equal, (FLAT, size)), True)
    for index, bound in ((I, D), (J, inner)):
        facts.ranges[index] = bound
        facts.repeats(bound)
    return facts


LOWER, STRICT = half(times(D, plus(D, Const(1)))), half(times(D, minus(D, Const(1))))
BY_ROWS = plus(half(times(I, plus(I, Const(1)))), J)
BELOW = plus(half(times(I, minus(I, Const(1)))), J)
BY_COLUMNS = plus(half(times(J, minus(minus(times(Const(2), D), Const(3)), J))), minus(I, Const(1)))
ROWS = plus(I, Const(1))


@pytest.mark.parametrize(
    ("inner", "index", "size"), [(ROWS, BY_ROWS, LOWER), (I, BELOW, STRICT), (I, BY_COLUMNS, STRICT)]
)
def test_places_in_a_triangle_are_in_bounds_if_products_fit(inner: Term, index: Term, size: Term) -> None:
    facts = in_loops(inner, size=size)
    assert facts.within(index, FLAT)
    assert not facts.within(plus(index, Const(1)), FLAT)
    assert not facts.within(minus(index, Const(1)), FLAT)
    assert not in_loops(inner, 2 * FITS, size).within(index, FLAT)
    assert not in_loops(plus(inner, Const(1)), size=size).within(index, FLAT)


def test_products_of_indices_are_exact_just_if_those_of_their_sizes_are() -> None:
    assert in_loops(I).are_exact(times(I, J), times(J, J), times(Const(3), times(I, D)))
    assert not in_loops(I).are_exact(times(Const(4), times(I, D)))
    assert not in_loops(I).are_exact(times(I, times(I, J)))
    assert not in_loops(I, 2 * FITS).are_exact(times(I, J))
    facts = Facts()
    facts.ranges[I] = facts.ranges[J] = D
    assert not facts.are_exact(times(I, J))


def test_what_is_proved_of_random_quotients_of_products_holds() -> None:
    rng = random.Random(0)
    factors = [
        I,
        J,
        D,
        ROWS,
        minus(D, I),
        minus(I, Const(1)),
        minus(D, Const(1)),
        minus(minus(times(Const(2), D), Const(3)), J),
    ]
    known = [(BY_ROWS, LOWER), (BELOW, STRICT), (BY_COLUMNS, STRICT)]
    pairs = [(plus(a, Const(k)), b) for a, b in known for k in (-2, -1, 0, 1, 2)]
    for _ in range(900):
        a, b = (half(times(rng.choice(factors), rng.choice(factors))) for _ in range(2))
        pairs.append((plus(a, plus(times(Const(rng.randint(-2, 2)), J), Const(rng.randint(-3, 1)))), b))
    for inner in (ROWS, I):
        facts = in_loops(inner)
        proved = [(a, b) for a, b in pairs if facts.less(a, b)]
        assert len(proved) > 20
        for d, i in itertools.product(range(1, 7), range(6)):
            for j in range(int(evaluate(inner, {I: i})) if i < d else 0):  # type: ignore[call-overload]
                values = {D.array: ArrayValue((d,), (0.0,) * d), I: i, J: j}
                for a, b in proved:
                    assert evaluate(a, values) < evaluate(b, values), (show(a), show(b), d, i, j)  # type: ignore[arg-type]


def test_a_packed_triangle_has_no_tests_in_its_loops() -> None:
    def packed(x: fs.Array["d * (d + 1) // 2"], y: fs.Array["d"]):  # type: ignore[name-defined]  # noqa: F821, UP037
        return [sum(x[i * (i + 1) // 2 + j] * y[j] for j in range(i + 1)) for i in range(len(y))]

    f = fs.function(packed, checks="proved")
    assert np.array_equal(f(np.arange(6.0), np.ones(3)), [0.0, 3.0, 12.0])


# -- conditions in the place of ranges --------------------------------------------------------------------------------


def under_a_condition(primitive: p.Primitive, limit: float = FITS, size: Term | None = None) -> Facts:
    """Of i and j, both below d, where j was compared with i: a triangle that is the rectangle around it."""
    facts = in_loops(D, limit, size)
    facts.assume(Prim(primitive, (J, I)), True)
    return facts


@pytest.mark.parametrize(
    ("primitive", "index", "size"),
    [(p.less_equal, BY_ROWS, LOWER), (p.less, BELOW, STRICT), (p.less, BY_COLUMNS, STRICT)],
)
def test_a_condition_is_as_good_as_a_range(primitive: p.Primitive, index: Term, size: Term) -> None:
    facts = under_a_condition(primitive, size=size)
    assert facts.within(index, FLAT)
    assert not facts.within(plus(index, Const(1)), FLAT)
    assert not in_loops(D, size=size).within(index, FLAT)
    for d, i, j in itertools.product(range(6), repeat=3):
        if i < d and j < d and evaluate(Prim(primitive, (J, I)), {I: i, J: j}):
            values = {D.array: ArrayValue((d,), (0.0,) * d), I: i, J: j}
            assert 0 <= evaluate(index, values) < evaluate(size, values)  # type: ignore[operator]


def test_a_condition_of_products_that_may_have_wrapped_around_proves_nothing() -> None:
    assert not under_a_condition(p.less, limit=2 * FITS, size=STRICT).within(BY_COLUMNS, FLAT)

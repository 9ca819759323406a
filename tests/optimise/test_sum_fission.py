"""What sums contribute at one index alone is found in sums of tuples and of arrays (optimise/rules/sum_fission.py)."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.workloads.plain_loops import cut_off

import fsmooth as fs
from fsmooth.core import primitives
from fsmooth.core.term import If, Prim, Reduce, Var, Zero, let
from fsmooth.core.traverse import subterms
from fsmooth.core.types import F64, INT
from fsmooth.optimise.splitting import by_guards

RANDOM = np.random.default_rng(5)
MODES = ("forward", "reverse")


def quadratic(x, A):
    return sum(x[i] * A[i, j] * x[j] for i in range(len(x)) for j in range(len(x)))


@pytest.mark.parametrize("inner", MODES)
@pytest.mark.parametrize("outer", MODES)
def test_a_quadratic_form_has_one_hessian(outer: str, inner: str) -> None:
    """A[i][j] + A[j][i], which no sum computes, by every pair of modes."""
    hessian = fs.jacobian(fs.grad(quadratic, method=inner), method=outer)
    x, a = RANDOM.random(6), RANDOM.random((6, 6))
    assert not [t for t in subterms(hessian.compiled(x, a).terms["optimised"]) if isinstance(t, Reduce)]
    np.testing.assert_array_equal(hessian(x, a), a + a.T)


def test_a_jacobian_of_a_convolution_is_read_from_its_signal() -> None:
    def convolved(kernel, signal):
        return [
            sum(kernel[k] * signal[i + k] for k in range(len(kernel))) for i in range(len(signal) - len(kernel) + 1)
        ]

    jacobian = fs.jacobian(convolved, method="reverse")
    kernel, signal = RANDOM.random(3), RANDOM.random(9)
    assert not [t for t in subterms(jacobian.compiled(kernel, signal).terms["optimised"]) if isinstance(t, Reduce)]
    np.testing.assert_array_equal(jacobian(kernel, signal), [signal[i : i + 3] for i in range(7)])


def test_sums_under_one_condition_are_one_loop() -> None:
    """What the branch contributes to each parameter is summed where the branch is taken, with one exponential for all."""
    gradient = fs.grad(cut_off)
    p, x = np.array([0.1, 0.7]), RANDOM.random(30)
    optimised = gradient.compiled(p, x).terms["optimised"]
    assert len([t for t in subterms(optimised) if isinstance(t, Reduce)]) == 2
    assert len([t for t in subterms(optimised) if isinstance(t, Prim) and t.primitive is primitives.exp]) == 1
    d = np.array([(x[i] - x[j]) ** 2 for i in range(30) for j in range(i)])
    inside = np.exp(-d / p[0]) * (d < p[0])
    np.testing.assert_allclose(gradient(p, x), [(p[1] * d * inside).sum() / p[0] ** 2, inside.sum()], rtol=1e-12)


def test_which_parts_of_a_sum_stay_together() -> None:
    """Those that one condition guards; what is zero but at one index, or everywhere, is by itself."""
    i, j, n = Var("i", INT), Var("j", INT), Var("n", INT)
    x, zero = Var("x", F64), Zero((), F64)
    twice = Prim(primitives.add, (x, x))
    near, again, here = Prim(primitives.less, (i, n)), Prim(primitives.less, (i, n)), Prim(primitives.equal, (i, j))
    parts = [If(near, x, zero), x, If(here, x, zero), If(again, twice, zero), If(here, twice, zero), zero, twice]
    assert by_guards(parts) == [(2,), (4,), (5,), (0, 3), (1, 6)]
    assert by_guards([let(((Var("y", F64), x),), If(near, x, zero)), If(near, x, zero)]) == [(0, 1)]
    assert by_guards([If(near, x, x), If(near, x, zero)]) == [(0,), (1,)]

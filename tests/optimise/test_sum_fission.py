"""What sums contribute at one index alone is found in sums of tuples and of arrays (optimise/rules/sum_fission.py)."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.workloads.plain_loops import cut_off

import fsmooth as fs
from fsmooth.core import primitives
from fsmooth.core.term import If, IFold, Prim, Reduce, Reduction, Term, Var, Zero, let
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


def relaxed(a, b, c, steps):  # type: ignore[no-untyped-def]
    """Arrays of which only the first says how many elements are meant."""
    total = 0.0
    for k in range(len(a)):
        x = 0.1
        for _ in range(steps):
            x = a[k] * np.sin(x) + b[k] * x + c[k]
        total += x
    return total


def test_sums_that_share_a_loop_run_it_once() -> None:
    """Whether b and c are as long is asked only if there are steps, so that what each contributes has a condition of its own."""
    gradient = fs.grad(relaxed, wrt=("a", "b", "c"), method="reverse")
    given = [RANDOM.random(5), RANDOM.random(6), RANDOM.random(7)]
    optimised = gradient.compiled(*given, 3).terms["optimised"]
    assert len([t for t in subterms(optimised) if isinstance(t, IFold)]) == 2
    found = gradient(*given, 3)
    for k, of in enumerate(found):
        x = np.full(5, 0.1 + 0.0j)
        a, b, c = [(given[m] + 1e-30j * (m == k))[:5] for m in range(3)]
        for _ in range(3):
            x = a * np.sin(x) + b * x + c
        np.testing.assert_allclose(of[:5], x.imag / 1e-30, rtol=1e-12)
        assert not np.any(of[5:])


def test_parts_that_share_a_loop_stay_together() -> None:
    i, n, x = Var("i", INT), Var("n", INT), Var("x", F64)
    loop, other = Var("a", F64), Var("b", F64)
    near, far = Prim(primitives.less, (i, n)), Prim(primitives.less, (n, i))
    total = Reduce(Reduction.SUM, n, Var("j", INT), x)

    def part(of: Var, guard: Prim) -> Term:
        return let(((of, total),), If(guard, of, Zero((), F64)))

    assert by_guards([part(loop, near), part(loop, far), part(other, near), x]) == [(0, 1, 2), (3,)]
    assert by_guards([part(loop, near), part(other, far)]) == [(0,), (1,)]

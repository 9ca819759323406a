"""What sums contribute at one index alone is found in sums of tuples and of arrays (optimise/rules/sum_fission.py)."""

from __future__ import annotations

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core.term import Reduce
from fsmooth.core.traverse import subterms

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

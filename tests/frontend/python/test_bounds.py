"""An index out of bounds is an exception also where the element does not depend on the index."""

import numpy as np
import pytest

import fsmooth as fs


def zeros(x, k):
    z = np.zeros(len(x))
    return z[k] + x[0]


def ones(x, k):
    z = np.ones(len(x))
    return z[k] + x[0]


def display(x, k):
    z = [2.0 for _ in x]
    at = k + 1
    return z[at] * x[0]


@pytest.mark.parametrize("function", [zeros, ones, display], ids=lambda f: f.__name__)
@pytest.mark.parametrize("derived", [fs.function, fs.grad], ids=["value", "gradient"])
def test_constant_arrays_have_bounds(function, derived):
    program = derived(function)
    x = np.arange(1.0, 4.0)
    program(x, 1)
    for k in (7, -5):
        with pytest.raises(fs.IndexOutOfBoundsError, match="is out of bounds for z, which has size 3"):
            program(x, k)

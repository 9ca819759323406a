"""A tangent by position stands behind the arguments that it is the tangent of, as SciPy calls a `hessp=`."""

import numpy as np
import pytest
from scipy.optimize import minimize, rosen_hess_prod

import fsmooth as fs

X, P = np.array([0.1, 0.4, -0.3]), np.array([1.0, -2.0, 0.5])


def rosen(x, a):
    return sum(a * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2 for i in range(len(x) - 1))


def test_of_an_hvp():
    hvp = fs.hvp(rosen)
    for _ in range(2):  # before and after the quick way is known
        for found in (hvp(X, P, 100.0), hvp(X, P, a=100.0), hvp(X, 100.0, tangent=P)):
            assert np.allclose(found, rosen_hess_prod(X, P), rtol=1e-12)


def test_as_scipy_calls_it():
    found = minimize(rosen, np.zeros(3), args=(100.0,), jac=fs.grad(rosen), hessp=fs.hvp(rosen), method="trust-ncg")
    assert found.success
    assert np.allclose(found.x, 1.0, atol=1e-5)


def test_of_a_jvp_of_several():
    jvp = fs.jvp(lambda x, y, z: x * y + z, wrt=("x", "y"))
    assert jvp(2.0, 3.0, (1.0, 10.0), 4.0) == (10.0, 23.0)
    assert jvp(2.0, 3.0, 4.0, tangent=(1.0, 10.0)) == (10.0, 23.0)


def test_inside_a_program():
    both = fs.function(lambda x, p: (fs.hvp(rosen)(x, p, 100.0), fs.hvp(rosen)(x, 100.0, tangent=p)))
    for found in both(X, P):
        assert np.allclose(found, rosen_hess_prod(X, P), rtol=1e-12)


def test_parameters_by_position_only():
    def f(x, /, y):
        return np.sum(x**2) * y

    assert np.array_equal(fs.grad(f)(X, 2.0), 4 * X)
    assert np.array_equal(fs.hvp(f)(X, P, 2.0), 4 * P)
    assert np.allclose(fs.hessian(f)(X, 2.0), 4 * np.eye(3))


def test_a_tangent_that_is_missing():
    with pytest.raises(fs.ArgumentError, match="missing a required argument: 'tangent'"):
        fs.hvp(rosen)(X, a=1.0)

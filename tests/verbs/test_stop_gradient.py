"""`fs.stop_gradient`: the value itself, with derivative zero in every mode and order."""

from __future__ import annotations

import numpy as np
import pytest

import fsmooth as fs
from tests.verbs.parts import assert_same

V = np.array([0.5, -1.5, 2.0])


def scaled(v):  # type: ignore[no-untyped-def]
    return sum(x * fs.stop_gradient(x) for x in v)


@pytest.mark.parametrize("method", ["auto", "forward", "reverse"])
def test_gradients(method: str) -> None:
    assert fs.function(scaled)(V) == pytest.approx(float(V @ V))
    assert_same(fs.grad(scaled, method=method)(V), V)
    assert_same(fs.hessian(scaled, method=method)(V), np.zeros((3, 3)))


@pytest.mark.parametrize("method", ["auto", "forward", "reverse"])
def test_of_arrays_and_of_results(method: str) -> None:
    def f(v):  # type: ignore[no-untyped-def]
        w = fs.stop_gradient([fs.exp(x) for x in v])
        return [w[i] * v[i] for i in range(len(v))]

    assert_same(fs.jacobian(f, method=method)(V), np.diag(np.exp(V)))


def test_other_verbs() -> None:
    assert fs.jvp(scaled)(V, tangent=np.ones(3))[1] == pytest.approx(float(np.sum(V)))
    assert_same(fs.vjp(scaled)(V)[1](2.0), 2.0 * V)
    assert_same(fs.hvp(scaled)(V, tangent=np.ones(3)), np.zeros(3))


def test_outside_programs_it_is_the_identity() -> None:
    assert fs.stop_gradient(2.5) == 2.5
    assert_same(fs.stop_gradient(V), V)


def test_integers_and_float32() -> None:
    assert fs.function(lambda n: fs.stop_gradient(n))(3) == 3
    found = fs.grad(scaled)(V.astype(np.float32))
    assert found.dtype == np.float32
    assert_same(found, V.astype(np.float32), 1e-6)

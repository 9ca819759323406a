"""Derivatives written inside programs, compiled and run."""

from __future__ import annotations

import math

import numpy as np
import pytest

import fsmooth as fs

X = np.array([0.5, 1.5, 2.0])


def cube(v):
    return sum(a**3 for a in v)


def test_gradient_of_a_helper() -> None:
    f = fs.function(lambda x: fs.grad(cube)(x))
    np.testing.assert_allclose(f(X), 3 * X**2)


def test_gradient_of_an_inner_function() -> None:
    @fs.function
    def f(x, c):
        def inner(v, scale=2.0):
            return sum(scale * c * a * a for a in v)

        value, slope = fs.value_and_grad(inner)(x)
        return slope, value

    slope, value = f(X, 3.0)
    np.testing.assert_allclose(slope, 12 * X)
    assert value == pytest.approx(6 * np.sum(X**2))


def test_perturbation_confusion() -> None:
    f = fs.function(lambda x: fs.grad(lambda y: y * fs.grad(lambda z: y + z)(y))(x))
    assert f(1.0) == 1.0


def test_jacobian_for_each_row() -> None:
    def turn(a, p):
        return [math.cos(a) * p[0] - math.sin(a) * p[1], math.sin(a) * p[0] + math.cos(a) * p[1]]

    @fs.function
    def blocks(angles, points):
        J = fs.jacobian(turn, wrt=("a", "p"))
        return [J(angles[k], points[k]) for k in range(len(angles))]

    angles, points = np.array([0.1, 0.2]), np.array([[1.0, 2.0], [3.0, 4.0]])
    Ja, Jp = blocks(angles, points)
    assert Ja.shape == (2, 2)
    np.testing.assert_allclose(Jp[1], [[math.cos(0.2), -math.sin(0.2)], [math.sin(0.2), math.cos(0.2)]])


def test_directional_derivative() -> None:
    f = fs.function(lambda x, d: fs.jvp(cube)(x, tangent=d))
    value, slope = f(X, np.ones(3))
    assert slope == pytest.approx(np.sum(3 * X**2))
    assert value == pytest.approx(cube(X))


def test_compiled_functions_and_their_derivatives_are_called_inside() -> None:
    square = fs.function(lambda x: x * x)
    slope = fs.grad(square)
    f = fs.function(lambda x: square(x) + slope(x))
    assert f(3.0) == 15.0


def test_derivative_through_loops_and_branches() -> None:
    def f(x):
        y = x.copy()
        for i in range(1, len(y)):
            if y[i] > 1.8:
                y[i] = y[i - 1] * y[i]
            else:
                y[i] += y[i - 1] ** 2
        return y[-1]

    found = fs.grad(f)(X)
    step = 1e-6
    expected = [(f(X + step * e) - f(X - step * e)) / (2 * step) for e in np.eye(3)]
    np.testing.assert_allclose(found, expected, rtol=1e-7)


def test_hidden_arguments_are_read_anew() -> None:
    weights = np.array([1.0, 2.0, 3.0])
    f = fs.grad(lambda x: sum(w * a for w, a in zip(weights, x)))  # noqa: B905
    np.testing.assert_allclose(f(X), weights)
    weights[0] = 5.0
    np.testing.assert_allclose(f(X), [5.0, 2.0, 3.0])

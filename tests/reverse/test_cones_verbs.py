"""Sensors under every verb, type and size: errors, pullbacks, Jacobians, second derivatives, single precision, constant sizes."""

# ruff: noqa: F821, UP037  (the names of sizes)
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fsmooth as fs
from tests.reverse import cone_programs as programs
from tests.reverse.routes import vector
from tests.reverse.test_cones import assert_close, each_program, given, gradient, sensors, stepped, wrt

# -- errors, and indices ---------------------------------------------------------------------------------------------------

OUTSIDE = (-1, 20, 21, 2**40, 2**61 - 1, -(2**61))


@pytest.mark.parametrize("program", [programs.sensor, programs.both, programs.wave, programs.seen_on_the_way])
@pytest.mark.parametrize("steps", [0, 3])
def test_a_sensor_that_does_not_exist(program, steps: int) -> None:  # type: ignore[no-untyped-def]
    """Is the mistake that it is without a derivative, in the same words."""
    function = fs.function(program)
    for k in OUTSIDE:
        arguments = given(program, 20, steps, k, 3)
        with pytest.raises(IndexError) as wanted:
            function(*arguments)
        for derivative in (gradient(program), fs.value_and_grad(program, wrt=wrt(program), method="reverse")):
            with pytest.raises(IndexError) as found:
                derivative(*arguments)
            assert str(found.value) == str(wanted.value)


def test_a_field_without_elements() -> None:
    for program in (programs.sensor, programs.last):
        with pytest.raises(IndexError):
            gradient(program)(*given(program, 0, 3))


def test_coefficients_that_are_too_short() -> None:
    def program(u, c, steps: int, k: int):  # type: ignore[no-untyped-def]
        n = len(u)
        for _ in range(steps):
            u = [u[i] * c[i] + (u[i - 1] if i > 0 else 0.0) for i in range(n)]
        return u[k]

    derivative = fs.grad(program, wrt=("u", "c"), method="reverse")
    u, c = np.linspace(0.0, 1.0, 30), np.linspace(1.0, 2.0, 30)
    assert_close(derivative(u, c, 2, 5), stepped_of(program, [u, c, 2, 5], 2), "whole")
    with pytest.raises(IndexError):
        derivative(u, c[:29], 2, 5)  # far from the sensor, but a mistake


def test_from_the_end() -> None:
    """Constants count from there."""

    def program(u, c, steps: int):  # type: ignore[no-untyped-def]
        return programs.heat(u, c, steps)[-1] - 2.0 * programs.heat(u, c, steps)[-2]

    derivative = fs.grad(program, wrt=("u", "c"), method="reverse")
    for n in (2, 3, 40):
        arguments = given(programs.last, n, 4)
        assert_close(derivative(*arguments), stepped_of(program, arguments, 2), n)


def test_sensors_in_an_array() -> None:
    """How many there are, and which, is known only at the call."""

    def program(u: fs.Array["n"], c: fs.Array["n"], steps: int, at: fs.Array["m", int], w: fs.Array["m"]):
        v = programs.heat(u, c, steps)
        return sum([w[j] * v[at[j]] * v[at[j]] for j in range(len(at))])

    derivative = fs.grad(program, wrt=("u", "c"), method="reverse")
    u, c, steps, _ = given(programs.sensor, 40, 4)
    for at in ([], [7], [0, 39, 20], [5, 5, 6]):
        arguments = [u, c, steps, np.array(at, dtype=np.int64), np.linspace(1.0, 2.0, len(at))]
        wanted = stepped_of(program, arguments, 2) if at else np.zeros(80)
        assert_close(derivative(*arguments), wanted, at)
    with pytest.raises(IndexError):
        derivative(u, c, steps, np.array([3, 40]), np.ones(2))


def stepped_of(program: Any, arguments: list[Any], count: int) -> np.ndarray:
    """By complex steps in the first `count` arguments."""
    slopes = []
    for k in range(count):
        for place in np.ndindex(arguments[k].shape):
            moved = [a.astype(complex) for a in arguments[:count]]
            moved[k][place] += 1e-30j
            slopes.append(program(*moved, *arguments[count:]).imag / 1e-30)
    return np.array(slopes)


# -- other verbs -----------------------------------------------------------------------------------------------------------


@each_program
def test_pullbacks(program) -> None:  # type: ignore[no-untyped-def]
    """What is saved serves any cotangent, as often as one likes."""
    verb = fs.vjp(program, wrt=wrt(program))
    for n, steps in ((1, 2), (20, 4)):
        for k, l in sensors(n):
            arguments = given(program, n, steps, k, l)
            value, pullback = verb(*arguments)
            assert_close(value, program(*arguments), (n, k, l))
            slopes = stepped(program, arguments)
            for cotangent in (1.0, -2.5, 0.0, 1e-3, 1.0):
                assert_close(pullback(cotangent), cotangent * slopes, (n, k, l, cotangent))


@pytest.mark.parametrize("checkpoint", [False, True])
def test_pullbacks_of_whole_fields(checkpoint: bool) -> None:
    """A cotangent that is zero but for one element is any cotangent; infinite numbers elsewhere would reach the result."""
    u, c, steps, k = given(programs.sensor, 25, 5, 12)
    _, pullback = fs.vjp(programs.heat, wrt=("u", "c"), checkpoint=checkpoint)(u, c, steps)
    one = np.zeros(25)
    one[k] = 1.0
    assert_close(pullback(one), stepped(programs.sensor, [u, c, steps, k]), "one")
    both = pullback(np.ones(25))
    assert_close(both, sum([vector(pullback(row)) for row in np.eye(25)]), "all")


def few(u: fs.Array["n"], c: fs.Array["n"], steps: int, k: int):
    """Three elements as a tuple of a number and an array."""
    v = programs.heat(u, c, steps)
    return v[k], [v[0], v[len(v) - 1] * v[k]]


@pytest.mark.parametrize("checkpoint", [False, True])
def test_jacobians(checkpoint: bool) -> None:
    backwards = fs.jacobian(few, wrt=("u", "c"), method="reverse", checkpoint=checkpoint)
    forwards = fs.jacobian(few, wrt=("u", "c"), method="forward")
    whole = fs.jacobian(programs.heat, wrt=("u", "c"), method="reverse", checkpoint=checkpoint)
    for n, steps in ((1, 2), (3, 7), (20, 4), (20, 0)):
        for k, _ in sensors(n):
            arguments = given(programs.sensor, n, steps, k)
            assert_close(backwards(*arguments), forwards(*arguments), (n, steps, k))
            rows = vector(stepped(programs.sensor, arguments))
            by_u, by_c = whole(*arguments[:3])
            assert_close(np.concatenate([by_u[k], by_c[k]]), rows, (n, steps, k))


SMOOTH = (programs.sensor, programs.both, programs.advection, programs.wave, programs.chain, programs.wide)


@pytest.mark.parametrize("program", SMOOTH, ids=lambda f: f.__name__)
def test_second_derivatives(program) -> None:  # type: ignore[no-untyped-def]
    """A tangent of the gradient, a gradient of the gradient, against differences of the gradient by complex steps."""
    name = wrt(program)[-1]
    product = fs.hvp(program, wrt=name, method="reverse")
    twice = fs.jacobian(gradient_by(program, name), wrt=name, method="reverse")
    for n, steps in ((2, 3), (9, 3)):
        for k, l in sensors(n):
            arguments = given(program, n, steps, k, l)
            place = wrt(program).index(name)
            along = np.random.default_rng(k).normal(size=n)
            wanted = differences(program, arguments, place, along)
            assert_close(product(*arguments, tangent=along), wanted, (n, k, l), 1e-6)
            assert_close(twice(*arguments) @ along, product(*arguments, tangent=along), (n, k, l), 1e-11)


def gradient_by(program: Any, name: str) -> fs.Function:
    """By one argument."""
    return fs.grad(program, wrt=name, method="reverse")


def differences(program: Any, arguments: list[Any], place: int, along: np.ndarray) -> np.ndarray:
    """The slope of the gradient by one argument in a direction of it, by differences of the fourth order."""

    def at(h: float) -> np.ndarray:
        moved = [x + h * along if j == place else x for j, x in enumerate(arguments)]
        sizes = [np.size(x) for x in moved[: len(wrt(program))]]
        return np.split(stepped(program, moved), np.cumsum(sizes)[:-1])[place]

    h = 1e-3
    return (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h)


# -- types and sizes -------------------------------------------------------------------------------------------------------


def test_single_precision() -> None:
    def program(u, c, steps: int, k: int):  # type: ignore[no-untyped-def]
        return programs.heat(u, c, steps)[k]

    derivative = fs.grad(program, wrt=("u", "c"), method="reverse")
    u, c, steps, k = given(programs.sensor, 40, 4, 11)
    for at in (0, k, 39):
        found = derivative(u.astype(np.float32), c.astype(np.float32), steps, at)
        assert [x.dtype for x in found] == [np.float32, np.float32]
        assert_close(found, stepped(programs.sensor, [u, c, steps, at]), at, 1e-5)


@pytest.mark.parametrize("size", [1, 2, 8, 16, 17, 24, 40])
def test_constant_sizes(size: int) -> None:
    def program(u: fs.Array[size], c: fs.Array[size], steps: int, k: int):
        n = len(u)
        for _ in range(steps):
            f = [np.sin(u[i]) * (u[i + 1] if i + 1 < n else 0.5) for i in range(n)]
            u = [u[i] + c[i] * (f[i] - (f[i - 2] if i > 1 else 0.0)) for i in range(n)]
        return u[k]

    derivative = fs.value_and_grad(program, wrt=("u", "c"), method="reverse")
    for steps in (0, 1, 5):
        for k, _ in sensors(size):
            arguments = given(programs.sensor, size, steps, k)
            wanted = program(*arguments), stepped_of(program, arguments, 2)
            assert_close(derivative(*arguments), wanted, (steps, k))


def test_constant_steps_and_sensors() -> None:
    def program(u: fs.Array["n"], c: fs.Array["n"]):
        return programs.heat(u, c, 5)[3] * programs.heat(c, u, 2)[17]

    derivative = fs.grad(program, wrt=("u", "c"), method="reverse")
    for n in (18, 40):
        arguments = given(programs.sensor, n, 0)[:2]
        assert_close(derivative(*arguments), stepped_of(program, arguments, 2), n)
    with pytest.raises(IndexError):
        derivative(*given(programs.sensor, 17, 0)[:2])


# -- numbers that are not finite -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("verb", [fs.grad, fs.value_and_grad, fs.vjp])
def test_what_is_not_finite_outside_of_the_cone_does_not_matter(bad: float, verb: Any) -> None:
    """Nor what is not finite only later than it could be seen."""
    derivative = verb(programs.advection, wrt=("u", "c"), **({} if verb is fs.vjp else {"method": "reverse"}))
    u, c, steps, k = given(programs.advection, 40, 4, 20)
    wanted = (programs.advection(u, c, steps, k), stepped(programs.advection, [u, c, steps, k]))
    u[[0, 10, 26, 39]] = bad
    c[[1, 11, 25, 38]] = bad
    found = derivative(u, c, steps, k)
    if verb is fs.vjp:
        found = found[0], found[1](1.0)
    assert_close(found, wanted if verb is not fs.grad else wanted[1], bad)

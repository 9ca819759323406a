"""Derivatives of values of one of several kinds are of the kind of the value: None of None, a Circle of a Circle."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.errors import ArgumentError, RaisedError
from tests.verbs.parts import assert_same


@dataclass
class Circle:
    radius: Any


@dataclass
class Rectangle:
    width: Any
    height: Any


def maybe(x):  # type: ignore[no-untyped-def]
    return x * x if x > 0.0 else None


def shape(x):  # type: ignore[no-untyped-def]
    return Circle(x) if x > 1.0 else Rectangle(x, 2.0 * x)


def half(x):  # type: ignore[no-untyped-def]
    return (x, None) if x > 0.0 else (x, 3.0 * x)


def arrays(x, y):  # type: ignore[no-untyped-def]
    return Circle(x * y) if x[0] > 0.0 else Rectangle(y * y, x[1:] * y)


def power(x, n):  # type: ignore[no-untyped-def]
    return x if n == 0 else power(x * x, n - 1)


def called(x, n):  # type: ignore[no-untyped-def]
    return power(x, n) if x > 0.0 else None


SLOPES = [
    (maybe, 2.0, 4.0),
    (maybe, -3.0, None),
    (shape, 2.0, Circle(1.0)),
    (shape, -3.0, Rectangle(1.0, 2.0)),
    (half, 2.0, (1.0, None)),
    (half, -3.0, (1.0, 3.0)),
]


@pytest.mark.parametrize(("f", "x", "slope"), SLOPES)
def test_jvp_and_jacobian_are_of_the_kind_of_the_value(f, x, slope) -> None:  # type: ignore[no-untyped-def]
    assert fs.jvp(f)(x, tangent=1.0) == (f(x), slope)
    for method in ("forward", "reverse", "auto"):
        assert fs.jacobian(f, method=method)(x) == slope


@pytest.mark.parametrize("method", ["reverse", "tape"])
def test_pullbacks_take_cotangents_of_the_kind_of_the_value(method: str) -> None:
    def pulled(f: Any, x: float, cotangent: object) -> object:
        value, pullback = fs.vjp(f, method=method)(x)
        assert value == f(x)
        return pullback(cotangent)

    assert pulled(maybe, 2.0, 10.0) == 40.0
    assert pulled(maybe, -3.0, None) == 0.0
    assert pulled(shape, 2.0, Circle(5.0)) == 5.0
    assert pulled(shape, -3.0, Rectangle(5.0, 7.0)) == 19.0
    assert pulled(half, 2.0, (5.0, None)) == 5.0
    assert pulled(half, -3.0, (5.0, 7.0)) == 26.0


def test_cotangents_of_another_kind_are_refused() -> None:
    for f, x, cotangent in [
        (maybe, -3.0, 1.0),
        (maybe, 2.0, None),
        (shape, 2.0, Rectangle(1.0, 1.0)),
        (half, 2.0, (1.0, 1.0)),
    ]:
        with pytest.raises((ArgumentError, TypeError)):
            fs.vjp(f)(x)[1](cotangent)


def test_arrays_in_one_of_the_kinds() -> None:
    x, y = np.array([2.0, 3.0]), 3.0
    for own, cotangent, by_x, by_y in [
        (x, Circle(np.array([1.0, 10.0])), [3.0, 30.0], 32.0),
        (-x, Rectangle(1.0, np.array([10.0])), [0.0, 30.0], 6.0 - 30.0),
    ]:
        value, pullback = fs.vjp(arrays, wrt=("x", "y"))(own, y)
        assert_same(astuple(value), astuple(arrays(own, y)))
        assert_same(pullback(cotangent), (np.array(by_x), by_y))
        assert type(fs.jvp(arrays)(own, y, tangent=np.ones(2))[1]) is type(value)
    assert_same(fs.jacobian(arrays)(x, y).radius, np.diag([3.0, 3.0]))
    assert_same(fs.jacobian(arrays)(-x, y).height, np.array([[0.0, 3.0]]))
    assert repr(fs.vjp(arrays)(x, y)[1]).split("takes ")[1].startswith("(an array of shape (2,)),")
    assert "takes None" in repr(fs.vjp(maybe)(-1.0)[1])


def test_functions_that_call_themselves() -> None:
    assert fs.jvp(called)(2.0, 2, tangent=1.0) == (16.0, 32.0)
    assert fs.jvp(called)(-2.0, 2, tangent=1.0) == (None, None)
    assert fs.vjp(called)(2.0, 2)[1](1.0) == 32.0
    assert fs.vjp(called)(-2.0, 2)[1](None) == 0.0


def tangent_of(x):  # type: ignore[no-untyped-def]
    _, t = fs.jvp(maybe)(x, tangent=3.0)
    return -1.0 if t is None else t


def slope_of(x):  # type: ignore[no-untyped-def]
    j = fs.jacobian(maybe)(x)
    return -1.0 if j is None else j


def pulled_of(x):  # type: ignore[no-untyped-def]
    value, pullback = fs.vjp(maybe)(x)
    return -1.0 if value is None else pullback(value)


def pulled_of_one(x):  # type: ignore[no-untyped-def]
    return fs.vjp(maybe)(x)[1](1.0)


def area(s):  # type: ignore[no-untyped-def]
    return s.radius**2 if isinstance(s, Circle) else s.width * s.height


def area_gradient(x):  # type: ignore[no-untyped-def]
    return fs.grad(area)(shape(x))


def area_tangent(x):  # type: ignore[no-untyped-def]
    return fs.jvp(area)(shape(x), tangent=shape(x))


def area_value_and_gradients(x):  # type: ignore[no-untyped-def]
    return fs.value_and_grad(lambda s, y: area(s) * y, wrt=("s", "y"))(shape(x), x)


def area_hvp(x):  # type: ignore[no-untyped-def]
    return fs.hvp(area)(shape(x), tangent=shape(x))


def second(x):  # type: ignore[no-untyped-def]
    first = lambda x: fs.jvp(lambda x: x**3 if x > 0.0 else None)(x, tangent=1.0)[1]  # noqa: E731
    return fs.jvp(first)(x, tangent=1.0)[1]


def test_in_programs() -> None:
    for f, above, below in [
        (tangent_of, 12.0, -1.0),
        (slope_of, 4.0, -1.0),
        (pulled_of, 16.0, -1.0),
        (area_gradient, Circle(4.0), Rectangle(-6.0, -3.0)),
        (area_tangent, (4.0, 8.0), (18.0, 36.0)),
        (area_value_and_gradients, (8.0, (Circle(8.0), 4.0)), (-54.0, (Rectangle(18.0, 9.0), 18.0))),
        (area_hvp, Circle(4.0), Rectangle(-6.0, -3.0)),
        (second, 12.0, None),
    ]:
        assert fs.function(f)(2.0) == above
        assert fs.function(f)(-3.0) == below
    assert fs.grad(tangent_of)(2.0) == 6.0
    assert fs.function(pulled_of_one)(2.0) == 4.0
    with pytest.raises(RaisedError, match="the cotangent is not of the kind that the value is of"):
        fs.function(pulled_of_one)(-3.0)


def test_another_process_finds_them(tmp_path: Path) -> None:
    program = tmp_path / "kinds.py"
    program.write_text(
        "import fsmooth as fs\n"
        "def maybe(x): return x * x if x > 0.0 else None\n"
        "print(fs.jvp(maybe)(2.0, tangent=1.0), fs.jacobian(maybe)(-2.0), *[fs.vjp(maybe)(x)[0] for x in (2.0, -2.0)],"
        " fs.vjp(maybe)(2.0)[1](1.0), fs.vjp(maybe)(-2.0)[1](None))\n"
    )
    for _ in range(2):
        done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=True)
        assert done.stdout == "(4.0, 4.0) None 4.0 None 4.0 0.0\n"


def test_no_memory_for_what_may_be_none() -> None:
    with pytest.raises(ArgumentError, match="this result is of one of several kinds"):
        fs.function(maybe)(2.0, out=1.0)

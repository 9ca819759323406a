"""Programs with weak numbers: the C of their loops, their derivatives, and which compilation serves a call."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

import numpy as np
import pytest

import fsmooth as fs

X = np.linspace(0.5, 2.0, 200, dtype=np.float32)
SCALE = 0.1


class Pair(NamedTuple):
    slope: float
    shift: float


# -- the C -----------------------------------------------------------------------------------------------------------


def stencil(x):
    w = [0.25, 0.5, 0.25]
    return [sum(w[k] * x[i + k] for k in range(3)) for i in range(len(x) - 2)]


def table(x):
    w = [0.25, 0.5, 0.125]
    return [w[i % 3] * x[i] for i in range(len(x))]


def trapezoid(x):
    h = 1 / (len(x) - 1)
    return sum((0.5 if i == 0 or i == len(x) - 1 else 1.0) * h * x[i] for i in range(len(x)))


def smoothed(a, x):
    out = [0.0] * len(x)
    for i in range(1, len(x) - 1):
        out[i] = x[i] + a * (x[i - 1] - 2 * x[i] + x[i + 1])
    return out


def density(a, x):
    return [math.exp(-0.5 * ((v - a) / 2.0) ** 2) / math.sqrt(2 * math.pi) for v in x]


def accumulated(a, x):
    s = 0.0
    for v in x:
        s = s * 0.5 + a * v
    return s


SINGLE = [
    (lambda x: [2 * np.pi * v * (1 / len(x)) for v in x], (X,)),
    (lambda x: x / len(x), (X,)),
    (lambda x: [float(i) * x[i] for i in range(len(x))], (X,)),
    (lambda x: [i * 0.5 * x[i] for i in range(len(x))], (X,)),
    (lambda a, x: [a * (i + 0.5) / len(x) * x[i] for i in range(len(x))], (0.3, X)),
    (lambda a, x: a * x + 2 * a - SCALE, (0.3, X)),
    (lambda q, x: [q.slope * v + q.shift for v in x], (Pair(0.5, 2.0), X)),
    (stencil, (X,)),
    (table, (X,)),
    (trapezoid, (X,)),
    (smoothed, (0.1, X)),
    (density, (0.5, X)),
    (accumulated, (0.3, X)),
    (fs.grad(accumulated), (0.3, X)),
    (fs.value_and_grad(accumulated, wrt=("a", "x")), (0.3, X)),
    (fs.jacobian(density), (0.3, X)),
]


def loops(source: str) -> list[str]:
    """The outermost loops of a C text."""
    found = []
    for start in re.finditer(r"^    for \(.*$", source, re.MULTILINE):
        end = source.find("\n    }", start.end()) if start.group().endswith("{") else source.find(";\n", start.end())
        found.append(source[start.start() : end])
    return found


@pytest.mark.parametrize(("f", "arguments"), SINGLE)
def test_no_double_in_the_loops_of_single_precision(f, arguments) -> None:
    found = loops(fs.function(f).c_source(*arguments))
    assert found
    for loop in found:
        assert "double" not in loop
        assert not re.search(r"\d\.\d*(e[-+]?\d+)?(?![\df])", loop), loop
        assert not re.search(r"\b(exp|sqrt|sin|cos)\(", loop), loop


def test_the_test_sees_double() -> None:
    doubles = loops(fs.function(lambda d, x: [d * v for v in x]).c_source(np.float64(0.3), X))
    assert "double" in doubles[0]


# -- the values ------------------------------------------------------------------------------------------------------


def sines(x):
    return [math.sin(1e4 * i) * x[i] for i in range(len(x))]


def cancelled(a, x):
    return [(a * i - 10.0 * a - 1e-9) * x[i] for i in range(len(x))]


def far(x):
    return [i * 1e-30 * 1e-30 * 1e60 * x[i] for i in range(len(x))]


def far_branches(x):
    return [(1e-60 if i == 0 else 2e-60) * 1e60 * x[i] for i in range(len(x))]


def far_apart(a, x):
    return [a * 1e200 * 1e-200 * v for v in x]


def chain(x):
    a, b, c, d, e = 0, 0, 0, 0, 0
    for v in x:
        a, b, c, d, e = b, c, d, e, v * 0.5
    return [a + b + c + d + e + v for v in x]


def records(x):
    q = Pair(0.5, 1.0)
    for v in x:
        q = Pair(q.slope + v, q.shift * 0.5 + 1.0)
    return [q.slope * v * q.shift for v in x]


def matrix(x):
    w = [[0.0] * 3 for _ in range(2)]
    w[1][2] = x[0]
    for i in range(2):
        w[i][0] += x[i] * 0.1
        w[i][1] = x[i + 1]
        w[0][2] = x[3]
    return w


@pytest.mark.parametrize(
    ("f", "arguments"),
    [(sines, (X,)), (cancelled, (0.3, X)), (far, (X,)), (far_branches, (X,)), (far_apart, (0.3, X)), (chain, (X,)),
     (records, (X,)), (matrix, (X,))],
)  # fmt: skip
def test_weak_numbers_are_rounded_where_numpy_rounds_them(f, arguments) -> None:
    expected, found = np.asarray(f(*arguments)), fs.function(f)(*arguments)
    assert found.dtype == expected.dtype == np.float32
    assert np.allclose(found, expected, rtol=1e-6, atol=0.0)


def test_an_array_with_weak_and_float32_elements_is_float32() -> None:
    assert fs.function(lambda x: [0.0, x[0], 1])(X).dtype == np.float32
    assert fs.function(lambda x, d: [0.0, x[0], d])(X, np.float64(1.0)).dtype == np.float64


# -- derivatives -----------------------------------------------------------------------------------------------------


def cubic(a, x):
    return sum(a**3 * v for v in x)


def test_derivatives_by_a_weak_argument() -> None:
    total = X.sum(dtype=np.float64)
    assert fs.grad(cubic)(0.3, X) == pytest.approx(3 * 0.09 * total, rel=1e-5)
    assert fs.hessian(cubic)(0.3, X) == pytest.approx(6 * 0.3 * total, rel=1e-5)
    assert fs.jvp(cubic)(0.3, X, tangent=2.0) == pytest.approx((0.027 * total, 0.54 * total), rel=1e-5)


@pytest.mark.parametrize(("x", "dtype"), [(X, np.float32), (X.astype(float), np.float64)])
def test_derivatives_have_the_dtype_of_the_result(x, dtype) -> None:
    scaled = lambda a, x: [a * v for v in x]
    by_a, by_x = fs.jacobian(scaled, wrt=("a", "x"))(0.3, x)
    assert by_a.dtype == by_x.dtype == dtype
    assert np.array_equal(by_a, x)
    assert fs.jacobian(scaled)(np.float64(0.3), x).dtype == np.float64
    of_record = fs.jacobian(lambda q, x: [q.slope * v + q.shift for v in x])(Pair(0.5, 2.0), x)
    assert [part.dtype for part in of_record] == [dtype, dtype]


def step(x):
    return 0.3 if x[0] > 0 else 1.0


def moments(x):
    return (sum(x), [2.0, 3.0], [(v * v, np.float64(2.0) * v) for v in x])


@pytest.mark.parametrize("method", ["forward", "reverse"])
def test_derivatives_by_float32_numbers_are_float32_whatever_the_width_of_the_result(method) -> None:
    x, weights = np.array([1.0, 2.0], np.float32), np.array([3.0, 4.0])
    value, slope = fs.value_and_grad(step, method=method)(x)
    assert value == 0.3
    curvature = fs.hessian(step, method=method)(x)
    by_float64 = fs.grad(lambda x, w: sum(x * w), method=method)(x, weights)
    total, constants, (squares, doubles) = fs.jacobian(moments, method=method)(x)
    wanted = [
        (slope, np.zeros(2)),
        (curvature, np.zeros((2, 2))),
        (by_float64, weights),
        (total, np.ones(2)),
        (constants, np.zeros((2, 2))),
        (squares, np.diag(2 * x)),
        (doubles, 2 * np.eye(2)),
    ]
    for found, expected in wanted:
        assert found.dtype == np.float32
        assert np.array_equal(found, expected)


def test_derivatives_inside_programs() -> None:
    def weak(a, x):
        g = fs.grad(lambda t: t * t)(a)
        return [g * v for v in x]

    def single(a, x):
        g = fs.grad(lambda t, x: sum(t * t * v for v in x))(a, x)
        return [g * v for v in x]

    def double(a, x, y):
        g = fs.grad(lambda t, y: sum(t * t * v for v in y))(a, y)
        return [g * v for v in x]

    y = X.astype(float)
    for f, arguments, factor, dtype in [
        (weak, (0.3, X), 0.6, np.float32),
        (single, (0.3, X), 0.6 * y.sum(), np.float32),
        (double, (0.3, X, y), 0.6 * y.sum(), np.float64),
    ]:
        found = fs.function(f)(*arguments)
        assert found.dtype == dtype
        assert np.allclose(found, factor * y, rtol=1e-5)


# -- which compilation serves ----------------------------------------------------------------------------------------


def test_weak_and_strong_arguments_may_alternate() -> None:
    program = fs.function(lambda a, x: [a * v for v in x])
    for _ in range(3):
        for a in (0.5, np.float64(0.5), 2, np.float32(0.5), np.asarray(0.5)):
            assert program(a, X).dtype == (np.float32 if isinstance(a, float) and type(a) is float else (a * X).dtype)
    in_tuples = fs.function(lambda t, x: [t[0] * v for v in x])
    for _ in range(2):
        for a in (0.5, np.float64(0.5)):
            assert in_tuples((a, 1.0), X).dtype == (a * X).dtype
            assert in_tuples((1.0, a), X).dtype == np.float32


def test_without_float32_one_compilation_serves_both() -> None:
    program = fs.function(lambda a, x: [a * v for v in x])
    program(0.5, X.astype(float))
    fast = program._fast
    assert fast is not None
    assert fast(np.float64(0.5), X.astype(float)) is not None
    program._fast = None
    program(np.float64(0.5), X.astype(float))
    assert len(program._entries) == 1


def test_a_captured_number_that_becomes_numpys() -> None:
    scale: float = 0.5
    program = fs.function(lambda x: [scale * v for v in x])
    for given, dtype in [(0.5, np.float32), (np.float64(0.25), np.float64), (0.125, np.float32)] * 2:
        scale = given
        assert program(X).dtype == dtype
        assert np.array_equal(program(X), given * X)


def test_what_the_cache_keeps_is_for_weak_or_strong_numbers() -> None:
    def scaled(a, x):
        return [a * v for v in x]

    for _ in range(2):
        for a in (0.5, np.float64(0.5)):
            assert fs.function(scaled)(a, X).dtype == (a * X).dtype


def test_functions_of_the_library_outside_programs() -> None:
    assert fs.maximum(X, 1.0).dtype == np.float32
    assert np.allclose(fs.hypot(0.3, X), np.hypot(0.3, X), rtol=1e-6)
    assert fs.maximum(X.astype(float), 1.0).dtype == np.float64


def test_where_it_differs_from_numpy() -> None:
    assert fs.function(lambda k, x: [k[i] * x[i] for i in range(3)])(np.arange(3), X).dtype == np.float32
    assert fs.function(lambda x: [math.exp(v) for v in x])(X).dtype == np.float32
    assert fs.function(lambda x: [float(v) for v in x])(X).dtype == np.float32
    assert fs.function(lambda w, x: [sum(w) * v for v in x])([0.5, 0.25], X).dtype == np.float64


def test_defaults_are_weak() -> None:
    def scaled(x, a=0.5, *, b: float = 2.0):
        return [a * v * b for v in x]

    program = fs.function(scaled)
    assert program(X).dtype == program(X, b=3).dtype == np.float32
    assert program(X, a=np.float64(1.0)).dtype == program(X, b=np.float64(1.0)).dtype == np.float64


def test_an_annotated_integer_is_weak() -> None:
    def scaled(a: float, x):
        return [a * v for v in x]

    assert fs.function(scaled)(2, X).dtype == np.float32


def test_functions_of_the_library_widen_float32_beside_float64() -> None:
    """As NumPy does; an array made of a list of Python's numbers is of float64."""
    x, y, a = np.linspace(0.1, 0.4, 3, dtype=np.float32), np.linspace(0.3, 0.7, 3), 0.1
    programs = [
        (lambda x, y, a: np.dot(x, [a, a, 2.0]), lambda x, y, a: np.dot(x, [a, a, 2.0])),
        (lambda x, y, a: x @ y, lambda x, y, a: x @ y),
        (lambda x, y, a: np.outer([a, 1.0], x), lambda x, y, a: np.outer([a, 1.0], x)),
        (lambda x, y, a: np.clip(x, a, y), lambda x, y, a: np.clip(x, a, y)),
        (lambda x, y, a: np.dot(x, x), lambda x, y, a: np.dot(x, x)),
        (lambda x, y, a: np.clip(x, a, 0.3), lambda x, y, a: np.clip(x, a, 0.3)),
    ]
    for program, plain in programs:
        compiled = fs.function(program)
        found, expected = compiled(x, y, a), plain(x, y, a)
        single = expected.dtype == np.float32
        np.testing.assert_allclose(found, expected, rtol=1e-6 if single else 1e-15)
        assert (str(compiled.compiled(x, y, a).terms["definition"].body.type).count("Float32") == 1) is single
    assert fs.grad(lambda x, y: np.dot(x, y))(x, y).dtype == np.float32
    assert fs.dot(x, [1.0, 2.0, 0.5]) == pytest.approx(np.dot(x, [1.0, 2.0, 0.5]), rel=1e-15)

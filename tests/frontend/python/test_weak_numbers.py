"""Python's own floats take the precision of what they meet: programs give the dtype that NumPy 2 gives."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core.types import F32, Type, leaf_of

X = np.linspace(0.5, 2.0, 4, dtype=np.float32)
Y = np.linspace(1.0, 3.0, 4)
A, N, D, S = 0.3, 3, np.float64(0.7), np.float32(1.7)
SCALE = 0.1
STRONG = np.float64(0.1)
WEIGHTS = [0.25, 0.5, 0.25]
TABLE = np.array([0.25, 0.5, 0.25])
SETTINGS = {"rate": 0.1, "strong": np.float64(0.1), "single": np.float32(0.1)}


class Pair(NamedTuple):
    slope: float
    shift: float


def helper(t, x):
    return t * x


@fs.function
def program(t, v=0.5):
    return t * v


def accumulated(x):
    s = 0.0
    for v in x:
        s = s + v
    return [s * v for v in x]


def accumulated_strong(x, y):
    s = 0.0
    for v in y:
        s = s + v
    return [s * v for v in x]


def accumulated_weak(a, x):
    s = a
    for i in range(len(x)):
        s = s + 0.1 * i
    return [s * v for v in x]


def late(a, x):
    s, t = 0.0, a
    for v in x:
        s = s + t
        t = v
    return [s * v for v in x]


def overwritten(x):
    out = [0.0] * len(x)
    for i in range(len(x)):
        out[i] = x[i] * 0.5
    return out


def written_zeros(x):
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[i] * 0.5
    return out


def branches(a, x):
    if a > 0.0:
        t = 0.5
    else:
        t = a
    return [t * v for v in x]


def branches_single(a, x):
    t = 2.0
    if a > 0.0:
        t = x[0]
    return [t * v for v in x]


def branches_strong(a, d, x):
    t = 2.0
    if a > 0.0:
        t = d
    return [t * v for v in x]


def early(a, x):
    if a > 10.0:
        return a
    return a * x[0]


def carried_strong(d, x):
    s = 0.0
    for _ in range(3):
        s = s + d
    return [s * v for v in x]


def named(x):
    n = len(x)
    h = 1 / n
    half = h * 0.5
    return [half * v + h for v in x]


def inner_function(a, x):
    def weighted(t, w=0.5):
        return t * w * a

    return [weighted(v) for v in x]


def stencil(x):
    w = [0.25, 0.5, 0.25]
    return [sum(w[k] * x[i + k] for k in range(3)) for i in range(len(x) - 2)]


CASES = [
    ("constants", lambda x: [2 * np.pi * v for v in x], (X,)),
    ("reciprocal size", lambda x: [2 * np.pi * v * (1 / len(x)) for v in x], (X,)),
    ("quotient by size", lambda x: x / len(x), (X,)),
    ("sum by size", lambda x: sum(x) / len(x), (X,)),
    ("float of index", lambda x: [float(i) * x[i] for i in range(len(x))], (X,)),
    ("index times constant", lambda x: [i * 0.5 * x[i] for i in range(len(x))], (X,)),
    ("index over size", lambda x: [x[i] * ((i + 0.5) / len(x)) for i in range(len(x))], (X,)),
    ("index over integer", lambda x, n: [x[i] * (i / n) for i in range(len(x))], (X, N)),
    ("true division", lambda x, n: [v * (7 / n) for v in x], (X, N)),
    ("power of integers", lambda x, n: [v * n**-2 for v in x], (X, N)),
    ("power of a quotient", lambda x: [v ** (1 / 2) for v in x], (X,)),
    ("weak exponent", lambda a, x: [v**a for v in x], (A, X)),
    ("weak base", lambda a, x: [a**v for v in x], (A, X)),
    ("weak argument", lambda a, x: [a * v for v in x], (A, X)),
    ("weak argument, array", lambda a, x: a * x, (A, X)),
    ("weak plus", lambda a, x: a + x - 2 * a, (A, X)),
    ("weak by float64", lambda a, y: a * y, (A, Y)),
    ("integer argument", lambda n, x: n * x, (N, X)),
    ("weak arguments alone", lambda a, n: [a * k for k in range(n)], (A, N)),
    ("weak with integer argument", lambda a, n, x: (a * n + 1) * x, (A, N, X)),
    ("float64 argument", lambda d, x: d * x, (D, X)),
    ("float32 argument", lambda s, x: s * x, (S, X)),
    ("weak by float32 argument", lambda a, s: [a * s], (A, S)),
    ("float64 by float32", lambda d, s: [d * s], (D, S)),
    ("weak and float64", lambda a, d, x: (a * d) * x, (A, D, X)),
    ("weak and float64, apart", lambda a, d, x: [a * v for v in x] + [d * v for v in x], (A, D, X)),
    ("float64 array", lambda x, y: x * y, (X, Y)),
    ("float of float64", lambda d, x: float(d) * x, (D, X)),
    ("np.float64 of weak", lambda a, x: np.float64(a) * x, (A, X)),
    ("np.float32 of float64", lambda d, x: np.float32(d) * x, (D, X)),
    ("math.sqrt of weak", lambda a, x: math.sqrt(2.0 * a) * x, (A, X)),
    ("math.exp of size", lambda x: math.exp(-len(x)) * x, (X,)),
    ("np.sqrt of weak", lambda a, x: np.sqrt(a) * x, (A, X)),
    ("np.exp of float32", lambda a, x: np.exp(-a * x), (A, X)),
    ("np.maximum", lambda a, x: np.maximum(x, a), (A, X)),
    ("np.where", lambda a, x: np.where(x > a, x, a), (A, X)),
    ("max of numbers", lambda a, x: [max(v, np.float32(1.0)) * a for v in x], (A, X)),
    ("comparison", lambda a, x: [v * (a if a > v else 1.0) for v in x], (A, X)),
    ("conditional", lambda x: [v * (0.5 if i == 0 else 1.0) for i, v in enumerate(x)], (X,)),
    ("conditional float64", lambda d, x: [v * (d if d > 0 else 1.0) for v in x], (D, X)),
    ("sum of weak", lambda a, x: sum(a * k for k in range(3)) * x, (A, X)),
    ("sum of products", lambda a, x: sum(a * v for v in x), (A, X)),
    ("sum of float64", lambda x, y: sum(y) * x, (X, Y)),
    ("max of weak", lambda a, x: max(a, 2.0) * x, (A, X)),
    ("modulo", lambda a, x: x % a, (A, X)),
    ("floor division", lambda a, x: x // a, (A, X)),
    ("negated", lambda a, x: -a * x, (A, X)),
    ("abs", lambda a, x: abs(-a) * x, (A, X)),
    ("array of weak", lambda a: [a, 2 * a], (A,)),
    ("element of a list", stencil, (X,)),
    ("np.array of weak", lambda x: np.array([0.25, 0.5, 0.25, 1.0]) * x, (X,)),
    ("zeros", lambda x: np.zeros(len(x)) + x, (X,)),
    ("full", lambda a, x: np.full(len(x), a) * x, (A, X)),
    ("accumulator", accumulated, (X,)),
    ("accumulator of float64", accumulated_strong, (X, Y)),
    ("weak accumulator", accumulated_weak, (A, X)),
    ("accumulator, later", late, (A, X)),
    ("carried float64", carried_strong, (D, X)),
    ("list overwritten", overwritten, (X,)),
    ("zeros overwritten", written_zeros, (X,)),
    ("branches", branches, (A, X)),
    ("branch of float32", branches_single, (A, X)),
    ("branch of float64", branches_strong, (A, D, X)),
    ("early return", early, (A, X)),
    ("names", named, (X,)),
    ("helper", lambda a, x: [helper(a, v) for v in x], (A, X)),
    ("program", lambda x: [program(v) * x[0] for v in x], (X,)),
    ("program of weak", lambda a, x: program(a) * x, (A, X)),
    ("inner function", inner_function, (A, X)),
    ("captured", lambda x: [SCALE * v for v in x], (X,)),
    ("captured float64", lambda x: [STRONG * v for v in x], (X,)),
    ("captured list", lambda x: [w * v for w, v in zip(WEIGHTS, x, strict=False)], (X,)),
    ("captured array", lambda x: [TABLE[k] * x[k] for k in range(3)], (X,)),
    ("captured dictionary", lambda x: SETTINGS["rate"] * x, (X,)),
    ("captured dictionary of float64", lambda x: SETTINGS["strong"] * x, (X,)),
    ("captured dictionary of float32", lambda x: SETTINGS["single"] * x, (X,)),
    ("record", lambda q, x: q.slope * x + q.shift, (Pair(0.5, 2.0), X)),
    ("record of float64", lambda q, x: q.slope * x + q.shift, (Pair(0.5, D), X)),
    ("tuple", lambda t, x: t[0] * x, ((A, D), X)),
    ("dtype of an array", lambda x: np.zeros(4, dtype=x.dtype) + np.arange(4).astype(x.dtype) * x, (X,)),
    ("matrix", lambda a, m: [[a * v / len(m) for v in row] for row in m], (A, np.outer(X, X))),
]


def result_type(f: fs.Function, arguments: tuple[object, ...]) -> Type:
    """The type of the elements of the result."""
    code = f.compiled(*arguments).code
    assert code is not None
    return leaf_of(code.result)


@pytest.mark.parametrize(("f", "arguments"), [pytest.param(f, a, id=name) for name, f, a in CASES])
def test_programs_have_the_dtype_of_numpy(f, arguments) -> None:
    expected = np.asarray(f(*arguments))
    compiled = fs.function(f)
    found = np.asarray(compiled(*arguments))
    width = np.float32 if result_type(compiled, arguments) == F32 else np.float64
    assert width == expected.dtype
    assert found.ndim == 0 or found.dtype == expected.dtype
    assert np.allclose(found, expected, rtol=1e-6 if width is np.float32 else 1e-14, atol=0.0)

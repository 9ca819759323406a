"""Arithmetic, comparisons and conversions of numbers."""

# ruff: noqa

from __future__ import annotations

import math

import numpy as np

from tests.frontend.python.cases import Cases, X

SINGLE = np.array([1.0, -2.0, 3.0, -4.0, 0.5], np.float32)
X = SINGLE.astype(float)

CASES = Cases(
    [
        (lambda x: (1 < x < 3, 1 < x <= 2 < 3, x == 2.0, x != 2.0, not x > 1, 0 < x and x < 5, x > 5 or x < 3), (2.0,)),
        (lambda x: (x // 1.5, x % 1.5, -x // 1.5, -x % 1.5, x**3, x ** (-1), x**0.5, x**2.5, 2**x, -(x**2)), (2.0,)),
        (
            lambda a, b: (a // b, a % b, a / b, a**2, -a, abs(b), a - b * 3),
            (
                7,
                -2,
            ),
        ),
        (
            lambda x: (
                int(x),
                int(-x),
                round(x),
                round(-2.5),
                math.floor(x),
                math.ceil(x),
                float(3),
                bool(x),
                math.trunc(-x),
            ),
            (2.7,),
        ),
        (
            lambda x: (
                abs(-x),
                pow(x, 2),
                math.pow(x, 2),
                math.sqrt(x),
                math.exp(x),
                math.log(x),
                math.log(x, 2),
                math.log10(x),
                math.log2(x),
            ),
            (2.7,),
        ),
        (lambda x: (math.degrees(x), math.radians(x)), (0.7,)),
        (lambda x: (math.isinf(x), math.isfinite(x)), (0.7,)),
        (lambda x: (math.log10(x), math.log2(x)), (0.7,)),
        (
            lambda x, y: divmod(x, y),
            (
                7.5,
                2.5,
            ),
        ),
        (
            lambda x, y: divmod(x, y),
            (
                7,
                2,
            ),
        ),
        (lambda x: (x * 2, x * 2.5, x + 1, x / 3), (np.float32(2.0),)),
        (
            lambda x, y: [a * y for a in x],
            (
                SINGLE,
                2.0,
            ),
        ),
        (
            lambda x, y: [a * b for a, b in zip(x, y)],
            (
                SINGLE,
                X,
            ),
        ),
        (lambda x: x * 2, (np.array(2.0),)),
        (lambda n: ([i * 0.5 for i in range(n)], n * 2, n / 2), (3,)),
        (lambda b: (1.0 if b else 2.0, not b, b + 1, b * 2.5), (True,)),
        (
            lambda a, b: (a and b, a or b, a == b, a != b, a & b if False else a),
            (
                True,
                False,
            ),
        ),
        (lambda n: n + 1, (np.int64(3),)),
    ]
)


@CASES(2.0)
def augmented_assignments(x):
    y: float = x * 2
    y *= 3
    y -= 1
    y /= 2
    y **= 2
    y //= 1
    y %= 7
    return y


@CASES(2.0)
def docstring_and_pass(x):
    """Doc."""
    pass
    ...
    return x


@CASES(2.0)
def branch_statement(x):
    if x > 1:
        y = 1.0
    else:
        y = x
    return y


@CASES(2.0)
def elif_without_else(x):
    y = 0
    if x > 1:
        y = x
    elif x > 0:
        y = 2
    return y


@CASES(2.0)
def names_in_other_order(x):
    if x > 1:
        y = 1.0
        z = 2.0
    else:
        z = 3.0
        y = 4.0
    return y + z


@CASES(2.0)
def number_as_condition(x):
    if x:
        return 1.0
    return 0.0

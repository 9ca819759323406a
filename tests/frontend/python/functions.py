"""Functions inside functions, defaults, early returns."""

# ruff: noqa

from __future__ import annotations

import math

from tests.frontend.python.cases import Cases, X


def helper(a, b=2.0, *, c=1.0):
    return a * b + c


def two(a):
    return a, a * 2


def early(x):
    if x > 0:
        return x
    return -x


def graded(x):
    if x > 2:
        return 1.0
    elif x > 1:
        return 2.0
    elif x > 0:
        y = x * 2
        return y
    z = x * 3
    return z


CASES = Cases(
    [
        (lambda x: (helper(x), helper(x, 3.0), helper(x, b=4.0), helper(x, c=5.0), helper(b=x, a=1.0)), (2.0,)),
        (lambda x: (early(x), graded(x), graded(x + 5), graded(x + 3.5), graded(x + 2.5)), (-2.0,)),
    ]
)


@CASES(2.0)
def unpacked_call(x):
    a, b = two(x)
    return a + b


@CASES(2.0)
def inner_function(x):

    def g(y):
        return y * x

    return g(3.0) + g(x)


@CASES(2.0)
def inner_lambda_with_default(x):
    g = lambda y, z=2: y * z + x
    return (g(3.0), g(1.0, 5))


@CASES(2.0)
def function_given_to_function(x):

    def g(h, y):
        return h(h(y))

    return g(lambda t: t * t, x)


@CASES(2.0)
def function_that_makes_functions(x):

    def make(k):

        def inner(y):
            return y * k

        return inner

    d = make(3.0)
    return d(x)


@CASES(2.0)
def functions_in_a_list(x):
    each = [lambda t: t, lambda t: t * t, math.sin]
    return sum((f(x) for f in each))


@CASES(2.0)
def early_return_inside(x):

    def g(y):
        if y > 1:
            return y
        return 0.0

    return g(x) + g(-x)


@CASES(X)
def inner_function_of_arrays(x):

    def sq(v):
        return [a * a for a in v]

    return sum(sq(sq(x)))


@CASES(X)
def closure_over_an_array(x):
    y = x * 1.0

    def g(i):
        return y[i]

    return g(0) + g(1)

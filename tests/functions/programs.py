"""Programs with functions as values; each runs in Python as it is."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import fsmooth as fs

PROGRAMS: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = []


def tried(*arguments: tuple[Any, ...]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A program, with arguments to try it on; the first of them that is a number or an array is differentiated by."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS.append((function, list(arguments)))
        return function

    return add


x = np.array([0.5, -2.0, 3.0])
A = np.array([[1.0, 2.0, 0.5], [0.0, -1.0, 4.0], [2.0, 1.0, 1.0]])

# -- functions -------------------------------------------------------------------------------------------------------


@tried((2.0, 1.0), (2.0, -1.0))
def in_each_branch(x, c):
    f = (lambda y: y * y) if c > 0.0 else (lambda y: 3.0 * y)
    return f(x) + f(x + 1.0)


@tried((2.0, 1.0), (2.0, -1.0))
def of_a_module(x, c):
    if c > 0.0:
        f = np.sin
    else:
        f = math.cos
    return f(x) * f(2.0 * x)


def times(a):
    return lambda y: a * y


@tried((2.0, 1.0), (3.0, -1.0))
def with_what_it_captured(x, c):
    f = times(2.0 * x) if c > 0.0 else times(x * x)
    return f(x)


def picked(c, a):
    if c > 0.0:
        return lambda y: a + y
    b = a * a
    return lambda y: b * y


@tried((2.0, 1.0), (2.0, -1.0))
def returned_from_each_branch(x, c):
    return picked(c, x)(3.0 * x)


def with_another_value_later(c, a):
    b = a
    if c > 0.0:
        b = 2.0 * a
        return lambda y: b * y
    return lambda y: y - b


@tried((2.0, 1.0), (2.0, -1.0))
def what_it_read_when_it_was_returned(x, c):
    return with_another_value_later(c, x)(x)


@tried((2.0, 1.0), (2.0, -1.0))
def what_its_names_stand_for_when_it_is_called(x, c):
    a = 1.0
    f = (lambda y: a * y) if c > 0.0 else (lambda y: a + y)
    a = x * x
    return f(x)


@tried((x, 0.0), (x, 5.0), (x[:0], 0.0))
def carried_by_a_loop(x, c):
    f = times(1.0)
    for v in x:
        if v > c:
            f = times(v)
    return f(2.0)


@tried((x, 0.0), (x, 5.0))
def another_one_in_each_step(x, c):
    f, s = math.sin, 0.0
    for v in x:
        s += f(v)
        f = math.cos if v > c else times(v)
    return s


@tried((0.3, 4), (0.3, 5))
def changed_on_the_way(x, n):
    step = lambda y: 0.5 * y  # noqa: E731
    for i in range(n):
        x = step(x)
        if i == 3:
            step = lambda y: y * y + 1.0  # noqa: E731
    return x


@tried((2.0, 0), (2.0, 1), (2.0, 2))
def from_a_list(x, k):
    functions = [np.sin, np.exp, lambda v: v * x]
    return functions[k](x)


TABLE = (np.tanh, times(3.0), math.sqrt)


@tried((2.0, 0), (2.0, 1), (2.0, 2))
def from_a_captured_table(x, k):
    return TABLE[k](x)


@tried((x,), (x[:1],), (x[:0],))
def in_a_list_that_grows(x):
    steps = []
    for v in x:
        if v > 0.0:
            steps.append(times(v))
        else:
            steps.append(lambda y, v=v: y - v * v)
    s = 1.0
    for f in steps:
        s = f(s)
    return s


@dataclass
class Layer:
    weight: float
    activation: Callable[[float], float]


@tried((2.0, 1.0), (2.0, -1.0))
def in_a_field(x, c):
    layer = Layer(x, np.sin if c > 0.0 else lambda v: v * x)
    return layer.activation(layer.weight * x)


def composed(f, g):
    return lambda y: f(g(y))


@tried((2.0, 1.0), (0.2, -1.0))
def that_holds_functions(x, c):
    h = composed(np.sin, np.cos) if c > 0.0 else composed(np.exp, lambda y: y * x)
    return h(h(x))


@tried((2.0, 1.0), (2.0, -1.0))
def that_calls_one_beside_it(x, c):
    def make(a):
        def inner(y):
            return a * y + x

        def outer(y):
            return inner(inner(y))

        return outer

    f = make(2.0) if c > 0.0 else make(x)
    return f(x)


@tried((2.0, 0), (2.0, 1))
def newton_of_one_of_two(a, k):
    f = [lambda y: y * y - a, lambda y: y**3 - a][k]
    slope = [lambda y: 2.0 * y, lambda y: 3.0 * y * y][k]
    y = a
    for _ in range(30):
        y = y - f(y) / slope(y)
    return y


def chooser(n, x):
    if n <= 0:
        return math.sin
    if n == 1:
        return lambda y: x * y
    return chooser(n - 2, x)


@tried((0.3, 4), (0.3, 5))
def from_a_function_that_calls_itself(x, n):
    return chooser(n, x)(2.0 * x)


@tried((A, x, 1.0), (A, x, -1.0))
def with_a_matrix(A, x, c):
    f = (lambda v: A @ v) if c > 0.0 else (lambda v: v)
    return np.sum(f(x) ** 2)


def linear(A):
    return lambda v: A @ v


@tried((A, x, 1.0), (A, x, -1.0))
def with_a_captured_matrix(A, x, c):
    f = linear(2.0 * A) if c > 0.0 else (lambda v: v)
    return np.sum(f(x) ** 2)


# -- what is made of functions ---------------------------------------------------------------------------------------


@tried((2.0, [0.5, -2.0, 3.0]))
def in_a_comprehension(y, x):
    functions = [times(v) for v in x]
    s = y
    for f in functions:
        s = f(s)
    return s + functions[1](y)


@tried((2.0, 3))
def in_a_comprehension_without_captures(y, n):
    functions = [(lambda v: v * v) for _ in range(n)]
    return functions[n - 1](y)


@tried((2.0, 1.0), (2.0, -1.0))
def keywords_and_defaults(y, c):
    f = (lambda a, b=2.0: a * b) if c > 0 else (lambda a, b=3.0: a + b)
    return f(y) + f(y, b=5.0) + f(a=y)


@tried((2.0, 1.0), (2.0, -1.0))
def spread_arguments(y, c):
    f = (lambda a, b: a * b) if c > 0 else (lambda a, b: a + b)
    args = (y, 3.0)
    return f(*args)


@dataclass
class Scale:
    weight: float

    def up(self, v):
        return self.weight * v

    def down(self, v):
        return v / self.weight

    def squared(self, v):
        return self.weight * v * v


@tried((2.0, 1.0), (2.0, -1.0))
def bound_methods(y, c):
    scale = Scale(y)
    f = scale.up if c > 0 else scale.down
    return f(3.0)


@tried((2.0, 1.0), (2.0, -1.0))
def partial_applications(y, c):
    f = functools.partial(lambda a, b: a * b, y) if c > 0 else functools.partial(lambda a, b: a + b, b=y)
    return f(3.0)


@tried((x, 1.0), (x, -1.0))
def mapped_and_reduced(x, c):
    f = (lambda v: v**3) if c > 0 else math.sin
    g = (lambda a, b: a * b) if c > 0 else (lambda a, b: a + b)
    return sum(map(f, x)) + sum(f(v) for v in x) + functools.reduce(g, x)


@tried((x, 1.0), (x, -1.0))
def vectorized(x, c):
    f = (lambda v: v**3) if c > 0 else np.sin
    return np.sum(np.vectorize(f)(x))


@tried((2.0, 1.0), (2.0, -1.0))
def in_a_tuple(y, c):
    f, z = (np.sin, 1.0) if c > 0 else (np.cos, y)
    return f(z) * y


@tried((2.0, 4))
def in_a_tuple_that_a_loop_carries(y, n):
    s = (np.sin, y)
    for i in range(n):
        s = (np.cos if i % 2 else times(y), s[0](s[1]))
    return s[1]


def with_a_name_of_its_own(a):
    s = []
    for i in range(3):
        s.append(a * i)

    def inner(y):
        s = 2 * y
        return s * a

    return inner


@tried((2.0, 1.0), (2.0, -1.0))
def a_name_of_its_own_is_not_captured(a, c):
    return (with_a_name_of_its_own(a) if c > 0 else np.sin)(a)


MODES = {"square": lambda y: y * y, "sin": np.sin, "cos": math.cos}


@tried((2.0, 1.0), (2.0, -1.0))
def of_a_table_by_name(y, c):
    mode = "sin" if c > 0 else "square"
    own = {"square": y, "sin": 2.0}
    return MODES[mode](y) * own[mode]


@tried((2.0, 1.0), (2.0, -1.0))
def derivatives_of_methods(y, c):
    scale = Scale(y)
    f = scale.squared if c > 0 else scale.down
    return fs.grad(f)(3.0) + fs.grad(scale.squared)(y) + np.sum(fs.vmap(f)(np.array([1.0, 2.0])))


@tried((2.0, 0), (2.0, 1))
def named_where_it_is_read(y, k):
    i = 0
    table = [np.sin, np.cos, times(y)]
    factors = {1: y, 2: 3.0}
    s = table[(i := i + 1)](y) * factors[(i := i + 1)]
    return s + table[(k := k + 1)](y) * k + i

"""Programs with one mistake each; messages.txt has what is said about them."""

# ruff: noqa

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

import fsmooth as fs

BAD: list[tuple[Callable[..., object], tuple[object, ...]]] = []
x = np.array([1.0, 2.0, 3.0])
A = np.ones((3, 4))


def bad(*arguments: object) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Add a program, with arguments to try it on."""

    def add(function: Callable[..., object]) -> Callable[..., object]:
        BAD.append((function, arguments))
        return function

    return add


@bad(x)
def undefined(x):
    return x[0] + z


@bad(1.0)
def spelled(Width):
    return width


@bad(x)
def while_without_end(x):
    total = 0.0
    while x[0] > 0:
        total += 1.0
    return total


@bad(x)
def while_true(x):
    total = 0.0
    while True:
        total += x[0]
    return total


@bad(x)
def while_without_state(x):
    while x[0] > 0:
        pass
    return x


@bad(x)
def while_changes_a_type(x):
    y = 1.0
    while y < 3.0:
        y = x
    return y


@bad(x)
def while_changes_a_size(x):
    y = np.array([1.0, 2.0])
    while y[0] < 3.0:
        y = np.array([y[0], y[1], 1.0])
    return y[0]


@bad(x)
def only_in_while(x):
    k = 0
    while k < 3:
        y = y + x[k]
        k += 1
    return y


@bad(x)
def while_of_an_array(x):
    while x:
        x = x - 1.0
    return x


@bad(x)
def try_statement(x):
    try:
        return x
    except ValueError:
        return x


@bad(x)
def with_statement(x):
    with open("a") as f:
        pass
    return x


@bad(x)
def inner_class(x):
    class A:
        pass

    return x


@bad(x)
def generator_function(x):
    yield x


@bad(x)
def global_name(x):
    global z
    z = 1
    return x


@bad(x)
def starred_argument(x):
    return max(*x)


@bad(x)
def set_display(x):
    return {x[0]}


@bad(x)
def f_string(x):
    return f"{x}"


@bad(x)
def string(x):
    return "abc"


@bad(x)
def no_return(x):
    y = x[0]


@bad(x)
def returns_on_some_paths(x):
    if x[0] > 1:
        return 1.0


@bad(x)
def unknown_numpy(x):
    return np.fft.fft(x)


@bad(x)
def unknown_math(x):
    return math.nextafter(1.0, 2.0)


@bad(x)
def unknown_builtin(x):
    return open("a")


@bad(x)
def no_such_name(x):
    return np.nosuch(x)


@bad(x)
def no_such_attribute(x):
    return x.foo


@bad(x)
def recursion(x):
    return recursion(x)


@bad(x, A)
def too_many_indices(x, A):
    return x[0, 1]


@bad(1.0)
def index_of_number(x):
    return x[0]


@bad(x)
def sizes_differ(x):
    return [1.0, 2.0] + np.array([1.0, 2.0, 3.0])


@bad(3)
def ragged(n):
    return [[1.0 for j in range(i)] for i in range(n)]


@bad(x)
def ragged_display(x):
    return [[1.0], [1.0, 2.0]]


@bad(x)
def mixed_display(x):
    return np.array([1.0, (2.0, 3.0)])


@bad(x)
def real_index(x):
    return x[0.5]


@bad(x)
def real_range(x):
    return sum(i for i in range(x[0]))


@bad(x)
def alias(x):
    y = x.copy()
    z = y
    y[0] = 1.0
    return z


@bad(x)
def assigned_in_a_branch(x):
    if x[0] > 1:
        y = zip(x, x, strict=True)
    return sum([a * b for a, b in y])


@bad(x)
def assigned_in_a_loop(x):
    for a in x:
        y = y * a
    return y


@bad(x)
def branches_clash(x):
    y = 1.0 if x[0] > 1 else x
    return y


@bad(x)
def loop_clash(x):
    s = 0.0
    for a in x:
        s = [a, a]
    return s


@bad(x)
def call_of_array(x):
    return x(1)


@bad(x)
def arguments_of_math(x):
    return math.sin(1, 2)


def helper(a, b):
    return a


@bad(x)
def missing_argument(x):
    return helper(1)


@bad(x)
def unknown_keyword(x):
    return helper(1, c=2)


@bad(x)
def gradient_of_array(x):
    return fs.grad(lambda v: v)(x)


@bad(3)
def gradient_in_integer(n):
    return fs.grad(lambda k: 1.0 * k)(n)


@bad(x)
def unknown_wrt(x):
    return fs.grad(lambda v: v[0], wrt="w")(x)


@bad(x)
def unknown_method(x):
    return fs.grad(lambda v: v[0], method="magic")(x)


@bad(x)
def unpacked_too_few(x):
    a, b = (1.0, 2.0, 3.0)
    return a


@bad(x)
def unpacked_number(x):
    a, b = x[0]
    return a


@bad(x)
def part_assignment(x):
    y = [x, x]
    y[0:2][0] = 1.0
    return y


@bad(x)
def attribute_assignment(x):
    x.foo = 1
    return x


@bad(x)
def value_not_used(x):
    print(x)
    return x


@bad(x)
def sorting(x):
    return sorted(x, cmp=abs)


@bad(x)
def membership(x):
    return 1.0 in x


@bad(x)
def array_as_condition(x):
    return 1.0 if x else 2.0


@bad(x)
def growing_list(x):
    r = [0.0]
    for a in x:
        r.insert(0, a)
    return r


@bad(x)
def computed_step(x):
    return x[:: int(x[0])]


@bad(x)
def real_index_array(x):
    return x[x]


@bad(x)
def two_ellipses(x):
    return x[..., ...]


@bad(x)
def table_into_a_row(x):
    y = x.copy()
    y[1:] = [x[1:], x[1:]]
    return y


@bad(x)
def table_in_place(x):
    y = x.copy()
    y += [x, x]
    return y


@bad(x)
def halves_of_integers(x):
    k = [0, 1]
    k[:] = x
    return k


@bad(x)
def slice_of_unlike_size(x):
    y = [0.0, 0.0, 0.0]
    y[1:] = [x[0], x[1], x[2]]
    return y


@bad(x)
def accumulated_otherwise(x):
    y = x.copy()
    np.hypot.at(y, [0, 0], 1.0)
    return y


@bad(x)
def bare_generator(x):
    return (a for a in x)


@bad(x)
def inner_decorator(x):
    @fs.function
    def g(y):
        return y

    return g(x)


@bad(x)
def inner_async(x):
    async def f():
        return 1

    return x


@bad(x)
def complex_number(x):
    return 1j * x[0]


@bad(x)
def invert(x):
    return ~x[0]


@bad(x)
def bitand(x):
    return x[0] & 2


@bad(x)
def tuple_arithmetic(x):
    return (1.0, 2.0) - (3.0,)


@bad(x)
def axis_out_of_range(x):
    return np.sum(x, axis=3)


@bad(x)
def unknown_numpy_keyword(x):
    return np.sum(x, axes=0)


@bad(x)
def alias_in_loop(x):
    y = x.copy()
    z = y
    for i in range(3):
        y[i] = 0.0
    return z


@bad(x)
def alias_read_in_loop(x):
    y = x.copy()
    z = y
    for i in range(3):
        y[i] = z[0]
    return y


@bad(x)
def alias_in_branch(x):
    y = x.copy()
    z = y
    if x[0] > 1:
        y[0] = 0.0
    return z


@bad(A)
def row_of_changed_matrix(A):
    row = A[0]
    A[0, 0] = 2.0
    return row


@bad(A)
def matrix_of_changed_row(A):
    row = A[0]
    row[0] = 2.0
    return A


@bad(x)
def slice_of_changed_array(x):
    y = x[1:]
    y[0] = 5.0
    return x


@bad(x)
def changed_in_place(x):
    y = x
    y += 1.0
    return x


def overwrite(v):
    v[0] = 0.0
    return v[1]


@bad(x)
def changed_by_helper(x):
    return overwrite(x) + x[0]


@bad(x)
def growing_array(x):
    y = x.copy()
    y.append(1.0)
    return y


@bad(x)
def integers_hold_no_reals(x):
    y = [1, 2, 3]
    y[0] = x[0]
    return y


@bad(x)
def number_as_function(x):
    return fs.grad(x[0])(x)

"""More programs with one mistake each: keywords, containers, records, sizes, derivatives in programs."""

# ruff: noqa

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import special

import fsmooth as fs
from tests.errors.programs import A, x

BAD: list[tuple[object, tuple[object, ...]]] = []


def wrong(*arguments):
    """Add a program, with arguments to try it on."""

    def add(function):
        BAD.append((function, arguments))
        return function

    return add


class Pair(NamedTuple):
    u: float
    v: float


class Holder:
    weight = 2.0


holder = Holder()


def starred(f):
    @functools.wraps(f)
    def wrapper(*arguments):
        return f(*arguments)

    return wrapper


@starred
def helper(a):
    return a


@wrong(x)
def unknown_dtype(x):
    return np.array(x, dtype=np.int8)


@wrong(A)
def side_by_side(A):
    return np.hstack((A, A[0]))


@wrong(A)
def parts_not_written_out(A):
    return np.hstack(A)


@wrong(x)
def in_brackets_with_directions(x):
    return np.r_["-1", x, x]


@wrong(x)
def in_brackets_without_an_end(x):
    return np.r_[0:, x]


@wrong(x)
def an_object_of_numpy(x):
    return np.s_ + x


@dataclass
class Own:
    u: float
    v: float

    def __len__(self):
        return 7

    def __eq__(self, other):
        return self.u == other.u


@dataclass(eq=False)
class Plain:
    u: float


@wrong(1.0)
def elements_of_its_own(x):
    a, b = Own(x, x)
    return a * b


@wrong(1.0)
def elements_of_a_dataclass(x):
    u, v = Plain(x), 2.0
    return u[0] * v


@wrong(1.0)
def an_equality_of_its_own(x):
    return 1.0 if Own(x, 1.0) == Own(x, 2.0) else 0.0


@wrong(1.0)
def an_equality_that_is_identity(x):
    return 1.0 if Plain(x) == Plain(x) else 0.0


@wrong(1.0)
def elements_of_what_may_be_two_texts(x):
    m = "lin" if x > 0 else "log"
    return sum(1.0 for _ in m)


@wrong(x)
def comprehension_repeated(x):
    return [a for a in x] * 2


@wrong(x)
def columns_by_star(x):
    return [sum(c) for c in zip(*x)]


@wrong(1.0, 2.0)
def order_of_tuples(a, b):
    return (a, b) < (b, a)


@wrong(x)
def chain_of_arrays(x):
    return 0 < x < 2


@wrong(1.0, 2.0)
def identity_of_numbers(a, b):
    return a is b


@wrong(1.0)
def truth_and_number(a):
    b = a > 0 and a
    return b


@wrong(x)
def membership_too(x):
    return 1.0 in x


@wrong(Pair(1.0, 2.0))
def no_such_field(p):
    return p.w


@wrong(Pair(1.0, 2.0))
def replaced_field(p):
    return p._replace(w=1.0)


@wrong(Pair(1.0, 2.0))
def sum_of_records(p):
    return p + p


@wrong(x)
def no_such_attribute_of_an_object(x):
    return holder.height * x[0]


@wrong(x)
def extremum_of_nothing(x):
    return max(())


@wrong(x)
def sizes_of_displays(x):
    return [1.0, 2.0] * np.array([1.0, 2.0, 3.0])


@wrong(x)
def branches_of_other_sizes(x):
    return [1.0, 2.0] if x[0] > 0 else [1.0, 2.0, 3.0]


@wrong(x)
def array_grows_in_loop(x):
    y = [0.0, 1.0]
    for _ in range(3):
        y = [0.0, 1.0, 2.0]
    return y


@wrong(x)
def constant_index(x):
    y = [x[0], x[1]]
    return y[2]


@wrong(x)
def names_for_values(x):
    a, b = [1.0, 2.0, 3.0]
    return a + b


@wrong(x)
def ragged_sum(x):
    return sum(x[:i] for i in range(len(x)))


@wrong(x)
def solver(x):
    return np.linalg.eig([[1.0, 0.0], [0.0, 1.0]])


@wrong(x)
def gradient_of_a_vector(x):
    return fs.grad(lambda v: v * 2)(x)


@wrong(3)
def gradient_of_integers(n):
    return fs.grad(lambda k: k * 2.0)(n)


@wrong(x)
def gradient_of_a_built_in(x):
    return fs.grad(print)(x[0])


@wrong(x)
def schedule_inside(x):
    return fs.grad(lambda v: sum(v), schedule="REAL")(x)


@wrong(2)
def far_integer(n):
    return n * 10**25


@wrong(2)
def far_result(n):
    return n, 2**63


@wrong(x)
def no_parameters(x):
    return fs.grad(lambda v: sum(v), wrt=())(x)


@wrong(x)
def parameter_twice(x):
    return fs.grad(lambda v, w: v[0] * w[0], wrt=("v", 0))(x, x)


@wrong(x)
def gradient_of_an_integer(x):
    return fs.grad(lambda v: fs.argmax(v))(x)


@wrong(x)
def jvp_without_tangent(x):
    return fs.jvp(lambda v: sum(v))(x)


@wrong(1.0)
def deriv_of_an_earlier_value(a):
    b = a * a
    return fs.deriv(b, a)


@wrong(x)
def deriv_without_a_variable(x):
    return fs.deriv(x[0] * x[1], x[0])


@wrong(x)
def fold_of_another_type(x):
    return fs.ifold(lambda s, i: x, 0.0, 3)


@wrong(np.ones(2), 3)
def recursive_changes(a, n):
    a[0] = a[0] + 1.0
    return a[0] if n == 0 else recursive_changes(a, n - 1)


@wrong(1.0, 3)
def recursive_lists(x, n):
    def down(n, found):
        found.append(x)
        return 0.0 if n == 0 else down(n - 1, found)

    return down(n, [])


@wrong(1.0, 3)
def recursive_types(x, n):
    return x if n == 0 else (recursive_types(x, n - 1), 1.0)


@wrong(1.0, 3)
def recursive_ever_new(x, n):
    def down(f, n):
        return f(x) if n == 0 else down(lambda y: f(y) * x, n - 1)

    return down(lambda y: y, n)


@wrong(x)
def memory_shared(x):
    y = x.copy()
    z = y
    z[0] = 1.0
    return y


@wrong(x)
def changed_by_inner_function(x):
    y = x.copy()

    def change():
        y[0] = 1.0
        return y[0]

    first = change()
    return y[0] + first


@wrong(x)
def list_of_one_array(x):
    state, path = x.copy(), []
    for k in range(3):
        state[k] = 0.0
        path.append(state)
    return path


@wrong(x)
def list_under_two_names(x):
    xs = []
    ys = xs
    for a in x:
        ys.append(a)
    return xs


@wrong(x)
def list_of_unlike_rows(x):
    rows = []
    for k in range(3):
        rows.append(x[:k])
    return rows


@wrong(x)
def list_read_while_counted(x):
    xs = [x[0]]
    while xs[0] + xs[-1] < 10:
        xs.append(2 * xs[-1])
    return xs


@wrong(x)
def list_remade_in_a_loop(x):
    xs = []
    for a in x:
        xs.append(a)
        if len(xs) > 2:
            xs = [a]
    return xs


@wrong(x)
def zeros_under_two_names(x):
    u = np.zeros(3)
    v = u
    v[0] = x[0]
    return u


@wrong(x)
def key_that_is_missing(x):
    p = {"a": x[0], "b": x[1]}
    return p["c"]


@wrong(x)
def dictionary_of_unknown_size(x):
    p = {k: a for k, a in enumerate(x)}
    return p[0]


@wrong(x)
def raised_in_every_call(x):
    if len(x.shape) == 1:
        raise ValueError(f"{len(x.shape)} dimensions")
    return x


@wrong(x)
def walrus_in_a_branch(x):
    y = 0.0
    z = (y := x[0]) if x[1] > 0 else 1.0
    return y + z


@wrong(x)
def shift_by_too_much(x):
    return len(x) << 64


@wrong(x)
def too_many_starred(x):
    a, b, *rest = (x[0],)
    return a


@wrong(x)
def list_in_a_function_called_for_effect(x):
    xs = []

    def add(a):
        xs.append(a)

    add(x[0])
    return xs


@wrong({"a": 1.0, "b": 2.0})
def missing_key(p):
    return p["c"]


@wrong([1.0, np.ones(2)], 1)
def place_in_a_list(xs, k):
    return xs[k]


@wrong(x)
def none_before_an_array(x):
    best = None
    for v in x:
        best = np.zeros(int(v))
    return best


@wrong(x)
def function_as_result(x):
    if x[0] > 0.0:
        return lambda v: v * x[0]
    return np.sin


@wrong(x)
def what_a_function_lacks(x):
    f = np.sin if x[0] > 0.0 else np.cos
    return f.weight


@wrong(x)
def number_called(x):
    f = None if x[0] > 0.0 else x[0]
    return f(2.0)


@wrong(x)
def function_that_holds_itself(x):
    f = np.sin
    for v in x:
        f = around(f, v)
    return f(1.0)


def around(f, a):
    return lambda v: a * f(v)


@wrong({"a": 1.0, "b": 2.0})
def tangent_with_other_keys(p):
    return fs.jvp(lambda q: q["a"] * q["b"])(p, tangent={"a": 1.0, "c": 1.0})


@wrong({"a": 1.0})
def key_that_is_a_tuple(p):
    return {(1, 2): p["a"]}


@wrong(2.0, 3)
def result_that_holds_that_of_its_call(x, n):
    return doubled_sine(n)(x)


def doubled_sine(n):
    if n == 0:
        return np.sin
    below = doubled_sine(n - 1)
    return lambda y: 2.0 * below(y)


@wrong(2.0, -1.0)
def key_of_several_that_is_not_there(x, c):
    mode = "sin" if c > 0.0 else "tan"
    return {"sin": np.sin, "cos": np.cos}[mode](x)


@wrong(5)
def range_by_zero(n):
    total = 0
    for i in range(0, n, 0):
        total += i
    return total


@wrong(np.ones(3))
def read_before_it_is_appended_to(x):
    h = []
    for v in x:
        h.append(h[0] * v)
    return h[-1]


@wrong(2.0)
def taken_from_a_list(x):
    stack = [x, 1.0]
    total = 0.0
    while len(stack) > 0:
        total += stack.pop()
    return total


@wrong(np.ones(2))
def list_or_array(x):
    pair = [x[0], 1.0] if x[0] > 0.0 else x
    return pair + [1.0, 2.0]


@wrong(np.ones(2))
def list_in_a_list_that_grows(x):
    rows = [[v, 1.0] for v in x]
    rows[0] += [2.0]
    return sum(rows[0])


@dataclass(order=True)
class Ordered:
    u: float


@wrong(1.0)
def order_of_dataclasses(x):
    return x if Ordered(x) < Ordered(2.0) else 2.0 * x


@wrong(x)
def drawn_inside(x):
    return x * np.random.gamma(2.0)


@wrong(x)
def namesake(x):
    return np.polynomial.polynomial.polyval(x, x)


@wrong(A)
def softmax_along_some_axes(A):
    return special.softmax(np.array([A, A]), axis=(0, 1))


@wrong(x)
def masked_put(x):
    y = x.copy()
    np.ma.put(y, [0], [2.0])
    return y


@wrong(x)
def inserted_at_several_places(x):
    return np.insert(x, [0, 1], 2.0)


@wrong(x)
def unknown_method_of_quantile(x):
    return np.quantile(x, 0.3, method="hazen")


@wrong(x)
def unknown_margin(x):
    return np.pad(x, 2, mode="mean")


@wrong(x)
def range_into(x):
    return np.ptp(x, out=x)


@wrong(x)
def numbers_in_place(x):
    return np.nan_to_num(x, copy=False)


@wrong(x)
def unknown_trim(x):
    return np.trim_zeros(x, "F")


@wrong(A)
def unknown_number_of_choices(A):
    return np.choose(np.array([0, 1]), A)


@wrong(x)
def unknown_mode_of_choose(x):
    return np.choose(np.array([0, 1]), [x, x], mode="none")


@wrong(A)
def unknown_number_of_conditions(A):
    return np.select(A > 0.0, A)


@wrong(A)
def too_many_distances(A):
    return np.gradient(A, 1.0, 2.0, 3.0)


@wrong(x)
def logsumexp_with_sign(x):
    return special.logsumexp(x, b=x, return_sign=True)


@wrong(A)
def more_choices_than_conditions(A):
    return np.select([A > 0.0], [A, A])


@wrong(A)
def unknown_mode_of_take(A):
    return np.take(A, 9, mode="cut")


@wrong(x)
def list_of_kinds_as_result(x):
    return [v if v > 0.0 else None for v in x]


@wrong(2.0)
def jacobian_by_one_of_several_kinds(x):
    pair = Pair(x, x) if x > 1.0 else None
    return fs.jacobian(lambda p: 0.0 if p is None else p.u)(pair)


@wrong(x)
def jacobian_of_a_list_of_kinds(x):
    return len(fs.jacobian(lambda y: [v if v > 0.0 else None for v in y])(x))


TABLE = {"a": 1.0, "b": 2.0}


@wrong(2)
def a_text_asked_for_an_integer(k):
    return TABLE[k]


@wrong(2)
def an_entry_that_is_no_value(k):
    return {1: np, 2: math}[k].sqrt(2.0)


@dataclass
class Sum:
    total: float

    def add(self, v):
        self.total = self.total + v


@wrong(2.0)
def a_method_that_changes_its_record(x):
    found = Sum(0.0)
    found.add(x)
    return found.total


@wrong(2.0)
def an_attribute_that_is_added_to(x):
    found = Sum(0.0)
    found.total += x
    return found.total

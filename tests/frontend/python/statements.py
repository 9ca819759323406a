"""Loops that return and loops with `else`; `match`, `del`, `with np.errstate(…)`, imports inside functions."""

# ruff: noqa: B007, PLC0415, RET503, RET505, RET508, SIM102, SIM110, PLW0120

from __future__ import annotations

import numpy as np

from tests.frontend.python.cases import MATRIX, Cases, X

CASES = Cases()
BELOW, ABOVE = 0.5, 2.0


# -- return inside loops ---------------------------------------------------------------------------------------------


@CASES(X)
@CASES(-np.abs(X))
@CASES(X[:0])
def first_large(x):
    for v in x:
        if v > 2.0:
            return v * v
    return 0.5


@CASES(X)
@CASES(np.linspace(0.0, 1.0, 40))
@CASES(np.zeros(40))
def with_state(x):
    s = 0.0
    for i, v in enumerate(x):
        s += v * v
        if s > 5.0 and i > 1:
            return s * v * i
        s = s * 0.5
        if i == 30:
            return s * v
    return s - 1.0


@CASES(X)
@CASES(-np.abs(X))
def from_a_nest(x):
    s = 1.0
    for i in range(len(x)):
        if x[i] < -3.5:
            continue
        for j in range(i):
            s = s * 0.9 + x[j]
            if x[i] * x[j] < -1.0:
                return s * x[i] + x[j] ** 2
        s += x[i]
    return s


@CASES(X)
@CASES(np.zeros(3))
def an_array_of_a_size_of_its_own(x):
    y = x.copy()
    for k in range(len(x)):
        y[k] = y[k] * 2
        if y[k] > 5.0:
            return np.array([y[k], y[0] * y[k]])
    return np.array([1.0, y[0]])


@CASES(X)
@CASES(-np.abs(X))
def the_rows_up_to_there(x):
    y = np.zeros(3)
    for k in range(len(x)):
        for c in range(3):
            y[c] += x[k] * c
            if y[c] > 3.0:
                return y
    return y * 2.0


@CASES(X)
def the_only_way_out(x):
    s = x[0]
    while True:
        s = s * 1.5 + 0.5
        if s > 10.0:
            return s * s


@CASES(X)
@CASES(X[:2] - 5.0)
def from_a_while(x):
    k = 0
    while k < len(x):
        if x[k] > 2.0:
            return x[k], k
        k += 1
    return 0.0, -1


@CASES(X)
@CASES(np.zeros(5))
def from_a_loop_over_a_tuple(x):
    for a, b in ((x[0], 1.0), (x[2], 2.0), (x[1], 3.0)):
        if a > 1.0:
            return a * b
        if a < -1.0:
            break
    return x[3]


@CASES(X)
@CASES(np.abs(X))
def in_each_branch(x):
    for i, v in enumerate(x):
        if i == 2:
            if v > 0.0:
                return v
            else:
                return -2.0 * v
        elif v < -5.0:
            break
    return 0.0


@CASES(X, MATRIX)
def in_a_helper(x, A):
    def first_above(row, limit):
        for v in row:
            if v > limit:
                return v
        return limit

    return sum(first_above(A[i], 4.0) * first_above(x, 0.5) for i in range(len(A)))


# -- else ------------------------------------------------------------------------------------------------------------


@CASES(X)
@CASES(X[:2])
def else_of_a_for(x):
    s = 0.0
    for v in x:
        if v > 2.0:
            break
        s += v
    else:
        s = 100.0
    return s


@CASES(X)
@CASES(X[:2])
def else_that_returns(x):
    for v in x:
        if v > 2.9:
            return v
        if v < -3.0:
            break
    else:
        return sum(x) * 3.0
    return x[1]


@CASES(X)
def else_of_a_while(x):
    i, s = 0, 0.0
    while i < len(x):
        s += x[i]
        i += 1
        if s > 100.0:
            break
    else:
        s *= 2.0
    return s


@CASES(X)
def else_without_break(x):
    s = 0.0
    for v in x:
        s += v
    else:
        s *= 2.0
    return s


@CASES(MATRIX)
def else_that_leaves_the_loop_around(A):
    found = 0.0
    for row in A:
        for v in row:
            if v > 6.0:
                found = v
                break
        else:
            continue
        break
    return found


# -- match -----------------------------------------------------------------------------------------------------------


def norm(x, kind):
    match kind:
        case "largest":
            return max(abs(v) for v in x)
        case 1 | "sum":
            return sum(abs(v) for v in x)
        case None:
            return 0.0
        case _:
            return sum(v * v for v in x)


@CASES(X)
def match_on_texts(x):
    return norm(x, "largest"), norm(x, "sum"), norm(x, 1), norm(x, None), norm(x, "squares")


@CASES(X)
def match_at_run_time(x):
    s = 0.0
    for i in range(len(x)):
        match i % 4:
            case 0 | 2:
                s += x[i]
            case k if x[i] < 0.0:
                s += k * x[i] ** 2
            case k:
                s += 100.0 * k
    return s


@CASES(X)
def match_in_a_loop_with_jumps(x):
    s = 0.0
    for i, v in enumerate(x):
        match i:
            case 1:
                continue
            case 3:
                break
        s += v
    return s


# -- the others ------------------------------------------------------------------------------------------------------


@CASES(X)
def deleted(x):
    t = sum(x)
    u = t * t
    del t
    t = u + 1.0
    for v in x:
        w = v * v
        u += w
        del w
    return t * u


@CASES(X)
def errors_ignored(x):
    with np.errstate(all="ignore"):
        if x[0] > 0.5:
            return np.sum(np.log(np.abs(x)))
    return 0.0


@CASES(X)
def imported_here(x):
    import math
    from math import pi
    from math import sin as sine

    import numpy as own
    import numpy.linalg

    return sum(math.hypot(sine(v), pi) for v in x) + own.sum(numpy.abs(x))

"""Names that only a loop or a branch assigns, and that are read behind it, or in a later step, as in Python."""

# ruff: noqa: B007, F821, F841  (what these programs are about)

from __future__ import annotations

import numpy as np

from tests.frontend.python.cases import MATRIX, SQUARE, Cases, X

case = CASES = Cases()


@case(0.3, 4)
def behind_a_loop(x, n):
    for _ in range(n):
        step = np.sin(x) * 0.5
        x = x - step
    return x + step


@case(X)
def the_last(x):
    for v in x:
        last = v * v
    return last, v


@case(X)
def behind_a_break(x):
    for i in range(10):
        d = x[0] - i
        if d < 0.0:
            break
    return d + i


@case(X)
def behind_a_long_loop_with_a_break(x):
    for i in range(50):
        step = (x**2 - 2.0) / (2.0 * x)
        x = x - step
        if np.max(np.abs(step)) < 1e-12:
            break
    return x, i, step


@case(X)
def behind_a_while(x):
    i = 0
    while i < 3:
        y = x * i
        i += 1
    return np.sum(y)


@case(X)
def of_the_step_before(x):
    d = 0.0
    for i in range(len(x)):
        if i > 0:
            d += abs(x[i] - prev)
        prev = x[i]
    return d


@case(X)
def appended_from_the_second_step_on(x):
    out = []
    for i in range(len(x)):
        if i > 0:
            out.append(x[i] - prev)
        prev = x[i]
    return np.array(out)


@case(X)
def begun_in_the_first_step(x):
    for i in range(len(x)):
        if i == 0:
            m = x[i]
        else:
            m = max(m, x[i])
    return m


@case(X)
def begun_in_an_expression(x):
    for i in range(len(x) - 1, -1, -1):
        acc = x[i] if i == len(x) - 1 else acc * 0.5 + x[i]
    return acc


@case(X)
def in_one_branch(x):
    if x[0] > 0.0:
        s = 1.0
    else:
        t = np.outer(x, x)
    if x[0] > 0.0:
        return s * x[1]
    return t[0, 1] * x[1]


@case(X)
def a_place(x):
    for i in range(len(x)):
        if x[i] > 2.0:
            best = (i, x[i])
    return best[1] * best[0]


@case(X)
def of_loops_inside(x):
    total = 0.0
    for i in range(len(x)):
        for j in range(i):
            last = x[j]
        if i > 0:
            total += last
    return total, i, j


@case(X)
def targets_that_loops_may_not_assign(x):
    i = 100
    for i in range(int(x[1])):
        pass
    return i * x[0]


@case(X)
def behind_else(x):
    for p, q in zip(x, x * 2, strict=True):
        r = p * q
        if r > 50.0:
            break
    else:
        r = 0.0
    return p + q + r


@case(X)
def two_names_of_one_step(x):
    k = 0
    while k < 3:
        for j in range(k, 3):
            if x[j] > 0.0:
                pivot = j
                break
        k += 1
    return pivot + x[pivot]


@case(X)
def arrays(x):
    for i in range(3):
        made = np.concatenate([x, x]) * i
        product = x.reshape(1, -1).T @ x.reshape(1, -1)
    return made, product


@case(X)
def dictionaries_lists_and_functions(x):
    for v in x:
        d = {"a": v, "b": x[1:]}
        row = [v, 1.0]
        f = (lambda u: u * 2) if v > 0 else (lambda u: u * 3)
    return d["a"] + d["b"][0], np.array(row + row), f(x[0])


@case(SQUARE, np.ones(3))
def power_iteration(a, x):
    for _ in range(20):
        y = a @ x
        size = np.linalg.norm(y)
        x = y / size
    return size, y


@case(MATRIX)
def rows(a):
    for row in a:
        if row[0] > 4.0:
            found = row
            break
    return found


@case(X)
def a_name_used_again(x):
    for v in x:
        part = v * 2
    for v in x:
        part = v * 3
    return part

"""Lists that grow; each program runs as Python too, with the same answer."""

from __future__ import annotations

import numpy as np

from tests.frontend.python.cases import MATRIX, Cases, X

case = CASES = Cases()


@case(X)
def squares(x):
    out = []
    for v in x:
        out.append(v * v)
    return out


@case(X)
def two_in_each_step(x):
    out = []
    for i in range(len(x)):
        for v in x:
            out.append(v * x[i])
            out.append(v + x[i])
    return np.array(out)


@case(X)
def running_sums(x):
    out = []
    total = 0.0
    for v in x:
        total += v
        out.append(total)
    return sum(out) * out[1] + out[-1], len(out)


@case(X)
def under_a_condition(x):
    out = []
    for v in x:
        if v > 0:
            out.append(v * v)
    return out


@case(X)
def a_different_number_in_each_branch(x):
    out = []
    for v in x:
        if v > 0:
            out.append(v)
        else:
            out.append(-v)
            out.extend([v, 2.0])
        if len(out) > 6:
            break
    return np.array(out) * 2.0


@case(X)
def recurrence(x):
    out = [x[0], x[1]]
    for i in range(2, len(x) + 3):
        out.append(out[i - 1] * 0.5 + out[-2])
    return out


@case(X)
def triangle(x):
    out = []
    for i in range(len(x)):
        for j in range(i):
            out.append(x[i] * x[j])
    return out


@case(X)
def rows(x):
    rows = []
    for i in range(len(x)):
        row = []
        for v in x:
            row.append(v * x[i])
        rows.append(row)
    return np.array(rows)


@case(X)
def states(x):
    path = [x * 1.0]
    s = x * 1.0
    for i in range(3):
        s = s * 0.5 + i
        path.append(s)
    return np.array(path)


@case(X)
def straight_line(x):
    xs = []
    xs.append(x[0])
    xs.append(2)
    xs.extend(list(x))
    xs += [x[1], 1.5]
    xs = xs + [3.0]
    return xs


@case(X)
def several_lists(x):
    xs, ys = [], []
    for v in x:
        xs.append(v)
        ys.append(v * v)
    return np.array(xs) * np.array(ys)


@case(X)
def list_of_pairs(x):
    pairs = []
    for v in x:
        pairs.append((v, v * v))
    return sum(a * b for a, b in pairs)


@case(X)
def elements_assigned(x):
    xs = [1.0]
    for v in x:
        xs[-1] *= 2
        xs.append(v)
        xs[0] += v
    return xs


@case(X)
def read_as_a_whole(x):
    xs = [1]
    for v in x:
        xs.append(sum(xs) * 0.25 + v)
    return xs


@case(X)
def branches_without_a_loop(x):
    xs = []
    if x[0] > 0:
        xs.append(x[0])
        xs.append(x[1])
    else:
        xs.append(x[2])
    ys = [x[0]]
    if x[1] > 0:
        ys.append(x[2])
    ys.append(4.0)
    return sum(xs) * len(xs), ys


@case(X)
def found_out_by_a_while_loop(x):
    xs = []
    t = x[0]
    while t < 10:
        xs.append(t)
        t = t * 1.5 + 1
    return xs


@case(X)
def condition_on_the_last_element(x):
    xs = [x[0]]
    while xs[-1] < 10:
        xs.append(xs[-1] * 1.5 + 1)
    return xs


@case(X)
def while_inside_for(x):
    xs = []
    for v in x:
        t = v
        while t < 3:
            xs.append(t * v)
            t += 1
    return xs


@case(MATRIX)
def rows_that_are_chosen(a):
    chosen = []
    for row in a:
        if row[0] > 1:
            chosen.append(row * 2.0)
    return np.array(chosen)


@case(X)
def nothing_is_appended(x):
    xs = []
    for i in range(0):
        xs.append(x[i])
    ys = [x[0]]
    for v in x:
        if v > 100:
            ys.append(v)
    return len(xs), ys


@case(X)
def with_continue(x):
    xs = []
    for v in x:
        if v < 0:
            continue
        xs.append(v)
    return xs


@case(X)
def list_made_in_a_helper(x):
    def doubled(values):
        out = []
        for v in values:
            out.append(2 * v)
        return out

    return doubled(doubled(x))

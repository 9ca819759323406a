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


# Lists that are empty before the loop in which they are read: they are read where there is something in them.


@case(np.array([1.0, 2.0, 3.0]))
def heaviest_before(x):
    best = []
    for i in range(len(x)):
        b = 0.0
        for j in range(i):
            if best[j] > b:
                b = best[j]
        best.append(b + x[i])
    return best[-1]


@case(np.array([1.0, 2.0, 3.0]))
def sums_of_squares(x):
    h = []
    for v in x:
        h.append(v * v + (h[-1] if len(h) > 0 else 0.0))
    return h[-1]


@case(np.array([1.0, 2.0, 3.0]))
def from_the_last_two(x):
    h = []
    for v in x:
        if len(h) < 2:
            h.append(v)
        else:
            h.append(h[-1] * 0.5 + h[-2] * v)
    return h[-1]


@case(np.array([1.0, 2.0, 3.0]))
def sums_of_all_before(x):
    h = []
    for v in x:
        h.append(v + sum(h))
    return np.sum(np.array(h))


@case(np.array([1.0, 2.0, 3.0]))
def sums_in_a_loop(x):
    h = []
    for v in x:
        s = 0.0
        for e in h:
            s += e * v
        h.append(v + s)
    return h[-1]


@case(np.array([1.0, 2.0, 3.0]))
def two_lists_by_turns(x):
    a = []
    b = []
    for v in x:
        a.append(v * 2 if len(b) == 0 else v * b[-1])
        b.append(v + a[-1])
    return a[-1] + b[0]


@case(np.array([1.0, 2.0, 3.0]))
def appended_in_two_loops(x):
    h = []
    for i in range(len(x)):
        for j in range(i + 1):
            if len(h) > 0 and h[-1] > 3.0:
                h.append(x[j])
            else:
                h.append(x[i])
    return h[-1] * len(h)


@case(np.array([1.0, 3.0, 2.0, 5.0]))
def increasing_sequence(x):
    best = []
    for i in range(len(x)):
        b = 1.0
        for j in range(i):
            if x[j] < x[i] and best[j] + 1 > b:
                b = best[j] + 1
        best.append(b * x[i])
    return max(best)


@case(np.array([1.0, 3.0, 2.0, 5.0]))
def starts_with_an_integer(x):
    h = []
    for v in x:
        if len(h) == 0:
            h.append(0)
        else:
            h.append(h[-1] + v)
    return h[-1]


@case(np.array([1.0, 3.0, 2.0]))
def rows_of_rows(x):
    h = []
    for v in x:
        if len(h) > 0:
            h.append(h[-1] * v + x)
        else:
            h.append(x * v)
    return np.sum(h[-1])


@case(2.0)
def in_a_while_loop(x):
    h = []
    while len(h) < 4:
        h.append(x if not h else h[-1] * x)
    return sum(h)


@case(np.array([3.0, 1.0, 4.0, 1.5, 9.0]))
def piles_of_patience(xs):
    tails = []
    for v in xs:
        lo = 0
        hi = len(tails)
        while lo < hi:
            m = (lo + hi) // 2
            if tails[m] < v:
                lo = m + 1
            else:
                hi = m
        if lo == len(tails):
            tails.append(v)
    return sum(tails)

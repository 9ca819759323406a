"""Lists are lists wherever they go: `+` puts one after the other, `*` repeats; what NumPy makes of them is an array."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tests.frontend.python.cases import MATRIX, Cases, X

case = CASES = Cases()


@case(X)
def carried_by_for(x):
    row = [0.0, 0.0]
    for v in x:
        row = [v, 2.0]
    return np.array(row + [1.0, 5.0])


@case(X)
def carried_by_while(x):
    row, i = [0.0, 0.0], 0
    while x[i] != 0.5:
        row = [x[i], 2.0]
        i += 1
    return np.array(row * 2)


@case(X)
def of_a_conditional_expression(x):
    row = [0.0, x[1]] if x[0] > 2.0 else [1.0, 2.0]
    return np.array(row + [1.0, 5.0])


@case(X)
def none_or_a_list(x):
    row = None
    for v in x:
        row = [v, 2.0]
    return np.array(row + [1.0, 5.0])


def pair(v):
    if v > 0.0:
        return [v, 1.0]
    return [0.0, v]


@case(X)
def returned(x):
    return np.array(pair(x[0]) + pair(x[1]))


@case(X)
def in_a_list(x):
    rows = [[x[0], 2.0], [3.0, 4.0]]
    k = int(x[0])
    return np.array(rows[0] + [5.0, 6.0] + rows[k])


@case(X)
def in_a_comprehension(x):
    rows = [[v, 2.0] for v in x]
    return np.array([len(r + [1.0, 2.0]) for r in rows]), np.array(rows[1] + rows[2])


@case(X)
def in_a_list_that_grows(x):
    rows = []
    for v in x:
        rows.append([v, 1.0])
    return np.array(rows[1] + rows[0])


@case(X)
def in_a_tuple(x):
    p = ([x[0], 1.0], 3.0)
    for v in x:
        p = ([v, 1.0], p[1] + 1.0)
    return np.array(p[0] + [5.0, p[1]])


@case(X)
def in_a_dictionary(x):
    d = {"a": [x[0], 1.0]}
    if x[1] > 0.0:
        d["a"] = [x[1], 2.0]
    return np.array(d["a"] + [1.0, 2.0])


@case(X)
def of_two_targets(x):
    a, b = ([x[0], 1.0], [2.0, 3.0]) if x[0] > 0.0 else ([0.0, 0.0], [1.0, 1.0])
    return np.array(a + b)


@case(X)
def slices(x):
    a = list(x)
    return np.array(a[1:] + a[:1] + a[::2])


@case(X)
def copies(x):
    a = [x[0], x[1]]
    return np.array(a.copy() + a[:] + list(a))


@case(X)
def zipped(x):
    return np.array([a + b for a, b in zip([[1.0, 2.0]] * 5, [[v, v] for v in x], strict=True)])


@dataclass
class Held:
    xs: list
    w: float


@case(X)
def in_a_record(x):
    held = Held([x[0], 1.0], 2.0)
    for v in x:
        held = Held([v, 2.0], held.w + 1.0)
    return np.array(held.xs + [held.w])


@case(X)
def repeated_elements(x):
    w = [1.0] * 3
    w = w + [x[0]] * 2
    return np.array(w)


@case(X)
def times_and_assigned(x):
    p = [x[0], 1.0]
    p *= 2
    p += [3.0]
    return np.array(p)


@case(X)
def a_list_and_an_array(x):
    a = [x[0], x[1]] if x[0] > 0.0 else x[:2]
    return a * x[:2] + np.ones(2)


@case(X)
def arrays_made_of_lists(x):
    rows = [[1.0, 2.0], [x[0], 4.0]]
    made = np.array(rows)
    return made[0] + made[1], np.sum(rows, axis=0) + np.array(rows[0]), np.array(rows[0]).copy() + np.asarray(rows[1])


@case(X)
def rows_of_an_array(x):
    out = []
    for r in np.array([[1.0, 2.0], [x[0], 4.0]]):
        out.append(r + r)
    return np.array(out)


@case(X)
def elements_assigned(x):
    a = np.zeros((2, 2))
    a[0] = [x[0], 1.0]
    return a[0] + a[1] + a[0]


@case(X)
def state_of_a_recurrence(x):
    h = [0.0, 0.0]
    for v in x:
        h = [np.tanh(h[0] + v), h[0]]
    return np.array(h) * 2, np.array(h * 2)


@case(X)
def tuples_are_rows(x):
    pairs = [(v, v * v) for v in x]
    grown = []
    for v in x:
        grown.append((v, 1.0))
    return (
        np.array(pairs) @ np.array([1.0, 2.0]),
        np.array(grown)[:, 1],
        np.asarray(list(zip(x, x * x, strict=True))),
        np.array([(i, v) for i, v in enumerate(x)]),
        np.array([[(v, 1.0), (2.0, v)] for v in x]),
    )


@case(X)
def other_names_keep_theirs(x):
    a = [x[0], 1.0]
    b = a
    b = b + [2.0]
    b[0] = 5.0
    return np.array(a + b)


@case(X)
def sorted_by_keys(x):
    pairs = sorted([(v, i) for i, v in enumerate(x)], key=lambda p: abs(p[0]))
    places = sorted(range(len(x)), key=lambda i: -x[i])
    rows = sorted([[v, 1.0] for v in x], key=lambda r: r[0])
    return np.array(pairs), np.array(places), np.array(rows[0] + [2.0]), sorted(x, key=abs)


@case(np.array([1.0, -1.0, 2.0, -2.0, 1.5]))
def sorted_in_the_order_they_have(x):
    return sorted(x, key=abs), sorted(x, key=abs, reverse=True), sorted(x, key=lambda v: v < 0.0, reverse=True)


@case(MATRIX)
def lists_of_arrays(a):
    rows = a.tolist()
    return np.array(rows[0] + rows[1]), np.array(a[0].tolist() * 2), np.array(rows).sum()


@case(X)
def memory_of_their_own(x):
    r = [x[0], 1.0]
    made = np.array([[1.0, 2.0], r])
    made[1] = 5.0
    q = [0.0] * 3
    part = q[:]
    part[0] = x[0]
    return r[0] + made.sum(), q[0] + part[0]


@case(X)
def states_that_are_kept(x):
    state = [x[0], x[1]]
    kept = [state[:]]
    for _ in range(3):
        state[0], state[1] = state[1], state[0] + state[1]
        kept.append(state[:])
    return np.array(kept)


@case(X)
def rows_of_unlike_lengths(x):
    neighbours = [[1, 2], [0], [0, 3, 4], []]
    total = 0.0
    for i, row in enumerate(neighbours):
        for k in row:
            total += x[i] * x[k]
    return total

"""Programs that fill a table, each step from what earlier steps wrote: what they read back is there at the end."""

from __future__ import annotations

import numpy as np


def products(x):
    """Cumulative products."""
    p = np.ones(len(x))
    for i in range(1, len(x)):
        p[i] = p[i - 1] * x[i]
    return sum(np.sin(a) for a in p)


def two_behind(x):
    """A recurrence of the second order, in a table that is longer than x."""
    p = np.ones(len(x) + 2)
    for i in range(len(x)):
        p[i + 2] = np.sin(p[i + 1]) * p[i] + x[i]
    return p[len(x) + 1]


def downwards(x):
    """The last one first."""
    p = np.ones(len(x))
    for i in range(len(x) - 2, -1, -1):
        p[i] = p[i + 1] * x[i]
    return sum(np.sin(a) for a in p)


def moments(x):
    """Three sums at a time, each row from the row before."""
    s = np.zeros((len(x) + 1, 3))
    for i in range(len(x)):
        s[i + 1, 0] = s[i, 0] + x[i]
        s[i + 1, 1] = s[i, 1] + x[i] * s[i, 0]
        s[i + 1, 2] = s[i, 2] + x[i] * s[i, 1]
    return s[len(x), 2]


def substitution(x, w):
    """The squares of the solution of (w + 4 I) y = x, where w is lower triangular."""
    y = np.zeros(len(x))
    for i in range(len(x)):
        s = x[i]
        for j in range(i):
            s -= w[i, j] * y[j]
        y[i] = s / (4.0 + w[i, i])
    return sum(a * a for a in y)


def factor(w):
    """The logarithm of the determinant of w + 4 n I by Cholesky's factor."""
    n = len(w)
    l = np.zeros((n, n))  # noqa: E741
    for i in range(n):
        for j in range(i + 1):
            s = w[i, j]
            for k in range(j):
                s -= l[i, k] * l[j, k]
            if i == j:
                l[i, j] = np.sqrt(s + 4.0 * n)
            else:
                l[i, j] = s / l[j, j]
    return 2.0 * sum(np.log(l[i, i]) for i in range(n))


def factor_by_cases(w):
    """Likewise, with one expression for all elements."""
    n = len(w)
    l = np.zeros((n, n))  # noqa: E741
    for i in range(n):
        for j in range(i + 1):
            s = sum(l[i, k] * l[j, k] for k in range(j))
            l[i, j] = np.sqrt(w[i, i] + 4.0 * n - s) if i == j else (w[i, j] - s) / l[j, j]
    return sum(np.log(l[i, i]) for i in range(n))


def tridiagonal(x, w):
    """Thomas's algorithm: two tables downwards, one upwards."""
    n = len(x)
    c, d = np.zeros(n + 1), np.zeros(n + 1)
    for i in range(n):
        m = 4.0 + x[i] - w[0, i] * c[i]
        c[i + 1] = w[i, 0] / m
        d[i + 1] = (x[i] - w[0, i] * d[i]) / m
    y = np.zeros(n + 1)
    for i in range(n - 1, -1, -1):
        y[i] = d[i + 1] - c[i + 1] * y[i + 1]
    return sum(a * a for a in y)


def warping(x, w):
    """The best path through the squares of differences, each step right, down, or both (the cheapest of three)."""
    n, m = len(x), len(w)
    d = np.zeros((n + 1, m + 1))
    for i in range(n):
        for j in range(m):
            best = d[i, j]
            if d[i, j + 1] < best:
                best = d[i, j + 1]
            if d[i + 1, j] < best:
                best = d[i + 1, j]
            d[i + 1, j + 1] = (x[i] - w[0, j]) ** 2 + best
    return d[n, m]


def alignment(x, w):
    """Likewise with a smooth choice."""
    n, m = len(x), len(w)
    d = np.zeros((n + 1, m + 1))
    for i in range(n):
        for j in range(m):
            here = np.exp(-((x[i] - w[0, j]) ** 2))
            d[i + 1, j + 1] = np.log(np.exp(d[i, j] + here) + np.exp(d[i, j + 1]) + np.exp(d[i + 1, j]))
    return d[n, m]


def rows_of_rows(x, w):
    """A row is filled by a loop of its own and put into the table then."""
    n = len(x)
    d = np.ones((n + 1, n + 1))
    for i in range(n):
        row = [1.0 for _ in range(n + 1)]
        for j in range(n):
            row[j + 1] = row[j] * w[i, j] + d[i, j + 1]
        d[i + 1] = row
    return sum(np.sin(a) for a in d[n])


def guarded(x):
    """The first step reads nothing: a condition says so, and that the others read what is there."""
    p = np.zeros(len(x))
    for i in range(len(x)):
        p[i] = x[i] * (p[i - 1] if i > 0 else 1.0)
    return sum(np.sin(a) for a in p)


FILLED = [
    products,
    two_behind,
    downwards,
    moments,
    substitution,
    factor,
    factor_by_cases,
    tridiagonal,
    warping,
    alignment,
    rows_of_rows,
    guarded,
]


# -- tables of which the last state does not hold what the steps read ------------------------------------------------------


def smoothed(x):
    """In place: one neighbour is new, one is old."""
    a = x.copy()
    for i in range(1, len(x) - 1):
        a[i] = a[i - 1] * a[i] * a[i + 1]
    return sum(a)


def swept(x):
    """Each sweep writes all elements again."""
    a = x.copy()
    for _ in range(3):
        for i in range(1, len(x)):
            a[i] = a[i - 1] * a[i]
    return sum(a)


def read_ahead(x):
    """What is read is written in the next step."""
    a = x.copy()
    for i in range(len(x) - 1):
        a[i] = a[i + 1] * a[i + 1]
    return sum(a)


def written_twice(x):
    """The first of two writes is read back between them, and by the next step."""
    a = np.ones(len(x) + 1)
    for i in range(len(x)):
        a[i] = np.sin(a[i] * x[i])
        a[i + 1] = a[i] * a[i]
        a[i] = a[i + 1] * x[i]
    return sum(a)


def towards_each_other(x):
    """What is written from the front is read before it is written again from the back."""
    a = np.ones(len(x))
    for i in range(len(x)):
        a[i] = x[i] * a[len(x) - 1 - i] * a[i]
    return sum(a)


def by_an_index(x):
    """Where is written only the numbers tell."""
    a = np.ones(len(x) + 1)
    k = 0
    for i in range(len(x)):
        a[k] = a[i] * x[i] * a[k]
        k = (k + 2) % len(x)
    return sum(a)


def conditional(x):
    """Read in the branch that writes what the next step reads, and in the other one what is written later."""
    a = np.ones(len(x) + 2)
    for i in range(len(x)):
        if x[i] > 0.5:
            a[i + 1] = a[i] * x[i]
        else:
            a[i] = a[i + 1] * a[i + 2] * x[i]
    return sum(np.sin(b) for b in a)


def made_anew(x):
    """The table of the next step is another one."""
    a = np.ones(len(x) + 1)
    for i in range(len(x)):
        a = [b * x[i] for b in a]
        a[i + 1] = a[i] * a[i]
    return sum(a)


def exchanged(x):
    """Two tables change places."""
    a, b = np.ones(len(x) + 1), np.ones(len(x) + 1)
    for i in range(len(x)):
        a[i + 1] = a[i] * b[i] * x[i]
        a, b = b, a
    return sum(np.sin(c) for c in a) + sum(np.sin(c) for c in b)


def columns(w):
    """Rows are written from the left, and read in the rows that follow."""
    n = len(w)
    d = np.ones((n + 1, n))
    for j in range(n):
        for i in range(n):
            d[i, j] = d[i + 1, j] * w[i, j]
    return sum(np.sin(d[0, j]) for j in range(n))


CHANGED = [
    smoothed,
    swept,
    read_ahead,
    written_twice,
    towards_each_other,
    by_an_index,
    conditional,
    made_anew,
    exchanged,
    columns,
]


def few_steps(x, w):
    """Of a large table the loop inside reads a few elements: keeping all of it for each step would be more."""
    p = [1.0 * a for a in x]
    for t in range(len(w)):
        for i in range(2):
            p[i + 1] = np.sin(p[i] * w[t, i])
    return sum(p)


__all__ = ["CHANGED", "FILLED", "few_steps"]

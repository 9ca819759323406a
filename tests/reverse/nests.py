"""Nests of loops, one to three deep, whose cost is measured."""

from __future__ import annotations

import fsmooth as fs


def fold(x):
    s = 0.5
    for a in x:
        s = fs.sin(s) * a
    return s


def fold_in_fold(x):
    s = 0.5
    for a in x:
        for b in x:
            s = fs.sin(s) * a + b
    return s


def three_folds(x):
    s = 0.5
    for a in x:
        for b in x:
            for c in x:
                s = fs.sin(s) * a + b * c
    return s


def network(x, w):
    """An array made anew in each step of a fold, each element by a sum."""
    s = [1.0 * a for a in x]
    for _ in range(len(x)):
        s = [fs.tanh(sum(w[i, j] * s[j] for j in range(len(s)))) for i in range(len(x))]
    return sum(a for a in s)


def three_sums(x, w):
    n = len(x)
    return sum(sum(sum(w[i, j] * w[j, k] * fs.exp(x[k]) for k in range(n)) for j in range(n)) for i in range(n))


def sum_in_fold_in_fold(x, w):
    t = 0.0
    for i in range(len(x)):
        s = x[i]
        for j in range(len(x)):
            s = s * w[i, j] + sum(w[j, k] * s for k in range(len(x))) * 0.01
        t = t + s
    return t


def updates(x):
    p = [1.0 * a for a in x]
    for i in range(1, len(x)):
        p[i] = p[i - 1] * x[i] + p[i]
    return sum(a * a for a in p)


def sweeps(x):
    p = [1.0 * a for a in x]
    for _ in range(5):
        for i in range(1, len(x)):
            p[i] = p[i - 1] * x[i] + 0.5 * p[i]
    return sum(a * a for a in p)


def _product(a, b):
    n = len(b)
    return [[sum(a[i, k] * b[k, j] for k in range(n)) for j in range(n)] for i in range(n)]


def matrix_products(w):
    d = _product(_product(w, w), w)
    return sum(fs.tanh(d[i, j]) for i in range(len(w)) for j in range(len(w)))


def branches(x, w):
    t = 0.0
    for i in range(len(x)):
        if x[i] > 0.3:
            s = 1.0
            for j in range(len(x)):
                s = s * fs.cos(w[i, j] * x[j])
            t = t + s
        else:
            t = t - x[i] * t
    return t


NESTS = [
    fold,
    fold_in_fold,
    three_folds,
    network,
    three_sums,
    sum_in_fold_in_fold,
    updates,
    sweeps,
    matrix_products,
    branches,
]

"""Loops with every kind of state, whose derivatives are made with and without checkpoints."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def scalar(x: float, n: int):
    s = x
    for i in range(n):
        s = np.sin(s) * x + 0.01 * i / (1.0 + s * s)
    return s


def several(x: float, n: int):
    s, t, time = x, 0.1, 0.0
    for _ in range(n):
        s, t, time = np.sin(s * t + time) * x, 0.5 * t + s * s, time + 0.01
    return s + t


def counting(x: float, n: int):
    """A state with an integer, which branches depend on."""
    s, k = x, 0
    for i in range(n):
        if k > 1:
            s, k = np.cos(s) * x, 0
        else:
            s, k = s * x + 0.1 * i, k + 1
    return s


def linear(x: float, n: int):
    """Nothing of the states is needed on the way back."""
    s = 1.0
    for i in range(n):
        s = 0.5 * s + x * i
    return s


def array(v, n: int):
    s = v
    for i in range(n):
        s = [np.tanh(s[k] + 0.3 * s[(k + 1) % len(v)] / (i + 1)) for k in range(len(v))]
    return sum(s)


def elements(v, n: int):
    """An array changed at one place in each step, and a number."""
    s, t, first = v.copy(), 0.5, v[0]
    for i in range(n):
        k = i % len(s)
        t = np.sin(t + s[k])
        s[k] = s[k] * t + first
    return sum(s) * t


def matrix(v, n: int):
    s = [[a * b for a in v] for b in v]
    for i in range(n):
        s = [[np.sin(s[j][k] * v[k]) + 0.1 * i for k in range(len(v))] for j in range(len(v))]
    return sum([sum(row) for row in s])


def pair_of_array(v, n: int):
    s, t = v, v[0]
    for _ in range(n):
        s, t = [np.sin(a * t) for a in s], 0.3 * t + s[0] * s[len(v) - 1]
    return sum(s) + t


def folds_in_folds(x: float, n: int):
    s = x
    for i in range(n):
        t = s * 0.3
        for j in range(n // 2):
            t = np.sin(t) * s + 0.1 * j
        s = s * 0.4 + t / (i + 1)
    return s


def ragged_folds(x: float, n: int):
    s = x
    for i in range(n):
        t = s * 0.3
        for j in range(i % 4):
            t = np.sin(t) * s + 0.1 * j
        s = s * 0.4 + t
    return s


def long_in_few(x: float, n: int):
    s = x
    for i in range(3):
        for _ in range(n):
            s = np.sin(s) * x + 0.1 * i
    return s


def folds_in_elements(v, n: int):
    def one(k: int):
        s = v[k]
        for i in range(n):
            s = np.sin(s * v[0]) + 0.01 * i * k
        return s

    return sum([one(k) ** 2 for k in range(len(v))])


def fold_in_branch(x: float, n: int):
    s = x
    if x > 0.1:
        for _ in range(n):
            s = np.sin(s) * x
    return s * s


def after_fold(x: float, n: int):
    """Two loops; the second starts where the first ends, and reads a list."""
    s = x
    for _ in range(n):
        s = np.sin(s) + 0.1 * x
    t = s
    for _ in range(2 * n):
        t = np.sin(t * s) * x
    return t


def trajectory(x: float, n: int):
    """A state as long as the loop: elements of it are saved, as without checkpoints."""
    s = [x * k for k in range(n + 1)]
    for i in range(n):
        s[i + 1] = np.sin(s[i]) * x
    return sum([a * a for a in s])


def until(x: float, n: int):
    s, k = x, 0
    while k < n and s < 1e6:
        s, k = np.sin(s) * 1.2 + 0.01 * x, k + 1
    return s


OF_NUMBERS = (
    scalar, several, counting, linear, folds_in_folds, ragged_folds, long_in_few, fold_in_branch, after_fold, trajectory, until
)  # fmt: skip
OF_ARRAYS = (array, elements, matrix, pair_of_array, folds_in_elements)
CASES: tuple[tuple[Callable[..., object], object], ...] = (
    *[(f, 0.8) for f in OF_NUMBERS],
    *[(f, np.array([0.4, 0.9, 0.7])) for f in OF_ARRAYS],
)

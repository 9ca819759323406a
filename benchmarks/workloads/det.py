"""The determinant by expansion along the first row, as a function that calls itself (GradBench `det`).

det(A) = Σⱼ (-1)ʲ A[0, j] det(A without row 0 and column j): n! products, whatever is known of better ways.

Source: gradbench/gradbench (MIT), after B. Bell's cmpad.
"""

from __future__ import annotations

import numpy as np

import fsmooth as fs


def by_minors(A, columns):
    """The determinant of the last rows of A, as many as there are columns, and these columns."""
    m = len(columns)
    row = len(A) - m
    if m == 1:
        return A[row, columns[0]]
    total = 0.0
    for j in range(m):
        others = [columns[k if k < j else k + 1] for k in range(m - 1)]
        sign = 1.0 if j % 2 == 0 else -1.0
        total += sign * A[row, columns[j]] * by_minors(A, np.array(others))
    return total


def _determinant(A: fs.Array[n, n]):
    return by_minors(A, np.arange(len(A)))


primal = fs.function(_determinant)
gradient = fs.grad(_determinant)


def generate(n: int) -> np.ndarray:
    """Numbers between 0 and 1."""
    return np.random.default_rng(31337).random((n, n))

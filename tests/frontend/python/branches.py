"""Branches as statements and expressions."""

# ruff: noqa

from __future__ import annotations

import numpy as np

from tests.frontend.python.cases import MATRIX, Cases, X

CASES = Cases()


@CASES(X)
def helper_with_nested_returns(x):

    def first(v):
        if v[0] > 0:
            if v[1] > 0:
                return 1.0
            return 2.0
        else:
            return 3.0

    return [first(x[i : i + 2]) for i in range(len(x) - 1)]


@CASES(X)
def nested_loops_and_branches(x):
    t = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            if i != j:
                t += x[i] * x[j]
            else:
                t -= 1
    return t


@CASES(MATRIX)
def branch_after_assignment(A):
    n, m = A.shape
    B = np.zeros((m, n))
    for i in range(n):
        for j in range(m):
            B[j, i] = A[i, j]
            if i == j:
                B[j, i] *= 2
    return B


@CASES(X)
def conditional_increment(x):
    n = 0
    for a in x:
        n += 1 if a > 0 else 0
    return n


@CASES(X)
def and_or_not(x):
    if x[0] > 0 and x[1] < 0 or x[2] > 100:
        return 1.0
    elif not x[0] > 0:
        return 2.0
    return 3.0


@CASES(X)
def branches_in_branches(x):
    y = x[0]
    if y > 0:
        if y > 0.5:
            z = 1.0
        else:
            z = 2.0
        w = z * 2
    else:
        w = 0.0
    return w


@CASES(X)
def annotated_assignments(x):
    """Docstring."""
    a: float = 1.0
    b: "np.ndarray" = x * a
    c: int
    return b


@CASES(X)
def conditional_state(x):
    s = 0
    for a in x:
        s = s + a if a > 0 else s
    return s

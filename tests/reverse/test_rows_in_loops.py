"""Programs over rows of tables, found at random, whose gradient was wrong in C: reverse mode against forward mode and Python."""

from __future__ import annotations

import numpy as np
import pytest

import fsmooth as fs

CASES = [(3, 4), (4, 3), (0, 3), (3, 0), (1, 1), (7, 2)]


def weighed(A, B):
    """A number in which every element counts differently."""
    total = 0.5
    for i in range(len(A)):
        for j in range(A.shape[1]):
            total += np.cos(i + 0.7 * j) * A[i, j] + np.sin(2 * i + 0.3 * j) * B[i, j]
    return total


def table_of_saved_rows(A, B, u, v):
    """On the way back a table of records of rows is needed, in a branch."""
    n, m = len(u), len(v)
    for i in range(n):
        if i % 2 == 1:
            A = np.array([[A[i, j] * np.sin(A[k, m - 1 - j]) for j in range(m)] for k in range(n)])
    return weighed(A, B)


def update_before_a_branch(A, B, u, v):
    """What follows the branch reads the table that was updated before it."""
    n, m = len(u), len(v)
    s = 0.3
    old = B.copy()
    for i in range(n):
        old[i] = v.copy()
        if i % 2 == 0:
            A = np.array([[B[i, j] for j in range(m)] for _ in range(n)])
            s += 0.5
        for j in range(1, m):
            v[j] += np.sin(old[i, j])
    return s + weighed(A, B) + sum(np.cos(j + 2.0) * v[j] for j in range(m))


def rows_replaced(A, B, u, v):
    """The cotangents of a row are added to those that are there, an odd number of times."""
    z = 0.3
    for _ in range(len(v)):
        v = v.copy()
        z += 0.5
    for _ in range(len(v)):
        for i in range(len(u)):
            A[i] = v.copy()
    return z + weighed(A, B)


def summand_in_its_place(A, B, u, v):
    """One of two summands of a cotangent is made in the place of a state."""
    for _ in range(len(v)):
        v = v.copy()
        for i in range(len(u)):
            A[i] = v.copy()
        for j in range(len(v)):
            v[j] += 0.5
            u = u.copy()
    return sum(np.sin(i + 1.0) * u[i] for i in range(len(u))) + weighed(A, B)


PROGRAMS = [
    table_of_saved_rows,
    update_before_a_branch,
    rows_replaced,
    summand_in_its_place,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_every_way_agrees(program) -> None:
    value = fs.function(program)
    backwards = fs.value_and_grad(program, wrt=(0, 1, 2, 3), method="reverse")
    forwards = fs.value_and_grad(program, wrt=(0, 1, 2, 3), method="forward")
    for n, m in CASES:
        random = np.random.default_rng(10 * n + m)
        given = [random.normal(size=shape) for shape in ((n, m), (n, m), (n,), (m,))]
        expected = program(*[x.copy() for x in given])
        there, slopes = forwards(*given)
        back, found = backwards(*given)
        np.testing.assert_allclose([value(*given), there, back], expected, rtol=1e-12)
        for one, other in zip(found, slopes, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)

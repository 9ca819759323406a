"""Arrays that are changed, copied, or chosen by a branch."""

# ruff: noqa

from __future__ import annotations

import numpy as np

from tests.frontend.python.cases import MATRIX, Cases, X

CASES = Cases()


@CASES(X)
def copy_changed(x):
    y = x * 1.0

    def g(i):
        return y[i]

    y[0] = 5.0
    return y[0] + x[0]


@CASES(X)
def copies_are_apart(x):
    y = x.copy()
    z = y.copy()
    y[0] = 9.0
    return (y, z, x)


@CASES(X)
def copy_inside_function(x):

    def setit(v):
        w = v * 1.0
        w[0] = 3.0
        return w

    return (setit(x), x)


@CASES(X)
def read_before_change(x):
    a = x[0]
    y = x * 1.0
    y[0] = 100.0
    return a + y[0]


@CASES(MATRIX)
def taken_before_change(A):
    B = A * 1.0
    r = [b for b in B[0]]
    B[0, 0] = 7.0
    return r[0]


@CASES(X)
def rows_from_lists(x):
    y = np.zeros((2, 2))
    y[0] = [1.0, 2.0]
    y[1] = x[:2]
    return y


@CASES(X)
def elements_swapped(x):
    y = np.zeros(2)
    y[0], y[1] = (x[0], x[1])
    y[0], y[1] = (y[1], y[0])
    return y


@CASES(X)
def array_augmented(x):
    y = x * 1.0
    y += 1
    y *= 2
    y -= x
    return y


@CASES(X)
def branch_on_a_size(x):
    if len(x) > 3:
        y = x[:3]
    else:
        y = x
    return y


@CASES(X)
def arrays_in_branches(x):
    if x[0] > 3:
        y = x * 2
    else:
        y = x * 3
    return y


@CASES(X)
def slices_in_branches(x):
    if x[0] > 3:
        y = x[:2]
    else:
        y = x[1:3]
    return y

"""A name that shares memory with an array whose elements were assigned cannot be read afterwards: Python would see the change."""

# ruff: noqa: F841, RUF059, B007

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import fsmooth as fs

X = np.array([1.0, 2.0, 3.0])
MATRIX = np.arange(6.0).reshape(2, 3) + 1


class P(NamedTuple):
    u: np.ndarray
    v: np.ndarray


def chosen(x, k):
    y = x.copy()
    z = y if k > 0 else x.copy()
    z[0] = 9.0
    return y


def chosen_by_statement(x, k):
    y = x.copy()
    w = 1.0
    if k > 0:
        z = y
        w = 2.0
    else:
        z = x * 2
    z[0] = 9.0
    return y


def chosen_and_used(x, k):
    y = x.copy()
    w = 1.0
    if k > 0:
        z = y
        w = 2.0
    else:
        z = x * 2
    z[0] = 9.0
    return z * w


def unpacked(A):
    B = A * 1.0
    a, b = B
    a[0] = 5.0
    return B


def unpacked_and_copied(A):
    B = A * 1.0
    a, b = B
    a = a.copy()
    a[0] = 5.0
    return B


def field_of_record(x):
    p = P(x * 1.0, x * 2.0)
    q = p.u
    q[0] = 7.0
    return p.u


def held_by_tuple(x):
    y = x * 1.0
    p = (y, 1.0)
    y[0] = 7.0
    return p[0]


def held_by_list(x):
    y = x * 1.0
    rows = [y, x * 2]
    y[0] = 7.0
    return rows[0]


def through_a_call(x):
    y = x * 1.0

    def f(v):
        return v

    z = f(y)
    z[0] = 7.0
    return y


def named_in_loop(x):
    y = x * 1.0
    for i in range(2):
        z = y
        z[i] = 7.0
    return y


def replaced_in_loop(x):
    y = x * 1.0
    z = y
    for i in range(2):
        z = z * 2.0
    z[0] = 1.0
    return y


def changed_in_loop(x):
    y = x * 1.0
    z = y
    for i in range(2):
        y[i] = 3.0
    return z


def transposed_vector(x):
    y = x * 1.0
    z = y.T
    y[0] = 3.0
    return z


def transposed_matrix(A):
    B = A * 1.0
    C = B.T
    C[0, 1] = 3.0
    return B


def flattened_view(A):
    B = A * 1.0
    c = B.ravel()
    c[0] = 3.0
    return B


def as_array(x):
    y = np.asarray(x)
    y[0] = 3.0
    return x


def array_copies(x):
    y = np.array(x)
    y[0] = 3.0
    return x


def sum_is_new(x):
    y = x
    y = y + 0
    y[0] = 3.0
    return x


def rows_of_loop(A):
    B = A * 1.0
    for row in B:
        row[0] = 5.0
    return B


def rows_named_in_loop(A):
    B = A * 1.0
    for i in range(2):
        r = B[i]
        r[0] = 5.0
    return B


def augmented(x):
    y = x * 1.0
    y2 = y
    y += 1
    return y2


def not_augmented(x):
    y = x * 1.0
    y2 = y
    y = y + 1
    return y2


def one_of_two_chosen(x, k):
    y, z = x.copy(), x * 2
    u, v = (y, z) if k > 0 else (z, y)
    u[0] = 9.0
    return y


def a_pair_chosen(x, k):
    y, z = x.copy(), x * 2
    both = ((y, 1.0), z) if k > 0 else ((z, 2.0), y)
    (u, w), v = both
    u[0] = 9.0
    return y


def other_of_two_chosen(x, k):
    y, z = x.copy(), x * 2
    u, v = (y, x * 3) if k > 0 else (z, x * 3)
    v[0] = 9.0
    return y


def rows_exchanged(A):
    """Both are views: NumPy writes the second row into both."""
    B = A.copy()
    B[0], B[1] = B[1], B[0]
    return B


def rows_exchanged_by_copies(A):
    B = A.copy()
    B[0], B[1] = B[1].copy(), B[0].copy()
    return B


def rows_exchanged_at_once(A):
    B = A.copy()
    B[[0, 1]] = B[[1, 0]]
    return B


def parts_exchanged(x):
    y = x.copy()
    y[:-1], y[1:] = y[1:], y[:-1]
    return y


def numbers_exchanged(x):
    y = x.copy()
    y[0], y[2] = y[2], y[0]
    return y


def a_row_and_the_whole(A):
    B, y = A.copy(), A[0].copy()
    B[1], y[:] = y, B[1]
    return B, y


def exchanged_through_a_view(A):
    B = A.copy()
    r = B[0]
    B[0], B[1] = B[1], r
    return B


SHARED = [
    (one_of_two_chosen, (X, 1)),
    (a_pair_chosen, (X, 1)),
    (
        chosen,
        (
            X,
            1,
        ),
    ),
    (
        chosen_by_statement,
        (
            X,
            1,
        ),
    ),
    (unpacked, (MATRIX,)),
    (field_of_record, (X,)),
    (held_by_tuple, (X,)),
    (held_by_list, (X,)),
    (through_a_call, (X,)),
    (named_in_loop, (X,)),
    (changed_in_loop, (X,)),
    (transposed_vector, (X,)),
    (transposed_matrix, (MATRIX,)),
    (flattened_view, (MATRIX,)),
    (as_array, (X,)),
    (rows_of_loop, (MATRIX,)),
    (rows_named_in_loop, (MATRIX,)),
    (augmented, (X,)),
]

APART = [
    (
        chosen_and_used,
        (
            X,
            1,
        ),
    ),
    (unpacked_and_copied, (MATRIX,)),
    (replaced_in_loop, (X,)),
    (array_copies, (X,)),
    (sum_is_new, (X,)),
    (not_augmented, (X,)),
    (other_of_two_chosen, (X, 1)),
    (rows_exchanged, (MATRIX,)),
    (rows_exchanged_by_copies, (MATRIX,)),
    (rows_exchanged_at_once, (MATRIX,)),
    (parts_exchanged, (X,)),
    (numbers_exchanged, (X,)),
]


@pytest.mark.parametrize(("f", "arguments"), SHARED)
def test_shared_memory_is_refused(f, arguments) -> None:
    with pytest.raises(
        fs.UndefinedNameError, match="shares its memory with .*, whose elements were assigned"
    ) as caught:
        fs.function(f).compiled(*arguments)
    assert "hint: make one of them with .copy() before that line" in str(caught.value)


@pytest.mark.parametrize(("f", "arguments"), APART)
def test_memory_of_their_own(f, arguments) -> None:
    copies = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    np.testing.assert_allclose(fs.function(f)(*arguments), f(*copies))


def test_pairs_of_arrays_that_change_in_turn() -> None:
    for a, b in zip(fs.function(a_row_and_the_whole)(MATRIX), a_row_and_the_whole(MATRIX), strict=True):
        np.testing.assert_allclose(a, b)


def test_a_name_for_a_view_that_is_assigned_with_the_array() -> None:
    with pytest.raises(fs.UndefinedNameError) as caught:
        fs.function(exchanged_through_a_view)(MATRIX)
    first, _, line, marks, hint = str(caught.value).split("\n")
    assert first == "what is assigned here shares its memory with B, whose elements were assigned before"
    assert (line.strip(), marks.strip()) == ("B[0], B[1] = B[1], r", "^" * 20)
    assert hint == "  hint: copy it: (a[1].copy(), a[0].copy())"

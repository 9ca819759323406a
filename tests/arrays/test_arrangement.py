"""Axes, shapes and arrays put together, as NumPy has them."""

from __future__ import annotations

import numpy as np
import pytest

import fsmooth as fs
from tests.arrays.agreement import agree

RANDOM = np.random.default_rng(1)
T = RANDOM.normal(size=(2, 3, 4))
A = T[0]


def axes(t, a):
    return (
        np.transpose(t),
        t.T,
        np.transpose(t, (1, 2, 0)),
        t.transpose(2, 0, 1),
        np.moveaxis(t, 0, -1),
        np.moveaxis(t, (0, 1), (2, 0)),
        np.swapaxes(t, 0, 2),
        t.swapaxes(-1, -2) * 2.0,
        np.expand_dims(a, 0),
        np.expand_dims(a, (0, -1)),
        np.squeeze(np.expand_dims(t, 1)),
        np.squeeze(np.expand_dims(t, 1), axis=1),
        np.broadcast_to(a, (2, 3, 4)) * t,
        np.broadcast_to(np.expand_dims(a[0], 1), (4, 5)),
        np.atleast_1d(a[0, 0]),
        np.atleast_2d(a[0]),
        np.atleast_3d(a),
    )


def shapes(t, a):
    return (
        t.reshape(6, 4),
        t.reshape((3, 8)),
        t.reshape(-1),
        t.reshape(2, -1),
        np.reshape(t, (2, 3, 2, 2)),
        np.reshape(t, (-1, 2)),
        np.reshape(a, (1, 3, 4)),
        np.ravel(t),
        t.flatten() * 2.0,
        np.reshape(np.reshape(t, (6, 4)) * 2.0, t.shape),
        a[0, 0].reshape(1, 1),
    )


def together(t, a):
    return (
        np.concatenate((t, t), axis=1),
        np.concatenate([t, t[:, :1], 2.0 * t], axis=1),
        np.concatenate((a, a), axis=-1),
        np.concatenate((a, a), axis=None),
        np.concatenate(t),
        np.stack([a, 2.0 * a], axis=-1),
        np.stack([a, 2.0 * a], axis=1),
        np.stack((a, a)),
        np.stack(t),
        np.hstack([a, a]),
        np.hstack((a[0], a[1, 0])),
        np.vstack([a[0], a[1]]),
        np.vstack([a, a[:1]]),
        np.vstack(a),
        np.dstack([a, a]),
        np.column_stack([a[0], a[1], a.T]),
    )


def in_brackets(t, a):
    return (
        np.r_[a[0], 1.0, a[1, 1:], 0 : len(t), 1:2:3j, 5:0:-2],
        np.r_[a, 2.0 * a],
        np.c_[a[0], a[1], a.T],
        np.c_[1.0, 2.0, 3.0] * a[0, 0],
        np.c_[t, t[:, :, :1]],
        np.r_[a[0]],
    )


@pytest.mark.parametrize("program", [axes, shapes, together, in_brackets])
def test_arrangement(program) -> None:
    agree(lambda t: program(t, t[0]), T)


def test_an_axis_that_is_split_or_joined_keeps_its_neighbours() -> None:
    def heads(x: fs.Array["b", "n", 6]):  # noqa: F821, UP037
        return np.reshape(x, (x.shape[0], x.shape[1], 2, 3))

    code = fs.function(heads).c_source(np.zeros((2, 5, 6)))
    assert "%" not in code.partition("{")[2]  # 3 i + j: nothing is divided


def test_sizes_found_by_minus_one_are_checked() -> None:
    def pairs(x):
        return np.reshape(x, (-1, 2))

    np.testing.assert_array_equal(fs.function(pairs)(np.arange(6.0)), np.arange(6.0).reshape(-1, 2))
    with pytest.raises(fs.SizeError, match="sizes 5 and 4 differ"):
        fs.function(pairs)(np.arange(5.0))
    with pytest.raises(fs.SizeError, match="sizes 6 and 4 differ"):
        fs.function(lambda x: x.reshape(2, 2))(np.arange(6.0))


def test_an_axis_that_is_squeezed_must_be_one() -> None:
    def first(x):
        return np.squeeze(x, axis=0)

    np.testing.assert_array_equal(fs.function(first)(T[:1]), T[0])
    with pytest.raises(fs.SizeError, match="sizes 1 and 2 differ"):
        fs.function(first)(T)
    with pytest.raises(fs.RankError, match="none of the sizes"):
        fs.function(lambda x: np.squeeze(x))(T)


def test_parts_must_agree() -> None:
    with pytest.raises(fs.SizeError, match="sizes 2 and 3 differ"):
        fs.function(lambda a: np.concatenate((a, a.T), axis=0))(np.ones((2, 3)))


def after_each_other(x, y):
    return (
        np.concatenate([x[5:], y]),
        np.concatenate([y, x[5:] * 2.0, x[1:-1]]),
        np.append(np.insert(x[5:], 0, 1.0), y[2:]),
        np.hstack([np.array([x[i + 3] for i in range(len(x) - 3)]), y]),
        np.concatenate([np.outer(x, y)[2:], np.outer(x, y)]),
    )


@pytest.mark.parametrize("size", [0, 1, 3, 5, 7])
def test_parts_that_begin_beyond_the_end_are_empty(size) -> None:
    """And do not take elements away from the others."""
    x, y = np.arange(1.0, size + 1), np.arange(10.0, 14.0)
    for found, wanted in zip(fs.function(after_each_other)(x, y), after_each_other(x, y), strict=True):
        np.testing.assert_array_equal(found, wanted)
    gradient = fs.grad(lambda x, y: np.sum(np.concatenate([x[5:], y]) ** 2), wrt=("x", "y"))(x, y)
    np.testing.assert_array_equal(gradient[0], np.where(np.arange(size) < 5, 0.0, 2.0 * x))
    np.testing.assert_array_equal(gradient[1], 2.0 * y)


def halves(x):
    h = (len(x) - 1) // 2
    return np.sum(x[:h] * x[h + 1 :]), x[1:].reshape(2, -1), np.split(x[1:], 2)[1]


def test_what_is_known_of_a_quotient_may_mention_it() -> None:
    """To ask whether it is negative must not ask the same again, and so on."""
    x = np.arange(1.0, 8.0)
    for found, wanted in zip(fs.function(halves)(x), halves(x), strict=True):
        np.testing.assert_array_equal(found, wanted)


def parts(x, a, j, k):
    return (
        *np.split(x, [j, k]),
        *np.array_split(a, [j, k], axis=1),
        *np.vsplit(a, [j]),
        *np.split(x, [-9, -2]),
        *np.split(x, [5, 2]),
    )


@pytest.mark.parametrize("first", [-100, -4, 0, 2, 7])
@pytest.mark.parametrize("second", [-4, -1, 3, 100])
def test_the_ends_of_parts_are_those_of_slices(first, second) -> None:
    x, a = np.arange(1.0, 8.0), np.arange(20.0).reshape(4, 5)
    found, wanted = fs.function(parts)(x, a, first, second), parts(x, a, first, second)
    for mine, theirs in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_parts_that_end_where_a_number_says_have_derivatives() -> None:
    agree(lambda t: (np.split(t[0], [-2])[1], np.split(t[0], [len(t) - 4])[0], np.split(t, [-1, -9], 1)[1]), T)

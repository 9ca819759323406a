"""Annotations under `fs.vmap`: they speak of one element, and are checked of all before the program begins."""

# ruff: noqa: F821, UP037  (the names of sizes)

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fsmooth as fs


def gathered(x: fs.Array["n"], idx: fs.Array["m", fs.Index["n"]]):
    return sum(x[idx[i]] ** 2 for i in range(len(idx)))


def rows(starts: fs.Array["r + 1", fs.Offsets["m"]], data: fs.Array["m"], right: fs.Array["r"]):
    return [right[i] * sum(data[j] for j in range(starts[i], starts[i + 1])) for i in range(len(right))]


def element(x: fs.Array["n"], k: fs.Index["n"]):
    return x[k]


X, IDX = np.arange(8.0).reshape(2, 4), np.array([[0, 3, 3], [2, 1, 0]])


@pytest.mark.parametrize("axes", [(0, 0), (None, 0), (0, None)])
def test_values_and_derivatives(axes: tuple[int | None, int | None]) -> None:
    x, idx = X if axes[0] == 0 else X[0], IDX if axes[1] == 0 else IDX[0]
    program = fs.vmap(gathered, in_axes=axes, checks="proved")
    each = [(X[b] if axes[0] == 0 else x, IDX[b] if axes[1] == 0 else idx) for b in range(2)]
    np.testing.assert_array_equal(program(x, idx), [np.sum(a[k] ** 2) for a, k in each])
    gradients = fs.vmap(fs.grad(gathered), in_axes=axes, checks="proved")(x, idx)
    np.testing.assert_array_equal(gradients, [fs.grad(gathered)(a, k) for a, k in each])
    of_sum = fs.grad(lambda x, idx: np.sum(fs.vmap(gathered, in_axes=axes)(x, idx)), checks="proved")(x, idx)
    assert of_sum.shape == x.shape


def test_wrong_numbers_are_named() -> None:
    wrong = IDX.copy()
    for place, number in (((1, 2), 4), ((0, 0), -1)):
        wrong = IDX.copy()
        wrong[place] = number
        with pytest.raises(fs.ArgumentIndexError) as caught:
            fs.vmap(gathered)(X, wrong)
        asked = f"idx[{place[0]}, {place[1]}] is {number}: its annotation asks for integers from 0 to 3"
        assert str(caught.value).splitlines()[0] == asked
    fs.vmap(gathered)(X, np.full((2, 1), 3))


def test_numbers_that_are_indices() -> None:
    program = fs.vmap(element, checks="proved")
    np.testing.assert_array_equal(program(X, np.array([3, 0])), [3.0, 4.0])
    with pytest.raises(fs.ArgumentIndexError, match=r"^k\[1\] is 4: its annotation asks for integers from 0 to 3"):
        program(X, np.array([3, 4]))
    same = fs.vmap(element, in_axes=(0, None), checks="proved")
    np.testing.assert_array_equal(same(X, 2), [2.0, 6.0])
    with pytest.raises(fs.ArgumentIndexError, match="^k is 4: its annotation asks for integers from 0 to 3"):
        same(X, 4)


def test_offsets() -> None:
    starts, data, right = np.array([[0, 1, 3], [0, 0, 3]]), np.ones((2, 3)), np.ones((2, 2))
    program = fs.vmap(rows, checks="proved")
    np.testing.assert_array_equal(program(starts, data, right), [[1.0, 2.0], [0.0, 3.0]])
    with pytest.raises(fs.ArgumentIndexError, match=r"^starts\[1, 2\] is 1, less than starts\[1, 1\], which is 2"):
        program(np.array([[0, 1, 3], [0, 2, 1]]), data, right)
    with pytest.raises(
        fs.ArgumentIndexError, match=r"^starts\[0, 2\] is 4: its annotation asks for integers from 0 to 3"
    ):
        program(np.array([[0, 1, 4], [0, 2, 3]]), data, right)


def test_sizes_are_required() -> None:
    with pytest.raises(fs.SizeError):
        fs.vmap(rows)(np.zeros((2, 4), int), np.ones((2, 3)), np.ones((2, 2)))

    def of_three(x: fs.Array[3]):
        return x[0]

    with pytest.raises(fs.SizeError):
        fs.vmap(of_three)(np.ones((2, 4)))
    np.testing.assert_array_equal(fs.vmap(of_three)(np.ones((2, 3))), [1.0, 1.0])


def test_elements_of_another_type() -> None:
    with pytest.raises(fs.RankError) as caught:
        fs.vmap(gathered)(np.ones((2, 3, 4)), IDX)
    assert str(caught.value).startswith(
        "x is annotated as fs.Array['n'], a 1-dimensional array of numbers, and each element of its batch is a 2-dimensional"
    )
    assert "hint: pass what the annotation says, with the batch as its first axis, or change it" in str(caught.value)
    with pytest.raises(fs.TypeMismatchError, match=r"k is annotated as fs.Index\['n'\], an integer, and is a number"):
        fs.vmap(element, in_axes=(0, None))(X, 1.0)


def test_what_is_no_argument_is_tested() -> None:
    """A batch that is another axis is made first: of each element it is asked what its annotation says."""
    program: Any = fs.vmap(gathered, in_axes=(0, 1))
    np.testing.assert_array_equal(program(X, IDX.T), fs.vmap(gathered)(X, IDX))
    remaining = [c for c in program.checks(X, IDX.T).remaining if c.what != "equal sizes"]
    assert [c.what for c in remaining] == ["indices below their size"]
    with pytest.raises(fs.IndexOutOfBoundsError):
        program(X, np.full((3, 2), 4))

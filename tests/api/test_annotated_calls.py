"""Annotations of functions that a program calls: sizes, indices and results, where they are called."""

# ruff: noqa: F821, UP037  (the names of sizes)

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.checks import When

X = np.array([1.0, 2.0, 4.0])


def dot(a: fs.Array["n"], b: fs.Array["n"]):
    return sum(a[i] * b[i] for i in range(len(a)))


def pick(x: fs.Array["n"], k: fs.Index["n"]):
    return x[k]


def gather(x: fs.Array["n"], idx: fs.Array["m", fs.Index["n"]]) -> fs.Array["m"]:
    return [x[i] for i in idx]


def rows(starts: fs.Array["n + 1", fs.Offsets["m"]], data: fs.Array["m"], b: fs.Array["n"]) -> fs.Array["n"]:
    return [sum(data[j] for j in range(starts[i], starts[i + 1])) + b[i] for i in range(len(b))]


def when(found: Any, what: str) -> list[When]:
    """When checks of this kind are tested."""
    return [c.tested for c in found if c.what == what]


def fails(error: type[Exception], program: Callable[..., object], *arguments: object) -> list[str]:
    with pytest.raises(error) as caught:
        fs.function(program)(*arguments)
    return str(caught.value).splitlines()


# -- sizes -----------------------------------------------------------------------------------------------------------


def test_sizes_of_arguments_are_asked_once() -> None:
    def program(x, y):
        return dot(x, y)

    assert fs.function(program)(X, X) == 21.0
    found = fs.function(program).checks(X, X)
    assert when(found, "equal sizes") == [When.AT_ENTRY]
    assert when(found, "index in bounds") == [When.PROVED] * 2
    message, _, line, marks, _ = fails(fs.SizeError, program, X, X[:2])
    assert message == "sizes 2 and 3 differ"
    assert line.strip() == "return dot(x, y)"
    assert marks.strip() == "^" * len("dot(x, y)")


def test_sizes_that_agree_are_not_tested() -> None:
    def program(x: fs.Array["k"], y: fs.Array["k"]):
        return dot(x[1:], y[1:]) + dot(x, 2 * y)

    found = fs.function(program).checks(X, X)
    assert sorted([c.tested for c in found]) == [When.PROVED] * (len(found) - 1) + [When.AT_ENTRY]
    assert fs.function(program)(X, X) == 20.0 + 42.0
    assert fs.function(program)(X[:0], X[:0]) == 0.0


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_sizes_of_what_is_computed(n: int) -> None:
    """A slice of nothing has no elements."""

    def program(x, y):
        return dot(x[1:], y)

    x = np.arange(float(n))
    assert fs.function(program)(x, x[1:]) == x[1:] @ x[1:]
    with pytest.raises(fs.SizeError):
        fs.function(program)(x, np.ones(n + 1))


def test_a_branch_that_is_not_taken_requires_nothing() -> None:
    def program(x, y, c):
        return dot(x[1:], y) if c > 0 else 1.0

    assert fs.function(program)(X, X, -1.0) == 1.0
    assert fails(fs.SizeError, program, X, X, 1.0)[0] == "sizes 3 and 2 differ"


def test_sizes_that_always_differ_are_refused() -> None:
    def pair(a: fs.Array[2]):
        return a[0] + a[1]

    def program(x: fs.Array[3]):
        return pair(x)

    assert fails(fs.ConstantSizeError, program, X)[0] == "sizes 3 and 2 differ: the annotation of a of pair"


def test_another_rank_and_other_elements() -> None:
    def program(x, y):
        return dot(x, y)

    def real(x):
        return pick(x, x[0])

    assert fails(fs.RankError, program, np.ones((2, 2)), X)[0] == (
        "a of dot is annotated as fs.Array['n'], a 1-dimensional array of numbers, and is a 2-dimensional array of numbers"
    )
    assert fails(fs.TypeMismatchError, real, X)[0].startswith(
        "k of pick is annotated as fs.Index['n'], an integer, and is"
    )


def test_integers_become_the_real_numbers_that_are_asked_for() -> None:
    def half(a: fs.Array["n"]):
        return [x // 2 + x / 2 for x in a]

    result = fs.function(lambda k: half(k))(np.array([3, 4]))
    np.testing.assert_array_equal(result, [2.5, 4.0])
    assert result.dtype == np.float64


def test_a_name_that_no_argument_has() -> None:
    def helper(a: fs.Array["n + 1"]):
        return a[0]

    message, _, line, marks, _ = fails(fs.UndefinedNameError, lambda x: helper(x), X)
    assert message == "n is the size of no argument: none is annotated with it alone"
    assert line.strip() == 'def helper(a: fs.Array["n + 1"]):'
    assert marks.strip() == "^" * len('a: fs.Array["n + 1"]')


# -- indices ---------------------------------------------------------------------------------------------------------


def test_an_index_that_is_one_is_proved() -> None:
    def program(x: fs.Array["n"], idx: fs.Array["m", fs.Index["n"]]):
        return sum(pick(x, i) for i in range(len(x))) + sum(pick(x, i) for i in idx[1:]) + sum(gather(x, idx[::-1]))

    idx = np.array([0, 2])
    assert fs.function(program, checks="proved")(X, idx) == 7.0 + 4.0 + 5.0


@pytest.mark.parametrize("wrong", [3, -1, 2**62])
def test_an_index_that_is_none(wrong: int) -> None:
    def program(x: fs.Array["n"], idx):
        return sum(pick(x, i) for i in idx)

    found = fs.function(program).checks(X, np.array([0, 2]))
    assert [(c.source, c.tested) for c in found] == [("x[k]", When.PROVED), ("pick(x, i)", When.BEFORE_A_LOOP)]
    message, _, line, marks, hint = fails(fs.IndexOutOfBoundsError, program, X, np.array([0, wrong]))
    assert message == f"k of pick is {wrong}: its annotation asks for integers from 0 to 2"
    assert line.strip() == "return sum(pick(x, i) for i in idx)"
    assert marks.strip() == "^" * len("pick(x, i)")
    assert hint == "  hint: correct what is computed, or annotate it with int, and every access is checked"


def test_numbers_that_are_known() -> None:
    def program(x):
        return pick(x, 2)

    def negative(x):
        return pick(x, -1)

    assert fs.function(program)(X) == 4.0
    assert fails(fs.IndexOutOfBoundsError, program, X[:2])[0] == (
        "k of pick is 2: its annotation asks for integers from 0 to 1"
    )
    assert fails(fs.ConstantIndexError, negative, X)[0] == "k of pick is -1: its annotation asks for integers from 0 on"


def test_arrays_of_indices_that_are_arguments() -> None:
    def program(x, idx):
        return gather(x, idx)

    found = fs.function(program).checks(X, np.array([0, 2]))
    assert when(found, "indices below their size") == [When.AT_ENTRY]
    assert when(found, "index in bounds") == [When.PROVED]
    np.testing.assert_array_equal(fs.function(program)(X, np.array([2, 0])), [4.0, 1.0])
    assert fails(fs.IndexOutOfBoundsError, program, X, np.array([0, 3]))[0] == (
        "idx of gather has an element that is no index: its annotation asks for integers from 0 to 2"
    )


@pytest.mark.parametrize(("idx", "fits"), [([0, 1], True), ([-1, 1], True), ([0, 2], False), ([-2, 0], False)])
def test_arrays_of_indices_that_are_computed(idx: list[int], fits: bool) -> None:
    """They are tested once where they are handed over, and not where they are used."""

    def program(x: fs.Array["n"], idx):
        return gather(x, idx + 1)

    given = np.array(idx)
    found = fs.function(program).checks(X, given)
    assert when(found, "indices below their size") == [When.ONCE]
    assert when(found, "index in bounds") == [When.PROVED]
    if fits:
        np.testing.assert_array_equal(fs.function(program)(X, given), X[given + 1])
    else:
        fails(fs.IndexOutOfBoundsError, program, X, given)


def test_columns_of_indices() -> None:
    """What is known of one column says nothing of another."""

    def program(x: fs.Array["n"], table):
        return sum(gather(x, table[:, 0])) + x[table[0, 1]]

    table = np.array([[0, 2], [1, 7]])
    found = fs.function(program).checks(X, table)
    assert [(c.source, c.tested) for c in found if c.what == "index in bounds" and "x[" in c.source] == [
        ("x[i]", When.PROVED),
        ("x[table[0, 1]]", When.ONCE),
    ]
    assert fs.function(program)(X, table) == 1.0 + 2.0 + 4.0
    fails(fs.IndexOutOfBoundsError, program, X, np.array([[0, 3], [1, 0]]))


def test_offsets() -> None:
    def program(starts, data, b):
        return rows(starts[:, 0], data, b)

    def column(*starts: int) -> np.ndarray:
        return np.array([[k, -9] for k in starts])

    b = np.zeros(2)
    found = fs.function(program).checks(column(0, 2, 4), np.ones(4), b)
    assert [c.source for c in found if c.tested > When.ONCE] == []
    np.testing.assert_array_equal(fs.function(program)(column(0, 1, 4), np.ones(4), b), [1.0, 3.0])
    assert fails(fs.IndexOutOfBoundsError, program, column(0, 2, 1), np.ones(4), b)[0] == (
        "starts of rows has an element that is less than the one before it: offsets do not decrease"
    )
    assert fails(fs.IndexOutOfBoundsError, program, column(0, 1, 5), np.ones(4), b)[0] == (
        "starts of rows has an element that is no index: its annotation asks for integers from 0 to 4"
    )


# -- results ---------------------------------------------------------------------------------------------------------


def test_results_have_their_sizes() -> None:
    def shifted(a: fs.Array["n"]) -> fs.Array["n"]:
        return a[1:]

    def kept(a: fs.Array["n"]) -> fs.Array["n"]:
        return [2 * x for x in a]

    message, _, line, marks, _ = fails(fs.SizeError, lambda x: shifted(x), X)
    assert message == "sizes 2 and 3 differ"
    assert line.strip() == 'def shifted(a: fs.Array["n"]) -> fs.Array["n"]:'
    assert marks.strip() == "^" * len('fs.Array["n"]')
    np.testing.assert_array_equal(fs.function(lambda x: kept(x[1:]))(X), [4.0, 8.0])
    np.testing.assert_array_equal(fs.function(lambda x: kept(x[1:]))(X[:0]), [])


@pytest.mark.parametrize(("offset", "wrong"), [(0, None), (-2, None), (1, 3), (-3, -1)])
def test_results_that_are_indices(offset: int, wrong: int | None) -> None:
    def last(a: fs.Array["n"], offset) -> fs.Index["n"]:
        return len(a) - 1 + offset

    def program(x, offset):
        return x[last(x, offset)]

    if wrong is None:
        assert fs.function(program)(X, offset) == X[2 + offset]
    else:
        assert fails(fs.IndexOutOfBoundsError, program, X, offset)[0] == (
            f"the result is {wrong}: its annotation asks for integers from 0 to 2"
        )
    access, result = [c for c in fs.function(program).checks(X, 0) if c.what == "index in bounds"]
    assert {access.tested, result.tested} == {When.PROVED, When.ONCE}


def test_the_programs_own_result() -> None:
    def place(x: fs.Array["n"]) -> fs.Index["n"]:
        return int(x[0])

    def places(x: fs.Array["n"], k) -> fs.Array["m", fs.Index["n"]]:
        return np.argsort(x) + k

    assert fs.function(place)(X) == 1
    assert fails(fs.IndexOutOfBoundsError, place, 3 * X)[0] == (
        "the result is 3: its annotation asks for integers from 0 to 2"
    )
    np.testing.assert_array_equal(fs.function(places)(-X, 0), [2, 1, 0])
    assert fails(fs.IndexOutOfBoundsError, places, X, 1)[0] == (
        "the result has an element that is no index: its annotation asks for integers from 0 to 2"
    )


# -- other functions -------------------------------------------------------------------------------------------------


def test_functions_in_functions_know_the_sizes_around_them() -> None:
    def program(x: fs.Array["n"], idx: fs.Array["m", fs.Index["n"]], k):
        def square(i: fs.Index["n"]):
            return x[i] ** 2

        return sum(square(i) for i in idx) + square(k)

    assert fs.function(program)(X, np.array([0, 2]), 1) == 1.0 + 16.0 + 4.0
    found = fs.function(program).checks(X, np.array([0, 2]), 1)
    assert sorted([c.tested for c in found if c.what == "index in bounds"]) == [When.PROVED] * 2 + [When.ONCE]
    assert fails(fs.IndexOutOfBoundsError, program, X, np.array([0]), 3)[0] == (
        "i of square is 3: its annotation asks for integers from 0 to 2"
    )


SIZE = 2


def test_an_annotation_that_changes_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def program(x):
        def pair(a: fs.Array[SIZE]):
            return a[0] + a[1]

        return pair(x)

    compiled = fs.function(program)
    with pytest.raises(fs.SizeError):
        compiled(X)
    monkeypatch.setitem(globals(), "SIZE", 3)
    assert compiled(X) == 3.0


class Mesh(NamedTuple):
    points: fs.Array["n", 2]
    corners: fs.Array["f", 3, fs.Index["n"]]


def test_sizes_of_fields() -> None:
    def first(mesh, k: fs.Index["mesh.f"]):
        return mesh.points[mesh.corners[k, 0], 1]

    @fs.function(checks="proved")
    def program(mesh):
        return sum(first(mesh, k) for k in range(len(mesh.corners)))

    points = np.arange(8.0).reshape(4, 2)
    assert program(Mesh(points, np.array([[0, 1, 2], [3, 2, 1]]))) == 1.0 + 7.0


def test_functions_that_call_themselves() -> None:
    def product(x: fs.Array["n"], k: fs.Index["n"]):
        return x[k] if k == 0 else x[k] * product(x, k - 1)

    compiled = fs.function(lambda x, k: product(x, k))
    assert compiled(X, 2) == 8.0
    message, _, _, marks, _ = fails(fs.IndexOutOfBoundsError, lambda x, k: product(x, k), X, 3)
    assert message == "k of product is 3: its annotation asks for integers from 0 to 2"
    assert marks.strip() == "^" * len('k: fs.Index["n"]')


def test_elements_of_batches() -> None:
    """Where the batch is another axis, each element is asked."""
    table = np.array([[0, 1], [1, 2]])
    program = fs.vmap(gather, in_axes=(None, 1))
    np.testing.assert_array_equal(program(X, table), X[table.T])
    found = program.checks(X, table)
    assert set(when(found, "index in bounds")) == {When.PROVED}
    with pytest.raises(fs.IndexOutOfBoundsError, match="^idx of gather has an element that is no index"):
        program(X, table + 1)


@pytest.mark.parametrize("method", ["forward", "reverse", "tape"])
def test_derivatives(method: str) -> None:
    def loss(x, starts, idx):
        parts = rows(starts, gather(x, idx) ** 2, x[:2])
        return parts[0] * parts[1]

    starts, idx = np.array([0, 2, 3]), np.array([0, 2, 1])

    def by_hand(x: Any) -> Any:
        return (x[0] ** 2 + x[2] ** 2 + x[0]) * (x[1] ** 2 + x[1])

    expected = [(by_hand(X + 1e-30j * e) / 1e-30).imag for e in np.eye(3)]
    gradient = fs.grad(loss, wrt="x", method=method)
    np.testing.assert_allclose(gradient(X, starts, idx), expected, rtol=1e-14)
    assert not [c for c in gradient.checks(X, starts, idx) if c.tested > When.ONCE]


def test_pythons_own_annotations_are_pythons() -> None:
    """They say nothing while a program runs, as in Python."""

    def helper(x: float, k: int) -> int:
        return x * k

    assert fs.function(lambda x: sum(helper(x, 0.5)))(X) == 3.5


def test_a_function_that_gives_a_function() -> None:
    def times(x: fs.Array["n"], y: fs.Array["n"]):
        return lambda k: x[k] * y[k]

    assert fs.function(lambda x, y: times(x, y)(1))(X, X) == 4.0
    assert fails(fs.SizeError, lambda x, y: times(x, y)(0), X, X[:2])[0] == "sizes 2 and 3 differ"

"""Conditions on the index of a loop become its range: what is computed, what is zero, what is read, and the C of it."""

# ruff: noqa: F821, UP037  (the names of sizes)
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fsmooth as fs

ENDS = [
    (0, 7),
    (2, 5),
    (-3, 4),
    (5, 30),
    (-9, 99),
    (6, 2),
    (4, 4),
    (0, 0),
    (7, 7),
    (30, 40),
    (-9, -2),
    (2**61, -(2**61)),
]
X = np.array([0.5, -1.0, 2.0, 3.5, -0.25, 1.5, 4.0])
ROWS = np.arange(1.0, 29.0).reshape(7, 4)


def between(x: fs.Array["n"], lo: int, hi: int):
    return [x[i] * i + 1.0 if lo <= i and i < hi else 0.0 for i in range(len(x))]


def chained(x: fs.Array["n"], lo: int, hi: int):
    """One comparison with two ends, which are computed."""
    return [np.sin(x[i]) if lo + 1 <= i < 2 * hi - lo else 0.0 for i in range(len(x))]


def strictly(x: fs.Array["n"], lo: int, hi: int):
    return [x[i] if i > lo and i <= hi else 0.0 for i in range(len(x))]


def swapped(x: fs.Array["n"], lo: int, hi: int):
    return [x[i] if hi > i and i >= lo else 0.0 for i in range(len(x))]


def from_below(x: fs.Array["n"], lo: int, hi: int):
    return [x[i] if i < hi else 0.0 for i in range(len(x))]


def to_the_end(x: fs.Array["n"], lo: int, hi: int):
    return [2.0 * x[i] if lo <= i else 0.0 for i in range(len(x))]


def nested(x: fs.Array["n"], lo: int, hi: int):
    """More ends than a range has."""
    return [(x[i] if i < hi and i >= 1 else 0.0) if lo <= i and i < 6 else 0.0 for i in range(len(x))]


def otherwise_one(x: fs.Array["n"], lo: int, hi: int):
    """What is not zero elsewhere."""
    return [x[i] if lo <= i and i < hi else 1.0 for i in range(len(x))]


def elsewhere(x: fs.Array["n"], lo: int, hi: int):
    """Zero inside, something outside; and one or the other."""
    return [(0.0 if lo <= i and i < hi else x[i]) + (x[i] if i < lo or i >= hi else 0.0) for i in range(len(x))]


def of_data(x: fs.Array["n"], lo: int, hi: int):
    """The end is an element, the condition is about an element."""
    return [x[i] if i < hi and x[i] > 0.0 else 0.0 for i in range(len(x))]


def pairs(x: fs.Array["n"], lo: int, hi: int):
    """Two numbers for each index."""
    return [(x[i], x[i] * x[i]) if lo <= i and i < hi else (0.0, 0.0) for i in range(len(x))]


def rows(r: fs.Array["n", "m"], lo: int, hi: int):
    return [
        [r[i][j] * 2.0 for j in range(len(r[0]))] if lo <= i and i < hi else [0.0 for _ in r[0]] for i in range(len(r))
    ]


def elements_of_rows(r: fs.Array["n", "m"], lo: int, hi: int):
    """The range is that of the inner loop, and depends on the outer one."""
    return [[r[i][j] if lo - 2 <= j and j < i else 0.0 for j in range(len(r[0]))] for i in range(len(r))]


def products(r: fs.Array["n", "m"], lo: int, hi: int):
    """Sums of which rows are added up, over part of the rows, for part of the columns."""
    n = len(r)
    m = len(r[0])
    return [
        sum([r[i][j] * (i + 1) if lo <= i and i < hi else 0.0 for i in range(n)]) if j < hi - 1 else 0.0
        for j in range(m)
    ]


def triangle(r: fs.Array["n", "m"], lo: int, hi: int):
    """Sums of which rows are added up, each column from another row on."""
    return [sum([r[i][j] if j + lo <= i and i < hi else 0.0 for i in range(len(r))]) for j in range(len(r[0]))]


def total(x: fs.Array["n"], lo: int, hi: int):
    return sum([x[i] * x[i] if lo <= i and i < hi else 0.0 for i in range(len(x))])


def total_of_others(x: fs.Array["n"], lo: int, hi: int):
    """Not a sum: the largest of what is there and of zero; a product."""
    some = [x[i] if lo <= i and i < hi else 0.0 for i in range(len(x))]
    return max(some) + min(some)


def counted(x: fs.Array["n"], lo: int, hi: int):
    """Integers."""
    return [i if lo <= i and i < hi else 0 for i in range(len(x))]


def shifted(x: fs.Array["n"], lo: int, hi: int):
    """Elements that exist only where the condition holds."""
    n = len(x)
    return [x[i + 2] - x[i - 1] if i >= 1 and i < n - 2 else 0.0 for i in range(n)]


def ahead(x: fs.Array["n"], lo: int, hi: int):
    """Each step reads elements after its own, which are zero only after it."""
    n = len(x)
    for _ in range(3):
        x = [x[i] + x[i + 1] if i < hi and i < n - 1 else 0.0 for i in range(n)]
    return x


def behind(x: fs.Array["n"], lo: int, hi: int):
    """Likewise, before its own."""
    for _ in range(3):
        x = [x[i - 1] * 2.0 if lo <= i and i >= 1 else 0.0 for i in range(len(x))]
    return x


def own(x: fs.Array["n"], lo: int, hi: int):
    """Each step reads its own element, in place; the range moves."""
    for t in range(3):
        x = [x[i] * 1.5 if lo + t <= i and i < hi - t else 0.0 for i in range(len(x))]
    return x


def mirrored(x: fs.Array["n"], lo: int, hi: int):
    n = len(x)
    for t in range(2):
        x = [x[n - 1 - i] + t if lo <= i and i < hi else 0.0 for i in range(n)]
    return x


def all_of_it(x: fs.Array["n"], lo: int, hi: int):
    """Each element reads all that were there before the step."""
    for _ in range(3):
        x = [sum([0.1 * x[j] * (i + j) for j in range(len(x))]) if lo <= i and i < hi else 0.0 for i in range(len(x))]
    return x


def added(x: fs.Array["n"], lo: int, hi: int):
    """To what is there already."""
    y = [0.5 for _ in x]
    for t in range(3):
        y = [y[i] + (x[i] * t if lo <= i and i < hi else 0.0) for i in range(len(x))]
    return y


def set_rows(x: fs.Array["n"], lo: int, hi: int):
    """Rows of a table that is kept."""
    n = len(x)
    d = [[9.0 for _ in range(n)] for _ in range(4)]
    for t in range(4):
        d[t] = [
            x[i] + (d[t - 1][i + 1] if t > 0 and i + 1 < n else 0.0) if lo - t <= i and i < hi else 0.0
            for i in range(n)
        ]
    return d


def of_a_step(x: fs.Array["n"], lo: int, hi: int):
    """An array that lives in one step only is zero where the last step set it."""
    n = len(x)
    for t in range(4):
        a = [x[i] + 1.0 if lo + t <= i and i < hi - t else 0.0 for i in range(n)]
        x = [a[i] + (a[i + 1] if i + 1 < n else 0.0) for i in range(n)]
    return x


PROGRAMS = (
    between, chained, strictly, swapped, from_below, to_the_end, nested, otherwise_one, elsewhere, of_data, pairs, rows,
    elements_of_rows, products, triangle, total, total_of_others, counted, shifted, ahead, behind, own, mirrored, all_of_it, added,
    set_rows, of_a_step,
)  # fmt: skip
ON_ROWS = (rows, elements_of_rows, products, triangle)


def by_python(program: Callable[..., Any], *arguments: Any) -> np.ndarray:
    """Arrays of pairs as pairs of arrays."""
    found = program(*[a.copy() if isinstance(a, np.ndarray) else a for a in arguments])
    return np.array(found, dtype=float).T if program is pairs else np.array(found, dtype=float)


@pytest.mark.parametrize("schedule", ["DEFAULT", "NONE"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_as_python(program: Callable[..., Any], schedule: str) -> None:
    function = fs.function(program, schedule=schedule)
    for whole in (ROWS, ROWS[:3]) if program in ON_ROWS else (X, X[:1], X[:3], X[:0]):
        for lo, hi in ENDS:
            if program is total_of_others and not len(whole):
                continue
            found = np.array(function(whole, lo, hi), dtype=float)
            wanted = by_python(program, whole, lo, hi).reshape(found.shape)
            np.testing.assert_allclose(found, wanted, rtol=1e-14, err_msg=f"{len(whole)} {lo} {hi}")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_derivatives(program: Callable[..., Any]) -> None:
    """Both modes, of a weighted sum of all elements."""
    if program is counted:
        return

    def weighed(x, lo: int, hi: int):  # type: ignore[no-untyped-def]
        return program(x, lo, hi)

    backwards = fs.jacobian(weighed, wrt="x", method="reverse")
    forwards = fs.jacobian(weighed, wrt="x", method="forward")
    whole = ROWS if program in ON_ROWS else X
    for lo, hi in ENDS:
        for found, wanted in zip(parts(backwards(whole, lo, hi)), parts(forwards(whole, lo, hi)), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-13, err_msg=f"{lo} {hi}")


def parts(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def test_what_is_not_finite_outside_is_not_looked_at() -> None:
    x = np.array([np.nan, 1.0, 2.0, np.inf, -np.inf])
    assert fs.function(between)(x, 1, 3).tolist() == [0.0, 2.0, 5.0, 0.0, 0.0]
    assert fs.function(total)(x, 1, 3) == 5.0


def test_mistakes_count_where_the_condition_holds() -> None:
    def program(x: fs.Array["n"], at: fs.Array["n", int], hi: int):
        return [x[at[i]] if i < hi else 0.0 for i in range(len(x))]

    function = fs.function(program)
    at = np.array([2, 1, 9, 0])
    assert function(X[:4], at, 2).tolist() == [2.0, -1.0, 0.0, 0.0]
    assert function(X[:4], at, -5).tolist() == [0.0] * 4
    for hi in (3, 100):
        with pytest.raises(IndexError):
            function(X[:4], at, hi)


# -- the C -----------------------------------------------------------------------------------------------------------------


def body_of(program: Callable[..., Any], *arguments: Any) -> str:
    """The C function itself."""
    source = fs.function(program).c_source(*arguments)
    start = source.index(f"int32_t {program.__name__}(")
    return source[start : source.index("\n}\n", start)]


@pytest.mark.parametrize("program", [between, to_the_end, total, own])
def test_the_condition_is_the_range(program: Callable[..., Any]) -> None:
    """It is not tested for each element."""
    body = body_of(program, X, 1, 2)
    inner = body[body.index("for (") :]
    assert not re.search(r"\?|\bif \(|&&", inner)
    assert re.search(r"< (count|end)\w*; \+\+", inner)


def test_zeros_are_set_around_the_range() -> None:
    assert body_of(between, X, 1, 2).count("memset") == 2
    assert body_of(from_below, X, 1, 2).count("memset") == 1
    assert "memset" not in body_of(total, X, 1, 2)

"""What of a program is proved, and what is tested when."""

# ruff: noqa: F821, UP037  (the names of sizes)

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.checks import When

X = np.ones(9)


def mixed(x, idx, k):
    total = x[k]
    for i in range(len(x) - 1):
        total += (x[i + 1] - x[i]) ** 2 + x[idx[i]]
    assert total > -5.0
    return total * np.sum(x * x[::-1]) / x[-1] + np.max(x)


def test_as_text() -> None:
    found = fs.function(mixed).checks(X, np.arange(8), 2)
    first = found[0].site.line
    text = "\n".join(["  ".join(line.split("  ")[1:]).strip() for line in str(found).splitlines()[:-1]])
    assert text == textwrap.dedent("""\
        x[k]                 index in bounds  tested once
        x[i + 1]             index in bounds  proved: range of i
        x[i]                 index in bounds  proved: range of i
        x[idx[i]]            index in bounds  tested before its loop, at each step of it
        idx[i]               index in bounds  tested once
        assert total > -5.0  assertion        tested once
        x * x[::-1]          equal sizes      proved
        x[-1]                index in bounds  proved
        np.max(x)            not empty        tested once""")
    assert str(found).splitlines()[-1] == "9 in all: 4 proved, 5 tested"
    assert repr(found) == str(found)
    assert str(found.remaining[0]) == f"line {first}: x[k]: index in bounds, tested once"
    assert isinstance(found[1:], type(found))
    assert [c.site.line - first for c in found] == [0, 2, 2, 2, 2, 3, 4, 4, 4]


def test_lines_with_other_letters() -> None:
    def größe(ä, k):
        return ä[k] + sum(ä[i] for i in range(len(ä)))  # ö

    assert [c.source for c in fs.function(größe).checks(X, 1)] == ["ä[k]", "ä[i]"]
    with pytest.raises(fs.IndexOutOfBoundsError) as caught:
        fs.function(größe)(X, 9)
    shown, marked = str(caught.value).splitlines()[2:4]
    assert shown[marked.index("^") : marked.rindex("^") + 1] == "ä[k]"


def test_of_a_derivative() -> None:
    assert "x[k]" in str(fs.grad(mixed).checks(X, np.arange(8), 2).remaining)


@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        (lambda x: [x[max(i - 1, 0)] + x[min(i + 1, len(x) - 1)] for i in range(len(x))], (X,)),
        (lambda x: [x[2 * i] for i in range(len(x) // 2)], (X,)),
        (lambda x: [x[i // 2] for i in range(len(x))], (X,)),
        (lambda x: sum(x[i] * x[len(x) - 1 - i] for i in range(len(x))), (X,)),
    ],
    ids=["clamped", "2*i", "i//2", "reversed"],
)
def test_what_is_proved(program: Any, arguments: tuple[Any, ...]) -> None:
    for made in (fs.function(program), fs.jacobian(program)):
        found = made.checks(*arguments)
        assert len(found) >= 1
        assert not found.remaining


def test_in_loops_and_in_calls() -> None:
    def product(data, columns, starts, x):
        out = np.zeros(len(starts) - 1)
        for i in range(len(starts) - 1):
            for k in range(starts[i], starts[i + 1]):
                out[i] += data[k] * x[columns[k]]
        return out

    found = fs.function(product).checks(np.ones(4), np.arange(4) % 3, np.array([0, 1, 4]), np.ones(3))
    assert {c.source: c.tested for c in found} == {
        "starts[i]": When.PROVED,
        "starts[i + 1]": When.PROVED,
        "out[i]": When.PROVED,
        "data[k]": When.EACH_TIME,
        "x[columns[k]]": When.EACH_TIME,
        "columns[k]": When.EACH_TIME,
    }

    def walked(v, n):
        return 1.0 if n < 1 else v[n] + walked(v, n - 1) * walked(v, n // 2)

    assert [c.tested for c in fs.function(walked).checks(X, 3)] == [When.EACH_TIME]


def test_a_size_that_wraps_around_is_not_believed() -> None:
    """2**32 * 2**32 is 0 in 64 bits: the array is empty, and its loops are not."""

    def counted(n: int, m: int, c: float):
        x = np.full(n * m, c)
        for i in range(n):
            for j in range(m):
                x[i * m + j] += 1.0
        return np.sum(x)

    def before(n: int, m: int, c: float):
        x = np.full(n * m, c)
        return sum(x[i * m + j - m] for i in range(n) for j in range(m))

    assert fs.function(counted)(2, 3, 1.0) == 12.0
    assert fs.function(before)(2, 3, 1.0) == 6.0
    for program in (counted, before):
        with pytest.raises(fs.IndexOutOfBoundsError):
            fs.function(program)(2**32, 2**32, 1.0)


def test_rows_of_a_flat_matrix_are_proved() -> None:
    def flat(A):
        n, m = A.shape
        x = A.ravel()
        return sum(x[i * m + j] ** 2 for i in range(n) for j in range(m))

    A = np.arange(6.0).reshape(2, 3)
    assert fs.function(flat)(A) == 55.0
    for made in (fs.function(flat), fs.grad(flat)):
        assert not made.checks(A).remaining


def test_why_something_is_proved() -> None:
    def read(x: fs.Array["n"], idx: fs.Array["m", fs.Index["n"]], k: int):
        total = sum(x[i] * x[len(x) - 1 - i] for i in range(len(x))) + sum(x[idx[j]] for j in range(len(idx)))
        total += x[k] if k >= 0 and k < len(x) else 0.0
        total += x[0] if len(x) > 0 else 0.0
        return total + x[2] * x[2]

    for made in (fs.function(read), fs.grad(read), fs.hessian(read)):
        found = made.checks(X, np.arange(4), 2)
        assert {c.source: c.why for c in found if c.tested is When.PROVED and c.what == "index in bounds"} == {
            "x[i]": "range of i",
            "x[len(x) - 1 - i]": "range of i",
            "x[idx[j]]": "range of j and annotation of idx",
            "idx[j]": "range of j",
            "x[k]": "condition k >= 0 && k < length x",
            "x[0]": "condition length x > 0",
            "x[2]": "",  # by the one before it
        }
        assert all(not c.why for c in found.remaining)
    assert str(fs.function(read).checks(X, np.arange(4), 2)[2]).endswith("index in bounds, proved: range of i")


def test_why_where_functions_are_called_and_arrays_are_made() -> None:
    def squares(v):
        return sum(v[j] * v[j] for j in range(len(v)))

    def read(x, y):
        table = [[a * b for b in y] for a in x]
        rows = sum(table[k][i] for k in range(len(x)) for i in range(len(y)))
        return rows + fs.grad(squares)(table[0])[0] if len(x) > 0 and len(y) > 0 else 0.0

    found = fs.function(read).checks(X, X)
    why = {c.source: c.why for c in found if c.tested is When.PROVED and c.what == "index in bounds"}
    assert why["v[j]"] == "range of j"
    assert why["table[k]"] == why["table[k][i]"].replace("i", "k") == "range of k"
    assert "condition" in why["table[0]"]


def test_places_in_an_array_of_so_many_rows_and_columns_are_proved() -> None:
    def weighted(x: fs.Array["n * m"], a: fs.Array["n"], b: fs.Array["m"]):
        return sum(x[i * len(b) + j] * a[i] * b[j] for i in range(len(a)) for j in range(len(b)))

    arguments = np.arange(6.0), np.array([1.0, 10.0]), np.ones(3)
    assert fs.function(weighted)(*arguments) == 123.0
    for made in (fs.function(weighted), fs.grad(weighted), fs.hessian(weighted)):
        assert [c.source for c in made.checks(*arguments).remaining] == ['x: fs.Array["n * m"]']
    with pytest.raises(fs.SizeError, match="sizes 6 and 8 differ"):
        fs.function(weighted)(arguments[0], arguments[1], np.ones(4))

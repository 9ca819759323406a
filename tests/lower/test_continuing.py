"""Loops around loops that change an array element by element: it is never copied, forwards or backwards."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core.term import Lam
from fsmooth.library import parse
from fsmooth.loops import tree as t
from fsmooth.loops.usage import walk
from fsmooth.lower.functions import lower
from tests.lower.harness import compile_all


def paths(a, b):
    """Weighted lattice paths."""
    n = len(a)
    m = len(b)
    table = np.zeros((n, m))
    for i in range(1, n):
        for j in range(1, m):
            table[i, j] = a[i] * table[i - 1, j] + b[j] * table[i, j - 1] + 1.0
    return table[n - 1, m - 1]


def warping(a, b):
    """Dynamic time warping."""
    n = len(a)
    m = len(b)
    table = np.zeros((n + 1, m + 1))
    for j in range(1, m + 1):
        table[0, j] = 1e9
    for i in range(1, n + 1):
        table[i, 0] = 1e9
        for j in range(1, m + 1):
            cost = abs(a[i - 1] - b[j - 1])
            table[i, j] = cost + min(table[i - 1, j], table[i, j - 1], table[i - 1, j - 1])
    return table[n, m]


def two_passes(a, b):
    """Two inner loops, one after the other, and a change between them."""
    table = np.zeros((len(a), len(b)))
    for i in range(1, len(a)):
        for j in range(len(b)):
            table[i, j] = a[i] * b[j] + table[i - 1, j]
        table[i, 0] = 2.0 * table[i, 0]
        for j in range(1, len(b)):
            table[i, j] = table[i, j] + math.sin(table[i, j - 1])
    return np.sum(table)


PROGRAMS = (paths, warping, two_passes)
N, M = 7, 9


def arguments() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(3)
    return random.normal(size=N), random.normal(size=M)


@pytest.mark.parametrize("program", PROGRAMS)
def test_values_are_those_of_python(program):
    given = arguments()
    assert fs.function(program)(*given) == pytest.approx(program(*given), rel=1e-13)


@pytest.mark.parametrize("program", PROGRAMS)
def test_reverse_agrees_with_forward_and_differences(program):
    given = arguments()
    found = fs.grad(program, wrt=(0, 1), method="reverse")(*given)
    wanted = fs.grad(program, wrt=(0, 1), method="forward")(*given)
    for k, (f, w) in enumerate(zip(found, wanted, strict=True)):
        np.testing.assert_allclose(f, w, rtol=1e-11)
        moved = [list(given), list(given)]
        for side, sign in zip(moved, (1.0, -1.0), strict=True):
            side[k] = given[k] + sign * 1e-6 * np.arange(len(given[k]))
        slope = (program(*moved[0]) - program(*moved[1])) / 2e-6
        assert slope == pytest.approx(np.arange(len(f)) @ np.asarray(f), rel=1e-6)


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_table_is_not_copied(program):
    source = fs.function(program).c_source(*arguments())
    assert "memcpy" not in source[source.index("/* line") :]


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_table_is_not_copied_on_the_way_back(program):
    source = fs.value_and_grad(program, wrt=(0, 1), method="reverse").c_source(*arguments())
    copied = re.findall(r"\n {8,}memcpy\(\w+, \w+, \(size_t\)\((.*?)\) \* sizeof", source)
    assert not [count for count in copied if "*" in count], copied
    assert "_spare" not in source


def copies(text: str) -> int:
    term = parse(text)
    assert isinstance(term, Lam)
    return len([s for s in walk(lower(term, "f").kernel.body) if isinstance(s, t.Copy | t.Swap)])


INNER = "ifold (fun b j -> (update b.0 j (b.0[j] + b.1), b.1 + 1.0)) (%s, 0.0) (length v)"
OUTER = f"fun (v: Vector) (n: Index) -> ifold (fun a i -> let t = {INNER} in %s) (v, 0.0) n"


def test_a_part_is_continued_in_its_place():
    assert copies(OUTER % ("a.0", "(t.0, t.1)")) == 1  # the argument to the result
    assert copies(OUTER % ("update a.0 0 a.1", "(update t.0 1 t.1, t.0[0])")) == 1


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("a.0", "(t.0, t.1 + a.0[0])"),  # what it was is read afterwards
        ("update v 0 a.1", "(t.0, a.0[1])"),  # it does not start from the part
        ("build (length v) (fun k -> a.0[k] + a.0[0])", "(t.0, t.1)"),  # nor here
    ],
)
def test_a_part_that_is_read_otherwise_is_not(start, end):
    assert copies(OUTER % (start, end)) > 1


OF_ANOTHER_SIZE = """
    fun (x: Vector) (y: Vector) ->
        ifold (fun a i -> let b = build (length y) (fun j -> y[j] * y[j]) in
            build (length x) (fun k -> sum (length b) (fun j -> b[j] + b[length b - 1 - j])))
        x 3
"""


@pytest.mark.parametrize("count", [1, 3, 50])
def test_what_has_other_sizes_is_not_computed_in_the_place_of_a_part(count: int) -> None:
    term = parse(OF_ANOTHER_SIZE)
    assert isinstance(term, Lam)
    x, y = np.arange(3.0), np.arange(float(count))
    for program in compile_all([term]):
        np.testing.assert_array_equal(program(x, y), np.full(3, 2.0 * np.sum(y * y)))


def test_a_sum_by_rows_is_not_added_up_in_the_place_that_it_reads() -> None:
    term = parse("""
        fun (x: Vector) (y: Matrix) ->
            ifold (fun a i -> build (length x) (fun j -> sum (length y) (fun k -> sin (a[j] + y[k][j])))) x 2
    """)
    assert isinstance(term, Lam)
    x, y = np.arange(20.0), np.cos(np.arange(60.0)).reshape(3, 20)
    wanted = x
    for _ in range(2):
        wanted = np.sum(np.sin(wanted + y), axis=0)
    for program in compile_all([term]):
        np.testing.assert_allclose(program(x, y), wanted, rtol=1e-12)

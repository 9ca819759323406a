"""What a function that calls itself does before its work: in leaves nothing, elsewhere it asks for the stack and marks memory."""

from __future__ import annotations

import re

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.backend.c.entering import calls_something, entrances
from fsmooth.core.types import BOOL, INT, Float
from fsmooth.loops import tree as t
from tests.recursion.test_calls import functions_of

GUARD, MARK, RELEASE = "FS_FRAME < fs_shared->deepest", "fs_marked(", "fs_release("


def branches(body: str) -> tuple[str, str, str]:
    """Of a body with one condition at the top: what is before its else, what is in that, and what comes after."""
    found = re.fullmatch(r"(.*?)\n    \} else \{\n(.*?)\n    \}\n(.*)", body, re.DOTALL)
    assert found is not None, body
    return found[1], found[2], found[3]


def minors(a, columns):
    m = len(columns)
    if m == 1:
        return a[0, columns[0]]
    total = 0.0
    for j in range(m):
        total += a[m - 1, columns[j]] * minors(a, np.array([columns[k if k < j else k + 1] for k in range(m - 1)]))
    return total


def test_only_the_branch_that_calls_asks_for_the_stack_and_marks_memory() -> None:
    f = fs.function(minors)
    a = np.array([[2.0, 3.0], [5.0, 7.0]])
    assert f(a, np.arange(2)) == 5.0 * 3.0 + 7.0 * 2.0
    (body,) = functions_of(f).values()
    leaf, inner, after = branches(body)
    for part in (GUARD, MARK, RELEASE):
        assert part not in leaf
        assert part in inner
        assert part not in after
    assert inner.index(GUARD) < inner.index("fs_take_little(")
    assert inner.index(MARK) < inner.index("fs_take_little(") < inner.index(RELEASE)


def test_where_both_branches_call_both_ask() -> None:
    def turns(x, k, n):
        if k % 2 == 0:
            return x * turns(x, k + 1, n) + turns(x, k + 2, n) if k < n else x
        return 0.5 * turns(x, k + 1, n) * turns(x, k + 2, n) if k < n else x * x

    f = fs.function(turns)
    assert f(0.5, 0, 4) == pytest.approx(turns(0.5, 0, 4), rel=1e-14)
    (body,) = functions_of(f).values()
    assert body.count(GUARD) == 2


def test_what_asks_before_its_condition_asks_once() -> None:
    def sums(x, n):
        below = 0.0
        for k in range(n):
            below += sums(x, k)
        return below if n > 3 else x

    f = fs.function(sums)
    assert f(0.5, 6) == pytest.approx(sums(0.5, 6), rel=1e-14)
    (body,) = functions_of(f).values()
    assert body.count(GUARD) == 1
    assert body.index(GUARD) < body.index("for (")


def test_branches_that_need_nothing_are_left_out() -> None:
    """By the statements themselves: the smallest branches, the body where two statements need something, or none."""
    true = t.Literal(True, BOOL)
    store = t.Store("result", t.Literal(0, INT), t.Literal(1.0, Float()))
    take = t.Allocate("a", Float(), t.Literal(3, INT))
    deep = t.If(true, (store, take), (store,))
    assert entrances((store,)) == []
    assert entrances((store, deep, store)) == [(store, take)]
    assert entrances((t.If(true, (store,), (deep,)),)) == [(store, take)]
    assert entrances((take, deep)) == [(take, deep)]
    assert entrances((deep, deep)) == [(deep, deep)]
    loop = t.For("i", t.Literal(3, INT), (deep,), t.Kind.SEQUENTIAL)
    assert entrances((loop,)) == [(loop,)], "memory is marked once, not in each iteration"
    both = t.If(true, (take,), (take, store))
    assert entrances((both,)) == [(take,), (take, store)]
    assert not calls_something((deep, both))


def test_two_numbers_are_returned_in_registers() -> None:
    """Here the value and the frame with what is saved; the pair is what its struct says."""

    def both(x, n):
        if n == 0:
            return x, x * x
        a, b = both(x, n - 1)
        c, d = both(x, n // 2)
        return a * d + c, b * c

    f = fs.function(both)
    assert f(0.5, 5) == pytest.approx(both(0.5, 5), rel=1e-14)
    assert "static fs_double_double both_both(" in f.c_source(0.5, 5)
    gradient = fs.grad(lambda x, n: both(x, n)[0] + both(x, n)[1], method="reverse")
    assert gradient(0.5, 5) == pytest.approx(fs.grad(lambda x, n: sum(both(x, n)), method="forward")(0.5, 5), rel=1e-12)


def test_of_three_numbers_two_are_returned() -> None:
    def three(x, n):
        if n == 0:
            return x, x * x, n
        a, b, k = three(x, n - 1)
        c, d, j = three(x, n // 2)
        return a * d + c, b * c, k + j + n

    f = fs.function(three)
    assert f(0.5, 5) == pytest.approx(three(0.5, 5), rel=1e-14)
    assert re.search(r"static fs_double_double three_three\(\s*[^)]*int64_t \*restrict", f.c_source(0.5, 5))


def test_what_is_no_word_long_is_not_paired() -> None:
    def which(x, n):
        if n == 0:
            return x, x > 0.0
        a, p = which(-x, n - 1)
        b, q = which(x * 0.5, n // 2)
        return a + b, p == q

    f = fs.function(which)
    assert f(0.5, 5) == pytest.approx(which(0.5, 5), rel=1e-14)
    assert "static double which_which(" in f.c_source(0.5, 5)

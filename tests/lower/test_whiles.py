"""`while` loops among other loops: what each step changes in part is changed where it is, and never copied."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import fsmooth as fs
from tests.lower.test_continuing import copies


def while_in_for(a, b):
    """A loop that ends when its data say so, once for each element."""
    table = np.outer(a, b)
    for i in range(len(a)):
        left = 5
        while left > 0 and table[i, 0] < 1.0:
            left = left - 1
            table[i, 0] = table[i, 0] + 0.25
            table[i, left] = table[i, left] * table[i, 0]
    return table


def for_in_while(a, b):
    """Passes over all pairs of rows until none is changed."""
    rows = np.outer(a, b)
    left = 4
    changed = 1
    while changed > 0 and left > 0:
        left = left - 1
        changed = 0
        for p in range(len(rows)):
            for q in range(p + 1, len(rows)):
                size = rows[p, 0] * rows[q, 0]
                changed = changed + (1 if size > 0.1 else 0)
                for j in range(len(b)):
                    rows[p, j] = rows[p, j] - 0.25 * size * rows[q, j]
    return rows


def turned_from_the_last(a, b):
    """A row that is taken out of the table that the loop goes on with, carried through it and put into another."""
    rows = np.outer(a, b)
    for k in range(3):
        current = [rows[len(a) - 1, j] for j in range(len(b))]
        for r in range(len(a) - 1):
            i = len(a) - 2 - r
            for j in range(len(b)):
                rows[i + 1, j] = 0.5 * rows[i, j] + a[k] * current[j]
            current = [a[k] * rows[i, j] - math.sin(current[j]) for j in range(len(b))]
        for j in range(len(b)):
            rows[0, j] = current[j]
    return rows


def in_one_array(a, b):
    """A state that is one array, which says when to stop."""
    values = [1.0 * x for x in a]
    for y in b:
        while values[0] < y:
            values[0] = values[0] + 0.5
            values[1] = values[1] + values[0] * values[2]
    return values


PROGRAMS = (while_in_for, for_in_while, turned_from_the_last, in_one_array)
N, M = 5, 6


def arguments() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(3)
    return random.normal(size=N), random.normal(size=M)


def as_python(program):
    """What Python says, of arrays of its own."""
    return np.asarray(program(*[np.array(x) for x in arguments()]))


@pytest.mark.parametrize("program", PROGRAMS)
def test_values_are_those_of_python(program):
    np.testing.assert_allclose(fs.function(program)(*arguments()), as_python(program), rtol=1e-13)


@pytest.mark.parametrize("program", PROGRAMS)
def test_reverse_agrees_with_forward(program):
    given = arguments()

    def total(a, b):
        return np.sum(np.asarray(program(a, b)) ** 2)

    found = fs.grad(total, wrt=(0, 1), method="reverse")(*given)
    wanted = fs.grad(total, wrt=(0, 1), method="forward")(*given)

    for f, w in zip(found, wanted, strict=True):
        np.testing.assert_allclose(f, w, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_state_is_not_copied_in_the_loop(program):
    source = fs.function(program).c_source(*arguments())
    loops = source[source.index("/* line") :]
    assert "_spare" not in source
    copied = re.findall(r"\n {8,}memcpy\((\w+), (.*?), \(size_t\)(.*?) \* sizeof", loops)

    assert not copied


INNER = "while (fun b -> b.1 < x) (fun b -> (update b.0 0 (b.0[1] + b.1), b.1 + 1.0)) (%s, 0.0)"
OUTER = f"fun (v: Vector) (x: Float) (n: Index) -> ifold (fun a i -> let t = {INNER} in %s) (v, 0.0) n"


def test_a_part_is_continued_in_its_place():
    assert copies(OUTER % ("a.0", "(t.0, t.1)")) == 1  # the argument to the result
    assert copies(OUTER % ("update a.0 0 a.1", "(update t.0 1 t.1, t.0[0])")) == 1


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("a.0", "(t.0, t.1 + a.0[0])"),  # what it was is read afterwards
        ("update v 0 a.1", "(t.0, a.0[1])"),  # it does not start from the part
    ],
)
def test_a_part_that_is_read_otherwise_is_not(start, end):
    assert copies(OUTER % (start, end)) > 1


def test_a_part_that_the_condition_reads_is_not():
    other = "while (fun b -> b.1 < a.0[0]) (fun b -> (update b.0 0 (b.0[1] + b.1), b.1 + 1.0)) (a.0, 0.0)"
    loop = f"fun (v: Vector) (n: Index) -> ifold (fun a i -> let t = {other} in (t.0, t.1)) (v, 0.0) n"
    assert copies(loop) > 1


STARTS = "fun (v: Vector) (w: Vector) (n: Index) -> ifold (fun a i -> let t = %s in (t.0, t.1)) (v, w) n"
STEP = "ifold (fun b j -> (update b.0 j b.1[0], b.1)) (%s) n"


def test_what_else_is_read_of_a_part_is_read_before_it_changes():
    assert copies(STARTS % STEP % "a.0, update a.1 0 a.0[1]") == 2  # the arguments to the results
    assert copies(STARTS % STEP % "update a.0 0 a.1[0], update a.1 0 a.0[1]") > 2

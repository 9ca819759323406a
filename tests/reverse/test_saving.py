"""What folds inside folds save for their way back: seen in the generated C."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.term import Get, Length, MakeTuple, Proj, Var, Zero
from fsmooth.core.types import F64, INT, Array, Tuple
from fsmooth.differentiate.reverse.residuals import blank_like
from fsmooth.differentiate.reverse.saved_parts import parts_read, split
from fsmooth.differentiate.reverse.steps import Step


def products(size: str) -> int:
    """How many numbers more than one a size is the product of."""
    return size.count(" * ") + size.count("fs_count(")


def rows_of_a_state(w, s, steps):
    """Each step changes every row of a state by itself."""
    rows = [[a for a in row] for row in s]
    for _ in range(steps):
        for i in range(len(s)):
            rows[i] = [fs.tanh(rows[i, j] * w[i, j]) for j in range(len(w[0]))]
    return sum(a for row in rows for a in row)


def two_states(w, s, steps):
    """Two arrays of rows, each next row made of both, and what passes from one to the next."""
    first = [[a for a in row] for row in s]
    second = [[2.0 * a for a in row] for row in s]
    total = 0.0
    for t in range(steps):
        x = [0.5 * t for _ in range(len(w[0]))]
        for i in range(len(s)):
            made = [fs.sigmoid(x[j] * w[i, j]) * second[i, j] + first[i, j] for j in range(len(w[0]))]
            x = [fs.tanh(a) * fs.sigmoid(b) for a, b in zip(made, x, strict=True)]
            second[i] = made
            first[i] = x
        total += sum(a * a for a in x)
    return total


PROGRAMS = (rows_of_a_state, two_states)


def arguments(n: int, b: int, steps: int) -> tuple[np.ndarray, np.ndarray, int]:
    random = np.random.default_rng(7)
    return random.normal(size=(n, b)), random.normal(size=(n, b)), steps


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(("n", "b", "steps"), [(3, 4, 5), (1, 3, 2), (2, 3, 0), (2, 0, 3), (0, 0, 3)])
def test_the_gradient_agrees_with_forward_mode(program, n, b, steps):
    given = arguments(n, b, steps)
    found = fs.grad(program, wrt=("w", "s"), method="reverse")(*given)
    wanted = fs.grad(program, wrt=("w", "s"), method="forward")(*given)
    for f, w in zip(found, wanted, strict=True):
        np.testing.assert_allclose(f, w, rtol=1e-12, atol=1e-14)


def two_states_in_numpy(w: np.ndarray, s: np.ndarray, steps: int) -> complex:
    first, second, total = s.astype(complex), 2.0 * s, 0.0j
    second = second.astype(complex)
    for t in range(steps):
        x = np.full(len(w[0]), 0.5 * t, complex)
        for i in range(len(s)):
            second[i] += first[i] + (1.0 / (1.0 + np.exp(-x * w[i])) - 1.0) * second[i]
            first[i] = x = np.tanh(second[i]) / (1.0 + np.exp(-x))
        total += np.sum(x * x)
    return total


def test_two_states_by_complex_steps():
    w, s, steps = arguments(3, 4, 5)
    assert fs.function(two_states)(w, s, steps) == pytest.approx(two_states_in_numpy(w, s, steps).real, rel=1e-13)
    wanted = np.zeros_like(w)
    for place in np.ndindex(w.shape):
        moved = w.astype(complex)
        moved[place] += 1e-30j
        wanted[place] = two_states_in_numpy(moved, s, steps).imag / 1e-30
    np.testing.assert_allclose(fs.grad(two_states, wrt="w", method="reverse")(w, s, steps), wanted, rtol=1e-11)


def test_the_inner_fold_saves_the_row_that_it_reads():
    source = fs.grad(rows_of_a_state, wrt="w", method="reverse").c_source(*arguments(3, 4, 5))
    saved = [s for s in re.findall(r"fs_take\(&arena, ([^;]*), sizeof", source) if products(s) > 2]
    assert not saved, saved  # steps * rows * row, not steps * rows * (rows * row)


def number_and_sum(w, x, steps):
    """The sum in the state of the folds is not read on the way back."""
    total = 0.0
    for _ in range(steps):
        for k in range(len(w)):
            x, total = fs.sin(x * w[k]), total + 3.0 * x
    return x * x + total


def test_the_parts_of_an_inner_state_that_are_read_are_saved_straight_away():
    source = fs.grad(number_and_sum, wrt="w", method="reverse").c_source(np.ones(4), 0.5, 5)
    assert len(re.findall(r"fs_take\(", source.split("int32_t grad_number_and_sum(")[1])) == 1
    source = fs.grad(two_states, wrt="w", method="reverse").c_source(*arguments(3, 4, 5))
    assert source.count("fs_take(&arena, s_n0 * w_n1, ") <= 4, source  # of what is saved, no step makes a copy first


def factor(a):
    """The logarithm of a determinant by Cholesky's factor, whose steps read two of its rows in a loop."""
    n = len(a)
    l = np.zeros((n, n))  # noqa: E741
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= l[i, k] * l[j, k]
            if i == j:
                l[i, j] = math.sqrt(s)
            else:
                l[i, j] = s / l[j, j]
    return 2.0 * sum(math.log(l[i, i]) for i in range(n))


def one_row_of_a_state(a, steps):
    """Each step reads one row in a loop, and makes all of them anew: none is there at the end."""
    total = 0.0
    for i in range(steps):
        k = i % len(a)
        total += sum(fs.sin(x) for x in a[k])
        a = [[0.5 * x for x in row] for row in a]
    return total


def two_rows_of_a_state(a, steps):
    total = 0.0
    for i in range(steps):
        k = 7 * i % len(a)
        total += sum(a[k, j] * a[k, j] * a[i % len(a), j] for j in range(a.shape[1]))
        a = [[0.5 * x for x in row] for row in a]
    return total


@pytest.mark.parametrize("program", [one_row_of_a_state, two_rows_of_a_state])
def test_rows_of_a_state_made_anew_are_saved_and_not_the_state(program):
    a = np.linspace(0.5, 2.0, 12).reshape(3, 4)
    gradient = fs.grad(program, wrt="a", method="reverse")
    np.testing.assert_allclose(gradient(a, 7), fs.grad(program, wrt="a", method="forward")(a, 7), rtol=1e-12)
    taken = re.findall(r"fs_take\(&arena, ([^;]*), sizeof", gradient.c_source(a, 7))
    assert max([products(s) for s in taken]) == 1, taken  # steps * row and rows * row, not steps * rows * row


@pytest.mark.parametrize("n", [0, 1, 2, 6])
def test_rows_read_in_a_loop_are_saved_and_not_the_array(n):
    m = np.random.default_rng(1).normal(size=(n, n))
    a = m @ m.T + n * np.eye(n)
    gradient = fs.grad(factor, method="reverse")
    found = np.asarray(gradient(a)).reshape(n, n)
    # Only the lower triangle is read: what is off the diagonal stands for two elements of the inverse.
    wanted = np.linalg.inv(a) * (2.0 - np.eye(n))
    np.testing.assert_allclose(found, np.tril(wanted), rtol=1e-10, atol=1e-12)
    inner = [line for line in gradient.c_source(a).splitlines() if line.startswith(" " * 12)]
    assert not [line for line in inner if "memcpy" in line and "a_n0 * a_n0" in line]


def inside(source: str, loops: int) -> list[str]:
    """The lines that are in so many loops."""
    found, depth, opened = [], 0, []
    for line in source.splitlines():
        if len(opened) >= loops:
            found.append(line)
        if re.match(r" *for \(", line):
            opened.append(depth)
        depth += line.count("{") - line.count("}")
        while opened and depth <= opened[-1]:
            opened.pop()
    return found


@pytest.mark.parametrize(("program", "copies"), [(rows_of_a_state, 3), (two_states, 4)])
def test_a_step_copies_rows_alone_and_few_of_them(program, copies):
    source = fs.grad(program, wrt="w", method="reverse").c_source(*arguments(3, 4, 5))
    found = [line for line in inside(source, 2) if "memcpy(" in line or "memset(" in line]
    assert len(found) == copies, found
    assert not [line for line in found if re.search(r"\(size_t\)\(\w+ \*", line)], found


@pytest.mark.parametrize(("program", "saved"), [(rows_of_a_state, 2), (two_states, 5)])
def test_what_is_saved_of_each_step_of_the_inner_fold(program, saved):
    """A row each: of the state, and of what is dear to compute."""
    source = fs.grad(program, wrt="w", method="reverse").c_source(*arguments(3, 4, 5))
    sizes = re.findall(r"fs_take\(&arena, ([^;]*), sizeof", source)
    assert [products(size) for size in sizes if products(size) >= 2] == [2] * saved


def leapfrog(x, v, steps):
    """Points that pull at each other: what stands between two is read in a loop over coordinates."""

    def pull(x):
        def of(i, k):
            return sum(
                (x[j, k] - x[i, k]) / (0.1 + sum((x[j, c] - x[i, c]) ** 2 for c in range(3))) ** 1.5
                for j in range(len(x))
            )

        return [[of(i, k) for k in range(3)] for i in range(len(x))]

    a = pull(x)
    for _ in range(steps):
        v = v + 0.5 * a
        x = x + v
        a = pull(x)
        v = v + 0.5 * a
    return sum(v[i, k] ** 2 for i in range(len(v)) for k in range(3))


def test_what_is_saved_for_two_uses_is_saved_once():
    """The array that the forward pass reads and what the way back reads of the loop that makes it are the same numbers."""
    x = np.random.default_rng(5).normal(size=(4, 3))
    source = fs.grad(leapfrog, wrt="x", method="reverse").c_source(x, x, 3)
    sizes = re.findall(r"fs_take\(&arena, fs_count\(fs_count\(n\w*, (\w+)\), (\w+)\), sizeof", source)
    assert len([size for size in sizes if size == ("x_n0", "x_n0")]) == 2  # the power, and what it is of
    fs.check_derivative(leapfrog, x, 0.1 * x, 2, wrt=("x", "v"))


def test_nothing_dear_is_computed_twice():
    source = fs.grad(two_states, wrt="w", method="reverse").c_source(*arguments(3, 4, 5))
    body = source[source.index("int32_t grad_two_states(") :]
    assert len(re.findall(r"= fs_tanh\(", body)) == 1
    assert len(re.findall(r"= fs_simd_sigmoid\(", body)) == 2


def test_the_c_does_not_change_from_one_compilation_to_the_next():
    sources = [fs.grad(two_states, wrt="w", method="reverse").c_source(*arguments(3, 4, 5)) for _ in range(5)]
    assert len(set(sources)) == 1


PAIR = Tuple((F64, Array(F64)))
X, Y, I, ROWS = Var("x", Tuple((PAIR, Array(PAIR)))), Var("y", PAIR), Var("i", INT), Var("n", INT)
INNER = MakeTuple((Zero((), F64), Zero((ROWS,), F64)))


def test_the_parts_that_are_read():
    """Lengths are not read; what a name stands for is read where the name is."""
    name = Step(Y, Proj(X, 0), active=False)
    assert parts_read([X], [Proj(Y, 0), Length(Proj(Y, 1))], [name])[X] == {(0, 0)}
    assert parts_read([X], [Proj(Get(Proj(X, 1), I), 1)], [name])[X] == {(1, 1)}
    assert parts_read([X], [Y], [name])[X] == {(0,)}
    assert parts_read([X], [Get(Proj(Get(Proj(X, 1), Length(Proj(Y, 1))), 1), I)], [])[X] == {(1, 1)}
    assert parts_read([X], [Length(Proj(X, 1))], [])[X] == set()


def test_only_the_parts_that_are_read_are_saved():
    kept, made, joined = split([(Y, INNER)], {Y: {(1,)}})
    assert [(x.type, blank) for x, blank in kept] == [(Array(F64), INNER.items[1])]
    assert [alpha_equal(step.term, Proj(Y, 1)) for step in made] == [True]
    [step] = joined
    assert step.var is Y
    assert isinstance(step.term, MakeTuple)
    assert step.term.items == (INNER.items[0], kept[0][0])


def test_what_is_read_whole_is_saved_in_parts_and_put_together():
    kept, made, joined = split([(Y, INNER)], {Y: {()}})
    assert len(kept) == len(made) == 2
    assert joined[0].term.items == tuple(x for x, _ in kept)


@pytest.mark.parametrize(("pair", "parts"), [(Tuple((F64, INT)), 1), (PAIR, 1), (Tuple((F64, Tuple((F64, F64)))), 2)])
def test_arrays_of_tuples_of_numbers_are_saved_in_parts(pair, parts):
    """Others are saved whole: of no elements, they alone know the sizes of their elements."""
    w = Var("w", Array(pair))
    blank = blank_like(w, {}, {}, frozenset())
    assert blank is not None
    kept, made, joined = split([(w, blank)], {w: {(1,)}})
    assert len(kept) == parts
    assert bool(made) == bool(joined) == (pair is not PAIR)
    assert [x.type for x, _ in kept] == ([w.type] if pair is PAIR else [Array(INT)] if parts == 1 else [Array(F64)] * 2)


def test_an_array_of_tuples_with_arrays_is_saved_for_its_lengths_too():
    w = Var("w", Array(PAIR))
    blank = blank_like(w, {}, {}, frozenset())
    assert blank is not None
    assert split([(w, blank)], {w: set()}) == ([(w, blank)], [], [])


def test_an_array_is_saved_by_its_own_name():
    v = Var("v", Array(F64))
    assert split([(v, Zero((ROWS,), F64))], {v: {()}})[1:] == ([], [])
    kept, _, [step] = split([(v, Zero((ROWS,), F64))], {v: set()})
    assert not kept
    assert isinstance(step.term, Zero)

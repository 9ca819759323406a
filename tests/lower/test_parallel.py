"""Loops in chunks: the same values as the interpreter's whatever the chunks are, and which loops there are none of."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
import pytest

import fsmooth as fs
from fsmooth import thresholds
from fsmooth.core.term import Lam
from fsmooth.loops import tree as t
from fsmooth.loops.passes.schedule import ALL, PLAIN, Passes, with_threads
from fsmooth.loops.tree import Program
from fsmooth.loops.usage import walk
from fsmooth.lower.functions import lower
from fsmooth.optimise.schedules import DEFAULT
from fsmooth.runtime.pool import pool
from tests.accuracy.cases import cases
from tests.accuracy.judge import bounded, disagreement, flat
from tests.lower.harness import FAST, STRICT, Compiled, compile_all
from tests.lower.random_folds import Generator, Nested, Whiles
from tests.lower.strip_programs import STRIP_PROGRAMS

BATCH = 25
TOLERANCE = 1e-12


pytestmark = pytest.mark.usefixtures("deep")


def chunked(passes: Passes) -> Callable[[Lam, str], Program]:
    return lambda term, name: lower(term, name, passes=with_threads(passes, 0))


TASK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)
POOL = ctypes.CFUNCTYPE(None, TASK, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32)


@POOL
def backwards(task: Callable[[object, int], None], given: object, chunks: int, _: int) -> None:
    for k in reversed(range(chunks)):
        task(given, k)


def on(kernel: Compiled, pool_: object) -> None:
    """Let a pool run the chunks of a program, which shares it with those in its library; None: one after the other."""
    if kernel.program.is_parallel:
        kernel.handle[f"{kernel.program.name}_threads"](pool_)


@pytest.mark.usefixtures("tiny_chunks")
@pytest.mark.parametrize(("flags", "passes"), [(STRICT, PLAIN), (FAST, ALL)], ids=["strict", "fast"])
@pytest.mark.parametrize("first", range(130_000, 134_000, 1_000))
def test_random_programs_in_chunks(first: int, flags: tuple[str, ...], passes: Passes) -> None:
    """In their order, backwards and at one time: right, and with the same bits."""
    batch = list(cases(first, BATCH))
    terms = [DEFAULT(term) for case in batch for term in (case.program, case.gradient)]
    kernels = compile_all(terms, flags, chunked(passes))
    assert len([kernel for kernel in kernels if kernel.program.is_parallel]) > BATCH
    for k, case in enumerate(batch):
        for kernel, expected in ((kernels[2 * k], case.value), (kernels[2 * k + 1], case.slopes)):
            on(kernel, None)
            found = kernel(*case.arguments)
            wrong = disagreement(found, expected, TOLERANCE)
            assert not wrong, f"seed {case.seed}: {wrong}"
            for other in (backwards, pool()):
                on(kernel, other)
                for one, again in zip(flat(found), flat(kernel(*case.arguments)), strict=True):
                    assert np.array_equal(one, again, equal_nan=True), f"seed {case.seed}"
            on(kernel, None)


@pytest.mark.usefixtures("tiny_chunks")
@pytest.mark.parametrize(("generator", "start"), [(Generator, 5000), (Nested, 5000), (Whiles, 5000)])
def test_random_folds_in_chunks(generator: type[Generator], start: int) -> None:
    """Loops over arrays that they change in place: what does not go on from step to step after all."""
    terms = [generator(start + k).function() for k in range(30)]
    for optimised, passes in ((False, PLAIN), (True, ALL)):
        chosen = [DEFAULT(term) if optimised else term for term in terms]
        for term, kernel in zip(terms, compile_all(chosen, FAST, chunked(passes)), strict=True):
            for n in (3, 70):
                given = np.cos(np.arange(n) + 0.5), np.sin(3.0 * np.arange(n)), 2
                expected = bounded(term, list(given))
                on(kernel, None)
                found = kernel(*given)
                assert not expected.is_sure or not disagreement(found, expected, TOLERANCE)
                for other in (backwards, pool()):
                    on(kernel, other)
                    for one, again in zip(flat(found), flat(kernel(*given)), strict=True):
                        assert np.array_equal(one, again, equal_nan=True)
                on(kernel, None)


@pytest.mark.usefixtures("tiny_chunks")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MOST_CHUNKS", 1),
        ("MOST_CHUNKS", 1000),
        ("COLUMN_CHUNKS", 1),
        ("COLUMN_CHUNKS", 1000),
        ("COPIED_SUMS", 1e6),
        ("UNKNOWN_TRIPS", 0),
        ("UNKNOWN_TRIPS", 10**6),
    ],
)
def test_thresholds_of_chunks(name: str, value: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many chunks there are: right, and the same on threads."""
    monkeypatch.setattr(thresholds, name, int(value))
    batch = list(cases(138_000, 8))
    for case, kernel in zip(batch, compile_all([DEFAULT(c.gradient) for c in batch], FAST, chunked(ALL)), strict=True):
        on(kernel, None)
        found = kernel(*case.arguments)
        assert not disagreement(found, case.slopes, TOLERANCE)
        on(kernel, pool())
        again = kernel(*case.arguments)
        assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(flat(found), flat(again), strict=True))
        on(kernel, None)


@pytest.mark.usefixtures("tiny_chunks")
@pytest.mark.parametrize("name", STRIP_PROGRAMS)
def test_strips_in_chunks(name: str) -> None:
    term, arguments = STRIP_PROGRAMS[name]
    plain, apart = compile_all([DEFAULT(term)], FAST)[0], compile_all([DEFAULT(term)], FAST, chunked(ALL))[0]
    for given in arguments:
        on(apart, None)
        found = flat(apart(*given))
        for one, wanted in zip(found, flat(plain(*given)), strict=True):
            np.testing.assert_allclose(one, wanted, rtol=1e-11, atol=1e-12)
        for other in (backwards, pool()):
            on(apart, other)
            assert all(np.array_equal(a, b) for a, b in zip(found, flat(apart(*given)), strict=True))


def parts(function: fs.Function, *arguments: object) -> list[t.Parallel]:
    return [s for s in walk(function.compiled(*arguments).loops.kernel.body) if isinstance(s, t.Parallel)]


def overlapping(x, m):
    """Each iteration adds to elements of the next ones: a copy for each chunk."""
    y = np.zeros(len(x) + 10)
    for i in range(len(x)):
        for j in range(10):
            y[i + j] += np.sin(x[i]) * m[j]
    return y


def by_hand(x, n):
    """Rows in one long array, which are longer than the distance between them."""
    y = np.zeros(len(x) * n + 5)
    for i in range(len(x)):
        for j in range(n + 5):
            y[i * n + j] += np.sin(x[i]) * j
    return y


def carried(x):
    s = 0.0
    y = np.zeros(len(x))
    for i in range(len(x)):
        s = np.sin(s + x[i])
        y[i] = s
    return y


def histogram(k, w):
    h = np.zeros(20)
    for i in range(len(k)):
        h[k[i]] += np.exp(w[i])
    return h


def scattered(k, w, n):
    """The result itself, of a length that is given, is added to and taken from."""
    h = np.zeros(n)
    for i in range(len(k)):
        h[k[i]] = np.exp(w[i]) + h[k[i]]
        h[(k[i] * 7) % n] -= w[i]
    return h


def last(k, w, n):
    """What is stored, not added: the last iteration's is left."""
    h = np.zeros(n)
    for i in range(len(k)):
        h[k[i]] = np.exp(w[i])
    return h


def seen(k, w, n):
    """What an iteration adds depends on what is there."""
    h = np.zeros(n)
    for i in range(len(k)):
        h[k[i]] += np.exp(w[i]) / (1.0 + h[k[i] - 1])
    return h


def rows(a):
    return [[np.exp(v) for v in row] for row in a]


def upwards(a):
    """Each row goes on from the one before it, each column by itself."""
    b = np.zeros((len(a), len(a[0])))
    for j in range(len(a[0])):
        b[0, j] = np.sin(a[0, j])
    for i in range(1, len(a)):
        for j in range(len(a[0])):
            b[i, j] = np.sin(b[i - 1, j] + a[i, j])
    return b


def aside(a):
    """Each row goes on from the one before it, and from the next column there."""
    b = np.zeros((len(a), len(a[0]) + 1))
    for i in range(1, len(a)):
        for j in range(len(a[0])):
            b[i, j] = np.sin(b[i - 1, j + 1] + a[i, j])
    return b


def polynomials(x, y):
    """Sums of products of polynomials, a product of matrices on whose diagonals elements are added to one place."""
    r = np.zeros(len(x[0]) + len(y[0]) - 1)
    for k in range(len(x)):
        for i in range(len(x[0])):
            for j in range(len(y[0])):
                r[i + j] += x[k, i] * y[k, j]
    return r


def of_part(x, y):
    """Rows of a product with something between them."""
    r = np.zeros((len(x[0]), len(y[0]) + 3))
    for k in range(len(x)):
        for i in range(len(x[0])):
            for j in range(len(y[0])):
                r[i, j + 1] += x[k, i] * y[k, j]
    return r


X = np.linspace(-1.0, 1.0, 20_000)


@pytest.mark.parametrize(
    ("program", "arguments", "copies"),
    [
        (rows, (X.reshape(200, 100),), 0),
        (lambda x: sum(np.sin(a) for a in x), (X,), 0),
        (lambda k, w: sum(np.exp(w[i]) for i in k), (np.arange(20_000), X), 0),
        (histogram, (np.arange(20_000) % 20, X), 1),
        (scattered, (np.arange(20_000) % 20, X, 20), 1),
    ],
)
def test_loops_in_chunks(program, arguments, copies) -> None:
    found = parts(fs.function(program, threads="auto"), *arguments)
    assert found
    assert sum(isinstance(s, t.Fill) for part in found for s in part.body) == copies


@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        (overlapping, (X, np.arange(10.0))),
        (by_hand, (X[:2000], 50)),
        (carried, (X,)),
        (histogram, (np.arange(20_000) % 20, X)),
        (scattered, (np.arange(20_000) % 20, X, 20)),
        (last, (np.arange(20_000) % 20, X, 20)),
        (seen, (np.arange(20_000) % 20, X, 20)),
        (rows, (X.reshape(200, 100),)),
        (upwards, (X.reshape(40, 500),)),
        (aside, (X.reshape(40, 500),)),
        (polynomials, (2.0 + X.reshape(40, 500), 2.0 + X.reshape(40, 500))),
        (of_part, (2.0 + X.reshape(40, 500), 2.0 + X.reshape(40, 500))),
    ],
)
def test_on_threads_as_without(program, arguments) -> None:
    """Where iterations share elements, chunks add to copies, or there are none."""
    wanted = fs.function(program)(*arguments)
    found = [fs.function(program, threads=n)(*arguments) for n in (1, 2, 7)]
    np.testing.assert_allclose(found[0], wanted, rtol=1e-12, atol=1e-12)
    assert all(np.array_equal(found[0], other) for other in found[1:])


@pytest.mark.usefixtures("tiny_chunks")
def test_elements_at_one_place_are_added_by_one_thread() -> None:
    """In chunks that run backwards they would be added in another order, at one time not all of them."""
    x = 2.0 + X[:600].reshape(4, 150)
    for program, has_chunks in ((polynomials, False), (of_part, True)):
        f = fs.function(program, threads=3)
        assert any(isinstance(s, t.Multiply) for part in parts(f, x, x) for s in part.body) == has_chunks
        np.testing.assert_allclose(f(x, x), program(x, x), rtol=1e-12, atol=1e-12)
    said = str(fs.function(polynomials, threads=3).explain(x, x))
    assert "a product of matrices, one after the other: some of what it adds goes to one place" in said


def searches(x, a):
    """As many steps for each number as its search takes."""
    total = 0.0
    for i in range(len(x)):
        z = x[i]
        while abs(z * z - a) > 1e-12:
            z = 0.5 * (z + a / z)
        total += z * x[i]
    return total


def test_what_searches_save_is_of_each_chunk() -> None:
    """An array whose length the loop finds: here the square root of a, whatever the search begins with."""
    x = 2.0 + X
    found = [fs.grad(searches, wrt=("x", "a"), threads=n)(x, 2.0) for n in (1, 2, 7)]
    assert parts(fs.grad(searches, wrt=("x", "a"), threads="auto"), x, 2.0)
    np.testing.assert_allclose(found[0][0], np.sqrt(2.0), rtol=1e-9)
    np.testing.assert_allclose(found[0][1], sum(x) / 2.0 / np.sqrt(2.0), rtol=1e-9)
    for dx, da in found[1:]:
        assert np.array_equal(dx, found[0][0])
        assert da == found[0][1]


def test_chunks_of_columns() -> None:
    """Where rows go on from one another there is one region, with all rows in it: not one for each row."""
    found = parts(fs.function(upwards, threads="auto"), X.reshape(40, 500))
    assert [[isinstance(s, t.For) for s in part.body][-1] for part in found] == [True, True]
    outer = found[-1].body[-1]
    assert isinstance(outer, t.For)
    assert isinstance(outer.body[-1], t.For)
    assert "_own" in outer.body[-1].index


def test_no_chunks_of_columns_that_read_others() -> None:
    """Here the loop over the columns is in chunks, for each row anew."""
    found = parts(fs.function(aside, threads="auto"), X.reshape(40, 500))
    assert all(not isinstance(s, t.For) or not isinstance(s.body[-1], t.For) for part in found for s in part.body)

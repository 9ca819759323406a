"""Arrays that share memory: the same values, as few of them as live at one time, and no two that do."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core.term import Method, Verb
from fsmooth.loops import tree as t
from fsmooth.loops.lifetimes import with_shared_memory
from fsmooth.loops.usage import walk
from fsmooth.optimise.schedules import DEFAULT
from tests.accuracy.cases import cases
from tests.frontend.python.test_programs import elaborated
from tests.lower.test_loops import run
from tests.reverse.random_stencils import arguments, program
from tests.reverse.routes import derivative, made


@pytest.mark.parametrize("first", range(160_000, 163_000, 1_000))
def test_random_programs_share(first: int) -> None:
    """As without, bit by bit; what an array leaves in memory, nothing reads."""
    shared = 0

    def changed(function: t.Function) -> t.Function:
        nonlocal shared
        new, arrays = with_shared_memory(function)
        shared += len(arrays)
        assert len(list(_taken(new))) == len(list(_taken(function))) - sum(len(names) - 1 for names in arrays)
        return new

    programs = [(case.gradient, case.arguments) for case in cases(first, 20)]
    for seed in range(first, first + 20):
        whole = elaborated(program(seed), *arguments(seed)).term
        made_ = made(derivative(whole, (0, 1, 2), Verb.VALUE_AND_GRAD, Method.REVERSE))
        programs.append((made_, arguments(seed, most=9)))
    for gradient, given in programs:
        for term in (gradient, DEFAULT(gradient)):
            found = run(term, *given, unwritten=1e300, changed=changed)
            wanted = run(term, *given, unwritten=1e300)
            assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(found, wanted, strict=True))
    assert shared > 10


def _taken(function: t.Function) -> list[t.Allocate]:
    return [s for s in walk(function.body) if isinstance(s, t.Allocate)]


def layers(x, weights, widest):
    """Each layer is wider, or narrower, than the one before, and is read twice."""
    for w in weights:
        h = np.tanh(w @ x)
        x = h - np.sum(h)
    return x[:widest]


def test_a_forward_pass_keeps_two_layers() -> None:
    sizes = (5, 9, 3, 12, 4, 8, 6)
    rng = np.random.default_rng(0)
    weights = [rng.normal(size=(n, m)) for m, n in pairwise(sizes)]
    x = rng.normal(size=5)
    forward = fs.function(lambda x, weights: layers(x, weights, 6))
    np.testing.assert_allclose(forward(x, weights), layers(x, weights, 6), rtol=1e-12)
    assert len(re.findall(r"= \(double \*\)fs_take\(", forward.c_source(x, weights))) <= 2
    assert "share memory" in forward.explain(x, weights)


def through(x, n):
    """`a` is read in each step of a loop that makes `b` anew: both live through all of it."""
    a = np.cumsum(x)
    total = 0.0
    for k in range(n):
        b = np.cumsum(a * k)
        total += b[-1] * b[0] + a[k]
    c = np.cumsum(x * total)
    return c[-1] * c[0]


def test_what_lives_through_a_loop() -> None:
    x = np.linspace(0.5, 1.5, 6)
    assert fs.function(through)(x, 4) == pytest.approx(through(x, 4), rel=1e-12)
    gradient = fs.grad(through, wrt="x", method="reverse")
    step = 1e-6
    for i in range(6):
        e = np.eye(6)[i] * step
        assert gradient(x, 4)[i] == pytest.approx((through(x + e, 4) - through(x - e, 4)) / (2 * step), rel=1e-6)


def test_two_lengths_of_which_neither_is_known() -> None:
    """The memory is as long as the longer one."""

    def twice(x, y):
        a = np.cumsum(x)
        s = np.sum(a * a[::-1])
        b = np.cumsum(y * s)
        return np.sum(b * b[::-1])

    f = fs.function(twice)
    for m, n in ((3, 700), (700, 3), (0, 5), (5, 0)):
        x, y = np.linspace(0.0, 1.0, m), np.linspace(1.0, 2.0, n)
        assert f(x, y) == pytest.approx(twice(x, y), rel=1e-12)
    assert "arrays" in (notes := f.explain(x, y))
    assert "share memory" in notes

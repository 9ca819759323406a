"""Loops that only add up are sums, whatever they define on the way: in vectors, in threads, without recorded states."""

from __future__ import annotations

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core.term import IFold
from fsmooth.core.traverse import subterms

X = np.random.default_rng(0).normal(size=200)


def squares(x):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(len(x)):
        z = 2.0 * x[i] - 1.0
        total += z * z
    return total


def moments(x):  # type: ignore[no-untyped-def]
    s = q = 0.0
    for v in x:
        s += v
        q = v * v + q
    return q / len(x) - (s / len(x)) ** 2


def chosen(x):  # type: ignore[no-untyped-def]
    total, count = 10.0, 3
    for v in x:
        d = v - 0.1
        if d > 0.5:
            total += d * d
            count += 1
        elif d < -0.5:
            total -= d
    return total + 0.5 * count


def pairs(x):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(len(x)):
        for j in range(i):
            d = x[i] - x[j]
            total += d * d * np.cos(d)
    return total


def steps(x):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(len(x)):
        z = x[i]
        for _ in range(3):
            z = z - 0.1 * np.sin(z)
        total += z * z
    return total


def limited(x):  # type: ignore[no-untyped-def]
    """No sum: a step reads what was added up so far."""
    total = 0.0
    for v in x:
        if total < 5.0:
            total += v * v
    return total


def exchanged(x):  # type: ignore[no-untyped-def]
    """No sum: what is added to is another number in each step."""
    a, b = 0.0, 1.0
    for v in x:
        a, b = b + v, a - v
    return a - 2.0 * b


SUMS = [squares, moments, chosen, pairs, steps]


def _difference(f, x, k):  # type: ignore[no-untyped-def]
    h = 1e-6
    up, down = x.copy(), x.copy()
    up[k] += h
    down[k] -= h
    return (f(up) - f(down)) / (2 * h)


@pytest.mark.parametrize("f", [*SUMS, limited, exchanged])
def test_values_and_gradients_are_those_of_python(f) -> None:  # type: ignore[no-untyped-def]
    assert fs.function(f)(X) == pytest.approx(f(X), rel=1e-12)
    for method in ("forward", "reverse"):
        found = fs.grad(f, method=method)(X)
        for k in (0, 7, 199):
            assert found[k] == pytest.approx(_difference(f, X, k), rel=1e-4, abs=1e-6)
    empty = fs.function(f)(X[:1])
    assert empty == pytest.approx(f(X[:1]), rel=1e-12)


def _folds(function: fs.Function) -> list[IFold]:
    return [t for t in subterms(function.stages.terms["optimised"]) if isinstance(t, IFold)]


@pytest.mark.parametrize("f", SUMS)
def test_they_are_sums(f) -> None:  # type: ignore[no-untyped-def]
    for function in (fs.function(f), fs.grad(f, method="reverse")):
        function.c_source(X)
        assert not _folds(function)


@pytest.mark.parametrize("f", [limited, exchanged])
def test_what_reads_the_state_is_none(f) -> None:  # type: ignore[no-untyped-def]
    function = fs.function(f)
    function.c_source(X)
    assert _folds(function)


def test_they_run_in_vectors_and_threads() -> None:
    for f in (squares, moments):
        source = fs.function(f).c_source(X)
        assert "FS_LANES_AT" in source or "omp simd" in source
    many = np.random.default_rng(1).normal(size=300_000)
    values = [fs.function(moments, threads=n)(many) for n in (1, 2, 3, 7)]
    assert len(set(values)) == 1
    assert "parallel" in fs.function(moments, threads=2).explain(many)


def test_small_recorded_states_are_numbers() -> None:
    source = fs.grad(steps, method="reverse").c_source(X)
    body = source[source.index("int32_t grad_steps(") :]
    assert "saved" not in body
    assert body.count("fs_cos(") == 3


def piecewise(x):  # type: ignore[no-untyped-def]
    total = 0.0
    for v in x:
        if v > 1.0:
            total += np.exp(-v * v)
        else:
            total += v
    return total


def test_functions_in_branches_are_called_one_by_one() -> None:
    assert "omp simd" not in fs.function(piecewise).c_source(X)
    assert fs.function(piecewise)(X) == pytest.approx(piecewise(X), rel=1e-12)

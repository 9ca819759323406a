"""Calls that are too deep for the stack of the thread go on on records, and recursion without end is an error."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fsmooth as fs
from fsmooth import driver
from tests.recursion import programs as recursive
from tests.trees import programs as trees

DEEP = 1_000_000
PROGRAMS = [
    (f, arguments)
    for f, arguments in (*recursive.PROGRAMS.items(), *trees.PROGRAMS.items())
    if f.__name__ in ("fibonacci", "determinant", "merged", "rose_product", "tree_lstm", "mapped", "of_either")
]


def total(x, k):
    return x if k == 0 else np.sin(x) * total(x, k - 1) + total(x, 0)


@pytest.mark.parametrize("method", ["forward", "reverse", "tape"])
def test_derivatives(method: str) -> None:
    value, slope = fs.value_and_grad(total, method=method)(0.5, DEEP)
    shallow = fs.value_and_grad(total, method=method)(0.5, 1000)  # the same, since sin(0.5) < 1
    assert (value, slope) == pytest.approx(shallow, rel=1e-12)


def test_second_derivatives() -> None:
    deep, shallow = (fs.hvp(total)(0.5, k, tangent=1.0) for k in (DEEP, 1000))
    assert deep == pytest.approx(shallow, rel=1e-12)


def product(x, value, left, right):
    def of(t):
        return x if left[t] < 0 else of(left[t]) * of(right[t]) * value[t]

    return of(0)


def test_a_comb() -> None:
    """Arrays are added to through the calls."""
    n, x = DEEP, 1.0 + 1e-8
    left, right = np.full(2 * n + 1, -1), np.full(2 * n + 1, -1)
    left[:n], right[:n] = np.arange(1, n + 1), np.arange(n + 1, 2 * n + 1)
    value = np.exp(np.random.default_rng(0).normal(0.0, 1e-3, 2 * n + 1))
    whole = float(np.exp(np.sum(np.log(value[:n])) + (n + 1) * np.log(x)))
    found, (slope, slopes) = fs.value_and_grad(product, wrt=("x", "value"), method="reverse")(x, value, left, right)
    assert found == pytest.approx(whole, rel=1e-9)
    assert slope == pytest.approx((n + 1) * whole / x, rel=1e-9)
    np.testing.assert_allclose(slopes[:n], whole / value[:n], rtol=1e-9)


@pytest.mark.parametrize(("program", "arguments"), [pytest.param(*p, id=p[0].__name__) for p in PROGRAMS])
def test_it_is_the_same_program(program: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """Bit by bit: the same loops, in other C."""
    compiled = fs.function(program)
    compiled(*arguments)
    (entry,) = compiled._entries.values()
    on_stack, on_records = entry.libraries[entry.latest], entry.deeper(entry.latest)
    assert on_records is not None
    inputs = entry.inputs(dict(zip(compiled._names, arguments, strict=True)))
    assert repr(on_records(inputs)) == repr(on_stack(inputs))


def test_it_is_made_when_it_is_needed_and_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    make = driver.on_records
    monkeypatch.setattr(driver, "on_records", lambda stages: made.append(stages) or make(stages))

    def alone(x, k):
        return x if k == 0 else 0.25 * x * alone(x, k - 1) + alone(x, 0)

    compiled = fs.function(alone)
    compiled(0.5, 100)
    assert not made
    for again in (compiled, compiled, fs.function(alone)):  # the last finds it in the cache
        again(0.5, 20 * DEEP)
        assert len(made) == 1


def test_in_a_thread_with_a_small_stack() -> None:
    found: list[float] = []
    compiled = fs.function(total)
    before = threading.stack_size(64 * 1024)
    try:
        thread = threading.Thread(target=lambda: found.append(compiled(0.5, DEEP)))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert found == [compiled(0.5, DEEP)]


def test_without_end_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long before the memory of the machine is gone."""
    monkeypatch.setattr(driver, "_RECORDS", 2.0**27)

    def endless(x):
        return x if x > 2.0 and x < 1.0 else 1.0 + endless(x) * endless(x)

    with pytest.raises(fs.RecursionDepthError) as caught:
        fs.function(endless)(1.0)
    assert str(caught.value) == (
        "a function calls itself too often, one call in the other: what they need takes too much memory\n"
        "  hint: end the recursion earlier, let it end in the call of itself, or write a loop"
    )


def test_out_is_filled() -> None:
    def rows(v, k):
        return v if k == 0 else 0.5 * rows(v, k - 1) + rows(v, 0)

    v, out = np.arange(3.0), np.empty(3)
    assert fs.function(rows)(v, DEEP, out=out) is out
    np.testing.assert_allclose(out, 2.0 * v)

"""A program of NumPy's functions against NumPy: its values, and its derivatives in both modes against differences.

A program gives a tuple of results, so that many functions are compared for the price of three compilations.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import fsmooth as fs

STEP = 1e-6


def agree(program: Callable[..., tuple[Any, ...]], *arguments: Any, wrt: int = 0, rtol: float = 1e-6) -> None:
    """Values as NumPy's; along a random tangent and cotangent, ẏ = f′(x) ẋ and ⟨ȳ, ẏ⟩ = ⟨x̄, ẋ⟩, and ẏ as by differences."""
    function, along = _compiled(program, wrt)
    expected = program(*arguments)
    same_values(function(*arguments), expected)
    random = np.random.default_rng(5)
    x = np.asarray(arguments[wrt], float)
    tangent = random.normal(size=x.shape)
    moved = [program(*_with(arguments, wrt, x + s * STEP * tangent)) for s in (1, -1)]
    value, tangents = along(*arguments, tangent=tangent)
    same_values(value, expected)
    bars: list[Any] = []
    total = 0.0
    for k, (one, dot, up, down) in enumerate(zip(expected, tangents, *moved, strict=True)):
        if np.asarray(one).dtype.kind != "f":
            bars.append(None)
            continue
        difference = (np.asarray(up) - np.asarray(down)) / (2 * STEP)
        size = max(1.0, float(np.max(np.abs(difference), initial=0.0)))
        np.testing.assert_allclose(dot, difference, rtol=0, atol=rtol * size, err_msg=f"tangent of result {k}")
        bar = random.normal(size=np.shape(one))
        bars.append(bar if np.ndim(one) else float(bar))
        total += float(np.sum(bar * dot))
    weights = tuple(bars)

    def weighted(x):  # type: ignore[no-untyped-def]
        results = program(x)
        sum_of_all = 0.0
        for result, bar in zip(results, weights, strict=True):
            if bar is not None:
                sum_of_all = sum_of_all + np.sum(bar * result)
        return sum_of_all

    assert len(arguments) == 1
    gradient = fs.grad(weighted, method="reverse")(*arguments)
    np.testing.assert_allclose(np.sum(np.asarray(gradient) * tangent), total, rtol=1e-9, atol=1e-9)


@cache
def _compiled(program: Callable[..., tuple[Any, ...]], wrt: int) -> tuple[fs.Function, fs.Function]:
    """The program and its derivative along a tangent, for all the shapes that it is asked for."""
    return fs.function(program), fs.jvp(program, wrt=wrt)


def same_values(given: tuple[Any, ...], expected: tuple[Any, ...]) -> None:
    """Are results those of NumPy, in shape, kind and value?"""
    assert len(given) == len(expected)
    for k, (mine, theirs) in enumerate(zip(given, expected, strict=True)):
        wanted = np.asarray(theirs)
        assert np.shape(mine) == wanted.shape, f"result {k}: shape {np.shape(mine)}, not {wanted.shape}"
        assert np.asarray(mine).dtype.kind == wanted.dtype.kind, (
            f"result {k}: {np.asarray(mine).dtype}, not {wanted.dtype}"
        )
        np.testing.assert_allclose(mine, wanted, rtol=1e-12, atol=1e-12, err_msg=f"result {k}")


def _with(arguments: tuple[Any, ...], k: int, value: Any) -> list[Any]:
    return [value if j == k else a for j, a in enumerate(arguments)]

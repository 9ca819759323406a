"""`vjp` and `jvp` of Futhark, by differences of fourth order: of functions of numbers, lists and tuples of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

_STEP = 1e-3


def numbers(value: Any) -> list[Any]:
    """All numbers in lists and tuples."""
    return [y for x in value for y in numbers(x)] if isinstance(value, list | tuple) else [value]


def like(value: Any, given: Iterator[Any]) -> Any:
    """The lists and tuples of a value, with other numbers."""
    if isinstance(value, list | tuple):
        return type(value)([like(x, given) for x in value])
    return type(value)(next(given))


def along(f: Callable[[Any], Any], point: Any, direction: list[Any]) -> list[Any]:
    """The derivative of the numbers that f gives, in a direction."""

    def moved(step: float) -> np.ndarray:
        found = [x + step * d for x, d in zip(numbers(point), direction, strict=True)]
        return np.array(numbers(f(like(point, iter(found)))), dtype=float)

    inner, outer = moved(_STEP) - moved(-_STEP), moved(2 * _STEP) - moved(-2 * _STEP)
    return list((8 * inner - outer) / (12 * _STEP))


def jvp(f: Callable[[Any], Any], point: Any, tangent: Any) -> Any:
    """The tangent of the value."""
    return like(f(point), iter(along(f, point, numbers(tangent))))


def vjp(f: Callable[[Any], Any], point: Any, cotangent: Any) -> Any:
    """The cotangent of the point."""
    seeds = numbers(cotangent)
    units = np.eye(len(numbers(point)))
    found = [sum(s * d for s, d in zip(seeds, along(f, point, list(u)), strict=True)) for u in units]
    return like(point, iter(found))

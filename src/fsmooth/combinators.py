"""The constructs of F̃ as functions (design §1), for those who build programs by program; plain Python outside.

>>> build(3, lambda i: i * 2.0)
array([0., 2., 4.])
>>> ifold(lambda s, i: s + i, 0, 4)
6
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np


def build(n: int, f: Callable[[int], Any]) -> Any:
    """The array of f(0), …, f(n - 1)."""
    return np.array([f(i) for i in range(n)])


def ifold(f: Callable[[Any, int], Any], z: Any, n: int) -> Any:
    """The state after f(s, 0), …, f(s, n - 1), starting from z."""
    state = z
    for i in range(n):
        state = f(state, i)
    return state


def fold(f: Callable[[Any, Any], Any], z: Any, xs: Iterable[Any]) -> Any:
    """The state after f(s, x) for each x in xs, starting from z."""
    state = z
    for x in xs:
        state = f(state, x)
    return state


def sum(n: Any, f: Callable[[int], Any] | None = None) -> Any:
    """f(0) + … + f(n - 1); of an array alone, the sum of its elements."""
    if f is None:
        return np.sum(n)
    return builtins.sum(f(i) for i in range(n))


def cond(c: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
    """then() if c else otherwise(): only one of them is evaluated."""
    return then() if c else otherwise()


__all__ = ["build", "cond", "fold", "ifold", "sum"]

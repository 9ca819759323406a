"""Functions of real numbers, which are mapped over arrays as NumPy broadcasts them."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from fsmooth.library.numpy.ruled import Ruled


class OfNumbers:
    """A function of numbers; a `Ruled` one has derivatives of its own."""

    def __init__(self, function: FunctionType | Ruled) -> None:
        self.function = function

    def __call__(self, *arguments: Any) -> Any:
        plain: Callable[..., Any] = self.function
        return np.vectorize(plain)(*arguments)


class OfIntegers(OfNumbers):
    """The same, of integers, which stay what they are."""


def of_integers(function: Callable[..., Any]) -> OfIntegers:
    """A decorator."""
    assert isinstance(function, FunctionType)
    return OfIntegers(function)


def of_numbers(function: FunctionType | Ruled) -> OfNumbers:
    """A decorator."""
    return OfNumbers(function)

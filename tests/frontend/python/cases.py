"""What the programs of these tests are tried on, and how a program becomes a case."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

X = np.array([1.0, -2.0, 3.0, -4.0, 0.5])
MATRIX = np.arange(12.0).reshape(3, 4) + 0.5
SQUARE = np.arange(9.0).reshape(3, 3) + np.eye(3)
CUBE = np.arange(24.0).reshape(2, 3, 4)
PLACES = np.array([3, 1, 4, 1, 0])
FLAGS = np.array([True, False, True, True, False])


class Cases(list[tuple[Callable[..., object], tuple[object, ...]]]):
    """Programs, each with the arguments to try it on."""

    def __call__(self, *arguments: object) -> Callable[[Callable[..., object]], Callable[..., object]]:
        """A decorator that adds a program."""

        def add(function: Callable[..., object]) -> Callable[..., object]:
            self.append((function, arguments))
            return function

        return add

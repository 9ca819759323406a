"""Programs on whole arrays as NumPy's users write them, and the same as comprehensions and loops over elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Form:
    """A program in both forms.

    `wrt`: the arguments that its gradient is by.  `weights`: what an array result is multiplied by in the sum that is
    differentiated; None if the result is a number.
    """

    name: str
    whole: Callable[..., Any]
    spelled: Callable[..., Any]
    arguments: tuple[Any, ...]
    wrt: tuple[int, ...] = (0,)
    weights: Any = None


def scaled(A, b, c):
    return np.sum(((A - b) * c[:, None]) ** 2)


def scaled_by_element(A, b, c):
    return sum(((A[i, j] - b[j]) * c[i]) ** 2 for i in range(len(A)) for j in range(len(b)))


def added(A, b):
    return A + b


def added_by_element(A, b):
    return [[A[i, j] + b[j] for j in range(len(b))] for i in range(len(A))]


def gathered(x, places):
    return x[places]


def gathered_by_element(x, places):
    return [x[k] for k in places]


def sum_gathered(x, places):
    return np.sum(x[places])


def sum_gathered_by_element(x, places):
    return sum(x[k] for k in places)


def steps(x):
    return np.sum((x[1:] - x[:-1]) ** 2)


def steps_by_element(x):
    return sum((x[i + 1] - x[i]) ** 2 for i in range(len(x) - 1))


def smoothed(x):
    y = x.copy()
    y[1:-1] = 0.25 * x[:-2] + 0.5 * x[1:-1] + 0.25 * x[2:]
    return y


def smoothed_by_element(x):
    y = x.copy()
    for i in range(1, len(x) - 1):
        y[i] = 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1]
    return y


def larger(A, b):
    return np.sum(np.maximum(A, b))


def larger_by_element(A, b):
    return sum(max(A[i, j], b[j]) for i in range(len(A)) for j in range(len(b)))


def softmax(A):
    powers = np.exp(A - np.max(A, axis=1, keepdims=True))
    return powers / np.sum(powers, axis=1, keepdims=True)


def softmax_of_row(row):
    largest = max(row)
    powers = [np.exp(v - largest) for v in row]
    total = sum(powers)
    return [p / total for p in powers]


def softmax_by_row(A):
    return [softmax_of_row(row) for row in A]


def leaky(A, b):
    return np.where(b < A, A, 0.1 * A)


def leaky_by_element(A, b):
    return [[A[i, j] if b[j] < A[i, j] else 0.1 * A[i, j] for j in range(len(b))] for i in range(len(A))]


def distances(x):
    apart = x[:, None, :] - x[None, :, :]
    return np.sum(np.sqrt(1.0 + np.sum(apart**2, axis=2)))


def distances_by_element(x):
    n, d = x.shape
    return sum(np.sqrt(1.0 + sum((x[i, k] - x[j, k]) ** 2 for k in range(d))) for i in range(n) for j in range(n))


def positive(x):
    return np.sum(x[x > 0.0])


def positive_by_element(x):
    return sum(v for v in x if v > 0.0)


def weighted(f: Callable[..., Any], arguments: int) -> Callable[..., Any]:
    """The sum of an array result times weights, which come first, of a program of one argument or two."""

    def total(weights, x):
        return np.sum(weights * f(x))

    def total_of_two(weights, x, y):
        return np.sum(weights * f(x, y))

    return total if arguments == 1 else total_of_two


def forms(rows: int, columns: int, points: int) -> Iterator[Form]:
    """All of them: on matrices of rows × columns, vectors as long as these are large, and so many points of 8 coordinates."""
    rng = np.random.default_rng(0)
    n = rows * columns
    A, b, c, x = rng.normal(size=(rows, columns)), rng.normal(size=columns), rng.normal(size=rows), rng.normal(size=n)
    weights, long = rng.normal(size=(rows, columns)), rng.normal(size=n)
    places = rng.integers(0, n, n)
    yield Form("np.sum(((A - b) * c[:, None]) ** 2)", scaled, scaled_by_element, (A, b, c), (0, 1, 2))
    yield Form("A + b", added, added_by_element, (A, b), (0, 1), weights)
    yield Form("x[idx]", gathered, gathered_by_element, (x, places), weights=long)
    yield Form("np.sum(x[idx])", sum_gathered, sum_gathered_by_element, (x, places))
    yield Form("np.sum((x[1:] - x[:-1]) ** 2)", steps, steps_by_element, (x,))
    yield Form("y[1:-1] = … x[:-2] … x[1:-1] … x[2:]", smoothed, smoothed_by_element, (x,), weights=long)
    yield Form("np.sum(np.maximum(A, b))", larger, larger_by_element, (A, b), (0, 1))
    yield Form("softmax over an axis, keepdims", softmax, softmax_by_row, (A,), weights=weights)
    yield Form("np.where(b < A, A, 0.1 * A)", leaky, leaky_by_element, (A, b), weights=weights)
    yield Form(
        "distances, x[:, None, :] - x[None, :, :]", distances, distances_by_element, (rng.normal(size=(points, 8)),)
    )
    yield Form("np.sum(x[x > 0])", positive, positive_by_element, (x,))

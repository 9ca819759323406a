"""Calls through Python on small arguments, of all kinds that come in: what a call costs, not what is computed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import fsmooth as fs
from benchmarks import programs
from benchmarks.timing import Call

try:
    import jax
except ImportError:
    jax = None
try:
    import torch
except ImportError:
    torch = None


@dataclass(frozen=True)
class Case:
    """A call, how long it may take, and what it gives; `make` is None where what it needs is not installed."""

    name: str
    microseconds: float
    make: Callable[[], Call] | None
    expected: object = None


def ten(a, b, c, d, e, f, g, h, i, j):
    return a * b + c * d + e * f + g * h + i * j


def gathered(x, places):
    return sum(x[k] * x[k] for k in places)


def penalty(p):
    return sum(np.sum(part**2) for part in p.values())


def calls() -> Iterator[Case]:
    """All of them."""
    rng = np.random.default_rng(0)
    u, v, x = rng.random(10), rng.random(10), rng.random(1000)
    places = rng.integers(0, len(x), 100).astype(np.int32)
    parts = {f"p{k}": rng.random(10) for k in range(10)}
    numbers = tuple(map(float, u))
    squares = sum([float(np.sum(part**2)) for part in parts.values()])
    yield _case("∇dot of 10 numbers", 0.6, fs.grad(programs.dot), (u, v), v)
    yield _case("10 numbers as arguments", 0.6, fs.function(ten), numbers, ten(*numbers))
    yield _case("100 indices, int32", 5.0, fs.function(gathered), (x, places), float(np.sum(x[places] ** 2)))
    doubled = {name: 2.0 * part for name, part in parts.items()}
    yield _case("a dictionary of 10 arrays", 3.0, fs.function(penalty), (parts,), squares)
    yield _case("the gradient by a dictionary of 10 arrays", 3.0, fs.grad(penalty), (parts,), doubled)
    if jax is None:
        yield Case("∇dot of 10 numbers, arrays of JAX", 5.0, None)
    else:
        jax.config.update("jax_enable_x64", True)
        arrays = (jax.numpy.asarray(u), jax.numpy.asarray(v))
        yield _case("∇dot of 10 numbers, arrays of JAX", 5.0, fs.grad(programs.dot), arrays, v)
    if torch is None:
        yield Case("∇dot of 10 numbers, tensors of PyTorch", 5.0, None)
    else:
        tensors = (torch.from_numpy(u), torch.from_numpy(v))
        yield _case("∇dot of 10 numbers, tensors of PyTorch", 5.0, fs.grad(programs.dot), tensors, v)


def _case(
    name: str, microseconds: float, function: fs.Function, arguments: tuple[Any, ...], expected: object = None
) -> Case:
    return Case(name, microseconds, lambda: lambda: function(*arguments), expected)

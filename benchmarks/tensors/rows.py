"""What is compared, and the bars."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

import fsmooth as fs
from benchmarks.tensors import by_hand, programs

Call = Callable[[], Any]
PRODUCTS = (programs.product, programs.of_transposed, programs.by_transposed)
SIZES = 16, 32, 64, 128, 256, 512, 1024
SMALL = 64
"""From here on products may take 1.2 times NumPy's time; below they are to be as fast."""


@dataclass(frozen=True)
class Row:
    """What fsmooth does and others do, each made before it is timed; the most that fsmooth may take of each one's time."""

    name: str
    size: str
    precision: str
    own: Callable[[], Call]
    peers: Mapping[str, Callable[[], Call]]
    bars: Mapping[str, float]


def products(sizes: tuple[int, ...]) -> Iterator[Row]:
    """Products against NumPy's, which are OpenBLAS's."""
    for size in sizes:
        for dtype in (np.float64, np.float32):
            rng = np.random.default_rng(size)
            a, b = [(rng.normal(size=(size, size)) / np.sqrt(size)).astype(dtype) for _ in range(2)]
            batch = [(rng.normal(size=(4, size, size)) / np.sqrt(size)).astype(dtype) for _ in range(2)]
            for f, given in (*[(f, (a, b)) for f in PRODUCTS], (programs.product, tuple(batch))):
                name = {"product": "A @ B", "of_transposed": "A.T @ B", "by_transposed": "A @ B.T"}[f.__name__]
                name = f"{name}, 4 of them" if given[0].ndim == 3 else name
                bar = 1.2 if size >= SMALL else 1.0
                yield Row(
                    name,
                    f"{size}",
                    np.dtype(dtype).name,
                    _own(fs.function(f), given),
                    {"NumPy": _numpy(f, given)},
                    {"NumPy": bar},
                )


def models(*, quick: bool) -> Iterator[Row]:
    """Gradients: by hand in NumPy, in PyTorch, in JAX."""
    rng = np.random.default_rng(0)

    def normal(*shape: int, dtype: Any = np.float64) -> np.ndarray:
        return (rng.normal(size=shape) / np.sqrt(shape[-1])).astype(dtype)

    for size in (64,) if quick else (256, 1024):
        given = normal(size, size), normal(size, size)
        gradient = fs.grad(programs.squares, wrt=("a", "b"))
        hand = {"NumPy": _numpy(by_hand.squares, given)}
        yield Row("∇ np.sum((A @ B) ** 2)", f"{size}", "float64", _own(gradient, given), hand, {"NumPy": 1.2})
    size = 64 if quick else 512
    weights = (*[normal(size, size) for _ in range(3)], normal(size), normal(size, size), normal(size, size))
    hand = {"NumPy": _numpy(by_hand.layers, weights)}
    gradient = fs.grad(programs.layers, wrt=("u", "v", "w", "b"))
    yield Row("∇ three layers", f"{size}", "float64", _own(gradient, weights), hand, {"NumPy": 1.2})
    channels, side = (8, 12) if quick else (64, 58)
    for dtype, most in ((np.float64, 0.8), (np.float32, 1.25)):
        given = normal(channels, channels, 3, 3, dtype=dtype), normal(channels, side, side, dtype=dtype)
        of = f"{channels} → {channels}, {side - 2}²"
        for name, verb, f in (
            ("convolution 3 × 3", fs.function, "convolution"),
            ("∇ of its squares", lambda f: fs.grad(f, wrt=("w", "x")), "convolved"),
        ):
            own = _own(verb(getattr(programs, f)), given)
            yield Row(name, of, np.dtype(dtype).name, own, {"PyTorch": _peer("torch", f, given)}, {"PyTorch": most})
    for hidden, batch, steps in ((16, 4, 5),) if quick else ((50, 20, 20), (256, 64, 32)):
        for name, gates in (("rnn", 1), ("lstm", 4)):
            p = {
                "w": normal(hidden, gates * hidden, dtype=np.float32),
                "u": normal(hidden, gates * hidden, dtype=np.float32),
                "b": normal(gates * hidden, dtype=np.float32),
                "v": normal(hidden, hidden, dtype=np.float32),
                "c": normal(hidden, dtype=np.float32),
            }
            x, labels = normal(steps, batch, hidden, dtype=np.float32), rng.integers(0, hidden, (steps, batch))
            peers = {k: _peer(m, name, (p, x, labels)) for k, m in (("PyTorch", "torch"), ("JAX", "jax"))}
            own = _own(fs.grad(getattr(programs, name), wrt="p"), (p, x, labels))
            of = f"{hidden}, batches of {batch}, {steps} steps"
            yield Row(f"∇ {name.upper()}", of, "float32", own, peers, {"PyTorch": 1.1, "JAX": 1.1})
    long, wide = (16, 8) if quick else (128, 64)
    given = tuple([normal(long, wide) for _ in range(3)])
    own = _own(fs.grad(programs.attention, wrt=("q", "k", "v")), given)
    yield Row(
        "∇ attention", f"{long} × {wide}", "float64", own, {"JAX": _peer("jax", "attention", given)}, {"JAX": 1.0}
    )


def _own(function: fs.Function, given: tuple[Any, ...]) -> Callable[[], Call]:
    return lambda: lambda: function(*given)


def _numpy(f: Callable[..., Any], given: tuple[Any, ...]) -> Callable[[], Call]:
    return lambda: lambda: f(*given)


def _peer(module: str, name: str, given: tuple[Any, ...]) -> Callable[[], Call]:
    return lambda: getattr(import_module(f"benchmarks.tensors.peer_{module}"), name)(*given)

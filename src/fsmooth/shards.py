"""Sums of a function over parts of the data, on whatever runs them: processes, threads, a cluster, one part after the other."""

from __future__ import annotations

import builtins
import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from fsmooth.core.trees import apart, is_constant, together
from fsmooth.errors import ArgumentError


class _OfShard:
    """The function of a numbered shard: what goes to other processes."""

    def __init__(self, f: Callable[..., object], fixed: tuple[object, ...]) -> None:
        self.f, self.fixed = f, fixed

    def __call__(self, numbered: tuple[int, object]) -> tuple[int, object]:
        number, shard = numbered
        return number, self.f(*self.fixed, *(shard if type(shard) is tuple else (shard,)))


def sum_shards(
    f: Callable[..., Any],
    shards: Iterable[object],
    *fixed: object,
    map: Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]] | None = None,  # noqa: A002  (as in `Executor.map`)
) -> Any:
    """`f(*fixed, *shard)`, a value or a gradient, summed over all shards.

    A shard is a tuple of arguments, or one argument.  `map` is the built-in one, or anything that is called as that,
    `map(function, shards)`, and gives what the function gives, in any order: `executor.map` of `concurrent.futures`,
    `pool.imap_unordered`, a `Parallel` of joblib or a `Client` of Dask in a line of Python.  Results are numbers, arrays, and
    any structure of these.
    They are added in pairs, by where their shards are among all, so that the sum has the same bits whatever finishes first,
    and as soon as both are there, so that few are kept.

    Raises:
        ArgumentError: if there is no shard, results have different structures, or some are missing.

    >>> import numpy as np, fsmooth as fs
    >>> g = fs.grad(lambda w, x, y: fs.sum((x @ w - y) ** 2), wrt="w")
    >>> X, y, w = np.arange(12.0).reshape(6, 2), np.ones(6), np.array([0.5, -0.5])
    >>> shards = [(X[k : k + 2], y[k : k + 2]) for k in range(0, 6, 2)]
    >>> fs.sum_shards(g, shards, w)
    array([ -90., -108.])
    """
    waiting: dict[tuple[int, int], object] = {}
    count = 0
    run = builtins.map if map is None else map
    for number, result in run(_OfShard(f, fixed), _numbered(shards)):
        count += 1
        level, place = 0, int(number)
        while (level, place ^ 1) in waiting:  # the neighbour is there: both are one from now on
            other = waiting.pop((level, place ^ 1))
            result = _added(result, other) if place % 2 == 0 else _added(other, result)  # noqa: PLW2901
            level, place = level + 1, place // 2
        waiting[level, place] = result
    if not waiting:
        raise ArgumentError("there is no shard to sum over\n  hint: a sum needs the structure of at least one result")
    covered = sorted([(place << level, level) for level, place in waiting])
    ends = [0, *[start + (1 << level) for start, level in covered]]
    if [start for start, _ in covered] != ends[:-1] or ends[-1] != count:
        raise ArgumentError(
            f"{count} results came back, and some of the first {ends[-1]} shards have none\n  hint: `map` gives each once"
        )
    total, *others = [waiting[level, start >> level] for start, level in reversed(covered)]
    for other in others:
        total = _added(other, total)
    return total


def _numbered(shards: Iterable[object]) -> Iterator[tuple[int, object]]:
    return zip(itertools.count(), shards, strict=False)


def _added(a: Any, b: Any) -> Any:
    """Two results of the same structure, added part by part."""
    one, other = apart(a), apart(b)
    if one is not None and other is not None and (one.names, len(one.parts)) == (other.names, len(other.parts)):
        parts = [_added(x, y) for x, y in zip(one.parts, other.parts, strict=True)]
        return together(one.record, one.names, tuple(parts))
    if one is None and other is None and is_constant(a) and is_constant(b):
        return a
    if one is None and other is None and not is_constant(a) and not is_constant(b) and np.shape(a) == np.shape(b):
        return a + b
    raise ArgumentError(f"results of shards differ: {_told(a)} and {_told(b)}\n  hint: f must give the same for each")


def _told(value: Any) -> str:
    parts = apart(value)
    if parts is not None:
        return f"a {type(value).__name__} of {len(parts.parts)}"
    return f"an array of shape {np.shape(value)}" if np.ndim(value) else repr(value)

"""Folds over linked lists: the sum of squares by recursion and by a loop, and a loop over arrays that say what comes next."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import fsmooth as fs


@dataclass
class Cell:
    head: float
    tail: Cell | None


def by_recursion(c):
    """The sum of squares, as one would define it."""
    return 0.0 if c is None else c.head * c.head + by_recursion(c.tail)


def by_while(c):
    """The same, cell by cell."""
    total = 0.0
    while c is not None:
        total += c.head * c.head
        c = c.tail
    return total


def over_arrays(head, tail, k):
    """The same as without data types: `tail` says where the next number is, -1 that there is none."""
    total = 0.0
    while k >= 0:
        total += head[k] * head[k]
        k = tail[k]
    return total


FOLDS = {"by recursion": by_recursion, "by while": by_while}


def generate(cells: int) -> tuple[fs.Packed, tuple[np.ndarray, np.ndarray, int]]:
    """A list, and the arrays that `over_arrays` takes for it."""
    head = np.random.default_rng(cells).normal(size=cells)
    tail = np.append(np.arange(1, cells), -1)
    last = fs.references(Cell | None, type(None), 0)
    following = np.append(fs.references(Cell | None, Cell, tail[:-1]), last)
    root = int(fs.references(Cell | None, Cell, 0))
    return fs.Packed.of(Cell | None, {"Cell": {"head": head, "tail": following}}, root), (head, tail, 0)

"""Loops that add to matrices and their rows, and loops that share arrays: gradients by every way back, on threads too."""

from __future__ import annotations

import pytest

from tests.reverse import random_loops, random_updates
from tests.reverse.ways import check_ways


def check_updates(seed: int) -> None:
    """A program whose loops add to matrices."""
    check_ways(random_updates.Updates(seed).source(), "updated", random_updates.arguments(seed), seed)


def check_loops(seed: int) -> None:
    """A program whose loops share arrays."""
    check_ways(random_loops.Loops(seed).source(), "looped", random_loops.arguments(seed), seed)


@pytest.mark.parametrize("seed", range(12))
def test_random_updates(seed: int) -> None:
    check_updates(seed)


@pytest.mark.parametrize("seed", range(12))
def test_random_loops(seed: int) -> None:
    check_loops(seed)


@pytest.mark.usefixtures("tiny_chunks")
@pytest.mark.parametrize("seed", range(100, 112))
def test_random_updates_in_chunks_of_one(seed: int) -> None:
    check_updates(seed)


@pytest.mark.usefixtures("tiny_chunks")
@pytest.mark.parametrize("seed", [37, *range(100, 111)])  # 37: a loop saves as many numbers as its search takes steps
def test_random_loops_in_chunks_of_one(seed: int) -> None:
    check_loops(seed)

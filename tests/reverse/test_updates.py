"""Loops that add to matrices and their rows, and loops that share arrays: gradients by every way back, on threads too."""

from __future__ import annotations

import pytest

from fsmooth import thresholds
from tests.reverse import random_loops, random_updates
from tests.reverse.ways import CHUNKS, check_ways


def check_updates(seed: int) -> None:
    """A program whose loops add to matrices."""
    source = random_updates.Updates(seed).source()
    check_ways(source, lambda text: random_updates.program_of(text, seed), random_updates.arguments(seed), seed + 1)


def check_loops(seed: int) -> None:
    """A program whose loops share arrays."""
    source = random_loops.Loops(seed).source()
    check_ways(source, lambda text: random_loops.program_of(text, seed), random_loops.arguments(seed), seed + 1)


@pytest.mark.parametrize("seed", range(12))
def test_random_updates(seed: int) -> None:
    check_updates(seed)


@pytest.mark.parametrize("seed", range(12))
def test_random_loops(seed: int) -> None:
    check_loops(seed)


@pytest.fixture
def in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many chunks as there can be."""
    for name in CHUNKS:
        monkeypatch.setattr(thresholds, name, 1)


@pytest.mark.usefixtures("in_chunks")
@pytest.mark.parametrize("seed", range(100, 112))
def test_random_updates_in_chunks_of_one(seed: int) -> None:
    check_updates(seed)


@pytest.mark.usefixtures("in_chunks")
@pytest.mark.parametrize("seed", [37, *range(100, 111)])  # 37: a loop saves as many numbers as its search takes steps
def test_random_loops_in_chunks_of_one(seed: int) -> None:
    check_loops(seed)

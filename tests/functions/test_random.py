"""Random programs with functions as values: as in Python, and all methods agree with differences."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import fsmooth as fs
from tests.functions.random_programs import HEAD, Author

COUNT = 60
POINTS = [(0.7, 0.4, 4), (-0.4, -0.8, 3), (0.2, -0.3, 0)]
PAIRS = list(combinations(("forward", "reverse", "tape", "continuations"), 2))
"""Each program is compiled by two methods, and each two methods meet on some programs."""


def programs_of(seeds: range, folder: Path) -> dict[int, Callable[..., Any]]:
    """The programs with these seeds, in a module of their own."""
    path = folder / f"random_function_values_{seeds.start}.py"
    path.write_text(HEAD + "\n\n".join([Author(seed).program(f"program_{seed}") for seed in seeds]))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {seed: getattr(module, f"program_{seed}") for seed in seeds}


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Callable[..., Any]]:
    return programs_of(range(COUNT), tmp_path_factory.mktemp("random"))


@pytest.mark.parametrize("seed", range(COUNT))
def test_values_and_derivatives(programs: dict[int, Callable[..., Any]], seed: int) -> None:
    check(programs[seed], seed)


def check(program: Callable[..., Any], seed: int) -> None:
    """Values as in Python, derivatives by two methods as by differences."""
    value = fs.function(program)
    slopes = {method: fs.grad(program, wrt="x", method=method) for method in PAIRS[seed % len(PAIRS)]}
    for x, c, n in POINTS:
        assert value(x, c, n) == pytest.approx(program(x, c, n), rel=1e-12, abs=1e-12)
        wanted = (program(x + 1e-6, c, n) - program(x - 1e-6, c, n)) / 2e-6
        for method, slope in slopes.items():
            assert slope(x, c, n) == pytest.approx(wanted, rel=1e-6, abs=1e-6), method

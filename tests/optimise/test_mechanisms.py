"""Each mechanism of the optimiser can be switched off, by names that are there; what is left computes the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks.mechanisms.switches import Mechanism, mechanisms

import fsmooth as fs
from fsmooth.optimise import schedules

x, A = np.linspace(0.5, 2.0, 7), np.arange(21.0).reshape(3, 7) / 10.0


def energy(x, A):
    """Products, a maximum and a loop."""
    total = 0.0
    for row in range(len(A)):
        total += np.log(np.sum(np.exp(A[row] * x))) * np.max(A[row])
    return total


def expected() -> np.ndarray:
    """The gradient, from its closed form."""
    weights = np.exp(A * x)
    return np.sum(np.max(A, axis=1)[:, None] * A * weights / weights.sum(axis=1, keepdims=True), axis=0)


@pytest.mark.parametrize("mechanism", list(mechanisms()), ids=lambda m: m.name)
def test_without_one_the_gradient_is_the_same(
    mechanism: Mechanism, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FSMOOTH_CACHE_DIR", str(tmp_path))
    with mechanism.off():
        found = fs.grad(energy, wrt="x")(x, A)
    np.testing.assert_allclose(found, expected(), rtol=1e-12)


@pytest.mark.parametrize("mechanism", list(mechanisms()), ids=lambda m: m.name)
def test_what_it_is_called_is_in_the_schedule(mechanism: Mechanism) -> None:
    default = schedules.SCHEDULES["DEFAULT"]
    stages = {name for part in (default.stages, default.first, default.once) for name, _ in part}
    assert mechanism.stage is None or mechanism.stage in stages
    assert mechanism.loops is None or mechanism.loops in dict(default.loops)

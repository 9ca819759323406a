"""Random scopes: loops and terms agree, before the optimiser and after it."""

from __future__ import annotations

import numpy as np
import pytest

from fsmooth.optimise.schedules import DEFAULT
from tests.lower.harness import agree, expected
from tests.lower.random_scopes import Scopes
from tests.lower.test_loops import leaves_of, run


@pytest.mark.parametrize("start", range(0, 240, 40))
def test_random_scopes(start: int) -> None:
    v = np.array([1.0, -0.2, 0.3])
    for seed in range(start, start + 40):
        program = Scopes(seed).function()
        wanted = leaves_of(expected(program, v, 3))
        for term in (program, DEFAULT(program)):
            for a, b in zip(run(term, v, 3), wanted, strict=True):
                agree(a, np.asarray(b, dtype=float), 1e-10)

"""Random folds: the C and the interpreter agree."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lower.harness import agree, compile_all, expected
from tests.lower.random_folds import Generator

FLAGS = ("-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared")


@pytest.mark.parametrize("start", [0, 1000])
def test_random_folds(start: int) -> None:
    terms = [Generator(start + k).function() for k in range(150)]
    for term, compiled in zip(terms, compile_all(terms, FLAGS), strict=True):
        for n in (3, 70):
            v, w = np.cos(np.arange(n) + 0.5), np.sin(3.0 * np.arange(n))
            agree(compiled(v, w, 2), expected(term, v, w, 2), 1e-10)

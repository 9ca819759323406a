"""Random folds: the C and the interpreter agree."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.accuracy.judge import bounded, disagreement
from tests.lower.harness import compile_all
from tests.lower.random_folds import Generator, Nested, Whiles

FLAGS = ("-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared")


@pytest.mark.parametrize(
    ("generator", "start"),
    [(Generator, 0), (Generator, 1000), (Nested, 0), (Nested, 1000), (Whiles, 0), (Whiles, 1000)],
)
def test_random_folds(generator: type[Generator], start: int) -> None:
    terms = [generator(start + k).function() for k in range(150)]
    judged = 0
    for term, compiled in zip(terms, compile_all(terms, FLAGS), strict=True):
        assert not re.search(r"\b(\w+) = \1;", compiled.program.source)
        for n in (3, 70):
            v, w = np.cos(np.arange(n) + 0.5), np.sin(3.0 * np.arange(n))
            expected = bounded(term, [v, w, 2])
            judged += expected.is_sure
            assert not expected.is_sure or not disagreement(compiled(v, w, 2), expected, 1e-12)
    assert judged > 250

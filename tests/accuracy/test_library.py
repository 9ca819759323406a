"""Every function of M̃ that takes numbers, vectors and matrices has the derivative that dual numbers give."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from fsmooth.core.term import Lam
from fsmooth.core.types import has_float
from fsmooth.errors import Error
from fsmooth.library import names, parse
from tests.accuracy.directions import check, directed
from tests.accuracy.judge import outcome

SHAPES: dict[str, tuple[int, ...]] = {"Float": (), "Vector": (3,), "Matrix": (3, 3)}
_CHANCE = np.random.default_rng(11)
SAMPLES = {t: _CHANCE.uniform(0.1, 0.9, size=(3, *shape)) for t, shape in SHAPES.items()}

OF_OTHERS = set(
    """acosh arange arccosh argmax argmin diff equal eye floor_divide full greater greater_equal identity integer_power isfinite isinf
    isnan less less_equal logical_and logical_not logical_or logical_xor matrixCols matrixEye matrixEyeAny matrixFill
    matrixHot matrixMap matrixMap2 matrixOnes matrixRows matrixZeros mod modulo not not_equal ones rangeFrom rangeReal
    rangeStep remainder roll select signbit to_int trigamma vectorAll vectorAny vectorArgmax vectorArgmin vectorFill vectorHot
    vectorMap vectorMap2 vectorOnes vectorRange vectorRoll vectorSlice vectorZeros where zeros""".split()
)
"""Functions of integers, conditions and functions; those without a real result, or with one only from 1 on; trigamma, whose derivative is refused."""


def accepted(name: str) -> Iterator[tuple[str, Lam, list[object]]]:
    """The function at every choice of at most three arguments that it accepts."""
    for signature in [s for k in (1, 2, 3) for s in itertools.product(SHAPES, repeat=k)]:
        parameters = " ".join([f"(a{k}: {t})" for k, t in enumerate(signature)])
        applied = " ".join([name, *[f"a{k}" for k in range(len(signature))]])
        try:
            program = parse(f"fun {parameters} -> {applied}")
        except Error:
            continue
        if isinstance(program, Lam) and has_float(program.body.type):
            yield applied, program, [SAMPLES[t][k] for k, t in enumerate(signature)]


@pytest.mark.parametrize("name", sorted(names() - OF_OTHERS))
def test_derivative(name: str) -> None:
    judged = 0
    for what, program, arguments in accepted(name):
        if not isinstance(outcome(program, arguments), str):
            one = directed(program, arguments, 5)
            judged += check(what, one.term, one.arguments, one.exact)
    assert judged


def test_what_is_left_out_exists() -> None:
    assert names() >= OF_OTHERS

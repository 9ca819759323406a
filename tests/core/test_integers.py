"""Integers in the interpreter: 64 bits, exact beyond 2**53, modulo 2**64."""

from __future__ import annotations

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core.evaluate import evaluate
from fsmooth.core.term import Get, Length, Reduce, Reduction, Var
from fsmooth.core.types import INT, Array
from fsmooth.core.values import value_of

v, i = Var("v", Array(INT)), Var("i", INT)
LARGE = [2**53, 2**53 + 1, 2**53 - 1, 2**53 + 1]


def reduced(reduction: Reduction, given: list[int]) -> object:
    return evaluate(Reduce(reduction, Length(v), i, Get(v, i)), {v: value_of(np.array(given), v.type)})


@pytest.mark.parametrize(
    ("reduction", "expected"),
    [(Reduction.MAX, 2**53 + 1), (Reduction.MIN, 2**53 - 1), (Reduction.ARGMAX, 1), (Reduction.ARGMIN, 2)],
)
def test_extrema_do_not_round(reduction: Reduction, expected: int):
    assert reduced(reduction, LARGE) == expected


def test_extrema_do_not_round_in_c():
    assert fs.function(lambda v: max(v))(np.array(LARGE)) == 2**53 + 1
    assert fs.function(lambda v: fs.argmax(v))(np.array(LARGE)) == 1


def test_sums_and_products_wrap():
    assert reduced(Reduction.SUM, [2**62, 2**62]) == -(2**63)
    assert reduced(Reduction.PRODUCT, [2**62, 6]) == -(2**63)
    assert reduced(Reduction.SUM, [3, 4]) == 7

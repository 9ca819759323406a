"""Derivatives of library functions where a plain formula would give NaN or half of the truth."""

import math

import numpy as np
import pytest

from fsmooth.core.evaluate import evaluate
from fsmooth.core.term import Lam
from fsmooth.core.values import plain, value_of
from fsmooth.differentiate.remove import remove_derivatives
from fsmooth.library import parse
from fsmooth.optimise.schedules import BEFORE_DERIVATIVE


@pytest.mark.parametrize(
    ("function", "at", "expected"),
    [
        ("norm", [0.0, 0.0], [0.0, 0.0]),
        ("norm", [3.0, 4.0], [0.6, 0.8]),
        ("norm", [3e200, 4e200], [0.6, 0.8]),
        ("norm", [3e-200, -4e-200], [0.6, -0.8]),
        ("vectorNorm", [0.0, 0.0], [0.0, 0.0]),
        ("std", [2.0, 2.0], [0.0, 0.0]),
        ("logsumexp", [1000.0, 1000.0], [0.5, 0.5]),
        ("logsumexp", [-1000.0, 0.0], [0.0, 1.0]),
        ("max", [1.0, 3.0, 3.0], [0.0, 1.0, 0.0]),
        ("prod", [0.0, 2.0, 3.0], [6.0, 0.0, 0.0]),
        ("mean", [1.0, 2.0], [0.5, 0.5]),
    ],
)
def test_gradients(function: str, at: list[float], expected: list[float]) -> None:
    term = remove_derivatives(
        parse(f"fun (v: Vector) -> vectorMap (grad (fun x -> {function} x) v) snd"), BEFORE_DERIVATIVE
    )
    assert isinstance(term, Lam)
    result = plain(evaluate(term.body, {term.parameters[0]: value_of(at, term.parameters[0].type)}), term.body.type)
    np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(
    ("function", "at", "expected"),
    [
        ("fun x -> softplus x", 0.0, 0.5),
        ("fun x -> softplus x", 800.0, 1.0),
        ("fun x -> softplus x", -800.0, 0.0),
        ("fun x -> log_sigmoid x", 0.0, 0.5),
        ("fun x -> logaddexp x x", 1.0, 1.0),
        ("fun x -> logaddexp x 1.0", 1.0, 0.5),
        ("fun x -> sinc x", 0.0, 0.0),
        ("fun x -> where (x > 0.0) (sqrt x) 0.0", 0.0, 0.0),
        ("fun x -> square x", 3.0, 6.0),
        ("fun x -> log10 x", 2.0, 1 / (2 * math.log(10))),
    ],
)
def test_derivatives(function: str, at: float, expected: float) -> None:
    term = remove_derivatives(parse(f"fun (a: Float) -> snd (diff ({function}) a)"), BEFORE_DERIVATIVE)
    assert isinstance(term, Lam)
    assert evaluate(term.body, {term.parameters[0]: at}) == pytest.approx(expected, rel=1e-12)

"""Small words of Python and NumPy, against what these give."""

from __future__ import annotations

import functools
import math
import operator
from typing import Any

import numpy as np
import pytest
from scipy.integrate import cumulative_trapezoid

import fsmooth as fs

X = np.array([0.3, -1.0, 2.0, 0.5])
A = np.arange(6.0).reshape(2, 3) / 3.0

PROGRAMS = {
    "sorted": (lambda x: sorted(x)[1], X),
    "sorted, reversed": (lambda x: np.array(sorted(x, reverse=True)), X),
    "sorted generator": (lambda x: sorted(v * v for v in x)[0], X),
    "sorted display": (lambda x: sorted([x[0], x[1], x[2]])[0], X),
    "sorted, joined": (lambda x: np.array(sorted(x) + sorted(x, reverse=True) + [1.0]), X),
    "sorted, repeated": (lambda x: np.array(sorted(x) * 2), X),
    "sorted tuple": (lambda x: sorted((x[0], x[1]))[0], X),
    "sorted integers": (lambda k: sorted(k)[0], np.array([3, 1, 2])),
    "logaddexp.reduce": (lambda x: np.logaddexp.reduce(x), X),
    "logaddexp.reduce, first axis": (lambda x: np.logaddexp.reduce(x), A),
    "logaddexp.reduce, last axis": (lambda x: np.logaddexp.reduce(x, axis=1), A),
    "logaddexp.reduce, all": (lambda x: np.logaddexp.reduce(x, axis=None), A),
    "logaddexp.reduce, axis stays": (lambda x: np.logaddexp.reduce(x, axis=1, keepdims=True), A),
    "logaddexp.reduce of nothing": (lambda x: np.logaddexp.reduce(x - np.inf), X),
    "logaddexp.reduce of no elements": (lambda x: np.logaddexp.reduce(x[:0]), X),
    "isclose": (lambda x: math.isclose(x[0], 0.3), X),
    "isclose, relative": (lambda x: math.isclose(x[0], 0.31, rel_tol=0.1), X),
    "isclose, absolute": (lambda x: math.isclose(x[0], 0.31, abs_tol=0.1), X),
    "isclose, not": (lambda x: math.isclose(x[0], 0.31), X),
    "isclose, infinite": (lambda x: math.isclose(x[0], np.inf), X),
    "large factorial": (lambda x: x * math.factorial(25), X),
    "comb": (lambda x: x * math.comb(5, 2), X),
    "perm": (lambda x: x * math.perm(5, 2), X),
    "isqrt": (lambda x: x * math.isqrt(17), X),
    "factorial": (lambda x: sum(x[0] ** k / math.factorial(k) for k in fs.unroll(range(6))), X),
    "operator": (lambda x: functools.reduce(operator.mul, x, 1.0), X),
    "operators": (lambda x: operator.sub(operator.pow(x, 2), operator.neg(operator.getitem(x, 1))), X),
    "comparing operators": (lambda x: np.where(operator.lt(x, 0.4), x, 2.0), X),
    "operator.matmul": (lambda x: operator.matmul(x, x), X),
    "cumulative_trapezoid": (lambda x: cumulative_trapezoid(x, dx=0.5), X),
    "cumulative_trapezoid, points": (lambda x: cumulative_trapezoid(x**2, x, initial=0), X),
    "cumulative_trapezoid, axis": (lambda x: cumulative_trapezoid(x, axis=0, initial=0), A),
    "cumulative_trapezoid, rows": (lambda x: cumulative_trapezoid(x, x * x, axis=1), A),
    "item": (lambda x: x[0].item() * x.sum().item(), X),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_python(name: str) -> None:
    program, argument = PROGRAMS[name]
    found, wanted = fs.function(program)(argument), program(argument)
    assert np.shape(found) == np.shape(wanted)
    np.testing.assert_allclose(found, wanted, rtol=1e-14)


@pytest.mark.parametrize("method", ["forward", "reverse"])
def test_derivatives(method: str) -> None:
    weights = np.exp(X) / np.exp(X).sum()
    np.testing.assert_allclose(fs.grad(lambda x: np.logaddexp.reduce(x), method=method)(X), weights, rtol=1e-13)
    assert fs.grad(lambda x: sorted(x)[1], method=method)(X).tolist() == [1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("program", "message", "hint"),
    [
        (lambda x: sorted(np.outer(x, x)), "sorted orders numbers, and these are something else", "give key=…"),
        (
            lambda x: sorted(x, x),
            "sorted takes 1 argument by position, not 2",
            "give it what is sorted; its other parameters are key= and reverse=",
        ),
        (
            lambda x: math.isclose(x[0], x[1], rel_tol=-1.0),
            "ValueError: tolerances must be non-negative",
            "every call with arguments like these gets here",
        ),
        (lambda x: operator.mul(x), "operator.mul takes 2 arguments, not 1", "give every argument"),
        (lambda x: x.item(), "item is of a number, and this is an array", "write x[0]"),
        (lambda x: x * math.comb(-1, 2), "math.comb: n must be a non-negative integer", "give what math takes"),
        (
            lambda x: sorted(x, cmp=abs),
            "sorted: got an unexpected keyword argument 'cmp'",
            "its parameters are (iterable, /, *, key=…, reverse=…)",
        ),
    ],
)
def test_what_is_refused(program: Any, message: str, hint: str) -> None:
    with pytest.raises(fs.ProgramError) as caught:
        fs.function(program)(X)
    lines = str(caught.value).splitlines()
    assert (lines[0], lines[-1]) == (message, f"  hint: {hint}")

"""What is said about derivatives that are asked for wrongly, and that the right one works after each."""

from __future__ import annotations

import numpy as np
import pytest

import fsmooth as fs
from tests.errors.test_calls import X, shown, squares

DERIVATIVES = [
    (
        lambda: fs.grad(squares)([1, 2]),
        """\
NotDifferentiableError: v is a 1-dimensional array of integers, which has no derivative
  test_calls.py, line +0
    def squares(v):
    ^^^^^^^^^^^^^^^
  hint: pass real numbers: np.asarray(v, float); an optimiser starts from p0=[1.0, …]""",
    ),
    (
        lambda: fs.grad(squares, wrt="w")(X),
        """\
ArgumentError: wrt='w': squares has no such parameter
  hint: its parameters are v""",
    ),
    (
        lambda: fs.grad(np.add, wrt=(0, 1, 0))(X, X),
        """\
ArgumentError: wrt=(0, 1, 0): x1 is named twice
  hint: name each parameter once""",
    ),
    (
        lambda: fs.grad(squares, wrt=True)(X),
        """\
ArgumentError: wrt=True: squares has no such parameter
  hint: its parameters are v""",
    ),
    (
        lambda: fs.jvp(squares)(X, tangent=1.0),
        """\
TypeMismatchError: the tangent of v: expected a 1-dimensional array of numbers, found a number
  test_calls.py, line +0
    def squares(v):
    ^^^^^^^^^^^^^^^
  hint: give it the structure and the shape of v; what is an integer there has the tangent ()""",
    ),
    (
        lambda: fs.grad(squares, method="sideways")(X),
        """\
UnknownMethodError: there is no differentiation method 'sideways'
  hint: use 'auto', 'forward', 'reverse', 'tape' or 'continuations'""",
    ),
    (
        lambda: fs.vjp(squares, method="forward")(X),
        """\
UnknownMethodError: a vjp is made in reverse mode
  hint: leave method out; fs.jvp is made in the other""",
    ),
    (
        lambda: fs.jvp(squares, method="reverse")(X, tangent=X),
        """\
UnknownMethodError: a jvp is made in forward mode
  hint: leave method out; fs.vjp is made in the other""",
    ),
    (
        lambda: fs.grad(print)(1.0),
        """\
SourceNotAvailableError: print is not a Python function, so fsmooth cannot read it
  hint: wrap it: lambda x: print(x)""",
    ),
]


@pytest.mark.parametrize(("attempt", "message"), DERIVATIVES)
def test_wrong_derivatives(attempt, message) -> None:
    with pytest.raises(fs.Error) as caught:
        attempt()
    assert shown(caught.value, squares) == message
    np.testing.assert_allclose(fs.grad(squares)(X), 2 * X)

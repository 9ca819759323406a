"""How the work of optimised derivatives grows with the sizes, counted in the interpreter."""

from __future__ import annotations

import numpy as np
import pytest

from fsmooth.core.arithmetic import Counting
from fsmooth.core.evaluate import evaluate
from fsmooth.core.term import Lam
from fsmooth.core.values import value_of
from fsmooth.differentiate.remove import remove_derivatives
from fsmooth.library import parse
from fsmooth.optimise.schedules import BEFORE_DERIVATIVE, DEFAULT


def _work(text: str, *arguments: object) -> int:
    term = DEFAULT(remove_derivatives(parse(text), BEFORE_DERIVATIVE))
    assert isinstance(term, Lam)
    counting = Counting()
    evaluate(term.body, {q: value_of(x, q.type) for q, x in zip(term.parameters, arguments, strict=True)}, counting)
    return counting.total


_SOFTMAX = "fun (x: Vector) -> jacob (fun (x: Vector) -> softmax x) x"
_LOG_SUM = "fun (x: Vector) -> vectorMap (grad (fun (x: Vector) -> logsumexp x) x) snd"
_NNMF = """
    let loss = fun u v A ->
      let M = outer u v in
      matrixSum (build (length u) (fun i -> build (length v) (fun j -> log M[i][j] + A[i][j] / M[i][j])))
    fun (u: Vector) (v: Vector) (A: Matrix) -> vectorMap (deriv (loss u v A) u) snd
"""


@pytest.mark.parametrize(("text", "power"), [(_SOFTMAX, 2), (_LOG_SUM, 2)], ids=["softmax", "logsumexp"])
def test_vectors(text: str, power: int) -> None:
    """Forward mode takes a pass for each input, and no more."""
    work = [_work(text, np.linspace(0.0, 1.0, n)) for n in (10, 20, 40)]
    assert work[2] / work[1] < 2**power * 1.05, work


def test_matrix_factorisation_is_quadratic() -> None:
    """Written with matrices: the intermediate matrix of dual numbers is taken apart (paper 000, Fig. 10)."""

    def at(n: int) -> int:
        return _work(_NNMF, np.linspace(1.0, 2.0, n), np.linspace(1.0, 2.0, n), np.ones((n, n)))

    work = [at(n) for n in (5, 10, 20)]
    assert work[2] / work[1] < 4.2, work


_ROSENBROCK = """
    let f = fun x -> sum (length x - 1) (fun i ->
      let a = x[i + 1] - x[i] * x[i]
      let b = 1.0 - x[i]
      100.0 * (a * a) + b * b)
    fun (x: Vector) -> vectorMap (deriv (f x) x) snd
"""


def test_neighbours_are_linear() -> None:
    """Each term depends on two inputs: the two one-hot tangents part, and each loses its loop."""
    work = [_work(_ROSENBROCK, np.linspace(0.0, 1.0, n)) for n in (10, 20, 40)]
    assert work[2] - work[1] == 2 * (work[1] - work[0]), work

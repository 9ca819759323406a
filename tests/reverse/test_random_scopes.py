"""Random scopes of arrays and arrays of pairs: gradients agree, in memory that knows what was written."""

from __future__ import annotations

import numpy as np
import pytest

from fsmooth.core import build as b
from fsmooth.core import primitives as p
from fsmooth.core.term import Get, Lam, Length, Method, Proj, Term, Verb
from fsmooth.core.types import Array, Tuple
from fsmooth.optimise.schedules import DEFAULT, REAL
from tests.lower.random_scopes import Scopes
from tests.lower.test_loops import run
from tests.reverse.routes import derivative, made, result


def weighed(program: Lam) -> Lam:
    """The sum of the sines of all numbers in its result, each times how far on it stands."""
    return Lam(program.parameters, b.bind(program.body, _weighed, "result"))


def _weighed(x: Term) -> Term:
    match x.type:
        case Tuple():
            total, *others = [_weighed(Proj(x, k)) for k in range(len(x.type.items))]
            for other in others:
                total = b.plus(total, other)
            return total
        case Array():
            return b.sum_(
                Length(x), lambda i: b.times(b.prim(p.to_float, b.plus(i, b.number(1, i.type))), _weighed(Get(x, i)))
            )
        case _:
            return b.prim(p.sin, x)


@pytest.mark.parametrize("start", range(0, 32, 8))
def test_gradients_of_random_scopes(start: int) -> None:
    """Both modes, optimised or not, against forward mode in the interpreter of terms."""
    v = np.array([1.0, -0.2, 0.3])
    for seed in range(start, start + 8):
        program = weighed(Scopes(seed).function())
        reverse, forward = [
            made(derivative(program, (0,), Verb.GRAD, method, single=True))
            for method in (Method.REVERSE, Method.FORWARD)
        ]
        wanted = np.asarray(result(forward, v, 3))
        for gradient in (reverse, DEFAULT(reverse), REAL(reverse), DEFAULT(forward)):
            (found,) = run(gradient, v, 3)
            np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9 * np.max(np.abs(wanted)))

"""Directional derivatives, Jacobians and second derivatives of random programs, against dual numbers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import cast

import numpy as np
import pytest

from fsmooth.core import primitives as p
from fsmooth.core.arithmetic import Bounded, Bounds, Dual, DualNumber
from fsmooth.core.evaluate import ArrayValue, evaluate
from fsmooth.core.term import App, Const, Deriv, Get, Lam, Prim, Verb
from fsmooth.core.traverse import subterms
from fsmooth.core.types import F64, Tuple, Type
from fsmooth.core.values import lifted, value_of
from fsmooth.differentiate.derivatives import NoDerivative
from fsmooth.differentiate.remove import remove_derivatives
from fsmooth.laws.random_terms.scope import V
from fsmooth.optimise.schedules import BEFORE_DERIVATIVE
from tests.accuracy.cases import differentiated
from tests.accuracy.directions import check, directed
from tests.accuracy.judge import Answer, answer_of, bounded, outcome, run
from tests.accuracy.slopes import by_duals
from tests.strategies import FLOATS, X, random_program

SEEDS = [90_000, 91_000, 92_000, 93_000]
COUNT = 20
ARRAYS = (0, 1, 2, X)
"""Arguments that are not records, whose Jacobians are arrays."""


def sure(first: int, result: Type) -> Iterator[tuple[int, Lam, list[object]]]:
    """Programs that are not in doubt."""
    found = 0
    for seed in range(first, first + 200):
        program, arguments = random_program(seed, 4, result)
        if not isinstance(outcome(program, arguments), str) and bounded(program, arguments).is_sure:
            found += 1
            yield seed, program, arguments
        if found == COUNT:
            return


@pytest.mark.parametrize("result", [F64, V, Tuple((F64, V))], ids=repr)
@pytest.mark.parametrize("first", SEEDS)
def test_directional_derivatives(first: int, result: Type) -> None:
    judged = 0
    for seed, program, arguments in sure(first, result):
        one = directed(program, arguments, seed)
        judged += check(f"seed {seed}", one.term, one.arguments, one.exact)
    assert judged > COUNT / 2


@pytest.mark.parametrize("first", SEEDS)
def test_jacobians(first: int) -> None:
    judged = 0
    for seed, program, arguments in sure(first, V):
        jacobian = differentiated(program, ARRAYS, Verb.JACOBIAN)
        judged += check(f"seed {seed}", jacobian, arguments, jacobian_by_duals(program, arguments))
    assert judged > COUNT / 2


def jacobian_by_duals(program: Lam, arguments: list[object]) -> Answer:
    """Output indices outside, as `core.types.jacobian` says."""
    size = run(program, arguments)
    assert isinstance(size, ArrayValue)
    rows = [
        by_duals(Lam(program.parameters, Get(program.body, Const(k))), arguments, ARRAYS) for k in range(size.shape[0])
    ]
    inputs = [np.size(arguments[k]) for k in ARRAYS]
    blocks = np.cumsum([0, *inputs])

    def whole(vectors: list[np.ndarray]) -> np.ndarray:
        matrix = np.array(vectors).reshape(len(rows), blocks[-1])
        return np.concatenate([matrix[:, a:b].ravel() for a, b in itertools.pairwise(blocks)])

    margin = min([r.margin for r in rows], default=math.inf)
    return Answer(whole([r.value for r in rows]), whole([r.bound for r in rows]), margin)


@pytest.mark.parametrize("first", SEEDS)
def test_gradients_of_derivatives(first: int) -> None:
    """The derivative in x, differentiated in everything; in x twice, by dual numbers of dual numbers too."""
    judged = 0
    for seed, program, arguments in sure(first, F64):
        slope = Lam(program.parameters, App(Deriv(program, (X,), Verb.GRAD, single=True), program.parameters))
        try:
            once = cast(Lam, remove_derivatives(slope, BEFORE_DERIVATIVE))
            mixed = differentiated(slope, FLOATS, Verb.GRAD)
        except NoDerivative:
            assert any(isinstance(t, Prim) and t.primitive is p.digamma for t in subterms(program)), f"seed {seed}"
            continue
        exact = by_duals(once, arguments, FLOATS)
        judged += check(f"seed {seed}", mixed, arguments, exact)
        curvature = differentiated(slope, (X,), Verb.GRAD)
        judged += check(f"seed {seed}", curvature, arguments, curvature_by_duals(program, arguments))
    assert judged > COUNT


def curvature_by_duals(program: Lam, arguments: list[object]) -> Answer:
    """The second derivative in x."""
    bounds = Bounds()
    twice = Dual(Dual(bounds))
    values = {q: lifted(value_of(a, q.type), q.type, twice) for a, q in zip(arguments, program.parameters, strict=True)}
    x, one = bounds.constant(arguments[X], F64), bounds.constant(1.0, F64)
    result = evaluate(
        program.body, {**values, program.parameters[X]: DualNumber(DualNumber(x, one), DualNumber(one))}, twice
    )
    assert isinstance(result, DualNumber)
    slope = result.tangent
    found = slope.tangent if isinstance(slope, DualNumber) else None
    return answer_of(Bounded(0.0, 0.0) if found is None else found, F64, bounds.margin)

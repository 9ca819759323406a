"""Directional derivatives, Jacobians and second derivatives of random programs, against dual numbers."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator
from typing import cast

import numpy as np
import pytest

from fsmooth.core import primitives as p
from fsmooth.core.arithmetic import Bounded, Bounds, Dual, DualNumber
from fsmooth.core.evaluate import ArrayValue, Value, evaluate
from fsmooth.core.term import App, Const, Deriv, Get, Lam, Prim, Verb
from fsmooth.core.traverse import subterms
from fsmooth.core.types import F64, Tuple, Type, tangent
from fsmooth.core.values import lifted, plain, value_of
from fsmooth.differentiate.derivatives import NoDerivative
from fsmooth.differentiate.remove import remove_derivatives
from fsmooth.optimise.schedules import BEFORE_DERIVATIVE, DEFAULT
from tests.accuracy.cases import differentiated
from tests.accuracy.judge import Answer, answer_of, bounded, changed, excess, numbers, outcome, run, within
from tests.accuracy.slopes import by_duals
from tests.random_terms.scope import V
from tests.strategies import FLOATS, X, random_program

TOLERANCE = 1e-10
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


def check(seed: int, term: Lam, arguments: list[object], exact: Answer) -> bool:
    """The term, optimised and not, within the bounds of both ways; False if it is in doubt."""
    own = bounded(term, arguments)
    if not own.is_sure or not exact.is_sure:
        return False
    optimised = DEFAULT(term)
    assert isinstance(optimised, Lam)
    for found in (own.value, numbers(run(optimised, arguments), optimised.body.type)):
        bound = exact.bound + own.bound
        assert within(found, exact.value, bound, TOLERANCE), f"seed {seed}: {excess(found, exact.value, bound)}"
    return True


@pytest.mark.parametrize("first", SEEDS)
def test_directional_derivatives(first: int) -> None:
    judged = 0
    for seed, program, arguments in sure(first, F64):
        rng = random.Random(seed)
        values = [value_of(a, q.type) for a, q in zip(arguments, program.parameters, strict=True)]
        directions = [directed(values[k], rng) for k in FLOATS]
        bounds = Bounds()
        varied = [lifted(v, q.type, Dual(bounds)) for v, q in zip(values, program.parameters, strict=True)]
        for k, direction in zip(FLOATS, directions, strict=True):
            varied[k] = along(values[k], direction, bounds)
        result = evaluate(program.body, dict(zip(program.parameters, varied, strict=True)), Dual(bounds))
        exact = answer_of(both(cast(DualNumber, result)), Tuple((F64, F64)), bounds.margin)
        deriv = Deriv(program, FLOATS, Verb.JVP)
        removed = cast(Lam, remove_derivatives(deriv, BEFORE_DERIVATIVE))
        given = [
            *arguments,
            *[plain(d, tangent(program.parameters[k].type)) for k, d in zip(FLOATS, directions, strict=True)],
        ]
        judged += check(seed, removed, given, exact)
    assert judged > COUNT / 2


def directed(value: Value, rng: random.Random) -> Value:
    return changed(value, lambda x: rng.gauss(0.0, 1.0) if isinstance(x, float) else ())


def along(value: Value, direction: Value, bounds: Bounds) -> Value:
    match value, direction:
        case ArrayValue(shape, items), ArrayValue(_, ways):
            return ArrayValue(shape, tuple([along(x, d, bounds) for x, d in zip(items, ways, strict=True)]))
        case tuple(), tuple():
            return tuple([along(x, d, bounds) for x, d in zip(value, direction, strict=True)])
        case float(), float():
            return DualNumber(bounds.constant(value, F64), bounds.constant(direction, F64))
        case _:
            return value


def both(result: DualNumber) -> tuple[object, object]:
    return result.value, Bounded(0.0, 0.0) if result.tangent is None else result.tangent


@pytest.mark.parametrize("first", SEEDS)
def test_jacobians(first: int) -> None:
    judged = 0
    for seed, program, arguments in sure(first, V):
        jacobian = differentiated(program, ARRAYS, Verb.JACOBIAN)
        judged += check(seed, jacobian, arguments, jacobian_by_duals(program, arguments))
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
        judged += check(seed, mixed, arguments, exact)
        curvature = differentiated(slope, (X,), Verb.GRAD)
        judged += check(seed, curvature, arguments, curvature_by_duals(program, arguments))
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

"""Derivatives of derivatives, each by either mode, of random programs: second derivatives along one number and in all."""

from __future__ import annotations

import itertools

import pytest

from fsmooth.core import primitives as p
from fsmooth.core.term import App, Deriv, Lam, Method, Prim, Verb
from fsmooth.core.traverse import subterms
from fsmooth.core.types import F64
from fsmooth.differentiate.derivatives import NoDerivative
from tests.accuracy.judge import Answer, bounded, excess, outcome, within
from tests.accuracy.slopes import by_complex_step, by_duals
from tests.accuracy.test_verbs import curvature_by_duals
from tests.reverse.routes import made
from tests.strategies import FLOATS, X, random_program

SEEDS = [310_000, 311_000, 312_000, 313_000]
COUNT = 12
TOLERANCE = 1e-10
METHODS = (Method.FORWARD, Method.REVERSE)
ORDERS = [pair for pair in itertools.product(METHODS, METHODS) if Method.REVERSE in pair]
"""Of the inner and the outer derivative."""


def slope(program: Lam, method: Method) -> Lam:
    """The derivative in x, still to be made."""
    parameters = tuple([q.renamed() for q in program.parameters])
    return Lam(parameters, App(Deriv(program, (X,), Verb.GRAD, method, single=True), parameters))


def of_slope(program: Lam, inner: Method, outer: Method, wrt: tuple[int, ...]) -> Lam:
    """The gradient of the derivative in x."""
    parameters = tuple([q.renamed() for q in program.parameters])
    return made(Lam(parameters, App(Deriv(slope(program, inner), wrt, Verb.GRAD, outer), parameters)))


def _agree(found: Answer, other: Answer, what: str) -> None:
    bound = found.bound + other.bound
    assert within(found.value, other.value, bound, TOLERANCE), f"{what}: {excess(found.value, other.value, bound)}"


@pytest.mark.parametrize(("inner", "outer"), ORDERS, ids=lambda m: m.value)
@pytest.mark.parametrize("first", SEEDS)
def test_second_derivatives(first: int, inner: Method, outer: Method) -> None:
    judged = 0
    for seed in range(first, first + 3 * COUNT):
        program, arguments = random_program(seed, 3, F64)
        if isinstance(outcome(program, arguments), str) or not bounded(program, arguments).is_sure:
            continue
        try:
            once = made(slope(program, Method.FORWARD))
            mixed, twice = of_slope(program, inner, outer, FLOATS), of_slope(program, inner, outer, (X,))
        except NoDerivative:
            assert any(isinstance(t, Prim) and t.primitive is p.digamma for t in subterms(program)), f"seed {seed}"
            continue
        exact = by_duals(once, arguments, FLOATS)
        found, curvature = bounded(mixed, arguments), bounded(twice, arguments)
        known = curvature_by_duals(program, arguments)
        if not all([answer.is_sure for answer in (exact, found, curvature, known)]):
            continue
        _agree(found, exact, f"seed {seed}: {inner} in {outer}, by dual numbers")
        stepped = by_complex_step(once, arguments, FLOATS)
        assert within(found.value, stepped, found.bound + exact.bound, TOLERANCE), f"seed {seed}: complex step"
        _agree(curvature, known, f"seed {seed}: {inner} in {outer}, in x twice")
        judged += 1
        if judged == COUNT:
            break
    assert judged == COUNT

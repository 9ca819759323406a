"""Derivative ≤ 5 × primal + 10 × (input + output elements), weighed while both run."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from fsmooth.core.term import Deriv, Lam, Method, Verb
from fsmooth.differentiate.remove import remove_derivatives
from fsmooth.optimise.schedules import BEFORE_DERIVATIVE, DEFAULT
from tests.accuracy.judge import outcome
from tests.frontend.python.test_programs import elaborated
from tests.reverse.nests import NESTS, updates
from tests.reverse.routes import result, reversed_
from tests.reverse.weighing import size, weight
from tests.strategies import FLOATS, random_program

SEEDS = [range(first, first + 30) for first in range(260_000, 270_000, 1_000)]


def check(what: str, primal: Lam, derivative: Lam, arguments: list[object]) -> None:
    """Is the derivative as cheap as it should be?"""
    elements = size(tuple(arguments)) + size(result(derivative, *arguments))
    own, found = weight(primal, arguments), weight(derivative, arguments)
    assert found <= 5 * own + 10 * elements, f"{what}: {found} where the program costs {own}, {elements} elements"


@pytest.mark.parametrize("seeds", SEEDS, ids=lambda s: s.start)
def test_random_programs(seeds: range) -> None:
    """Both as they are compiled."""
    for seed in seeds:
        program, arguments = random_program(seed)
        if isinstance(outcome(program, arguments), str):
            continue
        derivative = reversed_(program, FLOATS, Verb.VALUE_AND_GRAD)
        check(f"seed {seed}", DEFAULT(program), DEFAULT(derivative), arguments)


@pytest.mark.parametrize("seeds", SEEDS[::3], ids=lambda s: s.start)
def test_random_programs_before_they_are_optimised(seeds: range) -> None:
    """Reverse mode itself is as cheap; its program is what it is given."""
    for seed in seeds:
        program, arguments = random_program(seed)
        if isinstance(outcome(program, arguments), str):
            continue
        primal = BEFORE_DERIVATIVE.run_once(BEFORE_DERIVATIVE(program))
        assert isinstance(primal, Lam)
        check(f"seed {seed}", primal, reversed_(program, FLOATS, Verb.VALUE_AND_GRAD), arguments)


@pytest.mark.parametrize("n", [1, 3, 8])
@pytest.mark.parametrize("nest", NESTS, ids=lambda f: f.__name__)
def test_nests(nest, n: int) -> None:
    chance = np.random.default_rng(3)
    made = {"x": chance.random(n), "w": chance.random((n, n))}
    arguments = [made[name] for name in inspect.signature(nest).parameters]
    term = elaborated(nest, *arguments).term
    primal = BEFORE_DERIVATIVE.run_once(BEFORE_DERIVATIVE(term))
    derivative = reversed_(term, tuple(range(len(arguments))), Verb.VALUE_AND_GRAD)
    check(nest.__name__, primal, derivative, arguments)
    check(f"{nest.__name__}, optimised", DEFAULT(term), DEFAULT(derivative), arguments)


@pytest.mark.parametrize("nest", NESTS, ids=lambda f: f.__name__)
def test_hessians_times_tangents(nest) -> None:
    """The derivative of a gradient along one tangent costs three gradients or fewer."""
    chance = np.random.default_rng(3)
    made = {"x": chance.random(8), "w": chance.random((8, 8))}
    arguments = [made[name] for name in inspect.signature(nest).parameters]
    term, wrt = elaborated(nest, *arguments).term, tuple(range(len(arguments)))
    gradient = DEFAULT(reversed_(term, wrt, Verb.GRAD))
    along = DEFAULT(remove_derivatives(Deriv(term, wrt, Verb.HVP, Method.REVERSE), BEFORE_DERIVATIVE))
    assert isinstance(gradient, Lam)
    assert isinstance(along, Lam)
    assert weight(along, [*arguments, *arguments]) <= 3 * weight(gradient, arguments) + 10 * size(tuple(arguments))


def test_updates_cost_the_same_at_every_step() -> None:
    """Neither direction copies or clears the array."""
    costs = []
    for n in (1_000, 2_000, 4_000):
        x = np.linspace(0.5, 0.9, n)
        derivative = reversed_(elaborated(updates, x).term, (0,))
        costs.append(weight(derivative, [x]))
    assert costs[2] - costs[1] == 2 * (costs[1] - costs[0])

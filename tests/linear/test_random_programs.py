"""∇ of random programs by its four definitions, eliminated by rules and not, against dual numbers."""

from __future__ import annotations

import random

import numpy as np
import pytest

from fsmooth.core.term import Lam, Let, MakeTuple, Term, Var
from fsmooth.core.types import F64, Array, Tuple, Type
from fsmooth.differentiate.linear.functions import (
    by_composition,
    forward,
    reverse,
    transposed,
)
from tests.accuracy.directions import directed
from tests.accuracy.judge import bounded, numbers, run, within
from tests.linear.definitions import (
    TOLERANCE,
    Jacobian,
    check_reverse,
    eliminated,
    every_definition,
    flat,
    perturbed,
    perturbed_value,
    plain,
)
from tests.strategies import FLOATS, random_program


@every_definition
@pytest.mark.parametrize("seeds", [range(k, k + 20) for k in (0, 20, 40)], ids=lambda s: f"from {s[0]}")
def test_gradients_of_random_programs(jacobian: Jacobian, seeds: range) -> None:
    sure = 0
    for seed in seeds:
        program, arguments = random_program(seed, depth=3)
        sure += check_reverse(program, arguments, jacobian, raw=jacobian is by_composition)
    assert sure >= len(seeds) // 2


@every_definition
@pytest.mark.parametrize("type_", [F64, Array(F64), Tuple((F64, Array(F64)))], ids=repr)
def test_directional_derivatives_of_random_programs(jacobian: Jacobian, type_: Type) -> None:
    """fwd$f, for results of any type."""
    sure = 0
    for seed in range(100, 112):
        program, arguments = random_program(seed, depth=3, result=type_)
        given = directed(program, arguments, seed)
        if not given.exact.is_sure:
            continue
        derivative = forward(jacobian(program, FLOATS))
        own = derivative.parameters
        both = Lam(own, MakeTuple((substituted(program, own), derivative.body)))
        result = bounded(eliminated(both), [*arguments, tuple(given.arguments[len(arguments) :])])
        if result.is_sure:
            assert within(result.value, given.exact.value, result.bound + given.exact.bound, TOLERANCE)
            sure += 1
    assert sure >= 5


def substituted(program: Lam, parameters: tuple[Var, ...]) -> Term:
    """The body of a program in terms of other parameters."""
    return Let(tuple(zip(program.parameters, parameters[: len(program.parameters)], strict=True)), program.body)


@every_definition
@pytest.mark.parametrize("type_", [Array(F64), Tuple((F64, Array(F64)))], ids=repr)
def test_reverse_is_the_transpose_of_forward(jacobian: Jacobian, type_: Type) -> None:
    """(RP): (r ⊙ᴿ ∂f) · dx = r · (∂f ⊙ dx), for results that are no numbers; and ∂ᴿf is the transpose."""
    checked = 0
    for seed in range(200, 212):
        program, arguments = random_program(seed, depth=3, result=type_)
        full = jacobian(program, FLOATS)
        there, back = eliminated(forward(full)), eliminated(reverse(full))
        rng = random.Random(seed)
        dx = tuple([perturbed(arguments[k], rng) for k in FLOATS])
        moved = run(there, [*arguments, dx])
        dr = perturbed_value(moved, rng)
        pulled = run(back, [*arguments, plain(dr)])
        turned = run(eliminated(forward(transposed(full))), [*arguments, plain(dr)])
        left = numbers(pulled, back.body.type) @ flat(dx)
        right = numbers(dr, there.body.type) @ numbers(moved, there.body.type)
        if np.isfinite(left) and np.isfinite(right):
            np.testing.assert_allclose(left, right, rtol=1e-7, atol=1e-7)
            assert np.array_equal(numbers(turned, back.body.type), numbers(pulled, back.body.type), equal_nan=True), (
                f"seed {seed}"
            )
            checked += 1
    assert checked >= 8

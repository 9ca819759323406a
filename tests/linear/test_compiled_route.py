"""The compiler's reverse mode, which makes no maps, against its definition r ⊙ᴿ ∂f, for results of any type."""

from __future__ import annotations

import random
from typing import cast

import numpy as np
import pytest

from fsmooth.core.term import Deriv, Lam, Method, Verb
from fsmooth.core.types import F64, Array, Tuple, Type, tangent
from fsmooth.differentiate.linear.functions import by_composition, reverse
from fsmooth.differentiate.remove import remove_derivatives
from fsmooth.frontend.text import parse
from fsmooth.optimise.schedules import BEFORE_DERIVATIVE
from tests.accuracy.judge import bounded, changed, numbers, run, within
from tests.linear.definitions import eliminated, floats, plain
from tests.linear.programs import PROGRAMS
from tests.strategies import random_program


def agree(program: Lam, arguments: list[object], seed: int) -> bool:
    """The cotangents by both; False if rounding leaves them in doubt."""
    wrt = floats(program)
    single = len(wrt) == 1
    route = cast(Lam, remove_derivatives(Deriv(program, wrt, Verb.VJP, Method.REVERSE, single), BEFORE_DERIVATIVE))
    definition = eliminated(reverse(by_composition(program, wrt)))
    rng = random.Random(seed)
    value = run(program, arguments)
    r = plain(changed(value, lambda x: rng.gauss(0.0, 1.0) if isinstance(x, float) else ()))
    result = bounded(route, [*arguments, r])
    skipped = numbers(value, program.body.type).size
    exact = bounded(definition, [*arguments, r])
    if not exact.is_sure or not result.is_sure:
        return False
    found, bound = result.value[skipped:], result.bound[skipped:] + exact.bound
    assert found.shape == exact.value.shape
    assert within(found, exact.value, bound, 1e-10), f"seed {seed}"
    return True


@pytest.mark.parametrize("type_", [F64, Array(F64), Tuple((F64, Array(F64)))], ids=repr)
def test_random_programs(type_: Type) -> None:
    assert tangent(type_) == type_
    sure = 0
    for seed in range(700, 730):
        program, arguments = random_program(seed, depth=3, result=type_)
        sure += agree(program, arguments, seed)
    assert sure >= 20


@pytest.mark.parametrize("name", PROGRAMS)
def test_construct(name: str) -> None:
    text, arguments = PROGRAMS[name]
    function = parse(text)
    assert isinstance(function, Lam)
    assert agree(function, arguments, 0)


def test_a_wrong_cotangent_would_be_seen() -> None:
    """The comparison compares numbers."""
    assert not within(np.array([1.0]), np.array([1.1]), np.array([0.0]), 1e-10)

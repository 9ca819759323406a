"""Random well-typed programs: every construct, records, sizes that are constant, symbolic, 0 and 1.

`random_program` makes one from a seed; `programs` is the same generator as a hypothesis strategy, which shrinks
what fails.  `@fixed` runs a hypothesis test on the same examples every time.
"""

from __future__ import annotations

import random

import hypothesis.strategies as st
import numpy as np
from hypothesis import HealthCheck, settings

from fsmooth.core.term import Lam, Var
from fsmooth.core.types import F64, INT, Array, Type, has_float
from fsmooth.laws.random_terms.generator import Generator
from fsmooth.laws.random_terms.scope import DOUBLE, Kinds


def parameters(kinds: Kinds = DOUBLE) -> tuple[Var, ...]:
    """The parameters of every program."""
    types: dict[str, Type] = {
        "u": kinds.vector,
        "v": kinds.vector,
        "A": kinds.matrix,
        "x": kinds.real,
        "n": INT,
        "r": kinds.record,
        "q": kinds.pair,
        "points": Array(kinds.point),
    }
    return tuple([Var(name, type_) for name, type_ in types.items()])


X = 3
"""The position of the number among the arguments."""

FLOATS = tuple([k for k, parameter in enumerate(parameters()) if has_float(parameter.type)])
"""The positions of the arguments that have derivatives."""

fixed = settings(
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)


def random_program(seed: int, depth: int = 4, result: Type = F64, kinds: Kinds = DOUBLE) -> tuple[Lam, list[object]]:
    """A closed program of vectors, a matrix, numbers, a record, a pair and an array of records, and arguments for it.

    Nearly all mention the number and at least two others of the arguments that have derivatives.
    """
    rng = random.Random(seed)
    for _ in range(20):
        program = program_from(rng, depth, result, kinds)
        mentioned = [k for k in FLOATS if program.parameters[k] in program.body.free]
        if X in mentioned and len(mentioned) >= 3:
            break
    return program, arguments_from(rng)


@st.composite
def programs(draw: st.DrawFn, depth: int = 3, result: Type = F64) -> tuple[Lam, list[object]]:
    """Programs and arguments as `random_program` makes them."""
    rng = draw(st.randoms(use_true_random=False))
    return program_from(rng, depth, result), arguments_from(rng)


def program_from(rng: random.Random, depth: int, result: Type, kinds: Kinds = DOUBLE) -> Lam:
    """A program drawn from a source of chance."""
    variables = parameters(kinds)
    return Lam(variables, Generator(rng, list(variables), kinds).term(result, depth))


def arguments_from(rng: random.Random) -> list[object]:
    """Arguments for `parameters`; arrays may be empty.  Numbers are 0 or of a size at which nothing over- or underflows."""

    def number() -> float:
        x = rng.gauss(0.0, 1.0)
        return max(-8.0, min(8.0, x)) if abs(x) > 1e-8 else 0.0

    def normal(*shape: int) -> np.ndarray:
        return np.array([number() for _ in range(int(np.prod(shape)))]).reshape(shape)

    n, m, k = rng.choice((3, 2, 4, 1, 3, 2, 0)), rng.choice((2, 3, 1)), rng.choice((2, 3, 1, 2, 3, 0))
    return [
        normal(n),
        normal(m),
        normal(n, m),
        number(),
        rng.randint(0, 4),
        (number(), number(), normal(k)),
        (number(), rng.randint(0, 3)),
        (normal(k), normal(k)),
    ]

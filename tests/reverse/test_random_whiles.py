"""Random programs with `while` loops: every route of differentiation, and the C, agree with the interpreter."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from fsmooth.core.term import Lam, Verb, While
from fsmooth.core.traverse import subterms
from fsmooth.core.types import F64
from fsmooth.optimise.schedules import DEFAULT, NONE
from tests.accuracy.cases import Case, case_at
from tests.accuracy.judge import bounded, disagreement
from tests.lower.harness import FAST, STRICT, compile_all
from tests.random_terms.whiles import Repeating
from tests.reverse.routes import reversed_
from tests.reverse.test_programs import check
from tests.strategies import FLOATS, X, arguments_from, parameters

TOLERANCE = 1e-10


def cases(first: int, count: int) -> Iterator[Case]:
    """Programs that have such a loop, with arguments at which nothing is in doubt."""
    found, seed = 0, first
    while found < count:
        rng = random.Random(seed)
        variables = parameters()
        program = Lam(variables, Repeating(rng, list(variables)).term(F64, 4))
        seed += 1
        if variables[X] not in program.body.free or not any([isinstance(t, While) for t in subterms(program)]):
            continue
        case = case_at(seed - 1, program, arguments_from(rng))
        if case is not None:
            found += 1
            yield case


@pytest.mark.parametrize("first", [0, 1_000, 2_000])
def test_every_route_agrees(first: int) -> None:
    judged = sum([check(case) for case in cases(first, 20)])
    assert judged >= 18


@pytest.mark.parametrize(("flags", "schedule"), [(STRICT, NONE), (FAST, DEFAULT)], ids=["strict", "fast"])
def test_c_is_the_interpreter(flags, schedule) -> None:
    batch = list(cases(5_000, 25))
    gradients = [reversed_(case.program, FLOATS, Verb.VALUE_AND_GRAD) for case in batch]
    kernels = compile_all([schedule(t) for c, g in zip(batch, gradients, strict=True) for t in (c.program, g)], flags)
    for k, (case, gradient) in enumerate(zip(batch, gradients, strict=True)):
        for kernel, expected in ((kernels[2 * k], case.value), (kernels[2 * k + 1], bounded(gradient, case.arguments))):
            wrong = disagreement(kernel(*case.arguments), expected, TOLERANCE)
            assert not wrong, f"seed {case.seed}: {wrong}"

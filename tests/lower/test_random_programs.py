"""Random programs: the C, optimised or not, differentiated or not, agrees with the interpreter."""

from __future__ import annotations

import sys

import pytest

from fsmooth.core.term import Lam
from fsmooth.optimise.schedules import SCHEDULES
from tests.lower.harness import FAST, STRICT, compile_all
from tests.optimise.test_schedules import close, derivative, run
from tests.strategies import random_program

BATCH = 50


@pytest.fixture(autouse=True)
def deep():
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(100_000)
    yield
    sys.setrecursionlimit(limit)


@pytest.mark.parametrize("flags", [STRICT, FAST], ids=["strict", "fast"])
@pytest.mark.parametrize("first", range(0, 500, BATCH))
def test_c_agrees_with_the_interpreter(first, flags):
    cases = []
    for seed in range(first, first + BATCH):
        program, arguments = random_program(seed + 30_000)
        expected = run(program, arguments)
        if isinstance(expected, str):
            continue
        differentiated = derivative(program, 3)
        for term in (program, SCHEDULES["DEFAULT"](program), SCHEDULES["DEFAULT"](differentiated)):
            assert isinstance(term, Lam)
            cases.append((seed, SCHEDULES["NONE"](term), arguments, run(term, arguments)))
    compiled = compile_all([c[1] for c in cases], flags)
    for (seed, _, arguments, expected), kernel in zip(cases, compiled, strict=True):
        found = float(kernel(*arguments))
        assert close(expected, found), f"seed {seed}: {expected}, in C {found}"

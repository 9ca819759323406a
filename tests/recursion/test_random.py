"""Random programs that call definitions: every route of differentiation, loops in their place, and the C, agree with the interpreter."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import cast

import numpy as np
import pytest

from fsmooth.checking.interpreted import WAYS, TooManyError, pulled
from fsmooth.core.definitions import has_calls, redefined
from fsmooth.core.term import Lam, Verb
from fsmooth.loops.continuations import machines, on_records
from fsmooth.loops.tree import Program
from fsmooth.lower.functions import lower
from fsmooth.optimise.calls.loops import calls_as_loops
from fsmooth.optimise.schedule import Schedule
from fsmooth.optimise.schedules import DEFAULT, NONE
from tests.accuracy.cases import Case, case_at
from tests.accuracy.judge import bounded, disagreement
from tests.lower.harness import FAST, STRICT, Compiled, compile_all
from tests.random_terms.recursion import recursive_program
from tests.reverse.routes import result, reversed_, vector
from tests.reverse.test_programs import check
from tests.strategies import FLOATS, X, arguments_from, parameters

TOLERANCE = 1e-10


def cases(first: int, count: int) -> Iterator[Case]:
    """Programs that call something, with arguments at which nothing is in doubt."""
    found, seed = 0, first
    while found < count:
        rng = random.Random(seed)
        program = recursive_program(rng, parameters())
        seed += 1
        if program.parameters[X] not in program.body.free or not has_calls(program):
            continue
        case = case_at(seed - 1, program, arguments_from(rng))
        if case is not None:
            found += 1
            yield case


@pytest.mark.parametrize("first", [0, 1_000, 2_000, 3_000])
def test_every_route_agrees(first: int) -> None:
    judged = sum([check(case) for case in cases(first, 15)])
    assert judged >= 13


def deeper(term: Lam, name: str) -> Program:
    """The loops, with calls on records."""
    program = lower(term, name)
    return on_records(program) or program


def kernels_of(
    batch: Sequence[Case],
    flags: Sequence[str] = FAST,
    schedule: Schedule = DEFAULT,
    lowering: Callable[[Lam, str], Program] = lower,
) -> list[tuple[Compiled, Compiled, Lam]]:
    """Each program and its gradient by reverse mode as C, and the gradient as a term; loops are in the place of calls."""
    programs = [cast(Lam, calls_as_loops(case.program)(case.program)) for case in batch]
    gradients = [reversed_(program, FLOATS, Verb.VALUE_AND_GRAD) for program in programs]
    terms = [
        cast(Lam, redefined(schedule(t), schedule)) for both in zip(programs, gradients, strict=True) for t in both
    ]
    kernels = compile_all(terms, flags, lowering)
    return list(zip(kernels[::2], kernels[1::2], gradients, strict=True))


def check_compiled(
    batch: Sequence[Case],
    flags: Sequence[str] = FAST,
    schedule: Schedule = DEFAULT,
    lowering: Callable[[Lam, str], Program] = lower,
) -> None:
    """Is what the C gives what the interpreter gives?"""
    for case, (primal, reverse, gradient) in zip(batch, kernels_of(batch, flags, schedule, lowering), strict=True):
        for kernel, expected in ((primal, case.value), (reverse, bounded(gradient, case.arguments))):
            wrong = disagreement(kernel(*case.arguments), expected, TOLERANCE)
            assert not wrong, f"seed {case.seed}: {wrong}"


def check_ways(case: Case) -> dict[str, bool]:
    """Do the ways backwards of papers 003 and 004 give the gradient?  Which of them did?"""
    gradient = result(case.gradient, *case.arguments)
    assert isinstance(gradient, tuple)
    wanted = vector(gradient[1])
    scale = 1e-9 * max(1.0, float(np.max(np.abs(wanted), initial=0.0)))
    done = dict.fromkeys(WAYS, False)
    for way in WAYS:
        try:
            found = vector(pulled(case.program, case.arguments, FLOATS, 1.0, way))
        except TooManyError:
            continue
        done[way] = True
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=scale, err_msg=f"{way}, seed {case.seed}")
    return done


@pytest.mark.parametrize("first", [10_000, 11_000])
def test_every_way_backwards_agrees(first: int) -> None:
    done = [check_ways(case) for case in cases(first, 25)]
    assert all([sum([d[way] for d in done]) >= 10 for way in WAYS])


@pytest.mark.parametrize("first", [5_000, 9_000])
@pytest.mark.parametrize(("flags", "schedule"), [(STRICT, NONE), (FAST, DEFAULT)], ids=["strict", "fast"])
def test_c_is_the_interpreter(flags: Sequence[str], schedule: Schedule, first: int) -> None:
    check_compiled(list(cases(first, 20)), flags, schedule)


def test_c_on_records_is_the_interpreter() -> None:
    """What calls that are too deep run as (driver.on_records)."""
    batch = list(cases(40_000, 20))
    check_compiled(batch, STRICT, lowering=deeper)
    assert sum([bool(machines(deeper(case.program, "f").definitions)) for case in batch]) >= 8


def test_some_are_loops_and_some_are_not() -> None:
    batch = list(cases(5_000, 20))
    loops = [not has_calls(calls_as_loops(case.program)(case.program)) for case in batch]
    assert {True, False} <= set(loops)

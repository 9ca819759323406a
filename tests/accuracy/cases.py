"""Random programs with arguments at which neither they nor their gradients are in doubt.

No comparison is nearer than `judge.MARGIN` to its other branch, so that rounding cannot decide which branch is taken
and the bounds mean something; other seeds are passed over.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fsmooth.core.term import App, Deriv, Lam, Method, Verb
from fsmooth.differentiate.remove import remove_derivatives
from fsmooth.optimise.schedules import BEFORE_DERIVATIVE
from tests.accuracy.judge import Answer, bounded, outcome
from tests.strategies import FLOATS, random_program


@dataclass(frozen=True)
class Case:
    """A program, its value with its gradient in all arguments, and what the interpreter gives for both."""

    seed: int
    program: Lam
    gradient: Lam
    arguments: list[object]
    value: Answer
    slopes: Answer


def cases(first: int, count: int) -> Iterator[Case]:
    """`count` cases from the seeds `first`, `first` + 1, …

    Raises:
        AssertionError: if most programs are in doubt.

    """
    found = 0
    for seed in range(first, first + 4 * count):
        case = case_of(seed)
        if case is not None:
            yield case
            found += 1
        if found == count:
            return
    raise AssertionError("most random programs are in doubt")


def case_of(seed: int) -> Case | None:
    """The case of a seed, if there is one."""
    return case_at(seed, *random_program(seed))


def case_at(seed: int, program: Lam, arguments: list[object]) -> Case | None:
    """The case of a program, unless it is in doubt at the arguments."""
    if isinstance(outcome(program, arguments), str):
        return None
    value = bounded(program, arguments)
    if not value.is_sure:
        return None
    gradient = differentiated(program, FLOATS, Verb.VALUE_AND_GRAD)
    slopes = bounded(gradient, arguments)
    return Case(seed, program, gradient, arguments, value, slopes) if slopes.is_sure else None


def differentiated(program: Lam, wrt: tuple[int, ...], verb: Verb, method: Method = Method.AUTO) -> Lam:
    """A gradient in the arguments `wrt`, as the compiler makes it."""
    applied = App(Deriv(program, wrt, verb, method), program.parameters)
    removed = remove_derivatives(Lam(program.parameters, applied), BEFORE_DERIVATIVE)
    assert isinstance(removed, Lam)
    return removed

"""Derivatives by the interpreter: by complex steps, and by each of the papers' ways backwards (papers 003 and 004).

These run the program itself, on numbers of another kind, or with continuations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fsmooth.checking.structures import as_tuples
from fsmooth.core.arithmetic import Slopes
from fsmooth.core.arithmetic.complex_step import COMPLEX
from fsmooth.core.array_value import ArrayValue
from fsmooth.core.evaluate import evaluate
from fsmooth.core.term import Lam
from fsmooth.core.types import Tuple, Type, has_float, tangent
from fsmooth.core.values import plain, value_of
from fsmooth.differentiate.backpropagators.arrays import MutableArrays
from fsmooth.differentiate.backpropagators.cayley import Cayley
from fsmooth.differentiate.backpropagators.contributions import Contributions
from fsmooth.differentiate.backpropagators.naive import Naive
from fsmooth.differentiate.backpropagators.stage import Stage
from fsmooth.differentiate.backpropagators.staged import StagedCalls
from fsmooth.differentiate.backpropagators.tape import Number as TapeNumber
from fsmooth.differentiate.backpropagators.tape import Tape
from fsmooth.differentiate.backpropagators.wrap import pulled_back as backpropagated
from fsmooth.differentiate.continuations.evaluate import Recorded
from fsmooth.differentiate.continuations.evaluate import pulled_back as continued
from fsmooth.differentiate.continuations.refunctionalised import Refunctionalised
from fsmooth.differentiate.continuations.shift_reset import ShiftReset
from fsmooth.differentiate.remove import remove_derivatives
from fsmooth.optimise.schedules import BEFORE_DERIVATIVE

STEP = 1e-150
"""So small that its square vanishes."""


def without_derivatives(program: Lam) -> Lam:
    """The program as the interpreter runs it: derivatives in it are made."""
    removed = remove_derivatives(program, BEFORE_DERIVATIVE)
    assert isinstance(removed, Lam)
    return removed


def along(program: Lam, point: Sequence[object], directions: Sequence[object | None]) -> object:
    """The tangent of the value, where the arguments move in these directions (None: not at all)."""
    environment = {}
    for parameter, x, direction in zip(program.parameters, point, directions, strict=True):
        moving = None if direction is None else _moving(as_tuples(direction), parameter.type)
        environment[parameter] = _stepped(value_of(as_tuples(x), parameter.type), moving)
    found = evaluate(program.body, environment, COMPLEX)
    return plain(_imaginary(found), tangent(program.body.type))


def _moving(direction: Any, type_: Type) -> Any:
    """A direction as a value of the interpreter; None where nothing moves."""
    if not has_float(type_):
        return None
    if isinstance(type_, Tuple):
        return tuple([_moving(x, t) for x, t in zip(direction, type_.items, strict=True)])
    return value_of(direction, tangent(type_))


class TooManyError(Exception):
    """A way backwards is not tried, since the program runs too many operations for it."""


class _Counted(Tape):
    """A tape that ends when it is too long for any of these ways."""

    def operation(self, value: object, slopes: Slopes, type_: Type) -> TapeNumber:
        if self.made - self.inputs == OPERATIONS:
            raise TooManyError(f"more than {OPERATIONS:,} operations")
        return super().operation(value, slopes, type_)


OPERATIONS = 20_000
"""What is linear in the operations is tried up to so many."""

QUADRATIC = 500
"""What copies maps, or runs the program once for each operation."""

PATHS = 20_000
"""What calls a backpropagator once for each path to it."""


def pulled(
    program: Lam, point: Sequence[object], wrt: Sequence[int], cotangent: object, way: str
) -> tuple[object, ...]:
    """The cotangents of the arguments `wrt` by one of `WAYS`.

    Raises:
        TooManyError: if that would take long.

    """
    arguments = [value_of(as_tuples(x), q.type) for x, q in zip(point, program.parameters, strict=True)]
    given = value_of(as_tuples(cotangent), tangent(program.body.type))
    tape = _Counted()
    _, found = backpropagated(program, arguments, given, tape, wrt)
    make, most = WAYS[way]
    if tape.made - tape.inputs > most:
        raise TooManyError(f"{tape.made - tape.inputs:,} operations")
    if make is Naive and (paths := _paths(tape)) > PATHS:
        raise TooManyError(f"{paths:,} calls of backpropagators")
    if make is Recorded:
        try:
            _, found = continued(program, arguments, given, wrt=wrt)
        except RecursionError as error:
            raise TooManyError("continuations nest too deeply") from error
    elif make is not Tape:
        _, found = backpropagated(program, arguments, given, make(), wrt)
    return tuple([plain(x, tangent(program.parameters[k].type)) for k, x in zip(wrt, found, strict=True)])


WAYS: dict[str, tuple[type[Stage], int]] = {
    "backpropagators, D1": (Naive, OPERATIONS),
    "backpropagators, D2": (StagedCalls, QUADRATIC),
    "backpropagators, D3": (Cayley, QUADRATIC),
    "backpropagators, D4": (MutableArrays, OPERATIONS),
    "contributions": (Contributions, OPERATIONS),
    "tape": (Tape, OPERATIONS),
    "continuations": (Recorded, OPERATIONS),
    "shift and reset": (ShiftReset, QUADRATIC),
    "tape of functions": (Refunctionalised, OPERATIONS),
}
"""The ways backwards of paper 003, from the plain to the fast one, and of paper 004; and for how many operations."""


def _paths(tape: Tape) -> int:
    """How many calls D1 may make: one for each path from a result, here from any operation, to an input."""
    paths: list[int] = []
    for entry in tape.entries:
        paths.append(1 + sum([paths[k] for k, _ in entry]))
    return max(paths, default=0)


def _stepped(value: Any, along: Any) -> Any:
    """Numbers with a small imaginary part in the direction."""
    if isinstance(value, ArrayValue):
        parts = along.items if along is not None else [None] * len(value.items)
        return ArrayValue(value.shape, tuple([_stepped(x, d) for x, d in zip(value.items, parts, strict=True)]))
    if isinstance(value, tuple):
        return tuple([_stepped(x, d) for x, d in zip(value, along or [None] * len(value), strict=True)])
    return complex(value, STEP * (along or 0.0)) if isinstance(value, float) else value


def _imaginary(value: Any) -> Any:
    """The derivative in a value that came of such numbers."""
    if isinstance(value, ArrayValue):
        return ArrayValue(value.shape, tuple([_imaginary(x) for x in value.items]))
    if isinstance(value, tuple):
        return tuple([_imaginary(x) for x in value])
    if isinstance(value, complex):
        return value.imag / STEP
    return 0.0 if isinstance(value, float) else ()

"""Derivatives by complex steps: the interpreter runs the program on numbers with a small imaginary part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fsmooth.checking.structures import as_tuples
from fsmooth.core.arithmetic.complex_step import COMPLEX
from fsmooth.core.array_value import ArrayValue
from fsmooth.core.evaluate import evaluate
from fsmooth.core.term import Lam
from fsmooth.core.types import tangent
from fsmooth.core.values import plain, value_of

STEP = 1e-150
"""So small that its square vanishes."""


def along(program: Lam, point: Sequence[object], directions: Sequence[object | None]) -> object:
    """The tangent of the value, where the arguments move in these directions (None: not at all)."""
    environment = {}
    for parameter, x, direction in zip(program.parameters, point, directions, strict=True):
        moving = None if direction is None else value_of(as_tuples(direction), tangent(parameter.type))
        environment[parameter] = _stepped(value_of(as_tuples(x), parameter.type), moving)
    found = evaluate(program.body, environment, COMPLEX)
    return plain(_imaginary(found), tangent(program.body.type))


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

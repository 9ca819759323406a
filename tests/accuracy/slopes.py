"""Gradients without a source transformation: one evaluation for each number in the arguments."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fsmooth.core.arithmetic import COMPLEX, Arithmetic, Bounded, Bounds, Dual, DualNumber
from fsmooth.core.evaluate import Value, evaluate
from fsmooth.core.term import Lam
from fsmooth.core.types import F64, Tuple, tangent
from fsmooth.core.values import value_of
from tests.accuracy.judge import Answer, answer_of, changed, numbers

STEP = 1e-150


def by_duals(program: Lam, arguments: list[object], wrt: tuple[int, ...]) -> Answer:
    """The gradient with its bounds, by dual numbers over bounded ones."""
    bounds = Bounds()

    def seed(x: float, direction: float | None) -> DualNumber:
        return DualNumber(bounds.constant(x, F64), None if direction is None else bounds.constant(direction, F64))

    def slope(result: Value) -> object:
        assert isinstance(result, DualNumber)
        return Bounded(0.0, 0.0) if result.tangent is None else result.tangent

    gradient, type_ = _gradient(program, arguments, wrt, Dual(bounds), seed, slope)
    return answer_of(gradient, type_, bounds.margin)


def by_complex_step(program: Lam, arguments: list[object], wrt: tuple[int, ...]) -> np.ndarray:
    """The gradient by steps along the imaginary axis."""

    def seed(x: float, direction: float | None) -> complex:
        return complex(x, 0.0 if direction is None else STEP * direction)

    def slope(result: Value) -> object:
        assert isinstance(result, complex)
        return result.imag / STEP

    gradient, type_ = _gradient(program, arguments, wrt, COMPLEX, seed, slope)
    return numbers(gradient, type_)


def _gradient(
    program: Lam,
    arguments: list[object],
    wrt: tuple[int, ...],
    arithmetic: Arithmetic,
    seed: Callable[[float, float | None], object],
    slope: Callable[[Value], object],
) -> tuple[Value, Tuple]:
    """Gradients in the structure of the arguments `wrt`; () where there is an Int."""
    values = [value_of(a, q.type) for q, a in zip(program.parameters, arguments, strict=True)]
    still = [_varied(v, -1, seed) for v in values]

    def along(position: int, place: int) -> object:
        varied = [*still[:position], _varied(values[position], place, seed), *still[position + 1 :]]
        return slope(evaluate(program.body, dict(zip(program.parameters, varied, strict=True)), arithmetic))

    def of_argument(position: int) -> Value:
        places = iter(range(10**6))
        return changed(values[position], lambda x: along(position, next(places)) if isinstance(x, float) else ())

    return tuple([of_argument(k) for k in wrt]), Tuple(tuple([tangent(program.parameters[k].type) for k in wrt]))


def _varied(value: Value, place: int, seed: Callable[[float, float | None], object]) -> Value:
    """The numbers of a value in the arithmetic; the one at `place` has direction 1."""
    places = iter(range(10**6))

    def leaf(x: object) -> object:
        if not isinstance(x, float):
            return x
        return seed(x, 1.0 if next(places) == place else None)

    return changed(value, leaf)

"""How right is right: answers are judged by `tolerance` times a running error bound (core/arithmetic/bounds.py)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from fsmooth.core.arithmetic import FLOATS, Arithmetic, Bounded, Bounds
from fsmooth.core.evaluate import ArrayValue, OutOfBounds, RequirementFailed, Value, evaluate
from fsmooth.core.shape import Ragged
from fsmooth.core.term import Lam
from fsmooth.core.types import Type
from fsmooth.core.values import lifted, plain, value_of

MARGIN = 1e-6
"""A comparison nearer than this may be decided by rounding."""


@dataclass(frozen=True)
class Answer:
    """All numbers of a result in one vector, with their bounds, the margin of the evaluation, and the shapes."""

    value: np.ndarray
    bound: np.ndarray
    margin: float
    shapes: list[tuple[int, ...]] = field(default_factory=list)

    @property
    def is_sure(self) -> bool:
        """No comparison is in doubt and every bound is finite."""
        return self.margin >= MARGIN and bool(np.isfinite(self.bound).all())


def run(term: Lam, arguments: list[object], arithmetic: Arithmetic = FLOATS) -> Value:
    """What the interpreter makes of a program."""
    values = [lifted(value_of(a, q.type), q.type, arithmetic) for q, a in zip(term.parameters, arguments, strict=True)]
    return evaluate(term.body, dict(zip(term.parameters, values, strict=True)), arithmetic)


def outcome(term: Lam, arguments: list[object]) -> np.ndarray | str:
    """The numbers of the result, or the name of what went wrong."""
    try:
        return numbers(run(term, arguments), term.body.type)
    except (OutOfBounds, RequirementFailed, Ragged) as error:
        return type(error).__name__
    except ValueError as error:
        if "ragged" not in str(error):
            raise
        return "ragged"


def bounded(term: Lam, arguments: list[object]) -> Answer:
    """The result with its running error bound."""
    bounds = Bounds()
    result = run(term, arguments, bounds)
    return answer_of(result, term.body.type, bounds.margin)


def answer_of(result: Value, type_: Type, margin: float) -> Answer:
    """The numbers of a result whose leaves are `Bounded`."""

    values = plain(changed(result, lambda x: x.value if isinstance(x, Bounded) else x), type_)
    bounds = plain(changed(result, lambda x: x.bound if isinstance(x, Bounded) else type(x)()), type_)
    return Answer(flat(values), flat(bounds), margin, shapes(values))


def changed(value: Value, leaf: Callable[[object], object]) -> Value:
    """A value with its leaves replaced."""
    match value:
        case ArrayValue(shape, items):
            return ArrayValue(shape, tuple([changed(x, leaf) for x in items]))
        case tuple():
            return tuple([changed(x, leaf) for x in value])
        case _:
            return leaf(value)


def numbers(value: Value, type_: Type) -> np.ndarray:
    """All numbers of a value, in the order of its unzipped leaves."""
    return flat(plain(value, type_))


def flat(result: object) -> np.ndarray:
    """All numbers of (tuples of) arrays."""
    if isinstance(result, tuple):
        return np.concatenate([np.zeros(0), *[flat(x) for x in result]])
    return np.asarray(result, dtype=np.float64).ravel()


def within(found: np.ndarray, expected: np.ndarray, bound: np.ndarray, tolerance: float) -> bool:
    """Is every number the same, or within `tolerance` of a finite bound?"""
    if found.shape != expected.shape:
        return False
    same = (found == expected) | (np.isnan(found) & np.isnan(expected))
    with np.errstate(invalid="ignore"):
        near = (np.abs(found - expected) <= tolerance * bound) & np.isfinite(bound)
    return bool(np.all(same | near))


def excess(found: np.ndarray, expected: np.ndarray, bound: np.ndarray) -> str:
    """For people: how far apart, in units of the bound."""
    if found.shape != expected.shape:
        return f"{found.shape} numbers, not {expected.shape}"
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = np.abs(found - expected) / bound
    same = (found == expected) | (np.isnan(found) & np.isnan(expected))
    worst = np.where(same, 0.0, np.nan_to_num(apart, nan=np.inf))
    k = int(np.argmax(worst))
    return f"number {k} is {found[k]!r}, not {expected[k]!r}: {worst[k]:.1e} of the bound {bound[k]:.1e}"


def disagreement(found: object, expected: Answer, tolerance: float) -> str:
    """Nothing, or how a result in (tuples of) arrays differs in shape or number."""
    if shapes(found) != expected.shapes:
        return f"shapes {shapes(found)}, not {expected.shapes}"
    values = flat(found)
    if within(values, expected.value, expected.bound, tolerance):
        return ""
    return excess(values, expected.value, expected.bound)


def shapes(result: object) -> list[tuple[int, ...]]:
    """The shapes of all arrays of a result, () for a number."""
    if isinstance(result, tuple):
        return [s for x in result for s in shapes(x)]
    return [np.shape(result)]  # type: ignore[arg-type]

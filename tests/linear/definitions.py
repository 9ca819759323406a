"""The four definitions of ∇, what eliminates their maps, and how what comes out is judged."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from fsmooth.core.term import Lam, MapTerm
from fsmooth.core.traverse import subterms
from fsmooth.core.types import has_float
from fsmooth.differentiate.linear.functions import (
    by_composition,
    by_polymorphic_tupling,
    by_substitution,
    by_tupling,
    map_part,
    reverse,
)
from fsmooth.optimise.linear_maps import ELIMINATE
from tests.accuracy.judge import bounded, changed, within
from tests.accuracy.slopes import by_duals

Jacobian = Callable[[Lam, tuple[int, ...]], Lam]
DEFINITIONS: list[Jacobian] = [
    by_composition,
    by_substitution,
    lambda function, wrt: map_part(by_tupling(function, wrt)),
    lambda function, wrt: map_part(by_polymorphic_tupling(function, wrt)),
]
NAMES = ["composition", "substitution", "tupling", "polymorphic tupling"]
every_definition = pytest.mark.parametrize("jacobian", DEFINITIONS, ids=NAMES)
TOLERANCE = 1e-10


def eliminated(function: Lam) -> Lam:
    """Without linear maps."""
    result = ELIMINATE(function)
    assert isinstance(result, Lam)
    assert not [t for t in subterms(result) if isinstance(t, MapTerm)]
    return result


def floats(function: Lam) -> tuple[int, ...]:
    """The positions of the parameters that have tangents."""
    return tuple([k for k, q in enumerate(function.parameters) if has_float(q.type)])


def check_reverse(function: Lam, arguments: list[object], jacobian: Jacobian, *, raw: bool = True) -> bool:
    """rev$f of a function to a number, with respect to all that is real; False if rounding leaves it in doubt."""
    wrt = floats(function)
    exact = by_duals(function, arguments, wrt)
    derivative = reverse(jacobian(function, wrt))
    sure = exact.is_sure
    for made in (eliminated(derivative), *([derivative] if raw else [])):
        own = bounded(made, [*arguments, 1.0])
        sure = sure and own.is_sure
        if sure:
            assert within(own.value, exact.value, own.bound + exact.bound, TOLERANCE)
    return sure


def perturbed(argument: object, rng: random.Random) -> object:
    """A direction in which an argument can move."""
    match argument:
        case tuple():
            return tuple([perturbed(x, rng) for x in argument])
        case np.ndarray():
            return np.array([rng.gauss(0.0, 1.0) for _ in range(argument.size)]).reshape(argument.shape)
        case int():
            return ()
        case _:
            return rng.gauss(0.0, 1.0)


def perturbed_value(value: object, rng: random.Random) -> object:
    return changed(value, lambda x: rng.gauss(0.0, 1.0) if isinstance(x, float) else x)


def plain(value: object) -> object:
    """As `run` takes arguments."""
    items = getattr(value, "items", None)
    if items is not None and not isinstance(value, dict):
        return np.array([plain(x) for x in items]).reshape(value.shape)  # type: ignore[attr-defined]
    return tuple([plain(x) for x in value]) if isinstance(value, tuple) else value


def flat(value: object) -> np.ndarray:
    if isinstance(value, tuple):
        return np.concatenate([flat(x) for x in value]) if value else np.zeros(0)
    return np.ravel(value)

"""The derivative along a random direction of everything that is real, by D and by dual numbers."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import cast

from fsmooth.core.arithmetic import Bounded, Bounds, Dual, DualNumber
from fsmooth.core.evaluate import ArrayValue, Value, evaluate
from fsmooth.core.term import Deriv, Lam, Verb
from fsmooth.core.types import F64, Tuple, has_float, tangent
from fsmooth.core.values import lifted, plain, value_of
from fsmooth.differentiate.remove import remove_derivatives
from fsmooth.optimise.schedules import BEFORE_DERIVATIVE, DEFAULT
from tests.accuracy.judge import Answer, answer_of, bounded, changed, excess, numbers, run, within

TOLERANCE = 1e-10


@dataclass(frozen=True)
class Directed:
    """A program's value and tangent, its arguments with a direction, and what dual numbers give for both."""

    term: Lam
    arguments: list[object]
    exact: Answer


def directed(program: Lam, arguments: list[object], seed: int) -> Directed:
    """The program along a direction that depends on the seed."""
    rng = random.Random(seed)
    wrt = tuple([k for k, q in enumerate(program.parameters) if has_float(q.type)])
    values = [value_of(a, q.type) for a, q in zip(arguments, program.parameters, strict=True)]
    directions = [changed(values[k], lambda x: rng.gauss(0.0, 1.0) if isinstance(x, float) else ()) for k in wrt]
    jvp = cast(Lam, remove_derivatives(Deriv(program, wrt, Verb.JVP), BEFORE_DERIVATIVE))
    given = [plain(d, tangent(program.parameters[k].type)) for k, d in zip(wrt, directions, strict=True)]
    return Directed(jvp, [*arguments, *given], _by_duals(program, values, dict(zip(wrt, directions, strict=True))))


def check(what: str, term: Lam, arguments: list[object], exact: Answer) -> bool:
    """The term, optimised and not, within the bounds of both ways; False if it is in doubt."""
    own = bounded(term, arguments)
    if not own.is_sure or not exact.is_sure:
        return False
    optimised = DEFAULT(term)
    assert isinstance(optimised, Lam)
    for found in (own.value, numbers(run(optimised, arguments), optimised.body.type)):
        bound = exact.bound + own.bound
        assert within(found, exact.value, bound, TOLERANCE), f"{what}: {excess(found, exact.value, bound)}"
    return True


def _by_duals(program: Lam, values: list[Value], directions: dict[int, Value]) -> Answer:
    """The value and its tangent."""
    bounds = Bounds()
    dual = Dual(bounds)
    varied = [lifted(v, q.type, dual) for v, q in zip(values, program.parameters, strict=True)]
    for k, direction in directions.items():
        varied[k] = _along(values[k], direction, bounds)
    result = evaluate(program.body, dict(zip(program.parameters, varied, strict=True)), dual)
    both = (changed(result, _value), changed(result, _tangent))
    type_ = program.body.type
    return answer_of(both, Tuple((type_, tangent(type_))), bounds.margin)


def _along(value: Value, direction: Value, bounds: Bounds) -> Value:
    match value, direction:
        case ArrayValue(shape, items), ArrayValue(_, ways):
            return ArrayValue(shape, tuple([_along(x, d, bounds) for x, d in zip(items, ways, strict=True)]))
        case tuple(), tuple():
            return tuple([_along(x, d, bounds) for x, d in zip(value, direction, strict=True)])
        case float(), float():
            return DualNumber(bounds.constant(value, F64), bounds.constant(direction, F64))
        case _:
            return value


def _value(x: object) -> object:
    return x.value if isinstance(x, DualNumber) else x


def _tangent(x: object) -> object:
    if not isinstance(x, DualNumber):
        return ()
    return Bounded(0.0, 0.0) if x.tangent is None else x.tangent

"""A vector-Jacobian product by any stage: arguments in, the program over its numbers, cotangents out (paper 003, Fig. 7).

`Interleave` gives each real number of the arguments its backpropagator, `Deinterleave` finds those of the results.

>>> from fsmooth.core import build as b
>>> from fsmooth.core.term import Lam, Var
>>> from fsmooth.core.types import F64
>>> from fsmooth.differentiate.backpropagators.arrays import MutableArrays
>>> x, y = Var("x", F64), Var("y", F64)
>>> pulled_back(Lam((x, y), b.plus(b.times(x, y), x)), (3.0, 4.0), 1.0, MutableArrays())
(15.0, (5.0, 3.0))
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from fsmooth.core.arithmetic import PairedNumber
from fsmooth.core.array_value import ArrayValue, Value
from fsmooth.core.evaluate import evaluate
from fsmooth.core.term import Lam
from fsmooth.core.types import Array, Float, Tuple, Type
from fsmooth.core.values import lifted
from fsmooth.differentiate.backpropagators.stage import Stage


def pulled_back(
    program: Lam, arguments: Sequence[Value], cotangent: Value, stage: Stage, wrt: Sequence[int] | None = None
) -> tuple[Value, tuple[Value, ...]]:
    """The value of the program, and the cotangents of the arguments `wrt` (all if None) where that of the value is given.

    Cotangents have the structure of tangents (`core.types.tangent`): () for what is no real number.
    """
    chosen = range(len(arguments)) if wrt is None else wrt
    environment = {}
    for k, (parameter, x) in enumerate(zip(program.parameters, arguments, strict=True)):
        given = interleaved(x, parameter.type, stage) if k in chosen else lifted(x, parameter.type, stage)
        environment[parameter] = given
    results: list[Value] = []

    def seeds() -> list[tuple[PairedNumber, object]]:
        results.append(evaluate(program.body, environment, stage))
        return list(deinterleaved(results[-1], cotangent))

    with deep():
        cotangents = stage.run(seeds)
    return primal(results[-1]), rebuilt(program, arguments, cotangents, chosen)


@contextmanager
def deep() -> Iterator[None]:
    """Backpropagators and continuations nest as deeply as operations run.

    Frames of Python functions that call each other directly are on Python's heap; a call by `f(*arguments)`, or by a function
    that is written in C, takes the processor's stack, so there must be none on the way.
    """
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, 1_000_000))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def interleaved(value: Value, type_: Type, stage: Stage) -> Value:
    """The value with an input for each real number."""
    match value:
        case ArrayValue(shape, items):
            assert isinstance(type_, Array)
            return ArrayValue(shape, tuple([interleaved(x, type_.element, stage) for x in items]))
        case tuple():
            assert isinstance(type_, Tuple)
            return tuple([interleaved(x, t, stage) for x, t in zip(value, type_.items, strict=True)])
        case _:
            number = stage.inner.constant(value, type_)  # type: ignore[arg-type]
            return stage.input(number) if isinstance(type_, Float) else number


def deinterleaved(result: Value, cotangent: Value) -> Iterator[tuple[PairedNumber, object]]:
    """The numbers of a result that vary, each with its cotangent."""
    match result:
        case ArrayValue():
            assert isinstance(cotangent, ArrayValue)
            for x, z in zip(result.items, cotangent.items, strict=True):
                yield from deinterleaved(x, z)
        case tuple():
            assert isinstance(cotangent, tuple)
            for x, z in zip(result, cotangent, strict=True):
                yield from deinterleaved(x, z)
        case PairedNumber() if result.varies:
            yield result, cotangent
        case _:
            return


def primal(result: Value) -> Value:
    """The value alone."""
    match result:
        case ArrayValue(shape, items):
            return ArrayValue(shape, tuple([primal(x) for x in items]))
        case tuple():
            return tuple([primal(x) for x in result])
        case PairedNumber(value):
            return value
        case _:
            return result


def rebuilt(
    program: Lam, arguments: Sequence[Value], cotangents: Sequence[object], chosen: Sequence[int]
) -> tuple[Value, ...]:
    """The cotangents of all inputs, which are in the order of the parameters, in the structure of the arguments `chosen`."""
    rest = iter(cotangents)
    shaped = {k: _shaped(arguments[k], program.parameters[k].type, rest) for k in sorted(chosen)}
    return tuple([shaped[k] for k in chosen])


def _shaped(value: Value, type_: Type, cotangents: Iterator[object]) -> Value:
    match value:
        case ArrayValue(shape, items):
            assert isinstance(type_, Array)
            return ArrayValue(shape, tuple([_shaped(x, type_.element, cotangents) for x in items]))
        case tuple():
            assert isinstance(type_, Tuple)
            return tuple([_shaped(x, t, cotangents) for x, t in zip(value, type_.items, strict=True)])
        case _:
            return next(cotangents) if isinstance(type_, Float) else ()

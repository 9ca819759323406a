"""Linear maps for the metavariables of laws: random terms, random values, and what is compared of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from fsmooth.core.array_value import ArrayValue, Value
from fsmooth.core.map_values import MapValue
from fsmooth.core.term import Build, Const, Term, Var
from fsmooth.core.term.linear_maps import HCat, HCatArray, ScaleMap, VCat, VCatArray
from fsmooth.core.types import INT, Array, Float, Function, Linear, Tuple, Type, has_function, has_map

SIZE = 2
"""The length of every array of numbers that a map takes or gives."""


def map_term(type_: Linear, number: Callable[[], Term]) -> Term:
    """A map with random numbers in it."""
    match type_:
        case Linear(source, Array(element)):
            return VCatArray(Build(Const(SIZE), Var("i", INT), map_term(Linear(source, element), number)))
        case Linear(Array(element), target):
            return HCatArray(Build(Const(SIZE), Var("i", INT), map_term(Linear(element, target), number)))
        case Linear(source, Tuple(items)):
            return VCat(tuple([map_term(Linear(source, item), number) for item in items]))
        case Linear(Tuple(items), target):
            return HCat(tuple([map_term(Linear(item, target), number) for item in items]))
    return ScaleMap(number())


def map_value(type_: Linear, rng: random.Random) -> MapValue:
    """A map with random weights."""
    seed = rng.random()

    def weight(row: int, column: int) -> float:
        return random.Random(f"{seed} {row} {column}").uniform(-2.0, 2.0)

    def apply(x: Value) -> Value:
        given = _numbers(x)
        return _vector(type_.target, iter(sum(weight(i, j) * v for j, v in enumerate(given)) for i in range(99)))

    def reverse(r: Value) -> Value:
        given = _numbers(r)
        return _vector(type_.source, iter(sum(weight(i, j) * v for i, v in enumerate(given)) for j in range(99)))

    return MapValue(apply, reverse)


def _numbers(value: Value) -> list[float]:
    match value:
        case ArrayValue(_, items) | tuple(items):
            return [x for item in items for x in _numbers(item)]
    assert isinstance(value, float)
    return [value]


def _vector(type_: Type, numbers: Iterator[float]) -> Value:
    match type_:
        case Array(element):
            return ArrayValue((SIZE,), tuple([_vector(element, numbers) for _ in range(SIZE)]))
        case Tuple(items):
            return tuple([_vector(item, numbers) for item in items])
    return next(numbers)


def seen(value: Value, type_: Type) -> Value:
    """A value in which every map and function is what it gives for some arguments."""
    match type_:
        case Linear(source, target):
            assert isinstance(value, MapValue)
            forward = [_tried(value.apply, x, target) for x in probes(source)]
            return (tuple(forward), tuple([_tried(value.reverse, r, source) for r in probes(target)]))
        case Function((_,), result):
            assert callable(value)
            return tuple([seen(value(i), result) for i in range(3)])
        case Array(element) if has_map(element):
            assert isinstance(value, ArrayValue)
            return tuple([seen(x, element) for x in value.items])
        case Tuple(items) if has_map(type_) or has_function(type_):
            assert isinstance(value, tuple)
            return tuple([seen(x, t) for x, t in zip(value, items, strict=True)])
        case _:
            return value


def _tried(apply: Callable[[Value], Value], x: Value, type_: Type) -> Value:
    try:
        return seen(apply(x), type_)
    except ValueError as error:
        if "ragged" in str(error):
            return "an array of another size was wanted"
        raise


def probes(type_: Type) -> list[Value]:
    """Vectors to apply a map to; arrays of several lengths."""
    match type_:
        case Float():
            return [1.0, -0.75]
        case Function():
            return [lambda i: 0.5 + i]
        case Array(element):
            return [ArrayValue((n,), (x,) * n) for n in range(4) for x in probes(element)[-1:]]
        case Tuple(items):
            return [tuple([probes(t)[k % len(probes(t))] for t in items]) for k in range(4)]
    raise AssertionError(type_)

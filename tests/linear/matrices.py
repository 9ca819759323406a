"""The matrix interpretation of linear maps (paper 001, §2.5, Fig. 3): each operator is an operation on dense matrices.

It is computed from the operators alone, not by applying the map; only sizes are taken from vectors.  A vector is
flattened: the numbers in it, left to right.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from fsmooth.core.build import zero_like
from fsmooth.core.evaluate import ArrayValue, Value, evaluate
from fsmooth.core.term import Build, If, Lam, Let, Term, Var, Vector
from fsmooth.core.term.linear_maps import (
    AddMaps,
    Apply,
    ApplyReverse,
    Compose,
    FoldMap,
    HCat,
    HCatArray,
    LambdaMap,
    ScaleMap,
    SumMap,
    Transpose,
    UnitMap,
    VCat,
    VCatArray,
    ZeroMap,
    map_type,
)

Environment = Mapping[Var, Value]


def numbers(value: Value) -> Iterator[float]:
    """The numbers in a vector, left to right."""
    match value:
        case ArrayValue(_, items) | tuple(items):
            for item in items:
                yield from numbers(item)
        case _:
            yield float(value)  # type: ignore[arg-type]


def flat(value: Value) -> np.ndarray:
    """A vector as an array of one dimension."""
    return np.array(list(numbers(value)))


def size(value: Value) -> int:
    """The dimension of the space of a vector."""
    return len(list(numbers(value)))


def matrix(m: Term, env: Environment, source: Value) -> np.ndarray:
    """The matrix of a map on the space of `source`."""
    match m:
        case Compose(outer, inner):
            return matrix(outer, env, target_of(inner, env, source)) @ matrix(inner, env, source)
        case AddMaps(a, b):
            return matrix(a, env, source) + matrix(b, env, source)
        case ZeroMap(_, point):
            return np.zeros((size(evaluate(zero_like(point), env)), size(source)))
        case UnitMap():
            return np.eye(size(source))
        case ScaleMap(k):
            return evaluate(k, env) * np.eye(size(source))
        case VCat(items):
            return np.vstack([matrix(item, env, source) for item in items])
        case HCat(items):
            return np.hstack([matrix(item, env, part) for item, part in zip(items, source, strict=True)])
        case VCatArray(maps):
            return np.vstack([matrix(each, inner, source) for each, inner in elements(maps, env)])
        case HCatArray(maps):
            pairs = zip(elements(maps, env), source.items, strict=True)
            return np.hstack([matrix(each, inner, part) for (each, inner), part in pairs])
        case Transpose(inner):
            return matrix(inner, env, source_of(inner, env, source)).T
        case LambdaMap(n, function):
            return np.vstack([matrix(each, inner, source) for each, inner in values(n, function, env)])
        case SumMap(n, function):
            found = enumerate(values(n, function, env))
            return np.hstack([matrix(each, inner, source(i)) for i, (each, inner) in found])
        case FoldMap():
            return fold(m, env, source)
        case Let(bindings, body):
            inner = dict(env)
            for var, value in bindings:
                inner[var] = evaluate(value, inner)
            return matrix(body, inner, source)
        case If(condition, then, otherwise):
            return matrix(then if evaluate(condition, env) else otherwise, env, source)
    raise AssertionError(f"no matrix of {m}")


def elements(maps: Term, env: Environment) -> list[tuple[Term, Environment]]:
    """The elements of an array of maps, each with the environment of its variables."""
    match maps:
        case Build(n, index, body):
            return [(body, {**env, index: i}) for i in range(evaluate(n, env))]
        case Vector(items):
            return [(item, env) for item in items]
    raise AssertionError(maps)


def values(n: Term, function: Term, env: Environment) -> list[tuple[Term, Environment]]:
    """The values of a function that gives maps."""
    assert isinstance(function, Lam)
    (index,) = function.parameters
    return [(function.body, {**env, index: i}) for i in range(evaluate(n, env))]


def fold(m: FoldMap, env: Environment, source: Value) -> np.ndarray:
    """[E T] for (environment, state): each step is [A B], and T becomes B T, E becomes A + B E."""
    along, start = size(source[0]), size(source[1])
    total = np.hstack([np.zeros((start, along)), np.eye(start)])
    state, step, slope = evaluate(m.init, env), m.step, m.slope
    assert isinstance(step, Lam)
    assert isinstance(slope, Lam)
    for i in range(evaluate(m.size, env)):
        here = {**env, slope.parameters[0]: state, slope.parameters[1]: i}
        each = matrix(slope.body, here, source)
        total = np.hstack([each[:, :along], np.zeros((start, start))]) + each[:, along:] @ total
        state = evaluate(step.body, {**env, step.parameters[0]: state, step.parameters[1]: i})
    return total


def target_of(m: Term, env: Environment, source: Value) -> Value:
    """Some vector of the target of a map."""
    x = Var("x", map_type(m).source)
    return evaluate(Apply(m, x), {**env, x: source})


def source_of(m: Term, env: Environment, target: Value) -> Value:
    """Some vector of the source of a map."""
    r = Var("r", map_type(m).target)
    return evaluate(ApplyReverse(r, m), {**env, r: target})


def tabulated(function: Value, n: int) -> ArrayValue:
    """A function on 0 … n-1 as an array."""
    return ArrayValue((n,), tuple([function(i) for i in range(n)]))

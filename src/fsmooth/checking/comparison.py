"""A rule of `fs.custom_derivative` against differences of its function, at one place: entry by entry."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from typing import NoReturn

from msgspec import Struct

from fsmooth.core.array_value import ArrayValue, Value
from fsmooth.core.term import Rule, Site
from fsmooth.core.term.custom import differentiable
from fsmooth.core.types import F32, Array, Float, Function, Tuple, Type, scalars_of
from fsmooth.errors import DerivativeMismatchError
from fsmooth.frontend.diagnose import render

ENTRIES = 8
"""At most so many real numbers of the arguments, and of the value, are tried."""

CALLS = 15
"""So many calls of the function or of about its cost are made for each of them."""

Path = tuple[int, ...]
Call = Callable[..., Value]
Failures = tuple[type[Exception], ...]


class Applied(Struct, frozen=True):
    """A function with its rules, and what it is applied to."""

    rule: Rule
    names: tuple[str, ...]
    type: Function
    function: Call
    jvp: Call | None
    vjp: Call | None
    arguments: tuple[Value, ...]


class Slope(Struct, frozen=True):
    """A derivative as differences give it, and how far it may be off."""

    value: float
    doubt: float


class Precision(Struct, frozen=True):
    """Steps as parts of a number, the smallest number they are parts of, rounding, and what is allowed."""

    steps: tuple[float, ...]
    least: float
    rounding: float
    allowed: float


DOUBLE = Precision((1e-2, 1e-4), 1e-2, 2.3e-16, 1e-5)
SINGLE = Precision((2e-1, 5e-2), 1e-1, 1.2e-7, 2e-2)


def compare(applied: Applied, value: Value, entries: int, failures: Failures) -> None:
    """Compare the rules with differences for so many numbers of the arguments, and of the value.

    Where the function fails, and where differences do not settle, there is nothing to say.

    Raises:
        DerivativeMismatchError: if they disagree.

    """
    _Comparison(applied, value, entries, failures).run()


class _Comparison:
    def __init__(self, applied: Applied, value: Value, entries: int, failures: Failures) -> None:
        self.applied = applied
        self.value = value
        self.failures = failures
        self.along = differentiable(applied.type)
        chosen = random.Random(0)
        inputs = [(k, path) for k in self.along for path, _ in leaves(applied.arguments[k], applied.type.parameters[k])]
        self.outputs = [path for path, _ in leaves(value, applied.type.result)]
        self.inputs = chosen.sample(inputs, entries) if len(inputs) > entries else inputs
        every = range(len(self.outputs))
        self.rows = sorted(chosen.sample(every, entries)) if len(every) > entries else list(every)
        singles = [t == F32 for p in (*applied.type.parameters, applied.type.result) for t in scalars_of(p)]
        self.precision = SINGLE if any(singles) else DOUBLE

    def run(self) -> None:
        """Every entry that was chosen, by each rule."""
        a = self.applied
        columns = {entry: self.slopes(*entry) for entry in self.inputs}
        if a.jvp is not None:
            for (k, path), column in columns.items():
                directions = [self.tangent(j, path if j == k else None) for j in self.along]
                given = [x for _, x in leaves(a.jvp(*a.arguments, *directions), a.type.result)]
                for j, slope in enumerate(column):
                    self.judge("jvp", a.rule.jvp, (k, path), j, given[j], slope)
        if a.vjp is not None:
            for j in self.rows:
                given_back = a.vjp(*a.arguments, tangent_of(self.value, a.type.result, self.outputs[j]))
                assert isinstance(given_back, tuple)
                for (k, path), column in columns.items():
                    found = part(given_back[self.along.index(k)], path)
                    self.judge("vjp", a.rule.vjp, (k, path), j, found, column[j])

    def tangent(self, k: int, path: Path | None) -> Value:
        return tangent_of(self.applied.arguments[k], self.applied.type.parameters[k], path)

    def judge(self, kind: str, site: Site, entry: tuple[int, Path], j: int, given: float, slope: Slope | None) -> None:
        """Is what the rule gives near enough?"""
        if slope is None:
            return
        allowed = self.precision.allowed * max(abs(given), abs(slope.value)) + 10 * slope.doubt
        if abs(given - slope.value) <= allowed:  # false for NaN
            return
        k, path = entry
        a = self.applied
        value = f"value{written(a.type.result, self.outputs[j])}"
        self.mismatch(kind, site, f"∂{value}/∂{a.names[k]}{written(a.type.parameters[k], path)}", given, slope)

    def mismatch(self, kind: str, site: Site, entry: str, given: float, slope: Slope) -> NoReturn:
        name = self.applied.rule.name
        off = abs(given - slope.value)
        message = (
            f"the {kind} of {name} disagrees with differences: "
            f"{entry} is {given:.9g} by the rule, and {slope.value:.9g} by differences (off by {off:.2g})"
        )
        hint = "correct the rule; if it differs on purpose, use fs.custom_derivative(…, check=False)"
        raise DerivativeMismatchError(render(site, message, hint))

    # -- differences -------------------------------------------------------------------------------------------------

    def slopes(self, k: int, path: Path) -> list[Slope | None]:
        """The derivatives of all numbers of the value by one of the arguments."""
        here = part(self.applied.arguments[k], path)
        best: list[Slope | None] = [None] * len(self.outputs)
        if not math.isfinite(here):
            return best
        for step in self.precision.steps:
            h = step * max(abs(here), self.precision.least)
            around = [self.at(k, path, here + m * h) for m in (-1.0, -0.5, 0.0, 0.5, 1.0)]
            if not all([numbers is not None and len(numbers) == len(best) for numbers in around]):
                continue
            for j, ys in enumerate(zip(*[n for n in around if n is not None], strict=True)):
                found, known = settled(ys, h, self.precision), best[j]
                if found is not None and (known is None or found.doubt < known.doubt):
                    best[j] = found
        return best

    def at(self, k: int, path: Path, number: float) -> list[float] | None:
        """The value where one number of the arguments is another."""
        arguments = list(self.applied.arguments)
        arguments[k] = replaced(arguments[k], path, number)
        try:
            return [y for _, y in leaves(self.applied.function(*arguments), self.applied.type.result)]
        except self.failures:
            return None


def settled(ys: tuple[float, ...], h: float, precision: Precision) -> Slope | None:
    """The slope in the middle of five values at steps of h/2; None where there is a kink, a jump, or no number."""
    if not all(map(math.isfinite, ys)):
        return None
    coarse, fine = (ys[4] - ys[0]) / (2 * h), (ys[3] - ys[1]) / h
    value = (4 * fine - coarse) / 3
    noise = 8 * precision.rounding * max(map(abs, ys)) / h
    wide = abs(ys[4] - 2 * ys[2] + ys[0]) / h
    narrow = abs(ys[3] - 2 * ys[2] + ys[1]) / (h / 2)
    if narrow > 0.75 * wide + noise + 1e-9 * abs(value):
        return None
    doubt = abs(fine - coarse) + noise
    return Slope(value, doubt) if doubt <= 1e-2 * abs(value) + noise + 1e-7 else None


# -- real numbers in values --------------------------------------------------------------------------------------------


def leaves(value: Value, type_: Type) -> Iterator[tuple[Path, float]]:
    """The real numbers in a value (or in a tangent of one), and the way to each."""
    match type_:
        case Float():
            assert isinstance(value, float)
            yield (), value
        case Array(element):
            assert isinstance(value, ArrayValue)
            for k, x in enumerate(value.items):
                for path, number in leaves(x, element):
                    yield (k, *path), number
        case Tuple(items):
            assert isinstance(value, tuple)
            for k, (x, t) in enumerate(zip(value, items, strict=True)):
                for path, number in leaves(x, t):
                    yield (k, *path), number
        case _:
            return


def part(value: Value, path: Path) -> float:
    """The real number at the end of a way."""
    for k in path:
        value = value.items[k] if isinstance(value, ArrayValue) else value[k]  # type: ignore[index]
    assert isinstance(value, float)
    return value


def replaced(value: Value, path: Path, number: float) -> Value:
    """The value with another number at the end of a way."""
    if not path:
        return number
    k, *rest = path
    items = value.items if isinstance(value, ArrayValue) else value
    assert isinstance(items, tuple)
    new = (*items[:k], replaced(items[k], tuple(rest), number), *items[k + 1 :])
    return ArrayValue(value.shape, new) if isinstance(value, ArrayValue) else new


def tangent_of(value: Value, type_: Type, path: Path | None) -> Value:
    """The tangent of a value that is 1 at the end of a way, and zero elsewhere."""
    match type_:
        case Float():
            return 0.0 if path is None else 1.0
        case Array(element):
            assert isinstance(value, ArrayValue)
            return ArrayValue(value.shape, _parts(value.items, [element] * len(value.items), path))
        case Tuple(items):
            assert isinstance(value, tuple)
            return _parts(value, list(items), path)
        case _:
            return ()


def _parts(values: tuple[Value, ...], types: list[Type], path: Path | None) -> tuple[Value, ...]:
    k, rest = (None, None) if path is None else (path[0], path[1:])
    return tuple(
        [tangent_of(x, t, rest if i == k else None) for i, (x, t) in enumerate(zip(values, types, strict=True))]
    )


def written(type_: Type, path: Path) -> str:
    """A way as a user writes it: `[2, 1]`, `.focal`."""
    text, indices = "", list[int]()
    for k in path:
        if isinstance(type_, Array):
            indices.append(k)
            type_ = type_.element
            continue
        assert isinstance(type_, Tuple)
        text += f"{indices or ''}{f'.{type_.names[k]}' if type_.names is not None else f'[{k}]'}"
        indices, type_ = [], type_.items[k]
    return f"{text}{indices or ''}"

"""Linear maps in the interpreter: what ⊙ and ⊙ᴿ do with each (paper 001, Fig. 4; Fig. 5 "reverse application").

A map is a pair of functions, one for each direction.  Nothing is stored of a map but how to apply it, so that the
interpreter says what a map means and not how it is represented.  The shape of the sum of no images is told from the
array of maps as it is written; of one that is named further out it cannot be, and that is an IndexError.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from fsmooth.core.array_value import ArrayValue, Value
from fsmooth.core.term import App, Const, Get, Proj, Term, Var
from fsmooth.core.term.linear_maps import (
    AddMaps,
    Apply,
    ApplyReverse,
    Compose,
    FoldMap,
    HCat,
    HCatArray,
    LambdaMap,
    MapTerm,
    ScaleMap,
    SumMap,
    Transpose,
    UnitMap,
    VCat,
    VCatArray,
    ZeroMap,
    map_type,
)
from fsmooth.core.types import Array, Linear, Tuple, Type


class MapValue(Struct, frozen=True):
    """A linear map: `apply` is m ⊙ ·, `reverse` is · ⊙ᴿ m."""

    apply: Callable[[Value], Value]
    reverse: Callable[[Value], Value]


class Interpreter(Protocol):
    """What is wanted of the evaluation that meets a linear map."""

    def of(self, term: Term, env: dict[Var, Value]) -> Value:
        """The value of a term."""

    def add(self, a: Value, b: Value, type_: Type) -> Value:
        """The sum of two vectors."""

    def multiply(self, a: Value, b: Value, type_: Type) -> Value:
        """The product of two numbers."""

    def zero_at(self, point: Term, env: dict[Var, Value]) -> Value:
        """The zero of the space of a point."""

    def array(self, n: int, items: tuple[Value, ...], element: Term, env: dict[Var, Value]) -> ArrayValue:
        """An array whose elements have the shape of a term."""


def meaning(term: MapTerm, env: Mapping[Var, Value], interpreter: Interpreter) -> Value:
    """The value of a term that is a linear map or applies one."""
    return _Meaning(dict(env), interpreter).of(term)


class _Meaning:
    def __init__(self, env: dict[Var, Value], interpreter: Interpreter) -> None:
        self.env = env
        self.interpreter = interpreter

    def value(self, term: Term) -> Value:
        return self.interpreter.of(term, self.env)

    def map(self, term: Term) -> MapValue:
        return _a_map(self.value(term))

    def zero(self, point: Term) -> Value:
        return self.interpreter.zero_at(point, self.env)

    def of(self, term: MapTerm) -> Value:
        match term:
            case Apply(m, x):
                return self.map(m).apply(self.value(x))
            case ApplyReverse(r, m):
                argument = self.value(r)
                return self.map(m).reverse(argument)
            case Compose(outer, inner):
                after, before = self.map(outer), self.map(inner)
                return MapValue(
                    lambda x: after.apply(before.apply(x)),
                    lambda r: before.reverse(after.reverse(r)),
                )
            case AddMaps(left, right):
                type_, a, b = map_type(term), self.map(left), self.map(right)
                return MapValue(
                    lambda x: self.interpreter.add(a.apply(x), b.apply(x), type_.target),
                    lambda r: self.interpreter.add(a.reverse(r), b.reverse(r), type_.source),
                )
            case ZeroMap(source, target):
                return MapValue(lambda x: self.zero(target), lambda r: self.zero(source))
            case UnitMap():
                return MapValue(lambda x: x, lambda r: r)
            case ScaleMap(factor):
                k, space = self.value(factor), map_type(term).source
                return MapValue(lambda x: self.scaled(k, x, space), lambda r: self.scaled(k, r, space))
            case VCat(items):
                rows, common = [self.map(m) for m in items], map_type(term).source
                return MapValue(
                    lambda x: tuple([m.apply(x) for m in rows]),
                    lambda r: self.total([m.reverse(p) for m, p in zip(rows, _parts(r), strict=True)], common),
                )
            case HCat(items):
                columns, common = [self.map(m) for m in items], map_type(term).target
                return MapValue(
                    lambda x: self.total([m.apply(p) for m, p in zip(columns, _parts(x), strict=True)], common),
                    lambda r: tuple([m.reverse(r) for m in columns]),
                )
            case VCatArray(maps):
                type_ = _map_of_element(maps)
                return self.stacked(
                    [_a_map(m) for m in _items(self.value(maps))], maps, type_.source, type_.target, _UP
                )
            case HCatArray(maps):
                type_ = _map_of_element(maps)
                columns = [_flipped(_a_map(m)) for m in _items(self.value(maps))]
                return _flipped(self.stacked(columns, maps, type_.target, type_.source, _DOWN))
            case Transpose(m):
                return _flipped(self.map(m))
            case LambdaMap(size, function):
                return self.tabulated(size, function, lambda m: m, map_type(term).source, _UP)
            case SumMap(size, function):
                return _flipped(self.tabulated(size, function, _flipped, map_type(term).target, _DOWN))
            case FoldMap():
                return self.fold(term)
            case _:
                raise TypeError(f"no meaning of {type(term).__name__}")

    # -- vectors -----------------------------------------------------------------------------------------------------

    def scaled(self, factor: Value, x: Value, type_: Type) -> Value:
        """A number times a vector."""
        match type_:
            case Array(element):
                whole = _an_array(x)
                return replace(whole, items=tuple([self.scaled(factor, item, element) for item in whole.items]))
            case Tuple(items):
                return tuple([self.scaled(factor, part, t) for part, t in zip(_parts(x), items, strict=True)])
            case _:
                return self.interpreter.multiply(factor, x, type_)

    def total(self, values: list[Value], type_: Type) -> Value:
        """The sum of one vector or more."""
        result = values[0]
        for value in values[1:]:
            result = self.interpreter.add(result, value, type_)
        return result

    # -- arrays of maps, in both directions --------------------------------------------------------------------------

    def stacked(self, rows: list[MapValue], maps: Term, common: Type, each: Type, ways: Ways) -> MapValue:
        """𝒱 of `rows`; if there are none, the shape of what they would give is that of the term `maps`."""
        there, back = ways
        row, probe = Get(maps, Const(0)), Var("x", common)

        def apply(x: Value) -> Value:
            images = tuple([m.apply(x) for m in rows])
            return self.interpreter.array(len(rows), images, there(row, probe), {**self.env, probe: x})

        def reverse(r: Value) -> Value:
            whole, element = _an_array(r), Var("r", each)
            if len(whole.items) != len(rows):
                raise ValueError(f"ragged: {len(rows)} maps and {len(whole.items)} vectors")
            if rows:
                return self.total([m.reverse(item) for m, item in zip(rows, whole.items, strict=True)], common)
            blank = _blank(each, whole.shape[1:])
            return self.interpreter.zero_at(back(row, element), {**self.env, element: blank})

        return MapValue(apply, reverse)

    def tabulated(
        self, size: Term, function: Term, turned: Callable[[MapValue], MapValue], common: Type, ways: Ways
    ) -> MapValue:
        """ℒ of a function, whose values may be turned into their transposes."""
        n, f = self.value(size), self.value(function)
        assert isinstance(n, int)
        _, back = ways

        def each(i: Value) -> MapValue:
            return turned(_a_map(_called(f, i)))

        def reverse(g: Value) -> Value:
            if n > 0:
                return self.total([each(i).reverse(_called(g, i)) for i in range(n)], common)
            first = App(function, (Const(0),))
            type_ = map_type(first)
            element = Var("g", type_.target if ways is _UP else type_.source)
            return self.interpreter.zero_at(back(first, element), {**self.env, element: _called(g, 0)})

        return MapValue(lambda x: lambda i: each(i).apply(x), reverse)

    # -- folds -------------------------------------------------------------------------------------------------------

    def fold(self, term: FoldMap) -> MapValue:
        """Fig. 14, and Fig. 15 without recursion: the slopes of all steps, first to last or last to first."""
        step, slope, state, n = (self.value(t) for t in (term.step, term.slope, term.init, term.size))
        assert isinstance(n, int)
        slopes: list[MapValue] = []
        for i in range(n):
            slopes.append(_a_map(_called(slope, state, i)))
            state = _called(step, state, i)
        source = map_type(term).source
        assert isinstance(source, Tuple)
        environment = source.items[0]

        def apply(x: Value) -> Value:
            along, tangent = _parts(x)
            for m in slopes:
                tangent = m.apply((along, tangent))
            return tangent

        def reverse(r: Value) -> Value:
            total: list[Value] = []
            for m in reversed(slopes):
                part, r = _parts(m.reverse(r))
                total.append(part)
            if total:
                return (self.total(total, environment), r)
            first = App(term.slope, (term.init, Const(0)))
            probe = Var("r", map_type(first).target)
            nothing = self.interpreter.zero_at(Proj(ApplyReverse(probe, first), 0), {**self.env, probe: r})
            return (nothing, r)

        return MapValue(apply, reverse)


Ways = tuple[Callable[[Term, Term], Term], Callable[[Term, Term], Term]]
_UP: Ways = (Apply, lambda m, r: ApplyReverse(r, m))
_DOWN: Ways = (lambda m, x: ApplyReverse(x, m), Apply)


def _map_of_element(maps: Term) -> Linear:
    return map_type(Get(maps, Const(0)))


def _flipped(m: MapValue) -> MapValue:
    return MapValue(m.reverse, m.apply)


def _a_map(value: Value) -> MapValue:
    assert isinstance(value, MapValue)
    return value


def _called(function: Value, *arguments: Value) -> Value:
    assert callable(function)
    result: Value = function(*arguments)
    return result


def _an_array(value: Value) -> ArrayValue:
    assert isinstance(value, ArrayValue)
    return value


def _items(value: Value) -> tuple[Value, ...]:
    return _an_array(value).items


def _parts(value: Value) -> tuple[Value, ...]:
    assert isinstance(value, tuple)
    return value


def _blank(type_: Type, shape: tuple[int, ...]) -> Value:
    """A vector to look at the shape of, where there is none."""
    match type_:
        case Array(element):
            n, *rest = shape or (0,)
            return ArrayValue(shape or (0,), (_blank(element, tuple(rest)),) * n)
        case Tuple(items):
            return tuple([_blank(item, ()) for item in items])
        case _:
            return 0.0

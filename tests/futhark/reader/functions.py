"""The types of functions that are applied: those of Futhark's prelude (prelude/*.fut), and those that a program defines."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from lark import Tree

from tests.futhark.reader import checker
from tests.futhark.reader.types import (
    BOOL,
    F32,
    F64,
    I64,
    SCALARS,
    Array,
    Function,
    FutharkError,
    Tuple,
    Type,
    bind_sizes,
    demand,
    has_array,
    substituted,
    unknown_size,
)

if TYPE_CHECKING:
    from tests.futhark.reader.checker import Scope, Value

UNARY = frozenset(
    "abs sqrt sin cos tan asin acos atan sinh cosh tanh exp log log1p log2 log10 cbrt erf erfc lgamma floor ceil sgn".split()
)
BINARY = frozenset(("atan2", "hypot"))
CONVERSIONS = {
    "f64": ("i64", "bool", "f32", "f64"),
    "f32": ("i64", "bool", "f64", "f32"),
    "i64": ("f64", "f32", "bool"),
}


def size_text(tree: Tree) -> str | None:
    """A size as it is written, if it can stand in a type."""
    if tree.data in ("name", "int"):
        return str(tree.children[0]).removesuffix("i64")
    return None


def of_defined(function: Function, arguments: list[Tree], scope: Scope, read: Callable[[Tree, Scope], Value]) -> Value:
    """A call of a function of the program: all its arguments, and sizes that fit."""
    if len(arguments) != len(function.parameters):
        raise FutharkError(f"{len(arguments)} arguments for {function}")
    sizes: dict[str, str] = {}
    found = [read(a, scope).type for a in arguments]
    for parameter, type_ in zip(function.parameters, found, strict=True):
        bind_sizes(parameter, type_, sizes, function.sizes)
    for parameter, type_ in zip(function.parameters, found, strict=True):
        demand(type_, substituted(parameter, sizes), "an argument")
    return checker.Value(substituted(function.result, sizes))


def of_prelude(name: str, arguments: list[Tree], scope: Scope) -> Value:
    """A call of a function of the prelude."""
    module, dot, operation = name.partition(".")
    if dot:
        return _of_module(module, operation, arguments, scope)
    rule = _PRELUDE.get(name)
    if rule is None:
        raise FutharkError(f"{name} is not bound")
    arity, type_of = rule
    if len(arguments) != arity:
        raise FutharkError(f"{name} of {len(arguments)} arguments")
    return type_of(arguments, scope)


def _of_module(module: str, name: str, arguments: list[Tree], scope: Scope) -> Value:
    own = SCALARS[module]
    types = [checker.expression(a, scope).type for a in arguments]
    if name in CONVERSIONS.get(module, ()):
        return _typed(types, [SCALARS[name]], own)
    if module == "i64" and name in ("max", "min"):
        return _typed(types, [I64, I64], I64)
    if name in ("sum", "product", "maximum", "minimum") and own != BOOL:
        if len(types) != 1 or not isinstance(types[0], Array):
            raise FutharkError(f"{module}.{name} of {types}")
        demand(types[0].element, own, f"an element that {module}.{name} takes")
        return checker.Value(own)
    if own in (F64, F32) and name == "isnan":
        return _typed(types, [own], BOOL)
    if (own in (F64, F32) and name in UNARY) or (own == I64 and name in ("abs", "sgn")):
        return _typed(types, [own], own)
    if own in (F64, F32) and name in BINARY:
        return _typed(types, [own, own], own)
    raise FutharkError(f"{module}.{name} is not known to this reader")


def _typed(found: list[Type], wanted: list[Type], result: Type) -> Value:
    if len(found) != len(wanted):
        raise FutharkError(f"{len(found)} arguments for {len(wanted)}")
    for one, other in zip(found, wanted, strict=True):
        demand(one, other, "an argument")
    return checker.Value(result)


def applied(function: Tree, parameters: list[Type], scope: Scope) -> Type:
    """The result of a function that is given as an argument, for arguments of these types; no size of it may change."""
    if function.data == "section":
        if len(parameters) != 2 or parameters[0] not in (F64, F32, I64):
            raise FutharkError(f"(+) of {', '.join(map(str, parameters))}")
        demand(parameters[1], parameters[0], "the right operand of (+)")
        return parameters[0]
    if function.data == "apply":
        return _partly_applied(function, parameters, scope)
    if function.data == "name":
        name = str(function.children[0])
        defined = scope.types.get(name)
        if not isinstance(defined, Function) or len(defined.parameters) != len(parameters):
            raise FutharkError(f"{name} is no function of {len(parameters)} arguments")
        return _typed(parameters, list(defined.parameters), defined.result).type
    if function.data != "lambda":
        raise FutharkError(f"{function.data} where a function is expected")
    *patterns, body = [t for t in function.children if isinstance(t, Tree)]
    if len(patterns) != len(parameters):
        raise FutharkError(f"a function of {len(patterns)} where one of {len(parameters)} is expected")
    inner = scope.repeated()
    names: set[str] = set()
    for pattern, type_ in zip(patterns, parameters, strict=True):
        names |= checker.bind_pattern(inner, pattern, checker.Value(type_))
    inner.consumable -= names
    result = checker.expression(body, inner).type
    lost = [s for s in checker.sizes_in(result) if s in names or s.startswith("?")]
    if lost:
        raise FutharkError(f"a function gives arrays of a size that depends on its argument: {result}")
    scope.consumed -= names
    return result


def _partly_applied(function: Tree, parameters: list[Type], scope: Scope) -> Type:
    """`map2 f` for two arrays, `f` for their elements."""
    word, *given = function.children
    if word.data != "name" or str(word.children[0]) != "map2" or len(given) != 1 or len(parameters) != 2:
        raise FutharkError("a function that is applied in part, other than map2")
    return _map(given[0], parameters, scope).type


def _map(function: Tree, arrays: list[Type], scope: Scope) -> Value:
    elements = []
    for array in arrays:
        if not isinstance(array, Array):
            raise FutharkError(f"map over a {array}")
        if array.size != _array(arrays[0]).size:
            raise FutharkError(f"map2 over {arrays[0]} and {array}")
        elements.append(array.element)
    return checker.Value(Array(_array(arrays[0]).size, applied(function, elements, scope)))


def _array(type_: Type) -> Array:
    if not isinstance(type_, Array):
        raise FutharkError(f"a {type_} where an array is expected")
    return type_


def _read(tree: Tree, scope: Scope) -> Type:
    return checker.expression(tree, scope).type


def _length(tree: Tree, scope: Scope) -> str:
    demand(_read(tree, scope), I64, "a size")
    return size_text(tree) or unknown_size()


def _tabulate(rank: int) -> tuple[int, Callable[[list[Tree], Scope], Value]]:
    def rule(arguments: list[Tree], scope: Scope) -> Value:
        *lengths, function = arguments
        sizes = [_length(n, scope) for n in lengths]
        result = applied(function, [I64] * rank, scope)
        for size in reversed(sizes):
            result = Array(size, result)
        return checker.Value(result)

    return rank + 1, rule


def _reduce(arguments: list[Tree], scope: Scope) -> Value:
    function, neutral, array = arguments
    elements = _array(_read(array, scope)).element
    demand(_read(neutral, scope), elements, "the neutral element")
    demand(applied(function, [elements, elements], scope), elements, "the result of the operator")
    return checker.Value(elements)


def _reduce_by_index(arguments: list[Tree], scope: Scope) -> Value:
    start, function, neutral, places, values = arguments
    whole = checker.expression(start, scope)
    elements = _array(whole.type).element
    demand(_read(neutral, scope), elements, "the neutral element")
    at, added = _array(_read(places, scope)), _array(_read(values, scope))
    demand(at.element, I64, "a place")
    demand(added, Array(at.size, elements), "the values")
    demand(applied(function, [elements, elements], scope), elements, "the result of the operator")
    checker.consume(whole, scope)
    return checker.Value(whole.type)


def _zip(arguments: list[Tree], scope: Scope) -> Value:
    one, other = [_array(_read(a, scope)) for a in arguments]
    if one.size != other.size:
        raise FutharkError(f"zip of {one} and {other}")
    return checker.Value(Array(one.size, Tuple((one.element, other.element))))


def _unzip(arguments: list[Tree], scope: Scope) -> Value:
    pairs = _array(_read(arguments[0], scope))
    if not isinstance(pairs.element, Tuple) or len(pairs.element.items) != 2:
        raise FutharkError(f"unzip of {pairs}")
    return checker.Value(Tuple(tuple([Array(pairs.size, t) for t in pairs.element.items])))


def _decided(arguments: list[Tree], scope: Scope) -> Value:
    demand(applied(arguments[0], [_array(_read(arguments[1], scope)).element], scope), BOOL, "a predicate")
    return checker.Value(BOOL)


def _filter(arguments: list[Tree], scope: Scope) -> Value:
    array = _array(_read(arguments[1], scope))
    demand(applied(arguments[0], [array.element], scope), BOOL, "a predicate")
    return checker.Value(Array(unknown_size(), array.element))


def _copy(arguments: list[Tree], scope: Scope) -> Value:
    type_ = _read(arguments[0], scope)
    if not has_array(type_):
        raise FutharkError(f"a copy of a {type_}")
    return checker.Value(type_)


def _vjp(arguments: list[Tree], scope: Scope) -> tuple[Type, Type]:
    """Of a function, a point and a cotangent: the type of the point, and that of the value."""
    function, point, seed = arguments
    type_ = _read(point, scope)
    value = applied(function, [type_], scope)
    demand(_read(seed, scope), value, "a cotangent of the value")
    return type_, value


def _jvp(arguments: list[Tree], scope: Scope) -> Type:
    """Of a function, a point and a tangent: the type of the value."""
    function, point, tangent = arguments
    type_ = _read(point, scope)
    demand(_read(tangent, scope), type_, "a tangent of the point")
    return applied(function, [type_], scope)


def _twice(type_: Type) -> Value:
    return checker.Value(Tuple((type_, type_)))


_PRELUDE: dict[str, tuple[int, Callable[[list[Tree], Scope], Value]]] = {
    "tabulate": _tabulate(1),
    "tabulate_2d": _tabulate(2),
    "tabulate_3d": _tabulate(3),
    "map": (2, lambda xs, scope: _map(xs[0], [_read(xs[1], scope)], scope)),
    "map2": (3, lambda xs, scope: _map(xs[0], [_read(x, scope) for x in xs[1:]], scope)),
    "reduce": (3, _reduce),
    "reduce_by_index": (5, _reduce_by_index),
    "replicate": (2, lambda xs, scope: checker.Value(Array(_length(xs[0], scope), _read(xs[1], scope)))),
    "iota": (1, lambda xs, scope: checker.Value(Array(_length(xs[0], scope), I64))),
    "zip": (2, _zip),
    "unzip": (1, _unzip),
    "all": (2, _decided),
    "any": (2, _decided),
    "filter": (2, _filter),
    "copy": (1, _copy),
    "vjp": (3, lambda xs, scope: checker.Value(_vjp(xs, scope)[0])),
    "vjp2": (3, lambda xs, scope: checker.Value(Tuple(_vjp(xs, scope)[::-1]))),
    "jvp": (3, lambda xs, scope: checker.Value(_jvp(xs, scope))),
    "jvp2": (3, lambda xs, scope: _twice(_jvp(xs, scope))),
}

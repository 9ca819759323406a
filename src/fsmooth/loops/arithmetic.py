"""Integer index arithmetic with constants folded, and the expressions that other stages ask for often."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from fsmooth.core import primitives as p
from fsmooth.core.types import BOOL, INT, Bool, Float, Type
from fsmooth.loops.tree import Conditional, Expression, Extremum, Literal, Load, Name, Operation, Search


def integer(value: int) -> Literal:
    """An Int literal."""
    return Literal(value, INT)


ZERO = integer(0)
ONE = integer(1)


def zero_of(type_: Type) -> Literal:
    """The zero (or false) of a scalar type."""
    return Literal(0.0 if isinstance(type_, Float) else False if isinstance(type_, Bool) else 0, type_)


def is_integer(e: Expression, value: int) -> bool:
    """Is `e` this Int literal?"""
    return isinstance(e, Literal) and not isinstance(e.value, float) and e.value == value


_LEAST = -(2**63)
"""Whose opposite is no integer of 64 bits."""


def plus(a: Expression, b: Expression) -> Expression:
    """A + b."""
    if isinstance(a, Literal) and isinstance(b, Literal):
        return integer(int(a.value) + int(b.value))
    if is_integer(a, 0):
        return b
    if is_integer(b, 0):
        return a
    if (
        isinstance(b, Literal)
        and isinstance(a, Operation)
        and a.primitive is p.add
        and isinstance(a.arguments[1], Literal)
    ):
        return plus(a.arguments[0], integer(int(a.arguments[1].value) + int(b.value)))
    if (
        isinstance(b, Literal)
        and isinstance(a, Operation)
        and a.primitive is p.subtract
        and isinstance(a.arguments[1], Literal)
    ):
        return plus(a.arguments[0], integer(int(b.value) - int(a.arguments[1].value)))
    if isinstance(b, Literal) and _LEAST < int(b.value) < 0:
        return Operation(p.subtract, (a, integer(-int(b.value))), INT)
    return Operation(p.add, (a, b), INT)


def minus(a: Expression, b: Expression) -> Expression:
    """A - b."""
    if isinstance(a, Literal) and isinstance(b, Literal):
        return integer(int(a.value) - int(b.value))
    if is_integer(b, 0):
        return a
    if isinstance(b, Literal) and int(b.value) != _LEAST:
        return plus(a, integer(-int(b.value)))
    return Operation(p.subtract, (a, b), INT)


def times(a: Expression, b: Expression) -> Expression:
    """A * b."""
    if isinstance(a, Literal) and isinstance(b, Literal):
        return integer(int(a.value) * int(b.value))
    if is_integer(a, 0) or is_integer(b, 0):
        return ZERO
    if is_integer(a, 1):
        return b
    if is_integer(b, 1):
        return a
    return Operation(p.multiply, (a, b), INT)


def positive(size: Expression) -> Expression:
    """Size > 0."""
    if isinstance(size, Literal):
        return Literal(int(size.value) > 0, BOOL)
    return Operation(p.greater, (size, ZERO), BOOL)


def parts(e: Expression) -> tuple[Expression, ...]:
    """The immediate subexpressions."""
    match e:
        case Load(_, index):
            return (index,)
        case Operation(_, arguments):
            return arguments
        case Conditional(condition, then, otherwise):
            return (condition, then, otherwise)
        case Search():
            return (e.offset, e.count)
        case _:
            return ()


_LARGE = 64
"""In an expression of more weight something may occur in many places, as one object: it is looked at once."""


def inside(*expressions: Expression) -> Iterator[Expression]:
    """The expressions, and all that are in them; what is large once, if it occurs in several places as one object."""
    stack = list(expressions)
    met: set[int] = set()
    while stack:
        e = stack.pop()
        if e.weight > _LARGE:
            if id(e) in met:
                continue
            met.add(id(e))
        yield e
        stack.extend(parts(e))


def same(a: Expression, b: Expression) -> bool:
    """Are the expressions equal as trees?"""
    return _same(a, b, set())


def _same(a: Expression, b: Expression, known: set[tuple[int, int]]) -> bool:
    """`known` are those of the large ones that were found to be."""
    if a is b:
        return True
    if type(a) is not type(b) or a.weight != b.weight or a.type != b.type:
        return False
    if a.weight > _LARGE:
        if (id(a), id(b)) in known:
            return True
        known.add((id(a), id(b)))
    match a, b:
        case Literal(x), Literal(y):
            return repr(x) == repr(y)
        case Name(x), Name(y):
            return x == y
        case Load(x), Load(y) if x != y:
            return False
        case Operation(x), Operation(y) if x is not y:
            return False
        case Search(), Search():
            return False
        case _:
            return all([_same(x, y, known) for x, y in zip(parts(a), parts(b), strict=True)])


def map_loads(e: Expression, change: Callable[[Load], Expression]) -> Expression:
    """`e` with its loads changed (not those in the index of another)."""
    match e:
        case Load():
            return change(e)
        case Operation(primitive, arguments):
            return Operation(primitive, tuple([map_loads(a, change) for a in arguments]), e.type)
        case Conditional(c, a, b):
            return Conditional(map_loads(c, change), map_loads(a, change), map_loads(b, change))
        case _:
            return e


def replace(e: Expression, old: str, new: Expression) -> Expression:
    """`e` with the variable `old` replaced."""
    return with_values(e, {old: new})


def with_values(e: Expression, values: Mapping[str, Expression]) -> Expression:
    """`e` with variables replaced at once, itself if it has none of them; what replaces them is shared and not looked into,
    however large it is.
    """
    return _with_values(e, values, {})


def _with_values(e: Expression, values: Mapping[str, Expression], known: dict[int, Expression]) -> Expression:
    """`known` is what large parts become, by the part."""
    if isinstance(e, Name):
        return values.get(e.name, e)
    old = parts(e)
    if e.weight > _LARGE and id(e) in known:
        return known[id(e)]
    new = [_with_values(a, values, known) for a in old]
    made = e if all([x is y for x, y in zip(new, old, strict=True)]) else _of_parts(e, new)
    if e.weight > _LARGE:
        known[id(e)] = made
    return made


def _of_parts(e: Expression, new: Sequence[Expression]) -> Expression:
    """The same of other parts."""
    match e:
        case Load(buffer):
            return Load(buffer, new[0], e.type)
        case Operation(p.add, _) if e.type == INT:
            return plus(*new)
        case Operation(p.multiply, _) if e.type == INT:
            return times(*new)
        case Operation(p.subtract, _) if e.type == INT:
            return minus(*new)
        case Operation(primitive, _):
            return Operation(primitive, tuple(new), e.type)
        case Conditional():
            return Conditional(*new)
        case Search():
            return Search(e.extremum, e.buffer, new[0], new[1], e.leaf)
        case _:
            raise TypeError(f"{e!r} is no expression")


def key_of(e: Expression) -> object:
    """Equal for equal expressions."""
    match e:
        case Literal(value):
            return (repr(value), e.type)  # 0.0 is not -0.0, and 1 not 1.0
        case Name(name):
            return name
        case Load(buffer, index):
            return (buffer, key_of(index))
        case Operation(primitive, arguments):
            return (primitive.name, e.type, *[key_of(a) for a in arguments])
        case _:
            return e


__all__ = [
    "ONE",
    "ZERO",
    "Extremum",
    "integer",
    "is_integer",
    "key_of",
    "minus",
    "parts",
    "plus",
    "positive",
    "replace",
    "same",
    "times",
    "with_values",
    "zero_of",
]

"""Types of the core language (paper 000, Fig. 3; docs/decisions/0001).

A type says what a value is made of, not how long its arrays are: sizes are ordinary terms,
computed from the value by `fsmooth.core.shape`.  All types are immutable and compare by structure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property


@dataclass(frozen=True)
class Float:
    """A real number in IEEE 754 binary format of `width` bits (64 or 32)."""

    width: int = 64

    def __repr__(self) -> str:
        return "Float" if self.width == 64 else "Float32"


@dataclass(frozen=True)
class Int:
    """A 64-bit signed integer: an index, a size, a count."""

    def __repr__(self) -> str:
        return "Int"


@dataclass(frozen=True)
class Bool:
    """A truth value."""

    def __repr__(self) -> str:
        return "Bool"


@dataclass(frozen=True)
class Tuple:
    """A product of any arity.  With `names` it is a record; `record` rebuilds the user's own class (core.trees)."""

    items: tuple[Type, ...]
    names: tuple[str | int, ...] | None = None
    record: Callable[..., object] | None = field(default=None, compare=False, repr=False)

    def __repr__(self) -> str:
        if not self.items and self.record is not None and not isinstance(self.record, type):
            return repr(self.record)
        if self.names is None:
            return "(" + ", ".join(map(repr, self.items)) + ("," if len(self.items) == 1 else "") + ")"
        names = [n if isinstance(n, str) and n.isidentifier() else repr(n) for n in self.names]
        return "{" + ", ".join(f"{n}: {t!r}" for n, t in zip(names, self.items, strict=True)) + "}"


@dataclass(frozen=True)
class Array:
    """A rectangular array; a matrix is an array of arrays of equal length."""

    element: Type

    def __repr__(self) -> str:
        return f"Array<{self.element!r}>"

    @cached_property
    def rank(self) -> int:
        """The number of array levels before something that is not an array."""
        return 1 + (self.element.rank if isinstance(self.element, Array) else 0)


@dataclass(frozen=True)
class Function:
    """A function of several arguments (no currying: paper 000, T-Abs and T-App)."""

    parameters: tuple[Type, ...]
    result: Type

    def __repr__(self) -> str:
        return f"({', '.join(map(repr, self.parameters))}) => {self.result!r}"


@dataclass(frozen=True)
class Linear:
    """Linear maps from `source` to `target`, two types of tangents (s ⊸ t, paper 001, Fig. 1)."""

    source: Type
    target: Type

    def __repr__(self) -> str:
        source = f"({self.source!r})" if isinstance(self.source, Linear | Function) else repr(self.source)
        return f"{source} ⊸ {self.target!r}"


class Data:
    """A data type: values that one of its constructors makes of fields, which may be data of the same type.

    It is its own identity, like a variable: types of the same fields differ.  The constructors are added one by one, since their
    fields may mention it, before anything of the type is made or read.
    """

    __slots__ = ("__weakref__", "_constructors", "_map", "_origin", "_paired", "functions", "name")

    def __init__(self, name: str, origin: Data | None = None, map_: Callable[[Type], Type] | None = None) -> None:
        self.name = name
        self._origin = origin
        self._map = map_
        self._paired: dict[str, Data] = {}
        self._constructors: list[tuple[Type, ...]] = []
        self.functions: dict[str, object] = {}
        """What makes one anew with other numbers (differentiate/encoding.py)."""

    @property
    def constructors(self) -> tuple[tuple[Type, ...], ...]:
        """The types of the fields of each constructor."""
        if self._origin is None or self._map is None:
            return tuple(self._constructors)
        return tuple([tuple(map(self._map, fields)) for fields in self._origin.constructors])

    @property
    def is_remade(self) -> bool:
        """May data be made anew where they are needed with other numbers beside their own?  What calls save may not."""
        return self._origin is not None and self._origin.is_remade

    def add(self, fields: tuple[Type, ...]) -> int:
        """One more constructor; gives its number."""
        self._constructors.append(fields)
        return len(self._constructors) - 1

    @property
    def dual(self) -> Data:
        """D of the data type maps the fields of its constructors (paper 003, §9)."""
        return self._paired.setdefault("t", Data(f"{self.name}_t", self, dual))

    @property
    def numbered(self) -> Data:
        """Likewise, with the ids of entries on a tape beside real numbers."""
        return self._paired.setdefault("id", Data(f"{self.name}_id", self, numbered))

    def __repr__(self) -> str:
        return self.name


Type = Float | Int | Bool | Tuple | Array | Function | Linear | Data
Scalar = Float | Int | Bool

F64 = Float(64)
F32 = Float(32)
INT = Int()
BOOL = Bool()
UNIT = Tuple(())


def array_of(element: Type, rank: int = 1) -> Type:
    """`rank` array levels around `element`."""
    for _ in range(rank):
        element = Array(element)
    return element


def rank_of(type_: Type) -> int:
    """The number of leading array levels (0 for anything that is not an array)."""
    return type_.rank if isinstance(type_, Array) else 0


def leaf_of(type_: Type) -> Type:
    """What remains when all leading array levels are taken off."""
    while isinstance(type_, Array):
        type_ = type_.element
    return type_


def is_scalar(type_: Type) -> bool:
    """Float, Int or Bool; or data, of which a reference is kept."""
    return isinstance(type_, Float | Int | Bool | Data)


def is_numeric(type_: Type) -> bool:
    """Float or Int."""
    return isinstance(type_, Float | Int)


def is_additive(type_: Type) -> bool:
    """Can values of this type be summed?  Numbers, and arrays and tuples of what can be."""
    match type_:
        case Float() | Int():
            return True
        case Array(element):
            return is_additive(element)
        case Tuple(items):
            return all(map(is_additive, items))
        case _:
            return False


def parts_in(type_: Type) -> Iterator[Type]:
    """What tuples in tuples are made of, left to right: arrays and scalars."""
    if isinstance(type_, Tuple):
        for item in type_.items:
            yield from parts_in(item)
    else:
        yield type_


def scalars_of(type_: Type) -> Iterator[Type]:
    """The scalar leaves of a type, left to right."""
    match type_:
        case Array(element):
            yield from scalars_of(element)
        case Tuple(items):
            for item in items:
                yield from scalars_of(item)
        case Function():
            raise TypeError("a function has no scalar leaves")
        case Linear():
            raise TypeError("a linear map has no scalar leaves")
        case _:
            yield type_


def has_function(type_: Type) -> bool:
    """Is a value of this type a function, or does it contain one?"""
    match type_:
        case Function():
            return True
        case Array(element):
            return has_function(element)
        case Tuple(items):
            return any(map(has_function, items))
        case _:
            return False


def has_map(type_: Type) -> bool:
    """Is a value of this type a linear map, or does it contain one?"""
    match type_:
        case Linear():
            return True
        case Array(element):
            return has_map(element)
        case Tuple(items):
            return any(map(has_map, items))
        case _:
            return False


def has_array(type_: Type) -> bool:
    """Is it an array, or a tuple with one?"""
    return isinstance(type_, Array) or (isinstance(type_, Tuple) and any(map(has_array, type_.items)))


def has_float(type_: Type) -> bool:
    """Does a value of this type contain a real number, hence have a tangent?"""
    return any(isinstance(s, Float) or (isinstance(s, Data) and holds_float(s)) for s in scalars_of(type_))


def holds_float(data: Data) -> bool:
    """Are there real numbers in its fields, or in those of the data in them?"""
    return any(isinstance(s, Float) for fields in within(data) for t in fields for s in scalars_of(t))


def within(data: Data) -> Iterator[tuple[Type, ...]]:
    """The fields of its constructors, and of the data types in them, each once."""
    found = {data: None}
    pending = [data]
    while pending:
        for fields in pending.pop().constructors:
            yield fields
            for inner in [s for t in fields for s in scalars_of(t) if isinstance(s, Data)]:
                if inner not in found:
                    found[inner] = None
                    pending.append(inner)


def dual(type_: Type) -> Type:
    """D_T⟦·⟧ (paper 000, Fig. 7, DT-*): Float becomes a pair; Int and Bool map to themselves."""
    return _paired(type_, lambda number: number, lambda data: data.dual)


def numbered(type_: Type) -> Type:
    """D_T⟦·⟧ of paper 003, §8.3: Float becomes a number and its id."""
    return _paired(type_, lambda number: INT, lambda data: data.numbered)


def _paired(type_: Type, second: Callable[[Float], Type], of_data: Callable[[Data], Type]) -> Type:
    match type_:
        case Float():
            return Tuple((type_, second(type_)))
        case Int() | Bool():
            return type_
        case Array(element):
            return Array(_paired(element, second, of_data))
        case Tuple(items, names, record):
            return Tuple(tuple([_paired(item, second, of_data) for item in items]), names, record)
        case Function(parameters, result):
            return Function(tuple([_paired(p, second, of_data) for p in parameters]), _paired(result, second, of_data))
        case Data():
            return of_data(type_) if holds_float(type_) else type_
        case Linear():
            raise TypeError("a linear map is not differentiated")


def tangent(type_: Type) -> Type:
    """The type of tangents: Float to itself, Int and Bool to the empty tuple, and so on inside."""
    match type_:
        case Float():
            return type_
        case Int() | Bool():
            return UNIT
        case Array(element):
            return Array(tangent(element))
        case Tuple(items, names, record):
            return Tuple(tuple(map(tangent, items)), names, record)
        case Function():
            raise TypeError("a function has no tangent")
        case Data():
            raise TypeError("data have no tangent")
        case Linear():
            raise TypeError("a linear map has no tangent")


def unzipped(type_: Type) -> Type:
    """Arrays of tuples as tuples of arrays (paper 000, §5.2), to any depth."""
    match type_:
        case Array(element):
            inner = unzipped(element)
            if isinstance(inner, Tuple):
                return Tuple(tuple(unzipped(Array(item)) for item in inner.items), inner.names, inner.record)
            return Array(inner)
        case Tuple(items, names, record):
            return Tuple(tuple(map(unzipped, items)), names, record)
        case _:
            return type_


def _leafwise(type_: Type, leaf: Callable[[Type], Type]) -> Type:
    if isinstance(type_, Tuple):
        return Tuple(tuple(_leafwise(item, leaf) for item in type_.items), type_.names, type_.record)
    return leaf(type_)


def jacobian(output: Type, wrt: Type) -> Type:
    """Type of a Jacobian: output structure, then `wrt` structure, then output indices, then input indices.

    Both structures are unzipped first, so that their leaves are scalars or arrays of scalars.
    """
    return _leafwise(
        unzipped(output),
        lambda o: _leafwise(unzipped(wrt), lambda w: array_of(leaf_of(w), rank_of(o) + rank_of(w))),
    )

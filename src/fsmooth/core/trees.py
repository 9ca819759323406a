"""Python values with structure, taken apart and put together: what `Tuple.record` stands for.

Tuples, lists, dictionaries, NamedTuples, dataclasses and registered classes have parts; a text, None or a function in
one of them is known while compiling, and has none.  The type of a structure is a `Tuple` whose `record` is called with
nothing else than its parts, or is the class itself.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from msgspec import Struct

from fsmooth.core.alternatives import Code, OneOf
from fsmooth.core.nodes.declaration import Nodes
from fsmooth.core.nodes.packed import Forest, Packed, taken_apart, with_nodes_of
from fsmooth.core.types import Array, Tuple, Type
from fsmooth.errors import ArgumentError

Flatten = Callable[[Any], tuple[Iterable[Any], Any]]
Unflatten = Callable[[Any, tuple[Any, ...]], Any]
_Class = TypeVar("_Class", bound=type)

_REGISTERED: dict[type, tuple[Flatten, Unflatten]] = {}


@dataclass(frozen=True)
class Constant:
    """The record of a part that is known while compiling: it has no parts, and is `value`; `origin` says from where."""

    value: object
    origin: object = None

    def __call__(self) -> object:
        """The value itself."""
        return self.value

    def __repr__(self) -> str:
        """The text; of functions and classes the name, which is the same in other processes."""
        return f"Constant({getattr(self.value, '__qualname__', None) or repr(self.value)})"

    def is_equal(self, value: object) -> bool:
        """Is it the same text, the same function, …?"""
        return value is self.value or (type(value) is type(self.value) and bool(value == self.value))

    def __eq__(self, other: object) -> bool:
        """The same text; functions and classes are the same objects."""
        return isinstance(other, Constant) and self.is_equal(other.value)

    def __hash__(self) -> int:
        """As that of the value."""
        return hash(self.value)


class Registered(Struct, frozen=True):
    """The record of an object of a registered class, with what its `flatten` says of it beside its parts."""

    cls: type
    rest: object

    def __call__(self, *parts: object) -> object:
        """The object with these parts."""
        return _REGISTERED[self.cls][1](self.rest, parts)

    @property
    def __name__(self) -> str:
        """The name of the class."""
        return self.cls.__name__


class Apart(Struct, frozen=True):
    """A structure taken apart: its record, the names of its parts, and these."""

    record: Callable[..., object] | None
    names: tuple[str | int, ...] | None
    parts: Sequence[object]

    def label(self, position: int) -> str:
        """How a part is written behind its whole: `["w"]`, `[0]`, `.w`."""
        return labels(self.record, self.names, len(self.parts))[position]


def labels(record: object, names: tuple[str | int, ...] | None, count: int) -> list[str]:
    """How the parts of a structure are written behind its name."""
    if names is None:
        return [f"[{k}]" for k in range(count)]
    return [f"[{name!r}]" if record is dict else f".{name}" for name in names]


def apart(value: object) -> Apart | None:
    """A value with structure, taken apart; None for numbers, arrays and everything else without parts."""
    cls = type(value)
    if cls in _REGISTERED:
        parts, rest = _REGISTERED[cls][0](value)
        found = tuple(parts)
        return Apart(Registered(cls, rest), _attributes(Registered(cls, rest), len(found)), found)
    if isinstance(value, dict):
        return Apart(dict, tuple(value), tuple(value.values()))
    nodes = taken_apart(value)
    if nodes is not None:
        return Apart(nodes[0], nodes[0].names, nodes[1])
    if isinstance(value, list):
        return Apart(list, None, value)
    if isinstance(value, tuple):
        names: tuple[str, ...] | None = getattr(cls, "_fields", None)
        return Apart(cls if names is not None else None, names, value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = tuple([field.name for field in dataclasses.fields(value)])
        return Apart(cls, fields, tuple([getattr(value, name) for name in fields]))
    return None


def holds_nodes(type_: Type) -> bool:
    """Is it a tree or a forest, or is one in it?"""
    if not isinstance(type_, Tuple):
        return False
    return isinstance(type_.record, Nodes) or any([holds_nodes(item) for item in type_.items])


def tangents_whole(arguments: Sequence[object], tangents: object, single: bool) -> object:
    """Tangents of arguments, in which the trees have the nodes of those in the arguments."""
    if single:
        return _whole(arguments[0], tangents)
    assert isinstance(tangents, tuple)
    return tuple([_whole(a, t) for a, t in zip(arguments, tangents, strict=True)])


def _whole(argument: object, tangent: object) -> object:
    if isinstance(tangent, Packed | Forest):
        return with_nodes_of(argument, tangent)
    own, found = apart(argument), apart(tangent)
    if own is None or found is None or not found.parts or len(own.parts) != len(found.parts):
        return tangent
    parts = [_whole(a, t) for a, t in zip(own.parts, found.parts, strict=True)]
    return together(found.record, found.names, tuple(parts))


def together(
    record: Callable[..., object] | None, names: Sequence[str | int] | None, parts: tuple[object, ...]
) -> object:
    """The structure of these parts.

    The constructor of a NamedTuple or dataclass does not run: a derivative has the fields of a record, and need not pass
    the record's checks.
    """
    if record is None:
        return parts
    if record is list:
        return list(parts)
    if record is dict:
        return dict(zip(names or (), parts, strict=True))
    if not isinstance(record, type):
        return record(*parts)
    if issubclass(record, tuple):
        return tuple.__new__(record, parts)
    made: object = object.__new__(record)
    for name, own in zip(names or (), parts, strict=True):
        object.__setattr__(made, str(name), own)
    return made


def is_constant(value: object) -> bool:
    """Is it a part that is known while compiling: None, a text, a member of an enumeration, a function, a class?"""
    if value is None or isinstance(value, str | bytes | enum.Enum):
        return True
    return callable(value) and not hasattr(value, "__array__") and type(value).__hash__ is not None


def is_class(record: object) -> bool:
    """Is it the class of a NamedTuple or dataclass of the user's?"""
    return isinstance(record, type) and record not in (dict, list)


def known_parts(type_: Type) -> tuple[object, ...]:
    """Constants and the user's classes, left to right: what is known while compiling, and the equality of types leaves out."""
    match type_:
        case Array(element):
            return known_parts(element)
        case Tuple(items, _, record):
            is_known = isinstance(record, Constant | Registered | OneOf | Code) or is_class(record)
            return (*([record] if is_known else []), *[found for item in items for found in known_parts(item)])
        case _:
            return ()


def records(type_: Type) -> list[object]:
    """What the text of a type does not show: classes, and functions and other constants that are no texts."""
    match type_:
        case Array(element):
            return records(element)
        case Tuple(_, _, Constant(value)):
            return [] if value is None or type(value) is str else [value]
        case Tuple(items, _, record):
            inner = [found for item in items for found in records(item)]
            return [record, *inner] if record is not None else inner
        case _:
            return []


def dressed(type_: Type, model: Type) -> Type:
    """A type with the records of another one of the same structure, which equality does not compare.

    >>> from fsmooth.core.types import F64
    >>> dressed(Tuple((F64,)), Tuple((F64,), ("w",), dict))
    {w: Float}
    """
    match type_, model:
        case Tuple(items), Tuple(models, names, record) if len(items) == len(models):
            return Tuple(tuple([dressed(a, b) for a, b in zip(items, models, strict=True)]), names, record)
        case Array(element), Array(like):
            return Array(dressed(element, like))
        case _:
            return type_


def part(value: object, origin: object = None) -> Type:
    """The type of a part that is known while compiling."""
    return Tuple((), None, Constant(value, origin))


def class_of(record: object) -> type | None:
    """The user's class of a structure."""
    if isinstance(record, Registered):
        return record.cls
    return record if isinstance(record, type) else None


def fixed_attributes(record: Registered, count: int) -> dict[str, object]:
    """What an object of a registered class has beside its parts."""
    return {name: value for name, value in _sketch(record, count).items() if not isinstance(value, _Part)}


def _attributes(record: Registered, count: int) -> tuple[str, ...] | None:
    """The attributes that the parts are, if each is one."""
    found = {value.position: name for name, value in _sketch(record, count).items() if isinstance(value, _Part)}
    return tuple([found[k] for k in range(count)]) if len(found) == count else None


def _sketch(record: Registered, count: int) -> dict[str, object]:
    """The attributes of an object that is made of something that stands for its parts."""
    try:
        return vars(record(*[_Part(k) for k in range(count)]))
    except Exception:  # of the user's own code, which wants arrays: then the parts have no names
        return {}


class _Part(Struct, frozen=True):
    """Stands for a part of an object that is made to see which attributes its parts are."""

    position: int


def register_pytree_node(cls: type, flatten: Flatten, unflatten: Unflatten) -> None:
    """Objects of the class `cls` as arguments, results and parameters of derivatives.

    `flatten(x)` gives the parts, and beside them what else an object needs, which is compared (and hashed) to see whether
    a program was compiled for it; `unflatten(rest, parts)` makes the object anew.  A gradient is an object of the class
    whose parts are the derivatives.  The arguments are those of `jax.tree_util.register_pytree_node`.

    >>> import fsmooth as fs
    >>> class Line:
    ...     def __init__(self, slope, start):
    ...         self.slope, self.start = slope, start
    ...
    ...     def __repr__(self):
    ...         return f"Line({self.slope}, {self.start})"
    >>> fs.register_pytree_node(Line, lambda a: ((a.slope, a.start), None), lambda rest, parts: Line(*parts))
    >>> fs.grad(lambda line, x: line.slope * x + line.start)(Line(2.0, 1.0), 5.0)
    Line(5.0, 1.0)

    Raises:
        ArgumentError: if `cls` is no class, or one whose objects have their parts already.

    """
    if not isinstance(cls, type) or cls in (tuple, list, dict, str, int, float, bool, type(None)):
        raise ArgumentError(f"{cls!r} cannot be registered\n  hint: register a class of your own")
    _REGISTERED[cls] = (flatten, unflatten)


def register_pytree_node_class(cls: _Class) -> _Class:
    """A decorator of a class whose methods `tree_flatten(self)` and `tree_unflatten(cls, rest, parts)` take objects apart
    and make them, as those of `jax.tree_util.register_pytree_node_class` do.
    """  # noqa: D205
    made: Any = cls
    register_pytree_node(cls, lambda value: value.tree_flatten(), made.tree_unflatten)
    return cls

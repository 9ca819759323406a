"""The types of Python values, the type that two values share, and types as a user would say them."""

from __future__ import annotations

import dataclasses

import numpy as np

from fsmooth.core.alternatives import Code, OneOf, kinds_of, one_of
from fsmooth.core.lists import either_array, lists_in
from fsmooth.core.nodes.built import Built, built, is_like_built, larger_of, tag_of
from fsmooth.core.nodes.declaration import Declaration, Nodes
from fsmooth.core.nodes.packed import taken_apart
from fsmooth.core.trees import Constant, is_class, known_parts
from fsmooth.core.types import BOOL, F32, F64, INT, Array, Bool, Float, Int, Tuple, Type, array_of
from fsmooth.core.weak import WEAK, Weak, weakness

MOST_KINDS = 16
"""After so many steps or calls a value has the type that it keeps, or has a new one for ever."""
MOST_PARTS = 1 << 12
"""So many parts has no type that anybody wrote, but what doubles in each step has them soon."""


def is_ever_new(rounds: int, *types: Type) -> bool:
    """Does a value have another type after each step or call, as it seems after so many of them?"""
    return rounds > MOST_KINDS or (rounds > 1 and any([_parts(type_, {}) > MOST_PARTS for type_ in types]))


def _parts(type_: Type, known: dict[int, int]) -> int:
    """How many parts a type has; those that it has several times are visited once."""
    if isinstance(type_, Array):
        return _parts(type_.element, known)
    if not isinstance(type_, Tuple):
        return 1
    if id(type_) not in known:
        known[id(type_)] = 1 + sum([_parts(item, known) for item in type_.items])
    return known[id(type_)]


def join_types(a: Type, b: Type) -> Type | None:
    """The smallest type to which both convert, if any; a weak number becomes what the other is."""
    if identical(a, b):
        return a
    of_a, of_b = _declaration_of(a), _declaration_of(b)
    if of_a is not None and of_b is not None and (of_a is not of_b or isinstance(a, Built) or isinstance(b, Built)):
        larger = larger_of(of_a, of_b)
        return None if larger is None else built(larger)
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Built) and is_like_built(other, one):
            return one
        declaration = _declaration_of(one)
        if declaration is not None and _is_users(other) and tag_of(other, built(declaration)) is not None:
            return built(declaration)
    if known_parts(a) != known_parts(b):
        return None
    match a, b:
        case Weak(), Float():
            return b
        case Float(), Weak():
            return a
        case Float(), Float():
            return F64
        case Float(), Int():
            return a
        case Int(), Float():
            return b
        case Array(x), Array(y):
            inner = join_types(x, y)
            return None if inner is None else either_array(a, b, inner)
        case Tuple(xs), Tuple(ys) if len(xs) == len(ys) and a.names == b.names and is_same_record(a.record, b.record):
            parts = [join_types(x, y) for x, y in zip(xs, ys, strict=True)]
            if all([q is not None for q in parts]):
                return Tuple(tuple([q for q in parts if q is not None]), a.names, a.record)
    return None


def join_kinds(a: Type, b: Type) -> Type | None:
    """The type of values that are of one type or of the other: the one to which both convert, or that of their kinds.

    None, a text or a function is of a kind of its own beside anything else, and a record beside a record of another class.
    """
    joined = join_types(a, b)
    if joined is not None:
        return joined
    match a, b:
        case Tuple(xs, names, record), Tuple(ys) if (
            len(xs) == len(ys)
            and names == b.names
            and is_same_record(record, b.record)
            and not isinstance(record, Constant | Code | OneOf)
        ):
            parts = [join_kinds(x, y) for x, y in zip(xs, ys, strict=True)]
            return None if None in parts else Tuple(tuple([q for q in parts if q is not None]), names, record)
        case Array(x), Array(y):
            inner = join_kinds(x, y)
            return None if inner is None else either_array(a, b, inner)
    kinds = list(kinds_of(a))
    for kind in kinds_of(b):
        place, joined = next(
            ((k, j) for k, own in enumerate(kinds) if (j := join_types(own, kind)) is not None), (len(kinds), kind)
        )
        kinds[place : place + 1] = [joined]
    is_clear = sum([not _is_known(kind) and not _is_users(kind) for kind in kinds]) <= 1
    has_known = any([_is_known(kind) for kind in kinds])
    return one_of(tuple(kinds)) if is_clear and (has_known or all([_is_users(kind) for kind in kinds])) else None


def _declaration_of(type_: Type) -> Declaration | None:
    """Of a node."""
    if isinstance(type_, Built):
        return type_.declaration
    record = type_.record if isinstance(type_, Tuple) else None
    return record.declaration if isinstance(record, Nodes) and not record.is_forest else None


def _is_known(type_: Type) -> bool:
    """Is it None, a text, a function or the like?"""
    return isinstance(type_, Tuple) and isinstance(type_.record, Constant | Code)


def _is_users(type_: Type) -> bool:
    """Is it a record of a class of the user's?"""
    return isinstance(type_, Tuple) and is_class(type_.record)


def is_same_record(one: object, other: object) -> bool:
    """Are the classes of two structures one?  Nodes of one data type are, however they are to be given back."""
    return one.is_like(other) if isinstance(one, Nodes) else one == other


def identical(a: Type, b: Type) -> bool:
    """Are two types the same, also in what is weak and what is a list?"""
    return a is b or (
        a == b and weakness(a) == weakness(b) and lists_in(a) == lists_in(b) and known_parts(a) == known_parts(b)
    )


def describe(type_: Type) -> str:
    """A type as a user would say it."""
    inside = [found.value for found in known_parts(type_) if isinstance(found, Constant)]
    if inside and isinstance(type_, Tuple) and type_.items and not isinstance(type_.record, OneOf | Code):
        return f"{_described(type_)} with {', '.join([repr(value) for value in inside])} in it"
    return _described(type_)


def _described(type_: Type) -> str:
    match type_:
        case Float(64):
            return "a number"
        case Float():
            return "a float32 number"
        case Int():
            return "an integer"
        case Bool():
            return "a truth value"
        case Tuple(_, _, OneOf()):
            *some, last = [describe(kind) for kind in kinds_of(type_)]
            return f"{', '.join(some)} or {last}" if some else last
        case Tuple(_, _, Code()):
            return "a function"
        case Array():
            leaf: Type = type_
            while isinstance(leaf, Array):
                leaf = leaf.element
            kind = {F64: "numbers", F32: "float32 numbers", INT: "integers", BOOL: "truth values"}.get(leaf, "tuples")
            return f"a {type_.rank}-dimensional array of {kind}"
        case Tuple(_, _, Constant(value)):
            name = getattr(value, "__name__", None) if callable(value) and not isinstance(value, type) else None
            if name is not None:
                return f"the function {name}"
            return "None" if value is None else f"the text {value!r}" if isinstance(value, str) else f"{value!r}"
        case Tuple(items, names, record) if record is dict:
            return f"a dictionary with the keys {', '.join(map(repr, names or ()))}" if items else "an empty dictionary"
        case Tuple(items, _, record) if record in (None, list):
            return f"a {'tuple' if record is None else 'list'} of {len(items)}"
        case Built():
            return f"a {type_.declaration.name}"
        case Tuple(_, _, Nodes() as record):
            return f"a {record.__name__}" if not record.is_forest else f"a {record.__name__}s"
        case Tuple(_, _, record):
            return f"a {getattr(record, '__name__', 'record')}"
        case _:
            return "a function"


def fields_of_record(cls: type) -> tuple[str, ...]:
    """The names of the fields of a NamedTuple or dataclass; () for any other class."""
    if dataclasses.is_dataclass(cls):
        return tuple([f.name for f in dataclasses.fields(cls)])
    return tuple(cls._fields) if issubclass(cls, tuple) and hasattr(cls, "_fields") else ()


def type_of_tree(value: object) -> Tuple | None:
    """The type of a tree or a forest, of objects or packed; None for anything else."""
    nodes = taken_apart(value)
    if nodes is None:
        return None
    record, parts = nodes
    types = [type_of_object(part) for part in parts]
    return Tuple(tuple([t for t in types if t is not None]), record.names, record)


def type_of_object(value: object) -> Type | None:
    """The type of a Python number or NumPy array; None for anything else."""
    if isinstance(value, bool | np.bool_):
        return BOOL
    if isinstance(value, int | np.integer):
        return INT
    if isinstance(value, np.float32):
        return F32
    if isinstance(value, float | np.floating):
        return F64 if isinstance(value, np.floating) else WEAK
    if isinstance(value, np.ndarray):
        leaf: Type | None = None
        if value.dtype == np.float32:
            leaf = F32
        elif value.dtype.kind == "f":
            leaf = F64
        elif value.dtype.kind in "iu":
            leaf = INT
        elif value.dtype.kind == "b":
            leaf = BOOL
        if leaf is not None:
            return array_of(leaf, value.ndim) if value.ndim else leaf
    return None

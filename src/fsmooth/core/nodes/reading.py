"""From the user's classes to a declaration: the annotations of their fields, resolved and classified.

A class belongs to a data type if from its fields a class can be reached that reaches itself; all others stay records,
whose structure is known while compiling.
"""

from __future__ import annotations

import builtins
import copyreg
import dataclasses
import enum
import inspect
import sys
import types
import typing
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from msgspec import Struct

from fsmooth.core.array_annotation import ANY, ArrayAnnotation
from fsmooth.core.nodes.declaration import Constructor, Declaration, Field, Kind, Make, Nodes
from fsmooth.errors import ArgumentError

NOTHING = type(None)

_FOUND: dict[type, Declaration | None] = {}
_DECLARATIONS: dict[tuple[type, ...], Declaration] = {}

_NUMBERS = (float, int, bool)


def declaration_of(cls: type) -> Declaration | None:
    """The data type whose nodes may be objects of a class; None if it is none.

    Raises:
        ArgumentError: for a field whose annotation says nothing that fsmooth understands.

    """
    if cls in _FOUND:
        return _FOUND[cls]
    found = None
    if is_record(cls) and _is_recursive(cls):
        found = declared((cls,))
    _FOUND[cls] = found
    return found


def declared(classes: Sequence[type]) -> Declaration:
    """The data type of all classes that can be reached from these."""
    reached = sorted(_reachable(classes), key=lambda c: (c is NOTHING, c.__qualname__, c.__module__))
    key = tuple(reached)
    if key not in _DECLARATIONS:
        tags = {cls: k for k, cls in enumerate(key)}
        constructors = [Constructor(cls, tuple([_field(cls, *f, tags) for f in _fields(cls)])) for cls in key]
        _DECLARATIONS[key] = Declaration(tuple(constructors))
    return _DECLARATIONS[key]


def _again(classes: tuple[type, ...], is_forest: bool, make: Make) -> Nodes:
    declaration = declared(classes)
    return declaration.forest(make) if is_forest else declaration.record(make)


def _taken_down(record: Nodes) -> tuple[Callable[..., Nodes], tuple[object, ...]]:
    return _again, (tuple([c.cls for c in record.declaration.constructors]), record.is_forest, record.make)


copyreg.pickle(Nodes, _taken_down)  # by its classes: a declaration is one object in a process


def alternatives(annotation: object) -> tuple[type, ...]:
    """The classes of a union, or of one class."""
    found = _classes(_resolved(NOTHING, annotation))
    if found is None:
        raise ArgumentError(
            f"{annotation!r} is no data type\n  hint: give a dataclass, or a union of them: Leaf | Node"
        )
    return found


def is_record(cls: type) -> bool:
    """Is it a dataclass, or a NamedTuple?"""
    return dataclasses.is_dataclass(cls) or (issubclass(cls, tuple) and hasattr(cls, "_fields"))


def _is_recursive(cls: type) -> bool:
    """Can a class be reached that reaches itself?"""
    reached = _reachable((cls,))
    return any([c in _reachable(_next(c)) for c in reached])


def _reachable(classes: Sequence[type]) -> set[type]:
    found: set[type] = set()
    pending = list(classes)
    while pending:
        cls = pending.pop()
        if cls not in found:
            found.add(cls)
            pending.extend(_next(cls))
    return found


def _next(cls: type) -> list[type]:
    """The classes of the nodes in the fields of a class."""
    return [c for _, annotation in _fields(cls) for c in _nodes_in(annotation)]


def _nodes_in(annotation: object) -> tuple[type, ...]:
    return _classes(annotation.of if isinstance(annotation, _List) else annotation) or ()


# -- annotations -----------------------------------------------------------------------------------------------------


class _Unresolved(Struct, frozen=True):
    """An annotation with a name that is not defined."""

    text: str
    name: str


class _Union(Struct, frozen=True):
    """One of several: the members of unions in it are its own."""

    members: tuple[object, ...]


class _List(Struct, frozen=True):
    """A list, or a tuple of any length."""

    of: object


def _fields(cls: type) -> list[tuple[str, object]]:
    """The fields of a class with their annotations, resolved as far as possible."""
    if cls is NOTHING:
        return []
    names = [f.name for f in dataclasses.fields(cls)] if dataclasses.is_dataclass(cls) else list(cls._fields)  # type: ignore[attr-defined]
    found: dict[str, tuple[type, object]] = {}
    for base in reversed(cls.__mro__):
        found.update({n: (base, a) for n, a in inspect.get_annotations(base).items()})
    return [(name, _resolved(*found[name]) if name in found else Any) for name in names]


def _resolved(cls: type, annotation: object) -> object:
    """An annotation without what says nothing about values: texts, aliases, arguments of generic classes."""
    if isinstance(annotation, typing.ForwardRef):
        annotation = annotation.__forward_arg__
    if isinstance(annotation, str):
        found = _evaluated(cls, annotation)
        return found if isinstance(found, _Unresolved) else _resolved(cls, found)
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Annotated, typing.Final):
        return _resolved(cls, arguments[0])
    if type(annotation).__name__ == "TypeAliasType":
        return _resolved(cls, annotation.__value__)  # type: ignore[attr-defined]
    if origin in (typing.Union, types.UnionType):
        parts = [_resolved(cls, part) for part in arguments]
        return _Union(tuple([m for q in parts for m in (q.members if isinstance(q, _Union) else (q,))]))
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        return _List(_resolved(cls, arguments[0]))
    if isinstance(origin, type) and issubclass(origin, Sequence) and origin is not tuple and len(arguments) == 1:
        return _List(_resolved(cls, arguments[0]))
    if isinstance(origin, type) and is_record(origin):
        return origin
    return NOTHING if annotation is None else annotation


def _evaluated(cls: type, text: str) -> object:
    """What a text stands for in the module of a class, and then among the names of who calls."""
    module = vars(sys.modules.get(cls.__module__, types.ModuleType("none")))
    own = {cls.__name__: cls, **{t.__name__: t for t in getattr(cls, "__parameters__", ())}}
    try:
        names = _NamesAndSizes if "Array[" in text else _Names
        return eval(text, {}, names(module, own))
    except NameError as error:
        return _Unresolved(text, error.name or text)
    except (SyntaxError, TypeError, AttributeError):
        return _Unresolved(text, text)


class _Names(dict[str, Any]):
    """Names of a module, and, if it has none, of the functions that are running."""

    def __init__(self, module: dict[str, Any], own: dict[str, Any]) -> None:
        super().__init__(own)
        self._module = module

    def __missing__(self, name: str) -> object:
        if name in self._module:
            return self._module[name]
        frame: types.FrameType | None = sys._getframe(1)
        while frame is not None:
            if frame.f_globals.get("__name__", "").partition(".")[0] != "fsmooth" and name in frame.f_locals:
                return frame.f_locals[name]
            frame = frame.f_back
        raise KeyError(name)


class _NamesAndSizes(_Names):
    """A name that is nowhere is that of a size: linters turn `"n"` into `n`."""

    def __missing__(self, name: str) -> object:
        try:
            return super().__missing__(name)
        except KeyError:
            if hasattr(builtins, name):
                raise
            return name


def _classes(annotation: object) -> tuple[type, ...] | None:
    """The classes of nodes that a resolved annotation names; None if it names anything else."""
    members = annotation.members if isinstance(annotation, _Union) else (annotation,)
    found = [m for m in members if isinstance(m, type) and (m is NOTHING or is_record(m))]
    return tuple(found) if len(found) == len(members) and any([c is not NOTHING for c in found]) else None


def _field(cls: type, name: str, annotation: object, tags: dict[type, int]) -> Field:
    """A field by its resolved annotation."""
    classes = _classes(annotation)
    if classes is not None:
        return Field(name, Kind.NODE, tags=frozenset([tags[c] for c in classes]))
    match annotation:
        case type() if annotation in _NUMBERS:
            return Field(name, Kind.NUMBER, annotation)
        case TypeVar():
            return Field(name, Kind.NUMBER)
        case type() if issubclass(annotation, np.generic):
            return Field(name, Kind.NUMBER)
        case ArrayAnnotation(places=places) if places is not None:
            raise _refused(cls, name, annotation, "index types are for arguments: nothing checks the fields of nodes")
        case ArrayAnnotation(sizes, leaf) if ANY not in sizes:
            return Field(name, Kind.EQUAL, leaf, len(sizes))
        case ArrayAnnotation(sizes, leaf) if len(sizes) == 1:
            return Field(name, Kind.RAGGED, leaf, 1)
        case ArrayAnnotation():
            raise _refused(cls, name, annotation, "sizes may differ in arrays of one axis only")
        case _List(type() as leaf) if leaf in _NUMBERS:
            return Field(name, Kind.RAGGED, leaf, 1)
        case _List(listed) if (children := _classes(listed)) is not None:
            return Field(name, Kind.CHILDREN, tags=frozenset([tags[c] for c in children]))
        case type() if issubclass(annotation, str):
            return Field(name, Kind.TEXT)
        case _Unresolved(text, missing):
            close = [c.__name__ for c in tags if c.__name__.lower()[:3] == missing.lower()[:3]]
            hint = f"did you mean {close[0]}?" if close else "define it before the first call"
            what = f"{cls.__name__}.{name} is annotated {text}, and {missing} is not defined"
            raise ArgumentError(f"{what}\n  hint: {hint}")
    if annotation is np.ndarray or typing.get_origin(annotation) is np.ndarray:
        return Field(name, Kind.RAGGED, None, 1)
    if typing.get_origin(annotation) is typing.Literal and all([type(a) is str for a in typing.get_args(annotation)]):
        return Field(name, Kind.TEXT)
    raise _refused(cls, name, annotation, "nodes hold numbers, arrays, texts, other nodes, and lists of these")


def _refused(cls: type, name: str, annotation: object, hint: str) -> ArgumentError:
    written = _written(annotation)
    if isinstance(annotation, enum.EnumMeta):
        hint = "write the members as texts: Literal['plus', 'times']"
    return ArgumentError(f"{cls.__name__}.{name} is annotated {written}, which no node can hold\n  hint: {hint}")


def _written(annotation: object) -> str:
    """An annotation as a user writes it."""
    if isinstance(annotation, _Union):
        return " | ".join([_written(m) for m in annotation.members])
    if isinstance(annotation, _List):
        return f"list[{_written(annotation.of)}]"
    if annotation is NOTHING:
        return "None"
    return annotation.__name__ if isinstance(annotation, type) else repr(annotation).replace("typing.", "")


def unresolved(cls: type) -> list[tuple[str, str, str]]:
    """The fields whose annotations have names that are not defined: the field, the annotation, the name."""
    return [(name, a.text, a.name) for name, a in _fields(cls) if isinstance(a, _Unresolved)]

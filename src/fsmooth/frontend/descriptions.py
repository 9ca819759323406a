"""What Python objects are, as far as elaboration looks at them: the same text in every process that finds the same.

Numbers, texts and tuples are described by value.  Everything that has an identity (functions, classes, containers that
can change, objects) is described when it is first met, and gets a number: it is "the same as number k" from then on, so
that descriptions tell also which objects are one.  What is inside a container belongs to its description; attributes of
objects do not, since elaboration looks them up one by one (`readings`).
"""

from __future__ import annotations

import inspect
from collections.abc import ItemsView, KeysView, ValuesView
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType

import numpy as np

from fsmooth.core.array_annotation import ArrayAnnotation, IndexAnnotation
from fsmooth.core.nodes.declaration import Declaration, Field, Nodes
from fsmooth.frontend.programs import CustomProgram, DerivedProgram, LibraryProgram, Program, SourceProgram
from fsmooth.frontend.python.kinds import fields_of_record
from fsmooth.frontend.text_programs import TextProgram

Description = object
"""Nested tuples of texts and numbers."""

_PROGRAMS = (SourceProgram, DerivedProgram, LibraryProgram)


class NotDescribedError(Exception):
    """Nothing tells whether a later process finds the same."""


class Descriptions:
    """Descriptions of objects, with the numbers of those that have been met, in a fixed order."""

    def __init__(self) -> None:
        self.objects: list[object] = []
        self._numbers: dict[int, int] = {}

    def number(self, value: object) -> int | None:
        """The number of an object that has been met."""
        return self._numbers.get(id(value))

    def of(self, value: object) -> Description:
        """What `value` is.

        Raises:
            NotDescribedError: for what cannot be described.

        """
        kind = (type(value).__module__, type(value).__qualname__)
        match value:
            case np.generic() | np.dtype():
                return (kind, repr(value))
            case None | bool() | complex() | bytes() | range() | slice() | ArrayAnnotation() | IndexAnnotation():
                return (kind, repr(value))
            case int() | float() | str():
                plain = next(base for base in (int, float, str) if isinstance(value, base))
                return (kind, plain.__repr__(value))
            case tuple() | set() | frozenset() | ItemsView() | KeysView() | ValuesView():
                return (kind, tuple([self.of(item) for item in value]))
            case Nodes():
                return (kind, value.is_forest, self.of(value.make), self._declaration(value.declaration))
            case inspect.Signature():
                return (kind, tuple([(n, q.kind, self.of(q.default)) for n, q in value.parameters.items()]))
            case _:
                number = self.number(value)
                return (kind, "same", number) if number is not None else (kind, self._met(value))

    def _met(self, value: object) -> Description:
        """What has an identity, met for the first time."""
        self._numbers[id(value)] = len(self.objects)
        self.objects.append(value)
        match value:
            case FunctionType():
                return self._function(value)
            case MethodType():
                return (self.of(value.__func__), self.of(value.__self__))
            case BuiltinFunctionType():
                return (value.__qualname__, self.of(value.__self__))
            case type():
                return _class(value)
            case ModuleType():
                return (value.__name__, str(getattr(value, "__version__", "")))
            case list():
                return tuple([self.of(item) for item in value])
            case dict():
                return tuple([(self.of(key), self.of(item)) for key, item in value.items()])
            case np.ndarray():
                return _array(value)
            case property():
                return self.of(value.fget)
            case staticmethod() | classmethod():
                return self.of(value.__func__)
            case SourceProgram() | DerivedProgram() | LibraryProgram():
                return self._program(value)
            case _:
                return self._object(value)

    def _declaration(self, declaration: Declaration) -> Description:
        """The classes of a data type, and what their annotations say of their fields."""
        return tuple([(self.of(c.cls), *[_field(field) for field in c.fields]) for c in declaration.constructors])

    def _function(self, function: FunctionType) -> Description:
        given = (function.__defaults__, function.__kwdefaults__, vars(function).get("__signature__"))
        names = (function.__module__, function.__name__, function.__qualname__)
        return (names, code_description(function.__code__), tuple([self.of(part) for part in given]))

    def _program(self, program: Program) -> Description:
        match program:
            case TextProgram():
                definition = program.definition
                return (definition.name, definition.text, definition.file)
            case CustomProgram(function):
                return (program.check, self.of(function), self.of(program.jvp), self.of(program.vjp))
            case SourceProgram(function):
                return self.of(function)
            case DerivedProgram(inner, verb, wrt, single, method, checkpoint):
                return (self.of(inner), verb.value, wrt, single, method.value, checkpoint)
            case LibraryProgram(name, count):
                return (name, count)

    def _object(self, value: object) -> Description:
        """An object of any class: the class, what it is called, and what it stands for or wraps."""
        names = [_text(value, name) for name in ("__module__", "__name__")]
        program = getattr(value, "program", None)
        inner = program if isinstance(program, _PROGRAMS) else None
        wrapped = inspect.unwrap(value) if hasattr(value, "__wrapped__") and inner is None else None  # type: ignore[arg-type]
        return (*names, self.of(type(value)), self.of(inner), self.of(wrapped))


def is_described_whole(value: object) -> bool:
    """Does a description of `value` tell what it is equal to?"""
    match value:
        case tuple() | list() | set() | frozenset():
            return all([is_described_whole(item) for item in value])
        case dict():
            return all([is_described_whole(part) for item in value.items() for part in item])
        case None | int() | float() | complex() | str() | bytes() | range() | slice():
            return True
        case np.ndarray() | np.generic() | np.dtype() | MethodType() | BuiltinFunctionType():
            return True
        case _:
            return type(value).__eq__ is object.__eq__


def _text(value: object, name: str) -> str:
    found = getattr(value, name, None)
    return found if isinstance(found, str) else ""


def _class(cls: type) -> Description:
    bases = tuple([(base.__module__, base.__qualname__) for base in cls.__mro__])
    params = getattr(cls, "__dataclass_params__", None)
    says = tuple([hasattr(cls, name) for name in ("__post_init__", "__call__", "__len__", "__array__")])
    return (bases, fields_of_record(cls), repr(params), says)


def _field(field: Field) -> Description:
    leaf = "" if field.leaf is None else field.leaf.__name__
    return (field.name, field.kind.name, leaf, field.rank, *sorted(field.tags))


def _array(array: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> Description:
    if array.dtype.hasobject:
        raise NotDescribedError("an array of objects")
    return (array.dtype.str, array.shape, array.tobytes())


def code_description(code: CodeType) -> Description:
    """What the code of a function does, and where in which file it stands."""
    constants = []
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            constants.append(code_description(constant))
        elif isinstance(constant, frozenset):
            constants.append(("set", *sorted([repr(item) for item in constant])))
        else:
            constants.append((type(constant).__name__, repr(constant)))
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    shape = (code.co_flags, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)
    place = (code.co_filename, code.co_firstlineno, code.co_linetable)
    return (code.co_code, names, shape, place, tuple(constants))

"""Where a Python object comes from: an object that is known, and the steps from there to a part of it."""

from __future__ import annotations

import builtins
import inspect
from abc import ABC, abstractmethod
from collections.abc import Hashable
from types import CellType, FunctionType
from typing import Any

from fsmooth.frontend.annotations import annotations_of, field_annotations, written_annotation
from fsmooth.frontend.python.stand_ins import stand_in


class Step(ABC):
    """From an object to a part of it; written out, since the first call in every process would wait for dataclasses."""

    __slots__ = ("key",)

    def __init__(self, key: Hashable = None) -> None:
        self.key = key

    @abstractmethod
    def of(self, value: Any) -> object:
        """The part of `value` at this moment."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.key == other.key

    def __hash__(self) -> int:
        return hash((type(self), self.key))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.key!r})"


class Name(Step):
    """A name as a function sees it: in its closure, its module, or among Python's own."""

    __slots__ = ()
    key: str

    def of(self, value: FunctionType) -> object:
        """What the name stands for.

        Raises:
            ValueError: for a name of the closure that has no value yet.
            AttributeError: for a name that is nowhere.

        """
        name, closure, module = self.key, value.__closure__, value.__globals__  # at each call: so it calls nothing
        if closure is not None and name in value.__code__.co_freevars:
            return closure[value.__code__.co_freevars.index(name)].cell_contents
        return module[name] if name in module else getattr(builtins, name)

    def cell(self, function: FunctionType) -> CellType | None:
        """Where the closure of the function holds it."""
        if function.__closure__ is None or self.key not in function.__code__.co_freevars:
            return None
        return function.__closure__[function.__code__.co_freevars.index(self.key)]

    def is_built_in(self, function: FunctionType) -> bool:
        """Is it a name of Python's own, which neither closure nor module hides?"""
        return self.cell(function) is None and self.key not in function.__globals__


class Attribute(Step):
    """`.key`"""

    __slots__ = ()
    key: str

    def of(self, value: object) -> object:
        """The attribute of `value`."""
        return getattr(value, self.key)


class Item(Step):
    """`[key]`"""

    __slots__ = ()

    def of(self, value: Any) -> object:
        """The item of `value`."""
        return value[self.key]


class ClassAttribute(Step):
    """What a class, or the first of its bases that does, defines under a name; None if none does."""

    __slots__ = ()
    key: str

    def of(self, value: type) -> object:
        """The definition itself: a function, a property, a value."""
        for base in value.__mro__:
            if self.key in base.__dict__:
                return base.__dict__[self.key]
        return None


class Class(Step):
    """The class of an object."""

    __slots__ = ()

    def of(self, value: object) -> object:
        """`type(value)`"""
        return type(value)


class Size(Step):
    """The length of an object."""

    __slots__ = ()

    def of(self, value: Any) -> object:
        """`len(value)`"""
        return len(value)


class Keys(Step):
    """The keys of a dictionary, in their order."""

    __slots__ = ()

    def of(self, value: Any) -> object:
        """`tuple(value)`"""
        return tuple(value)


class Parameters(Step):
    """How a class is called."""

    __slots__ = ()

    def of(self, value: type) -> object:
        """The signature of its constructor."""
        return inspect.signature(value)


class Annotations(Step):
    """What the parameters of a function are annotated with, texts evaluated."""

    __slots__ = ()

    def of(self, value: FunctionType) -> object:
        """The annotations that fsmooth understands."""
        return annotations_of(value)


class InnerAnnotation(Step):
    """What an annotation in the body of a function means; `key` is its text."""

    __slots__ = ()
    key: str

    def of(self, value: FunctionType) -> object:
        """The annotation, if fsmooth understands it."""
        return written_annotation(value, self.key)


class FieldAnnotations(Step):
    """What the fields of a class are annotated with."""

    __slots__ = ()

    def of(self, value: type) -> object:
        """The annotations of arrays and indices."""
        return field_annotations(value)


class StandIn(Step):
    """The lambda that is read in the place of what has no source."""

    __slots__ = ()

    def of(self, value: Any) -> object:
        """A function that calls `value`."""
        return stand_in(value)


class Lookup:
    """An object, and the steps to a part of it; calling it gives the part of the moment."""

    __slots__ = ("start", "steps")

    def __init__(self, start: object, *steps: Step) -> None:
        self.start = start
        self.steps = steps

    def __call__(self) -> object:
        value = self.start
        for step in self.steps:
            value = step.of(value)
        return value

    def then(self, step: Step) -> Lookup:
        """A part of what this finds."""
        return Lookup(self.start, *self.steps, step)

    def owner(self) -> Lookup:
        """That of which this finds a part."""
        return Lookup(self.start, *self.steps[:-1])

    @property
    def name(self) -> str:
        """The last name on the way."""
        named = [step.key for step in self.steps if isinstance(step, Name | Attribute | ClassAttribute)]
        return named[-1] if named else "captured"

    def place(self) -> tuple[object, ...]:
        """The same for all functions that see the same variable: the cell or module, the name, the steps."""
        match self.start, self.steps:
            case FunctionType() as function, (Name() as first, *_):
                return (id(first.cell(function) or function.__globals__), *self.steps)
            case _:
                return (id(self.start), *self.steps)

"""What a name stands for: a local, the closure of the function, its module, Python's built-in names."""

from __future__ import annotations

import ast
import builtins
import types as python_types

import numpy as np

from fsmooth.core.term import Const, MakeTuple, Var
from fsmooth.core.types import Tuple
from fsmooth.errors import UndefinedNameError
from fsmooth.frontend.lookup import Attribute, Class, Item, Lookup, Name, Size, StandIn
from fsmooth.frontend.python.captured import captured_container, has_arrays
from fsmooth.frontend.python.displays import known, number_of, part_term
from fsmooth.frontend.python.frame import Capture, Frame
from fsmooth.frontend.python.kinds import fields_of_record, type_of_object, type_of_tree
from fsmooth.frontend.python.parts import is_part
from fsmooth.frontend.python.unassigned import assigned
from fsmooth.frontend.python.values import Missing, Static, Value


def look_up(frame: Frame, id: str, node: ast.AST) -> Value:
    """What a name stands for: local, then the function's closure, its module, Python's built-ins."""
    if id in frame.names:
        found = frame.names[id]
        if isinstance(found, Missing):
            frame.fail(UndefinedNameError, node, found.why, found.hint)
        return assigned(frame, id, found, node)
    function, name = frame.source.function, Name(id)
    fetch = Lookup(function, name)
    if frame.source.is_own and (id in function.__globals__ or hasattr(builtins, id)):
        return known(fetch())
    if not name.is_built_in(function):
        return captured(frame, fetch, node)
    if hasattr(builtins, id):
        return built_in(frame, fetch, fetch())
    close = [n for n in (*frame.names, *function.__globals__) if n.lower() == id.lower()]
    hint = f"did you mean {close[0]}?" if close else "assign it before this line, or pass it as an argument"
    frame.fail(UndefinedNameError, node, f"{id} is not defined", hint)


def captured(frame: Frame, fetch: Lookup, node: ast.AST) -> Value:
    """A value from around the function: numbers and arrays become hidden arguments, the rest is built in."""
    name, readings = fetch.name, frame.shared.readings
    try:
        value = fetch()
    except ValueError:
        frame.fail(UndefinedNameError, node, f"{name} has no value yet", "assign it before the function is called")
    if isinstance(value, bool | int | np.bool_ | np.integer):
        readings.compared(fetch, value)
        return Const(value if isinstance(value, bool | int) else value.item())
    type_ = type_of_object(value)
    if type_ is not None:
        readings.at_run_time(fetch, value)
        found = frame.shared.captures.setdefault(fetch.place(), Capture(name, Var(name, type_), fetch))
        return found.var
    tree = type_of_tree(value)
    if tree is not None:
        readings.is_complete = False  # a later process does not compare the classes of captured trees
        found = frame.shared.captures.setdefault(fetch.place(), Capture(name, Var(name, tree), fetch))
        return found.var
    fields = fields_of_record(type(value))
    if fields:
        readings.compared(fetch.then(Class()), type(value))
        parts = [captured_part(frame, fetch.then(Attribute(f)), node) for f in fields]
        if all([is_part(q) for q in parts]):
            items = tuple([part_term(frame, q, node) for q in parts])
            return MakeTuple(items, Tuple(tuple([q.type for q in items]), fields, type(value)))
    if has_arrays(value) and (container := container_of(frame, fetch, value, node)) is not None:
        return container
    if isinstance(value, python_types.ModuleType):
        return built_in(frame, fetch, value)
    readings.compared(fetch, value)
    return Static(value, fetch)


def captured_part(frame: Frame, fetch: Lookup, node: ast.AST) -> Value:
    """A part of a record that is a run-time value: if it is a container, it is one, too."""
    value = captured(frame, fetch, node)
    container = container_of(frame, fetch, value.value, node) if isinstance(value, Static) else None
    return value if container is None else container


def container_of(frame: Frame, fetch: Lookup, value: object, node: ast.AST) -> Value | None:
    """A captured container by its parts; None for anything else."""
    return captured_container(frame, fetch, value, lambda step: captured_part(frame, fetch.then(step), node), node)


def built_in(frame: Frame, fetch: Lookup, value: object) -> Value:
    """What does not change while a process runs: modules, and what is in those of Python and NumPy."""
    frame.shared.readings.found(fetch, value)
    return number_of(value) if isinstance(value, bool | int | float) else Static(value, fetch)


def attribute_of(frame: Frame, owner: Static, name: str, node: ast.AST) -> Value:
    """owner.name, of an object known at compile time, which may have another value at the next call."""
    if owner.fetch is None:
        found = getattr(owner.value, name)
        if not is_library(owner.value):
            return unrecorded(frame, found)
        return known(found.item() if isinstance(found, np.generic) else found)
    fetch = owner.fetch.then(Attribute(name))
    return built_in(frame, fetch, fetch()) if is_library(owner.value) else captured(frame, fetch, node)


def item_of(frame: Frame, owner: Static, key: object, node: ast.AST) -> Value:
    """owner[key]: what is in a container was read with it, and is compared with it; other objects find items anew."""
    found = owner.value[key]  # type: ignore[index]
    if not isinstance(owner.value, CONTAINERS):
        if owner.fetch is None or not isinstance(key, str | int):
            return unrecorded(frame, found)
        return captured(frame, owner.fetch.then(Item(key)), node)
    if isinstance(found, bool | int | float) or owner.fetch is None or not isinstance(key, str | int):
        return part_of(frame, found)
    return Static(found, owner.fetch.then(Item(key)))


def part_of(frame: Frame, found: object) -> Value:
    """What is in a container that has been read."""
    value = known(found)
    return Static(found, frame.shared.readings.known(found)) if isinstance(value, Static) else value


def readable(frame: Frame, function: Static) -> Static:
    """The function that is read for something that can be called: a lambda stands in for what has no source."""
    made = StandIn().of(function.value)
    if made is function.value:
        return function
    if function.fetch is None:
        return Static(made)
    fetch = function.fetch.then(StandIn())
    frame.shared.readings.found(fetch, made)
    return Static(made, fetch)


def bound_to(method: Static) -> Static:
    """The object that a method was taken of."""
    owner: object = method.value.__self__  # type: ignore[attr-defined]
    if method.fetch is None:
        return Static(owner)
    is_taken_here = isinstance(method.fetch.steps[-1], Attribute) and method.fetch.owner()() is owner
    return Static(owner, method.fetch.owner() if is_taken_here else method.fetch.then(Attribute("__self__")))


def size_of_object(frame: Frame, value: Static) -> Const:
    """len(value)"""
    size = len(value.value)  # type: ignore[arg-type]
    if value.fetch is not None:
        frame.shared.readings.compared(value.fetch.then(Size()), size)
    return Const(size)


def unrecorded(frame: Frame, found: object) -> Value:
    """What no later process can find again."""
    frame.shared.readings.is_complete = False
    return known(found)


CONTAINERS = (list, tuple, dict, str, bytes, range, np.ndarray)


def is_library(value: object) -> bool:
    """A module of Python or NumPy, whose constants do not change."""
    name = value.__name__ if isinstance(value, python_types.ModuleType) else ""
    return name.partition(".")[0] in ("math", "numpy", "scipy", "fsmooth", "builtins")

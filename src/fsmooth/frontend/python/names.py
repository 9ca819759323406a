"""What a name stands for: a local, the closure of the function, its module, Python's built-in names."""

from __future__ import annotations

import ast
import builtins
import types as python_types

import numpy as np

from fsmooth.core.term import Const, MakeTuple, Term, Var
from fsmooth.core.types import Tuple
from fsmooth.errors import UndefinedNameError
from fsmooth.frontend.lookup import Attribute, Item, Lookup
from fsmooth.frontend.python.displays import known
from fsmooth.frontend.python.frame import Capture, Frame, Staged
from fsmooth.frontend.python.kinds import fields_of_record, type_of_object
from fsmooth.frontend.python.values import Missing, Static, Value


def look_up(frame: Frame, id: str, node: ast.AST) -> Value:
    """What a name stands for: local, then the function's closure, its module, Python's built-ins."""
    if id in frame.names:
        found = frame.names[id]
        if isinstance(found, Missing):
            frame.fail(UndefinedNameError, node, found.why, found.hint)
        return found
    function = frame.source.function
    module = function.__globals__
    if (id in function.__code__.co_freevars and function.__closure__ is not None) or id in module:
        return captured(frame, Lookup(function, id), node)
    if hasattr(builtins, id):
        return Static(getattr(builtins, id))
    close = [n for n in (*frame.names, *module) if n.lower() == id.lower()]
    hint = f"did you mean {close[0]}?" if close else "assign it before this line, or pass it as an argument"
    frame.fail(UndefinedNameError, node, f"{id} is not defined", hint)


def captured(frame: Frame, fetch: Lookup, node: ast.AST) -> Value:
    """A value from around the function: numbers and arrays become hidden arguments, the rest is staged."""
    name = fetch.name if not fetch.steps else getattr(fetch.steps[-1], "name", fetch.name)
    try:
        value = fetch()
    except ValueError:
        frame.fail(UndefinedNameError, node, f"{name} has no value yet", "assign it before the function is called")
    if isinstance(value, bool | int | np.bool_ | np.integer):
        frame.shared.staged.append(Staged(fetch, value))
        return Const(value if isinstance(value, bool | int) else value.item())
    type_ = type_of_object(value)
    if type_ is not None:
        found = frame.shared.captures.setdefault(fetch.place(), Capture(name, Var(name, type_), fetch))
        return found.var
    fields = fields_of_record(type(value))
    if fields:
        parts = [captured(frame, fetch.then(Attribute(f)), node) for f in fields]
        items = [q for q in parts if isinstance(q, Term)]
        if len(items) == len(parts):
            return MakeTuple(tuple(items), Tuple(tuple([q.type for q in items]), fields, type(value)))
    if not isinstance(value, python_types.ModuleType):
        frame.shared.staged.append(Staged(fetch, value))
    return Static(value, fetch)


def attribute_of(frame: Frame, owner: Static, name: str, node: ast.AST) -> Value:
    """owner.name, of an object known at compile time, which may have another value at the next call."""
    found = getattr(owner.value, name)
    if owner.fetch is None or is_library(owner.value):
        return known(found)
    return captured(frame, owner.fetch.then(Attribute(name)), node)


def item_of(owner: Static, key: object, found: object) -> Value:
    """owner[key], of a container, which is compared as a whole at each call."""
    value = known(found)
    if isinstance(value, Static) and owner.fetch is not None and isinstance(key, str | int):
        return Static(found, owner.fetch.then(Item(key)))
    return value


def is_library(value: object) -> bool:
    """A module of Python or NumPy, whose constants do not change."""
    name = value.__name__ if isinstance(value, python_types.ModuleType) else ""
    return name.partition(".")[0] in ("math", "numpy", "scipy", "fsmooth", "builtins")

"""What a name stands for: a local, the closure of the function, its module, Python's built-in names."""

from __future__ import annotations

import ast
import builtins
import types as python_types

import numpy as np

from fsmooth.core.term import Const, Var
from fsmooth.errors import UndefinedNameError
from fsmooth.frontend.lookup import Lookup
from fsmooth.frontend.python.frame import Capture, Frame, Staged
from fsmooth.frontend.python.kinds import type_of_object
from fsmooth.frontend.python.values import Missing, Static, Value


def look_up(frame: Frame, id: str, node: ast.AST) -> Value:
    """What a name stands for: local, then the function's closure, its module, Python's built-ins."""
    if id in frame.names:
        found = frame.names[id]
        if isinstance(found, Missing):
            frame.fail(UndefinedNameError, node, found.why, found.hint)
        return found
    function = frame.source.function
    free = function.__code__.co_freevars
    if id in free and function.__closure__ is not None:
        cell = function.__closure__[free.index(id)]
        return captured(frame, id, Lookup(function, id), id_of(cell), node)
    module = function.__globals__
    if id in module:
        return captured(frame, id, Lookup(function, id), id_of(module), node)
    if hasattr(builtins, id):
        return Static(getattr(builtins, id))
    close = [n for n in (*frame.names, *module) if n.lower() == id.lower()]
    hint = f"did you mean {close[0]}?" if close else "assign it before this line, or pass it as an argument"
    frame.fail(UndefinedNameError, node, f"{id} is not defined", hint)


def captured(frame: Frame, name: str, fetch: object, owner: int, node: ast.AST) -> Value:
    """A value from around the function: numbers and arrays become hidden arguments, the rest is staged."""
    assert callable(fetch)
    try:
        value = fetch()
    except ValueError:
        frame.fail(UndefinedNameError, node, f"{name} has no value yet", "assign it before the function is called")
    if isinstance(value, bool | int | np.bool_ | np.integer):
        frame.shared.staged.append(Staged(fetch, value))
        return Const(value if isinstance(value, bool | int) else value.item())
    type_ = type_of_object(value)
    if type_ is not None:
        key = (owner, name)
        if key not in frame.shared.captures:
            frame.shared.captures[key] = Capture(name, Var(name, type_), fetch)
        return frame.shared.captures[key].var
    if not isinstance(value, python_types.ModuleType):
        frame.shared.staged.append(Staged(fetch, value))
    return Static(value)


def id_of(owner: object) -> int:
    """The identity of a cell or module."""
    return id(owner)

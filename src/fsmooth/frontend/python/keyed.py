"""The entries of dictionaries: `d[key]`."""

from __future__ import annotations

import ast

from fsmooth.errors import TypeMismatchError, UndefinedNameError
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.functions import constant_object
from fsmooth.frontend.python.values import Keyed, Value


def key_of(frame: Frame, node: ast.expr) -> object:
    """A key, which is known at compile time."""
    key = constant_object(frame, node)
    try:
        hash(key)
    except TypeError as error:
        frame.fail(TypeMismatchError, node, f"{frame.source.segment(node)}: {error}", "use a number or a text as a key")
    return key


def entry(frame: Frame, owner: Keyed, node: ast.Subscript) -> Value:
    """d[key]."""
    key = key_of(frame, node.slice)
    if key not in owner.entries:
        there = ", ".join([repr(k) for k in owner.entries])
        frame.fail(UndefinedNameError, node, f"there is no key {key!r}", f"its keys are {there}")
    return owner.entries[key]

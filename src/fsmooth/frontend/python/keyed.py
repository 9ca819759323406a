"""The entries of dictionaries: `d[key]`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection

from fsmooth.core.term import Const, Term, Var
from fsmooth.errors import TypeMismatchError, UndefinedNameError
from fsmooth.frontend.python.alternatives import as_kind, for_kinds, is_of_kinds, possible_kinds
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.functions import constant_object
from fsmooth.frontend.python.values import Keyed, Static, Value


def key_of(frame: Frame, node: ast.expr) -> object:
    """A key, which is known at compile time."""
    key = constant_object(frame, node)
    try:
        hash(key)
    except TypeError as error:
        frame.fail(TypeMismatchError, node, f"{frame.source.segment(node)}: {error}", "use a number or a text as a key")
    return key


def entry_by_kind(
    frame: Frame, keys: Collection[object], find: Callable[[object], Value], node: ast.Subscript
) -> Value | None:
    """d[key], where the key is one of several texts or numbers that are known; None if it is not."""
    key = frame.expression(node.slice)
    if not isinstance(key, Term) or not is_of_kinds(key):
        return None
    key = key if isinstance(key, Var) else frame.bind(key, "key")

    def known_key(kind: int) -> object:
        one = as_kind(key, kind)
        return one.value if isinstance(one, Static | Const) else one

    def use(one: Value) -> Value:
        assert isinstance(one, Static | Const)
        return find(one.value)

    wanted = [kind for kind in possible_kinds(frame, key) if known_key(kind) in keys]
    return for_kinds(frame, key, wanted, use, node, "KeyError", f", and no key of {frame.source.segment(node.value)}")


def entry(frame: Frame, owner: Keyed, node: ast.Subscript) -> Value:
    """d[key]."""
    chosen = entry_by_kind(frame, owner.entries, owner.entries.__getitem__, node)
    if chosen is not None:
        return chosen
    key = key_of(frame, node.slice)
    if key not in owner.entries:
        there = ", ".join([repr(k) for k in owner.entries])
        frame.fail(UndefinedNameError, node, f"there is no key {key!r}", f"its keys are {there}")
    return owner.entries[key]

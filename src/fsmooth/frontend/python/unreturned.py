"""Branches that need a value whose type is not known yet, of a call or of a name: what the other branches give says what it is.

A definition is first read with its own calls unknown (recursion.py): a branch with such a call is left out, and so is a loop
whose steps have one, since it may have none.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeVar

_T = TypeVar("_T")


class Unreturned(Exception):  # noqa: N818  (no mistake: it is read again once the type is known)
    """The value of a call is needed before the type of what it calls is known."""

    def __init__(self, node: ast.AST) -> None:
        self.node = node


class Unassigned(Unreturned):
    """A name is read that the steps of a loop have not assigned so far: in those that follow it may have a value."""

    def __init__(self, name: str, node: ast.AST) -> None:
        super().__init__(node)
        self.name = name


def either_known(first: Callable[[], _T], second: Callable[[], _T]) -> tuple[_T | None, _T | None]:
    """What two branches give; None for one that needs a call without a value yet, if the other does not."""
    try:
        one = first()
    except Unreturned:
        return None, second()
    try:
        return one, second()
    except Unreturned:
        return one, None

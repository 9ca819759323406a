"""The functions of M̃ on terms."""

from __future__ import annotations

import ast
from collections.abc import Callable

from fsmooth import library as algebra
from fsmooth.core.term import Term
from fsmooth.core.types import F32, Float, leaf_of
from fsmooth.core.weak import is_weak
from fsmooth.errors import TypeMismatchError
from fsmooth.frontend.python.conversion import convert
from fsmooth.frontend.python.frame import Frame

VIEWS = frozenset({"ravel", "transpose", "flip", "diagonal"})
"""What shares the memory of its argument in NumPy."""


def library(frame: Frame, name: str, arguments: list[Term], node: ast.AST) -> Term:
    return expanded(frame, name, list(arguments), node)


def at_one_width(
    frame: Frame, arguments: list[Term | Callable[..., Term]], node: ast.AST
) -> list[Term | Callable[..., Term]]:
    """The arguments, numbers that are weak at the width of those that are not."""
    leaves = [leaf_of(a.type) for a in arguments if isinstance(a, Term)]
    strong = {leaf for leaf in leaves if isinstance(leaf, Float) and not is_weak(leaf)}
    if strong != {F32}:
        return arguments
    return [
        convert(frame, a, F32, node) if isinstance(a, Term) and isinstance(a.type, Float) and is_weak(a.type) else a
        for a in arguments
    ]


def expanded(frame: Frame, name: str, arguments: list[Term | Callable[..., Term]], node: ast.AST) -> Term:
    """M̃'s definition of `name` on these arguments."""
    given = [frame.bind(a, "a") if isinstance(a, Term) else a for a in at_one_width(frame, arguments, node)]
    try:
        result = algebra.expand(name, given, frame.site(node, frame.source.segment(node)))
    except algebra.WrongArguments as error:
        frame.fail(TypeMismatchError, node, str(error).split("\n", 1)[0], "look at the types of the arguments")
    if name in VIEWS and given and isinstance(given[0], Term):
        result = frame.bind(result, name)
        frame.shared.views.remember(result, given[0])
    return result

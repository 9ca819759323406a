"""The functions of M̃ on terms."""

from __future__ import annotations

import ast
from collections.abc import Callable

from fsmooth.core.term import MakeTuple, Term
from fsmooth.core.types import F32, INT, Bool, array_of, leaf_of, rank_of
from fsmooth.errors import TypeMismatchError
from fsmooth.frontend.python.broadcasting import elementwise
from fsmooth.frontend.python.conversion import convert
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.weak import at_one_width
from fsmooth.library import algebra

VIEWS = frozenset({"ravel", "transpose", "flip", "diagonal"})
"""What shares the memory of its argument in NumPy."""


def library(frame: Frame, name: str, arguments: list[Term], node: ast.AST) -> Term:
    return expanded(frame, name, list(arguments), node)


def expanded(frame: Frame, name: str, arguments: list[Term | Callable[..., Term]], node: ast.AST) -> Term:
    """M̃'s definition of `name` on these arguments; a function of numbers is mapped over arrays."""
    terms = [a for a in arguments if isinstance(a, Term)]
    if algebra.is_elementwise(name) and len(terms) == len(arguments):
        return elementwise(frame, lambda *numbers: inlined(frame, name, list(numbers), node), terms, node)
    return inlined(frame, name, arguments, node)


def inlined(frame: Frame, name: str, arguments: list[Term | Callable[..., Term]], node: ast.AST) -> Term:
    """M̃'s definition of `name`, which stands here."""
    numbers = at_one_width([a for a in arguments if isinstance(a, Term)], lambda a: convert(frame, a, F32, node))
    given = [named(frame, numbers.pop(0)) if isinstance(a, Term) else a for a in arguments]
    try:
        result = algebra.expand(name, given, frame.site(node, frame.source.segment(node)))
    except algebra.WrongArguments as error:
        counted = truths_as_numbers(frame, given, node)
        if counted is not None:
            return inlined(frame, name, counted, node)
        frame.fail(TypeMismatchError, node, str(error).split("\n", 1)[0], "look at the types of the arguments")
    if name in VIEWS and given and isinstance(given[0], Term):
        result = frame.bind(result, name)
        frame.shared.views.remember(result, given[0])
    return result


def truths_as_numbers(
    frame: Frame, arguments: list[Term | Callable[..., Term]], node: ast.AST
) -> list[Term | Callable[..., Term]] | None:
    """Arguments of which some are truth values and others numbers, all as numbers; None if there are no such."""
    kinds = [isinstance(leaf_of(a.type), Bool) if isinstance(a, Term) else None for a in arguments]
    if True not in kinds or False not in kinds:
        return None
    return [
        convert(frame, a, array_of(INT, rank_of(a.type)), node) if is_truth and isinstance(a, Term) else a
        for a, is_truth in zip(arguments, kinds, strict=True)
    ]


def named(frame: Frame, argument: Term) -> Term:
    """An argument that may be mentioned often; a tuple, of sizes for the most part, by its components."""
    if isinstance(argument, MakeTuple):
        return MakeTuple(tuple([named(frame, item) for item in argument.items]), argument.type)
    return frame.bind(argument, "a")

"""The arguments of NumPy's functions: matched by name, read as axes, flags, element types and arrays."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable

import numpy as np

from fsmooth.core.build import components
from fsmooth.core.term import Const, MakeTuple, Term, Vector
from fsmooth.core.types import Array, Int, Tuple, Type, rank_of
from fsmooth.errors import ArgumentMismatchError, TypeMismatchError
from fsmooth.frontend.python.displays import array_of_parts, display, known
from fsmooth.frontend.python.dtypes import type_of_dtype
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.functions import matched
from fsmooth.frontend.python.iterables import iterable_value
from fsmooth.frontend.python.sizes import constant_size
from fsmooth.frontend.python.values import Default, Static, Unrolled, Value
from fsmooth.frontend.python.weak import strengthened

OnTerms = Callable[..., Value]
"""A function of NumPy as (frame, node, arguments by name …): the rest of its signature is what the user may give."""


NOTHING, NO, FIRST, LAST, BY_ROWS = Static(None), Const(False), Const(0), Const(-1), Static("C")
"""What stands for arguments that are not given."""


def on_terms(frame: Frame, function: OnTerms, node: ast.Call, *first: Value) -> Value:
    """A call of a function of NumPy, whose arguments are matched as Python does; `first` come before those written."""
    signature = inspect.signature(function)
    _, _, *written = signature.parameters.values()
    own = [q if q.default is q.empty else q.replace(default=Default(q.default)) for q in written]
    values = matched(frame, signature.replace(parameters=own), node, *first)
    return function(frame, node, **values)


def is_none(value: Value) -> bool:
    """Is it the Python object None?"""
    return isinstance(value, Static) and value.value is None


def array_of(frame: Frame, value: Value, node: ast.AST) -> Term:
    """A number or an array; a tuple of numbers is one, as in NumPy."""
    term = frame.term(value, node)
    if isinstance(term.type, Array):
        term = array_of_parts(frame, term, node)
    if isinstance(term.type, Tuple):
        term = display(frame, [array_of(frame, item, node) for item in components(term)], node)
    return strengthened(term) if isinstance(term.type, Array) else term  # a list of Python's floats is of float64


def number(frame: Frame, value: Value, node: ast.AST, what: str) -> int:
    """An integer that is known while compiling."""
    if isinstance(value, Static) and isinstance(value.value, int | np.integer):
        return int(value.value)
    known = constant_size(frame, value) if isinstance(value, Term) and isinstance(value.type, Int) else None
    if known is not None:
        return known
    frame.fail(ArgumentMismatchError, node, f"{what} must be an integer known while compiling", "write it as a number")


def flag(frame: Frame, value: Value, node: ast.AST, what: str) -> bool:
    """A truth value that is known while compiling."""
    if isinstance(value, Const | Static) and isinstance(value.value, bool | np.bool_ | int):
        return bool(value.value)
    frame.fail(ArgumentMismatchError, node, f"{what} must be True or False", "write True or False")


def axis_of(frame: Frame, value: Value, rank: int, node: ast.AST) -> int:
    """An axis of an array of this rank; negative ones count from the last."""
    given = number(frame, value, node, "an axis")
    if not -rank <= given < rank:
        hint = f"its axes are 0 to {rank - 1}" if rank > 1 else "its only axis is 0" if rank else "a number has no axes"
        frame.fail(ArgumentMismatchError, node, f"axis {given} of an array of rank {rank}", hint)
    return given % rank


def axes_of(frame: Frame, value: Value, rank: int, node: ast.AST) -> tuple[int, ...] | None:
    """Several axes, one, or None for all of them."""
    if is_none(value):
        return None
    given = items(value)
    chosen = [axis_of(frame, one, rank, node) for one in ([value] if given is None else given)]
    if len(set(chosen)) < len(chosen):
        frame.fail(ArgumentMismatchError, node, "an axis is named twice", "name each axis once")
    return tuple(chosen)


def items(value: Value) -> list[Value] | None:
    """The parts of a tuple, or of a list that is written out; None for anything else."""
    match value:
        case MakeTuple(parts) | Vector(parts) | Unrolled(parts):
            return list(parts)
        case Static(tuple() | list() as inner):
            return [known(x) for x in inner]
        case Term(type=Tuple()):
            return list(components(value))
        case _:
            return None


def parts_of(frame: Frame, value: Value, node: ast.AST) -> list[Term]:
    """The arrays in a tuple or a list, or the rows of an array of a size that is known."""
    given = items(value)
    if given is None:
        source = iterable_value(frame, value, node)
        if not isinstance(source, Unrolled):
            what = "the parts must be known while compiling"
            frame.fail(TypeMismatchError, node, what, "write them out: (a, b)")
        given = list(source.items)
    return [array_of(frame, part, node) for part in given]


def written_parts(frame: Frame, node: ast.Call) -> Value | None:
    """The first argument where it is a list or a tuple that is written out: its parts may have unlike shapes."""
    if node.args and isinstance(node.args[0], ast.Tuple | ast.List):
        return Unrolled(tuple([frame.expression(part) for part in node.args[0].elts]))
    return None


def nested_parts(frame: Frame, node: ast.Call) -> Value | None:
    """The first argument, with every list in it that is written out as its parts, which may have unlike shapes."""

    def read(part: ast.expr) -> Value:
        if isinstance(part, ast.List):
            return Unrolled(tuple([read(inner) for inner in part.elts]))
        return frame.expression(part)

    return read(node.args[0]) if node.args and isinstance(node.args[0], ast.List) else None


def element_type(frame: Frame, value: Value, node: ast.AST) -> Type | None:
    """The type that a dtype stands for; None for None."""
    if isinstance(value, Static):
        return type_of_dtype(frame, value.value, node, "this dtype")
    frame.unsupported(node, "this dtype", "use float, np.float32, int or bool")


def refused(frame: Frame, node: ast.AST, **given: Value) -> None:
    """Keywords that only None is understood of."""
    for name, value in given.items():
        if not is_none(value):
            hint = "assign the result to a name" if name == "out" else "leave it out"
            frame.unsupported(node, f"the keyword {name}", hint)


def rank(term: Term) -> int:
    """The number of axes."""
    return rank_of(term.type) if isinstance(term.type, Array) else 0

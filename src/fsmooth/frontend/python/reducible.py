"""What the element of a reduction may be, what changes nothing, and two elements combined."""

from __future__ import annotations

import ast

from fsmooth.core import primitives as p
from fsmooth.core.build import number
from fsmooth.core.term import Const, If, Prim, Reduction, Term, Zero
from fsmooth.core.types import INT, Bool, Float, Int, Tuple, is_additive, is_numeric
from fsmooth.errors import TypeMismatchError, UnsupportedError
from fsmooth.frontend.python.arithmetic import binary
from fsmooth.frontend.python.conversion import common, convert, truth
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.kinds import describe


def neutral(frame: Frame, reduction: Reduction, value: Term, node: ast.AST) -> Term:
    match reduction:
        case Reduction.SUM:
            if isinstance(value.type, Float | Int):
                return Zero((), value.type)
            frame.fail(UnsupportedError, node, "a filter in a sum of arrays", "write sum(x if c else zeros … for …)")
        case Reduction.PRODUCT:
            return number(1, value.type)
        case _:
            return Const(reduction is Reduction.ALL)


def reducible(frame: Frame, reduction: Reduction, term: Term, node: ast.AST) -> Term:
    """An element of a reduction, at a type that can be reduced."""
    match reduction:
        case Reduction.ALL | Reduction.ANY:
            return truth(frame, term, node)
        case Reduction.SUM:
            if isinstance(term.type, Bool):
                return convert(frame, term, INT, node)
            if not is_additive(term.type) or isinstance(term.type, Tuple):
                frame.fail(
                    TypeMismatchError, node, f"{describe(term.type)} cannot be summed", "sum each part by itself"
                )
        case _:
            if not is_numeric(term.type):
                frame.fail(TypeMismatchError, node, f"{reduction.value} of {describe(term.type)}", "take it of numbers")
    return term


def combined(frame: Frame, reduction: Reduction, a: Term, b: Term, node: ast.AST) -> Term:
    match reduction:
        case Reduction.SUM:
            return binary(frame, ast.Add(), a, b, node)
        case Reduction.PRODUCT:
            return binary(frame, ast.Mult(), a, b, node)
        case Reduction.MAX | Reduction.MIN:
            a, b = common(frame, a, b, node)
            return Prim(p.maximum if reduction is Reduction.MAX else p.minimum, (a, b))
        case Reduction.ALL:
            return If(a, b, Const(False))
        case _:
            return If(a, Const(True), b)

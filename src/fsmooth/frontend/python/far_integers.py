"""Integers of the text that do not fit into 64 bits: beside a real number they are one; as integers they are refused."""

from __future__ import annotations

import ast

from fsmooth.core.integers import LIMIT
from fsmooth.core.term import Const, Prim, Term
from fsmooth.core.traverse import subterms
from fsmooth.core.types import Bool, Int
from fsmooth.errors import UnsupportedError
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.values import Value


def is_far(term: Term) -> bool:
    """Is it a constant integer that does not fit?"""
    return isinstance(term, Const) and isinstance(term.type, Int) and not -LIMIT <= term.value < LIMIT


def with_near_operands(frame: Frame, value: Value, node: ast.expr) -> Value:
    """The value of an expression, if none of the integers that it computes with is too far from zero."""
    if isinstance(value, Prim) and isinstance(value.type, Int | Bool):
        refuse(frame, value.arguments, node)
    return value


def without_far_integers(frame: Frame, result: Term, node: ast.AST) -> Term:
    """The result of a program, if there is no such integer in it."""
    refuse(frame, tuple(subterms(result)), node)
    return result


def refuse(frame: Frame, terms: tuple[Term, ...], node: ast.AST) -> None:
    """An error at the node, if one of the terms is such an integer."""
    for term in terms:
        if is_far(term):
            assert isinstance(term, Const)
            hint = "integers are from -2**63 to 2**63 - 1; write a real number"
            frame.fail(UnsupportedError, node, f"{term.value} does not fit into an integer of 64 bits", hint)

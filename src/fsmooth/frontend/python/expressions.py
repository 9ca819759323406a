"""Expressions: one case for each kind."""

from __future__ import annotations

import ast
from typing import NoReturn

from fsmooth.core.term import Term
from fsmooth.frontend.python.arithmetic import binary
from fsmooth.frontend.python.calls import call
from fsmooth.frontend.python.comprehensions import comprehension
from fsmooth.frontend.python.displays import constant, display, display_element, tuple_display, written_lists
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.functions import closure
from fsmooth.frontend.python.library import library
from fsmooth.frontend.python.logic import comparison, conditional_expression, logic, unary
from fsmooth.frontend.python.names import look_up
from fsmooth.frontend.python.subscripts import attribute, subscript_expression
from fsmooth.frontend.python.values import Unrolled, Value

INSTEAD_OF_EXPRESSIONS = {
    ast.Dict: ("a dictionary display", "pass a NamedTuple or a dataclass instead"),
    ast.Set: ("a set display", "use a list"),
    ast.DictComp: ("a dictionary comprehension", "use a list comprehension"),
    ast.SetComp: ("a set comprehension", "use a list comprehension"),
    ast.JoinedStr: ("an f-string", "format outside the compiled function"),
    ast.NamedExpr: ("the walrus operator", "assign on a line of its own"),
    ast.Await: ("await", "call the function from asynchronous code instead"),
    ast.Yield: ("yield", "build an array with a comprehension"),
    ast.YieldFrom: ("yield from", "build an array with a comprehension"),
    ast.Starred: ("a starred expression", "write the elements out"),
}


def expression(frame: Frame, node: ast.expr) -> Value:
    """The value of an expression."""
    match node:
        case ast.Constant(value):
            return constant(frame, value)
        case ast.Name(id):
            return look_up(frame, id, node)
        case ast.BinOp(left, op, right):
            if isinstance(op, ast.MatMult):
                return library(frame, "matmul", [frame.value(left), frame.value(right)], node)
            written = written_lists(frame, left, op, right, node)
            return binary(frame, op, frame.value(left), frame.value(right), node) if written is None else written
        case ast.UnaryOp(op, operand):
            return unary(frame, op, operand, node)
        case ast.BoolOp(op, values):
            return logic(frame, op, values, node)
        case ast.Compare():
            return comparison(frame, node)
        case ast.IfExp(test, body, orelse):
            return conditional_expression(frame, test, body, orelse, node)
        case ast.Subscript():
            return subscript_expression(frame, node)
        case ast.Attribute():
            return attribute(frame, node)
        case ast.Tuple(elts):
            return tuple_display(frame, [display_element(frame, e) for e in elts])
        case ast.List(elts):
            items = [display_element(frame, e) for e in elts]
            terms = [x for x in items if isinstance(x, Term)]
            return display(frame, terms, node) if len(terms) == len(items) else Unrolled(tuple(items))
        case ast.ListComp():
            return comprehension(frame, node)
        case ast.Lambda():
            return closure(frame, node)
        case ast.Call():
            return call(frame, node)
        case ast.GeneratorExp():
            frame.unsupported(node, "a generator here", "give it to sum, max, min, any or all, or write a list")
        case _:
            outside(frame, node)


def outside(frame: Frame, node: ast.AST) -> NoReturn:
    """Report Python that is not part of the language."""
    what, hint = INSTEAD_OF_EXPRESSIONS.get(
        type(node), (f"this ({type(node).__name__})", "compute it outside and pass it in")
    )
    frame.unsupported(node, what, hint)

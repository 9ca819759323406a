"""Expressions: one case for each kind."""

from __future__ import annotations

import ast
from typing import NoReturn

from fsmooth.core.term import Const, Term
from fsmooth.frontend.python.alternatives import operand
from fsmooth.frontend.python.arithmetic import binary
from fsmooth.frontend.python.arrays.products import matmul
from fsmooth.frontend.python.calls import call
from fsmooth.frontend.python.comprehensions import comprehension
from fsmooth.frontend.python.containers import keyed_comprehension, keyed_display, set_display
from fsmooth.frontend.python.displays import constant, display_element, list_of, repeated_list, tuple_display
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.functions import closure
from fsmooth.frontend.python.list_sums import added, list_display, repeated
from fsmooth.frontend.python.logic import comparison, conditional_expression, logic, unary
from fsmooth.frontend.python.matching import has_length, part_at
from fsmooth.frontend.python.names import look_up
from fsmooth.frontend.python.own_operators import own_operation
from fsmooth.frontend.python.spreading import starred_display
from fsmooth.frontend.python.subscripts import attribute, subscript_expression
from fsmooth.frontend.python.syntax import OfLength, Positional
from fsmooth.frontend.python.targets import assign_target
from fsmooth.frontend.python.values import Listed, Static, Value

INSTEAD_OF_EXPRESSIONS = {
    ast.JoinedStr: ("an f-string of run-time values", "format outside the compiled function"),
    ast.Await: ("await", "call the function from asynchronous code instead"),
    ast.Yield: ("yield", "append to a list and return it, or write a comprehension"),
    ast.YieldFrom: ("yield from", "append to a list and return it, or write a comprehension"),
    ast.Starred: ("a starred expression here", "write the elements out, or use a list"),
}


def expression(frame: Frame, node: ast.expr) -> Value:
    """The value of an expression."""
    match node:
        case ast.Constant(value):
            return constant(frame, value)
        case ast.Name(id):
            return look_up(frame, id, node)
        case ast.BinOp(left, op, right):
            repeated = repeated_list(frame, left, op, right, node)
            return operation(frame, left, op, right, node) if repeated is None else repeated
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
        case ast.Tuple(elts) if any([isinstance(e, ast.Starred) for e in elts]):
            parts = starred_display(frame, elts, node)
            if parts is None:
                outside(frame, next(e for e in elts if isinstance(e, ast.Starred)))
            return tuple_display(frame, parts)
        case ast.List(elts) if any([isinstance(e, ast.Starred) for e in elts]):
            return list_display(frame, elts, node)
        case ast.Tuple(elts):
            return tuple_display(frame, [display_element(frame, e) for e in elts])
        case ast.List(elts):
            items = tuple([display_element(frame, e) for e in elts])
            return list_of(frame, items, Listed(items), node)
        case ast.Dict():
            return keyed_display(frame, node)
        case ast.DictComp():
            return keyed_comprehension(frame, node, assign_target)
        case ast.Set() | ast.SetComp():
            return set_display(frame, node, assign_target)
        case ast.ListComp():
            return comprehension(frame, node)
        case ast.NamedExpr(target, value):
            return assigned_here(frame, target, value)
        case ast.JoinedStr(parts):
            return formatted(frame, parts, node)
        case ast.Lambda():
            return closure(frame, node)
        case ast.Call():
            return call(frame, node)
        case Positional():
            return part_at(frame, node)
        case OfLength():
            return has_length(frame, node)
        case ast.GeneratorExp():
            frame.unsupported(node, "a generator here", "give it to sum, max, min, any or all, or write a list")
        case _:
            outside(frame, node)


def assigned_here(frame: Frame, target: ast.Name, value: ast.expr) -> Value:
    """(name := e)."""
    result = frame.expression(value)
    frame.names[target.id] = frame.bind(result, target.id) if isinstance(result, Term) else result
    frame.assigned_inside.append(target.id)
    return frame.names[target.id]


def formatted(frame: Frame, parts: list[ast.expr], node: ast.AST) -> Static:
    """An f-string of what is known at compile time."""
    texts = []
    for part in parts:
        value = frame.expression(part.value if isinstance(part, ast.FormattedValue) else part)
        if not isinstance(value, Static | Const) or getattr(part, "format_spec", None) is not None:
            outside(frame, node)
        texts.append(str(value.value))
    return Static("".join(texts))


def operation(frame: Frame, left: ast.expr, op: ast.operator, right: ast.expr, node: ast.AST) -> Value:
    """Left op right; + of lists and tuples puts them one after the other, * with an integer repeats a list."""
    first, second = frame.expression(left), frame.expression(right)
    own = own_operation(frame, op, first, second, node)
    if own is not None:
        return own
    first, second = operand(frame, first, left), operand(frame, second, right)
    of_lists = {ast.Add: added, ast.Mult: repeated}.get(type(op))
    together = None if of_lists is None else of_lists(frame, first, second, node)
    if together is not None:
        return together
    a, b = frame.term(first, left), frame.term(second, right)
    return matmul(frame, node, a, b) if isinstance(op, ast.MatMult) else binary(frame, op, a, b, node)


def outside(frame: Frame, node: ast.AST) -> NoReturn:
    """Report Python that is not part of the language."""
    what, hint = INSTEAD_OF_EXPRESSIONS.get(
        type(node), (f"this ({type(node).__name__})", "compute it outside and pass it in")
    )
    frame.unsupported(node, what, hint)

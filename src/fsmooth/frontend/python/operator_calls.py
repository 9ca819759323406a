"""Functions of the module operator: what they stand for."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable

from fsmooth.errors import ArgumentMismatchError
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.functions import keywords
from fsmooth.frontend.python.values import Value

_BINARY: dict[object, ast.operator] = {
    operator.add: ast.Add(),
    operator.sub: ast.Sub(),
    operator.mul: ast.Mult(),
    operator.truediv: ast.Div(),
    operator.floordiv: ast.FloorDiv(),
    operator.mod: ast.Mod(),
    operator.pow: ast.Pow(),
    operator.matmul: ast.MatMult(),
    operator.and_: ast.BitAnd(),
    operator.or_: ast.BitOr(),
    operator.xor: ast.BitXor(),
}
_COMPARING: dict[object, ast.cmpop] = {
    operator.lt: ast.Lt(),
    operator.le: ast.LtE(),
    operator.gt: ast.Gt(),
    operator.ge: ast.GtE(),
    operator.eq: ast.Eq(),
    operator.ne: ast.NotEq(),
}
_UNARY: dict[object, ast.unaryop] = {
    operator.neg: ast.USub(),
    operator.pos: ast.UAdd(),
    operator.invert: ast.Invert(),
    operator.not_: ast.Not(),
}

_Made = Callable[[ast.expr], ast.expr] | Callable[[ast.expr, ast.expr], ast.expr]

MEANING: dict[object, tuple[int, _Made]] = {
    **{f: (2, lambda a, b, op=op: ast.BinOp(a, op, b)) for f, op in _BINARY.items()},
    **{f: (2, lambda a, b, op=op: ast.Compare(a, [op], [b])) for f, op in _COMPARING.items()},
    **{f: (1, lambda a, op=op: ast.UnaryOp(op, a)) for f, op in _UNARY.items()},
    operator.getitem: (2, lambda a, b: ast.Subscript(a, b, ast.Load())),
}
"""For each function the number of its arguments, and the expression with them."""


def operator_call(frame: Frame, function: object, node: ast.Call) -> Value:
    """`operator.mul(a, b)` is `a * b`."""
    keywords(frame, node, ())
    count, made = MEANING[function]
    if len(node.args) != count:
        name = frame.source.segment(node.func)
        what = f"{name} takes {count} argument{'s' * (count != 1)}, not {len(node.args)}"
        frame.fail(ArgumentMismatchError, node, what, "give every argument")
    return frame.expression(ast.copy_location(made(*node.args), node))

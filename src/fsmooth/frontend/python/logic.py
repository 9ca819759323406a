"""Truth: `and`, `or`, `not`, comparisons, `a if c else b`."""

from __future__ import annotations

import ast

from fsmooth.core import primitives as p
from fsmooth.core.primitives import Primitive
from fsmooth.core.term import Const, If, Prim, Term
from fsmooth.core.types import Bool
from fsmooth.frontend.python.arithmetic import elementwise
from fsmooth.frontend.python.conversion import branch, common, convert, truth
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.values import Static, Value

COMPARISON: dict[type[ast.cmpop], Primitive] = {
    ast.Lt: p.less,
    ast.LtE: p.less_equal,
    ast.Gt: p.greater,
    ast.GtE: p.greater_equal,
    ast.Eq: p.equal,
    ast.NotEq: p.not_equal,
}


def unary(frame: Frame, op: ast.unaryop, operand: ast.expr, node: ast.AST) -> Term:
    """-x, +x, not x."""
    x = frame.value(operand)
    match op:
        case ast.USub():
            if isinstance(x, Const) and not isinstance(x.value, bool):
                return Const(-x.value, x.type)
            return elementwise(frame, lambda a: Prim(p.negate, (a,)), [x], node)
        case ast.UAdd():
            return x
        case ast.Not():
            holds = truth(frame, x, node)
            return Const(not holds.value) if isinstance(holds, Const) else Prim(p.logical_not, (holds,))
        case _:
            frame.unsupported(node, "~", "use not, or -x - 1")


def logic(frame: Frame, op: ast.boolop, values: list[ast.expr], node: ast.AST) -> Term:
    """`and` and `or`, which stop early."""
    first, *rest = values
    left = truth(frame, frame.value(first), first)
    if not rest:
        return left
    if isinstance(left, Const):
        goes_on = bool(left.value) is isinstance(op, ast.And)
        return logic(frame, op, rest, node) if goes_on else left
    right = frame.inside(lambda: logic(frame, op, rest, node), conditional=True)
    return If(left, right, Const(False)) if isinstance(op, ast.And) else If(left, Const(True), right)


def comparison(frame: Frame, node: ast.Compare) -> Value:
    """A < b, and chains of comparisons."""
    if len(node.ops) == 1 and isinstance(node.ops[0], ast.Is | ast.IsNot | ast.In | ast.NotIn):
        return static_comparison(frame, node)
    left = frame.expression(node.left)
    right = frame.expression(node.comparators[0])
    if isinstance(left, Static) and isinstance(right, Static):
        equal = left.value == right.value
        if isinstance(node.ops[0], ast.Eq | ast.NotEq):
            return Const(bool(equal) is isinstance(node.ops[0], ast.Eq))
    a = frame.bind(frame.term(left, node.left), "a")
    result: Term | None = None
    for k, (op, other) in enumerate(zip(node.ops, node.comparators, strict=True)):
        b = frame.term(right, other) if k == 0 else frame.value(other)
        if k + 1 < len(node.ops):
            b = frame.bind(b, "b")
        primitive = COMPARISON.get(type(op))
        if primitive is None:
            frame.unsupported(node, "this comparison", "use < <= > >= == !=")
        one = elementwise(frame, lambda x, y, q=primitive: compared(frame, q, x, y, node), [a, b], node)
        result = one if result is None else If(result, one, Const(False))
        a = b
    assert result is not None
    return result


def compared(frame: Frame, primitive: p.Primitive, x: Term, y: Term, node: ast.AST) -> Term:
    """One comparison of two scalars."""
    if isinstance(x.type, Bool) != isinstance(y.type, Bool):
        x = convert(frame, x, y.type, node) if isinstance(x.type, Bool) else x
        y = convert(frame, y, x.type, node) if isinstance(y.type, Bool) else y
    x, y = common(frame, x, y, node)
    if isinstance(x, Const) and isinstance(y, Const):
        return Const(bool(primitive.evaluate(x.value, y.value)))
    return Prim(primitive, (x, y))


def static_comparison(frame: Frame, node: ast.Compare) -> Value:
    """`is None` and `in`, of values known at compile time."""
    left, right = frame.expression(node.left), frame.expression(node.comparators[0])
    a = left.value if isinstance(left, Static | Const) else left
    b = right.value if isinstance(right, Static | Const) else right
    if isinstance(node.ops[0], ast.Is | ast.IsNot):
        return Const((a is b) is isinstance(node.ops[0], ast.Is))
    if isinstance(left, Static | Const) and isinstance(right, Static):
        return Const((a in b) is isinstance(node.ops[0], ast.In))  # type: ignore[operator]
    frame.unsupported(node, "in", "compare the elements: any(x == y for y in ys)")


def conditional_expression(frame: Frame, test: ast.expr, body: ast.expr, orelse: ast.expr, node: ast.AST) -> Value:
    """A if c else b."""
    condition = truth(frame, frame.value(test), test)
    if isinstance(condition, Const):
        return frame.expression(body if condition.value else orelse)
    then = frame.inside(lambda: frame.value(body), conditional=True)
    otherwise = frame.inside(lambda: frame.value(orelse), conditional=True)
    return branch(frame, condition, then, otherwise, node)

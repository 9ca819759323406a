"""`fs.deriv(e, x)`: the macro of Fig. 5 (paper 000), the dual number of an expression for each number in a variable."""

from __future__ import annotations

import ast

from fsmooth.core.subst import substitute
from fsmooth.core.term import Lam, Term, Var
from fsmooth.core.types import F64, Array, Float, Function, Tuple, Type, leaf_of, rank_of
from fsmooth.errors import ArgumentMismatchError, NotDifferentiableError
from fsmooth.frontend.macro import MOST_RANK, seeded
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.function_terms import differentiated_times
from fsmooth.frontend.python.functions import keywords
from fsmooth.frontend.python.kinds import describe


def deriv_call(frame: Frame, node: ast.Call) -> Term:
    """fs.deriv(e, x): pairs of value and tangent, in the structure of x; all variables but x are constants."""
    keywords(frame, node, ())
    if len(node.args) != 2 or not isinstance(node.args[1], ast.Name):
        what = "fs.deriv takes an expression and the name of a variable"
        frame.fail(ArgumentMismatchError, node, what, "write fs.deriv(e, x), or fs.grad of a function")
    expression, name = node.args[0], node.args[1]
    x = variable(frame, name, node)
    with differentiated_times(frame, frame.shared.order + 1):
        body = frame.inside(lambda: frame.value(expression))
    others = sorted([v for v in body.free if v is not x], key=lambda v: v.id)
    computed = [v for v in others if depends(frame, v, x)]
    if computed:
        what = f"{computed[0].name} was computed from {x.name} before, and fs.deriv takes it as a constant"
        frame.fail(NotDifferentiableError, expression, what, "write its definition inside the expression")
    for v in (x, *others, body):
        if holds_single(v.type):
            what = "fs.deriv is of float64 numbers only"
            frame.fail(NotDifferentiableError, node, what, "use fs.grad or fs.jacobian")
    inside = [v.renamed() for v in (x, *others)]
    function = Lam(tuple(inside), substitute(body, dict(zip((x, *others), inside, strict=True))))
    return seeded(function, [x, *others], 0)


def variable(frame: Frame, name: ast.Name, node: ast.AST) -> Var:
    """The variable that a name stands for, a number, vector or matrix."""
    value = frame.value(name)
    if leaf_of(value.type) != F64 or rank_of(value.type) > MOST_RANK:
        what = f"{name.id} is {describe(value.type)}, but fs.deriv is with respect to a number, vector or matrix"
        frame.fail(NotDifferentiableError, node, what, "use fs.grad or fs.jacobian, or pass real numbers")
    if isinstance(value, Var):
        return value
    var = Var(name.id, value.type)
    frame.scope.append((var, value))
    frame.names[name.id] = var
    return var


def depends(frame: Frame, var: Var, on: Var) -> bool:
    """Was `var` computed from `on`?"""
    seen: set[Var] = set()
    waiting = [var]
    while waiting:
        v = waiting.pop()
        if v is on:
            return True
        if v not in seen and v in frame.shared.definitions:
            seen.add(v)
            waiting.extend(frame.shared.definitions[v].free)
    return False


def holds_single(type_: Type) -> bool:
    """Does a type have float32 numbers in it?"""
    match type_:
        case Float():
            return type_ != F64
        case Array(element):
            return holds_single(element)
        case Tuple(items):
            return any([holds_single(t) for t in items])
        case Function():
            return True
        case _:
            return False

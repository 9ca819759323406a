"""Scalar terms as expressions; what they need computed first goes to the block (paper 000, §5.2)."""

from __future__ import annotations

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.term import Check, Const, Delta, Failure, If, Prim, Reduce, Reduction, Require, Term
from fsmooth.core.types import BOOL, INT, Bool
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import inside, minus, plus, replace, same, times, zero_of
from fsmooth.lower.context import Context
from fsmooth.lower.destination import Scalar, Value, View, load


def as_expression(value: Value) -> t.Expression:
    """A scalar value as an expression."""
    if isinstance(value, Scalar):
        return value.expression
    assert isinstance(value, View)
    assert not value.sizes
    return load(value)


def lower_const(term: Const) -> t.Expression:
    """A literal."""
    return t.Literal(term.value, term.type)


def lower_prim(ctx: Context, term: Prim) -> t.Expression:
    """A primitive: its arguments in order, then the operation."""
    arguments = tuple([ctx.light(ctx.scalar(a)) for a in term.arguments])
    if term.type == INT:
        match term.primitive:
            case p.add:
                return plus(*arguments)
            case p.subtract:
                return minus(*arguments)
            case p.multiply:
                return times(*arguments)
            case p.negate if isinstance(arguments[0], t.Literal):
                return t.Literal(-int(arguments[0].value), INT)
            case _:
                pass
    if arguments[0].type == INT and term.type == BOOL and same(arguments[0], arguments[-1]):
        return t.Literal(term.primitive in (p.equal, p.less_equal, p.greater_equal), BOOL)
    return t.Operation(term.primitive, arguments, term.type)


def lower_if(ctx: Context, term: If) -> t.Expression:
    """`c ? a : b` if neither branch needs statements, else an if statement that sets a local."""
    condition = ctx.light(ctx.scalar(term.condition), "condition")
    if isinstance(condition, t.Literal):
        return ctx.scalar(term.then if condition.value else term.otherwise)
    outer = ctx.open_block()
    then = ctx.scalar(term.then)
    then_block = ctx.close_block(outer)
    outer = ctx.open_block()
    otherwise = ctx.scalar(term.otherwise)
    otherwise_block = ctx.close_block(outer)
    moved: list[t.Statement] = []
    left = _without_statements(ctx, then_block, then, moved)
    right = None if left is None else _without_statements(ctx, otherwise_block, otherwise, moved)
    if left is not None and right is not None:
        ctx.block.extend(moved)
        return choose(condition, left, right)
    name = ctx.fresh("chosen")
    ctx.emit(t.Declare(name, term.type, None, mutable=True))
    then_block.append(t.Assign(name, then))
    otherwise_block.append(t.Assign(name, otherwise))
    ctx.emit(t.If(condition, tuple(then_block), tuple(otherwise_block)))
    return t.Name(name, term.type)


def _without_statements(
    ctx: Context, block: list[t.Statement], value: t.Expression, moved: list[t.Statement]
) -> t.Expression | None:
    """The value of a branch as an expression, after cheap statements that go to `moved`, before the branch.

    What reads memory that may not be there if the branch is not taken stays inside the expression.  None if the branch
    must stay as it is.
    """
    weight = 0
    inlined: dict[str, t.Expression] = {}
    for s in block:
        if not isinstance(s, t.Declare) or s.mutable or s.value is None:
            return None
        conditional = False
        for e in inside(s.value):
            match e:
                case t.Search():
                    return None
                case t.Load():
                    conditional = conditional or not ctx.is_loaded(e)
                case t.Name(name):
                    conditional = conditional or name in inlined
                case t.Operation(primitive):
                    weight += primitive.weight
                case _:
                    pass
        if conditional:
            inlined[s.name] = s.value
        else:
            moved.append(s)
    if weight > thresholds.BOTH_BRANCHES:
        return None
    for name in reversed(inlined):
        value = replace(value, name, inlined[name])
        if value.weight > thresholds.CHOSEN_EXPRESSION:
            return None
    return value


def choose(condition: t.Expression, then: t.Expression, otherwise: t.Expression) -> t.Expression:
    """A conditional expression; on truth values it is logic."""
    if isinstance(then.type, Bool):
        if isinstance(then, t.Literal) and isinstance(otherwise, t.Literal):
            if then.value == otherwise.value:
                return then
            return condition if then.value else t.Operation(p.logical_not, (condition,), BOOL)
    return t.Conditional(condition, then, otherwise)


def lower_check(ctx: Context, term: Check) -> t.Expression:
    """The index, once it was tested."""
    index = ctx.named(ctx.scalar(term.index), "k")
    size = ctx.light(ctx.scalar(term.size), "n")
    if not _obviously_inside(index, size):
        ctx.emit(t.Check(index, size, ctx.site(None, term.site)))
    return index


def _obviously_inside(index: t.Expression, size: t.Expression) -> bool:
    if isinstance(index, t.Literal) and isinstance(size, t.Literal):
        return 0 <= int(index.value) < int(size.value)
    return False


ELEMENTWISE = (Failure.ELEMENT, Failure.DECREASING, Failure.NO_PLACE, Failure.NOT_SORTED)
"""What is required of all elements of an array: nearly always they have it, so that the loop runs in vectors to its end."""


def counted(condition: Term) -> Term:
    """That something holds of all as that there are none of which it does not: a sum, which is computed in any order."""

    def without(part: Term) -> Term:
        if isinstance(part, Reduce) and part.reduction is Reduction.ALL:
            return Reduce(Reduction.SUM, part.size, part.index, without(part.body))
        return If(part, Const(0), Const(1))

    is_all = isinstance(condition, Reduce) and condition.reduction is Reduction.ALL
    return Prim(p.equal, (without(condition), Const(0))) if is_all else condition


def demand(ctx: Context, term: Require) -> None:
    """Emit the test of a `Require`."""
    asked = counted(term.condition) if term.failure in ELEMENTWISE else term.condition
    condition = ctx.scalar(asked)
    if isinstance(condition, t.Literal) and condition.value:
        return
    numbers = tuple([ctx.scalar(n) for n in term.numbers])
    ctx.emit(t.Demand(condition, ctx.site(term.failure, term.site), numbers))


def lower_delta_element(ctx: Context, term: Delta, index: t.Expression) -> t.Expression:
    """`(delta n i v)[index]` for a scalar v: `index == i ? v : 0`."""
    where = ctx.named(ctx.scalar(term.index), "k")
    condition = t.Operation(p.equal, (index, where), BOOL)
    outer = ctx.open_block()
    value = ctx.scalar(term.value)
    inner = ctx.close_block(outer)
    if not inner:
        return t.Conditional(condition, value, zero_of(term.value.type))
    local = ctx.local("element", value.type, zero_of(value.type))
    ctx.emit(t.If(condition, (*inner, t.Assign(local.name, value))))
    return t.Name(local.name, local.type)

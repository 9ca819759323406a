"""Truth: `and`, `or`, `not`, comparisons, `a if c else b`."""

from __future__ import annotations

import ast

from fsmooth.core import primitives as p
from fsmooth.core.build import both, equals, minus, plus, project
from fsmooth.core.lists import ListOf
from fsmooth.core.nodes.texts import number_of
from fsmooth.core.primitives import Primitive
from fsmooth.core.term import Const, If, Prim, Term, Var, Vector
from fsmooth.core.types import INT, Array, Bool, Int, Tuple, array_of, leaf_of, rank_of
from fsmooth.errors import TypeMismatchError
from fsmooth.frontend.python.alternatives import (
    asked,
    having_parts,
    is_function,
    is_of_kinds,
    narrowed,
    operand,
    possible_kinds,
    with_parts,
)
from fsmooth.frontend.python.arithmetic import refuse_arithmetic
from fsmooth.frontend.python.broadcasting import elementwise
from fsmooth.frontend.python.conversion import common, convert, truth
from fsmooth.frontend.python.displays import known
from fsmooth.frontend.python.frame import Frame, is_constant
from fsmooth.frontend.python.joins import branch, either_way
from fsmooth.frontend.python.kinds import describe, join_types
from fsmooth.frontend.python.names import part_of
from fsmooth.frontend.python.nodes import declaration_of_node, is_nothing, is_true, named
from fsmooth.frontend.python.own_operators import own_operation, own_unary
from fsmooth.frontend.python.parts import parts_seen
from fsmooth.frontend.python.protocols import compared_fields
from fsmooth.frontend.python.sizes import length_of
from fsmooth.frontend.python.unreturned import either_known
from fsmooth.frontend.python.values import (
    Closure,
    Derived,
    Growing,
    Keyed,
    Method,
    NodeList,
    Static,
    Text,
    Unfilled,
    Unrolled,
    Value,
)

COMPARISON: dict[type[ast.cmpop], Primitive] = {
    ast.Lt: p.less,
    ast.LtE: p.less_equal,
    ast.Gt: p.greater,
    ast.GtE: p.greater_equal,
    ast.Eq: p.equal,
    ast.NotEq: p.not_equal,
}


def unary(frame: Frame, op: ast.unaryop, of: ast.expr, node: ast.AST) -> Value:
    """-x, +x, not x, ~x."""
    if isinstance(op, ast.Not):
        holds = condition(frame, of)
        return Const(not holds.value) if isinstance(holds, Const) else Prim(p.logical_not, (holds,))
    given = frame.expression(of)
    own = own_unary(frame, op, given, node)
    if own is not None:
        return own
    x = frame.term(operand(frame, given, of), of)
    leaf = leaf_of(x.type)
    if isinstance(leaf, Tuple):
        refuse_arithmetic(frame, leaf, node)
    if isinstance(op, ast.Invert):
        if isinstance(leaf, Int):
            return elementwise(frame, lambda a: minus(Const(-1), a), [x], node)
        if not isinstance(leaf, Bool):
            frame.unsupported(node, "~ of real numbers", "~ is for integers and truth values")
        return elementwise(frame, lambda a: Prim(p.logical_not, (a,)), [x], node)
    if isinstance(leaf, Bool):
        x = convert(frame, x, array_of(INT, rank_of(x.type)), node)
    if isinstance(op, ast.UAdd):
        return x
    if isinstance(x, Const):
        return Const(-x.value, x.type)
    return elementwise(frame, lambda a: Prim(p.negate, (a,)), [x], node)


def condition(frame: Frame, node: ast.expr) -> Term:
    """An expression of which only its truth matters."""
    match node:
        case ast.BoolOp(op, values):
            return truths(frame, op, values)
        case _:
            return truth_of(frame, frame.expression(node), node)


def truth_of(frame: Frame, value: Value, node: ast.AST) -> Term:
    """The truth of a value: a container holds if it is not empty."""
    match value:
        case Unrolled(items):
            return Const(len(items) > 0)
        case Keyed(entries):
            return Const(len(entries) > 0)
        case Unfilled():
            return Const(False)
        case Growing(_, start, added):
            return Prim(p.less, (Const(0), plus(start, added)))
        case NodeList(size, _):
            return Prim(p.less, (Const(0), size))
        case Static(str() | tuple() | list() | dict() | None as inner):
            return Const(bool(inner))
        case Term() if declaration_of_node(value) is not None:
            return is_true(frame, value, node)
        case Term() if is_of_kinds(value):
            return asked(frame, value, lambda one: truth_of(frame, one, node), node)
        case Closure() | Derived() | Method() | Static() if not isinstance(value, Static) or callable(value.value):
            return Const(True)
        case Term(type=Tuple(items, None)):
            return Const(len(items) > 0)
        case Term(type=ListOf()):
            return Prim(p.less, (Const(0), length_of(frame, value, node)))
    return truth(frame, frame.term(value, node), node)


def truths(frame: Frame, op: ast.boolop, values: list[ast.expr]) -> Term:
    """`and` and `or` of conditions, which stop early."""
    first, *rest = values
    left = condition(frame, first)
    if not rest:
        return left
    if isinstance(left, Const):
        goes_on = bool(left.value) is isinstance(op, ast.And)
        return truths(frame, op, rest) if goes_on else left

    def others() -> Term:
        with frame.shared.assuming(left, isinstance(op, ast.And)):
            return frame.inside(lambda: truths(frame, op, rest), conditional=True)

    _, right = either_known(lambda: left, others)
    if right is None:
        return left
    return If(left, right, Const(False)) if isinstance(op, ast.And) else If(left, Const(True), right)


def logic(frame: Frame, op: ast.boolop, values: list[ast.expr], node: ast.AST) -> Term:
    """`and` and `or`, whose value is that of the operand at which they stop."""
    first, *rest = values
    given = frame.expression(first)
    if is_of_kinds(given):
        assert isinstance(given, Term)
        return logic_of_kinds(frame, op, given, rest, node)
    if declaration_of_node(given) is not None and rest:
        assert isinstance(given, Term)
        return logic_of_node(frame, op, named(frame, given), rest, node)
    left = frame.term(given, first)
    if not rest:
        return left
    test = truth(frame, left, first)
    if isinstance(test, Const):
        goes_on = bool(test.value) is isinstance(op, ast.And)
        return logic(frame, op, rest, node) if goes_on else left
    left = frame.bind(left, "left")
    test = truth(frame, left, first)
    _, right = either_known(lambda: left, lambda: frame.inside(lambda: logic(frame, op, rest, node), conditional=True))
    if right is None:
        return left
    if isinstance(left.type, Bool) and isinstance(right.type, Bool):
        return If(left, right, Const(False)) if isinstance(op, ast.And) else If(left, Const(True), right)
    if join_types(left.type, right.type) is None:
        both = f"the operands are {describe(left.type)} and {describe(right.type)}"
        frame.fail(TypeMismatchError, node, both, "write a if c else b, with values of one type")
    return branch(frame, test, *((right, left) if isinstance(op, ast.And) else (left, right)), node)


def logic_of_node(frame: Frame, op: ast.boolop, left: Term, rest: list[ast.expr], node: ast.AST) -> Term:
    """`a or b`, `a and b`, where a is a node: `and` stops there where it is None."""
    stops = isinstance(op, ast.Or)
    test = is_true(frame, left, node)
    if isinstance(test, Const):
        return left if bool(test.value) is stops else logic(frame, op, rest, node)
    with frame.shared.assuming(test, stops):
        is_known = is_nothing(frame, left)
    is_none = isinstance(is_known, Const) and bool(is_known.value)
    own = frame.as_part(Static(None), node) if is_none else left
    with frame.shared.assuming(test, not stops):
        other = frame.inside(lambda: logic(frame, op, rest, node), conditional=True)
    return branch(frame, test, *((own, other) if stops else (other, own)), node)


def logic_of_kinds(frame: Frame, op: ast.boolop, given: Term, rest: list[ast.expr], node: ast.AST) -> Term:
    """`a or b`, `a and b`, where a is of one of several kinds: where it stops there, some of them are left."""
    left = given if isinstance(given, Var) else frame.bind(given, "left")
    if not rest:
        return left
    stops = isinstance(op, ast.Or)
    test = truth_of(frame, left, node)
    with frame.shared.assuming(test, stops):
        own = frame.inside(lambda: frame.as_part(narrowed(frame, left), node), conditional=True)
    with frame.shared.assuming(test, not stops):
        other = frame.inside(lambda: logic(frame, op, rest, node), conditional=True)
    return branch(frame, test, *((own, other) if stops else (other, own)), node)


def comparison(frame: Frame, node: ast.Compare) -> Value:
    """A < b, and chains of comparisons, which stop early."""
    if len(node.ops) == 1 and isinstance(node.ops[0], ast.Is | ast.IsNot):
        return identity(frame, node)
    if len(node.ops) == 1 and isinstance(node.ops[0], ast.In | ast.NotIn):
        return membership(frame, node)
    left = frame.expression(node.left)
    right = frame.expression(node.comparators[0])
    if isinstance(node.ops[0], ast.Eq | ast.NotEq) and len(node.ops) == 1:
        same = equality(frame, left, right, node)
        if same is not None:
            return same if isinstance(node.ops[0], ast.Eq) else negated(same)
    own = own_operation(frame, node.ops[0], left, right, node) if len(node.ops) == 1 else None
    if own is not None:
        return own
    left, right = operand(frame, left, node.left), operand(frame, right, node.comparators[0])
    a, b = frame.bind(frame.term(left, node.left), "a"), frame.bind(frame.term(right, node.comparators[0]), "b")
    return compared_in_turn(frame, a, b, node.ops, node.comparators[1:], node)


def equality(frame: Frame, left: Value, right: Value, node: ast.AST) -> Term | None:
    """left == right, where one of them is no number and no array; None where both are."""
    for one, other in ((left, right), (right, left)):
        if is_of_kinds(one):
            assert isinstance(one, Term)
            return asked(frame, one, lambda part, other=other: are_equal(frame, part, other, node), node)  # type: ignore[misc]
    same = of_nodes_or_texts(frame, left, right, node)
    if same is not None:
        return same
    if isinstance(left, Static) and isinstance(right, Static):
        return Const(equal_objects(frame, left, right))
    return Const(False) if is_nothing_like(left, right) else None


def are_equal(frame: Frame, left: Value, right: Value, node: ast.AST) -> Term:
    """Are two values equal, which is one question and not one for each element of an array?"""
    same = equality(frame, left, right, node)
    if same is None:
        x, y = frame.term(left, node), frame.term(right, node)
        if isinstance(x.type, Array) or isinstance(y.type, Array):
            frame.unsupported(node, "an equality of arrays as a whole", "compare their elements with any or all")
        same = compared_once(frame, ast.Eq(), x, y, node)
    return same


def of_nodes_or_texts(frame: Frame, left: Value, right: Value, node: ast.AST) -> Term | None:
    """== of a node and None, or of texts; None where it is of anything else."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Term) and isinstance(other, Term) and declaration_of_node(one) is not None:
            hint = "compare their fields; `is None` and isinstance ask which class a node is of"
            frame.unsupported(node, "a comparison of a node with another value", hint)
        if isinstance(one, Text):
            number = text_number(other)
            return Const(False) if number is None else equals(one.number, number)
        if declaration_of_node(one) is not None and isinstance(other, Static) and other.value is None:
            assert isinstance(one, Term)
            return is_nothing(frame, one)
    return None


def text_number(value: Value) -> Term | None:
    """The number that stands for a text; None for what is no text."""
    if isinstance(value, Text):
        return value.number
    return Const(number_of(value.value)) if isinstance(value, Static) and isinstance(value.value, str) else None


def negated(holds: Term) -> Term:
    """The condition does not hold."""
    return Const(not holds.value) if isinstance(holds, Const) else Prim(p.logical_not, (holds,))


def equal_objects(frame: Frame, left: Static, right: Static) -> bool:
    """== of what is known at compile time."""
    frame.shared.readings.require_equality(left.value, right.value)
    return bool(left.value == right.value)


def is_nothing_like(left: Value, right: Value) -> bool:
    """Is one a text, None or a function, and the other a number or a structure?  They are not equal, whatever that is."""
    both = (left, right)
    known = [isinstance(value, Static) and isinstance(value.value, str | None) for value in both]
    numbers = [isinstance(value, Term) and not isinstance(value.type, Array) for value in both]
    return any(numbers) and (any(known) or any([is_function(value) for value in both]))


def compared_in_turn(
    frame: Frame, a: Term, b: Term, ops: list[ast.cmpop], others: list[ast.expr], node: ast.AST
) -> Term:
    """A < b < c …, where c is evaluated only if a < b."""
    first = compared_once(frame, ops[0], a, b, node)
    if not others:
        return first
    if not isinstance(first.type, Bool):
        frame.unsupported(node, "a chain of comparisons of arrays", "compare twice, and combine with &")

    def rest() -> Term:
        return compared_in_turn(frame, b, frame.bind(frame.value(others[0]), "b"), ops[1:], others[1:], node)

    if isinstance(first, Const):
        return rest() if first.value else first
    return If(first, frame.inside(rest, conditional=True), Const(False))


def compared_once(frame: Frame, op: ast.cmpop, a: Term, b: Term, node: ast.AST) -> Term:
    """One comparison of numbers, arrays element by element, or tuples as a whole."""
    primitive = COMPARISON.get(type(op))
    if primitive is None:
        frame.unsupported(node, "this comparison", "use < <= > >= == !=")
    if isinstance(a.type, Tuple) or isinstance(b.type, Tuple):
        if primitive not in (p.equal, p.not_equal):
            frame.unsupported(node, "an order of tuples", "compare their elements")
        same = equal_tuples(frame, a, b, node)
        if primitive is p.equal:
            return same
        return Const(not same.value) if isinstance(same, Const) else Prim(p.logical_not, (same,))
    return elementwise(frame, lambda x, y: compared(frame, primitive, x, y, node), [a, b], node)


def equal_tuples(frame: Frame, a: Term, b: Term, node: ast.AST) -> Term:
    """Are two tuples of numbers equal?"""
    if not isinstance(a.type, Tuple) or not isinstance(b.type, Tuple):
        return Const(False)
    fields = compared_fields(frame, a.type, b.type, node)
    if fields is None:
        return Const(False)
    result: Term = Const(True)
    for k in fields:
        x, y = project(a, k), project(b, k)
        if isinstance(x.type, Array) or isinstance(y.type, Array):
            frame.unsupported(node, "a comparison of tuples of arrays", "compare the elements with any or all")
        one = equal_tuples(frame, x, y, node) if isinstance(x.type, Tuple) else compared(frame, p.equal, x, y, node)
        if isinstance(one, Const) and not one.value:
            return one
        result = one if isinstance(result, Const) else result if isinstance(one, Const) else both(result, one)
    return result


def compared(frame: Frame, primitive: p.Primitive, x: Term, y: Term, node: ast.AST) -> Term:
    """One comparison of two scalars."""
    if isinstance(x.type, Bool) and isinstance(y.type, Bool) and primitive not in (p.equal, p.not_equal):
        x, y = convert(frame, x, INT, node), convert(frame, y, INT, node)
    if isinstance(x.type, Bool) != isinstance(y.type, Bool):
        x = convert(frame, x, y.type, node) if isinstance(x.type, Bool) else x
        y = convert(frame, y, x.type, node) if isinstance(y.type, Bool) else y
    x, y = common(frame, x, y, node)
    if isinstance(x, Const) and isinstance(y, Const):
        return Const(bool(primitive.evaluate(x.value, y.value)))
    return Prim(primitive, (x, y))


def identity(frame: Frame, node: ast.Compare) -> Value:
    """`is` and `is not`, of values known at compile time."""
    left, right = frame.expression(node.left), frame.expression(node.comparators[0])
    same = is_object(frame, left, right, node) if is_of_kinds(left) else of_nodes_or_texts(frame, left, right, node)
    if same is not None:
        return same if isinstance(node.ops[0], ast.Is) else negated(same)
    a = left.value if isinstance(left, Static | Const) else left
    b = right.value if isinstance(right, Static | Const) else right
    if isinstance(left, Term) and isinstance(right, Term) and not (isinstance(a, bool) and isinstance(b, bool)):
        frame.unsupported(node, "is between values", "use ==")
    return Const((a is b) is isinstance(node.ops[0], ast.Is))


def is_object(frame: Frame, left: Value, right: Value, node: ast.AST) -> Term:
    """`left is right`, where `left` is of one of several kinds."""
    if not isinstance(right, Static):
        frame.unsupported(node, "is between values", "use ==")
    assert isinstance(left, Term)

    def is_same(one: Value) -> Term:
        if isinstance(one, Term) and declaration_of_node(one) is not None and right.value is None:
            return is_nothing(frame, one)
        return Const(isinstance(one, Static) and one.value is right.value)

    return asked(frame, left, is_same, node)


def membership(frame: Frame, node: ast.Compare) -> Value:
    """`x in (a, b)`, where how many there are is known at compile time."""
    left, right = frame.expression(node.left), frame.expression(node.comparators[0])
    held = is_member(frame, left, right, node)
    return held if isinstance(node.ops[0], ast.In) else negated(held)


def is_member(frame: Frame, left: Value, right: Value, node: ast.Compare) -> Term:
    """Is `left` equal to one of those in `right`?"""
    if isinstance(left, Static | Const) and isinstance(right, Static):
        frame.shared.readings.require_equality(left.value, right.value)
        return Const(left.value in right.value)  # type: ignore[operator]
    if is_of_kinds(left):
        assert isinstance(left, Term)
        return asked(frame, left, lambda one: is_member(frame, one, right, node), node)
    if is_of_kinds(right):
        assert isinstance(right, Term)
        if len(having_parts(frame, right)) == len(possible_kinds(frame, right)):
            return asked(frame, right, lambda one: is_member(frame, left, one, node), node)
        return is_member(frame, left, with_parts(frame, right, node), node)
    items = members(frame, right)
    if items is None:
        frame.unsupported(node, "in", "compare the elements: any(x == y for y in ys)")
    left = frame.bind(left, "x") if isinstance(left, Term) and not is_constant(left) else left
    result: Term = Const(False)
    for item in items:
        one = are_equal(frame, left, item, node)
        if isinstance(one, Const):
            if one.value:
                return one
            continue
        result = one if isinstance(result, Const) else If(result, Const(True), one)
    return result


def members(frame: Frame, value: Value) -> list[Value] | None:
    """The values in a tuple, a list that is written out, or a container known at compile time."""
    match value:
        case Unrolled(items):
            return list(items)
        case Keyed(entries):
            return [known(key) for key in entries]
        case Static(tuple() | list() | set() | frozenset() | range() | dict() as inner) if len(inner) <= 64:
            return [part_of(frame, x) for x in inner]
        case Vector(items):
            return list(items)
        case Term(type=Tuple()):
            return parts_seen(value)
        case _:
            return None


def conditional_expression(frame: Frame, test: ast.expr, body: ast.expr, orelse: ast.expr, node: ast.AST) -> Value:
    """A if c else b."""
    chosen = condition(frame, test)
    if isinstance(chosen, Const):
        return frame.expression(body if chosen.value else orelse)

    return either_way(frame, chosen, lambda: frame.expression(body), lambda: frame.expression(orelse), node)

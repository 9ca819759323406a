"""Arithmetic on numbers, and element by element on arrays."""

from __future__ import annotations

import ast
from typing import NoReturn

from fsmooth.core import primitives as p
from fsmooth.core.build import minus, number, plus, times
from fsmooth.core.primitives import Primitive
from fsmooth.core.term import Const, Failure, If, Prim, Require, Term
from fsmooth.core.trees import class_of
from fsmooth.core.types import INT, Array, Bool, Float, Int, Tuple, Type, leaf_of
from fsmooth.core.weak import WEAK
from fsmooth.errors import TypeMismatchError
from fsmooth.frontend.python.bits import bitwise, shifted
from fsmooth.frontend.python.broadcasting import elementwise
from fsmooth.frontend.python.conversion import common, convert, real
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.kinds import describe
from fsmooth.frontend.python.modulo import real_floor_division, real_modulo

_KEEPS_INTEGERS = frozenset({p.absolute, p.sign, p.maximum, p.minimum, p.floor, p.ceil, p.stop_gradient})


ARITHMETIC: dict[type[ast.operator], Primitive] = {
    ast.Add: p.add,
    ast.Sub: p.subtract,
    ast.Mult: p.multiply,
    ast.Div: p.divide,
    ast.FloorDiv: p.floor_divide,
    ast.Mod: p.modulo,
    ast.Pow: p.power,
}


def binary(frame: Frame, op: ast.operator, left: Term, right: Term, node: ast.AST) -> Term:
    """Left op right."""
    if isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor):
        return elementwise(frame, lambda a, b: logical(frame, op, a, b, node), [left, right], node)
    if isinstance(op, ast.LShift | ast.RShift):
        return elementwise(
            frame, lambda a, b: shifted(frame, op, *integers(frame, a, b, node), node), [left, right], node
        )
    if isinstance(leaf_of(left.type), Bool) and isinstance(leaf_of(right.type), Bool):
        instead = _of_truth_values(frame, op, left, right, node)
        if instead is not None:
            return binary(frame, instead, left, right, node)
    primitive = ARITHMETIC.get(type(op))
    if primitive is None:
        frame.unsupported(node, f"the operator {type(op).__name__}", "use + - * / // % ** @")
    for side in (left, right):
        if isinstance(side.type, Tuple):
            refuse_arithmetic(frame, side.type, node)
    if primitive is p.power and isinstance(right, Const):
        return elementwise(frame, lambda x: constant_power(frame, x, right, node), [left], node)
    return elementwise(frame, lambda a, b: scalar_binary(frame, primitive, a, b, node), [left, right], node)


def _of_truth_values(
    frame: Frame, op: ast.operator, left: Term, right: Term, node: ast.AST
) -> ast.BitOr | ast.BitAnd | None:
    """What NumPy makes of + and * of arrays of truth values; Python's own are integers."""
    if not isinstance(left.type, Array) and not isinstance(right.type, Array):
        return None
    if isinstance(op, ast.Sub):
        frame.fail(TypeMismatchError, node, "truth values are not subtracted", "use ^, or x.astype(int)")
    return ast.BitOr() if isinstance(op, ast.Add) else ast.BitAnd() if isinstance(op, ast.Mult) else None


def refuse_arithmetic(frame: Frame, type_: Type, node: ast.AST) -> NoReturn:
    """Report that values of a type that is no number and no array are not added, or negated."""
    cls = class_of(type_.record) if isinstance(type_, Tuple) else None
    hint = "use arrays for vectors"
    if cls is not None and cls not in (dict, list):
        hint = f"define the operator in {cls.__name__}, or {hint}"
    frame.fail(TypeMismatchError, node, f"{describe(type_)} has no arithmetic", hint)


def logical(frame: Frame, op: ast.operator, a: Term, b: Term, node: ast.AST) -> Term:
    """& | ^ of truth values, and of integers bit by bit."""
    if isinstance(a.type, Bool) and isinstance(b.type, Bool):
        if isinstance(op, ast.BitAnd):
            return If(a, b, Const(False))
        return If(a, Const(True), b) if isinstance(op, ast.BitOr) else Prim(p.not_equal, (a, b))
    return bitwise(frame, op, *integers(frame, a, b, node))


def integers(frame: Frame, a: Term, b: Term, node: ast.AST) -> tuple[Term, Term]:
    """Two integers, of which one may be a truth value."""
    a, b = [convert(frame, x, INT, node) if isinstance(x.type, Bool) else x for x in (a, b)]
    for x in (a, b):
        if not isinstance(x.type, Int):
            frame.unsupported(node, "an operation on the bits of a real number", "use integers or truth values")
    return a, b


def scalar_binary(frame: Frame, primitive: Primitive, a: Term, b: Term, node: ast.AST) -> Term:
    """A primitive on two numbers, converted to a common type as Python does."""
    a = convert(frame, a, INT, node) if isinstance(a.type, Bool) else a
    b = convert(frame, b, INT, node) if isinstance(b.type, Bool) else b
    a, b = common(frame, a, b, node)
    if isinstance(a.type, Int):
        if primitive is p.divide:
            return quotient(frame, a, b)
        if primitive in (p.floor_divide, p.modulo):
            return integer_division(frame, primitive, a, b, node)
        if primitive is p.power:
            return Prim(p.power, (real(frame, a, WEAK), real(frame, b, WEAK)))
        fold = {p.add: plus, p.subtract: minus, p.multiply: times}.get(primitive)
        if fold is not None:
            return fold(a, b)
    if isinstance(a.type, Float) and primitive is p.floor_divide:
        return real_floor_division(frame, a, b)
    if isinstance(a.type, Float) and primitive is p.modulo:
        return real_modulo(frame, a, b)
    return Prim(primitive, (a, b))


def quotient(frame: Frame, a: Term, b: Term) -> Term:
    """A / b of integers, a weak number."""
    if isinstance(a, Const) and isinstance(b, Const) and b.value != 0:
        return Const(a.value / b.value, WEAK)
    return Prim(p.divide, (real(frame, a, WEAK), real(frame, b, WEAK)))


def integer_division(frame: Frame, primitive: Primitive, a: Term, b: Term, node: ast.AST) -> Term:
    """// and % of integers, with division by zero reported."""
    if isinstance(b, Const) and b.value != 0:
        if isinstance(a, Const):
            return Const(int(primitive.evaluate(a.value, b.value)))
        return Prim(primitive, (a, b))
    b = frame.bind(b)
    site = frame.site(node, frame.source.segment(node))
    return Require(Prim(p.not_equal, (b, Const(0))), Prim(primitive, (a, b)), Failure.DIVISION, (), site)


def remainder(frame: Frame, a: Term, b: Term, node: ast.AST) -> Term:
    """np.fmod: what is left of a, with its sign."""
    if any([isinstance(x.type, Float) for x in (a, b)]):
        return apply_primitive(frame, p.fmod, [a, b], node)
    a, b = [frame.bind(convert(frame, x, INT, node)) for x in (a, b)]
    rest = frame.bind(scalar_binary(frame, p.modulo, a, b, node), "rest")
    zero = Const(0)
    above = If(Prim(p.less, (rest, zero)), minus(rest, b), rest)
    below = If(Prim(p.less, (zero, rest)), minus(rest, b), rest)
    return If(Prim(p.less, (a, zero)), below, above)


def constant_power(frame: Frame, x: Term, exponent: Const, node: ast.AST) -> Term:
    """X ** constant: small integers by multiplication, never a logarithm."""
    value = exponent.value
    if isinstance(x.type, Bool):
        x = convert(frame, x, INT, node)
    if isinstance(x.type, Int):
        if isinstance(exponent.type, Int) and value >= 0:
            if isinstance(x, Const):
                return Const(int(x.value) ** int(value))
            return repeated(frame, x, int(value)) if value <= 8 else Prim(p.integer_power, (x, exponent))
        x = real(frame, x, WEAK)
    if float(value).is_integer() and abs(value) <= 8:
        power = repeated(frame, x, abs(int(value)))
        return power if value >= 0 else Prim(p.divide, (number(1.0, x.type), power))
    if value == 0.5:
        return Prim(p.sqrt, (x,))
    return Prim(p.power, (x, number(float(value), x.type)))


def repeated(frame: Frame, x: Term, times_: int) -> Term:
    """X to a small natural power, by squaring."""
    if times_ == 0:
        return number(1, x.type)
    x = frame.bind(x, "x")
    if times_ == 1:
        return x
    half = repeated(frame, x, times_ // 2)
    if times_ > 3:
        half = frame.bind(half, "x")
    square = Prim(p.multiply, (half, half))
    return square if times_ % 2 == 0 else Prim(p.multiply, (square, x))


def apply_primitive(frame: Frame, primitive: Primitive, xs: list[Term], node: ast.AST) -> Term:
    """A primitive on numbers, converted as it needs."""
    for x in xs:
        if not isinstance(x.type, Float | Int | Bool):
            frame.fail(
                TypeMismatchError,
                node,
                f"{primitive.name} wants numbers, not {describe(x.type)}",
                "apply it to the elements",
            )
    if primitive in _KEEPS_INTEGERS and all([isinstance(x.type, Int | Bool) for x in xs]):
        xs = [convert(frame, x, INT, node) if isinstance(x.type, Bool) else x for x in xs]
    if primitive in _KEEPS_INTEGERS and all([isinstance(x.type, Int) for x in xs]):
        return xs[0] if primitive in (p.floor, p.ceil) else Prim(primitive, tuple(xs))
    if len(xs) == 2:
        xs = list(common(frame, xs[0], xs[1], node))
    xs = [x if isinstance(x.type, Float) else real(frame, x, WEAK) for x in xs]
    return Prim(primitive, tuple(xs))

"""Arithmetic on numbers, and element by element on arrays."""

from __future__ import annotations

import ast
from collections.abc import Callable

from fsmooth.core import primitives as p
from fsmooth.core.build import minus, number, plus, times
from fsmooth.core.primitives import Primitive
from fsmooth.core.term import Build, Const, Failure, Get, If, Prim, Require, Term, Var
from fsmooth.core.types import F32, INT, Array, Bool, Float, Int, Tuple, leaf_of, rank_of
from fsmooth.core.weak import WEAK
from fsmooth.errors import RankError, TypeMismatchError
from fsmooth.frontend.python.conversion import common, convert, real
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.kinds import describe
from fsmooth.frontend.python.modulo import real_floor_division, real_modulo
from fsmooth.frontend.python.sizes import length_of, same_size
from fsmooth.frontend.python.weak import strengthened

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


def elementwise(frame: Frame, operation: Callable[..., Term], arguments: list[Term], node: ast.AST) -> Term:
    """`operation` on numbers, or element by element on arrays of equal shape and numbers."""
    arrays = [a for a in arguments if isinstance(a.type, Array)]
    if not arrays:
        return operation(*arguments)
    rank = max([rank_of(a.type) for a in arrays])
    for a in arrays:
        if rank_of(a.type) != rank:
            frame.fail(
                RankError,
                node,
                f"{describe(arrays[0].type)} and {describe(arrays[-1].type)} cannot be combined element by element",
                "fsmooth does not broadcast arrays of different ranks; write a comprehension over the indices",
            )
    if any([leaf_of(a.type) == F32 for a in arguments]):  # a list of Python's floats is an array of float64 here
        arguments = [strengthened(a) if isinstance(a.type, Array) else a for a in arguments]
    bound = [frame.bind(a, "a") if isinstance(a.type, Array) else frame.bind(a, "x") for a in arguments]
    arrays = [a for a in bound if isinstance(a.type, Array)]
    size = length_of(frame, arrays[0], node)
    for a in arrays[1:]:
        size = same_size(frame, size, length_of(frame, a, node), node, "arrays combined element by element")
    index = Var("i", INT, frame.site(node))

    def element() -> Term:
        parts = [Get(a, index) if isinstance(a.type, Array) else a for a in bound]
        return elementwise(frame, operation, parts, node)

    return Build(size, index, frame.inside(element))


def binary(frame: Frame, op: ast.operator, left: Term, right: Term, node: ast.AST) -> Term:
    """Left op right."""
    if isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor):
        return elementwise(frame, lambda a, b: logical(frame, op, a, b, node), [left, right], node)
    primitive = ARITHMETIC.get(type(op))
    if primitive is None:
        frame.unsupported(node, f"the operator {type(op).__name__}", "use + - * / // % ** @")
    for side in (left, right):
        if isinstance(side.type, Tuple):
            frame.fail(TypeMismatchError, node, f"{describe(side.type)} has no arithmetic", "use arrays for vectors")
    if primitive is p.power and isinstance(right, Const):
        return elementwise(frame, lambda x: constant_power(frame, x, right, node), [left], node)
    return elementwise(frame, lambda a, b: scalar_binary(frame, primitive, a, b, node), [left, right], node)


def logical(frame: Frame, op: ast.operator, a: Term, b: Term, node: ast.AST) -> Term:
    """& | ^ of truth values."""
    if not isinstance(a.type, Bool) or not isinstance(b.type, Bool):
        frame.unsupported(node, "& | ^ of numbers", "they are for truth values; with integers, use // and %")
    if isinstance(op, ast.BitAnd):
        return If(a, b, Const(False))
    return If(a, Const(True), b) if isinstance(op, ast.BitOr) else Prim(p.not_equal, (a, b))


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
    if primitive in _KEEPS_INTEGERS and all([isinstance(x.type, Int) for x in xs]):
        return xs[0] if primitive in (p.floor, p.ceil) else Prim(primitive, tuple(xs))
    if len(xs) == 2:
        xs = list(common(frame, xs[0], xs[1], node))
    xs = [x if isinstance(x.type, Float) else real(frame, x, WEAK) for x in xs]
    return Prim(primitive, tuple(xs))

"""Arithmetic on numbers and arrays, indexing, slices, displays."""

from __future__ import annotations

import ast
from collections.abc import Callable

from fsmooth.core import primitives as p
from fsmooth.core.build import build, minus, number, plus, times
from fsmooth.core.primitives import Primitive
from fsmooth.core.shape import Ragged, size_of
from fsmooth.core.term import (
    Build,
    Check,
    Const,
    Failure,
    Get,
    If,
    Length,
    MakeTuple,
    Prim,
    Require,
    Site,
    Term,
    Update,
    Var,
    Vector,
)
from fsmooth.core.types import F32, F64, INT, Array, Bool, Float, Int, Tuple, rank_of
from fsmooth.errors import RaggedError, RankError, TypeMismatchError
from fsmooth.frontend.python.frame import Frame, describe

ARITHMETIC: dict[type[ast.operator], Primitive] = {
    ast.Add: p.add,
    ast.Sub: p.subtract,
    ast.Mult: p.multiply,
    ast.Div: p.divide,
    ast.FloorDiv: p.floor_divide,
    ast.Mod: p.modulo,
    ast.Pow: p.power,
}
COMPARISON: dict[type[ast.cmpop], Primitive] = {
    ast.Lt: p.less,
    ast.LtE: p.less_equal,
    ast.Gt: p.greater,
    ast.GtE: p.greater_equal,
    ast.Eq: p.equal,
    ast.NotEq: p.not_equal,
}


class Arrays(Frame):
    """Operations that know about rank and size."""

    # -- elementwise -------------------------------------------------------------------------------------------------

    def elementwise(self, operation: Callable[..., Term], arguments: list[Term], node: ast.AST) -> Term:
        """`operation` on numbers, or element by element on arrays of equal shape and numbers."""
        arrays = [a for a in arguments if isinstance(a.type, Array)]
        if not arrays:
            return operation(*arguments)
        rank = max([rank_of(a.type) for a in arrays])
        for a in arrays:
            if rank_of(a.type) != rank:
                self.fail(
                    RankError,
                    node,
                    f"{describe(arrays[0].type)} and {describe(arrays[-1].type)} cannot be combined element by element",
                    "fsmooth does not broadcast arrays of different ranks; write a comprehension over the indices",
                )
        bound = [self.bind(a, "a") if isinstance(a.type, Array) else self.bind(a, "x") for a in arguments]
        arrays = [a for a in bound if isinstance(a.type, Array)]
        size = self.size(arrays[0], node)
        for a in arrays[1:]:
            size = self.same_size(size, self.size(a, node), node, "arrays combined element by element")
        index = Var("i", INT, self.source.site(node))

        def element() -> Term:
            parts = [Get(a, index) if isinstance(a.type, Array) else a for a in bound]
            return self.elementwise(operation, parts, node)

        return Build(size, index, self.inside(element))

    def size(self, array: Term, node: ast.AST, axis: int = 0) -> Term:
        """The length of an array along an axis."""
        try:
            return size_of(self.definition(array), axis)
        except Ragged:
            self.fail(
                RaggedError,
                node,
                "the rows of this array have different lengths",
                "arrays are rectangular; pad the rows to one length, or reduce each row where it is made",
            )

    def definition(self, array: Term) -> Term:
        """An array just bound to a name in the open scope, or the array."""
        if isinstance(array, Var):
            for var, value in reversed(self.scope[-4:]):
                if var is array and isinstance(value, Build | Vector) and rank_of(value.type) == 1:
                    return value
        return array

    # -- arithmetic --------------------------------------------------------------------------------------------------

    def binary(self, op: ast.operator, left: Term, right: Term, node: ast.AST) -> Term:
        """Left op right."""
        primitive = ARITHMETIC.get(type(op))
        if primitive is None:
            self.unsupported(node, f"the operator {type(op).__name__}", "use + - * / // % ** @")
        for side in (left, right):
            if isinstance(side.type, Tuple):
                self.fail(TypeMismatchError, node, f"{describe(side.type)} has no arithmetic", "use arrays for vectors")
        if primitive is p.power and isinstance(right, Const):
            return self.elementwise(lambda x: self.constant_power(x, right, node), [left], node)
        return self.elementwise(lambda a, b: self.scalar_binary(primitive, a, b, node), [left, right], node)

    def scalar_binary(self, primitive: Primitive, a: Term, b: Term, node: ast.AST) -> Term:
        """A primitive on two numbers, converted to a common type as Python does."""
        a = self.convert(a, INT, node) if isinstance(a.type, Bool) else a
        b = self.convert(b, INT, node) if isinstance(b.type, Bool) else b
        a, b = self.common(a, b, node)
        if isinstance(a.type, Int):
            if primitive is p.divide:
                return Prim(p.divide, (self.convert(a, F64, node), self.convert(b, F64, node)))
            if primitive in (p.floor_divide, p.modulo):
                return self.integer_division(primitive, a, b, node)
            if primitive is p.power:
                return Prim(p.power, (self.convert(a, F64, node), self.convert(b, F64, node)))
            fold = {p.add: plus, p.subtract: minus, p.multiply: times}.get(primitive)
            if fold is not None:
                return fold(a, b)
        if isinstance(a.type, Float) and primitive is p.floor_divide:
            return Prim(p.floor, (Prim(p.divide, (a, b)),))
        if isinstance(a.type, Float) and primitive is p.modulo:
            a, b = self.bind(a), self.bind(b)
            whole = Prim(p.floor, (Prim(p.divide, (a, b)),))
            return Prim(p.subtract, (a, Prim(p.multiply, (b, whole))))
        return Prim(primitive, (a, b))

    def integer_division(self, primitive: Primitive, a: Term, b: Term, node: ast.AST) -> Term:
        """// and % of integers, with division by zero reported."""
        if isinstance(b, Const) and b.value != 0:
            if isinstance(a, Const):
                return Const(int(primitive.evaluate(a.value, b.value)))
            return Prim(primitive, (a, b))
        b = self.bind(b)
        site = self.source.site(node, self.source.segment(node))
        return Require(Prim(p.not_equal, (b, Const(0))), Prim(primitive, (a, b)), Failure.DIVISION, (), site)

    def constant_power(self, x: Term, exponent: Const, node: ast.AST) -> Term:
        """X ** constant: small integers by multiplication, never a logarithm."""
        value = exponent.value
        if isinstance(x.type, Bool):
            x = self.convert(x, INT, node)
        if isinstance(x.type, Int):
            if isinstance(exponent.type, Int) and value >= 0:
                if isinstance(x, Const):
                    return Const(int(x.value) ** int(value))
                return self.repeated(x, int(value)) if value <= 8 else Prim(p.integer_power, (x, exponent))
            x = self.convert(x, F64, node)
        if float(value).is_integer() and abs(value) <= 8:
            power = self.repeated(x, abs(int(value)))
            return power if value >= 0 else Prim(p.divide, (number(1.0, x.type), power))
        if value == 0.5:
            return Prim(p.sqrt, (x,))
        return Prim(p.power, (x, number(float(value), x.type)))

    def repeated(self, x: Term, times_: int) -> Term:
        """X to a small natural power, by squaring."""
        if times_ == 0:
            return number(1, x.type)
        x = self.bind(x, "x")
        if times_ == 1:
            return x
        half = self.repeated(x, times_ // 2)
        if times_ > 3:
            half = self.bind(half, "x")
        square = Prim(p.multiply, (half, half))
        return square if times_ % 2 == 0 else Prim(p.multiply, (square, x))

    def common(self, a: Term, b: Term, node: ast.AST) -> tuple[Term, Term]:
        """Both numbers at their common type; a literal takes the width of the other."""
        if isinstance(a, Const) and isinstance(a.type, Float) and b.type == F32:
            return number(float(a.value), F32), b
        if isinstance(b, Const) and isinstance(b.type, Float) and a.type == F32:
            return a, number(float(b.value), F32)
        joined = self.join(a.type, b.type, node, "the operands")
        return self.convert(a, joined, node), self.convert(b, joined, node)

    # -- indexing ----------------------------------------------------------------------------------------------------

    def check(self, index: Term, size: Term, node: ast.AST, what: str) -> Term:
        """`index`, checked against `size`; a constant negative one counts from the end."""
        if isinstance(index.type, Bool) or not isinstance(index.type, Int):
            self.fail(TypeMismatchError, node, f"an index is an integer, not {describe(index.type)}", "use int(…)")
        if isinstance(index, Const) and index.value < 0:
            index = plus(size, index) if isinstance(size, Const) else minus(size, Const(-int(index.value)))
        return Check(index, size, self.source.site(node, what))

    def subscript(self, array: Term, indices: list[Term | slice], node: ast.Subscript) -> Term:
        """array[i, j, …], where each index is a number or a slice of terms."""
        if len(indices) > rank_of(array.type):
            self.fail(RankError, node, f"{len(indices)} indices for {describe(array.type)}")
        what = self.source.segment(node.value)
        first, *rest = indices
        array = self.bind(array, "a")
        if isinstance(first, Term):
            element: Term = Get(array, self.check(first, self.size(array, node), node, what))
            return self.subscript(element, rest, node) if rest else element
        lower, size, step = self.slice_bounds(first, self.size(array, node), node, what)
        index = Var("i", INT, self.source.site(node))

        def body() -> Term:
            at = plus(lower, times(Const(step), index)) if step != 1 else plus(lower, index)
            element = Get(array, Check(at, self.size(array, node), self.source.site(node, what)))
            return self.subscript(element, rest, node) if rest else element

        result = Build(size, index, self.inside(body))
        self.shared.views.remember(result, array)
        return result

    def slice_bounds(self, part: slice, n: Term, node: ast.AST, what: str) -> tuple[Term, Term, int]:
        """First index, number of elements and step of a slice of an array of n elements."""
        step = 1 if part.step is None else int(part.step.value) if isinstance(part.step, Const) else 0
        if step == 0:
            self.unsupported(node, "a slice with a computed step", "use a constant step, or a comprehension")

        def place(bound: Term | None, default: Term) -> Term:
            if bound is None:
                return default
            if not isinstance(bound.type, Int):
                self.fail(TypeMismatchError, node, f"a slice bound is an integer, not {describe(bound.type)}")
            if isinstance(bound, Const) and bound.value < 0:
                return plus(n, bound) if isinstance(n, Const) else minus(n, Const(-int(bound.value)))
            return bound

        if step < 0:
            if part.start is not None or part.stop is not None:
                self.unsupported(node, "a backward slice with bounds", "slice first, then reverse with [::-1]")
            count = n if step == -1 else Prim(p.floor_divide, (plus(n, Const(-step - 1)), Const(-step)))
            return minus(n, Const(1)), count, step
        lower, upper = place(part.start, Const(0)), place(part.stop, n)
        if isinstance(lower, Const) and isinstance(upper, Const) and isinstance(n, Const):
            lower, upper = Const(min(int(lower.value), int(n.value))), Const(min(int(upper.value), int(n.value)))
        size = minus(upper, lower)
        if step != 1:
            size = Prim(p.floor_divide, (plus(size, Const(step - 1)), Const(step)))
        if isinstance(size, Const):
            size = Const(max(int(size.value), 0))
        return lower, size, step

    def updated(self, array: Term, indices: list[Term], value: Term, node: ast.AST, what: str) -> Term:
        """The array with one element replaced."""
        if not isinstance(array.type, Array):
            self.fail(RankError, node, f"too many indices: {what} is not {describe(Array(F64))}")
        first, *rest = indices
        wanted = array.type.element
        array = self.bind(array, "a")
        at = self.bind(self.check(first, self.size(array, node), node, what), "at")
        if rest:
            return Update(array, at, self.updated(Get(array, at), rest, value, node, what))
        if isinstance(value.type, Float) and isinstance(wanted, Int):
            self.fail(TypeMismatchError, node, f"{what} holds integers, so a real number cannot be put into it")
        return Update(array, at, self.convert(value, wanted, node))

    # -- displays ----------------------------------------------------------------------------------------------------

    def display(self, items: list[Term], node: ast.AST) -> Term:
        """[a, b, …]: an array, if the elements have one type."""
        if not items:
            self.unsupported(node, "an empty list", "write a comprehension, or fs.zeros(n) and x[i] = …")
        wanted = items[0].type
        for item in items[1:]:
            wanted = self.join(wanted, item.type, node, "the elements of an array")
        made = [self.convert(item, wanted, node) for item in items]
        if isinstance(wanted, Array):
            made = [self.bind(item, "row") for item in made]
            for axis in range(wanted.rank):
                for item in made[1:]:
                    self.same_size(
                        self.size(made[0], node, axis), self.size(item, node, axis), node, "rows of an array"
                    )
        return Vector(tuple(made))

    def stacked(self, body: Term, index: Var, size: Term, node: ast.AST) -> Term:
        """A comprehension as an array."""
        result = Build(size, index, body)
        self.rectangular(result, node)
        return result

    def rectangular(self, array: Term, node: ast.AST) -> None:
        """An element whose size mentions its own index is ragged."""
        for axis in range(1, rank_of(array.type)):
            self.size(array, node, axis)

    def branch(self, condition: Term, then: Term, otherwise: Term, node: ast.AST) -> Term:
        """A conditional value, at the common type of its branches."""
        wanted = self.join(then.type, otherwise.type, node, "the two branches")
        return If(condition, self.convert(then, wanted, node), self.convert(otherwise, wanted, node))

    def truth(self, term: Term, node: ast.AST) -> Term:
        """A condition."""
        match term.type:
            case Bool():
                return term
            case Int() | Float() if isinstance(term, Const):
                return Const(term.value != 0)
            case Int() | Float():
                return Prim(p.not_equal, (term, number(0, term.type)))
            case _:
                self.fail(TypeMismatchError, node, f"a condition is a truth value, not {describe(term.type)}")

    def shape(self, array: Term, node: ast.AST) -> Term:
        """The tuple of sizes."""
        array = self.bind(array, "a")
        return MakeTuple(tuple([self.size(array, node, k) for k in range(rank_of(array.type))]))


def transpose(array: Term, site: Site) -> Term:
    """The transpose of a matrix."""
    return build(Length(array, 1), lambda i: build(Length(array, 0), lambda j: Get(Get(array, j), i), "j"), "i", site)

"""Expressions of Python as terms."""

from __future__ import annotations

import ast
import builtins
import types as python_types
from typing import NoReturn

import numpy as np

from fsmooth.core import primitives as p
from fsmooth.core.term import Const, If, MakeTuple, Prim, Term, Var
from fsmooth.core.types import Array, Bool, Float, Int, Tuple, rank_of
from fsmooth.errors import RankError, TypeMismatchError, UndefinedNameError
from fsmooth.frontend.lookup import Lookup
from fsmooth.frontend.python.arrays import COMPARISON, Arrays, transpose
from fsmooth.frontend.python.frame import Capture, Staged, describe, project, type_of_object
from fsmooth.frontend.python.values import Closure, Method, Missing, Static, Unrolled, Value

_METHODS = frozenset(
    {"sum", "prod", "mean", "max", "min", "argmax", "argmin", "dot", "copy", "transpose", "all", "any", "std", "var",
     "ravel", "flatten", "trace", "cumsum", "clip"}
)  # fmt: skip

_INSTEAD = {
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


class Expressions(Arrays):
    """Everything that has a value."""

    def expression(self, node: ast.expr) -> Value:
        """The value of an expression."""
        match node:
            case ast.Constant(value):
                return self.constant(value)
            case ast.Name(id):
                return self.name(id, node)
            case ast.BinOp(left, op, right):
                if isinstance(op, ast.MatMult):
                    return self.library("matmul", [self.value(left), self.value(right)], node)
                return self.binary(op, self.value(left), self.value(right), node)
            case ast.UnaryOp(op, operand):
                return self.unary(op, operand, node)
            case ast.BoolOp(op, values):
                return self.logic(op, values, node)
            case ast.Compare():
                return self.comparison(node)
            case ast.IfExp(test, body, orelse):
                return self.conditional_expression(test, body, orelse, node)
            case ast.Subscript():
                return self.subscript_expression(node)
            case ast.Attribute():
                return self.attribute(node)
            case ast.Tuple(elts):
                return self.tuple_display([self.element_value(e) for e in elts])
            case ast.List(elts):
                items = [self.element_value(e) for e in elts]
                terms = [x for x in items if isinstance(x, Term)]
                return self.display(terms, node) if len(terms) == len(items) else Unrolled(tuple(items))
            case ast.ListComp():
                return self.comprehension(node)
            case ast.Lambda():
                return Closure(node, self.source, self.names)
            case ast.Call():
                return self.call(node)
            case ast.GeneratorExp():
                self.unsupported(node, "a generator here", "give it to sum, max, min, any or all, or write a list")
            case _:
                self.outside(node)

    def outside(self, node: ast.AST) -> NoReturn:
        """Report Python that is not part of the language."""
        what, hint = _INSTEAD.get(type(node), (f"this ({type(node).__name__})", "compute it outside and pass it in"))
        self.unsupported(node, what, hint)

    def value(self, node: ast.expr) -> Term:
        """The run-time value of an expression."""
        return self.term(self.expression(node), node)

    def element_value(self, node: ast.expr) -> Value:
        """An element of a display: a run-time value where it can be one, else what it is at compile time."""
        value = self.expression(node)
        match value:
            case Static(inner) if self.is_number_like(inner):
                return self.as_term(value, node)
            case Missing():
                return self.as_term(value, node)
            case _:
                return value

    def tuple_display(self, items: list[Value]) -> Value:
        """(a, b, …): a tuple; with strings, functions or the like in it, it exists at compile time only."""
        terms = [x for x in items if isinstance(x, Term)]
        return MakeTuple(tuple(terms)) if len(terms) == len(items) else Unrolled(tuple(items))

    def scalar(self, node: ast.expr) -> Term:
        """The value of an expression that must be a number or truth value."""
        term = self.value(node)
        if not isinstance(term.type, Float | Int | Bool):
            self.fail(TypeMismatchError, node, f"expected a number, found {describe(term.type)}")
        return term

    def constant(self, value: object) -> Value:
        """A literal."""
        if isinstance(value, bool | int | float):
            return Const(value)
        return Static(value)

    def as_term(self, value: Value, node: ast.AST) -> Term:
        match value:
            case Static(inner):
                if isinstance(inner, bool | int | float | np.integer | np.floating | np.bool_):
                    return Const(inner if isinstance(inner, bool | int | float) else inner.item())
                if isinstance(inner, tuple) and inner and all([self.is_number_like(x) for x in inner]):
                    return MakeTuple(tuple([self.as_term(Static(x), node) for x in inner]))
                if isinstance(inner, list) and inner and all([self.is_number_like(x) for x in inner]):
                    return self.display([self.as_term(Static(x), node) for x in inner], node)
                if isinstance(inner, np.ndarray) and inner.size and inner.size <= 256:
                    return self.as_term(Static(inner.tolist()), node)
                what = getattr(inner, "__name__", None) or repr(inner)
                hint = "call it, or pass its result in" if callable(inner) else "use numbers, arrays and tuples of them"
                self.fail(TypeMismatchError, node, f"{what} is not a real number or an array", hint)
            case Unrolled(items):
                return MakeTuple(tuple([self.term(x, node) for x in items]))
            case Missing(why, hint):
                self.fail(UndefinedNameError, node, why, hint)
            case _:
                self.fail(TypeMismatchError, node, "expected a number or an array, found a function or an iterator")

    def is_number_like(self, value: object) -> bool:
        """A number, or a list, tuple or array of such."""
        if isinstance(value, list | tuple):
            return len(value) > 0 and all([self.is_number_like(v) for v in value])
        return type_of_object(value) is not None

    # -- names -------------------------------------------------------------------------------------------------------

    def name(self, id: str, node: ast.AST) -> Value:
        """What a name stands for: local, then the function's closure, its module, Python's built-ins."""
        if id in self.names:
            found = self.names[id]
            if isinstance(found, Missing):
                self.fail(UndefinedNameError, node, found.why, found.hint)
            return found
        function = self.source.function
        free = function.__code__.co_freevars
        if id in free and function.__closure__ is not None:
            cell = function.__closure__[free.index(id)]
            return self.captured(id, Lookup(function, id), id_of(cell), node)
        module = function.__globals__
        if id in module:
            return self.captured(id, Lookup(function, id), id_of(module), node)
        if hasattr(builtins, id):
            return Static(getattr(builtins, id))
        close = [n for n in (*self.names, *module) if n.lower() == id.lower()]
        hint = f"did you mean {close[0]}?" if close else "assign it before this line, or pass it as an argument"
        self.fail(UndefinedNameError, node, f"{id} is not defined", hint)

    def captured(self, name: str, fetch: object, owner: int, node: ast.AST) -> Value:
        """A value from around the function: numbers and arrays become hidden arguments, the rest is staged."""
        assert callable(fetch)
        try:
            value = fetch()
        except ValueError:
            self.fail(UndefinedNameError, node, f"{name} has no value yet", "assign it before the function is called")
        if isinstance(value, bool | int | np.bool_ | np.integer):
            self.shared.staged.append(Staged(fetch, value))
            return Const(value if isinstance(value, bool | int) else value.item())
        type_ = type_of_object(value)
        if type_ is not None:
            key = (owner, name)
            if key not in self.shared.captures:
                self.shared.captures[key] = Capture(name, Var(name, type_), fetch)
            return self.shared.captures[key].var
        if not isinstance(value, python_types.ModuleType):
            self.shared.staged.append(Staged(fetch, value))
        return Static(value)

    # -- operators ---------------------------------------------------------------------------------------------------

    def unary(self, op: ast.unaryop, operand: ast.expr, node: ast.AST) -> Term:
        """-x, +x, not x."""
        x = self.value(operand)
        match op:
            case ast.USub():
                if isinstance(x, Const) and not isinstance(x.value, bool):
                    return Const(-x.value, x.type)
                return self.elementwise(lambda a: Prim(p.negate, (a,)), [x], node)
            case ast.UAdd():
                return x
            case ast.Not():
                truth = self.truth(x, node)
                return Const(not truth.value) if isinstance(truth, Const) else Prim(p.logical_not, (truth,))
            case _:
                self.unsupported(node, "~", "use not, or -x - 1")

    def logic(self, op: ast.boolop, values: list[ast.expr], node: ast.AST) -> Term:
        """`and` and `or`, which stop early."""
        first, *rest = values
        left = self.truth(self.value(first), first)
        if not rest:
            return left
        if isinstance(left, Const):
            goes_on = bool(left.value) is isinstance(op, ast.And)
            return self.logic(op, rest, node) if goes_on else left
        right = self.inside(lambda: self.logic(op, rest, node), conditional=True)
        return If(left, right, Const(False)) if isinstance(op, ast.And) else If(left, Const(True), right)

    def comparison(self, node: ast.Compare) -> Value:
        """A < b, and chains of comparisons."""
        if len(node.ops) == 1 and isinstance(node.ops[0], ast.Is | ast.IsNot | ast.In | ast.NotIn):
            return self.static_comparison(node)
        left = self.expression(node.left)
        right = self.expression(node.comparators[0])
        if isinstance(left, Static) and isinstance(right, Static):
            equal = left.value == right.value
            if isinstance(node.ops[0], ast.Eq | ast.NotEq):
                return Const(bool(equal) is isinstance(node.ops[0], ast.Eq))
        a = self.bind(self.term(left, node.left), "a")
        result: Term | None = None
        for k, (op, other) in enumerate(zip(node.ops, node.comparators, strict=True)):
            b = self.term(right, other) if k == 0 else self.value(other)
            if k + 1 < len(node.ops):
                b = self.bind(b, "b")
            primitive = COMPARISON.get(type(op))
            if primitive is None:
                self.unsupported(node, "this comparison", "use < <= > >= == !=")
            one = self.elementwise(lambda x, y, q=primitive: self.compared(q, x, y, node), [a, b], node)
            result = one if result is None else If(result, one, Const(False))
            a = b
        assert result is not None
        return result

    def compared(self, primitive: p.Primitive, x: Term, y: Term, node: ast.AST) -> Term:
        """One comparison of two scalars."""
        if isinstance(x.type, Bool) != isinstance(y.type, Bool):
            x = self.convert(x, y.type, node) if isinstance(x.type, Bool) else x
            y = self.convert(y, x.type, node) if isinstance(y.type, Bool) else y
        x, y = self.common(x, y, node)
        if isinstance(x, Const) and isinstance(y, Const):
            return Const(bool(primitive.evaluate(x.value, y.value)))
        return Prim(primitive, (x, y))

    def static_comparison(self, node: ast.Compare) -> Value:
        """`is None` and `in`, of values known at compile time."""
        left, right = self.expression(node.left), self.expression(node.comparators[0])
        a = left.value if isinstance(left, Static | Const) else left
        b = right.value if isinstance(right, Static | Const) else right
        if isinstance(node.ops[0], ast.Is | ast.IsNot):
            return Const((a is b) is isinstance(node.ops[0], ast.Is))
        if isinstance(left, Static | Const) and isinstance(right, Static):
            return Const((a in b) is isinstance(node.ops[0], ast.In))  # type: ignore[operator]
        self.unsupported(node, "in", "compare the elements: any(x == y for y in ys)")

    def conditional_expression(self, test: ast.expr, body: ast.expr, orelse: ast.expr, node: ast.AST) -> Value:
        """A if c else b."""
        condition = self.truth(self.value(test), test)
        if isinstance(condition, Const):
            return self.expression(body if condition.value else orelse)
        then = self.inside(lambda: self.value(body), conditional=True)
        otherwise = self.inside(lambda: self.value(orelse), conditional=True)
        return self.branch(condition, then, otherwise, node)

    # -- subscripts and attributes -------------------------------------------------------------------------------------

    def subscript_expression(self, node: ast.Subscript) -> Value:
        """x[i], x[i, j], x[a:b], t[k]."""
        owner = self.expression(node.value)
        if isinstance(owner, Static):
            index = self.expression(node.slice)
            key = index.value if isinstance(index, Const | Static) else None
            if key is None:
                return self.subscript(self.as_term(owner, node.value), self.indices(node.slice), node)
            try:
                return self.constant_or_static(owner.value[key])  # type: ignore[index]
            except (TypeError, KeyError, IndexError) as error:
                self.fail(TypeMismatchError, node, f"{self.source.segment(node)}: {error}")
        if isinstance(owner, Unrolled):
            return owner.items[self.position(len(owner.items), node)]
        array = self.term(owner, node.value)
        if isinstance(array.type, Tuple):
            return project(array, self.position(len(array.type.items), node))
        if not isinstance(array.type, Array):
            self.fail(RankError, node, f"{self.source.segment(node.value)} is {describe(array.type)}, not an array")
        return self.subscript(array, self.indices(node.slice), node)

    def constant_or_static(self, value: object) -> Value:
        """A part of a container known at compile time."""
        return Const(value) if isinstance(value, bool | int | float) else Static(value)

    def position(self, count: int, node: ast.Subscript) -> int:
        """The k of t[k], where t is a tuple of `count`: a constant."""
        index = self.expression(node.slice)
        if not isinstance(index, Const) or not isinstance(index.type, Int):
            self.fail(
                TypeMismatchError, node, "a tuple is indexed by a constant", "use an array (a list) instead of a tuple"
            )
        k = int(index.value)
        if not -count <= k < count:
            self.fail(TypeMismatchError, node, f"index {k} of a tuple of {count}")
        return k % count

    def indices(self, node: ast.expr) -> list[Term | slice]:
        """The indices in brackets."""
        parts = node.elts if isinstance(node, ast.Tuple) else [node]
        result: list[Term | slice] = []
        for part in parts:
            if isinstance(part, ast.Slice):
                bounds = [None if b is None else self.value(b) for b in (part.lower, part.upper, part.step)]
                result.append(slice(*bounds))
            elif isinstance(part, ast.Constant) and part.value in (None, Ellipsis):
                self.unsupported(part, "None or … as an index", "write a comprehension")
            else:
                index = self.value(part)
                if isinstance(index.type, Array):
                    self.unsupported(part, "an array as an index", "write [x[k] for k in indices]")
                result.append(index)
        return result

    def attribute(self, node: ast.Attribute) -> Value:
        """module.name, record.field, array.shape, array.T, array.method."""
        owner = self.expression(node.value)
        if isinstance(owner, Static):
            if not hasattr(owner.value, node.attr):
                what = getattr(owner.value, "__name__", repr(owner.value))
                self.fail(UndefinedNameError, node, f"{what} has no {node.attr}")
            found = getattr(owner.value, node.attr)
            return self.constant_or_static(found)
        term = self.term(owner, node.value)
        if isinstance(term.type, Tuple) and term.type.names is not None and node.attr in term.type.names:
            return project(term, term.type.names.index(node.attr))
        if isinstance(term.type, Array):
            match node.attr:
                case "shape":
                    return self.shape(term, node)
                case "T":
                    if rank_of(term.type) == 1:
                        return term
                    term = self.bind(term, "a")
                    turned = transpose(term, self.source.site(node))
                    self.shared.views.remember(turned, term)
                    return turned
                case "size":
                    return self.count(term, node)
                case "ndim":
                    return Const(rank_of(term.type))
            if node.attr in _METHODS:
                return Method(term, node.attr)
        fields = ", ".join(term.type.names) if isinstance(term.type, Tuple) and term.type.names else ""
        hint = (
            f"its fields are {fields}" if fields else "arrays have shape, size, ndim, T, copy(), sum(), max(), dot(), …"
        )
        self.fail(UndefinedNameError, node, f"{describe(term.type)} has no {node.attr}", hint)

    def count(self, array: Term, node: ast.AST) -> Term:
        """The number of elements of an array."""
        array = self.bind(array, "a")
        total: Term = Const(1)
        for k in range(rank_of(array.type)):
            size = self.size(array, node, k)
            total = size if k == 0 else Prim(p.multiply, (total, size))
        return total

    # -- elsewhere -----------------------------------------------------------------------------------------------------

    def call(self, node: ast.Call) -> Value:
        """A call (frontend/python/calls.py)."""
        raise NotImplementedError

    def comprehension(self, node: ast.ListComp) -> Term:
        """A list comprehension (frontend/python/iteration.py)."""
        raise NotImplementedError

    def library(self, name: str, arguments: list[Term], node: ast.AST) -> Term:
        """A function of M̃ (frontend/python/calls.py)."""
        raise NotImplementedError


def id_of(owner: object) -> int:
    """The identity of a cell or module."""
    return id(owner)

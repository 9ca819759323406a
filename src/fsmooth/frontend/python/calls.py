"""Calls: built-in functions, math, NumPy and M̃ by name, helpers inlined, derivatives."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import math
from collections.abc import Callable
from types import FunctionType

import numpy as np

from fsmooth.core import primitives as p
from fsmooth.core.build import build, number, plus
from fsmooth.core.primitives import Primitive
from fsmooth.core.term import (
    Build,
    Const,
    Get,
    If,
    MakeTuple,
    Prim,
    Reduction,
    Term,
    Var,
    Verb,
)
from fsmooth.core.types import F64, INT, Array, Bool, Float, Int, Tuple
from fsmooth.errors import (
    ArgumentError,
    ProgramError,
    TypeMismatchError,
)
from fsmooth.frontend.programs import DerivedProgram, LibraryProgram, Program, SourceProgram
from fsmooth.frontend.python.frame import describe
from fsmooth.frontend.python.iteration import Iteration
from fsmooth.frontend.python.source import Source, source_of
from fsmooth.frontend.python.values import Closure, Derived, Method, Static, Unrolled, Value
from fsmooth.library import AXIS_NAMES, WrongArguments, expand
from fsmooth.library import names as library_names

_SCALAR: dict[object, Primitive] = {
    math.sqrt: p.sqrt, math.sin: p.sin, math.cos: p.cos, math.tan: p.tan, math.asin: p.asin, math.acos: p.acos,
    math.atan: p.atan, math.atan2: p.atan2, math.sinh: p.sinh, math.cosh: p.cosh, math.tanh: p.tanh, math.exp: p.exp,
    math.expm1: p.expm1, math.log1p: p.log1p, math.erf: p.erf, math.lgamma: p.lgamma, math.hypot: p.hypot,
    math.fabs: p.absolute, abs: p.absolute, np.sqrt: p.sqrt, np.sin: p.sin, np.cos: p.cos, np.tan: p.tan,
    np.arcsin: p.asin, np.arccos: p.acos, np.arctan: p.atan, np.arctan2: p.atan2, np.sinh: p.sinh, np.cosh: p.cosh,
    np.tanh: p.tanh, np.exp: p.exp, np.expm1: p.expm1, np.log: p.log, np.log1p: p.log1p, np.hypot: p.hypot,
    np.abs: p.absolute, np.sign: p.sign, np.floor: p.floor, np.ceil: p.ceil, np.maximum: p.maximum,
    np.minimum: p.minimum, np.isnan: p.is_nan, math.isnan: p.is_nan,
}  # fmt: skip

_FS_SCALAR = {
    "sqrt": p.sqrt, "sin": p.sin, "cos": p.cos, "tan": p.tan, "asin": p.asin, "acos": p.acos, "atan": p.atan,
    "arcsin": p.asin, "arccos": p.acos, "arctan": p.atan, "arctan2": p.atan2, "atan2": p.atan2, "sinh": p.sinh,
    "cosh": p.cosh, "tanh": p.tanh, "exp": p.exp, "expm1": p.expm1, "log": p.log, "log1p": p.log1p, "hypot": p.hypot,
    "abs": p.absolute, "sign": p.sign, "floor": p.floor, "ceil": p.ceil, "maximum": p.maximum, "minimum": p.minimum,
    "erf": p.erf, "lgamma": p.lgamma, "digamma": p.digamma, "sigmoid": p.sigmoid, "isnan": p.is_nan,
}  # fmt: skip

_INTEGER_VALUED = frozenset({math.floor, math.ceil, int, round, math.trunc})
_KEEPS_INTEGERS = frozenset({p.absolute, p.sign, p.maximum, p.minimum, p.floor, p.ceil})
VERBS = {
    "grad": Verb.GRAD,
    "mgrad": Verb.GRAD,
    "value_and_grad": Verb.VALUE_AND_GRAD,
    "jacobian": Verb.JACOBIAN,
    "jacob": Verb.JACOBIAN,
    "diff": Verb.JACOBIAN,
    "vdiff": Verb.JACOBIAN,
    "mdiff": Verb.JACOBIAN,
    "jvp": Verb.JVP,
}
_IDENTITY = frozenset({"array", "asarray", "ascontiguousarray", "asarray_chkfinite"})


class Calls(Iteration):
    """Everything with parentheses behind it."""

    def call(self, node: ast.Call) -> Value:
        """The value of a call."""
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                self.unsupported(argument, "a starred argument", "write the arguments out")
        callee = self.expression(node.func)
        match callee:
            case Closure():
                return self.inline(callee.node, callee.source, callee.names, node)
            case Derived():
                return self.derivative(callee, node)
            case Method(owner, name):
                return self.method(owner, name, node)
            case Static(function):
                return self.call_static(function, node)
            case _:
                self.fail(TypeMismatchError, node, f"{self.source.segment(node.func)} is not a function")

    def call_static(self, function: object, node: ast.Call) -> Value:
        """A call of a Python object known at compile time."""
        program = getattr(function, "program", None)
        if isinstance(program, SourceProgram | LibraryProgram | DerivedProgram):
            return self.call_program(program, node)
        module = getattr(function, "__module__", None) or ""
        name = getattr(function, "__name__", "")
        if isinstance(function, np.ufunc):
            return self.numpy(name, function, node)
        if module in ("fsmooth.api", "fsmooth.functions"):
            return self.own(name, node)
        if function in _BUILTIN:
            return _BUILTIN[function](self, node)
        if isinstance(getattr(function, "__self__", None), dict) and name in ("keys", "values", "items", "get"):
            return self.constant_or_static(function(*[self.static_object(a) for a in node.args]))  # type: ignore[operator]
        if isinstance(function, type):
            return self.construct(function, node)
        if hasattr(function, "__hash__") and function in _SCALAR:
            return self.scalar_function(_SCALAR[function], node)
        if module == "math":
            return self.math(function, name, node)
        if module.split(".")[0] in ("numpy", "scipy"):
            return self.numpy(name, function, node)
        if isinstance(function, FunctionType):
            return self.helper(function, node)
        if hasattr(function, "__wrapped__"):
            return self.helper(inspect.unwrap(function), node)  # type: ignore[arg-type]
        self.unsupported(
            node, name or repr(function), "write it in Python with numbers and arrays, or compute it outside"
        )

    # -- scalars -----------------------------------------------------------------------------------------------------

    def arguments(self, node: ast.Call, count: int | None = None) -> list[Term]:
        """Positional arguments, evaluated."""
        if node.keywords:
            keyword = node.keywords[0].arg
            self.unsupported(node, f"the keyword {keyword} here", "give the arguments by position")
        if count is not None and len(node.args) != count:
            name = self.source.segment(node.func)
            self.fail(ArgumentMismatch, node, f"{name} takes {count} arguments, not {len(node.args)}")
        return [self.value(a) for a in node.args]

    def scalar_function(self, primitive: Primitive, node: ast.Call) -> Term:
        """A primitive, on numbers or element by element."""
        arguments = self.arguments(node, primitive.arity)
        return self.elementwise(lambda *xs: self.primitive(primitive, list(xs), node), arguments, node)

    def primitive(self, primitive: Primitive, xs: list[Term], node: ast.AST) -> Term:
        """A primitive on numbers, converted as it needs."""
        for x in xs:
            if not isinstance(x.type, Float | Int | Bool):
                self.fail(TypeMismatchError, node, f"{primitive.name} wants numbers, not {describe(x.type)}")
        if primitive in _KEEPS_INTEGERS and all([isinstance(x.type, Int) for x in xs]):
            return xs[0] if primitive in (p.floor, p.ceil) else Prim(primitive, tuple(xs))
        if len(xs) == 2:
            xs = list(self.common(xs[0], xs[1], node))
        xs = [x if isinstance(x.type, Float) else self.convert(x, F64, node) for x in xs]
        return Prim(primitive, tuple(xs))

    def math(self, function: object, name: str, node: ast.Call) -> Value:
        """Functions of the module math beyond the table."""
        if function is math.log:
            arguments = self.arguments(node)
            logs = [self.elementwise(lambda x: self.primitive(p.log, [x], node), [a], node) for a in arguments]
            return logs[0] if len(logs) == 1 else self.binary(ast.Div(), logs[0], logs[1], node)
        if function is math.pow:
            a, b = self.arguments(node, 2)
            return self.binary(ast.Pow(), self.convert(a, F64, node) if isinstance(a.type, Int) else a, b, node)
        if function is math.prod:
            return self.reduce_call(Reduction.PRODUCT, node)
        if function is math.floor or function is math.ceil or function is math.trunc:
            return self.to_integer(function, node)
        if function is math.erfc:
            (x,) = self.arguments(node, 1)
            return self.binary(ast.Sub(), Const(1.0), self.primitive(p.erf, [x], node), node)
        if function is math.dist:
            a, b = self.arguments(node, 2)
            return self.library("norm", [self.binary(ast.Sub(), a, b, node)], node)
        return self.library_call(name, node)

    def to_integer(self, function: object, node: ast.Call) -> Term:
        """int(x), math.floor(x), math.ceil(x)."""
        (x,) = self.arguments(node, 1)
        if isinstance(x.type, Int):
            return x
        if isinstance(x.type, Float) and function in (math.floor, math.ceil):
            x = Prim(p.floor if function is math.floor else p.ceil, (x,))
        if not isinstance(x.type, Float | Bool):
            self.fail(TypeMismatchError, node, f"expected a number, found {describe(x.type)}")
        return Prim(p.to_int, (x,))

    # -- built-in functions --------------------------------------------------------------------------------------------

    def length_call(self, node: ast.Call) -> Value:
        """len(x)."""
        if len(node.args) != 1:
            self.fail(ArgumentMismatch, node, "len takes one argument")
        value = self.expression(node.args[0])
        if isinstance(value, Static) and hasattr(value.value, "__len__"):
            return Const(len(value.value))
        if isinstance(value, Unrolled):
            return Const(len(value.items))
        term = self.term(value, node.args[0])
        if isinstance(term.type, Tuple):
            return Const(len(term.type.items))
        if not isinstance(term.type, Array):
            self.fail(TypeMismatchError, node, f"{describe(term.type)} has no len")
        return self.size(term if isinstance(term, Var) else self.bind(term, "a"), node)

    def round_call(self, node: ast.Call) -> Value:
        """round(x): the nearest integer, the even one of two."""
        (x,) = self.arguments(node, 1)
        if isinstance(x.type, Int):
            return x
        x = self.bind(self.convert(x, F64, node) if isinstance(x.type, Bool) else x, "x")
        if not isinstance(x.type, Float):
            self.fail(TypeMismatchError, node, f"expected a number, found {describe(x.type)}")
        below = self.bind(Prim(p.floor, (x,)), "below")
        whole = self.bind(Prim(p.to_int, (below,)), "whole")
        rest = self.bind(Prim(p.subtract, (x, below)), "rest")
        half = number(0.5, x.type)
        tie = plus(whole, Prim(p.modulo, (whole, Const(2))))
        upper = If(Prim(p.less, (half, rest)), plus(whole, Const(1)), tie)
        return If(Prim(p.less, (rest, half)), whole, upper)

    def float_call(self, node: ast.Call) -> Value:
        """float(x)."""
        (x,) = self.arguments(node, 1)
        return self.convert(x, F64, node) if not isinstance(x.type, Float) else x

    def bool_call(self, node: ast.Call) -> Value:
        """bool(x)."""
        (x,) = self.arguments(node, 1)
        return self.truth(x, node)

    def power_call(self, node: ast.Call) -> Value:
        """pow(a, b)."""
        a, b = self.arguments(node, 2)
        return self.binary(ast.Pow(), a, b, node)

    def list_call(self, node: ast.Call) -> Value:
        """list(x), tuple(x) of something iterable."""
        if len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp):
            made = ast.copy_location(ast.ListComp(node.args[0].elt, node.args[0].generators), node)
            return self.comprehension(made)
        if len(node.args) == 1:
            source = self.iterable(node.args[0])
            if isinstance(source, Unrolled):
                return self.display([self.term(x, node) for x in source.items], node)
            index = Var("i", INT, self.source.site(node))
            return Build(source.size, index, self.inside(lambda: self.term(source.element(index), node)))
        self.unsupported(node, "list() here", "write the list out")

    def reduce_call(self, reduction: Reduction, node: ast.Call) -> Value:
        """sum, max, min, any, all, math.prod."""
        if not node.args:
            self.fail(ArgumentMismatch, node, f"{self.source.segment(node.func)} needs an argument")
        first = node.args[0]
        if len(node.args) >= 2 and reduction in (Reduction.MAX, Reduction.MIN):
            total = self.value(first)
            for other in node.args[1:]:
                total = self.combined_values(reduction, total, self.value(other), node)
            return total
        if isinstance(first, ast.GeneratorExp | ast.ListComp):
            result = self.reduction(reduction, first)
        else:
            result = self.reduce_value(reduction, first, node)
        if len(node.args) == 2 and reduction is Reduction.SUM:
            return self.binary(ast.Add(), self.value(node.args[1]), result, node)
        return result

    def combined_values(self, reduction: Reduction, a: Term, b: Term, node: ast.AST) -> Term:
        """max(a, b) of numbers."""
        for x in (a, b):
            if not isinstance(x.type, Float | Int):
                self.fail(
                    TypeMismatchError, node, f"max and min of several arguments want numbers, not {describe(x.type)}"
                )
        return self.combined(reduction, a, b, node)

    def reduce_value(self, reduction: Reduction, part: ast.expr, node: ast.Call) -> Term:
        """sum(xs) of an array, a tuple, or an iterator."""
        name = ast.Name("_element", ast.Load())
        generator = ast.comprehension(ast.Name("_element", ast.Store()), part, [], 0)
        made = ast.GeneratorExp(name, [generator])
        for n in ast.walk(made):
            if not hasattr(n, "lineno"):
                ast.copy_location(n, node)
        return self.reduction(reduction, made)

    # -- NumPy, fsmooth, M̃ ---------------------------------------------------------------------------------------------

    def numpy(self, name: str, function: object, node: ast.Call) -> Value:
        """NumPy's functions by name."""
        if name in _IDENTITY and len(node.args) >= 1:
            term = self.value(node.args[0])
            return term
        if function in _SCALAR:
            return self.scalar_function(_SCALAR[function], node)
        if name == "where" and len(node.args) == 3:
            return self.where(node)
        if name in ("absolute",):
            return self.scalar_function(p.absolute, node)
        return self.library_call(name, node)

    def where(self, node: ast.Call) -> Term:
        """np.where(c, a, b): a branch for each element."""
        condition, a, b = self.arguments(node, 3)

        def choose(c: Term, x: Term, y: Term) -> Term:
            return self.branch(self.truth(c, node), x, y, node)

        return self.elementwise(choose, [condition, a, b], node)

    def own(self, name: str, node: ast.Call) -> Value:
        """Fsmooth's functions by name."""
        if name in VERBS:
            return self.derive(name, node)
        if name == "where":
            return self.where(node)
        if name in _FS_SCALAR:
            return self.scalar_function(_FS_SCALAR[name], node)
        if name == "hessian":
            self.unsupported(node, "fs.hessian in a program", "write fs.jacobian(fs.grad(f))")
        return self.library_call(name, node)

    def library_call(self, name: str, node: ast.Call) -> Value:
        """A function of M̃, whose function arguments may be lambdas or helpers."""
        if name not in library_names():
            self.unsupported(
                node,
                self.source.segment(node.func),
                "write it as a loop or comprehension; fs.library lists what exists",
            )
        arguments: list[Term | Callable[..., Term]] = []
        for part in node.args:
            value = self.expression(part)
            if isinstance(value, Closure) or (isinstance(value, Static) and callable(value.value)):
                arguments.append(self.as_function(value, part))
            else:
                arguments.append(self.term(value, part))
        axis = [k for k in node.keywords if k.arg == "axis"]
        others = [k for k in node.keywords if k.arg not in ("axis", "dtype")]
        if others or axis:
            arguments = self.with_keywords(name, arguments, node)
        return self.expanded(name, arguments, node)

    def with_keywords(
        self, name: str, arguments: list[Term | Callable[..., Term]], node: ast.Call
    ) -> list[Term | Callable[..., Term]]:
        """The axis of a reduction comes after its array; other keywords are not understood."""
        keyword = node.keywords[0]
        if keyword.arg == "axis" and len(node.keywords) == 1 and len(arguments) == 1 and name in AXIS_NAMES:
            return [*arguments, self.term(self.expression(keyword.value), keyword.value)]
        self.unsupported(
            node,
            f"the keyword {keyword.arg} of {name}",
            "write the reduction as a comprehension, e.g. [sum(row) for row in A]",
        )

    def library(self, name: str, arguments: list[Term], node: ast.AST) -> Term:
        return self.expanded(name, list(arguments), node)

    def expanded(self, name: str, arguments: list[Term | Callable[..., Term]], node: ast.AST) -> Term:
        """M̃'s definition of `name` on these arguments."""
        given = [self.bind(a, "a") if isinstance(a, Term) else a for a in arguments]
        try:
            result = expand(name, given, self.source.site(node, self.source.segment(node)))
        except WrongArguments as error:
            self.fail(TypeMismatchError, node, str(error).split("\n", 1)[0])
        return result

    def as_function(self, value: Closure | Static, node: ast.AST) -> Callable[..., Term]:
        """A lambda or helper as a function on terms."""

        def apply(*terms: Term) -> Term:
            return self.inside(lambda: self.term(self.apply(value, list(terms), node), node))

        return apply

    def apply(self, value: Value, terms: list[Term], node: ast.AST) -> Value:
        """A function value on terms."""
        names = [f"_argument{k}" for k in range(len(terms))]
        saved = {n: self.names.get(n) for n in names}
        self.names.update(zip(names, terms, strict=True))
        self.names["_function"] = value
        made = ast.Call(ast.Name("_function", ast.Load()), [ast.Name(n, ast.Load()) for n in names], [])
        for part in ast.walk(made):
            ast.copy_location(part, node)
        try:
            return self.call(made)
        finally:
            for n, old in saved.items():
                if old is None:
                    del self.names[n]
                else:
                    self.names[n] = old
            del self.names["_function"]

    # -- methods, constructors -------------------------------------------------------------------------------------------

    def method(self, owner: Term, name: str, node: ast.Call) -> Value:
        """x.sum(), x.dot(y), x.copy()."""
        if name == "copy":
            array = self.bind(owner, "a")
            return build(self.size(array, node), lambda i: self.element(array, i))
        name = {"flatten": "ravel"}.get(name, name)
        if node.keywords and not node.args:
            return self.expanded(name, self.with_keywords(name, [owner], node), node)
        return self.library(name, [owner, *self.arguments(node)], node)

    def element(self, array: Term, index: Term) -> Term:
        """An element whose index is in range."""
        return Get(array, index)

    def construct(self, cls: type, node: ast.Call) -> Value:
        """A NamedTuple or dataclass of the user's."""
        if dataclasses.is_dataclass(cls):
            fields = tuple([f.name for f in dataclasses.fields(cls)])
        elif issubclass(cls, tuple) and hasattr(cls, "_fields"):
            fields = tuple(cls._fields)
        elif cls.__module__ == "numpy":
            (x,) = self.arguments(node, 1)
            return self.convert(x, F64, node) if cls is np.float64 else x
        else:
            self.unsupported(node, f"an object of class {cls.__name__}", "use a NamedTuple or a dataclass")
        values = self.matched(inspect.signature(cls), node)
        items = tuple([self.term(values[f], node) for f in fields])
        return MakeTuple(items, Tuple(tuple([i.type for i in items]), fields, cls))

    # -- helpers -----------------------------------------------------------------------------------------------------------

    def helper(self, function: FunctionType, node: ast.Call) -> Value:
        """A plain Python function, inlined."""
        source = source_of(function)
        if function not in self.shared.helpers:
            self.shared.helpers.append(function)
        return self.inline(source.node, source, {}, node)

    def matched(self, signature: inspect.Signature, node: ast.Call) -> dict[str, Value]:
        """The arguments of a call by parameter name, defaults filled in."""
        positional = [self.expression(a) for a in node.args]
        named: dict[str, Value] = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                self.unsupported(node, "** in a call", "write the keywords out")
            named[keyword.arg] = self.expression(keyword.value)
        for parameter in signature.parameters.values():
            if parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
                self.unsupported(node, f"a function with the parameter *{parameter.name}", "name its parameters")
        try:
            bound = signature.bind(*positional, **named)
        except TypeError as error:
            self.fail(ArgumentMismatch, node, f"{self.source.segment(node.func)}: {error}")
        result = dict(bound.arguments)
        for name, parameter in signature.parameters.items():
            if name not in result and parameter.default is not inspect.Parameter.empty:
                default = parameter.default
                result[name] = (
                    self.expression(default) if isinstance(default, ast.expr) else self.constant_or_static(default)
                )
        return result

    def inline(
        self, definition: ast.FunctionDef | ast.Lambda, source: Source, names: dict[str, Value], node: ast.Call
    ) -> Value:
        """The body of a function, with its parameters named in a frame of its own."""
        signature = signature_of(definition, source)
        values = self.matched(signature, node)
        return self.run(definition, source, names, values, node)

    def run(
        self,
        definition: ast.FunctionDef | ast.Lambda,
        source: Source,
        names: dict[str, Value],
        values: dict[str, Value],
        node: ast.AST,
    ) -> Value:
        """Elaborate a function body where its parameters have `values`."""
        if definition in self.shared.stack:
            name = definition.name if isinstance(definition, ast.FunctionDef) else "a lambda"
            self.unsupported(node, f"recursion ({name} calls itself)", "write a loop")
        bound: dict[str, Value] = dict(names)
        for name, value in values.items():
            bound[name] = self.bind(value, name) if isinstance(value, Term) else value
        frame = type(self)(source, bound, self.shared, self)
        self.shared.stack.append(definition)
        try:
            if isinstance(definition, ast.Lambda):
                result = frame.expression(definition.body)
                self.shared.returned = definition.body
                return result
            return frame.function_body(definition)  # type: ignore[attr-defined, no-any-return]
        finally:
            self.shared.stack.pop()

    def static_object(self, node: ast.expr) -> object:
        """A Python object known at compile time."""
        if isinstance(node, ast.Tuple | ast.List):
            return tuple([self.static_object(e) for e in node.elts])
        value = self.expression(node)
        if isinstance(value, Static | Const):
            return value.value
        self.fail(TypeMismatchError, node, "this must be a constant")

    # -- elsewhere -------------------------------------------------------------------------------------------------

    def derive(self, verb: str, node: ast.Call) -> Value:
        """fs.grad(f, wrt=…) inside a program (frontend/python/derivatives.py)."""
        raise NotImplementedError

    def derivative(self, derived: Derived, node: ast.Call) -> Value:
        """The call of a derivative (frontend/python/derivatives.py)."""
        raise NotImplementedError

    def call_program(self, program: Program, node: ast.Call) -> Value:
        """A call of an fs.function (frontend/python/derivatives.py)."""
        raise NotImplementedError


class ArgumentMismatch(ProgramError, ArgumentError):
    """A call inside a program with the wrong arguments."""


def signature_of(definition: ast.FunctionDef | ast.Lambda, source: Source) -> inspect.Signature:
    """The parameters of a function from its syntax; defaults are those of the function object, or expressions."""
    node = definition.args
    if definition is source.node:
        return inspect.signature(source.function)
    empty = inspect.Parameter.empty
    kinds = inspect.Parameter
    pairs: list[tuple[ast.arg, inspect._ParameterKind]] = [(a, kinds.POSITIONAL_ONLY) for a in node.posonlyargs]
    pairs += [(a, kinds.POSITIONAL_OR_KEYWORD) for a in node.args]
    given: list[ast.expr | None] = [None] * (len(pairs) - len(node.defaults))
    given += node.defaults
    pairs += [(a, kinds.KEYWORD_ONLY) for a in node.kwonlyargs]
    given += node.kw_defaults
    parameters = [
        inspect.Parameter(a.arg, kind, default=empty if default is None else default)
        for (a, kind), default in zip(pairs, given, strict=True)
    ]
    if node.vararg is not None:
        parameters.insert(len(pairs) - len(node.kwonlyargs), inspect.Parameter(node.vararg.arg, kinds.VAR_POSITIONAL))
    if node.kwarg is not None:
        parameters.append(inspect.Parameter(node.kwarg.arg, kinds.VAR_KEYWORD))
    return inspect.Signature(parameters)


_BUILTIN: dict[object, Callable[[Calls, ast.Call], Value]] = {
    len: Calls.length_call,
    float: Calls.float_call,
    round: Calls.round_call,
    bool: Calls.bool_call,
    pow: Calls.power_call,
    list: Calls.list_call,
    tuple: Calls.list_call,
    sum: lambda self, node: self.reduce_call(Reduction.SUM, node),
    max: lambda self, node: self.reduce_call(Reduction.MAX, node),
    min: lambda self, node: self.reduce_call(Reduction.MIN, node),
    any: lambda self, node: self.reduce_call(Reduction.ANY, node),
    all: lambda self, node: self.reduce_call(Reduction.ALL, node),
    int: lambda self, node: self.to_integer(int, node),
    abs: lambda self, node: self.scalar_function(p.absolute, node),
    range: lambda self, node: self.range(node),
    enumerate: lambda self, node: self.iterable(node),
    zip: lambda self, node: self.iterable(node),
    reversed: lambda self, node: self.iterable(node),
}

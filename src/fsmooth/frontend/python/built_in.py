"""Python's built-in functions."""

from __future__ import annotations

import ast
import math
import types
import typing
from collections.abc import Callable

import numpy as np

from fsmooth.core import primitives as p
from fsmooth.core.build import number, plus
from fsmooth.core.lists import is_list
from fsmooth.core.signs import at_least_zero
from fsmooth.core.term import Const, If, MakeTuple, Prim, Reduction, Term, Var
from fsmooth.core.types import INT, Array, Bool, Float, Int, Tuple
from fsmooth.core.weak import WEAK
from fsmooth.errors import ArgumentMismatchError, TypeMismatchError
from fsmooth.frontend.python.alternatives import asked, for_parts, is_of_kinds
from fsmooth.frontend.python.arithmetic import binary
from fsmooth.frontend.python.classes import type_call
from fsmooth.frontend.python.comprehensions import comprehension
from fsmooth.frontend.python.conversion import convert, truth
from fsmooth.frontend.python.displays import list_of, tuple_display
from fsmooth.frontend.python.dtypes import limits_of
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.functions import constant_object, keywords, positional
from fsmooth.frontend.python.index_calls import slice_call
from fsmooth.frontend.python.iterables import iterable, range_of
from fsmooth.frontend.python.iterators import MORE_ITERATORS, best
from fsmooth.frontend.python.kinds import describe
from fsmooth.frontend.python.names import size_of_object
from fsmooth.frontend.python.nodes import (
    declaration_of_node,
    is_forest,
    is_of_classes,
    require_no_node,
    trees_of_forest,
)
from fsmooth.frontend.python.own_operators import own_method
from fsmooth.frontend.python.protocols import require_parts
from fsmooth.frontend.python.reducible import combined
from fsmooth.frontend.python.reductions import reduce_generator
from fsmooth.frontend.python.scalars import scalar_function
from fsmooth.frontend.python.sizes import length_of, stacked
from fsmooth.frontend.python.values import (
    Closure,
    Derived,
    Growing,
    Keyed,
    Listed,
    Sequence,
    Static,
    Unfilled,
    Unrolled,
    Value,
)
from fsmooth.frontend.python.weak import weakened


def to_integer(frame: Frame, function: object, node: ast.Call) -> Term:
    """int(x), math.floor(x), math.ceil(x)."""
    (x,) = positional(frame, node, 1)
    if isinstance(x.type, Int):
        return x
    if isinstance(x.type, Float) and function in (math.floor, math.ceil):
        x = Prim(p.floor if function is math.floor else p.ceil, (x,))
    if not isinstance(x.type, Float | Bool):
        frame.fail(
            TypeMismatchError, node, f"expected a number, found {describe(x.type)}", "convert the elements one by one"
        )
    return Prim(p.to_int, (x,))


def length_call(frame: Frame, node: ast.Call) -> Value:
    """len(x)."""
    if len(node.args) != 1 or node.keywords:
        frame.fail(ArgumentMismatchError, node, "len takes one argument", "give it one array, list or tuple")
    return _length(frame, frame.expression(node.args[0]), node)


def _length(frame: Frame, value: Value, node: ast.Call) -> Value:
    if isinstance(value, Term) and is_of_kinds(value):
        return for_parts(frame, value, lambda one: _length(frame, one, node), node)
    if isinstance(value, Static) and hasattr(value.value, "__len__"):
        return size_of_object(frame, value)
    if isinstance(value, Keyed):
        return Const(len(value.entries))
    if isinstance(value, Unrolled):
        return Const(len(value.items))
    if isinstance(value, Unfilled):
        return Const(0)
    if isinstance(value, Growing):
        return plus(value.start, value.added)
    if isinstance(value, Term) and is_forest(value):
        value = trees_of_forest(frame, value, node)
    if isinstance(value, Sequence):
        return at_least_zero(value.size)
    own = own_method(frame, value, "__len__", [], node)
    if own is not None:
        return own
    term = frame.term(value, node.args[0])
    require_no_node(frame, term, node)
    require_parts(frame, term, node)
    if isinstance(term.type, Tuple):
        return Const(len(term.type.items))
    if not isinstance(term.type, Array):
        frame.fail(TypeMismatchError, node, f"{describe(term.type)} has no len", "len is of arrays, lists and tuples")
    return at_least_zero(length_of(frame, term if isinstance(term, Var) else frame.bind(term, "a"), node))


def round_call(frame: Frame, node: ast.Call) -> Value:
    """round(x): the nearest integer, the even one of two."""
    if len(node.args) > 1 or node.keywords:
        what = "round takes one argument in programs"
        frame.fail(ArgumentMismatchError, node, what, "write np.round(x, 2), whose last digit may be another")
    (x,) = positional(frame, node, 1)
    if isinstance(x.type, Int):
        return x
    x = frame.bind(convert(frame, x, WEAK, node) if isinstance(x.type, Bool) else x, "x")
    if not isinstance(x.type, Float):
        frame.fail(
            TypeMismatchError, node, f"expected a number, found {describe(x.type)}", "round the elements one by one"
        )
    below = frame.bind(Prim(p.floor, (x,)), "below")
    whole = frame.bind(Prim(p.to_int, (below,)), "whole")
    rest = frame.bind(Prim(p.subtract, (x, below)), "rest")
    half = number(0.5, x.type)
    tie = plus(whole, Prim(p.modulo, (whole, Const(2))))
    upper = If(Prim(p.less, (half, rest)), plus(whole, Const(1)), tie)
    return If(Prim(p.less, (rest, half)), whole, upper)


def divmod_call(frame: Frame, node: ast.Call) -> Value:
    """divmod(a, b)."""
    a, b = [frame.bind(x) for x in positional(frame, node, 2)]
    return MakeTuple((binary(frame, ast.FloorDiv(), a, b, node), binary(frame, ast.Mod(), a, b, node)))


def float_call(frame: Frame, node: ast.Call) -> Value:
    """float(x), float("inf")."""
    if len(node.args) == 1 and isinstance(node.args[0], ast.Constant) and node.args[0].value in NOT_FINITE:
        return Const(float(node.args[0].value), WEAK)
    (x,) = positional(frame, node, 1)
    return weakened(x) if isinstance(x.type, Float) else convert(frame, x, WEAK, node)


def bool_call(frame: Frame, node: ast.Call) -> Value:
    """bool(x)."""
    (x,) = positional(frame, node, 1)
    return truth(frame, x, node)


def callable_call(frame: Frame, node: ast.Call) -> Value:
    """callable(f), known while compiling."""
    if len(node.args) != 1 or node.keywords:
        frame.fail(ArgumentMismatchError, node, "callable takes one argument", "give it one value")
    value = frame.expression(node.args[0])
    return Const(isinstance(value, Closure | Derived) or (isinstance(value, Static) and callable(value.value)))


def power_call(frame: Frame, node: ast.Call) -> Value:
    """pow(a, b)."""
    a, b = positional(frame, node, 2)
    return binary(frame, ast.Pow(), a, b, node)


def in_kind_of(frame: Frame, value: Value, node: ast.Call) -> Value:
    """What list(x) gives, as a tuple if it is tuple(x)."""
    require_no_node(frame, value, node)
    callee = frame.expression(node.func)
    if isinstance(value, Listed) and isinstance(callee, Static) and callee.value is tuple:
        return tuple_display(frame, list(value.items))
    return value


def list_call(frame: Frame, node: ast.Call) -> Value:
    """list(x), tuple(x) of something iterable."""
    if len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp):
        made = ast.copy_location(ast.ListComp(node.args[0].elt, node.args[0].generators), node)
        return in_kind_of(frame, comprehension(frame, made), node)
    if len(node.args) == 1:
        source = iterable(frame, node.args[0])
        if isinstance(source, Unrolled):
            return in_kind_of(frame, list_of(frame, source.items, source, node), node)
        index = Var("i", INT, frame.site(node))
        element = frame.inside(lambda: frame.term(source.element(index), node))
        return frame.as_list(stacked(frame, element, index, source.size, node))
    if not node.args:
        return Listed(())
    frame.unsupported(node, "list() here", "write the list out")


def isinstance_call(frame: Frame, node: ast.Call) -> Value:
    """isinstance(x, C), which is known at compile time."""
    keywords(frame, node, ())
    if len(node.args) != 2:
        frame.fail(ArgumentMismatchError, node, "isinstance takes a value and a class", "write isinstance(x, float)")
    classes = classes_of(frame, node.args[1])
    value = frame.expression(node.args[0])
    if isinstance(value, Term) and is_of_kinds(value):
        return asked(frame, value, lambda one: is_instance(frame, one, classes, node), node)
    return is_instance(frame, value, classes, node)


def is_instance(frame: Frame, value: Value, classes: object, node: ast.Call) -> Term:
    """Is the value of one of the classes?"""
    if isinstance(value, Term) and declaration_of_node(value) is not None:
        return is_of_classes(frame, value, flat_classes(classes))
    if isinstance(value, Term) and isinstance(value.type, Array):
        named = [cls for cls in flat_classes(classes) if issubclass(cls, tuple) and hasattr(cls, "_fields")]
        if named:
            what = f"this is an array, as NumPy makes one of a list of {named[0].__name__}, which are tuples"
            frame.fail(TypeMismatchError, node, what, "make the class a dataclass, or give a tuple of them")
    return Const(any([isinstance(like, classes) for like in objects_like(frame, value)]))  # type: ignore[arg-type]


def classes_of(frame: Frame, node: ast.expr) -> object:
    """The classes of an isinstance: one, a tuple of them, or A | B."""
    if isinstance(node, ast.BinOp):
        return (classes_of(frame, node.left), classes_of(frame, node.right))
    return constant_object(frame, node)


def flat_classes(classes: object) -> list[type]:
    """The classes of an isinstance, one by one."""
    if isinstance(classes, tuple):
        return [cls for part in classes for cls in flat_classes(part)]
    found = typing.get_args(classes) if isinstance(classes, types.UnionType) else (classes,)
    return [type(None) if cls is None else cls for cls in found]


def objects_like(frame: Frame, value: Value) -> list[object]:
    """Python objects of the classes that a value may have."""
    match value:
        case Static(inner):
            return [inner]
        case Keyed():
            return [{}]
        case Listed() | Growing():
            return [[]]
        case Unrolled():
            return [()]
        case Term(type=Bool()):
            return [True]
        case Term(type=Int()):
            return [0, np.int64(0)]
        case Term(type=Float()):
            return [0.0, np.float64(0)]
        case Term(type=Array()):
            return [[]] if is_list(value.type) else [np.empty(0)]
        case Term(type=Tuple(record=type() as record)):
            return [
                {}
                if record is dict
                else record.__new__(record)
                if not issubclass(record, tuple)
                else tuple.__new__(record)
            ]
        case Term():
            return [()]
        case _:
            return [len]


def reduce_call(frame: Frame, reduction: Reduction, node: ast.Call) -> Value:
    """sum, max, min, any, all, math.prod."""
    given = keywords(frame, node, KEYWORDS.get(reduction, ()))
    if not node.args:
        frame.fail(
            ArgumentMismatchError,
            node,
            f"{frame.source.segment(node.func)} needs an argument",
            "give it an array or a generator",
        )
    first, *others = node.args
    if "key" in given:
        return best(frame, node, node.args, given["key"], "argmax" if reduction is Reduction.MAX else "argmin")
    if others and reduction in (Reduction.MAX, Reduction.MIN):
        total = frame.value(first)
        for other in others:
            total = combined_values(frame, reduction, total, frame.value(other), node)
        return total
    if len(others) > (reduction is Reduction.SUM):
        frame.fail(
            ArgumentMismatchError, node, f"{frame.source.segment(node.func)} takes one argument", "give it a list"
        )
    default = frame.value(given["default"]) if "default" in given else None
    if isinstance(first, ast.GeneratorExp | ast.ListComp):
        result = reduce_generator(frame, reduction, first, default)
    else:
        result = reduce_value(frame, reduction, first, node, default)
    start = others[0] if others else given.get("start")
    if start is None:
        return result
    op = ast.Mult() if reduction is Reduction.PRODUCT else ast.Add()
    return binary(frame, op, frame.value(start), result, node)


def combined_values(frame: Frame, reduction: Reduction, a: Term, b: Term, node: ast.AST) -> Term:
    """max(a, b) of numbers."""
    for x in (a, b):
        if not isinstance(x.type, Float | Int):
            frame.fail(
                TypeMismatchError,
                node,
                f"max and min of several arguments want numbers, not {describe(x.type)}",
                "for arrays, use np.maximum or np.minimum",
            )
    return combined(frame, reduction, a, b, node)


def reduce_value(frame: Frame, reduction: Reduction, part: ast.expr, node: ast.Call, default: Term | None) -> Term:
    """sum(xs) of an array, a tuple, or an iterator."""
    name = ast.Name("_element", ast.Load())
    generator = ast.comprehension(ast.Name("_element", ast.Store()), part, [], 0)
    made = ast.GeneratorExp(name, [generator])
    for n in ast.walk(made):
        if not hasattr(n, "lineno"):
            ast.copy_location(n, node)
    return reduce_generator(frame, reduction, made, default)


NOT_FINITE = ("inf", "+inf", "-inf", "nan", "infinity", "-infinity")

KEYWORDS = {
    Reduction.SUM: ("start",),
    Reduction.PRODUCT: ("start",),
    Reduction.MAX: ("default", "key"),
    Reduction.MIN: ("default", "key"),
}

BUILT_IN: dict[object, Callable[[Frame, ast.Call], Value]] = {
    len: length_call,
    float: float_call,
    round: round_call,
    bool: bool_call,
    pow: power_call,
    np.finfo: limits_of,
    np.iinfo: limits_of,
    divmod: divmod_call,
    callable: callable_call,
    list: list_call,
    tuple: list_call,
    sum: lambda frame, node: reduce_call(frame, Reduction.SUM, node),
    max: lambda frame, node: reduce_call(frame, Reduction.MAX, node),
    min: lambda frame, node: reduce_call(frame, Reduction.MIN, node),
    any: lambda frame, node: reduce_call(frame, Reduction.ANY, node),
    all: lambda frame, node: reduce_call(frame, Reduction.ALL, node),
    int: lambda frame, node: to_integer(frame, int, node),
    abs: lambda frame, node: scalar_function(frame, p.absolute, node),
    range: lambda frame, node: range_of(frame, node),
    slice: slice_call,
    enumerate: lambda frame, node: iterable(frame, node),
    zip: lambda frame, node: iterable(frame, node),
    reversed: lambda frame, node: iterable(frame, node),
    map: lambda frame, node: iterable(frame, node),
    isinstance: isinstance_call,
    type: type_call,
    **MORE_ITERATORS,
}

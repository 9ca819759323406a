"""Calls of NumPy, math, fsmooth and methods of arrays, by name, where M̃ has them."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import NoReturn

import numpy as np

from fsmooth.core import primitives as p
from fsmooth.core.build import build
from fsmooth.core.lists import ListOf, all_lists
from fsmooth.core.term import Get, MakeTuple, Term, Vector
from fsmooth.core.types import INT, Array, Bool, array_of, leaf_of, rank_of
from fsmooth.errors import ArgumentMismatchError, TypeMismatchError
from fsmooth.frontend.python.arithmetic import binary, remainder
from fsmooth.frontend.python.arrays.arguments import on_terms
from fsmooth.frontend.python.arrays.names import BY_NAME, TAKES_PARTS
from fsmooth.frontend.python.broadcasting import elementwise
from fsmooth.frontend.python.conversion import convert, truth
from fsmooth.frontend.python.derivatives import VERBS, derive
from fsmooth.frontend.python.displays import array_of_parts
from fsmooth.frontend.python.dtypes import of_dtype, with_leaf
from fsmooth.frontend.python.frame import Frame, is_path
from fsmooth.frontend.python.functions import as_function, helper_call, keywords, matched, positional, run_helper
from fsmooth.frontend.python.index_calls import grid_call
from fsmooth.frontend.python.instead import DRAWN, instead_of
from fsmooth.frontend.python.joins import branch
from fsmooth.frontend.python.library import expanded
from fsmooth.frontend.python.logic import unary
from fsmooth.frontend.python.macro import deriv_call
from fsmooth.frontend.python.mapped import mapped_call
from fsmooth.frontend.python.public_names import public_name
from fsmooth.frontend.python.scalars import OWN_SCALAR, SCALAR, scalar_function
from fsmooth.frontend.python.sizes import length_of
from fsmooth.frontend.python.values import Closure, Static, Value
from fsmooth.frontend.python.weak import strengthened
from fsmooth.library import algebra
from fsmooth.library.numpy import written
from fsmooth.library.numpy.of_numbers import OfNumbers

_IDENTITY = frozenset({"array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "asarray_chkfinite"})

WITH_DTYPE = {
    **dict.fromkeys(_IDENTITY, 1), "zeros": 1, "ones": 1, "empty": 1, "full": 2, "zeros_like": 1, "ones_like": 1,
    "empty_like": 1, "full_like": 2,
}  # fmt: skip
"""Functions of NumPy that make arrays: how many arguments come before the dtype."""

OPERATORS: dict[str, type[ast.operator]] = {
    "mod": ast.Mod,
    "remainder": ast.Mod,
    "floor_divide": ast.FloorDiv,
    "bitwise_and": ast.BitAnd,
    "bitwise_or": ast.BitOr,
    "bitwise_xor": ast.BitXor,
    "left_shift": ast.LShift,
    "right_shift": ast.RShift,
}

COUNTING = frozenset({"sum", "prod", "mean", "average", "std", "var", "cumsum"})
"""These count truth values."""


TRUTHS = frozenset({"logical_and", "logical_or", "logical_xor", "logical_not"})
"""These ask which of their arguments are not 0."""


def numpy_call(frame: Frame, name: str, function: object, node: ast.Call) -> Value:
    """NumPy's functions by name: of Python's own floats too they make numbers of NumPy's, which are not weak."""
    result = numpy_function(frame, name, function, node)
    if not isinstance(result, Term):
        return result
    made = strengthened(result)
    if isinstance(made, Vector):  # rows that are written out are copied into a new array
        frame.shared.views.own(made)
    return frame.as_array(made)


def numpy_function(frame: Frame, name: str, function: object, node: ast.Call) -> Value:
    """NumPy's functions by name."""
    public = public_name(name, function)
    if public is None:
        refuse_function(frame, name, function, node)
    in_python = written(public)
    if isinstance(in_python, FunctionType):
        values = matched(frame, inspect.signature(in_python, follow_wrapped=False), node)
        return run_helper(frame, in_python, {n: with_rows(frame, v, node) for n, v in values.items()}, node)
    if in_python is not None:
        return own_python_call(frame, in_python, node)
    if name == "multi_dot":
        return product_of_all(frame, node)
    if public in BY_NAME or name in BY_NAME:
        return array_call(frame, public if public in BY_NAME else name, node)
    if function in SCALAR:
        return scalar_function(frame, SCALAR[function], node)
    if name == "where" and len(node.args) == 3:
        return where_call(frame, node)
    if name == "fmod":
        return elementwise(frame, lambda a, b: remainder(frame, a, b, node), positional(frame, node, 2), node)
    if name in ("astype", "copy"):
        owner = frame.value(node.args[0])
        return method_call(
            frame, owner, name, ast.copy_location(ast.Call(node.func, node.args[1:], node.keywords), node)
        )
    if name == "absolute":
        return scalar_function(frame, p.absolute, node)
    if name in WITH_DTYPE:
        return created(frame, name, node)
    if name in OPERATORS:
        a, b = positional(frame, node, 2)
        return binary(frame, OPERATORS[name](), a, b, node)
    if name == "invert":
        (inverted,) = given_once(frame, node)
        return unary(frame, ast.Invert(), inverted, node)
    if name == "ix_":
        return grid_call(frame, node)
    if name == "where":
        return numpy_call(frame, "nonzero", np.nonzero, node)
    return library_call(frame, name, node)


def refuse_function(frame: Frame, name: str, function: object, node: ast.Call) -> NoReturn:
    """An error for a function that is none of those that the library has, whatever it is called."""
    module = getattr(function, "__module__", None) or ""
    hint = DRAWN if module.startswith("numpy.random") else instead_of(name)
    frame.unsupported(node, frame.source.segment(node.func), hint)


def with_rows(frame: Frame, value: Value, node: ast.AST) -> Value:
    """An argument of a function of NumPy's: a list of tuples is a matrix."""
    return array_of_parts(frame, value, node) if isinstance(value, Term) and isinstance(value.type, Array) else value


def own_python_call(frame: Frame, function: FunctionType | OfNumbers, node: ast.Call, *first: Value) -> Value:
    """A function of NumPy that is written in fsmooth's own Python."""
    if isinstance(function, OfNumbers):
        return mapped_call(frame, function, node)
    return helper_call(frame, function, node, *first)


def given_once(frame: Frame, node: ast.Call) -> list[ast.expr]:
    """The argument of a call that takes one."""
    keywords(frame, node, ())
    if len(node.args) != 1:
        what = f"{frame.source.segment(node.func)} takes 1 argument, not {len(node.args)}"
        frame.fail(ArgumentMismatchError, node, what, "give it one value")
    return node.args


def created(frame: Frame, name: str, node: ast.Call) -> Value:
    """np.array(x, dtype), np.zeros(shape, dtype), …: arrays that may name the type of their elements."""
    count = WITH_DTYPE[name]
    dtype = [k.value for k in node.keywords if k.arg == "dtype"] + node.args[count : count + 1]
    arguments = node.args[:count] + [k.value for k in node.keywords if k.arg == "fill_value"]
    others = [k for k in node.keywords if k.arg not in ("dtype", "fill_value")]
    made = ast.copy_location(ast.Call(node.func, arguments, others), node)
    if len(node.args) > count + 1 or len(dtype) > 1:
        frame.fail(ArgumentMismatchError, node, f"np.{name} has too many arguments", f"give it {count}, and dtype=…")
    if name in _IDENTITY:
        given = array_of_parts(frame, positional(frame, made, 1)[0], node)
        is_new = name == "array" or isinstance(given.type, ListOf)
        result: Value = own_array(frame, given, node) if is_new and isinstance(given.type, Array) else given
    else:
        result = library_call(frame, {"empty": "zeros", "empty_like": "zeros_like"}.get(name, name), made)
    made_term = strengthened(frame.term(result, node))
    if name == "full_like" and not dtype:
        leaf = leaf_of(frame.value(node.args[0]).type)
        return with_leaf(frame, made_term, leaf, node)
    return of_dtype(frame, made_term, dtype[0], node) if dtype else made_term


def product_of_all(frame: Frame, node: ast.Call) -> Term:
    """np.linalg.multi_dot((a, b, c)) of factors that are written out, from left to right."""
    keywords(frame, node, ())
    if len(node.args) != 1 or not isinstance(node.args[0], ast.Tuple | ast.List) or not node.args[0].elts:
        frame.unsupported(node, "multi_dot of this", "write the factors out: np.linalg.multi_dot((a, b, c))")
    product, *rest = node.args[0].elts
    for factor in rest:
        product = ast.copy_location(ast.BinOp(product, ast.MatMult(), factor), node)
    return frame.value(product)


def array_call(frame: Frame, name: str, node: ast.Call, *first: Value) -> Value:
    """A function of NumPy that reads keywords, axes and shapes; `first` come before the arguments that are written."""
    reads = TAKES_PARTS.get(name)
    written_out = None if reads is None or first else reads(frame, node)
    if written_out is None:
        return on_terms(frame, BY_NAME[name], node, *first)
    rest = ast.copy_location(ast.Call(node.func, node.args[1:], node.keywords), node)
    return on_terms(frame, BY_NAME[name], rest, written_out)


def where_call(frame: Frame, node: ast.Call) -> Term:
    """np.where(c, a, b): a branch for each element."""
    condition, a, b = positional(frame, node, 3)

    def choose(c: Term, x: Term, y: Term) -> Term:
        return branch(frame, truth(frame, c, node), x, y, node)

    return elementwise(frame, choose, [condition, a, b], node)


def own_call(frame: Frame, name: str, node: ast.Call) -> Value:
    """Fsmooth's functions by name."""
    if name == "deriv":
        return deriv_call(frame, node)
    if name in VERBS or name == "hessian":
        return derive(frame, name, node)
    if name == "where":
        return where_call(frame, node)
    if name in OWN_SCALAR:
        return scalar_function(frame, OWN_SCALAR[name], node)
    if name in WITH_DTYPE:
        return created(frame, name, node)
    if name in BY_NAME and not (name in TAKES_PARTS and len(node.args) > 1):  # fs.concatenate(a, b) takes parts, too
        return array_call(frame, name, node)
    return library_call(frame, name, node)


def library_call(frame: Frame, name: str, node: ast.Call) -> Value:
    """A function of M̃, whose function arguments may be lambdas or helpers."""
    if name not in algebra.names():
        frame.unsupported(node, frame.source.segment(node.func), instead_of(name))
    arguments: list[Term | Callable[..., Term]] = []
    for part in node.args:
        value = frame.expression(part)
        if isinstance(value, Closure) or (isinstance(value, Static) and callable(value.value)):
            arguments.append(as_function(frame, value, part))
        else:
            arguments.append(frame.term(value, part))
    return expanded(frame, name, with_axis(frame, name, counted(frame, name, arguments, node), node), node)


def counted(
    frame: Frame, name: str, arguments: list[Term | Callable[..., Term]], node: ast.AST
) -> list[Term | Callable[..., Term]]:
    """The arguments of a sum, truth values as 0 and 1; those of what asks for truth, numbers as truth values."""
    if name in TRUTHS:
        return [
            elementwise(frame, lambda x: truth(frame, x, node), [a], node) if isinstance(a, Term) else a
            for a in arguments
        ]
    if name not in COUNTING or not arguments:
        return arguments
    first, *rest = arguments
    if not isinstance(first, Term) or not isinstance(leaf_of(first.type), Bool):
        return arguments
    return [convert(frame, first, array_of(INT, rank_of(first.type)), node), *rest]


def with_axis(
    frame: Frame, name: str, arguments: list[Term | Callable[..., Term]], node: ast.Call
) -> list[Term | Callable[..., Term]]:
    """The axis of a reduction comes after its array; other keywords are not understood."""
    given = keywords(frame, node, ("axis",) if name in algebra.AXIS_NAMES and len(arguments) == 1 else ())
    if not given:
        return arguments
    axis = frame.expression(given["axis"])
    return arguments if isinstance(axis, Static) and axis.value is None else [*arguments, frame.term(axis, node)]


def own_array(frame: Frame, array: Term, node: ast.AST) -> Term:
    """np.array(x): a copy of an array that has a name; a display is new memory whatever it is made of."""
    if is_path(array):
        return copied(frame, array, node)
    frame.shared.views.own(array)
    return array


def copied(frame: Frame, array: Term, node: ast.AST) -> Term:
    """An array with memory of its own; a number is its own copy."""
    if not isinstance(array.type, Array):
        return array
    array = frame.bind(array, "a")
    return build(length_of(frame, array, node), lambda i: Get(array, i))


def method_call(frame: Frame, owner: Term, name: str, node: ast.Call) -> Value:
    """x.sum(), x.dot(y), x.copy()."""
    if name == "copy":
        keywords(frame, node, ())
        return frame.with_lists(copied(frame, owner, node), owner.type)
    if name == "tolist":
        keywords(frame, node, ())
        positional(frame, node, 0)
        return frame.with_lists(copied(frame, owner, node), all_lists(owner.type))
    if name == "astype":
        if len(node.args) != 1:
            frame.fail(ArgumentMismatchError, node, "astype takes one dtype", "write x.astype(float)")
        keywords(frame, node, ())
        return of_dtype(frame, owner, node.args[0], node)
    if name == "item" and not node.args:
        positional(frame, node, 0)
        if isinstance(owner.type, Array):
            frame.fail(TypeMismatchError, node, "item is of a number, and this is an array", "write x[0]")
        return owner
    name = {"flatten": "ravel"}.get(name, name)
    in_python = written(name)
    if in_python is not None:
        return own_python_call(frame, in_python, node, owner)
    if name in ("reshape", "transpose") and len(node.args) != 1:
        sizes = MakeTuple(tuple([frame.value(a) for a in node.args])) if node.args else Static(None)
        rest = ast.copy_location(ast.Call(node.func, [], node.keywords), node)
        return array_call(frame, name, rest, owner, sizes)
    if name in BY_NAME:
        return array_call(frame, name, node, owner)
    arguments: list[Term | Callable[..., Term]] = [owner, *[frame.value(a) for a in node.args]]
    return expanded(frame, name, with_axis(frame, name, counted(frame, name, arguments, node), node), node)

"""`dtype=`: the elements of an array as another kind of number."""

from __future__ import annotations

import ast

import numpy as np

from fsmooth.core import primitives as p
from fsmooth.core.term import Prim, Term, Zero
from fsmooth.core.types import BOOL, F32, F64, INT, Bool, Float, Int, Type, array_of, leaf_of, rank_of
from fsmooth.errors import ArgumentMismatchError, TypeMismatchError
from fsmooth.frontend.python.broadcasting import elementwise
from fsmooth.frontend.python.complex_numbers import is_complex_dtype
from fsmooth.frontend.python.conversion import convert, truth
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.functions import constant_object, keywords
from fsmooth.frontend.python.instead import INSTEAD_OF_COMPLEX
from fsmooth.frontend.python.values import Static, Value
from fsmooth.frontend.python.weak import strengthened


def dtype_of(type_: Type) -> np.dtype[np.generic] | None:
    """The dtype of an array or a number of this type; None of anything else."""
    match leaf_of(type_):
        case Float(width=width):
            return np.dtype(np.float64 if width == 64 else np.float32)
        case Int():
            return np.dtype(np.int64)
        case Bool():
            return np.dtype(np.bool_)
        case _:
            return None


def element_type(frame: Frame, node: ast.expr) -> Type | None:
    """The type that a dtype, as it is written, stands for; None for None."""
    return type_of_dtype(frame, constant_object(frame, node), node, f"the dtype {frame.source.segment(node)}")


def limits_of(frame: Frame, node: ast.Call) -> Value:
    """`np.finfo(float).eps`, `np.iinfo(int).max`: what is known of a dtype."""
    about = constant_object(frame, node.func)
    given = [*node.args, *keywords(frame, node, ("dtype",) if about is np.finfo else ("type",)).values()]
    if len(given) != 1:
        what = f"{frame.source.segment(node.func)} takes one dtype, not {len(given)}"
        frame.fail(ArgumentMismatchError, node, what, "write np.finfo(float), or np.finfo(x.dtype)")
    text = frame.source.segment(given[0])
    if isinstance(frame.expression(given[0]), Term):
        frame.fail(TypeMismatchError, node, f"{text} is not a dtype", f"write {text}.dtype")
    try:
        return Static(about(constant_object(frame, given[0])))  # type: ignore[operator]
    except (TypeError, ValueError):
        kind = "real numbers" if about is np.finfo else "integers"
        hint = "np.finfo is for real numbers, np.iinfo for integers"
        frame.fail(TypeMismatchError, node, f"{text} is not a dtype of {kind}", hint)


def type_of_dtype(frame: Frame, given: object, node: ast.AST, what: str) -> Type | None:
    """The type that a dtype stands for; None for None."""
    if given is None:
        return None
    kinds: dict[object, Type] = {
        np.dtype(np.float64): F64,
        np.dtype(np.float32): F32,
        np.dtype(np.int64): INT,
        np.dtype(np.bool_): BOOL,
    }
    try:
        return kinds[np.dtype(given)]  # type: ignore[call-overload]
    except (TypeError, KeyError):
        hint = INSTEAD_OF_COMPLEX if is_complex_dtype(given) else "use float, np.float32, int or bool"
        frame.unsupported(node, what, hint)


def of_dtype(frame: Frame, term: Term, dtype: ast.expr, node: ast.AST) -> Term:
    """A number or an array with its elements converted as NumPy does: real numbers are cut to integers."""
    wanted = element_type(frame, dtype)
    return term if wanted is None else with_leaf(frame, term, wanted, node)


def with_leaf(frame: Frame, term: Term, wanted: Type, node: ast.AST) -> Term:
    """A number or an array with elements of type `wanted`."""
    have = leaf_of(term.type)
    if wanted == have:
        return strengthened(term)
    if not isinstance(have, Float | Int | Bool):
        frame.fail(TypeMismatchError, node, "only arrays of numbers have a dtype", "convert their parts one by one")
    if isinstance(term, Zero) and not isinstance(wanted, Bool):
        return Zero(term.sizes, wanted)
    if isinstance(wanted, Bool):
        return elementwise(frame, lambda x: truth(frame, x, node), [term], node)
    if isinstance(wanted, Int) and isinstance(have, Float):
        return elementwise(frame, lambda x: Prim(p.to_int, (x,)), [term], node)
    return convert(frame, term, array_of(wanted, rank_of(term.type)), node)

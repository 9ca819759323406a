"""What the functions in library/numpy say that NumPy has no word for (library/numpy/words.py)."""

from __future__ import annotations

import ast
from collections.abc import Callable

from fsmooth.core import primitives as p
from fsmooth.core.build import project
from fsmooth.core.term import Const, Failure, MakeTuple, Require, Term
from fsmooth.core.types import Int, Tuple
from fsmooth.frontend.python.arrays import reductions
from fsmooth.frontend.python.arrays.arguments import on_terms
from fsmooth.frontend.python.conversion import truth
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.functions import constant_object, positional
from fsmooth.frontend.python.indexing import checked, counted_from_end
from fsmooth.frontend.python.library import library
from fsmooth.frontend.python.proofs import is_natural
from fsmooth.frontend.python.scalars import scalar_function
from fsmooth.frontend.python.sizes import constant_size, same_size
from fsmooth.frontend.python.values import Slice, Value
from fsmooth.library.numpy import words


def _equal_sizes(frame: Frame, node: ast.Call) -> Value:
    a, b = positional(frame, node, 2)
    return same_size(frame, a, b, node, "the rows and columns that must be equally many")


def _place_in(frame: Frame, node: ast.Call) -> Value:
    index, size = positional(frame, node, 2)
    is_computed = isinstance(index.type, Int) and not isinstance(index, Const) and not is_natural(frame, index)
    found = (counted_from_end if is_computed else checked)(frame, index, size, node, "this axis")
    return frame.bind(found, "place")


def _is_slice(frame: Frame, node: ast.Call) -> Value:
    return Const(isinstance(frame.expression(node.args[0]), Slice))


def _is_one(frame: Frame, node: ast.Call) -> Value:
    (size,) = positional(frame, node, 1)
    return Const(constant_size(frame, size) == 1)


def _is_known(frame: Frame, node: ast.Call) -> Value:
    (number,) = positional(frame, node, 1)
    return Const(isinstance(number, Const))


def _demand(failure: Failure) -> Callable[[Frame, ast.Call], Value]:
    def demand(frame: Frame, node: ast.Call) -> Value:
        holds, value = positional(frame, node, 2)
        test = frame.bind(truth(frame, holds, node), "holds")
        site = frame.site(node, frame.source.segment(node))

        def under(part: Term) -> Term:
            return frame.bind(Require(test, part, failure, (), site), "a")

        if isinstance(value.type, Tuple):
            return MakeTuple(tuple([under(project(value, k)) for k in range(len(value.type.items))]), value.type)
        return under(value)

    return demand


def _refused(frame: Frame, node: ast.Call) -> Value:
    what, hint = [constant_object(frame, a) for a in node.args]
    frame.unsupported(node, str(what), str(hint))


def _of_library(name: str) -> Callable[[Frame, ast.Call], Value]:
    return lambda frame, node: library(frame, name, positional(frame, node), node)


OWN_WORDS: dict[object, Callable[[Frame, ast.Call], Value]] = {
    words.constant: lambda frame, node: scalar_function(frame, p.stop_gradient, node),
    words.digamma: lambda frame, node: scalar_function(frame, p.digamma, node),
    words.trigamma: lambda frame, node: scalar_function(frame, p.trigamma, node),
    words.logsumexp: lambda frame, node: on_terms(frame, reductions.logsumexp, node),
    words.equal_sizes: _equal_sizes,
    words.place_in: _place_in,
    words.is_slice: _is_slice,
    words.is_one: _is_one,
    words.is_known: _is_known,
    words.regular: _demand(Failure.SINGULAR),
    words.positive_definite: _demand(Failure.INDEFINITE),
    words.square: _demand(Failure.SQUARE),
    words.refused: _refused,
    **{function: _of_library(name) for name, function in words.OF_LIBRARY.items()},
}

"""Calls that make indices: `slice`, `np.ix_`."""

from __future__ import annotations

import ast

from fsmooth.core.build import get, nested_build
from fsmooth.core.term import Const, MakeTuple, Term
from fsmooth.core.types import Array, rank_of
from fsmooth.errors import ArgumentMismatchError, TypeMismatchError
from fsmooth.frontend.python.brackets import bound, optional
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.functions import keywords, positional
from fsmooth.frontend.python.kinds import describe
from fsmooth.frontend.python.masks import is_mask, positions
from fsmooth.frontend.python.sizes import length_of
from fsmooth.frontend.python.values import Slice


def slice_call(frame: Frame, node: ast.Call) -> Slice:
    """slice(stop), slice(start, stop), slice(start, stop, step)."""
    keywords(frame, node, ())
    if not 1 <= len(node.args) <= 3:
        frame.fail(ArgumentMismatchError, node, f"slice takes 1 to 3 arguments, not {len(node.args)}", "write slice(n)")
    parts = [bound(frame, optional(frame, part), part) for part in node.args]
    return Slice(None, parts[0]) if len(parts) == 1 else Slice(*parts)


def grid_call(frame: Frame, node: ast.Call) -> Term:
    """np.ix_(a, b, …): the arrays, each along an axis of its own."""
    parts = [grid_part(frame, part, node) for part in positional(frame, node)]
    return MakeTuple(tuple([along_axis(frame, part, k, len(parts), node) for k, part in enumerate(parts)]))


def along_axis(frame: Frame, part: Term, axis: int, rank: int, node: ast.Call) -> Term:
    """An array of rank 1 along one axis of several, the others of size 1."""
    size = length_of(frame, part, node)
    sizes = tuple([size if k == axis else Const(1) for k in range(rank)])
    return nested_build(sizes, lambda indices: get(part, indices[axis]))


def grid_part(frame: Frame, part: Term, node: ast.Call) -> Term:
    """Places along an axis, which may be given by a mask."""
    if not isinstance(part.type, Array) or rank_of(part.type) != 1:
        frame.fail(
            TypeMismatchError,
            node,
            f"np.ix_ takes arrays of rank 1, not {describe(part.type)}",
            "give it an array or a list of places for each axis",
        )
    return positions(frame, frame.bind(part, "mask"), node)[0] if is_mask(part) else frame.bind(part, "places")

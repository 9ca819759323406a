"""Arrays of truth values as indices: the elements where they hold, in order; how many there are is found out once."""

from __future__ import annotations

import ast
from types import FunctionType

from fsmooth.core.build import components
from fsmooth.core.term import Term
from fsmooth.core.types import Array, Bool, leaf_of, rank_of
from fsmooth.frontend.python.brackets import WHOLE, Index, is_whole
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.functions import run_helper
from fsmooth.frontend.python.sizes import length_of, same_size
from fsmooth.frontend.python.values import Slice
from fsmooth.library.numpy import written

HIGHEST = 3
"""Masks have at most this rank."""


def is_mask(index: Index) -> bool:
    """Is it an array of truth values?"""
    return isinstance(index, Term) and isinstance(index.type, Array) and isinstance(leaf_of(index.type), Bool)


def fitting(frame: Frame, array: Term, mask: Term, axis: int, node: ast.AST) -> Term:
    """A mask by name, which must have the sizes of `array` from an axis on."""
    mask = frame.bind(mask, "mask")
    if rank_of(mask.type) > HIGHEST:
        frame.unsupported(node, f"a mask of rank {rank_of(mask.type)}", "use one of rank 3, or np.ravel both")
    for k in range(rank_of(mask.type)):
        have, want = length_of(frame, mask, node, k), length_of(frame, array, node, axis + k)
        same_size(frame, want, have, node, "a mask and the array that it is for")
    return mask


def positions(frame: Frame, mask: Term, node: ast.AST) -> list[Term]:
    """Where a mask holds: for each of its axes an array of places."""
    return [frame.bind(part, "places") for part in components(helper(frame, "nonzero", [mask], node))]


def compressed(frame: Frame, array: Term, mask: Term, node: ast.AST) -> Term:
    """The elements of `array` where the mask, which is for its first axes, holds."""
    return helper(frame, "held", [array, mask], node)


def helper(frame: Frame, name: str, arguments: list[Term], node: ast.AST) -> Term:
    """A function of fsmooth's own, inlined."""
    function = written(name)
    assert isinstance(function, FunctionType)
    parameters = function.__code__.co_varnames
    values = dict(zip(parameters, arguments, strict=False))
    return frame.term(run_helper(frame, function, dict(values), node), node)


def only_first(indices: list[Index]) -> bool:
    """Is the first index a mask, and the others such that they may be taken before it?"""
    return is_mask(indices[0]) and all([isinstance(index, Slice) or not rank_of_index(index) for index in indices[1:]])


def rank_of_index(index: Index) -> int:
    """The rank of an array, 0 for anything else."""
    return rank_of(index.type) if isinstance(index, Term) and isinstance(index.type, Array) else 0


def before_mask(mask: Term, rest: list[Index]) -> list[Index]:
    """The indices behind a mask, which leave its axes as they are."""
    return [] if all([is_whole(index) for index in rest]) else [*[WHOLE] * rank_of(mask.type), *rest]

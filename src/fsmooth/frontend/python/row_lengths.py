"""Comprehensions whose elements are parts of an axis, `[x[i:i + w] for i in range(m)]`: are they of one length?

Nothing says so where the bounds may be cut off at an end.  Few of them are a list of unlike parts; many are an array if each is
as long as the first, which is asked for when the program runs.
"""

from __future__ import annotations

import ast

from fsmooth.core import primitives as p
from fsmooth.core.build import get, nested_build
from fsmooth.core.shape import Ragged, shape_of
from fsmooth.core.subst import substitute1
from fsmooth.core.term import Const, Failure, If, Let, Prim, Require, Term, Var
from fsmooth.core.traverse import transform
from fsmooth.core.types import rank_of
from fsmooth.frontend import agreement
from fsmooth.frontend.python.frame import Frame
from fsmooth.rewrite.linear import polynomial


def is_uneven(row: Term, index: Var) -> bool:
    """Does the length of a row, or of what is in it, depend on the index of the loop that it stands in?"""
    return any([index in size.free for size in _sizes_of(row)])


def _sizes_of(row: Term) -> tuple[Term, ...]:
    try:
        return shape_of(row) if rank_of(row.type) > 0 else ()
    except Ragged:
        return ()


def as_long_as_first(frame: Frame, row: Term, index: Var, size: Term, node: ast.AST) -> Term:
    """A row of a comprehension which is a part of an axis, as long as the others but where it is cut off at an end: it exists
    only if it is as long as the first.
    """
    if not is_uneven(row, index):
        return row
    sizes = list(_sizes_of(row))
    uneven = [axis for axis, have in enumerate(sizes) if index in have.free]
    if any([polynomial(_not_cut_off(sizes[axis], index)).uses(index) for axis in uneven]):
        return row
    name = Var("row", row.type, frame.site(node))
    site = frame.site(node, frame.source.segment(node))
    required = []
    for axis in uneven:
        at_first = substitute1(sizes[axis], index, Const(0))
        first = frame.bind(If(Prim(p.less, (Const(0), size)), at_first, Const(0)), "size")
        required.append(agreement.agree(first, sizes[axis]))
        sizes[axis] = first
    body: Term = nested_build(tuple(sizes[: uneven[-1] + 1]), lambda indices: get(name, *indices), "k")
    for same, numbers in reversed(required):
        body = Require(same, body, Failure.SIZE, numbers, site)
    return Let(((name, row),), body)


def _not_cut_off(size: Term, index: Var) -> Term:
    """The size of a slice as if its bounds were inside."""

    def change(t: Term) -> Term:
        match t:
            case Let(bindings, body):
                for var, value in reversed(bindings):
                    body = substitute1(body, var, value)
                return transform(body, change)
            case Prim(primitive, (a, b)) if primitive in (p.minimum, p.maximum) and (index in a.free) is not (
                index in b.free
            ):
                return a if index in a.free else b
            case If(_, _, given):
                return given
            case _:
                return t

    return transform(size, change)

"""Places in arrays: every index is checked (design §2), and counts from the end where NumPy counts so."""

from __future__ import annotations

import ast

from fsmooth.core import primitives as p
from fsmooth.core.build import build, minus, plus
from fsmooth.core.term import Check, Const, FromEnd, Get, If, Length, Prim, Site, Term
from fsmooth.core.types import Bool, Int
from fsmooth.errors import ConstantIndexError, TypeMismatchError
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.kinds import describe
from fsmooth.frontend.python.proofs import falls_below_zero, is_at_most, is_below, is_natural, offset


def checked(frame: Frame, index: Term, size: Term, node: ast.AST, what: str) -> Term:
    """`index`, checked against `size`; one that may fall below zero counts from the end if it does.

    `size - 1` and above are below zero only where there are no elements.
    """
    if isinstance(index.type, Bool) or not isinstance(index.type, Int):
        frame.fail(TypeMismatchError, node, f"an index is an integer, not {describe(index.type)}", "use int(…)")
    if isinstance(index, Const):
        return constant_place(frame, index, size, node, what)
    refuse_outside(frame, index, size, node, what)
    if falls_below_zero(frame, index) and not is_at_most(frame, minus(size, Const(1)), index):
        return counted_from_end(frame, index, size, node, what)
    return Check(index, size, frame.site(node, what))


def refuse_outside(frame: Frame, index: Term, size: Term, node: ast.AST, what: str) -> None:
    """An error if the index is out of bounds whatever the size is, and the program always gets there."""
    if not frame.is_certain:
        return
    beyond = offset(frame, index, size)
    before = offset(frame, index, Prim(p.negate, (size,)))
    if beyond is not None and beyond >= 0:
        found = f"n + {beyond}" if beyond else "n"
    elif before is not None and before < 0:
        found = f"-n - {-before}"
    else:
        return
    message = f"the index is out of bounds for {what} whatever its size n is: it is {found}"
    frame.fail(ConstantIndexError, node, message, "indices go from 0 to n - 1, or from -n to -1")


def constant_place(frame: Frame, index: Const, size: Term, node: ast.AST, what: str) -> Term:
    """An index known while compiling; a negative one counts from the end."""
    given = int(index.value)
    if isinstance(size, Const) and not frame.conditional and not -int(size.value) <= given < int(size.value):
        message = f"index {given} is out of bounds for {what}, which has size {size.value}"
        frame.fail(ConstantIndexError, node, message, "indices go from 0 to size - 1, or from -size to -1")
    if given >= 0:
        return Check(index, size, frame.site(node, what))
    place = plus(size, index) if isinstance(size, Const) else minus(size, Const(-given))
    return Check(place, size, FromEnd.at(frame.site(node, what)))


def counted_from_end(frame: Frame, index: Term, size: Term, node: ast.AST, what: str) -> Term:
    """`index`, checked against `size`, counted from the end if it is negative."""
    index = frame.bind(index, "index")
    place = If(Prim(p.less, (index, Const(0))), plus(index, size), index)
    if is_natural(frame, plus(index, size)) and is_below(frame, index, size):
        return place
    return Check(place, size, FromEnd.at(frame.site(node, what)))


def transpose(array: Term, site: Site) -> Term:
    """The transpose of a matrix."""
    return build(Length(array, 1), lambda i: build(Length(array, 0), lambda j: Get(Get(array, j), i), "j"), "i", site)

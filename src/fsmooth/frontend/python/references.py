"""Nodes of trees that are given, as integers (fsmooth.core.nodes.declaration): tests of their class, their row, and new ones."""

from __future__ import annotations

from fsmooth.core import primitives as p
from fsmooth.core.build import equals, plus, times
from fsmooth.core.nodes.declaration import Declaration
from fsmooth.core.term import Const, If, Prim, Term


def has_this_tag(declaration: Declaration, at: Term, tag: int) -> Term:
    """Is a node of the class with this tag?"""
    if declaration.nothing is None:
        return equals(Prim(p.modulo, (at, Const(1 << declaration.bits))), Const(tag))
    is_nothing = Prim(p.less, (at, Const(0)))
    return is_nothing if tag == declaration.nothing else Prim(p.logical_not, (is_nothing,))


def tag_in(declaration: Declaration, at: Term) -> Term:
    """The tag of the class of a node."""
    if declaration.nothing is None:
        return Prim(p.modulo, (at, Const(1 << declaration.bits)))
    return If(Prim(p.less, (at, Const(0))), Const(declaration.nothing), Const(1 - declaration.nothing))


def asked_for(declaration: Declaration, test: Term) -> tuple[Term, int] | None:
    """The node that a test asks for its class, and the tag of that; None for another condition."""
    match test:
        case Prim(p.equal, (Prim(p.modulo, (at, Const())), Const(tag))):
            return at, int(tag)
        case Prim(p.less, (at, Const(0))) if declaration.nothing is not None:
            return at, declaration.nothing
        case _:
            return None


def row_of(declaration: Declaration, at: Term) -> Term:
    """The row of a node among those of its class."""
    return Prim(p.floor_divide, (at, Const(1 << declaration.bits))) if declaration.bits else at


def reference(declaration: Declaration, tag: int, row: Term) -> Term:
    """The node in a row of the class with this tag."""
    if tag == declaration.nothing:
        return Const(-1)
    own = Const(declaration.reference(tag, 0))
    return plus(times(row, Const(1 << declaration.bits)) if declaration.bits else row, own)

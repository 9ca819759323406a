"""Which nodes are rather written where they are used than bound to a name: paths and what is as cheap (for motion)."""

from __future__ import annotations

from fsmooth.core import primitives as p
from fsmooth.core.term import Build, Const, Custom, Delta, Get, Lam, Length, Let, MakeTuple, Prim, Proj, Term, Var, Zero
from fsmooth.core.types import Int
from fsmooth.core.vectors import is_zero


def is_trivial(node: Term) -> bool:
    """Never bound: constants, variables, paths, sizes, zeros, tuples, cheap index arithmetic."""
    match node:
        case Const() | Var() | Zero() | Length() | MakeTuple() | Delta() | Lam() | Custom():
            return True
        case Build():
            return is_zero(node)
        case Let(_, body):
            return is_trivial(body)
        case Proj(inner, _) | Get(inner, _):
            return _is_path(inner)
        case Prim(primitive, arguments) if isinstance(node.type, Int):
            return primitive in (p.add, p.subtract, p.multiply) and all(
                [isinstance(a, Const | Var | Length) for a in arguments]
            )
        case _:
            return False


def _is_path(node: Term) -> bool:
    return isinstance(root_of(node), Var)


def root_of(node: Term) -> Term:
    """What a path is a path of."""
    while isinstance(node, Get | Proj):
        node = node.array if isinstance(node, Get) else node.tuple
    return node

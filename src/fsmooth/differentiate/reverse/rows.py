"""Rows of a fold's state that a loop in a step reads: they are saved for the way back, and not the whole array.

    sum j (fun k -> L[i][k] * L[j][k])   reads   if i < length L then L[i] else zero   and the same of j

A row is read before the loop, which may not run; so it is asked for only if it exists.
"""

from __future__ import annotations

from collections.abc import Container

from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.build import both, zero_like
from fsmooth.core.shape import size_of
from fsmooth.core.term import Const, Get, If, Prim, Term, Var
from fsmooth.core.traverse import subterms
from fsmooth.core.types import Array, Float, leaf_of


def rows_read(loop: Term, states: Container[Var]) -> list[Get]:
    """The rows of states at indices that are the same in all iterations, each once."""
    found: list[Get] = []
    for t in subterms(loop):
        if (
            isinstance(t, Get)
            and isinstance(t.array, Var)
            and t.array in states
            and isinstance(t.type, Array)
            and isinstance(leaf_of(t.type), Float)
            and t.index.free <= loop.free
            and not any([is_row(t, row) for row in found])
        ):
            found.append(t)
    return found


def is_row(term: Term, row: Get) -> bool:
    """Is the term this row?"""
    return isinstance(term, Get) and term.array is row.array and alpha_equal(term.index, row.index)


def if_it_exists(row: Get) -> Term:
    """The row, or zeros."""
    inside = both(Prim(p.less_equal, (Const(0), row.index)), Prim(p.less, (row.index, size_of(row.array))))
    return If(inside, row, zero_like(row))

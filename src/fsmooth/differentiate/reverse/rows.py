"""Rows of a fold's state that a loop in a step reads: they are saved for the way back, and not the whole array.

    sum j (fun k -> L[i][k] * L[j][k])   reads   if i < length L then L[i] else zero   and the same of j

A row is read before the loop, which may not run; so it is asked for only if it exists.

    sum m (fun p -> v[p] * x[idx[p]])   reads   build m (fun p -> x[idx[p]])

Numbers that a loop reads in every iteration, at indices that are read themselves, are saved as an array of them.
"""

from __future__ import annotations

from collections.abc import Container

from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.build import both, zero_like
from fsmooth.core.shape import size_of
from fsmooth.core.term import Build, Const, Get, If, IFold, Let, Prim, Reduce, Term, Var
from fsmooth.core.term.fields import Runs
from fsmooth.core.traverse import children, runs, subterms
from fsmooth.core.types import Array, Float, Int, leaf_of
from fsmooth.differentiate.reverse.indices import written_out


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


def gathers_read(loop: Build | Reduce | IFold, states: Container[Var]) -> list[tuple[Get, Get]]:
    """The numbers of states that each iteration reads, where arrays say, each once: as they are written, and in terms of the
    loop's index and what is outside.
    """
    found: list[tuple[Get, Get]] = []
    definitions: dict[Var, Term] = {}
    seen: set[Term] = set()
    stack = [] if isinstance(loop, Build) and isinstance(loop.body, Get) else [loop.body]
    while stack:
        t = stack.pop()
        if t in seen:
            continue
        seen.add(t)
        if isinstance(t, Let):
            definitions.update([(x, value) for x, value in t.bindings if isinstance(value.type, Int)])
        if isinstance(t, Get) and isinstance(t.array, Var) and t.array in states and isinstance(t.type, Float):
            index = written_out(t.index, definitions.get)
            is_gather = any([isinstance(x, Get) for x in subterms(index)])
            if is_gather and loop.index in index.free and index.free - {loop.index} <= loop.free:
                if not any([is_row(t, other) for other, _ in found]):
                    found.append((t, Get(t.array, index)))
        stack.extend([x for x, how in zip(children(t), runs(t), strict=True) if how is Runs.ONCE])
    return found


def is_row(term: Term, row: Get) -> bool:
    """Is the term this row?"""
    return isinstance(term, Get) and term.array is row.array and alpha_equal(term.index, row.index)


def if_it_exists(row: Get) -> Term:
    """The row, or zeros."""
    inside = both(Prim(p.less_equal, (Const(0), row.index)), Prim(p.less, (row.index, size_of(row.array))))
    return If(inside, row, zero_like(row))

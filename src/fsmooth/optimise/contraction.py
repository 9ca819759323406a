"""An array of which one loop reads, in each step, only the row of that step is no array: the row is computed there.

    let a = build n (fun i -> e i) in c (build n (fun j -> f a[j] a[j]))   ~>   c (build n (fun j -> let r = e j in f r r))

(Array contraction: Sarkar and Gao, "Optimization of array accesses by collective loop transformations", ICS 1991.)
Nothing is computed again, and what is stored is a row, or nothing.  What the other law inlines (optimise/inlining.py) is
copied to where it is read; here it has a name.  Only rows that are arrays, or that loops compute: a number that no loop
computes is better computed for all indices at once, by vector instructions, if the loop that reads it has loops inside.
"""

from __future__ import annotations

from collections.abc import Mapping

from fsmooth.core.alpha import alpha_equal
from fsmooth.core.matrix_products import has_product
from fsmooth.core.subst import substitute
from fsmooth.core.term import Build, Get, Let, Reduce, Term, Var, let
from fsmooth.core.traverse import is_loop, rebuild, subterms, transform
from fsmooth.core.types import Array
from fsmooth.optimise.occurrences import Occurrences


def contracted(scope: Let, occurrences: Occurrences) -> Let:
    """The scope with such arrays computed row by row; also those that are read by loops that become rows themselves."""
    reader = readers(scope, occurrences)
    return by_rows(scope, reader) if reader else scope


def readers(scope: Let, occurrences: Occurrences) -> dict[Var, Var]:
    """For each of these arrays, by its index, the index of the loop that reads it."""
    reader: dict[Var, Var] = {}
    if scope not in occurrences.scopes:
        return reader
    for a, value in reversed(scope.bindings):
        if isinstance(value, Build):
            index = _index_of_reader(a, value, reader, occurrences)
            if index is not None:
                reader[value.index] = index
    return reader


def by_rows(scope: Let, reader: Mapping[Var, Var]) -> Let:
    """The scope with these arrays computed in the loops that read them."""
    rows = {
        a: Var(a.name, value.body.type, a.site)
        for a, value in scope.bindings
        if isinstance(value, Build) and value.index in reader
    }
    computed: dict[Var, list[tuple[Var, Term]]] = {}

    def change(t: Term) -> Term:
        match t:
            case Get(Var() as array) if array in rows:
                return rows[array]
            case Build() | Reduce() if t.index in computed:
                return rebuild(t, [t.size, let(computed[t.index], t.body)])
            case _:
                return t

    kept: list[tuple[Var, Term]] = []
    for a, value in scope.bindings:
        if isinstance(value, Build) and a in rows:
            index = reader[value.index]
            row = substitute(transform(value.body, change), {value.index: index})
            computed.setdefault(index, []).append((rows[a], row))
        else:
            kept.append((a, transform(value, change)))
    return Let(tuple(kept), transform(scope.body, change))


def _index_of_reader(a: Var, value: Build, reader: Mapping[Var, Var], occurrences: Occurrences) -> Var | None:
    """The index of the loop of as many steps, run no more often, that reads a row of `a` in each step and is all that does."""
    uses = occurrences.get(a)
    if uses is None or uses.lengths or not uses.rows or None in uses.rows:
        return None
    first, *others = {reader.get(index, index) for index in uses.rows if index is not None}
    loop = occurrences.loops.get(first)
    if others or loop is None or loop.depth != uses.depth or not isinstance(loop.term, Build | Reduce):
        return None
    is_bound_once = occurrences.repeated.isdisjoint({first, a, value.index, *value.free})
    if not is_bound_once or not alpha_equal(loop.term.size, value.size) or not _is_row(value.body):
        return None
    if has_product(value) or has_product(loop.term):
        return None
    return first


def _is_row(element: Term) -> bool:
    """Is it an array, or a number that a loop computes?"""
    return isinstance(element.type, Array) or any([is_loop(t) for t in subterms(element)])

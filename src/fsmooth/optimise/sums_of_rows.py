"""Rows that are sums of the rows of one matrix, each times numbers of its own, are products of matrices.

    build n (fun i -> plus (f i) (sum m (fun k -> let c = e i k in build p (fun j -> c * b[k][j]))))
    ~>
    let z = build n (fun i -> build p (fun j -> sum m (fun k -> e i k * b[k][j]))) in build n (fun i -> plus (f i) z[i])

D⟦Aᵀ b⟧ is that, computed for each of many directions: the Hessian of a regression is Aᵀ C A.  As a product (paper 000, §5.1;
core/matrix_products.py) it is computed in tiles, and its factors are read once for many rows.  After sharing and motion: only
then the numbers are without what loops compute.
"""

from __future__ import annotations

from fsmooth.core import primitives as p
from fsmooth.core.matrix_products import factors_of, matrix_product, multiplied
from fsmooth.core.subst import refresh, substitute
from fsmooth.core.term import Build, Get, Let, MakeTuple, Plus, Prim, Reduce, Reduction, Term, Var
from fsmooth.core.traverse import is_loop_free, transform
from fsmooth.core.types import Float, is_scalar
from fsmooth.optimise.failing import StaticSizes
from fsmooth.optimise.rules.sum_fission import needed_by
from fsmooth.rewrite.trace import Trace

Bindings = tuple[tuple[Var, Term], ...]


def multiply_rows(term: Term, trace: Trace, static_sizes: StaticSizes) -> Term:  # noqa: ARG001
    """The term in which such sums are read of products."""

    def change(t: Term) -> Term:
        found = _sum_of_rows(t, t.body, frozenset()) if isinstance(t, Build) else None
        if found is None or not isinstance(t, Build):
            return t
        rows, whole = found
        product = Var("product", whole.type)
        body = transform(t.body, lambda x: Get(product, t.index) if x is rows else x)
        trace.record("sums of rows multiplied")
        return Let(((product, refresh(whole)),), Build(t.size, t.index, body))

    return transform(term, change)


def _sum_of_rows(loop: Build, part: Term, bound: frozenset[Var]) -> tuple[Term, Build] | None:
    """A sum of rows that is evaluated in each step of a loop, and all that these are as a product of matrices."""
    match part:
        case Reduce(Reduction.SUM) if bound.isdisjoint(part.free):
            whole = _product(loop, part)
            return None if whole is None else (part, whole)
        case Plus(parts) | MakeTuple(parts):
            return next((found for x in parts if (found := _sum_of_rows(loop, x, bound)) is not None), None)
        case Let(bindings, body):
            return _sum_of_rows(loop, body, bound | {var for var, _ in bindings})
        case _:
            return None


def _product(loop: Build, rows: Reduce) -> Build | None:
    bindings, row = (rows.body.bindings, rows.body.body) if isinstance(rows.body, Let) else ((), rows.body)
    if not isinstance(row, Build) or not isinstance(row.body.type, Float) or not _are_numbers(bindings):
        return None
    factors = factors_of(_without_parts(row.body, bindings))
    sides = [tuple([f for f in factors if (row.index in f.free) is varies]) for varies in (False, True)]
    if not all(sides):
        return None
    element = Prim(p.multiply, tuple([needed_by(bindings, multiplied(side)) for side in sides]))
    whole = Build(
        loop.size, loop.index, Build(row.size, row.index, Reduce(Reduction.SUM, rows.size, rows.index, element))
    )
    return whole if matrix_product(whole) is not None else None


def _without_parts(term: Term, bindings: Bindings) -> Term:
    """The term with what names of parts of arrays stand for."""
    for var, value in reversed(bindings):
        if isinstance(value, Get) and var in term.free:
            term = substitute(term, {var: value})
    return term


def _are_numbers(bindings: Bindings) -> bool:
    """Do the names stand for numbers that no loop computes, or for parts of arrays?"""
    return all([isinstance(value, Get) or (is_scalar(value.type) and is_loop_free(value)) for _, value in bindings])

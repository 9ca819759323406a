"""Products of matrices are summed by themselves, so that each can be computed whole (core/matrix_products.py)."""

from __future__ import annotations

from collections.abc import Collection

from fsmooth.core import primitives as p
from fsmooth.core.build import get
from fsmooth.core.matrix_products import MatrixProduct, Nest, has_matrix_product, nest_of, product_in
from fsmooth.core.subst import refresh
from fsmooth.core.term import Build, Let, MakeTuple, Prim, Reduce, Reduction, Term, Var
from fsmooth.core.traverse import children, transform
from fsmooth.optimise.rules.sum_fission import needed_by, opened
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import rule


@rule(
    "build n (fun i -> build m (fun j -> sum n (fun k -> (v[i + k] * v[k + j], v[k]))))"
    " ~> build n (fun i -> build m (fun j -> (sum n (fun k -> v[i + k] * v[k + j]), sum n (fun k -> v[k]))))"
    " where v is a variable",
    source="000, Fig. 8g",
    heads=Build,
)
def products_apart(t: Term, facts: Facts) -> Term | None:
    """Of the sums of an element that one loop makes each is a loop of its own if one of them is a product of matrices.

    So are the two of which D⟦A B⟧ consists, Ȧ B + A Ḃ.
    """
    if not isinstance(t, Build) or not has_matrix_product(t):
        return None
    element = _apart(t.body)
    return None if element is None else Build(t.size, t.index, element)


@rule(
    "build n (fun i -> build m (fun j -> cos (sum n (fun k -> v[i + k] * v[k + j]))))"
    " ~> let z = build n (fun i -> build m (fun j -> sum n (fun k -> v[i + k] * v[k + j]))) in"
    " build n (fun i -> build m (fun j -> cos (z[i][j]))) where v is a variable",
    source="000, §5.1",
    heads=Build,
)
def product_named(t: Term, facts: Facts) -> Term | None:
    """What is computed from an element of a product of matrices reads it of the whole product, which takes no more room than
    what is computed.  A sum over pairs, which stores nothing, stays one.
    """
    nest = nest_of(t)
    if nest is None:
        return None
    components = set(nest.element.items) if isinstance(nest.element, MakeTuple) else {nest.element}
    found = _product_below(nest, nest.element, frozenset(), components)
    if found is None:
        return None
    element, product = found
    var = Var("product", product.array.type)
    read = get(var, *[axis.index for axis in nest.axes])
    return Let(((var, refresh(product.array)),), transform(t, lambda x: read if x is element else x))


def _product_below(
    nest: Nest, t: Term, bound: frozenset[Var], whole: Collection[Term]
) -> tuple[Term, MatrixProduct] | None:
    """A sum that is evaluated with the element of a nest and is a product of matrices, but is not the `whole` element."""
    match t:
        case Reduce() if t not in whole and bound.isdisjoint(t.free):
            product = product_in(nest, t)
            return None if product is None else (t, product)
        case Prim() | MakeTuple():
            parts = children(t)
        case Let(bindings, body):
            for var, value in bindings:
                found = _product_below(nest, value, bound, whole)
                if found is not None:
                    return found
                bound |= {var}
            parts = (body,)
        case _:
            return None
    return next((found for x in parts if (found := _product_below(nest, x, bound, whole)) is not None), None)


def _apart(t: Term) -> Term | None:
    match t:
        case Build(size, index, body):
            inner = _apart(body)
            return None if inner is None else Build(size, index, inner)
        case Let(bindings, body):
            inner = _apart(body)
            return None if inner is None else Let(bindings, inner)
        case MakeTuple(items):
            new = [_apart(item) for item in items]
            if all([item is None for item in new]):
                return None
            return MakeTuple(tuple([a if b is None else b for a, b in zip(items, new, strict=True)]), t.type)
        case Prim(p.add | p.subtract as primitive, arguments):
            new = [_apart(x) for x in arguments]
            if all([x is None for x in new]):
                return None
            return Prim(primitive, tuple([a if b is None else b for a, b in zip(arguments, new, strict=True)]))
        case Reduce(Reduction.SUM):
            return _parts(t)
        case _:
            return None


def _parts(t: Reduce) -> Term | None:
    bindings, body = opened(t.body)

    def sum_of(part: Term) -> Term:
        return Reduce(Reduction.SUM, t.size, t.index, needed_by(bindings, part))

    match body:
        case MakeTuple(items):
            return MakeTuple(tuple([sum_of(item) for item in items]))
        case Prim(p.add | p.subtract as primitive, (a, b)):
            return Prim(primitive, (sum_of(a), sum_of(b)))
        case _:
            return None

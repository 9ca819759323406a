"""D on terms with sharing: the size of D⟦e⟧ is linear in the number of objects of e."""

import sys

import pytest

from fsmooth.core import primitives as p
from fsmooth.core.build import sum_
from fsmooth.core.evaluate import evaluate
from fsmooth.core.subst import refresh
from fsmooth.core.term import Const, If, Lam, Let, MakeTuple, Prim, Term, Var
from fsmooth.core.traverse import subterms
from fsmooth.core.types import F64
from fsmooth.differentiate.dual import differentiate


def _branches(depth: int) -> Lam:
    x = Var("x", F64)
    w: Term = x
    for _ in range(depth):
        w = If(Prim(p.greater, (w, Const(0.0))), Prim(p.multiply, (w, x)), x)
    return Lam((x,), w)


def _loops(depth: int) -> Lam:
    x = Var("x", F64)
    w: Term = x
    for _ in range(depth):
        shared = w
        w = Prim(p.add, (sum_(Const(1), lambda i, s=shared: Prim(p.multiply, (s, Const(0.5)))), shared))  # type: ignore[misc]
    return Lam((x,), w)


def _objects(term: Term) -> int:
    return sum([1 for _ in subterms(term)])


@pytest.mark.parametrize("make", [_branches, _loops], ids=["branches", "loops"])
def test_sharing_stays_linear(make):
    sizes = [_objects(differentiate(make(depth))) for depth in (10, 20, 40)]
    assert sizes[2] - sizes[1] == 2 * (sizes[1] - sizes[0])
    assert _objects(refresh(make(40))) == _objects(make(40))


@pytest.mark.parametrize(("make", "slope"), [(_branches, 4 * 1.25**3), (_loops, 1.5**3)], ids=["branches", "loops"])
def test_shared_terms_have_the_right_tangent(make, slope):
    function = differentiate(make(3))
    value, tangent = evaluate(function.body, {function.parameters[0]: (1.25, 1.0)})  # type: ignore[misc]
    assert tangent == pytest.approx(slope, rel=1e-15)


def test_twenty_thousand_definitions():
    """One definition after the other: no pass recurses into the chain, and the size is linear."""
    x = Var("x", F64)
    bindings: list[tuple[Var, Term]] = []
    last: Term = x
    for k in range(20_000):
        var = Var(f"v{k}", F64)
        bindings.append((var, Prim(p.multiply, (Prim(p.sin, (last,)), x))))
        last = var
    result = differentiate(Lam((x,), Let(tuple(bindings), MakeTuple((last,)))))
    assert _objects(result) < 20_000 * 13
    assert sys.getrecursionlimit() < 100_000

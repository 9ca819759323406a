"""D on terms with sharing: the size of D⟦e⟧ is linear in the number of objects of e."""

import math
import sys

import pytest

from fsmooth.core import primitives as p
from fsmooth.core.build import ifold, reduce, sum_
from fsmooth.core.evaluate import ArrayValue, evaluate
from fsmooth.core.subst import refresh
from fsmooth.core.term import Const, Get, If, Lam, Length, Let, MakeTuple, Prim, Proj, Reduction, Term, Var
from fsmooth.core.traverse import subterms
from fsmooth.core.types import F64, INT, Array, Tuple
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
    _, tangent = evaluate(function.body, {function.parameters[0]: (1.25, 1.0)})  # type: ignore[misc]
    assert tangent == pytest.approx(slope, rel=1e-15)


@pytest.fixture
def shallow():
    """Python's own recursion limit, whatever tests before this one needed."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)
    yield
    sys.setrecursionlimit(limit)


@pytest.mark.usefixtures("shallow")
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


def test_names_below_an_extremum_are_those_of_the_loop_around_them():
    """An extremum is differentiated after its body was copied whole: what the copy remembers of the body is forgotten."""
    v, n = Var("v", Array(F64)), Var("n", INT)
    state = Tuple((F64, INT))

    def loop(i: Var) -> Term:
        start = MakeTuple((Get(v, i), Const(0)))
        return Proj(
            ifold(n, start, lambda s, _: MakeTuple((Proj(s, 0), Prim(p.add, (Proj(s, 1), Length(v)))), state)), 0
        )

    assert not differentiate(Lam((v, n), reduce(Reduction.MAX, Length(v), loop))).free


def test_what_is_shared_inside_a_product_is_bound_there():
    v, x = Var("v", Array(F64)), Var("x", F64)

    def factor(i: Var) -> Term:
        root = Prim(p.sin, (Get(v, i),))
        return Prim(p.multiply, (root, root))

    shared = Prim(p.cos, (x,))
    product = reduce(Reduction.PRODUCT, Length(v), lambda i: Prim(p.multiply, (shared, factor(i))))
    result = differentiate(Lam((v, x), Prim(p.add, (product, shared))))
    assert not result.free
    arguments = (ArrayValue((2,), ((0.3, 0.0), (0.7, 0.0))), (0.5, 1.0))
    value, tangent = evaluate(result.body, dict(zip(result.parameters, arguments, strict=True)))  # type: ignore[misc]
    c, slope = math.cos(0.5), -math.sin(0.5)
    squares = math.sin(0.3) ** 2 * math.sin(0.7) ** 2
    assert value == pytest.approx(c * c * squares + c, rel=1e-15)
    assert tangent == pytest.approx(2 * c * slope * squares + slope, rel=1e-15)

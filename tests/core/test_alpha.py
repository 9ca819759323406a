"""Alpha-equivalence: against its definition, on random programs, in disguise, and where names are shared or shadowed."""

from __future__ import annotations

import gc
import random

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core import alpha
from fsmooth.core import build as b
from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_equal, alpha_key
from fsmooth.core.subst import refresh
from fsmooth.core.term import (
    App,
    Build,
    Check,
    Const,
    Deriv,
    Get,
    If,
    IFold,
    Lam,
    Length,
    Let,
    MakeTuple,
    Prim,
    Proj,
    Reduce,
    Reduction,
    Require,
    Site,
    Term,
    Var,
    Verb,
    Zero,
)
from fsmooth.core.traverse import children, rebuild, subterms
from fsmooth.core.types import F32, F64, INT, Array, Tuple
from tests.core.binders import binders, disguised, equivalent
from tests.strategies import random_program

V, M = Array(F64), Array(Array(F64))
n, i, j, k = (Var(name, INT) for name in "nijk")
x, y = Var("x", F64), Var("y", F64)
v, m = Var("v", V), Var("m", M)


def changed_somewhere(term: Term, rng: random.Random) -> Term:
    """The same term but for one constant, operation or variable."""
    places = [t for t in subterms(term) if isinstance(t, Const | Var) and not isinstance(t.type, Tuple)]
    place = rng.choice(places)
    others = [t for t in [*binders(term), *term.free] if t.type == place.type and t is not place]
    if isinstance(place, Const) or not others:
        new: Term = b.number(7, place.type) if isinstance(place, Const) else Var("other", place.type)
    else:
        new = rng.choice(others)
    return _replaced(term, place, new)


def _replaced(term: Term, place: Term, new: Term) -> Term:
    if term is place:
        return new
    return rebuild(term, [_replaced(child, place, new) for child in children(term)])


@pytest.mark.parametrize("seed", range(60))
def test_random_programs_in_disguise(seed: int):
    program, _ = random_program(seed)
    rng = random.Random(seed)
    for other in (refresh(program), disguised(program, rng), disguised(refresh(program), rng)):
        assert equivalent(program, other)
        assert alpha_equal(program, other)
        assert alpha_key(program) is alpha_key(other)
        assert hash(alpha_key(program)) == hash(alpha_key(other))


@pytest.mark.parametrize("seed", range(60))
def test_a_change_is_seen_exactly_where_the_definition_sees_it(seed: int):
    program, _ = random_program(seed, depth=3)
    rng = random.Random(seed)
    for _ in range(10):
        other = changed_somewhere(disguised(program, rng), rng)
        assert alpha_equal(program, other) == equivalent(program, other)


@pytest.mark.parametrize("seed", range(30))
def test_subterms_too(seed: int):
    """Open terms: all pairs of subterms of a program and of its disguise."""
    program, _ = random_program(seed, depth=2)
    left = list(subterms(program))
    right = list(subterms(disguised(program, random.Random(seed))))
    for s in left[:40]:
        for t in right[:40]:
            assert alpha_equal(s, t) == equivalent(s, t)


def test_refresh_shares_no_binder():
    for seed in range(20):
        program, _ = random_program(seed)
        fresh = refresh(program)
        assert not set(binders(program)) & set(binders(fresh))
        assert len(binders(fresh)) >= len(binders(program))
        assert fresh.free == program.free


def loop(index: Var, body: Term) -> Term:
    return Build(n, index, body)


EQUAL = [
    (loop(i, i), loop(j, j)),
    (loop(i, loop(j, i)), loop(j, loop(i, j))),
    (loop(i, loop(i, i)), loop(j, loop(k, k))),  # the inner binder wins
    (loop(i, b.plus(i, n)), loop(j, b.plus(j, n))),
    (Let(((i, n), (j, i)), j), Let(((i, n), (i, i)), i)),  # each binding sees those before it
    (Lam((i, j), i), Lam((j, i), j)),
    (IFold(n, x, y, i, y), IFold(n, x, x, j, x)),  # the initial state is outside
    (Let(((x, y),), x), Let(((y, y),), y)),
    (loop(i, Let(((j, i),), j)), loop(i, Let(((i, i),), i))),
    (Check(i, n, Site("here")), Check(i, n, Site("there"))),
    (MakeTuple((Const(0.0),)), MakeTuple((Const(0.0),))),
    (Const(float("nan")), Const(float("nan"))),
]
DIFFERENT = [
    (loop(i, i), loop(i, n)),
    (loop(i, loop(j, i)), loop(i, loop(j, j))),
    (loop(i, k), loop(j, i)),
    (loop(i, i), loop(i, k)),
    (loop(i, loop(i, i)), loop(i, loop(j, i))),
    (x, y),  # free variables are themselves
    (Const(0.0), Const(-0.0)),
    (Const(1.0), Const(1.0, F32)),
    (Const(1), Const(True)),
    (Let(((i, n), (j, i)), j), Let(((i, n), (j, n)), j)),
    (Let(((i, n),), i), loop(i, i)),
    (Get(m, i), Get(m, j)),
    (Length(m, 0), Length(m, 1)),
    (Proj(Var("p", Tuple((F64, F64))), 0), Proj(Var("p", Tuple((F64, F64))), 0)),
    (b.sum_(n, lambda i: i), b.reduce(Reduction.PRODUCT, n, lambda i: i)),
    (Prim(p.add, (x, y)), Prim(p.subtract, (x, y))),
    (MakeTuple((x, y)), MakeTuple((x, y), Tuple((F64, F64), ("a", "b")))),
    (Zero((n,)), Zero((n,), INT)),
    (Require(b.equals(i, n), x), If(b.equals(i, n), x, x)),
    (Deriv(Lam((x,), x), (0,), Verb.GRAD), Deriv(Lam((x,), x), (0,), Verb.JACOBIAN)),
    # types of parameters that are not used
    (Let(((Var("f", Lam((x,), n).type), Lam((x,), n)),), n), Let(((Var("f", Lam((i,), n).type), Lam((i,), n)),), n)),
    (App(Lam((x,), n), (x,)), App(Lam((v,), n), (v,))),
]


@pytest.mark.parametrize(("left", "right"), EQUAL, ids=[f"{a!r} = {c!r}" for a, c in EQUAL])
def test_equal(left: Term, right: Term):
    assert equivalent(left, right)
    assert alpha_equal(left, right)
    assert alpha_key(left) is alpha_key(right)


@pytest.mark.parametrize(("left", "right"), DIFFERENT, ids=[f"{a!r} ≠ {c!r}" for a, c in DIFFERENT])
def test_different(left: Term, right: Term):
    assert not equivalent(left, right)
    assert not alpha_equal(left, right)
    assert alpha_key(left) is not alpha_key(right)


def test_a_key_does_not_depend_on_where_a_subterm_was_met_first():
    inner = b.sum_(n, lambda q: Get(v, q))
    alone = alpha_key(inner)
    fresh = refresh(inner)
    within = Build(k, j, Reduce(Reduction.SUM, k, i, Prim(p.multiply, (fresh, Get(v, i)))))
    alpha_key(within)
    assert alpha_key(fresh) is alone


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The structures for which a key was asked."""
    found: list[object] = []
    intern = alpha._intern
    monkeypatch.setattr(alpha, "_intern", lambda structure: found.append(structure) or intern(structure))
    return found


def test_what_is_met_many_times_under_a_binder_has_its_key_made_once(made: list[object]):
    """In a graph of n shared nodes that read an index there are 2^n ways to one of them."""
    shared: Term = Get(v, i)
    other: Term = Get(v, j)
    for _ in range(12):
        shared, other = Prim(p.multiply, (shared, shared)), Prim(p.multiply, (other, other))
    key = alpha_key(Build(n, i, shared))
    assert len(made) < 50
    assert key is alpha_key(Build(n, j, other))
    assert key is not alpha_key(Build(n, j, shared))


def test_an_open_term_that_is_met_under_many_binders_has_its_key_made_once(made: list[object]):
    """Two loops read a term that reads an outer index, two loops that sum, …: there are 2^n ways to the first."""
    shared: Term = Get(v, i)
    for _ in range(12):
        loops = [Build(n, q, Prim(p.multiply, (shared, Get(v, q)))) for q in (Var("q", INT), Var("r", INT))]
        shared = Prim(p.add, (Get(loops[0], i), Get(loops[1], j)))
    alpha_key(Build(n, i, Build(n, j, shared)))
    assert len(made) < 200


def test_the_keys_of_all_loops_of_a_nest_are_made_in_one_walk(made: list[object]):
    """Σ_a Σ_b … v[a] v[b] …: each but the outermost is open, and has a key of its own."""
    indices = [Var("q", INT) for _ in range(60)]
    nest: Term = x
    for q in indices:
        nest = Prim(p.multiply, (nest, Get(v, q)))
    for q in indices:
        nest = Reduce(Reduction.SUM, n, q, nest)
        alpha_key(nest)
    assert len(made) < 400


def test_deep_terms_need_no_stack():
    """Twenty times as deep as Python's stack."""
    deep, other = x, y
    for _ in range(20_000):
        deep, other = (Let(((Var("t", F64), Prim(p.sin, (t,))),), x) for t in (deep, other))
    assert alpha_key(deep) is not alpha_key(other)


@pytest.mark.parametrize("number", [1, 2])
def test_a_variable_that_is_bound_and_free_in_one_term(number: int):
    """`let x = x + 1 in x` by one object, or by two."""
    inner = x if number == 1 else Var("inner", F64)
    wanted = Let(((Var("other", F64), Prim(p.add, (x, Const(1.0)))),), Prim(p.multiply, (Const(2.0), x)))
    term = Let(((inner, Prim(p.add, (x, Const(1.0)))),), Prim(p.multiply, (Const(2.0), inner)))
    assert alpha_equal(term, Let(((y, Prim(p.add, (x, Const(1.0)))),), Prim(p.multiply, (Const(2.0), y))))
    assert not alpha_equal(term, wanted)


def test_a_key_is_forgotten_with_the_terms_that_have_it():
    gc.collect()
    before = len(alpha._table)
    term = b.sum_(n, lambda q: Get(v, q))
    key = alpha_key(term)
    assert alpha_key(refresh(term)) is key
    assert len(alpha._table) > before
    del term
    assert len(alpha._table) > before
    del key
    assert len(alpha._table) == before


def test_compilations_leave_no_keys():
    def compile_one() -> int:
        fs.hessian(lambda x: sum(a**3 * x[0] for a in x)).compiled(np.ones(3))
        gc.collect()
        return len(alpha._table)

    assert compile_one() == compile_one()

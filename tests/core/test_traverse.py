"""Children, rebuilding, free variables and generic walks, on random programs."""

from __future__ import annotations

import pytest

from fsmooth.core import build as b
from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.free_variables import read_variables
from fsmooth.core.subst import refresh
from fsmooth.core.term import Build, Const, Get, Length, Let, Prim, Term, Var
from fsmooth.core.traverse import binds, bound_in, children, rebuild, size_of_tree, subterms, transform
from fsmooth.core.types import F64, INT, Array
from tests.strategies import random_program

PROGRAMS = [random_program(seed)[0] for seed in range(30)]


def free(term: Term) -> set[Var]:
    """By definition."""
    if isinstance(term, Var):
        return {term}
    return {v for k, part in enumerate(children(term)) for v in free(part) - set(bound_in(term, k))}


@pytest.mark.parametrize("program", PROGRAMS, ids=range(30))
def test_free_variables_are_as_defined(program: Term):
    assert program.free == frozenset()
    for t in subterms(program):
        assert t.free == free(t)


def test_variables_of_which_lengths_are_asked_are_not_read():
    u, v, x = Var("u", Array(F64)), Var("v", Array(F64)), Var("x", F64)
    i = Var("i", INT)
    assert read_variables(Build(Length(u), i, x)) == {x}
    assert read_variables(Build(Length(u), i, Get(u, i))) == {u}
    assert read_variables(Let(((v, u),), Length(v))) == {u}
    assert read_variables(Length(Build(Length(v), i, Get(u, i)))) == {u}


@pytest.mark.parametrize("program", PROGRAMS, ids=range(30))
def test_rebuilding_from_the_same_parts_is_the_same_object(program: Term):
    for t in subterms(program):
        assert rebuild(t, children(t)) is t
        assert binds(t) or not any(bound_in(t, k) for k in range(len(children(t))))


@pytest.mark.parametrize("program", PROGRAMS, ids=range(30))
def test_transform_reaches_every_node(program: Term):
    assert transform(program, lambda t: t) is program
    copies = transform(program, lambda t: Const(t.value, t.type) if isinstance(t, Const) else t)
    assert alpha_equal(copies, program)
    constants = {t for t in subterms(program) if isinstance(t, Const)}
    assert constants.isdisjoint(subterms(copies))


def test_size_of_a_tree_counts_shared_nodes_each_time():
    x = Var("x", F64)
    shared = Prim(p.add, (x, x))
    term = Prim(p.multiply, (shared, shared))
    assert size_of_tree(term) == 7
    assert len(list(subterms(term))) == 3
    fresh = refresh(PROGRAMS[0])
    assert size_of_tree(fresh) == size_of_tree(PROGRAMS[0])


def test_deep_terms_need_no_python_stack():
    x = Var("x", F64)
    deep: Term = x
    for _ in range(50_000):
        deep = b.plus(deep, x)
    assert deep.free == {x}
    assert size_of_tree(deep) == 100_001
    assert sum(1 for _ in subterms(deep)) == 50_001
    assert transform(deep, lambda t: t) is deep

"""Walks over the same term know what the ones before found normal, and where: nothing else is tried again (rewrite/memory.py)."""

from __future__ import annotations

import pytest

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.term import Build, Const, If, Lam, Let, Prim, Term, Var
from fsmooth.core.types import BOOL, F64, INT
from fsmooth.optimise import schedules
from fsmooth.optimise.simplify import simplify
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.memory import Memory
from fsmooth.rewrite.normaliser import Normaliser
from fsmooth.rewrite.strategy import Rule
from tests.strategies import random_program

X, Y, Z, N, I, C = Var("x", F64), Var("y", F64), Var("z", F64), Var("n", INT), Var("i", INT), Var("c", BOOL)


def sine(x: Term) -> Prim:
    return Prim(p.sin, (x,))


class Walks:
    """Walks with one memory; each tells which operations it tried a rule on."""

    def __init__(self) -> None:
        self.memory = Memory()
        self.tried: list[Term] = []

        def tried(term: Term, facts: Facts) -> Term | None:
            self.tried.append(term)
            return None

        self.rules = (Rule("tried", tried, heads=(Prim,)),)

    def over(self, term: Term) -> list[Term]:
        self.tried.clear()
        Normaliser(self.rules, memory=self.memory).run(term)
        return list(self.tried)


def test_what_has_not_changed_is_not_tried_again() -> None:
    inner = sine(X)
    outer = Prim(p.cos, (inner,))
    walks = Walks()
    assert walks.over(outer) == [inner, outer]
    assert walks.over(outer) == []
    around = sine(outer)
    assert walks.over(around) == [around]
    assert Walks().over(outer) == [inner, outer]  # what another memory knows does not count


def test_another_definition_even_of_what_it_mentions() -> None:
    use, between = sine(Y), sine(X)
    first, other = Prim(p.exp, (Z,)), Prim(p.log, (Z,))
    walks = Walks()
    assert walks.over(Let(((X, first), (Y, between)), use)) == [first, between, use]
    assert walks.over(Let(((X, first), (Y, between)), use)) == []
    assert walks.over(Let(((X, other), (Y, between)), use)) == [other, between, use]
    assert walks.over(Let(((X, other), (Y, sine(X))), use))[-1] is use


def test_another_condition_or_range() -> None:
    part = sine(X)
    walks = Walks()
    assert walks.over(part) == [part]
    both = If(C, part, Const(0.0))
    assert walks.over(both) == [part]
    assert walks.over(both) == []
    assert walks.over(If(C, Const(0.0), part)) == [part]
    assert walks.over(Let(((C, Prim(p.less, (X, Y))),), both))[-1] is part
    body = Prim(p.add, (I, I))
    assert walks.over(Build(N, I, body)) == [body]
    assert walks.over(Build(N, I, body)) == []
    longer = Prim(p.add, (N, Const(1)))
    assert walks.over(Build(longer, I, body)) == [longer, body]


def test_what_was_normal_where_more_became_known_is_so_for_later_walks() -> None:
    """Of a condition more is known than before: that place is walked once more, and not again."""
    part = sine(Z)
    first, other = Prim(p.less, (X, Y)), Prim(p.less, (Y, X))
    walks = Walks()
    assert walks.over(Let(((C, first),), If(C, part, Const(0.0)))) == [first, part]
    assert walks.over(Let(((C, other),), If(C, part, Const(0.0)))) == [other, part]
    assert walks.over(Let(((C, other),), If(C, part, Const(0.0)))) == []


def test_a_size_is_tried_again_where_more_is_known() -> None:
    """It may be shared by a condition, or what is before it, and what it guards."""
    larger = Prim(p.maximum, (N, Const(0)))
    guarded = Let(((I, larger),), If(Prim(p.less, (Const(0), N)), larger, Const(1)))
    assert Walks().over(guarded).count(larger) == 2
    part = sine(X)
    assert Walks().over(Let(((Y, part),), If(C, part, Const(0.0)))) == [part]


def test_scopes_of_which_the_walk_may_decide_otherwise_are_walked() -> None:
    value, use = sine(Z), sine(X)
    loop = Build(N, I, Let(((X, value),), use))
    walks = Walks()
    assert walks.over(loop) == [value, use]
    loop = Build(N, I, Let(((X, value),), use))
    assert walks.memory.is_settled(loop.size)
    assert not walks.memory.is_settled(loop)
    walks.memory.undecided = {Y}
    assert walks.memory.is_settled(loop)
    walks.memory.undecided = {X}
    assert not walks.memory.is_settled(loop)


@pytest.mark.parametrize("seed", range(12))
def test_nothing_is_missed(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is simplified with a memory is normal for walks that have none."""
    monkeypatch.setattr(thresholds, "SIMPLIFIED", 40)
    program, _ = random_program(seed, depth=4)
    once = simplify(program, schedules._NORMAL, schedules._FULL)
    again = simplify(once, schedules._NORMAL, schedules._FULL)
    assert isinstance(once, Lam)
    assert alpha_equal(once, again)

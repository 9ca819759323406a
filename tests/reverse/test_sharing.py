"""Reverse mode on terms with sharing and on long programs: size linear in the number of objects of the program."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from fsmooth.core import primitives as p
from fsmooth.core.term import (
    Deriv,
    Get,
    If,
    IFold,
    Lam,
    Length,
    Let,
    Method,
    Prim,
    Reduce,
    Reduction,
    Term,
    Update,
    Var,
    Verb,
)
from fsmooth.core.traverse import subterms
from fsmooth.core.types import F64, INT, Array
from fsmooth.differentiate.reverse.verbs import reverse
from tests.calls import calls_of
from tests.reverse.routes import result

Step = Callable[[Term, Var, Var], Term]


def doubled(last: Term, x: Var, a: Var) -> Term:
    return Prim(p.add, (last, last))


def sine(last: Term, x: Var, a: Var) -> Term:
    return Prim(p.multiply, (Prim(p.sin, (last,)), x))


def summed(last: Term, x: Var, a: Var) -> Term:
    i = Var("i", INT)
    return Reduce(Reduction.SUM, Length(a), i, Prim(p.multiply, (Prim(p.sin, (last,)), Get(a, i))))


def chosen(last: Term, x: Var, a: Var) -> Term:
    return If(Prim(p.less, (last, x)), Prim(p.sin, (last,)), Prim(p.multiply, (last, x)))


def folded(last: Term, x: Var, a: Var) -> Term:
    s, i = Var("s", F64), Var("i", INT)
    return IFold(Length(a), last, s, i, Prim(p.sin, (Prim(p.multiply, (s, last)),)))


def program(step: Step, count: int) -> Lam:
    """A chain of definitions."""
    x, a = Var("x", F64), Var("a", Array(F64))
    bindings: list[tuple[Var, Term]] = []
    last: Term = x
    for k in range(count):
        var = Var(f"x{k}", F64)
        bindings.append((var, step(last, x, a)))
        last = var
    return Lam((x, a), Let(tuple(bindings), last))


def updates(count: int) -> Lam:
    """An array whose element is replaced again and again."""
    x, a = Var("x", F64), Var("a", Array(F64))
    bindings: list[tuple[Var, Term]] = []
    last: Term = a
    k = Prim(p.subtract, (Length(a), Length(a)))
    for number in range(count):
        var = Var(f"a{number}", a.type)
        bindings.append((var, Update(last, k, Prim(p.multiply, (Get(last, k), x)))))
        last = var
    return Lam((x, a), Let(tuple(bindings), Get(last, k)))


def gradient(function: Lam) -> Lam:
    return reverse(Deriv(function, (0,), Verb.GRAD, Method.REVERSE, single=True))


def objects(term: Term) -> int:
    return sum([1 for _ in subterms(term)])


@pytest.mark.parametrize("step", [doubled, sine, summed, chosen, folded], ids=lambda s: s.__name__)
def test_size_is_linear(step: Step) -> None:
    sizes = [objects(gradient(program(step, count))) for count in (15, 30, 60)]
    assert sizes[2] - sizes[1] == 2 * (sizes[1] - sizes[0])


def test_size_of_updates_is_linear() -> None:
    sizes = [objects(gradient(updates(count))) for count in (30, 60, 120)]
    assert sizes[2] - sizes[1] == 2 * (sizes[1] - sizes[0])


def test_doubling_sixty_times() -> None:
    assert result(gradient(program(doubled, 60)), 1.0, [1.0]) == 2.0**60


def test_terms_that_are_one_object_are_differentiated_once() -> None:
    x = Var("x", F64)
    w: Term = x
    for _ in range(60):
        w = Prim(p.multiply, (Prim(p.cos, (w,)), w))
    assert objects(gradient(Lam((x,), w))) < 60 * 13


def test_twenty_thousand_definitions() -> None:
    """No pass recurses into the chain, and the size is linear."""
    assert objects(gradient(program(sine, 20_000))) < 12 * 20_000
    assert sys.getrecursionlimit() <= 100_000


def test_the_work_is_linear() -> None:
    """Four times as much for four times as many definitions, and what is done once."""
    few, many = program(sine, 500), program(sine, 2_000)
    assert calls_of(lambda: gradient(many)) < 4.4 * calls_of(lambda: gradient(few))

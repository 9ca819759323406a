"""What ∇ and the rules make is a program again: reverse over reverse and forward over reverse against dual numbers."""

from __future__ import annotations

import random

import numpy as np
import pytest

from fsmooth.core.term import Build, Const, Delta, Lam, Let, MakeTuple, Term, Var, Vector, Zero, let
from fsmooth.core.types import F64, INT, Array
from fsmooth.core.vectors import dot, is_zero
from fsmooth.differentiate.linear.functions import by_composition, forward, reverse
from fsmooth.frontend.text import parse
from fsmooth.optimise.schedules import DEFAULT
from tests.accuracy.judge import bounded, within
from tests.accuracy.slopes import by_duals
from tests.linear.definitions import eliminated, floats, perturbed
from tests.linear.programs import PROGRAMS


def slope_along(function: Lam, wrt: tuple[int, ...]) -> tuple[Lam, Lam]:
    """(x, w) to ∇f(x) • w, and (x) to ∇f(x)."""
    pulled = eliminated(reverse(by_composition(function, wrt)))
    *parameters, dr = pulled.parameters
    gradient = Lam(tuple(parameters), Let(((dr, Const(1.0)),), pulled.body))
    w, g = Var("w", pulled.body.type), Var("g", pulled.body.type)
    bindings: list[tuple[Var, Term]] = [(g, gradient.body)]
    return Lam((*parameters, w), let(bindings, dot(g, w))), gradient


def optimised(function: Lam) -> Lam:
    """As it would be compiled: an array of tuples that is empty has no element whose length could be asked for."""
    result = DEFAULT(eliminated(function))
    assert isinstance(result, Lam)
    return result


@pytest.mark.parametrize("name", PROGRAMS)
def test_second_derivative(name: str) -> None:
    """∂(∇f • w) by reverse over reverse; ∂(∇f) ⊙ w, by forward over reverse, is the same."""
    text, arguments = PROGRAMS[name]
    function = parse(text)
    assert isinstance(function, Lam)
    wrt = floats(function)
    rng = random.Random(0)
    w = tuple([perturbed(arguments[k], rng) for k in wrt])
    given = w[0] if len(wrt) == 1 else w
    along, gradient = slope_along(function, wrt)
    exact = by_duals(along, [*arguments, given], wrt)
    twice = bounded(optimised(reverse(by_composition(along, wrt))), [*arguments, given, 1.0])
    assert within(twice.value, exact.value, twice.bound + exact.bound, 1e-10)
    ahead = bounded(optimised(forward(by_composition(gradient, wrt))), [*arguments, given])
    assert within(ahead.value, exact.value, ahead.bound + exact.bound, 1e-10)


def test_zeros_are_seen() -> None:
    """What is zero by structure costs no addition."""
    x, i = Var("x", F64), Var("i", INT)
    nothing = [Zero(()), MakeTuple(()), MakeTuple((Zero((i,)), Zero(()))), Build(i, i, Zero(())), Vector((Zero(()),))]
    assert all(map(is_zero, [*nothing, Delta(i, i, Zero(()))]))
    assert not any(map(is_zero, [x, Const(0.0), MakeTuple((Zero(()), x)), Delta(i, i, x), Var("v", Array(F64))]))


def test_the_hessian_of_a_product() -> None:
    """Exact where factors are zero, in second order too."""
    function = parse("fun (v : Vector) -> product (length v) (fun i -> v[i])")
    assert isinstance(function, Lam)
    along, _ = slope_along(function, (0,))
    made = eliminated(reverse(by_composition(along, (0,))))
    answer = bounded(made, [np.array([0.0, 2.0, 0.0]), np.array([1.0, 0.0, 0.0]), 1.0])
    assert answer.value.tolist() == [0.0, 0.0, 2.0]

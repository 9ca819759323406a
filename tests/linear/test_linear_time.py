"""Derivatives in time and size that grow with the program, whatever it shares (design §4.1; docs/decisions/0006)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fsmooth.core import primitives as p
from fsmooth.core.evaluate import evaluate
from fsmooth.core.term import Lam, Let, Prim, Term, Var
from fsmooth.core.traverse import size_of_tree, subterms
from fsmooth.core.types import F64
from fsmooth.differentiate.linear.functions import (
    by_composition,
    by_substitution,
    forward,
    reverse,
)
from tests.calls import calls_of
from tests.linear.definitions import (
    eliminated,
)


def chain(n: int) -> Lam:
    """x₁ = x₀ + x₀, x₂ = x₁ + x₁, …"""
    x = Var("x", F64)
    last, bindings = x, list[tuple[Var, Term]]()
    for k in range(n):
        var = Var(f"x{k + 1}", F64)
        bindings.append((var, Prim(p.add, (last, last))))
        last = var
    return Lam((x,), Let(tuple(bindings), last))


@pytest.mark.parametrize("direction", [forward, reverse])
def test_sixty_doublings(direction: Callable[[Lam], Lam]) -> None:
    """A let is a composition: each definition is differentiated, and applied, once."""
    sizes = [size_of_tree(eliminated(direction(by_composition(chain(n), (0,))))) for n in (30, 60)]
    assert sizes[1] <= 2 * sizes[0]
    made = eliminated(direction(by_composition(chain(60), (0,))))
    assert evaluate(made.body, dict.fromkeys(made.parameters, 1.0)) == 2.0**60


@pytest.mark.parametrize("direction", [forward, reverse])
def test_thousands_of_definitions(direction: Callable[[Lam], Lam]) -> None:
    """Work and size grow with the program, and nothing is as deep as the program is long."""
    work, sizes = [], []
    for n in (250, 2000):
        made: list[Term] = []
        work.append(calls_of(lambda n=n, made=made: made.append(eliminated(direction(by_composition(chain(n), (0,)))))))
        sizes.append(size_of_tree(made[0]))
    assert sizes[1] <= 8.1 * sizes[0]
    assert work[1] <= 8.8 * work[0]


def fan(n: int) -> Lam:
    """a₀ = sin x, a₁ = sin a₀, …, all of them needed until s₁ = a₀ + a₁, s₂ = s₁ + a₂, …."""
    x = Var("x", F64)
    bindings: list[tuple[Var, Term]] = []
    last: Term = x
    for k in range(n):
        var = Var(f"a{k}", F64)
        bindings.append((var, Prim(p.sin, (last,))))
        last = var
    total: Term = bindings[0][0]
    for var, _ in bindings[1:]:
        sum_ = Var("s", F64)
        bindings.append((sum_, Prim(p.add, (total, var))))
        total = sum_
    return Lam((x,), Let(tuple(bindings), total))


@pytest.mark.parametrize("direction", [forward, reverse])
def test_many_names_needed_at_once(direction: Callable[[Lam], Lam]) -> None:
    """Objects and work are as many as definitions times the names that are needed at one time, not times their square."""
    work, sizes = [], []
    for n in (20, 40):
        full = by_composition(fan(n), (0,))
        sizes.append(sum(1 for _ in subterms(full)))
        work.append(calls_of(lambda full=full: eliminated(direction(full))))
    assert sizes[1] <= 4 * sizes[0]
    assert work[1] <= 5.3 * work[0]


def test_substitution_is_exponential() -> None:
    """Why Fig. 6 as it is written is no way to compile (docs/decisions/0006)."""
    sizes = [size_of_tree(eliminated(reverse(by_substitution(chain(n), (0,))))) for n in (5, 10)]
    assert sizes[1] > 16 * sizes[0]


def test_an_operand_is_differentiated_once() -> None:
    """Operands have names, so nested calls do not repeat each other (paper 001, §5.1)."""
    x = Var("x", F64)

    def nested(depth: int) -> Lam:
        term: Term = x
        for _ in range(depth):
            term = Prim(p.sin, (Prim(p.multiply, (term, x)),))
        return Lam((x,), term)

    sizes = [size_of_tree(eliminated(reverse(by_composition(nested(n), (0,))))) for n in (10, 20, 40)]
    assert sizes[2] - sizes[1] <= 2.2 * (sizes[1] - sizes[0])


def test_shared_objects_are_named_once() -> None:
    x = Var("x", F64)
    term: Term = x
    for _ in range(40):
        term = Prim(p.add, (term, term))
    made = eliminated(reverse(by_composition(Lam((x,), term), (0,))))
    assert evaluate(made.body, dict.fromkeys(made.parameters, 1.0)) == 2.0**40

"""The law in the heading of every rule: it fires on the left side, gives the right side, keeps type and value."""

from __future__ import annotations

import random

import pytest

from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.term import Const, Let, MakeTuple, Prim, Proj, Term, let
from fsmooth.core.traverse import transform
from fsmooth.core.types import Int
from fsmooth.laws.equations import all_rules, equations
from fsmooth.laws.instances import Instance, Opaque, Random, instances
from fsmooth.laws.meaning import meaning_of
from fsmooth.laws.testing import counterexamples
from fsmooth.optimise.rules import conditional
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import Rule

LAWS = [(rule, k) for rule in all_rules() for k in range(len(equations(rule)))]
names = [f"{rule.name}-{k}" for rule, k in LAWS]


@pytest.mark.parametrize(("rule", "number"), LAWS, ids=names)
def test_the_law_itself(rule: Rule, number: int) -> None:
    """With metavariables of which nothing is known."""
    defined = 0
    for made in instances(rule.name, equations(rule)[number], rule.heads, Opaque, seed=0, most=6):
        fires(rule, made)
        defined += keeps_its_value(rule, made, environments=60)
    assert defined > 5, "too few environments in which the left side has a meaning"


@pytest.mark.parametrize(("rule", "number"), LAWS, ids=names)
def test_the_law_on_random_terms(rule: Rule, number: int) -> None:
    """With random terms that share their variables."""
    for made in instances(rule.name, equations(rule)[number], rule.heads, Random, seed=1, most=12):
        if keeps_its_value(rule, made, environments=12) or not made.known:
            fires(rule, made)


def fires(rule: Rule, made: Instance) -> None:
    """The rule on the left side gives the right side."""
    result = rule.apply(made.left, facts_of(made))
    if result is None and alpha_equal(made.left, made.right):
        return
    assert result is not None, f"does not fire on {made.left}"
    assert result.type == made.left.type
    assert alpha_equal(tidy(result), tidy(made.right)), f"{made.left}\nbecomes {result}\nnot {made.right}"


def facts_of(made: Instance) -> Facts:
    """What the law says is known."""
    facts = Facts()
    for condition in made.known:
        facts.assume(condition, True)
    return facts


def keeps_its_value(rule: Rule, made: Instance, environments: int) -> int:
    """Both sides have the same value, or both raise; the number of environments where the left side has a meaning."""
    rng = random.Random(f"{rule.name} {made.left.type}")
    found = list(counterexamples(meaning_of(rule), made, environments, rng))
    wrong = [str(example) for example in found if example is not None]
    assert not wrong, wrong[0]
    return len(found)


def tidy(term: Term) -> Term:
    """Without definitions that nothing uses and tuples of which one component is taken; lets in a row are one.

    Nor with the maximum of 0 and what is known to be no less, and conditions that are known, whatever is known where the term
    stands.
    """

    def change(t: Term) -> Term:
        match t:
            case Proj(MakeTuple(items), position):
                return items[position]
            case Prim(p.maximum, (a, Const(0))) if isinstance(a.type, Int) and Facts().nonnegative(a):
                return a
            case Let():
                pass
            case _:
                return conditional.decide.apply(t, Facts()) or conditional.if_known.apply(t, Facts()) or t
        needed, kept = set(t.body.free), []
        for var, value in reversed(t.bindings):
            if var in needed:
                kept.append((var, value))
                needed.discard(var)
                needed |= value.free
        return let(tuple(reversed(kept)), t.body)

    return transform(term, change)

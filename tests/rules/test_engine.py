"""The fast engine gives the normal form of the definition: `normalise(a)` is `repeat(top_down(a))`."""

from __future__ import annotations

import pytest

from fsmooth.core.alpha import alpha_equal
from fsmooth.core.term import Const, If, Lam, Let, Require, Term, let
from fsmooth.core.traverse import size_of_tree, transform
from fsmooth.laws.equations import equations
from fsmooth.laws.instances import Opaque, Random, instances
from fsmooth.optimise import schedules
from fsmooth.rewrite.normaliser import Normaliser
from fsmooth.rewrite.strategy import Rule, choice
from fsmooth.rewrite.traversal import normalise
from tests.strategies import random_program

FAMILIES: dict[str, tuple[Rule, ...]] = {
    name: value
    for name, value in vars(schedules).items()
    if isinstance(value, tuple) and value and all([isinstance(r, Rule) for r in value]) and not name.startswith("_")
}


pytestmark = pytest.mark.usefixtures("deep")


def flat(term: Term) -> Term:
    """Lets in a row as one."""
    return transform(term, lambda t: let(t.bindings, t.body) if isinstance(t, Let) else t)


def agree(family: tuple[Rule, ...], program: Lam) -> bool:
    """Both normal forms are the same; gives whether anything was rewritten."""
    fast = Normaliser(family).run(program)
    slow = normalise(choice(*family))(program)
    assert slow is not None
    assert alpha_equal(flat(fast), flat(slow)), f"{program}\nfast {fast}\nslow {slow}"
    assert fast.type == program.type
    return not alpha_equal(slow, program)


@pytest.mark.parametrize("name", FAMILIES)
def test_normal_forms_of_random_programs(name: str) -> None:
    """The families by themselves."""
    for seed in range(40):
        program, _ = random_program(seed, depth=3)
        if size_of_tree(program) <= 400:
            agree(FAMILIES[name], program)


@pytest.mark.parametrize("name", [name for name in FAMILIES if name != "PARTIAL_EVALUATION"])
def test_normal_forms_of_left_sides(name: str) -> None:
    """On the left sides of the family's own laws, where what has to be known is required."""
    rewritten = 0
    for rule in FAMILIES[name]:
        for equation in equations(rule):
            # what is known about terms that are still to be rewritten depends on the order of rewriting
            for maker in (Opaque,) if equation.known else (Opaque, Random):
                for made in instances(rule.name, equation, rule.heads, maker, seed=3, most=3):
                    term = made.left
                    for condition in reversed(made.known):
                        term = Require(condition, term)
                    free = term.free | {v for k in made.known for v in k.free}
                    program = Lam(tuple(sorted(free, key=lambda v: v.id)), term)
                    if size_of_tree(program) <= 400:
                        rewritten += agree(FAMILIES[name], program)
    assert rewritten


def test_only_rules_choose_branches() -> None:
    """A family without the law of conditionals keeps a branch that is not taken."""
    program = Lam((), If(Const(True), Const(1), Const(2)))
    assert Normaliser(schedules.RING).run(program) is program
    assert alpha_equal(Normaliser(schedules.CONDITIONAL).run(program), Lam((), Const(1)))

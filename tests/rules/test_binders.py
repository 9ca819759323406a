"""Rules do not mistake one variable for another, whatever binds the same variable."""

from __future__ import annotations

import pytest

from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.build import equals, plus
from fsmooth.core.term import App, Build, Const, If, IFold, Lam, Let, Prim, Reduce, Reduction, Term, Var
from fsmooth.core.types import F64, INT
from fsmooth.laws.equations import equations
from fsmooth.laws.instances import Opaque, Random, instances
from fsmooth.optimise.rules import conditional, lambda_calculus
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.normaliser import Normaliser
from fsmooth.rewrite.strategy import Rule
from fsmooth.rewrite.traversal import normalise
from tests.rules.binders import shadowed
from tests.rules.test_laws import LAWS, facts_of, names, tidy

SHY = frozenset(
    (
        "share_definition",
        "swap_definitions",
        "reduce_selection",
        "extremum_of_selection",
        "sum_single_array",
        "sum_split_arrays",
    )
)
"""Rules that look at the names of definitions, and leave alone what is bound twice."""


@pytest.mark.parametrize(("rule", "number"), LAWS, ids=names)
def test_law_with_shared_and_shadowed_binders(rule: Rule, number: int) -> None:
    for maker in (Opaque, Random):
        for made in instances(rule.name, equations(rule)[number], rule.heads, maker, seed=2, most=4):
            left = shadowed(made.left)
            assert alpha_equal(tidy(left), tidy(made.left))
            expected = rule.apply(made.left, facts_of(made))
            found = rule.apply(left, facts_of(made))
            if found is None:
                assert expected is None or rule.name in SHY
            else:
                assert expected is not None
                assert alpha_equal(tidy(found), tidy(expected)), f"{left}\nbecomes {found}\nnot {expected}"


def test_an_argument_may_mention_a_parameter() -> None:
    """(fun x y -> x - y) y x, where the parameters are the very variables."""
    x, y = Var("x", F64), Var("y", F64)
    term = App(Lam((x, y), Prim(p.subtract, (x, y))), (y, x))
    result = lambda_calculus.beta.apply(term, Facts())
    a, b = Var("a", F64), Var("b", F64)
    assert result is not None
    assert alpha_equal(result, Let(((a, y), (b, x)), Prim(p.subtract, (a, b))))


def test_definitions_are_forgotten_where_a_variable_is_bound_anew() -> None:
    """`let a = x + 1 in let x = y in let b = x + 1 in …`: two different sums."""
    x, y, a, b = [Var(name, F64) for name in "xyab"]
    one = Const(1.0)
    term = Let(((a, plus(x, one)), (x, y), (b, plus(x, one))), plus(a, b))
    assert lambda_calculus.share_definition.apply(term, Facts()) is None
    again = Let(((a, plus(x, one)), (a, plus(a, one)), (b, plus(x, one))), plus(a, b))
    assert lambda_calculus.share_definition.apply(again, Facts()) is None
    own = Let(((x, plus(x, one)), (b, plus(x, one))), plus(x, b))
    assert lambda_calculus.share_definition.apply(own, Facts()) is None


def test_definitions_that_shadow_each_other_are_not_swapped() -> None:
    x, y = Var("x", F64), Var("y", F64)
    swap = lambda_calculus.swap_definitions
    assert swap.apply(Let(((x, y), (x, Const(1.0))), x), Facts()) is None
    assert swap.apply(Let(((x, Const(1.0)), (y, x)), y), Facts()) is None
    assert swap.apply(Let(((x, y), (y, Const(1.0))), x), Facts()) is None
    assert swap.apply(Let(((y, Const(1.0)), (x, Prim(p.sin, (x,)))), y), Facts()) is not None


def test_a_condition_is_not_used_where_its_variable_is_bound_anew() -> None:
    """`if i < 2 then sum 3 (fun i -> if i < 2 …)`: two different conditions."""
    i, x, y = Var("i", INT), Var("x", F64), Var("y", F64)
    small = Prim(p.less, (i, Const(2)))
    choice = If(small, x, y)
    use = conditional.use_condition
    assert use.apply(If(small, Reduce(Reduction.SUM, Const(3), i, choice), y), Facts()) is None
    assert use.apply(If(small, Let(((i, plus(i, Const(1))),), choice), y), Facts()) is None
    size = Build(If(small, Const(1), Const(2)), i, choice)
    result = use.apply(If(small, size, Build(i, i, x)), Facts())
    assert result is not None
    assert alpha_equal(result, If(small, Build(If(Const(True), Const(1), Const(2)), i, choice), Build(i, i, x)))


I, N, X = Var("i", INT), Var("n", INT), Var("x", F64)
INSIDE = If(equals(I, Const(5)), Const(1.0), Const(2.0))
SHADOWS: dict[str, Term] = {
    "a definition": Let(((I, Const(5)),), Build(N, I, INSIDE)),
    "a condition": If(equals(I, Const(5)), Build(N, I, INSIDE), Build(N, I, Const(3.0))),
    "a range": Build(Const(5), I, Build(N, I, INSIDE)),
    "a definition by itself": Let(((I, Const(5)), (I, plus(I, Const(1)))), INSIDE),
    "a name in a definition": Let(((N, plus(I, Const(-5))),), Build(Const(9), I, If(equals(N, Const(0)), X, INSIDE))),
    "a state": If(equals(I, Const(5)), IFold(N, I, I, Var("k", INT), If(equals(I, Const(5)), Const(1), I)), I),
    "a parameter": If(equals(I, Const(5)), Lam((I,), INSIDE), Lam((I,), Const(3.0))),
}
RULES = (conditional.if_known, conditional.decide)


@pytest.mark.parametrize("name", SHADOWS)
def test_facts_are_about_the_variable_in_scope(name: str) -> None:
    """The traversals and the fast engine, on terms that bind a variable which a fact mentions."""
    term = Lam((I, N, X), SHADOWS[name])
    expected = term
    if name == "a definition by itself":
        expected = Lam((I, N, X), Let(((I, Const(5)), (I, plus(I, Const(1)))), Const(2.0)))
    assert alpha_equal(normalise(RULES[0] | RULES[1])(term) or term, expected)
    assert alpha_equal(Normaliser(RULES).run(term), expected)


def test_the_free_variables_of_a_term_are_in_scope() -> None:
    """A traversal of an open term renames binders of its free variables."""
    term = SHADOWS["a condition"]
    assert alpha_equal(normalise(RULES[0] | RULES[1])(term) or term, term)

"""The edges of the guards: where a rule does not fire, and what it gives where it must be careful."""

from __future__ import annotations

import random
import re

import pytest

from fsmooth.core.alpha import alpha_equal
from fsmooth.core.term import Const, If, Term, Var
from fsmooth.core.types import BOOL, F64, INT, Array, Linear, Tuple
from fsmooth.frontend.text import parse
from fsmooth.frontend.text.exact import Exact
from fsmooth.laws.equations import all_rules, by_examples
from fsmooth.laws.instances import Instance
from fsmooth.laws.meaning import Keeps, meaning_of
from fsmooth.laws.outcomes import Environments, Undefined, outcome
from fsmooth.laws.testing import Counterexample, agrees
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import Rule
from tests.rules.edges import EDGES, EXAMPLES
from tests.rules.test_laws import tidy

RULES = {rule.name: rule for rule in all_rules()}
PAIR = Tuple((F64, F64))
TYPES = {
    **dict.fromkeys("xy", F64),
    **dict.fromkeys("cd", BOOL),
    **dict.fromkeys("ijklmn", INT),
    **dict.fromkeys("uv", Array(F64)),
    "A": Array(Array(F64)),
    **dict.fromkeys("pq", PAIR),
    "w": Array(PAIR),
    **dict.fromkeys("fg", Linear(F64, F64)),
    "z": Array(Linear(F64, F64)),
}
CASES = [(RULES.get(name), case) for table in (EDGES, EXAMPLES) for name, cases in table.items() for case in cases]


@pytest.mark.parametrize(("rule", "case"), CASES, ids=[f"{r.name if r else '?'}: {case}" for r, case in CASES])
def test_edge(rule: Rule | None, case: str) -> None:
    assert rule is not None, "there is no such rule"
    law, _, where = case.partition(" where ")
    left_text, right_text = law.split(" ~> ")
    variables = {name: Var(name, type_) for name, type_ in TYPES.items()}
    left = parse(left_text, variables, elaborator=Exact)
    facts, known = Facts(), []
    for condition in where.split(" and ") if where else []:
        if sized := re.fullmatch(r"(\w) has (\d+) elements", condition):
            facts.static_sizes = {(variables[sized[1]], 0): int(sized[2])}
        else:
            known.append(parse(condition, variables, elaborator=Exact))
            facts.assume(known[-1], True)
    result = rule.apply(left, facts)
    if right_text == "nothing":
        assert result is None, f"becomes {result}"
        return
    right = parse(right_text, variables, elaborator=Exact)
    assert result is not None, "does not fire"
    assert result.type == left.type
    assert alpha_equal(tidy(result), tidy(right)), f"becomes {result}"
    if not facts.static_sizes:
        has_the_same_value(rule, Instance(left, result, tuple(known)))


def has_the_same_value(rule: Rule, made: Instance) -> None:
    """In every environment in which the conditions hold and the left side has a meaning."""
    rng = random.Random(0)
    variables = made.left.free.union(made.right.free, *[k.free for k in made.known])
    for n in range(200):
        meaning = meaning_of(rule)
        finite = n % 2 == 0 or meaning.keeps is Keeps.VALUE
        environment = Environments(rng, finite, failing=False, huge=meaning.is_exact).of(variables)
        if all([outcome(condition, environment) is True for condition in made.known]):
            before = outcome(made.left, environment)
            if not isinstance(before, Undefined):
                after = outcome(made.right, environment)
                assert agrees(meaning, before, after), Counterexample(made, environment, before, after)


def test_every_rule_has_edges() -> None:
    assert set(RULES) == set(EDGES) | set(EXAMPLES)
    assert {rule.name for rule in RULES.values() if by_examples(rule)} == set(EXAMPLES)


def test_conditions_under_a_name() -> None:
    """A check of an index that is bound already is that name."""
    i, n, j = Var("i", INT), Var("n", INT), Var("j", INT)
    facts = Facts()
    facts.definitions[j] = parse("check i n", {"i": i, "n": n})
    again = parse("check j n", {"j": j, "n": n})
    assert RULES["discharge"].apply(again, facts) is j
    other = parse("check j m", {"j": j, "m": Var("m", INT)})
    assert RULES["discharge"].apply(other, facts) is None


def test_displays_and_tuples_under_a_name() -> None:
    """`[a, b][k]` and `(a, b).k` also where a name is bound to them."""
    v, p, k, x, y = Var("v", Array(F64)), Var("p", PAIR), Var("k", INT), Var("x", F64), Var("y", F64)
    names = {"v": v, "p": p, "k": k, "x": x, "y": y}
    facts = Facts()
    facts.definitions.update({v: parse("[x, y]", names), p: parse("(x, y)", names), k: Const(1)})
    assert RULES["get_vector"].apply(parse("v[k]", names), facts) is y
    assert RULES["project_tuple"].apply(parse("fst p", names), facts) is x
    facts.definitions[k] = Const(2)
    assert RULES["get_vector"].apply(parse("v[k]", names), facts) is None


def test_updates_under_a_name() -> None:
    """`(update (update (delta n 0 x) i y) j x)[k]` where a name is bound to it, unless that is what the array had before."""
    v, w, k, m, x, y = (
        Var("v", Array(F64)),
        Var("w", Array(F64)),
        Var("k", INT),
        Var("m", INT),
        Var("x", F64),
        Var("y", F64),
    )
    names = {"v": v, "w": w, "k": k, "m": m, "x": x, "y": y}
    facts = Facts()
    facts.definitions[v] = parse("update (update (delta 4 0 x) 1 y) 2 (x + y)", names)
    found = [RULES["get_update"].apply(parse(f"v[{at}]", names), facts) for at in ("0", "1", "2", "3", "m")]
    assert found == [x, y, None, None, None]
    facts.definitions[v] = parse("update (update w k y) 1 x", names)
    found = [RULES["get_update"].apply(parse(f"v[{at}]", names), facts) for at in ("1", "k", "0")]
    assert found == [x, None, None]


def test_a_record_of_another_class_is_made_anew() -> None:
    """Two classes with the same fields are different types for a user."""

    class One: ...

    class Other: ...

    def record(kind: type) -> Tuple:
        return Tuple((F64, F64), ("x", "y"), kind)

    a = Var("a", record(One))
    from fsmooth.core.term import MakeTuple, Proj

    items = (Proj(a, 0), Proj(a, 1))
    assert RULES["eta_tuple"].apply(MakeTuple(items, record(One)), Facts()) is a
    assert RULES["eta_tuple"].apply(MakeTuple(items, record(Other)), Facts()) is None


def test_a_branch_that_is_not_taken_is_not_read() -> None:
    """A name for an index that was checked outside may be used on both sides."""
    i, v, x, at, c = Var("i", INT), Var("v", Array(F64)), Var("x", F64), Var("at", INT), Var("c", BOOL)
    names = {"i": i, "v": v, "x": x, "at": at, "c": c}
    branch = parse("if c then [v[at]] else [x]", names)
    facts = Facts()
    assert RULES["select_displays"].apply(branch, facts) is None
    facts.definitions[at] = parse("check i (length v)", names)
    assert RULES["select_displays"].apply(branch, facts) is not None


def test_unrolled_indices_decide_themselves() -> None:
    """While a loop's index stays symbolic, comparisons with it are not decided."""
    i, n = Var("i", INT), Var("n", INT)
    below = parse("i < i + 1", {"i": i})
    facts = Facts()
    facts.kept_symbolic.add(i)
    assert RULES["decide"].apply(below, facts) is None
    hot: Term = parse("(delta n i 1.0)[k]", {"i": i, "n": n, "k": Var("k", INT)})
    assert RULES["get_delta"].apply(hot, facts) is None
    assert isinstance(RULES["get_delta"].apply(hot, Facts()), If)

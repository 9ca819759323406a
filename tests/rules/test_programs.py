"""Each rule at the first place of a random program where it applies: the program has the same outcome."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from fsmooth.core.evaluate import Value
from fsmooth.core.term import Term, Var
from fsmooth.core.values import value_of
from fsmooth.laws.equations import all_rules, by_examples, equations
from fsmooth.laws.instances import Instance, Opaque, instances
from fsmooth.laws.meaning import meaning_of
from fsmooth.laws.outcomes import Environments, Error, Outcome, Undefined, finite, outcome
from fsmooth.laws.testing import Counterexample, agrees
from fsmooth.rewrite.strategy import Rule
from fsmooth.rewrite.traversal import top_down
from tests.rules.binders import shadowed
from tests.strategies import random_program

RULES = all_rules()


pytestmark = pytest.mark.usefixtures("deep")


def test_random_programs() -> None:
    """As they are, and with shadowed names."""
    fired: Counter[str] = Counter()
    for seed in range(60):
        program, arguments = random_program(seed, depth=3)
        environment = {
            q: value_of(a.tolist() if isinstance(a, np.ndarray) else a, q.type)
            for q, a in zip(program.parameters, arguments, strict=True)
        }
        before = outcome(program.body, environment)
        if isinstance(before, Undefined):
            continue
        for body in (program.body, shadowed(program.body)):
            for rule in RULES:
                result = top_down(rule)(body)
                if result is not None:
                    fired[rule.name] += 1
                    agree(rule, body, result, environment, before)
    assert len(fired) >= 15


def agree(rule: Rule, body: Term, result: Term, environment: dict[Var, Value], before: Outcome) -> None:
    """The rewritten program against the program."""
    assert result.type == body.type
    after = outcome(result, environment)
    if not isinstance(before, Error) and not finite(before):
        return
    found = Counterexample(Instance(body, result, ()), environment, before, after)
    assert agrees(meaning_of(rule), before, after), found


def test_laws_of_real_numbers_are_not_exact() -> None:
    """Each rule marked `real` has a law that some floating-point numbers break."""
    for rule in RULES:
        if not rule.real or by_examples(rule):
            continue
        broken = False
        for equation in equations(rule):
            for made in instances(rule.name, equation, rule.heads, Opaque, seed=5, most=1):
                rng = random.Random(0)
                for _ in range(300):
                    environment = Environments(rng, finite=False, failing=False).of(made.left.free)
                    before, after = outcome(made.left, environment), outcome(made.right, environment)
                    broken = broken or repr(before) != repr(after)
        assert broken, f"{rule.name} is exact"

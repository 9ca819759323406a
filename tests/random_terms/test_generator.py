"""The generator makes every construct, and programs that depend on their arguments."""

from __future__ import annotations

import pytest

from fsmooth.core import primitives as p
from fsmooth.core import term as t
from fsmooth.core.pretty import show
from fsmooth.core.traverse import subterms
from fsmooth.core.types import F64, Tuple
from fsmooth.laws.random_terms.scope import V
from tests.accuracy.judge import outcome
from tests.accuracy.slopes import by_duals
from tests.core.constructors import constructors
from tests.strategies import FLOATS, X, random_program

SEEDS = range(400)
ABSENT = {
    p.floor_divide,
    p.fmod,
    p.integer_power,
    p.is_nan,
    p.stop_gradient,
    p.as_offset,
    p.to_float32,
    p.to_int,
    p.trigamma,
}
"""What has tests of its own, because it is of no use or out of its domain in a random place."""


def test_most_programs_have_derivatives() -> None:
    sure = depend = on_x = 0
    for seed in SEEDS:
        program, arguments = random_program(seed)
        if isinstance(outcome(program, arguments), str):
            continue
        sure += 1
        depend += bool(by_duals(program, arguments, FLOATS).value.any())
        on_x += bool(by_duals(program, arguments, (X,)).value.any())
    assert sure > 0.9 * len(SEEDS)
    assert depend > 0.75 * sure
    assert on_x > 0.4 * sure


def test_every_construct_and_every_primitive_is_made() -> None:
    seen: set[object] = set()
    for seed in SEEDS:
        for result in (F64, V):
            for term in subterms(random_program(seed, 4, result)[0]):
                seen.add(type(term))
                if isinstance(term, t.Prim):
                    seen.add(term.primitive)
                if isinstance(term, t.Reduce):
                    seen.add(term.reduction)
                if isinstance(term.type, Tuple):
                    seen.add(term.type.names is not None)
    # `whiles`; tests/derivatives/test_custom_rules.py; tests/recursion; tests/tape
    elsewhere = (t.Call, t.Custom, t.Deriv, t.MapTerm, t.Require, t.While, t.Inject, t.Tag, t.Field, t.Null)
    elsewhere += (t.Record, t.RecordSum, t.RecordRegion, t.Taped, t.Swept, t.Retained, t.Pulled)
    assert constructors() - set(elsewhere) <= seen
    assert set(t.Reduction) <= seen
    assert {True, False} <= seen
    assert set(p.TABLE.values()) - seen == ABSENT


@pytest.mark.parametrize("seed", range(10))
def test_a_seed_is_a_program(seed: int) -> None:
    first, second = random_program(seed), random_program(seed)
    assert show(first[0]) == show(second[0])
    assert repr(first[1]) == repr(second[1])

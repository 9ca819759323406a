"""Loops over blocks: they are used where meant, and agree with the interpreter at every length."""

from __future__ import annotations

import pytest

from fsmooth.core import build as b
from fsmooth.core import primitives as p
from fsmooth.core.term import Const, Get, Lam, Length, MakeTuple, Var
from fsmooth.core.types import F64, Array
from fsmooth.loops import tree as t
from fsmooth.loops.usage import walk
from fsmooth.lower.functions import lower
from tests.accuracy.judge import bounded, disagreement
from tests.lower.block_programs import BLOCK_PROGRAMS, LENGTHS
from tests.lower.harness import FAST, STRICT, Compiled, Failed, compile_all


@pytest.fixture(scope="module", params=[STRICT, FAST], ids=["strict", "fast"])
def compiled(request: pytest.FixtureRequest) -> dict[str, Compiled]:
    terms = [term for term, _ in BLOCK_PROGRAMS.values()]
    return dict(zip(BLOCK_PROGRAMS, compile_all(terms, request.param), strict=True))


@pytest.mark.parametrize("name", BLOCK_PROGRAMS)
def test_agrees_with_the_interpreter(name: str, compiled: dict[str, Compiled]) -> None:
    term, cases = BLOCK_PROGRAMS[name]
    for arguments in cases:
        assert not disagreement(compiled[name](*arguments), bounded(term, list(arguments)), 1e-12)


@pytest.mark.parametrize("name", BLOCK_PROGRAMS)
def test_runs_over_blocks(name: str) -> None:
    body = lower(BLOCK_PROGRAMS[name][0], "f").kernel.body
    assert [s for s in walk(body) if isinstance(s, t.Block)]


def test_scalars_that_go_to_arrays_of_their_own_need_no_blocks() -> None:
    """They lie side by side as they are: such a loop runs in vectors to its last iterations."""
    v = Var("v", Array(F64))
    five = [lambda x, k=k: b.prim(p.sin, b.prim(p.multiply, x, Const(float(k)))) for k in range(5)]
    element = b.build(Length(v), lambda i: MakeTuple(tuple([f(Get(v, i)) for f in five])))
    body = lower(Lam((v,), element), "f").kernel.body
    [loop] = [s for s in walk(body) if isinstance(s, t.For | t.Block)]
    assert isinstance(loop, t.For)
    assert loop.simd


def test_tables_are_read_by_rows() -> None:
    body = lower(BLOCK_PROGRAMS["by_table"][0], "f").kernel.body
    blocks = [s for s in walk(body) if isinstance(s, t.Block)]
    assert {rows.buffer for block in blocks for rows in block.rows} >= {"table"}


def test_a_failing_check_is_reported_before_anything_is_read(compiled: dict[str, Compiled]) -> None:
    _, cases = BLOCK_PROGRAMS["by_table"]
    m, g, v = cases[LENGTHS.index(16)]
    wrong = g.copy()
    wrong[11] = 5
    with pytest.raises(Failed) as failure:
        compiled["by_table"](m, wrong, v)
    assert failure.value.args[1] == (5, 5)

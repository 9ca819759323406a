"""What code motion asks of a program, and how often."""

from __future__ import annotations

import pytest

from fsmooth.core.term import Term
from fsmooth.library import parse
from fsmooth.optimise import motion
from fsmooth.optimise.failing import Failing, StaticSizes, failing_nodes
from fsmooth.rewrite.trace import Trace

PLAIN = "fun (v : Array<Float>) (x : Float) -> build (length v) (fun i -> v[i] * sin x)"
UNSWITCHED = """fun (v : Array<Float>) (x : Float) ->
  build (length v) (fun i -> if x < 1.0 then sum (length v) (fun k -> v[k] * v[i]) else v[i])"""


@pytest.mark.parametrize(
    ("text", "times"), [(PLAIN, 1), (UNSWITCHED, 2)], ids=["nothing changes", "a loop is taken apart"]
)
def test_what_can_fail_is_found_once_for_each_graph(text: str, times: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Term] = []

    def counted(root: Term, order: list[Term], static_sizes: StaticSizes) -> Failing:
        found.append(root)
        return failing_nodes(root, order, static_sizes)

    monkeypatch.setattr(motion, "failing_nodes", counted)
    trace = Trace()
    motion.move(parse(text), trace, {})
    assert len(found) == times, trace

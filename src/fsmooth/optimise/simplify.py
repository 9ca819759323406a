"""The simplifier: normalisation by rules, with inlining decided by weights and small static loops unrolled.

It is the engine of `rewrite.normaliser` with two policies on top of the rules: what to do with each definition
(optimise/bindings.py), and with loops over small static sizes (optimise/unrolling.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fsmooth import thresholds
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.term import Term, Var
from fsmooth.optimise.occurrences import Occurrences, Uses
from fsmooth.optimise.policy import Policy
from fsmooth.optimise.recorded import Recorded
from fsmooth.optimise.unrolling import Unrolling
from fsmooth.rewrite.memory import Memory
from fsmooth.rewrite.strategy import Rule
from fsmooth.rewrite.trace import Trace


def simplify(
    term: Term,
    rules: Iterable[Rule],
    policy: Policy,
    trace: Trace | None = None,
    static_sizes: Mapping[tuple[Var, int], int] | None = None,
) -> Term:
    """Simplify until nothing changes (names may: what is taken in may be named again), at most SIMPLIFIED times."""
    family = tuple(rules)
    trace = trace if trace is not None else Trace()
    walking = Unrolling if trace.firings is None else Recorded
    memory = Memory()
    decided: Mapping[Var, Uses] = {}
    for _ in range(thresholds.SIMPLIFIED):
        occurrences = Occurrences(term)
        memory.undecided = {x for x, uses in occurrences.uses.items() if decided.get(x) != uses}
        decided = dict(occurrences.uses)
        walk = walking(family, policy, occurrences, trace, memory)
        walk.facts.static_sizes = static_sizes or {}
        new = walk.run(term)
        if isinstance(walk, Recorded):
            walk.derived(term, new)
        if new is term or not walk.progress or (not walk.steps and alpha_equal(new, term)):
            return new
        term = new
    return term

"""Checks of indices that every iteration of a loop makes are made once, before it (design §2, "Checks").

As long as a check stands in a loop, `if r == check i m then …` does not meet the loop over i (Fig. 8e), and nothing
that depends on it can leave a loop.  For i = 0 … n-1 all of them hold if n <= m; the first that fails is that of m.
"""

from __future__ import annotations

from msgspec import Struct

from fsmooth.core import primitives as p
from fsmooth.core.build import either
from fsmooth.core.term import (
    Build,
    Check,
    Const,
    Failure,
    IFold,
    Let,
    Prim,
    Reduce,
    Reduction,
    Require,
    Site,
    Term,
    Var,
)
from fsmooth.core.traverse import children, opens_region, rebuild, transform
from fsmooth.optimise.rules.totality import cannot_fail
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import rule

Loop = Build | Reduce | IFold
_STOPS_EARLY = (Reduction.ALL, Reduction.ANY)


class _Made(Struct, frozen=True):
    """A check of the loop's index that is made in every iteration, if the loops inside (`around`) run."""

    size: Term
    site: Site
    around: tuple[Loop, ...]


@rule(
    "examples: a check of a loop's index that every iteration makes is a requirement before the loop",
    source="design §2",
    heads=(Build, Reduce, IFold),
)
def check_out_of_loop(t: Term, facts: Facts) -> Term | None:
    """The body keeps the index; the loops around the check inside must run for it to matter."""
    if not isinstance(t, Build | Reduce | IFold) or (isinstance(t, Reduce) and t.reduction in _STOPS_EARLY):
        return None
    made = _first_check(t, facts)
    if made is None:
        return None
    condition: Term = Prim(p.less_equal, (t.size, made.size))
    if facts.truth(Prim(p.less_equal, (Const(0), made.size))) is not True:
        condition = either(Prim(p.less_equal, (t.size, Const(0))), condition)
    for loop in made.around:
        condition = either(Prim(p.less_equal, (loop.size, Const(0))), condition)
    if made.around:
        inner = made.around[-1]
        cleared: Term = _without(inner, t.index, made.size, facts)
        body = transform(t.body, lambda x: cleared if x is inner else x)
    else:
        body = _without(t, t.index, made.size, facts).body
    new = rebuild(t, [*children(t)[:-1], body])
    return Require(condition, new, Failure.INDEX, (made.size, made.size), made.site)


def _first_check(t: Loop, facts: Facts) -> _Made | None:
    """The first check of the index of `t` in the order of evaluation."""
    pending: list[tuple[Term, tuple[Loop, ...], frozenset[Var]]] = [(t.body, (), _own(t))]
    while pending:
        node, around, bound = pending.pop()
        if Check not in node.kinds or t.index not in node.free:
            continue
        if isinstance(node, Check) and node.index is t.index:
            if node.size.free.isdisjoint(bound) and cannot_fail(node.size, facts):
                return _Made(node.size, node.site, around)
        new = []
        for k, child in enumerate(children(node)):
            if not opens_region(node, k):
                new.append((child, around, bound))
            elif isinstance(node, Build | Reduce | IFold) and _may_enter(node, bound, facts):
                new.append((child, (*around, node), bound | _own(node)))
            elif isinstance(node, Require):
                continue
        if isinstance(node, Let):
            names = frozenset([var for var, _ in node.bindings])
            new = [(child, around, known | names) for child, around, known in new]
        pending.extend(reversed(new))
    return None


def _may_enter(loop: Loop, bound: frozenset[Var], facts: Facts) -> bool:
    if isinstance(loop, Reduce) and loop.reduction in _STOPS_EARLY:
        return False
    return loop.size.free.isdisjoint(bound) and cannot_fail(loop.size, facts)


def _own(loop: Loop) -> frozenset[Var]:
    return frozenset((loop.index, loop.state)) if isinstance(loop, IFold) else frozenset((loop.index,))


def _without(loop: Loop, index: Var, size: Term, facts: Facts) -> Loop:
    """`loop` without the checks in its body that are made before."""

    def change(x: Term) -> Term:
        return index if isinstance(x, Check) and x.index is index and facts.same(x.size, size) else x

    new = rebuild(loop, [*children(loop)[:-1], transform(loop.body, change)])
    assert isinstance(new, Build | Reduce | IFold)
    return new

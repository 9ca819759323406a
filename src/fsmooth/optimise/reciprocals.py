"""One 1/p for all divisions by p (design §5, "Numbers": allowed by default).

A division costs as much as many multiplications; derivatives divide by the same number again and again.
"""

from __future__ import annotations

from collections import Counter

from fsmooth.core import primitives as p
from fsmooth.core.term import Const, Prim, Term, scalar_constant
from fsmooth.core.traverse import binds, children, rebuild, subterms
from fsmooth.optimise.sharing import Graph
from fsmooth.rewrite.trace import Trace


def share_reciprocals(root: Term, graph: Graph, trace: Trace) -> Term:
    """`a / p` becomes `a * (1 / p)` where several different numbers are divided by the same p."""
    uses = Counter([id(divisor) for divisor in _divisors(root)])
    shared = {key for key, count in uses.items() if count > 1}
    if not shared:
        return root
    trace.record("shared reciprocal")
    memo: dict[int, Term] = {}

    def of(node: Term) -> Term:
        found = memo.get(id(node))
        if found is None:
            new = rebuild(node, [of(c) for c in children(node)])
            if new is not node:
                new = graph.loop(new) if binds(new) else graph.node(new)
            match node:
                case Prim(primitive, (a, divisor)) if primitive is p.divide and id(divisor) in shared:
                    one = scalar_constant(1.0, node.type)
                    inverse = graph.node(Prim(p.divide, (graph.node(one), of(divisor))))
                    new = inverse if _is_one(a) else graph.node(Prim(p.multiply, (of(a), inverse)))
            found = memo[id(node)] = new
        return found

    return of(root)


def _divisors(root: Term) -> list[Term]:
    """The divisor of every division, each division of the graph once."""
    found = []
    for node in subterms(root):
        match node:
            case Prim(primitive, (_, divisor)) if primitive is p.divide and not isinstance(divisor, Const):
                found.append(divisor)
    return found


def _is_one(term: Term) -> bool:
    return isinstance(term, Const) and term.value == 1.0

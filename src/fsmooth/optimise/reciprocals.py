"""One 1/p for all divisions by p (design §5, "Numbers": allowed by default).

A division costs as much as many multiplications; derivatives divide by the same number again and again.
"""

from __future__ import annotations

from collections import Counter

from fsmooth.core import primitives as p
from fsmooth.core.hints import Hint
from fsmooth.core.term import Const, Lam, Prim, Term, scalar_constant
from fsmooth.core.traverse import binds, bound_in, children, subterms
from fsmooth.optimise.sharing import Graph
from fsmooth.rewrite.trace import Trace


def shared_divisors(root: Term) -> frozenset[Term]:
    """The numbers by which several different numbers are divided."""
    uses = Counter([divisor for _, divisor in _divisions(root)])
    return frozenset([divisor for divisor, count in uses.items() if count > 1])


def steady_divisors(root: Term) -> frozenset[Term]:
    """The numbers that change with fewer loops than what is divided by them."""
    inner = frozenset(
        [
            var
            for t in subterms(root)
            if binds(t) and not isinstance(t, Lam)
            for k in range(len(children(t)))
            for var in bound_in(t, k)
        ]
    )
    return frozenset([b for a, b in _divisions(root) if (b.free & inner) < (a.free & inner)])


def share_reciprocals(root: Term, shared: frozenset[Term], graph: Graph, trace: Trace) -> Term:
    """`a / p` becomes `a * (1 / p)` for the divisors p in `shared`."""
    if not shared:
        return root
    trace.record("shared reciprocal")
    memo: dict[Term, Term] = {}

    def of(node: Term) -> Term:
        found = memo.get(node)
        if found is None:
            new = graph.rebuilt(node, [of(c) for c in children(node)])
            match node:
                case Prim(primitive, (a, divisor)) if primitive is p.divide and divisor in shared:
                    one = scalar_constant(1.0, node.type)
                    inverse = graph.node(Prim(p.divide, (graph.node(one), of(divisor))))
                    graph.names.setdefault(inverse, Hint("inverse"))
                    new = inverse if _is_one(a) else graph.node(Prim(p.multiply, (of(a), inverse)))
                    if node in graph.names:
                        graph.names.setdefault(new, graph.names[node])
            found = memo[node] = new
        return found

    return of(root)


def _divisions(root: Term) -> list[tuple[Term, Term]]:
    """Dividend and divisor of every division, each division of the graph once."""
    found = []
    for node in subterms(root):
        match node:
            case Prim(primitive, (a, divisor)) if primitive is p.divide and not isinstance(divisor, Const):
                found.append((a, divisor))
    return found


def _is_one(term: Term) -> bool:
    return isinstance(term, Const) and term.value == 1.0

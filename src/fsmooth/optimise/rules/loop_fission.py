"""Loop fission, and fission combined with projection (paper 000, Fig. 8g and §5.1).

Fission alone does not pay; fission followed by a projection removes the loops whose results nobody wants.
So the rules of the schedules fire on a projection of a loop: only the components of the state that the wanted
one depends on, from iteration to iteration, are kept.
"""

from __future__ import annotations

from collections.abc import Iterable

from fsmooth.core.build import components
from fsmooth.core.subst import substitute1
from fsmooth.core.term import Carrying, IFold, Let, MakeTuple, Proj, Reduce, Reduction, Term, Var, While, let
from fsmooth.core.traverse import children, transform
from fsmooth.core.types import Tuple
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import rule


@rule(
    "fst (ifold (fun a i -> (e (fst a) i, b a i)) (x, y) n) ~> ifold (fun a i -> e a i) x n",
    source="000, Fig. 8g with Fig. 8f",
    heads=Proj,
)
def project_fold(t: Term, facts: Facts) -> Term | None:
    """The wanted component, with those it depends on."""
    match t:
        case Proj(Carrying() as fold, position):
            narrow = narrowed(fold, {position})
            if narrow is None:
                return None
            loop, kept = narrow
            return loop if len(kept) == 1 else Proj(loop, kept.index(position))
    return None


@rule("fst (sum n (fun i -> a i)) ~> sum n (fun i -> fst (a i))", source="000, Fig. 8g with Fig. 8f", heads=Proj)
def project_sum(t: Term, facts: Facts) -> Term | None:
    """A sum of tuples is summed component by component."""
    match t:
        case Proj(Reduce(Reduction.SUM, size, index, body), position):
            return Reduce(Reduction.SUM, size, index, Proj(body, position))
    return None


@rule(
    "ifold (fun a i -> (e (fst a) i, b (snd a) i)) (x, y) n"
    " ~> (ifold (fun a i -> e a i) x n, ifold (fun a i -> b a i) y n)",
    source="000, Fig. 8g",
    heads=IFold,
)
def split_fold(t: Term, facts: Facts) -> Term | None:
    """Where no component depends on another.  In no family, since it runs the loop once for each component."""
    match t:
        case IFold() if isinstance(t.type, Tuple):
            loops = []
            for k in range(len(t.type.items)):
                narrow = narrowed(t, {k})
                if narrow is None or narrow[1] != [k]:
                    return None
                loops.append(narrow[0])
            return MakeTuple(tuple(loops), t.type)
    return None


def narrowed(fold: Carrying, wanted: set[int]) -> tuple[Term, list[int]] | None:
    """The loop that carries only what `wanted` depends on, and which components those are; None if all are needed.

    With one component left the state is that component itself, not a tuple.
    """
    if not isinstance(fold.type, Tuple):
        return None
    bindings, result = (fold.body.bindings, fold.body.body) if isinstance(fold.body, Let) else ((), fold.body)
    if not isinstance(result, MakeTuple):
        return None
    count = len(fold.type.items)
    uses = _Uses(fold.state, bindings)
    asked = uses.of(fold.condition) if isinstance(fold, While) else frozenset()
    if asked is None:
        return None
    kept = {*wanted, *asked}
    pending = list(kept)
    while pending:
        needed = uses.of(result.items[pending.pop()])
        if needed is None:
            return None
        for k in needed - kept:
            kept.add(k)
            pending.append(k)
    if len(kept) == count:
        return None
    order = sorted(kept)
    initial = components(fold.init)
    items = tuple([initial[k] for k in order])
    if len(order) == 1:
        init: Term = items[0]
        state = Var(fold.state.name, init.type, fold.state.site)
        places: dict[int, Term] = {order[0]: state}
        body = let(bindings, result.items[order[0]])
    else:
        init = MakeTuple(items)
        state = Var(fold.state.name, init.type, fold.state.site)
        places = {k: Proj(state, j) for j, k in enumerate(order)}
        body = let(bindings, MakeTuple(tuple([result.items[k] for k in order])))
    body = _reading(_without_unused(body), fold.state, places)
    if isinstance(fold, While):
        return While(init, state, _reading(fold.condition, fold.state, places), body), order
    assert isinstance(fold, IFold)
    return IFold(fold.size, init, state, fold.index, body), order


def _reading(body: Term, state: Var, places: dict[int, Term]) -> Term:
    """`body` with the components of `state`, which is used in no other way, read from where they are now."""
    if state not in body.free:
        return body
    whole = state.renamed()

    def change(t: Term) -> Term:
        match t:
            case Proj(Var() as var, position) if var is whole:
                return places[position]
            case _:
                return t

    return transform(substitute1(body, state, whole), change)


def _without_unused(body: Term) -> Term:
    if not isinstance(body, Let):
        return body
    needed = set(body.body.free)
    kept = []
    for var, value in reversed(body.bindings):
        if var in needed:
            kept.append((var, value))
            needed |= value.free
    return let(tuple(reversed(kept)), body.body)


class _Uses:
    """Which components of the state a term of the loop body reads, through the bindings of the body."""

    def __init__(self, state: Var, bindings: Iterable[tuple[Var, Term]]) -> None:
        self.state = state
        self.bound = dict(bindings)
        self.known: dict[Term, frozenset[int] | None] = {}

    def of(self, term: Term) -> frozenset[int] | None:
        """The positions read; None if the state is used whole."""
        if term in self.known:
            return self.known[term]
        self.known[term] = frozenset()
        result = self._of(term)
        self.known[term] = result
        return result

    def _of(self, term: Term) -> frozenset[int] | None:
        match term:
            case Proj(tuple_, position) if tuple_ is self.state:
                return frozenset((position,))
            case Var():
                if term is self.state:
                    return None
                definition = self.bound.get(term)
                return frozenset() if definition is None else self.of(definition)
        if self.state not in term.free and self.bound.keys().isdisjoint(term.free):
            return frozenset()
        total: frozenset[int] = frozenset()
        for child in children(term):
            part = self.of(child)
            if part is None:
                return None
            total |= part
        return total

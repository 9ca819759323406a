"""r ⊙ᴿ ∇⟦e⟧ for a scope: its steps forwards, then backwards (paper 001, Fig. 5 and 6; design §4.1 and §4.2).

A let is a composition: the cotangent of a variable is the sum of what its uses contribute, collected before it is passed
on once.  On the way back a step is kept in the forward part only if something that runs later needs it, so that what
the derivative does not need of the program is never run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from fsmooth import thresholds
from fsmooth.core.cost import Costs
from fsmooth.core.subst import substitute
from fsmooth.core.term import Const, Flow, Get, MakeTuple, Prim, Proj, Require, Term, Var, Zero, let
from fsmooth.core.types import Data, has_float, is_scalar
from fsmooth.differentiate.reverse.cotangents import Cotangents, Key, component, is_nothing
from fsmooth.differentiate.reverse.names import beside
from fsmooth.differentiate.reverse.sizes import with_sizes
from fsmooth.differentiate.reverse.steps import Item, Step, Steps

Binding = tuple[Var, Term]


class Tail(Struct, eq=False):
    """What the branches at the end of a definition save, as constructors of one data type; is anything of it `of_calls`?"""

    data: Data
    of_calls: bool = False


Seed = Callable[["Reverser", Term], None]
"""Contributes to the value of a region."""


class Region(Struct, eq=False):
    """A reversed scope: `forward` computes `value` and what `backward` needs; `cotangents` are of outer variables.

    `afterwards` are variables of the forward part that the last state of a fold holds, with where they are in it.
    """

    forward: list[Item]
    value: Term
    backward: list[Binding]
    cotangents: Cotangents
    afterwards: Mapping[Var, Term]

    def leaving(self, *binders: Var) -> dict[Key, Term]:
        """The cotangents of what is outside of a branch or, with the variables it binds, of a loop, by path."""
        hidden = self.definitions().keys() | dict(self.backward).keys() | set(binders)
        return self.cotangents.leaving(hidden, indices=bool(binders))

    def definitions(self) -> dict[Var, Term]:
        """What the forward part defines."""
        return {item.var: item.term for item in self.forward if isinstance(item, Step)}


class Reverser:
    """One region on its way back.  `transpose` passes the cotangent of a step on to its operands.

    It gives the steps to put in the forward part if those are not just the step itself, where it is needed.  `at_once`: the
    way back follows in the same scope, so that what one step gives to cotangents early is not saved for it.  `tail`: its value is
    that of a definition that saves.
    """

    def __init__(
        self,
        steps: Steps,
        value: Term,
        transpose: Transpose,
        costs: Costs,
        *,
        wanted: bool,
        late: frozenset[Var] = frozenset(),
        at_once: bool = False,
        tail: Tail | None = None,
    ) -> None:
        self.steps = steps
        self.value = value
        self.transpose = transpose
        self.costs = costs
        self.late = late
        self.at_once = at_once
        self.tail = tail
        self.forward: list[Item] = []
        self.backward: dict[Var, Term] = {}
        self.cotangents = Cotangents()
        self.needed: set[Var] = set(value.free) if wanted else set()
        self.later: dict[Var, Step] = {}
        self.order: dict[Var, int] = {}
        self.requires = False
        self.definitions = {item.var: item.term for item in steps.items if isinstance(item, Step)}

    # -- what the rules for single steps use ---------------------------------------------------------------------------

    def contribute(self, place: Term, cotangent: Term) -> None:
        """Add to the cotangent of a path or a display, if anything in it is active."""
        if is_nothing(cotangent) or not self.steps.is_active(place) or not has_float(place.type):
            return
        if isinstance(place, MakeTuple):
            for k, item in enumerate(place.items):
                self.contribute(item, component(cotangent, k))  # some may not be active
            return
        place = substitute(place, self.steps.tables)
        self.needed |= cotangent.free
        if not (isinstance(place, Var) and is_scalar(place.type)):  # its indices, and the sizes of its arrays
            self.needed |= place.free
        self.cotangents.add(place, cotangent)

    def named(self, var: Var, value: Term) -> Term:
        """The cotangent of `var`: itself if it is an atom, else a variable of the backward part, one for each component."""
        if is_atomic(value):
            return value
        if isinstance(value, MakeTuple):
            return MakeTuple(tuple([self.named(var, item) for item in value.items]), value.type)
        bar = beside(var, Flow.COTANGENT, value.type)
        self.run_back(bar, value)
        return bar

    def run_back(self, var: Var, value: Term) -> None:
        """The next definition of the backward part."""
        value = value if isinstance(value, Prim) else with_sizes(value, self.definitions.get)
        self.definitions[var] = self.backward[var] = value
        self.needed |= value.free
        self.order[var] = len(self.order)

    def is_live(self, var: Var) -> bool:
        """Does something that runs later need the value of this variable?"""
        return var in self.needed

    def inner(
        self, body: Term, cotangent: Term, *, wanted: bool, at_once: bool = False, tail: Tail | None = None
    ) -> Region:
        """The reversed body of a loop or a branch whose value has the cotangent.

        If its value is wanted the forward part runs in that of this region, where `cotangent` may not be known yet.
        """
        steps = self.steps.inside(body)
        late = frozenset([x for x in cotangent.free if self.is_late(x)]) if wanted else frozenset()

        def seed(walk: Reverser, value: Term) -> None:
            walk.contribute(value, cotangent)

        value = steps.value(body)
        return reversed_steps(
            steps, value, seed, self.transpose, self.costs, wanted=wanted, late=late, at_once=at_once, tail=tail
        )

    def is_late(self, var: Var) -> bool:
        """Is the variable not known yet where the step that is transposed now runs?"""
        return var in self.backward or var in self.later or var in self.late

    def before(self, var: Var, cotangent: Term) -> list[Item] | None:
        """What must run before `var` so that its cotangent is known there; None if that depends on `var`."""
        chosen: dict[Var, Term] = {}
        pending = list(cotangent.free)
        while pending:
            x = pending.pop()
            if x is var or x in self.late or len(chosen) > thresholds.EARLY_VALUES:
                return None
            value = self.backward[x] if x in self.backward else self.later[x].term if x in self.later else None
            if value is None or x in chosen:
                continue
            chosen[x] = value
            pending.extend(value.free)
        if chosen and self.requires:
            return None
        order = sorted(chosen, key=self.order.__getitem__)
        for x in chosen:
            self.backward.pop(x, None)
            self.later.pop(x, None)
        return [Step(x, chosen[x], active=False) for x in order]

    # -- the walk ------------------------------------------------------------------------------------------------------

    def run(self) -> Region:
        """Backwards over the steps."""
        for item in reversed(self.steps.items):
            if isinstance(item, Require):
                self.needed |= item.condition.free.union(*[n.free for n in item.numbers])
                self.forward.append(item)
                self.requires = True
                continue
            instead: Sequence[Item] | None = None
            cotangent = self.cotangents.take(item.var) if item.active else None
            if cotangent is not None and not is_nothing(cotangent):
                instead = self.transpose(self, item, self.named(item.var, cotangent))
            if instead is None:
                instead = [item] if self.is_live(item.var) else []
            for kept in reversed(instead):
                assert isinstance(kept, Step)
                self.forward.append(kept)
                self.later[kept.var] = kept
                self.order[kept.var] = -len(self.forward)
                self.needed |= kept.term.free
        forward = [item for item in reversed(self.forward) if isinstance(item, Require) or self.later[item.var] is item]
        return Region(forward, self.value, list(self.backward.items()), self.cotangents, self.steps.afterwards)


Transpose = Callable[[Reverser, Step, Term], Sequence[Item] | None]


def reversed_steps(
    steps: Steps,
    value: Term,
    seed: Seed,
    transpose: Transpose,
    costs: Costs,
    *,
    wanted: bool,
    late: frozenset[Var] = frozenset(),
    at_once: bool = False,
    tail: Tail | None = None,
) -> Region:
    """The steps forwards and backwards; `wanted`: is the value used, or only its derivative?"""
    walk = Reverser(steps, value, transpose, costs, wanted=wanted, late=late, at_once=at_once, tail=tail)
    seed(walk, value)
    return walk.run()


def is_atomic(term: Term) -> bool:
    """A constant, a number's zero, a path with atomic indices, a display of those."""
    while isinstance(term, Get | Proj):
        if isinstance(term, Get):
            if not isinstance(term.index, Var | Const):
                return False
            term = term.array
        else:
            term = term.tuple
    if isinstance(term, MakeTuple):
        return all([is_atomic(item) for item in term.items])
    return isinstance(term, Var | Const | Zero)


def scope(items: Sequence[Item], body: Term) -> Term:
    """The items around a body."""
    bindings: list[Binding] = []
    for item in reversed(items):
        if isinstance(item, Require):
            inner = let(tuple(reversed(bindings)), body)
            body = Require(item.condition, inner, item.failure, item.numbers, item.site)
            bindings = []
        else:
            bindings.append((item.var, item.term))
    return let(tuple(reversed(bindings)), body)

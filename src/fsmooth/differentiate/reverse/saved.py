"""fwd h and bwd h: what a call saves for its way back, so that each call runs once forward and once back.

    fwd h x̄       = (value, S)          S, a data type for each definition, has one constructor for each branch that saves
    bwd h x̄ₖ s r  = the cotangents of the active arguments, of those arguments x̄ₖ that it reads

What is saved is what `kept` finds dear of what the way back reads; the rest is computed again from the arguments.  Definitions
that call one another are made together: which arguments are read is their least fixpoint.  Where the way back reads nothing that
calls give, nothing is saved, by any of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from msgspec import Struct, field

from fsmooth import thresholds
from fsmooth.core.build import tuple_of, zero_like
from fsmooth.core.cost import Costs
from fsmooth.core.definitions import has_calls, with_calls
from fsmooth.core.subst import refresh
from fsmooth.core.term import Call, Header, Lam, MakeTuple, Null, Term, Var, let
from fsmooth.core.types import Data, Tuple, has_array, tangent
from fsmooth.differentiate.definitions import definition_of
from fsmooth.differentiate.reverse.calls import Saves, transpose_call
from fsmooth.differentiate.reverse.definitions import value_like
from fsmooth.differentiate.reverse.region import Region, Reverser, Tail, Transpose, scope
from fsmooth.differentiate.reverse.residuals import Kept, saving
from fsmooth.differentiate.reverse.residuals import kept as chosen
from fsmooth.differentiate.reverse.steps import Item, Step
from fsmooth.differentiate.reverse.whole import cotangent_of, region_of

Key = tuple[Header, tuple[bool, ...]]


class Pair(Struct, frozen=True):
    """`backward` takes the arguments of h at the positions `reads`, what `forward` saved, and the cotangent of the value."""

    forward: Header
    backward: Header
    reads: tuple[int, ...]

    def back(self, arguments: tuple[Term, ...], saved: Term, r: Term) -> Call:
        """The call that goes back through one with these arguments."""
        return Call(self.backward, (*[arguments[k] for k in self.reads], saved, r))


def pair_of(header: Header, active: tuple[bool, ...], how: Transpose) -> Pair | None:
    """What saves for h, by the arguments that vary; None if the way back reads nothing that calls give."""
    key = (how, active, Pair)
    if key not in header.pairs:
        group = _Group(how)
        group.member(header, active)
        group.settle()
    found = header.pairs[key]
    assert found is None or isinstance(found, Pair)
    return found


class _Member(Struct, eq=False):
    """One definition, while those that it calls are made too; `backward` takes all arguments."""

    header: Header
    active: tuple[bool, ...]
    tail: Tail
    forward: Header
    backward: Header
    function: Lam
    chosen: list[Var]
    r: Var
    region: Region | None = None
    cotangents: list[Term] = field(default_factory=list)

    def back(self, arguments: tuple[Term, ...], saved: Term, r: Term) -> Call:
        """Of all arguments, as long as it is not known which are read."""
        return Call(self.backward, (*arguments, saved, r))

    @property
    def made(self) -> Region:
        """Its body forwards and backwards."""
        assert self.region is not None
        return self.region


class _Group:
    """Definitions that call one another."""

    def __init__(self, how: Transpose) -> None:
        self.how = how
        self.members: dict[Key, _Member] = {}
        self.costs = Costs()

    def transpose(self, walk: Reverser, step: Step, r: Term) -> Sequence[Item] | None:
        """Pass a cotangent on; calls are of the definitions of this group."""
        if isinstance(step.term, Call):
            return transpose_call(walk, step, step.term, r, self.how, self.saving)
        return self.how(walk, step, r)

    def saving(self, header: Header, active: tuple[bool, ...]) -> Saves | None:
        """What saves for a definition: one of the group, unless it is known already."""
        key = (self.how, active, Pair)
        return cast(Pair | None, header.pairs[key]) if key in header.pairs else self.member(header, active)

    def member(self, header: Header, active: tuple[bool, ...]) -> _Member:
        """The definition in the group, which is made when it is first met."""
        found = self.members.get((header, active))
        if found is not None:
            return found
        tail = Tail(Data(f"{header.name}_saved"))
        saved = tail.data
        function = cast(Lam, refresh(definition_of(header)))
        chosen = [x for x, moves in zip(function.parameters, active, strict=True) if moves]
        given = [Var(x.name, x.type) for x in function.parameters]
        model = None if header.model is None else Lam(tuple(given), MakeTuple((value_like(header, given), Null(saved))))
        types = Tuple((header.result, saved))
        forward = Header(f"{header.name}_forward", header.parameters, types, header.site, model, header.running)
        backward = _backward(header, active, saved, range(len(given)))
        r = Var("cotangent", tangent(header.result))
        member = _Member(header, active, tail, forward, backward, function, chosen, r)
        self.members[header, active] = member

        def seed(walk: Reverser, value: Term) -> None:
            walk.contribute(value, r)

        late = frozenset((r,))
        region = region_of(function, chosen, seed, self.transpose, wanted=True, late=late, tail=tail)
        member.cotangents = [cotangent_of(region, x) for x in chosen]
        member.region = region
        return member

    def settle(self) -> None:
        """Decide what is saved, and define what saves."""
        nothing = self.saving_nothing()
        members = list(self.members.values())
        for m in members:
            if m in nothing:
                m.header.pairs[self.how, m.active, Pair] = None
        if members[0] in nothing:
            return
        sizes = {
            m: {k for k, x in enumerate(m.function.parameters) if m.active[k] and has_array(x.type)} for m in members
        }
        reads, kept = self.least(sizes)
        pairs: dict[Header, Pair] = {}
        for m in members:
            at = tuple(sorted(reads[m]))
            pairs[m.backward] = Pair(m.forward, _backward(m.header, m.active, m.tail.data, at), at)
        for m in members:
            self.define(m, kept[m], pairs)
            if m not in nothing:
                m.header.pairs[self.how, m.active, Pair] = pairs[m.backward]

    def saving_nothing(self) -> set[_Member]:
        """Those whose way back reads nothing that calls give, but what these save: the greatest such set."""
        nothing = {m for m in self.members.values() if not m.tail.of_calls}
        while True:
            _, kept = self.least({m: set() for m in self.members.values()}, frozenset([m.tail.data for m in nothing]))
            less = {m for m in nothing if not kept[m].of_calls}
            if less == nothing:
                return nothing
            nothing = less

    def least(
        self, reads: dict[_Member, set[int]], empty: frozenset[Data] = frozenset()
    ) -> tuple[dict[_Member, set[int]], dict[_Member, Kept]]:
        """The arguments that each way back reads, at least these, and what is saved for it."""
        while True:
            headers = {}
            for m in self.members.values():
                types = [m.header.parameters[k] for k in sorted(reads[m])]
                made = Header(m.backward.name, (*types, *m.backward.parameters[-2:]), m.backward.result)
                headers[m.backward] = Pair(m.forward, made, tuple(sorted(reads[m])))
            kept: dict[_Member, Kept] = {}
            new: dict[_Member, set[int]] = {}
            for m in self.members.values():
                terms = [_with_pairs(t, headers) for t in (*[v for _, v in m.made.backward], *m.cotangents)]
                kept[m] = chosen(m.made, terms, self.costs, thresholds.SAVED, empty)
                again = [item.term for item in kept[m].recomputed if isinstance(item, Step)]
                mentioned = frozenset[Var]().union(*[t.free for t in (*terms, *again)])
                new[m] = reads[m] | {k for k, x in enumerate(m.function.parameters) if x in mentioned}
            if new == reads:
                return reads, kept
            reads = new

    def define(self, m: _Member, kept: Kept, pairs: dict[Header, Pair]) -> None:
        """Both ways of one definition."""
        region, s = m.made, Var("saved", m.tail.data)
        saved, read = saving(m.tail.data, kept.stored, s)
        forward = Lam(m.function.parameters, scope(region.forward, MakeTuple((region.value, saved))))
        m.forward.define(cast(Lam, refresh(_with_pairs(forward, pairs))))
        pair = pairs[m.backward]
        parameters = (*[m.function.parameters[k] for k in pair.reads], s, m.r)
        body = scope([*read, *kept.recomputed], let(region.backward, tuple_of(m.cotangents)))
        pair.backward.define(cast(Lam, refresh(_with_pairs(Lam(parameters, body), pairs))))


def _backward(header: Header, active: tuple[bool, ...], saved: Data, reads: Iterable[int]) -> Header:
    """The header of bwd h."""
    at = tuple(reads)
    given = {k: Var(f"x{k}", header.parameters[k]) for k in range(len(header.parameters))}
    like = tuple_of([zero_like(x) for k, x in given.items() if active[k]])
    parameters = (*[given[k] for k in at], Var("saved", saved), Var("r", tangent(header.result)))
    types = tuple([x.type for x in parameters])
    model = Lam(parameters, like) if has_array(like.type) else None
    return Header(f"{header.name}_backward", types, like.type, header.site, model, header.running)


def _with_pairs(term: Term, pairs: dict[Header, Pair]) -> Term:
    """The term, where calls that go back hand over the arguments that are read."""

    def change(call: Call) -> Term:
        pair = pairs.get(call.header)
        return call if pair is None else pair.back(call.arguments[:-2], *call.arguments[-2:])

    return with_calls(term, change) if has_calls(term) else term

"""r ⊙ᴿ ∇⟦h ē⟧: a call backwards, by one of three ways.

Where its cotangent is known before it, one definition gives value and cotangents, and nothing is saved.  Where nothing that
calls give is read on the way back, it is called there alone.  Else it gives what its own way back reads with its value
(differentiate/reverse/saved.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from fsmooth.core.term import Call, Flow, Header, Proj, Term
from fsmooth.core.types import Data, Tuple, has_float, scalars_of
from fsmooth.differentiate.derivatives import NoDerivative, OfSaved
from fsmooth.differentiate.reverse.definitions import cotangents_of, varying
from fsmooth.differentiate.reverse.names import beside
from fsmooth.differentiate.reverse.region import Reverser, Transpose
from fsmooth.differentiate.reverse.steps import Item, Step


class Saves(Protocol):
    """A definition that saves, and its way back."""

    @property
    def forward(self) -> Header:
        """Gives the value, and what is saved."""
        ...

    def back(self, arguments: tuple[Term, ...], saved: Term, r: Term) -> Call:
        """The call that goes back through one with these arguments."""


Saving = Callable[[Header, tuple[bool, ...]], Saves | None]
"""What saves for a definition and the arguments that vary; None if there is nothing to save."""


def nothing_saved(header: Header, active: tuple[bool, ...]) -> None:
    """Calls save nothing: what they gave is computed anew on the way back."""
    return


def refuse_data(active: Sequence[Term]) -> None:
    """Data that vary have no cotangents: those that calls save are to be made without, those of a program have another method."""
    found = [s for x in active for s in scalars_of(x.type) if isinstance(s, Data) and has_float(s)]
    if any([s.is_remade for s in found]):
        raise NoDerivative("no reverse derivative of data that a program makes")
    if found:
        raise OfSaved("no reverse derivative of data")


def transpose_call(
    walk: Reverser, step: Step, term: Call, r: Term, how: Transpose, saving: Saving
) -> Sequence[Item] | None:
    """Pass the cotangent of what a call gives on to its arguments; `how` is for the bodies of definitions."""
    refuse_data([x for x in (*term.arguments, step.var) if walk.steps.is_active(x)])
    active = varying(term.arguments, walk)
    along = [x for x, moves in zip(term.arguments, active, strict=True) if moves]
    live = walk.is_live(step.var)
    first = walk.before(step.var, r) if live and walk.at_once else None
    parts: Sequence[Term]
    instead: Sequence[Item] | None = None
    if first is not None:
        header = cotangents_of(term.header, active, how, wanted=True)
        parts, instead = at_once(walk, step, Call(header, (*term.arguments, r)), first)
    else:
        pair = saving(term.header, active) if live else None
        if pair is None:
            leaving = Call(cotangents_of(term.header, active, how, wanted=False), (*term.arguments, r))
        else:
            whole, saved = _kept(walk, step, Call(pair.forward, term.arguments))
            leaving = pair.back(term.arguments, saved.var, r)
            instead = [whole, Step(step.var, Proj(whole.var, 0), active=True), saved]
        back = beside(step.var, Flow.LEAVING, leaving.type)
        walk.run_back(back, leaving)
        parts = parts_of(back, len(along))
    for place, part in zip(along, parts, strict=True):
        walk.contribute(place, part)
    return instead


def _kept(walk: Reverser, step: Step, both: Call) -> tuple[Step, Step]:
    """The step that gives a value and what is saved, and a name for that."""
    assert isinstance(both.type, Tuple)
    whole = Step(beside(step.var, Flow.BOTH, both.type), both, active=False)
    saved = Step(beside(step.var, Flow.SAVED, both.type.items[1]), Proj(whole.var, 1), active=False)
    walk.definitions[whole.var] = both
    walk.definitions[saved.var] = saved.term
    return whole, saved


def at_once(walk: Reverser, step: Step, both: Term, first: Sequence[Item]) -> tuple[Sequence[Term], Sequence[Item]]:
    """What goes to cotangents, as parts of a step that gives its value before these; the steps, after what must come first."""
    whole = beside(step.var, Flow.BOTH, both.type)
    assert isinstance(both.type, Tuple)
    walk.definitions[whole] = both
    parts = [Proj(whole, k) for k in range(len(both.type.items))]
    return parts[1:], [*first, Step(whole, both, active=False), Step(step.var, parts[0], active=True)]


def parts_of(whole: Term, count: int) -> list[Term]:
    """The components of what is a tuple, if it is one of several."""
    return [whole] if count == 1 else [Proj(whole, k) for k in range(count)]

"""D⟦h ē⟧ = D_A h (D⟦ē⟧): a definition is differentiated once for each set A of arguments that have tangents.

What does not vary is handed on as it is, so that no tangent of it is carried through the calls.  D_A h is a definition of
its own, made when it is first asked for; it may call itself, so its header exists before what it stands for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from fsmooth.core.definitions import has_calls, reachable, with_calls
from fsmooth.core.subst import refresh, substitute
from fsmooth.core.term import Call, Header, Lam, MakeTuple, Term, Var
from fsmooth.differentiate.derivatives import NoDerivative
from fsmooth.differentiate.encoding import Pairs, primal_part

Differentiated = Callable[[Term, dict[Var, Term]], Term]
"""D⟦body⟧, where variables stand for terms of dual type."""


def tangent_of(header: Header, active: tuple[bool, ...], pairs: Pairs, differentiated: Differentiated) -> Header:
    """The header of D_A h."""

    def made() -> Header:
        types = tuple([pairs.type(t) if moves else t for t, moves in zip(header.parameters, active, strict=True)])
        name, model = f"{header.name}_{pairs.suffix}", _model(header, active, pairs)
        return Header(name, types, pairs.type(header.result), header.site, model, header.running)

    return derived(header, (differentiated, active), made, lambda: _derivative(header, active, pairs, differentiated))


def derived(
    header: Header, key: tuple[object, ...], made: Callable[[], Header], definition: Callable[[], Lam]
) -> Header:
    """The header for a derivative of a definition, which `made` gives, and which is defined when it is first asked for."""
    found = header.derivatives.get(key)
    if found is None:
        found = header.derivatives[key] = made()
        try:
            found.define(definition())
        except NoDerivative:
            del header.derivatives[key]
            raise
    return found


def _model(header: Header, active: tuple[bool, ...], pairs: Pairs) -> Lam | None:
    """What has the sizes of D⟦h ē⟧: those of the value."""
    if header.model is None:
        return None
    old = header.model.parameters
    new = [Var(q.name, pairs.type(q.type) if moves else q.type, q.site) for q, moves in zip(old, active, strict=True)]
    primal: dict[Var, Term] = {
        q: primal_part(x, q.type) if moves else x for q, x, moves in zip(old, new, active, strict=True)
    }
    return Lam(tuple(new), pairs.lifted(substitute(header.model.body, primal)))


def _derivative(header: Header, active: tuple[bool, ...], pairs: Pairs, differentiated: Differentiated) -> Lam:
    function = cast(Lam, refresh(definition_of(header)))
    moving: dict[Var, Term] = {}
    same: dict[Var, Term] = {}
    parameters: list[Var] = []
    for old, moves in zip(function.parameters, active, strict=True):
        new = Var(old.name, pairs.type(old.type) if moves else old.type, old.site)
        (moving if moves else same)[old] = new
        parameters.append(new)
    return Lam(tuple(parameters), differentiated(substitute(function.body, same), moving))


def definition_of(header: Header) -> Lam:
    """What a header stands for.

    Raises:
        NoDerivative: if it calls itself in the derivative that is to be made.

    """
    try:
        return header.definition
    except LookupError:
        raise NoDerivative(f"{header.name} calls itself in a function that it differentiates") from None


class Prepared:
    """Definitions as derivatives want them: without derivatives inside, and simplified."""

    def __init__(self, ready: Callable[[Lam], Lam]) -> None:
        """`ready` makes one of them ready; what it calls is by then what it is to call."""
        self._ready = ready
        self._headers: dict[Header, Header] = {}

    def __call__(self, term: Term) -> Term:
        """The term, with calls of prepared definitions."""
        met = reachable(term, lambda h: MakeTuple(()) if h in self._headers else definition_of(h))
        new = [h for h in met if h not in self._headers]
        if not has_calls(term):
            return term
        for h in new:
            made = self._headers[h] = h.renewed()
            self._headers[made] = made
        for h in new:
            self._headers[h].define(self._ready(cast(Lam, self._renamed(h.definition))))
        return self._renamed(term)

    def _renamed(self, term: Term) -> Term:
        return with_calls(term, lambda call: Call(self._headers[call.header], call.arguments))

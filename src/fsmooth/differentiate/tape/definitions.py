"""D⟦h ē⟧ on a tape: a definition is recorded once for each way in which it gets its arguments (differentiate/tape/origins.py).

Of a part of the arguments of the function that is differentiated it gets the value, as it is, and the id of the first number;
of anything else that varies, numbers with ids.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from fsmooth.core.subst import refresh, substitute
from fsmooth.core.term import Call, Header, Lam, Term, Var
from fsmooth.core.types import INT, Data, Type, has_float, scalars_of
from fsmooth.differentiate.definitions import definition_of, derived
from fsmooth.differentiate.derivatives import OfSaved
from fsmooth.differentiate.encoding import IDS, primal_part
from fsmooth.differentiate.tape.numbering import numbered
from fsmooth.differentiate.tape.origins import Given, Origins, Part
from fsmooth.differentiate.tape.regions import Regions

Recorded = Callable[[Term, dict[Var, Term], dict[Var, Term], Regions, Origins], Term]
"""D⟦body⟧, where variables stand for numbers with ids, and by themselves for others."""


def refuse_data(call: Call, varies: Callable[[Term], bool]) -> None:
    """Data that calls save have no entries."""
    types = [call.header.result, *[a.type for a in call.arguments if varies(a)]]
    held = [s for t in types for s in scalars_of(t) if isinstance(s, Data) and not s.is_remade]
    if any([has_float(s) for s in held]):
        raise OfSaved("numbers in data have no entries on a tape")


def definition_recorded(header: Header, known: tuple[Given, ...], regions: Regions, recorded: Recorded) -> Header:
    """The header of D h, for arguments of which this is known."""

    def made() -> Header:
        types = tuple([t for q, given in zip(header.parameters, known, strict=True) for t in _types(q, given)])
        name, model = f"{header.name}_{IDS.suffix}", _model(header, known)
        return Header(name, types, IDS.type(header.result), header.site, model, header.running)

    def definition() -> Lam:
        function = cast(Lam, refresh(definition_of(header)))
        parameters: list[Var] = []
        active: dict[Var, Term] = {}
        primal: dict[Var, Term] = {}
        parts: dict[Var, Part] = {}
        first: dict[Var, Term] = {}
        fresh: dict[Part, int] = {}
        for old, given in zip(function.parameters, known, strict=True):
            if given.part is not None:
                parts[old] = given.part
            elif given.is_made:
                fresh[old, ()] = 0
            if given.varies and given.part is not None:
                id_ = Var(f"{old.name}_first", INT)
                parameters += [old, id_]
                active[old], primal[old], first[old] = numbered(old, id_), old, id_
            elif given.varies:
                parameters.append(Var(old.name, IDS.type(old.type), old.site))
                active[old] = parameters[-1]
            else:
                parameters.append(old)
        body = recorded(
            function.body, active, primal, regions, Origins(parts, first, fresh, lent={x for x, _ in fresh})
        )
        return cast(Lam, refresh(Lam(tuple(parameters), body)))

    return derived(header, (regions, known), made, definition)


def _types(type_: Type, given: Given) -> list[Type]:
    if not given.varies:
        return [type_]
    return [IDS.type(type_)] if given.part is None else [type_, INT]


def _model(header: Header, known: tuple[Given, ...]) -> Lam | None:
    """What has the sizes of D⟦h ē⟧: those of the value."""
    if header.model is None:
        return None
    new: list[Var] = []
    primal: dict[Var, Term] = {}
    for old, given in zip(header.model.parameters, known, strict=True):
        types = _types(old.type, given)
        own = Var(old.name, types[0], old.site)
        new += [own, *[Var("first", t) for t in types[1:]]]
        primal[old] = primal_part(own, old.type) if given.varies and given.part is None else own
    return Lam(tuple(new), IDS.lifted(substitute(header.model.body, primal)))

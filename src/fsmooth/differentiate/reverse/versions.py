"""Versions of an array that a loop carries: what a step makes of it by writing to it, before it writes to it again.

    ifold (fun x k -> let y = update x i u in let z = if c then update y j v else y in …) …        y and z are versions of x

What is read of them is saved number by number, as what is read of the state is.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

from fsmooth.core.build import part_of
from fsmooth.core.term import If, IFold, Let, MakeTuple, Proj, Term, Update, Var
from fsmooth.core.types import Array, Tuple


def versions_of(definitions: Mapping[Var, Term], states: Iterable[Var], held: Container[Var]) -> set[Var]:
    """What steps make of arrays of states by writing to these, but for what is held to the end."""
    found = {x for x in states if isinstance(x.type, Array)}
    for x, value in definitions.items():
        if x not in held and updated(value, found, definitions) is not None:
            found.add(x)
    return found


def updated(term: Term, known: Container[Var], definitions: Mapping[Var, Term]) -> Var | None:
    """What is known of which the term, or a component of it, has other elements, or is it in some branch; None if nothing is."""
    if isinstance(term.type, Tuple):
        parts = [updated(Proj(term, k), known, definitions) for k in range(len(term.type.items))]
        return next((part for part in parts if part is not None), None)
    if not isinstance(term.type, Array):
        return None
    path: tuple[int, ...] = ()
    inner: dict[Var, Term] = {}
    while True:
        match term:
            case Var() if term in known:
                return term
            case Var() if term in inner:
                term = inner[term]
            case Var() if term in definitions:
                term = definitions[term]
            case Proj(whole, position):
                term, path = whole, (position, *path)
            case MakeTuple(items) if path:
                term, path = items[path[0]], path[1:]
            case Update(array) if not path:
                term = array
            case IFold(_, init):
                term = init
            case Let(bindings, body):
                inner.update(bindings)
                term = body
            case If(_, then, otherwise):
                ways = [updated(part_of(way, path), known, definitions) for way in (then, otherwise)]
                return ways[0] or ways[1]
            case _:
                return None

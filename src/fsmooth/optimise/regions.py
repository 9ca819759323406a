"""What a region of a program evaluates without condition, taken apart: definitions, loops, components of the result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fsmooth.core.term import If, IFold, Let, MakeTuple, Proj, Term, Var, let
from fsmooth.core.traverse import children, opens_region, rebuild, transform

Definitions = list[tuple[Var, Term]]


def loops_evaluated_in(region: Term) -> Iterator[IFold]:
    """The sequential loops that the region evaluates whenever it is evaluated, not those in their bodies."""
    seen: set[Term] = set()
    stack = [region]
    while stack:
        t = stack.pop()
        if t in seen:
            continue
        seen.add(t)
        if isinstance(t, IFold):
            yield t
        stack.extend([child for k, child in enumerate(children(t)) if not opens_region(t, k)])


def flattened(region: Term) -> Let:
    """The region as one list of definitions and a result, in which every sequential loop that it evaluates has a name.

    The bodies of these loops are flattened too.  Binders must be distinct.
    """
    definitions: Definitions = []

    def out(t: Term) -> Term:
        match t:
            case IFold():
                loop = fold(t)
                var = Var(t.state.name, loop.type, t.state.site)
                definitions.append((var, loop))
                return var
            case Let(bindings, body):
                for var, value in bindings:
                    definitions.append((var, fold(value) if isinstance(value, IFold) else out(value)))
                return out(body)
            case _:
                return rebuild(t, [child if opens_region(t, k) else out(child) for k, child in enumerate(children(t))])

    def fold(t: IFold) -> IFold:
        return IFold(out(t.size), out(t.init), t.state, t.index, flattened(t.body))

    result = out(region)
    return Let(tuple(definitions), result)


def component(value: Term, position: int) -> Term:
    """Component `position` of a tuple, as far inside as it goes."""
    match value:
        case MakeTuple(items):
            return items[position]
        case Let(bindings, body):
            own = component(body, position)
            return let(needed_for(own, list(bindings)), own)
        case If(condition, then, otherwise):
            return If(condition, component(then, position), component(otherwise, position))
        case _:
            return Proj(value, position)


def needed_for(result: Term, definitions: Definitions) -> Definitions:
    """The definitions that `result` needs, directly or through others."""
    needed = set(result.free)
    kept = []
    for var, value in reversed(definitions):
        if var in needed:
            kept.append((var, value))
            needed |= value.free
    return kept[::-1]


def read(term: Term, views: Mapping[Var, Term]) -> Term:
    """`term` with variables replaced, and components of tuples that are written out then taken at once."""
    if views.keys().isdisjoint(term.free):
        return term

    def change(t: Term) -> Term:
        match t:
            case Var():
                return views.get(t, t)
            case Proj(MakeTuple(items), k):
                return items[k]
            case _:
                return t

    return transform(term, change)

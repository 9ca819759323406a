"""Accumulators among the parts of a fold's state (design §6): a step adds to them in place.

    ifold (fun (a, b) i -> let t = sum n (…) in (plus a (fst t), snd t)) …

What is only added to a part that nothing else in the step reads goes straight into that part; what is the next value of
a part goes straight to where that is kept until the step is over; and what becomes a row of a part that nothing else
reads from then on goes straight into that row:

    ifold (fun a i -> let x = build m (…) in update a i x) …
"""

from __future__ import annotations

from fsmooth.core.term import Let, MakeTuple, Plus, Term, Update, Var
from fsmooth.core.types import is_scalar
from fsmooth.lower.accumulators import Allowed, Path, Sink, Sinks, sinks_of
from fsmooth.lower.context import Context
from fsmooth.lower.destination import Destination, Group, added, leaves
from fsmooth.lower.placement.continuing import Continued
from fsmooth.lower.placement.places import Part, reads, stays, under, ways
from fsmooth.lower.placement.replacement import exchangeable, spare_place


def step_sinks(ctx: Context, term: Let, parts: list[Part], continued: Continued, *, top: bool) -> Sinks | None:
    """The sinks of the body of a fold, with their places; `top`: may the parts exchange buffers here?

    A part that is `continued` has no other place for its next contents.
    """
    there = {parts[k].path for components in continued.values() for k in components.values()}
    by_path = {q.path: q for q in parts}
    result = term.body
    values = dict(term.bindings)
    position = {var: k for k, (var, _) in enumerate(term.bindings)}

    known: dict[Path, list[Part]] = {}

    def changes_in_place(name: Var, part: Part) -> bool:
        """Is the value of a name what becomes of the part where it is?"""
        if part.path not in known:
            known[part.path] = [before for _, before in ways(part, term.bindings, result)]
        return stays(values[name], known[part.path][position[name]])

    def has_memory(name: Var) -> bool:
        arrays = [q for q in parts if q.type == name.type and not is_scalar(q.type) and q.following is None]
        return not any([changes_in_place(name, q) for q in arrays])

    def item(path: Path) -> Term | None:
        found: Term = result
        for k in path:
            if not isinstance(found, MakeTuple):
                return None
            found = found.items[k]
        return found

    def adds(path: Path) -> bool:
        part, value = by_path.get(path), item(path)
        if part is None or part.following is not None or not isinstance(value, Plus):
            return False
        others = [v for _, v in term.bindings] + [x for q in parts if q is not part for x in [item(q.path)] if x]
        held = [x for x in value.items if part.is_held(x)]
        rest = [x for x in value.items if not part.is_held(x)]
        return len(held) == 1 and not any([reads(x, part) for x in [*others, *rest]])

    def replaces(path: Path) -> bool:
        part = by_path.get(path)
        if part is not None and part.following is not None:
            return True
        if part is None or path in there or part.settled or not top or part.spares or is_scalar(part.type):
            return False
        name = item(path)
        if isinstance(name, Var) and name in position and changes_in_place(name, part):
            return False
        return all([exchangeable(x) for x in leaves(part.place)])

    def sets_row(path: Path, first: int) -> bool:
        part, value = by_path.get(path), item(path)
        ends = [item(q.path) for q in parts if q is not part]
        if part is None or path in there or part.following is not None:
            return False
        if not isinstance(value, Update) or None in ends:
            return False
        inner = under(part, term.bindings)
        later = [*[v for _, v in term.bindings[first:]], *ends, value.index]
        return inner.is_held(value.array) and not any([reads(x, inner) for x in later if x is not None])

    if result.type != _type_of(parts) and not isinstance(result, MakeTuple):
        return None
    sinks = sinks_of(term, Allowed(replaces, adds, sets_row, continued, has_memory))
    if sinks is None:
        return None
    places: dict[Path, Destination] = {}
    for by in sinks.of.values():
        for sink in by.values():
            if sink.owner is None:
                part = by_path[sink.path]
                places[sink.path] = _place(ctx, sink, part)
    if places:
        sinks.places[None] = _tree(places, ())
    return sinks


def _place(ctx: Context, sink: Sink, part: Part) -> Destination:
    """Where the part is computed: beside its present contents, or, what adds to it or sets a row of it, in place."""
    if not sink.whole:
        return added(part.place)
    if sink.rows:
        return part.place
    return spare_place(ctx, part.place, part.spares) if part.following is None else part.following


def _type_of(parts: list[Part]) -> object:
    return parts[0].type if len(parts) == 1 else None


def _tree(places: dict[Path, Destination], path: Path) -> Destination:
    """The places as a group; what has none is never asked for."""
    if path in places:
        return places[path]
    count = 1 + max([p[len(path)] for p in places if p[: len(path)] == path], default=-1)
    return Group(tuple([_tree(places, (*path, k)) for k in range(count)]))

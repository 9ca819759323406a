"""Folds that continue a part of the state of a fold around them, in its place (design §6).

    ifold (fun (a, s) i -> let t = ifold (fun (b, r) j -> (update b j e, …)) (a, …) m in (t.0, …)) …

The inner fold starts from what `a` contains, or from updates of it, and nothing else reads that from then on: it runs
on the memory of `a`, and nothing is copied.  That pays if each of its steps changes its state in place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from fsmooth.core.term import If, IFold, Let, MakeTuple, Proj, Require, Term, Var
from fsmooth.core.types import is_scalar
from fsmooth.lower.branches import with_rest_in_branches
from fsmooth.lower.context import Context
from fsmooth.lower.extents import changes, fits
from fsmooth.lower.places import Part, Path, hold, reads, stays, under

Continued = dict[Var, dict[Path, int]]
"""For each fold of a scope, by component, the position of the part that it continues."""


def continued_in(ctx: Context, scope: Let, parts: Sequence[Part]) -> Continued:
    """Which folds bound in the scope run on the memory of which parts."""
    return _walk(ctx, scope, parts)[0]


def _walk(ctx: Context, scope: Let, parts: Sequence[Part]) -> tuple[Continued, list[Part]]:
    """What is continued, and the parts as the body knows them."""
    found: Continued = {}
    known = [replace(q, holders=set(q.holders), readers=set(q.readers), rows=dict(q.rows)) for q in parts]
    for k, (var, value) in enumerate(scope.bindings):
        later = [v for _, v in scope.bindings[k + 1 :]] + [scope.body]
        own: dict[int, Path] = {}
        if isinstance(value, IFold) and isinstance(value.init, MakeTuple):
            for position, q in enumerate(known):
                component = _continues(ctx, value, q, later)
                if component is not None and component not in own.values():
                    own[position] = component
        else:
            position = next((p for p, q in enumerate(known) if changes(ctx, value, q, later)), -1)
            if position >= 0:
                own[position] = ()
        known = [under(q, ((var, value),)) for q in known]
        for position, component in own.items():
            hold(known[position], var, component)
        components = {component: position for position, component in own.items() if component}
        if components:
            found[var] = components
    return found, known


def _continues(ctx: Context, fold: IFold, part: Part, later: Sequence[Term]) -> Path | None:
    """The component of a fold that can run in the place of the part; None if there is none."""
    if part.following is not None:
        return None
    if is_scalar(part.type) or not reads(fold.init, part) or reads(fold.body, part) or reads(fold.size, part):
        return None
    if any([reads(x, part) for x in later]):
        return None
    items = list(_items(fold.init, ()))
    readers = [(path, item) for path, item in items if reads(item, part)]
    if len(readers) != 1:
        return None
    [(component, item)] = readers
    if not component or item.type != part.type or not stays(item, part) or not fits(ctx, item, part):
        return None
    state = Part((), part.place, part.type, {(fold.state, component)}, {(fold.state, component)})
    return component if _keeps(ctx, fold.body, component, state) else None


def initial_of(fold: IFold, component: Path) -> Term:
    """What a component of the state starts from."""
    return next(item for path, item in _items(fold.init, ()) if path == component)


def _items(init: Term, path: Path) -> Iterator[tuple[Path, Term]]:
    """The components of a display."""
    if not isinstance(init, MakeTuple):
        yield path, init
        return
    for k, item in enumerate(init.items):
        yield from _items(item, (*path, k))


def _keeps(ctx: Context, body: Term, path: Path, part: Part) -> bool:
    """Does a step change the part in place?"""
    match body:
        case Let():
            inside = with_rest_in_branches(body) if path else None
            if inside is not None:
                return _keeps(ctx, inside, path, part)
            return _keeps(ctx, body.body, path, _walk(ctx, body, [part])[1][0])
        case Require():
            return _keeps(ctx, body.body, path, part)
        case If(_, then, otherwise):
            return _keeps(ctx, then, path, part) and _keeps(ctx, otherwise, path, part)
        case MakeTuple(items) if path:
            return _keeps(ctx, items[path[0]], path[1:], part)
        case Var() | Proj():
            for k in path:
                body = Proj(body, k)
            return part.is_held(body)
        case _:
            return not path and stays(body, part)

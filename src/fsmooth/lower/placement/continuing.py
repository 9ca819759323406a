"""Folds that continue a part of the state of a fold around them, in its place (design §6).

    ifold (fun (a, s) i -> let t = ifold (fun (b, r) j -> (update b j e, …)) (a, …) m in (t.0, …)) …

The inner fold starts from what `a` contains, or from updates of it, and nothing else reads that from then on: it runs
on the memory of `a`, and nothing is copied.  That pays if each of its steps changes its state in place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from fsmooth.core.build import part_of, whole_of
from fsmooth.core.term import Carrying, If, IFold, Let, MakeTuple, Proj, Require, Term, Var, While, let
from fsmooth.core.types import Tuple, is_scalar
from fsmooth.lower.context import Context
from fsmooth.lower.placement.branches import with_rest_in_branches
from fsmooth.lower.placement.extents import changes, fits
from fsmooth.lower.placement.places import Part, Path, hold, reads, stays, step_reads, under

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
        if isinstance(value, Carrying) and isinstance(value.init.type, Tuple):
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


def _continues(ctx: Context, fold: Carrying, part: Part, later: Sequence[Term]) -> Path | None:
    """The component of a fold that can run in the place of the part; None if there is none."""
    if part.following is not None:
        return None
    if is_scalar(part.type) or not reads(fold.init, part) or step_reads(fold, part):
        return None
    if isinstance(fold, IFold) and reads(fold.size, part):
        return None
    if any([reads(x, part) for x in later]):
        return None
    readers = [(path, item) for path, item in _items(fold.init, ()) if reads(item, part)]
    held = [(path, item) for path, item in readers if part.is_held(item)]
    if len(readers) > 1 and not held:
        return None  # what the part is changed to first, the others would read
    component, item = (held or readers)[0]
    if not component or item.type != part.type or not stays(item, part) or not fits(ctx, item, part):
        return None
    state = Part((), part.place, part.type, {(fold.state, component)}, {(fold.state, component)})
    return component if _keeps(ctx, fold.body, component, state) else None


def with_loops_named(step: Term) -> Term:
    """The step with loops of which it takes a component bound to names, that they may continue a part.

    So are those that such loops start from: `(ifold f (ifold g (a, s) m) n).0` runs on the memory of `a` as a whole.
    """
    loops: list[tuple[Var, Term]] = []
    names: dict[Term, Var] = {}

    def name_of(loop: Carrying) -> Var:
        if loop not in names:
            before = [loop]
            while isinstance(before[-1].init, Carrying) and before[-1].init not in names:
                before.append(before[-1].init)
            for one in reversed(before):
                var = names[one] = Var("loop", one.type)
                loops.append((var, _starting_from(one, names[one.init]) if isinstance(one.init, Carrying) else one))
        return names[loop]

    def named(term: Term) -> Term:
        if isinstance(term, MakeTuple):
            items = [named(item) for item in term.items]
            same = all([new is item for new, item in zip(items, term.items, strict=True)])
            return term if same else MakeTuple(tuple(items), term.type)
        whole, path = whole_of(term)
        return part_of(name_of(whole), path) if path and isinstance(whole, Carrying) else term

    if not isinstance(step, Let):
        return let(loops, named(step))
    for var, value in step.bindings:
        if isinstance(value, Carrying) and isinstance(value.init, Carrying) and isinstance(value.type, Tuple):
            value = _starting_from(value, name_of(value.init))
        loops.append((var, value))
    return step if len(loops) == len(step.bindings) else Let(tuple(loops), step.body)


def _starting_from(loop: Carrying, init: Var) -> Term:
    """The loop with a name for the loop that it starts from."""
    if isinstance(loop, IFold):
        return IFold(loop.size, as_display(init), loop.state, loop.index, loop.body)
    assert isinstance(loop, While)
    return While(as_display(init), loop.state, loop.condition, loop.body)


def initial_of(fold: Carrying, component: Path) -> Term:
    """What a component of the state starts from."""
    return next(item for path, item in _items(fold.init, ()) if path == component)


def _items(init: Term, path: Path) -> Iterator[tuple[Path, Term]]:
    """The components of a display, or of a state that a fold before has left."""
    init = as_display(init)
    if not isinstance(init, MakeTuple):
        yield path, init
        return
    for k, item in enumerate(init.items):
        yield from _items(item, (*path, k))


def as_display(init: Term) -> Term:
    """A state with a name as the display of its components."""
    if not isinstance(init.type, Tuple) or not isinstance(init, Var | Proj):
        return init
    return MakeTuple(tuple([Proj(init, k) for k in range(len(init.type.items))]), init.type)


def _keeps(ctx: Context, body: Term, path: Path, part: Part) -> bool:
    """Does a step change the part in place?  Of the component itself (no `path` is left), `lower.updates.mutate` does."""
    if not path:
        return stays(body, part)
    body = with_loops_named(body)
    match body:
        case Let():
            inside = with_rest_in_branches(body)
            if inside is not None:
                return _keeps(ctx, inside, path, part)
            return _keeps(ctx, body.body, path, _walk(ctx, body, [part])[1][0])
        case Require():
            return _keeps(ctx, body.body, path, part)
        case If(_, then, otherwise):
            return _keeps(ctx, then, path, part) and _keeps(ctx, otherwise, path, part)
        case MakeTuple(items):
            return _keeps(ctx, items[path[0]], path[1:], part)
        case Carrying():
            inner = Part((), part.place, part.type, {(body.state, path)}, {(body.state, path)})
            kept = _keeps(ctx, body.init, path, part) and not step_reads(body, part)
            return kept and _keeps(ctx, body.body, path, inner)
        case Var() | Proj():
            for k in path:
                body = Proj(body, k)
            return part.is_held(body)
        case _:
            return False

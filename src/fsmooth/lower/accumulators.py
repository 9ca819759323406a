"""Accumulators: what is only a summand of a destination is computed straight into it (design §6, linear destinations).

    let t = sum n (fun i -> (delta m k v, w)) in (plus (fst t) a, snd t)

The first component of t is used once, as a summand of the first result; so the loop adds to the memory of that
result, and nothing is stored in between.  The same holds for a summand of an array that is bound to a name, and of one
row of either.  The first to write to a destination assigns, the others add.  An array that is a result itself is
computed in the memory of the result, and read there by whoever else needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from fsmooth.core.shape import Ragged, shape_of
from fsmooth.core.term import Const, Delta, Let, MakeTuple, Plus, Proj, Term, Var, Zero, let
from fsmooth.core.traverse import children
from fsmooth.core.types import Array, Tuple
from fsmooth.lower.arrays import fill_zero
from fsmooth.lower.context import Context
from fsmooth.lower.destination import Destination, Group, Mode, View, added, is_added, readable
from fsmooth.lower.storage import storage_for

Path = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Sink:
    """Where a component of a bound variable goes: part `path` of the value of `owner` (None: the result), at `rows`.

    `whole`: it is that part, not a summand of it.
    """

    owner: Var | None
    path: Path
    rows: tuple[Term, ...]
    whole: bool


@dataclass(eq=False)
class Sinks:
    """The sinks of the variables of a scope, by variable and component, and the values and the body without them."""

    of: dict[Var, dict[Path, Sink]]
    values: dict[Var, Term]
    body: Term
    places: dict[Var | None, Destination] = field(default_factory=dict)
    written: set[tuple[Var | None, Path]] = field(default_factory=set)


@dataclass(frozen=True)
class Allowed:
    """Which parts of the result may be computed in place (`whole`), and which may be added to (`summand`)."""

    whole: Callable[[Path], bool]
    summand: Callable[[Path], bool]


def sinks_of(scope: Let, allowed: Allowed) -> Sinks | None:
    """The sinks of a scope; None if there are none."""
    position = {var: k for k, (var, _) in enumerate(scope.bindings)}
    found: dict[Var, dict[Path, Sink]] = {}
    values: dict[Var, Term] = {}
    body = scope.body
    for owner, value in [(None, scope.body), *[(v, x) for v, x in scope.bindings if isinstance(x, Plus)]]:
        candidates: list[tuple[Var, Path, Sink]] = []
        _candidates(value, owner, (), (), position, candidates, top=True)
        taken = []
        for var, component, sink in candidates:
            first = position[var]
            known = found.get(var, {})
            if component in known or _is_display(scope.bindings[first][1]):
                continue
            if any([s.owner is owner and s.path == sink.path for s in known.values()]):
                continue  # two components are computed at once, and must not share memory
            if sink.whole and not allowed.whole(sink.path):
                sink = replace(sink, whole=False)
            if not sink.whole:
                if owner is None and not allowed.summand(sink.path):
                    continue
                if _occurrences(scope, first, var, component) != 1:
                    continue
            if owner is not None and not _has_size(scope, first, position[owner]):
                continue
            if all([isinstance(r, Const) or position.get(r, -1) < first for r in sink.rows]):  # type: ignore[call-overload]
                found.setdefault(var, {})[component] = sink
                if not sink.whole:
                    taken.append((var, component))
        if taken and owner is None:
            body = _without(value, taken)
        elif taken and owner is not None:
            values[owner] = _without(value, taken)
    return Sinks(found, values, body) if found else None


def _is_display(value: Term) -> bool:
    """Is it a path or a tuple of paths, which has no computation of its own?"""
    if isinstance(value, MakeTuple):
        return True
    return _component(value) is not None or isinstance(value, Let)


def _candidates(
    term: Term,
    owner: Var | None,
    path: Path,
    rows: tuple[Term, ...],
    position: dict[Var, int],
    found: list[tuple[Var, Path, Sink]],
    *,
    top: bool,
) -> None:
    """The components of bound variables that are summands of parts of `term`."""
    match term:
        case MakeTuple(items) if not rows:
            for k, item in enumerate(items):
                _candidates(item, owner, (*path, k), rows, position, found, top=top)
        case Plus(items):
            for item in items:
                _candidates(item, owner, path, rows, position, found, top=False)
        case Delta(_, index, value) if isinstance(index, Var | Const) and isinstance(value.type, Array):
            _candidates(value, owner, path, (*rows, index), position, found, top=False)
        case Var() | Proj():
            root = _component(term)
            if root is not None and root[0] in position and isinstance(term.type, Array):
                found.append((root[0], root[1], Sink(owner, path, rows, whole=top)))
        case _:
            return


def _component(term: Term) -> tuple[Var, Path] | None:
    path: list[int] = []
    while isinstance(term, Proj):
        path.append(term.position)
        term = term.tuple
    return (term, tuple(reversed(path))) if isinstance(term, Var) else None


def _occurrences(scope: Let, first: int, var: Var, component: Path) -> int:
    """How often the component, or something that contains it, is mentioned after it is bound."""
    count = 0
    for term in [value for _, value in scope.bindings[first + 1 :]] + [scope.body]:
        if var not in term.free:
            continue
        seen: set[int] = set()
        stack = [term]
        while stack:
            t = stack.pop()
            if var not in t.free:
                continue
            place = _component(t)
            if place is not None:
                shared = min(len(place[1]), len(component))
                count += place[0] is var and place[1][:shared] == component[:shared]
                continue
            if id(t) in seen:
                count += 2
                continue
            seen.add(id(t))
            stack.extend(children(t))
    return count


def _has_size(scope: Let, first: int, owner: int) -> bool:
    """Can the sizes of a binding be written down before another one?"""
    try:
        shape_of(let(scope.bindings[first:owner], scope.bindings[owner][1]))
    except Ragged:
        return False
    return True


def _without(term: Term, taken: Sequence[tuple[Var, Path]]) -> Term:
    """`term` with the summands that were taken replaced by zero."""
    match term:
        case MakeTuple(items):
            return MakeTuple(tuple([_without(item, taken) for item in items]), term.type)
        case Plus(items):
            left = [x for x in [_without(item, taken) for item in items] if not isinstance(x, Zero)]
            if not left:
                return _nothing(term)
            return left[0] if len(left) == 1 else Plus(tuple(left))
        case Delta(size, index, value) if isinstance(value.type, Array):
            inner = _without(value, taken)
            return _nothing(term) if isinstance(inner, Zero) else Delta(size, index, inner)
        case Var() | Proj() if _component(term) in taken:
            return _nothing(term)
        case _:
            return term


def _nothing(term: Term) -> Zero:
    """A zero that stands for what was added already; only added itself, so its sizes do not matter."""
    type_ = term.type
    rank = 0
    while isinstance(type_, Array):
        type_, rank = type_.element, rank + 1
    return Zero((Const(0),) * rank) if isinstance(type_, Tuple) else Zero((Const(0),) * rank, type_)


def places_for(ctx: Context, scope: Let, sinks: Sinks, at: int) -> None:
    """Make storage for the owners of the components of binding `at`."""
    var = scope.bindings[at][0]
    for sink in sinks.of.get(var, {}).values():
        if sink.owner is None or sink.owner in sinks.places:
            continue
        position = next(k for k, (v, _) in enumerate(scope.bindings) if v is sink.owner)
        whole = let(scope.bindings[at:position], scope.bindings[position][1])
        sinks.places[sink.owner] = storage_for(ctx, whole, sink.owner.name)


def accumulate(
    ctx: Context, scope: Let, sinks: Sinks, at: int, given: Mapping[Path, Destination] = MappingProxyType({})
) -> None:
    """Compute binding `at`: components whose place is `given` there, those with sinks into those."""
    var, value = scope.bindings[at]
    dest = _destination(ctx, sinks, var, var.type, (), scope, at, given)
    ctx.into(sinks.values.get(var, value), dest, Mode.ASSIGN)
    ctx.environment[var] = readable(dest)


def _destination(
    ctx: Context,
    sinks: Sinks,
    var: Var,
    type_: object,
    path: Path,
    scope: Let,
    at: int,
    given: Mapping[Path, Destination],
) -> Destination:
    if path in given:
        return given[path]
    sink = sinks.of.get(var, {}).get(path)
    if sink is not None:
        return _place(ctx, sinks, sink)
    if not path and var in sinks.places:
        return marked(sinks.places[var], [p for owner, p in sinks.written if owner is var])
    if isinstance(type_, Tuple) and any([p[: len(path)] == path for p in (*sinks.of.get(var, {}), *given)]):
        items = [_destination(ctx, sinks, var, t, (*path, k), scope, at, given) for k, t in enumerate(type_.items)]
        return Group(tuple(items))
    part: Term = scope.bindings[at][1]
    name = var.name
    for k in path:
        part = part.items[k] if isinstance(part, MakeTuple) else Proj(part, k)
        name = f"{name}_{k}"
    return storage_for(ctx, part, name)


def _place(ctx: Context, sinks: Sinks, sink: Sink) -> Destination:
    """The place of a sink, to be added to if it was written before."""
    place = sinks.places[sink.owner]
    for k in sink.path:
        assert isinstance(place, Group)
        place = place.items[k]  # type: ignore[assignment]
    if sink.whole:
        return place
    key = (sink.owner, sink.path)
    before = key in sinks.written
    sinks.written.add(key)
    if sink.rows and not before:
        if not is_added(place):
            fill_zero(ctx, place)
        before = True
    for row in sink.rows:
        index = ctx.scalar(row)
        place = _row(place, index)
    return added(place) if before else place


def _row(place: Destination, index: object) -> Destination:
    if isinstance(place, Group):
        return Group(tuple([_row(item, index) for item in place.items]), place.sizes[1:])  # type: ignore[arg-type]
    assert isinstance(place, View)
    return place.at(index)  # type: ignore[arg-type]


def marked(place: Destination, paths: Sequence[Path]) -> Destination:
    """The place with the parts at `paths` to be added to."""
    if () in paths:
        return added(place)
    if not paths or not isinstance(place, Group):
        return place
    items = []
    for k, item in enumerate(place.items):
        items.append(marked(item, [p[1:] for p in paths if p[0] == k]))  # type: ignore[arg-type]
    return Group(tuple(items), place.sizes)


def remaining(sinks: Sinks, dest: Destination) -> Destination:
    """The destination of the body: what was written to is only added to from here on."""
    return marked(dest, [path for owner, path in sinks.written if owner is None])

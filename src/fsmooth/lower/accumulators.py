"""Accumulators: what is only a summand of a destination is computed straight into it (design §6, linear destinations).

    let t = sum n (fun i -> (delta m k v, w)) in (plus (fst t) a, snd t)

The first component of t is used once, as a summand of the first result; so the loop adds to the memory of that
result, and nothing is stored in between.  The same holds for a summand of an array that is bound to a name, and of one
row of either.  The first to write to a destination assigns, the others add.  An array that is a result itself is
computed in the memory of the result, and read there by whoever else needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from fsmooth.core.build import named_part
from fsmooth.core.shape import Ragged, shape_of
from fsmooth.core.term import (
    Build,
    Check,
    Const,
    Delta,
    Length,
    Let,
    MakeTuple,
    Plus,
    Prim,
    Proj,
    Term,
    Update,
    Var,
    Zero,
    let,
)
from fsmooth.core.traverse import children, subterms
from fsmooth.core.types import Array, Int
from fsmooth.lower.components import component_of_elements, nothing_like, only_added_to, only_adds
from fsmooth.lower.destination import Destination
from fsmooth.rewrite.linear import polynomial

Path = tuple[int, ...]


class Sink(Struct, frozen=True, eq=False):
    """Where a component of a bound variable goes: part `path` of the value of `owner` (None: the result), at `rows`.

    `whole`: it is that part, not a summand of it; with `rows`, it is that row of a part that is changed in place.
    """

    owner: Var | None
    path: Path
    rows: tuple[Term, ...]
    whole: bool

    @property
    def is_part(self) -> bool:
        """Is it all of that part, computed there from nothing?"""
        return self.whole and not self.rows


class Sinks(Struct, eq=False):
    """The sinks of the variables of a scope, by variable and component, and the values and the body without them.

    `mixed` are the variables of which several components are added to the same memory.
    """

    of: dict[Var, dict[Path, Sink]]
    values: dict[Var, Term]
    body: Term
    mixed: set[Var] = field(default_factory=set)
    places: dict[Var | None, Destination] = field(default_factory=dict)
    written: set[tuple[Var | None, Path]] = field(default_factory=set)


class Allowed(Struct, frozen=True):
    """Which parts of the result may be computed in place (`whole`), and which may be added to (`summand`).

    `row`: may the row that the result sets in a part be written from the binding of this position on?
    `placed`: components of variables that have a place of their own, by variable.  `owner`: may there be memory for a sum with
    a name, which its summands are added to?
    """

    whole: Callable[[Path], bool]
    summand: Callable[[Path], bool]
    row: Callable[[Path, int], bool] = lambda path, first: False
    placed: Mapping[Var, Container[Path]] = field(default_factory=dict)
    owner: Callable[[Var], bool] = lambda var: True


def sinks_of(scope: Let, allowed: Allowed) -> Sinks | None:
    """The sinks of a scope; None if there are none."""
    position = {var: k for k, (var, _) in enumerate(scope.bindings)}
    definitions = dict(scope.bindings)
    found: dict[Var, dict[Path, Sink]] = {}
    values: dict[Var, Term] = {}
    mixed: set[Var] = set()
    owners: set[Var] = set()
    body = scope.body
    named = [(v, x) for v, x in scope.bindings if isinstance(x, Plus) and allowed.owner(v)]
    for owner, value in [(None, scope.body), *named]:
        candidates: list[tuple[Var, Path, Sink]] = []
        _candidates(value, owner, (), (), position, candidates, top=True)
        if owner is None:
            _rows_set(value, (), scope, position, candidates)
        taken = []
        candidates.sort(key=lambda c: c[2].whole or not only_added_to(scope.bindings[position[c[0]]][1], c[1]))
        for var, component, sink in candidates:
            first = position[var]
            known = found.get(var, {})
            if component in known or component in allowed.placed.get(var, ()) or _is_display(scope.bindings[first][1]):
                continue
            same = [s for s in known.values() if s.owner is owner and s.path == sink.path]
            mixes = any([not _are_apart(s, sink, definitions) for s in same])
            if mixes and (any([s.whole for s in [*same, sink]]) or not only_adds(scope.bindings[first][1])):
                continue  # two components are computed at once, and must not share memory
            if sink.whole and sink.rows:
                if owner is not None or not allowed.row(sink.path, first):
                    continue
            elif sink.whole and not allowed.whole(sink.path):
                sink = replace(sink, whole=False)
            if not sink.whole:
                if owner is None and not allowed.summand(sink.path):
                    continue
                if _occurrences(scope, first, var, component) != 1:
                    continue
            if owner is not None and not _has_size(scope, first, position[owner]):
                continue
            if not sink.is_part and var in owners:
                continue  # what is added to it already is not where it would go
            if owner is not None and not all([s.is_part for s in found.get(owner, {}).values()]):
                continue
            if all([isinstance(r, Const) or position.get(r, -1) < first for r in sink.rows]):  # type: ignore[call-overload]
                found.setdefault(var, {})[component] = sink
                if owner is not None:
                    owners.add(owner)
                if mixes:
                    mixed.add(var)
                if not sink.whole:
                    taken.append((var, component))
        if taken and owner is None:
            body = _without(value, taken, definitions)
        elif taken and owner is not None:
            values[owner] = _without(value, taken, definitions)
    return Sinks(found, values, body, mixed) if found else None


def _are_apart(one: Sink, other: Sink, definitions: Mapping[Var, Term]) -> bool:
    """Are they different rows, for certain?"""
    if one.whole or other.whole or not one.rows or not other.rows:
        return False
    first, second = [polynomial(sink.rows[0], definitions.get) for sink in (one, other)]
    return first.plus(second, -1).number() not in (None, 0)


def with_indices_first(scope: Let) -> Let:
    """The scope with the indices of rows that its body adds to, or sets, computed before everything else."""
    position = {var: k for k, (var, _) in enumerate(scope.bindings)}
    candidates: list[tuple[Var, Path, Sink]] = []
    _candidates(scope.body, None, (), (), position, candidates, top=True)
    _rows_set(scope.body, (), scope, position, candidates)
    wanted = {position[row] for _, _, sink in candidates for row in sink.rows if row in position}
    first: set[int] = set()
    for k, (_, value) in enumerate(scope.bindings):
        if _is_index(value) and all([position[x] in first for x in value.free if x in position]):
            first.add(k)
    pending = list(wanted & first)
    moved: set[int] = set()
    while pending:
        k = pending.pop()
        if k not in moved:
            moved.add(k)
            pending.extend([position[x] for x in scope.bindings[k][1].free if x in position])
    if not moved or max(moved) == len(moved) - 1:
        return scope
    return Let(
        (
            *[scope.bindings[k] for k in sorted(moved)],
            *[b for k, b in enumerate(scope.bindings) if k not in moved],
        ),
        scope.body,
    )


def _is_index(value: Term) -> bool:
    """Is it arithmetic of integers?"""
    return isinstance(value.type, Int) and all(
        [isinstance(t, Var | Const | Prim | Check | Length) for t in subterms(value)]
    )


def _is_display(value: Term) -> bool:
    """Is it a path or a tuple of paths, which has no computation of its own?"""
    if isinstance(value, MakeTuple):
        return True
    return named_part(value) is not None or isinstance(value, Let)


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
            root = named_part(term)
            if root is not None and root[0] in position and isinstance(term.type, Array):
                found.append((root[0], root[1], Sink(owner, path, rows, whole=top)))
        case _:
            return


def _rows_set(
    term: Term, path: Path, scope: Let, position: dict[Var, int], found: list[tuple[Var, Path, Sink]]
) -> None:
    """The components of bound variables that parts of `term` are, taken out of the tuples, or get as a row."""
    match term:
        case MakeTuple(items):
            for k, item in enumerate(items):
                _rows_set(item, (*path, k), scope, position, found)
        case Build():
            root = component_of_elements(term, dict(scope.bindings))
            if root is not None:
                found.append((root[0], root[1], Sink(None, path, (), whole=True)))
        case Update(_, index, value) if isinstance(index, Var | Const) and isinstance(value.type, Array):
            root = component_of_elements(value, dict(scope.bindings)) if isinstance(value, Build) else named_part(value)
            if root is not None and root[0] in position:
                found.append((root[0], root[1], Sink(None, path, (index,), whole=True)))


def _occurrences(scope: Let, first: int, var: Var, component: Path) -> int:
    """How often the component, or something that contains it, is mentioned after it is bound."""
    count = 0
    for term in [value for _, value in scope.bindings[first + 1 :]] + [scope.body]:
        if var not in term.free:
            continue
        seen: set[Term] = set()
        stack = [term]
        while stack:
            t = stack.pop()
            if var not in t.free:
                continue
            place = named_part(t)
            if place is not None:
                shared = min(len(place[1]), len(component))
                count += place[0] is var and place[1][:shared] == component[:shared]
                continue
            if t in seen:
                count += 2
                continue
            seen.add(t)
            stack.extend(children(t))
    return count


def _has_size(scope: Let, first: int, owner: int) -> bool:
    """Can the sizes of a binding be written down before another one?"""
    try:
        shape_of(let(scope.bindings[first:owner], scope.bindings[owner][1]))
    except Ragged:
        return False
    return True


def _without(term: Term, taken: Sequence[tuple[Var, Path]], definitions: Mapping[Var, Term]) -> Term:
    """`term` with the summands that were taken replaced by zero."""
    match term:
        case MakeTuple(items):
            return MakeTuple(tuple([_without(item, taken, definitions) for item in items]), term.type)
        case Plus(items):
            left = [x for x in [_without(item, taken, definitions) for item in items] if not isinstance(x, Zero)]
            if not left:
                return nothing_like(term)
            return left[0] if len(left) == 1 else Plus(tuple(left))
        case Delta(size, index, value) if isinstance(value.type, Array):
            inner = _without(value, taken, definitions)
            return nothing_like(term) if isinstance(inner, Zero) else Delta(size, index, inner)
        case Var() | Proj() if named_part(term) in taken:
            return nothing_like(term)
        case Build() if component_of_elements(term, definitions) in taken:
            return nothing_like(term)
        case _:
            return term

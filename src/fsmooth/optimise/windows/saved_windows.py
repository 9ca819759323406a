"""A loop that saves its states for the way back computes only what is read there.

The step s - 1 - t of the way back reads row t of what was saved, in a window that is narrow near the end (optimise/windows).
So row t is wanted there, and the state before step t where that row, and the next state, need it: induction again, now from
the last step to the first (optimise/windows/demands.py).  What else the step would compute is left out; rows are not even written
elsewhere.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from math import inf
from typing import NamedTuple

from fsmooth.core.alpha import alpha_equal
from fsmooth.core.build import flat_scope, part_of, whole_of
from fsmooth.core.term import Build, Get, IFold, Lam, Length, Let, Proj, Reduce, Term, Update, Var, Zero
from fsmooth.core.traverse import children
from fsmooth.core.types import Array, has_array
from fsmooth.optimise.windows.demands import ROW, Demands, Place, settled
from fsmooth.optimise.windows.support import (
    CONE,
    EVERYWHERE,
    NOWHERE,
    Path,
    Support,
    arrays_in,
    is_simple,
)
from fsmooth.optimise.windows.window import NO_ZEROS, Kept, Window, can_be_left_out, is_long
from fsmooth.rewrite.linear import polynomial


class Backward(NamedTuple):
    """A loop with a window, and the loops in its step that are kept to it: to both ends, or to one."""

    loop: IFold
    anchors: tuple[Term, ...]
    window: Window
    inside: dict[Term, Support]

    def over(self, loop: Build | Reduce, wanted: Support) -> Support:
        """The indices for which a loop computes anything."""
        return self.inside.get(loop, EVERYWHERE)


class Forward(NamedTuple):
    """The loop before, its window, and what the loops in its step are kept to."""

    loop: IFold
    window: Window
    kept: dict[Term, Kept]


class _ReadOtherwise(Exception):
    """What the loop before makes is read in a way that is not followed."""


def saved_windows(
    term: Term, back: Backward, definitions: Mapping[Var, Term], shared: Container[Term]
) -> list[Forward]:
    """The loops whose saved states a loop reads, if only that, and elements at the anchors of their results, are read.

    What is `shared` is also elsewhere, and stays as it is.
    """
    found = []
    for var, loop in definitions.items():
        if var in back.loop.body.free and isinstance(loop, IFold) and alpha_equal(loop.size, back.loop.size):
            try:
                forward = _forward(term, var, loop, back, definitions, shared) if is_simple(loop.size) else None
            except _ReadOtherwise:
                forward = None
            if forward is not None:
                found.append(forward)
    return found


def _forward(
    term: Term, name: Var, loop: IFold, back: Backward, definitions: Mapping[Var, Term], shared: Container[Term]
) -> Forward | None:
    window = back.window.mirrored(loop)
    known = loop.free | (frozenset(term.parameters) if isinstance(term, Lam) else frozenset())
    if not (window.lowest.free | window.highest.free) <= known:
        return None
    results, rows = _components(loop, definitions)
    everything = dict.fromkeys(arrays_in(back.loop.type), EVERYWHERE)

    def row_of(place: Place, index: Term, integers: Mapping[Var, Term]) -> bool:
        if place[0] is not name or place[1] not in rows:
            return False
        at = polynomial(index, lambda v: integers.get(v, definitions.get(v)))
        steps = polynomial(loop.size, definitions.get)
        return at.plus(polynomial(back.loop.index)).plus(steps, -1).number() == -1

    names = _names(name, definitions)
    reads = Demands(back.loop, everything, back.over, saved=names, row_of=row_of)
    wanted = {path: reads.of(name, (*path, ROW)) for path in rows}
    last = {path: NOWHERE if reads.of(name, path) == NOWHERE else EVERYWHERE for path in results}
    for path in _elements_read_elsewhere(term, names, back, definitions):
        if path not in last:
            raise _ReadOtherwise
        last[path] = last[path].join(CONE)

    def exits(entry: Mapping[Path, Support]) -> dict[Path, Support]:
        grown = window.before, window.after
        return {
            path: last[path].join(Support(s.before - grown[0], s.after - grown[1]))
            for path, s in entry.items()
            if path in results
        }

    bindings, _ = flat_scope(loop.body)
    can_be_kept = {
        value
        for value in [*[value for _, value in bindings], *results.values()]
        if isinstance(value, Build) and value not in shared and is_long(value) and can_be_left_out(value)
    }

    def over(inner: Build | Reduce, asked: Support) -> Support:
        return asked if inner in can_be_kept else EVERYWHERE

    demands, left = settled(loop, exits, lambda asked: Demands(loop, asked, over, rows=wanted))
    if any([demands.of(loop.state, path) != NOWHERE for path in rows]):
        return None
    made = [(value, left[path]) for path, value in results.items()] + [(x, demands.of(var)) for var, x in bindings]
    kept: dict[Term, Kept] = {
        value: Kept(window, support, NO_ZEROS) for value, support in made if value in can_be_kept and min(support) < inf
    }
    return Forward(loop, window, kept) if kept else None


def _components(loop: IFold, definitions: Mapping[Var, Term]) -> tuple[dict[Path, Term], dict[Path, Term]]:
    """The arrays that a step makes, and the components of the state of which it sets a row, all of which are set."""
    _, body = flat_scope(loop.body)
    results: dict[Path, Term] = {}
    rows: dict[Path, Term] = {}
    for path in arrays_in(loop.type):
        part, start = part_of(body, path), part_of(loop.init, path)
        match part, definitions.get(start) if isinstance(start, Var) else start:
            case Update(old, index, value), Zero() if (
                index is loop.index and isinstance(value.type, Array) and whole_of(old) == (loop.state, path)
            ):
                rows[path] = part
            case _:
                results[path] = part
    return results, rows


def _names(loop: Var, definitions: Mapping[Var, Term]) -> dict[Var, Place]:
    """The names of what a loop makes, and of components of it."""
    found: dict[Var, Place] = {loop: (loop, ())}
    for var, value in definitions.items():
        root, path = whole_of(value)
        if isinstance(root, Var) and root in found:
            found[var] = (loop, (*found[root][1], *path))
    return found


def _elements_read_elsewhere(
    term: Term, names: Mapping[Var, Place], back: Backward, definitions: Mapping[Var, Term]
) -> set[Path]:
    """The components of which, but for the loop back, only elements at its anchors are read.

    Raises:
        _ReadOtherwise: if something else is.

    """
    found: set[Path] = set()
    pending, seen = [term], {back.loop.body}
    while pending:
        t = pending.pop()
        if t in seen:
            continue
        seen.add(t)
        match t:
            case Length():
                pass
            case Let(bindings):
                pending.extend([value for var, value in bindings if var not in names or isinstance(value, IFold)])
                pending.append(t.body)
            case Get(array, index) if (root := whole_of(array)[0]) in names:
                at = polynomial(index, definitions.get)
                if not any([at.plus(polynomial(a, definitions.get), -1).is_zero() for a in back.anchors]):
                    raise _ReadOtherwise
                assert isinstance(root, Var)
                found.add((*names[root][1], *whole_of(array)[1]))
                pending.append(index)
            case Var() | Proj() if whole_of(t)[0] in names:
                if has_array(t.type):
                    raise _ReadOtherwise
            case _:
                pending.extend(children(t))
    return found

"""What a fold does with arrays of its state: only adds to them, or fills them row by row."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from fsmooth.core.alpha import alpha_equal
from fsmooth.core.shape import size_of
from fsmooth.core.term import IFold, Length, Let, MakeTuple, Plus, Proj, Require, Term, Update, Var
from fsmooth.core.traverse import children
from fsmooth.core.types import Array
from fsmooth.core.vectors import is_zero

Path = tuple[int, ...]


class Role(Enum):
    """SUM: `plus a e`, and a, zero at first, is read nowhere else.  FILLED: row i is written in step i, none is read.

    RECORD: likewise, and all rows are; so it does not matter that they are zero at first.
    """

    SUM = "sum"
    FILLED = "filled"
    RECORD = "record"


def roles_of(fold: IFold) -> dict[Path, Role]:
    """The roles of the parts of the state that have one."""
    aliases, values, body = opened(fold)
    found: dict[Path, Role] = {}
    ends: list[tuple[Path, Term]] = []
    _parts(fold.init, body, (), ends, found, fold, aliases)
    for path in list(found):
        others = [*values, *[end for p, end in ends if p != path]]
        own = next(end for p, end in ends if p == path)
        inner = [x for x in children(own) if place_of(x, fold.state, aliases) != path]
        if any([_reads(x, fold.state, path, aliases) for x in [*others, *inner]]):
            del found[path]
    return found


def opened(fold: IFold) -> tuple[dict[Var, Term], list[Term], Term]:
    """Of a step: second names for parts of the state, what is computed besides, and the next state."""
    body = fold.body
    aliases: dict[Var, Term] = {}
    values: list[Term] = []
    while isinstance(body, Let | Require):
        if isinstance(body, Let):
            for var, value in body.bindings:
                if place_of(value, fold.state, aliases) is not None:
                    aliases[var] = value
                else:
                    values.append(value)
        else:
            values.extend([body.condition, *body.numbers])
        body = body.body
    return aliases, values, body


def _parts(
    init: Term,
    end: Term,
    path: Path,
    ends: list[tuple[Path, Term]],
    found: dict[Path, Role],
    fold: IFold,
    aliases: dict[Var, Term],
) -> None:
    if isinstance(init, MakeTuple) and isinstance(end, MakeTuple):
        for k, (first, item) in enumerate(zip(init.items, end.items, strict=True)):
            _parts(first, item, (*path, k), ends, found, fold, aliases)
        return
    ends.append((path, end))
    if not isinstance(init.type, Array):
        return
    match end:
        case Plus(items) if sum([place_of(x, fold.state, aliases) == path for x in items]) == 1 and is_zero(init):
            found[path] = Role.SUM
        case Update(array, index, _) if index is fold.index and place_of(array, fold.state, aliases) == path:
            whole = is_zero(init) and alpha_equal(size_of(init), fold.size)
            found[path] = Role.RECORD if whole else Role.FILLED


def place_of(term: Term, state: Var, aliases: Mapping[Var, Term]) -> Path | None:
    """The positions of `state.0.1`, through names; None for anything else."""
    path: list[int] = []
    while True:
        if isinstance(term, Proj):
            path.append(term.position)
            term = term.tuple
        elif isinstance(term, Var) and term in aliases:
            term = aliases[term]
        else:
            return tuple(reversed(path)) if term is state else None


def _reads(term: Term, state: Var, path: Path, aliases: dict[Var, Term]) -> bool:
    """Might the term read this part of the state?  (Lengths do not.)"""
    seen: set[Term] = set()
    stack = [term]
    while stack:
        t = stack.pop()
        if t in seen:
            continue
        seen.add(t)
        place = place_of(t, state, aliases)
        if place is not None:
            shared = min(len(place), len(path))
            if place[:shared] == path[:shared]:
                return True
            continue
        if isinstance(t, Length) and place_of(t.array, state, aliases) is not None:
            continue
        stack.extend(children(t))
    return False

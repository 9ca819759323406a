"""What is saved of a tuple, or of an array of tuples: only the parts that the way back reads (design §4.4).

    x = (a, (b, c))   is saved as a and c   if the way back reads   x.0[i], x.1.1   and the length of x.1.0

Each part is an array, or a number, by itself: its rows are written where they are computed, and need no first value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from fsmooth.core.build import get, nested_build
from fsmooth.core.shape import size_of
from fsmooth.core.subst import substitute
from fsmooth.core.term import Build, Get, Length, MakeTuple, Proj, Term, Var, Zero
from fsmooth.core.traverse import children
from fsmooth.core.types import Tuple, Type, is_scalar, leaf_of, rank_of
from fsmooth.differentiate.reverse.sizes import root_of
from fsmooth.differentiate.reverse.steps import Item, Step

Positions = tuple[int, ...]


def parts_read(wanted: Iterable[Var], terms: Iterable[Term], recomputed: Sequence[Step]) -> dict[Var, set[Positions]]:
    """Of each variable the positions of the parts that the terms read, and the steps computed again; lengths are not.

    A step that gives a part another name reads what is read under that name.
    """
    names = [step for step in recomputed if isinstance(step.term, Proj)]
    found: dict[Var, set[Positions]] = {x: set() for x in (*wanted, *[step.var for step in names])}
    _find(found, [*terms, *[step.term for step in recomputed if not isinstance(step.term, Proj)]])
    for step in reversed(names):
        root = root_of(step.term)
        if root in found:
            own = _positions(step.term)
            found[root] |= {(*own, *positions) for positions in found[step.var]}
        _find(found, _indices(step.term))
    return found


def _find(found: dict[Var, set[Positions]], terms: Sequence[Term]) -> None:
    seen: set[Term] = set()
    stack = list(terms)
    while stack:
        t = stack.pop()
        if t in seen or found.keys().isdisjoint(t.free):
            continue
        seen.add(t)
        path = t.array if isinstance(t, Length) else t
        root = root_of(path)
        if root in found:
            if path is t:
                found[root].add(_positions(path))
            stack.extend(_indices(path))
        else:
            stack.extend(children(t))


def split(
    stored: Iterable[tuple[Var, Term]], read: Mapping[Var, set[Positions]]
) -> tuple[list[tuple[Var, Term]], list[Step], list[Item]]:
    """What is to be saved instead, with a value of its shape; the steps that make it, and those that put it together."""
    kept: list[tuple[Var, Term]] = []
    made: list[Step] = []
    joined: list[Item] = []
    for x, blank in stored:
        leaves = _leaves(blank, ())
        if any([isinstance(leaf_of(part.type), Tuple) for _, part in leaves]):
            kept.append((x, blank))  # sizes that only elements tell: there may be none
            continue
        own: dict[Positions, Var] = {}
        for positions, part in leaves:
            if any([positions[: len(p)] == p[: len(positions)] for p in read[x]]):
                if positions:
                    own[positions] = Var("_".join([x.name, *[str(k) for k in positions]]), part.type)
                    made.append(Step(own[positions], part_at(x, positions), active=False))
                else:
                    own[positions] = x
                kept.append((own[positions], part))
        if own != {(): x}:
            joined.append(Step(x, _joined(blank, (), (), own), active=False))
    return kept, made, joined


def _positions(path: Term) -> Positions:
    found: list[int] = []
    while isinstance(path, Get | Proj):
        if isinstance(path, Proj):
            found.append(path.position)
        path = path.array if isinstance(path, Get) else path.tuple
    return tuple(reversed(found))


def _indices(path: Term) -> list[Term]:
    found: list[Term] = []
    while isinstance(path, Get | Proj):
        if isinstance(path, Get):
            found.append(path.index)
        path = path.array if isinstance(path, Get) else path.tuple
    return found


def _leaves(blank: Term, at: Positions) -> list[tuple[Positions, Term]]:
    """The parts that are no tuples, and no arrays of tuples of numbers."""
    match blank:
        case MakeTuple(items):
            return [leaf for k, item in enumerate(items) for leaf in _leaves(item, (*at, k))]
        case Build(size, index, body) if _is_of_numbers(leaf_of(blank.type)):
            return [(positions, _rows(size, index, part)) for positions, part in _leaves(body, at)]
        case _:
            return [(at, blank)]


def _is_of_numbers(leaf: Type) -> bool:
    """A tuple of numbers, or of such tuples?  (Arrays of arrays of no elements would not know their sizes.)"""
    return isinstance(leaf, Tuple) and all([is_scalar(item) or _is_of_numbers(item) for item in leaf.items])


def _rows(size: Term, index: Var, element: Term) -> Term:
    if isinstance(element, Zero) and index not in element.free:
        return Zero((size, *element.sizes), element.leaf)
    return Build(size, index, element)


def part_at(value: Term, positions: Positions) -> Term:
    """The part of a tuple, or the array of the parts of an array of tuples."""
    if not positions:
        return value
    if isinstance(value.type, Tuple):
        return part_at(Proj(value, positions[0]), positions[1:])
    sizes = tuple([size_of(value, axis) for axis in range(rank_of(value.type))])
    return nested_build(sizes, lambda indices: part_at(get(value, *indices), positions))


def _joined(blank: Term, at: Positions, indices: tuple[Var, ...], own: Mapping[Positions, Var]) -> Term:
    """The whole from its parts; what was not saved is blank, and tells its lengths alone."""
    match blank:
        case MakeTuple(items):
            return MakeTuple(tuple([_joined(item, (*at, k), indices, own) for k, item in enumerate(items)]), blank.type)
        case Build(size, index, body) if _is_of_numbers(leaf_of(blank.type)):
            i = index.renamed()
            return Build(size, i, _joined(substitute(body, {index: i}), at, (*indices, i), own))
        case _:
            return get(own[at], *indices) if at in own else blank

"""What a definition is made of when it is split: a function of its value, which gives the same whenever it is asked.

Which components are stored or read is decided in optimise/bindings.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from fsmooth.core.alpha import alpha_equal
from fsmooth.core.hints import Hint
from fsmooth.core.term import Build, Call, Carrying, If, Let, MakeTuple, Proj, Reduce, Reduction, Term, Var, Zero
from fsmooth.core.traverse import is_loop, subterms
from fsmooth.core.types import Tuple
from fsmooth.optimise.inlining import on_indices
from fsmooth.optimise.rules.loop_fission import narrowed
from fsmooth.optimise.tuples_of_arrays import array_components, chosen, with_components, zipped_array
from fsmooth.optimise.unread import component, sum_of, with_zeros

Split = tuple[list[tuple[Var, Term]], Term]
"""The definitions that one is made of, and what it is, made of them."""

Splitting = Callable[[Term], Split | None]
Whole = Callable[[list[Term]], Term]
Summing = Callable[[Term], tuple[list[tuple[Hint, Term]], Whole]]
"""The sums that one is made of, with what they may be called, and what it is, made of terms that stand for them."""


def of_state(value: Term, read: frozenset[int], var: Var) -> Split | None:
    """A loop that carries only what the components that are read depend on; the others are as they began."""
    assert isinstance(value, Carrying)
    assert isinstance(value.init, MakeTuple)
    narrow = narrowed(value, set(read))
    if narrow is None:
        return None
    loop, order = narrow
    name = Var(var.name, loop.type, var.site)
    places: dict[int, Term] = {order[0]: name} if len(order) == 1 else {k: Proj(name, j) for j, k in enumerate(order)}
    return [(name, loop)], MakeTuple(tuple([places.get(k, i) for k, i in enumerate(value.init.items)]), value.type)


def of_components(value: Term, stored: tuple[int, ...], var: Var) -> Split | None:
    """An array of the components that are stored; the others are computed where they are read."""
    assert isinstance(value, Build)
    parts = array_components(value)
    assert parts is not None
    items: list[tuple[Var, Term]] = []
    if stored:
        array = with_components(value, stored)
        items.append((Var(var.name, array.type, var.site), array))
    apart = {k: part for k, part in enumerate(parts) if k not in stored}
    whole = zipped_array(value, apart, stored, items[0][0] if items else None)
    return None if whole is None else (items, whole)


def of_one(value: Term, one: int, var: Var) -> Split | None:
    """An array of the one component that is read; the others are zeros."""
    part = component(value, one)
    if part is None:
        return None
    array = Var(var.name, part.type, var.site)
    whole = with_zeros(array, one, value)
    return None if whole is None else ([(array, part)], whole)


def read_sums(value: Term, read: tuple[int, ...], hint: Hint) -> tuple[list[tuple[Hint, Term]], Whole]:
    """The sum of the components that are read."""
    assert isinstance(value.type, Tuple)
    items: list[Term] = [Proj(value, k) for k in range(len(value.type.items))]

    def whole(names: list[Term]) -> Term:
        (name,) = names
        places: dict[int, Term] = {k: name if len(read) == 1 else Proj(name, j) for j, k in enumerate(read)}
        return MakeTuple(tuple([places.get(k, item) for k, item in enumerate(items)]), value.type)

    return [(hint.part(read[0], read[0]) if len(read) == 1 else hint, sum_of(value, read))], whole


def by_guards(parts: Sequence[Term]) -> list[tuple[int, ...]]:
    """The positions of parts that are to be summed together: those that are zero where one condition does not hold, and those
    that are nowhere zero.  What is zero but at one index is by itself, since its sum can lose its loop.  Others stay together
    where the same loops, or calls, are in their definitions: apart, each sum would run these for itself.
    """
    alone: list[tuple[int, ...]] = []
    together: list[_Group] = []
    for k, part in enumerate(parts):
        costly: set[Var] = set()
        while isinstance(part, Let):
            costly.update([var for var, value in part.bindings if not _is_quick(value)])
            part = part.body
        guard = part.condition if isinstance(part, If) and isinstance(part.otherwise, Zero) else None
        if isinstance(part, Zero) or (guard is not None and on_indices(guard)):
            alone.append((k,))
            continue
        group = _Group([k], [guard], costly)
        for other in [other for other in together if other.belongs_to(group)]:
            together.remove(other)
            group = _Group(other.positions + group.positions, other.guards + group.guards, other.costly | group.costly)
        together.append(group)
    return [*alone, *sorted([tuple(sorted(group.positions)) for group in together])]


class _Group(Struct, frozen=True):
    """Parts that are summed together, where what guards them holds, with the definitions of loops and calls that they need."""

    positions: list[int]
    guards: list[Term | None]
    costly: set[Var]

    def belongs_to(self, other: _Group) -> bool:
        (guard,) = other.guards
        return not self.costly.isdisjoint(other.costly) or any([_is_same(own, guard) for own in self.guards])


def _is_quick(value: Term) -> bool:
    return not any([is_loop(part) or isinstance(part, Call) for part in subterms(value)])


def _is_same(a: Term | None, b: Term | None) -> bool:
    return a is b or (a is not None and b is not None and alpha_equal(a, b))


def sums_apart(value: Term, groups: list[tuple[int, ...]], hint: Hint) -> tuple[list[tuple[Hint, Term]], Whole]:
    """A sum for each group of components."""
    assert isinstance(value, Reduce)
    assert isinstance(value.type, Tuple)
    count = len(value.type.items)
    sums: list[tuple[Hint, Term]] = []
    for group in groups:
        loop = Reduce(Reduction.SUM, value.size, value.index, chosen(value.body, group))
        sums.append((hint.part(group[0], group[0]) if len(group) == 1 else hint, loop))

    def whole(names: list[Term]) -> Term:
        places: dict[int, Term] = {}
        for group, name in zip(groups, names, strict=True):
            places |= {k: name if len(group) == 1 else Proj(name, j) for j, k in enumerate(group)}
        return MakeTuple(tuple([places[k] for k in range(count)]), value.type)

    return sums, whole

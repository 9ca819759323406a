"""That all elements of an array of integers are below a size: how a program requires it, and how facts find it in a condition.

    all (length a) (fun i -> 0 <= a[i] && a[i] < n)

The condition is an ordinary one, so that every stage keeps it; where it is known, each element of `a` is an index into n elements
(rewrite.facts).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import starmap

from msgspec import Struct

from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.build import both, either, minus, named_part, plus, reduce
from fsmooth.core.term import Const, Get, If, Length, Let, Prim, Reduce, Reduction, Term, Var
from fsmooth.core.traverse import children
from fsmooth.core.types import Int, rank_of

Part = tuple[Var | int, ...]
"""A variable, and which component of it, at any depth: of `hand.0.1`, `(hand, 0, 1)`."""

Below = tuple[Term, Term]
"""An array of integers, and what its elements, which are not negative, are below."""


class Said(Struct, frozen=True):
    """For all of some indices, each below a size, `value` is not negative and below `limit`, or a condition that holds."""

    indices: tuple[tuple[Var, Term], ...]
    value: Term
    limit: Term | None = None


def is_index(number: Term, size: Term) -> Term:
    """0 <= number < size."""
    return both(Prim(p.less_equal, (Const(0), number)), Prim(p.less, (number, size)))


def all_indices(array: Term, size: Term) -> Term:
    """Every element of the array is from 0 to less than the size."""

    def of(part: Term, axis: int) -> Term:
        if axis == rank_of(array.type):
            return is_index(part, size)
        return reduce(Reduction.ALL, Length(array, axis), lambda i: of(Get(part, i), axis + 1))

    return of(array, 0)


def never_decreasing(array: Term) -> Term:
    """No element of the array is less than the one before it."""
    steps = minus(Length(array, 0), Const(1))
    return reduce(Reduction.ALL, steps, lambda i: Prim(p.less_equal, (Get(array, i), Get(array, plus(i, Const(1))))))


def ends_are_indices(array: Term, size: Term) -> Term:
    """The first element and the last, if there are any, are from 0 to less than the size: all are, of what never decreases."""
    length = Length(array, 0)
    last = Prim(p.less, (Get(array, minus(length, Const(1))), size))
    first = Prim(p.less_equal, (Const(0), Get(array, Const(0))))
    return either(Prim(p.less_equal, (length, Const(0))), both(first, last))


def part_as_written(array: Term) -> Part | None:
    """Which variable, or component of one, an array is, without the definitions of variables; None if it is neither."""
    found = named_part(array)
    return None if found is None else (found[0], *found[1])


def ranges_in(
    condition: Term,
    define: Callable[[Term], Term],
    same: Callable[[Term, Length], bool],
    part_of: Callable[[Term], Part | None] = part_as_written,
) -> Iterator[Below]:
    """The arrays whose elements a condition says to be indices; `define` gives definitions, `same` says if a size is a length.

    They are variables, or components of variables, as `part_of` knows them.
    """
    indices: list[Var] = []
    sizes: list[Term] = []
    body = condition
    while isinstance(body, Reduce) and body.reduction is Reduction.ALL:
        indices.append(body.index)
        sizes.append(body.size)
        body = define(body.body)
    if not indices:
        return
    sides = [side for part in _parts(body, define) for side in _sides(part)]
    for element in dict.fromkeys([a for a, _ in sides]):
        array = _array_of(element, indices, define)
        part = None if array is None else part_of(array)
        if array is None or part is None or not all([same(n, Length(array, axis)) for axis, n in enumerate(sizes)]):
            continue
        limits = [limit for a, limit in sides if a is element or _is_element(a, part, indices, define, part_of)]
        above = [n for n in limits if n is not None and n.free.isdisjoint(indices)]
        if above and None in limits:
            yield array, above[0]


def limits_in(condition: Term, define: Callable[[Term], Term]) -> list[tuple[Term, Term | None]]:
    """The numbers that a condition compares, and what each is below, or None where it is not negative."""
    return [(define(a), limit) for part in _parts(condition, define) for a, limit in _sides(part)]


def said_of_all(condition: Term, define: Callable[[Term], Term]) -> Iterator[Said]:
    """What a condition says of all indices: that what is computed from them is an index, and comparisons."""
    indices: list[tuple[Var, Term]] = []
    body = condition
    while isinstance(body, Reduce) and body.reduction is Reduction.ALL:
        indices.append((body.index, body.size))
        body = define(body.body)
    named: dict[Term, Term] = {}
    while isinstance(body, Let):
        named |= dict(body.bindings)
        body = body.body
    bound = frozenset([index for index, _ in indices])
    parts = list(_parts(body, lambda t: named.get(t) or define(t)))
    sides = [side for part in parts for side in _sides(part)]
    for value, none in sides:
        above = [n for a, n in sides if n is not None and n.free.isdisjoint(bound) and alpha_equal(a, value)]
        made = named.get(value) or define(value)
        if none is None and above and bound <= made.free:
            yield Said(tuple(indices), made, above[0])
    for part in parts:
        if isinstance(part, Prim) and isinstance(part.arguments[0].type, Int) and bound <= part.free:
            yield Said(tuple(indices), part)


def matched(said: Said, term: Term) -> dict[Var, Term] | None:
    """The indices for which `term` is what is said something of."""
    found: dict[Var, Term] = {}
    open_ = {index for index, _ in said.indices}

    def match(pattern: Term, part: Term) -> bool:
        if isinstance(pattern, Var) and pattern in open_:
            return alpha_equal(found.setdefault(pattern, part), part)
        if pattern is part or open_.isdisjoint(pattern.free):
            return alpha_equal(pattern, part)
        if not isinstance(pattern, Prim | Get) or type(pattern) is not type(part):
            return False
        if isinstance(pattern, Prim) and isinstance(part, Prim) and pattern.primitive is not part.primitive:
            return False
        return all(starmap(match, zip(children(pattern), children(part), strict=True)))

    return found if match(said.value, term) and found.keys() == open_ else None


def _parts(condition: Term, define: Callable[[Term], Term]) -> Iterator[Term]:
    """The conditions that hold if this one does."""
    condition = define(condition)
    match condition:
        case If(a, b, Const(False)):
            yield from _parts(a, define)
            yield from _parts(b, define)
        case _:
            yield condition


def _sides(condition: Term) -> Iterator[tuple[Term, Term | None]]:
    """What a comparison says: a number and what it is below, or None if it is not negative."""
    match condition:
        case Prim(_, arguments) if not isinstance(arguments[0].type, Int):
            return
        case Prim(p.less_equal, (Const(low), a)) | Prim(p.greater_equal, (a, Const(low))) if low >= 0:
            yield a, None
        case Prim(p.less, (Const(low), a)) | Prim(p.greater, (a, Const(low))) if low >= -1:
            yield a, None
        case Prim(p.less, (a, n)) | Prim(p.greater, (n, a)):
            yield a, n
        case Prim(p.less_equal, (a, n)) | Prim(p.greater_equal, (n, a)):
            yield a, plus(n, Const(1))


def _array_of(element: Term, indices: list[Var], define: Callable[[Term], Term]) -> Term | None:
    """The array of which this is the element at these indices."""
    part = define(element)
    for index in reversed(indices[1:]):
        if not (isinstance(part, Get) and part.index is index):
            return None
        part = define(part.array)
    if not (isinstance(part, Get) and part.index is indices[0]):
        return None
    return part.array if rank_of(part.array.type) == len(indices) else None


def _is_element(
    number: Term,
    part: Part,
    indices: list[Var],
    define: Callable[[Term], Term],
    part_of: Callable[[Term], Part | None],
) -> bool:
    array = _array_of(number, indices, define)
    return array is not None and part_of(array) == part

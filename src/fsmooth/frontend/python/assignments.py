"""`x[…] = v`: the array with other elements, which are set one after another where they are.

The right side is what it was before any of them changed; it is stretched over the elements as in broadcasting, and an array
keeps its shape and the type of its elements.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from msgspec import Struct

from fsmooth.core.build import build, components, get
from fsmooth.core.term import Build, Const, Get, If, IFold, Length, Term, Update, Var
from fsmooth.core.types import INT, Float, Int, Tuple, Type, array_of, leaf_of, rank_of
from fsmooth.core.weak import is_weak
from fsmooth.errors import RankError, TypeMismatchError
from fsmooth.frontend.python.brackets import Index
from fsmooth.frontend.python.conversion import convert
from fsmooth.frontend.python.displays import display
from fsmooth.frontend.python.frame import Frame, is_path
from fsmooth.frontend.python.indexing import checked
from fsmooth.frontend.python.kinds import describe, identical, join_types
from fsmooth.frontend.python.masks import fitting, is_mask
from fsmooth.frontend.python.reading import elements
from fsmooth.frontend.python.selections import Selection, selection
from fsmooth.frontend.python.sizes import alike, constant_size, length_of, same_size

Change = Callable[[Term, Term], Term]
"""The new element, or the new elements, from the old and what is assigned."""


class Place(Struct, frozen=True):
    """Where the user assigns: the brackets, the statement, and what the array is called."""

    target: ast.Subscript
    node: ast.AST
    name: str


def assigned(frame: Frame, array: Term, indices: list[Index], value: Term, place: Place) -> Term:
    """The array in which the elements that `indices` mean are those of `value`."""
    value = frame.bind(as_array(frame, array, value, place.node), "value")
    array = frame.bind(giving_way(frame, array, value, place.node), place.name)
    mask = mask_alone(indices, array, value)
    if mask is not None:
        return where_mask(frame, array, mask, value, lambda old, new: new, place)
    chosen = selection(frame, array, indices, place.target)
    return with_elements(frame, array, chosen, value, lambda old, new: new, place)


def combined(frame: Frame, array: Term, indices: list[Index], change: Change, amount: Term, place: Place) -> Term:
    """The array in which `amount` is combined with the elements that `indices` mean, each of them once."""
    amount = as_array(frame, array, amount, place.node)
    mask = mask_alone(indices, array, amount)
    if mask is not None:
        array = frame.bind(giving_way(frame, array, amount, place.node), place.name)
        return where_mask(frame, array, mask, frame.bind(amount, "amount"), change, place)
    chosen = selection(frame, array, indices, place.target)
    if chosen.is_view:
        return accumulated(frame, array, indices, change, amount, place)
    old = elements(frame, array, chosen)
    return assigned(frame, array, indices, change(old, amount), place)


def accumulated(frame: Frame, array: Term, indices: list[Index], change: Change, amount: Term, place: Place) -> Term:
    """The array in which `amount` is combined with the elements that `indices` mean, as often as they are named."""
    amount = as_array(frame, array, amount, place.node)
    array = frame.bind(giving_way(frame, array, amount, place.node), place.name)
    chosen = selection(frame, array, indices, place.target)
    return with_elements(frame, array, chosen, frame.bind(amount, "amount"), change, place)


def with_elements(frame: Frame, array: Term, chosen: Selection, value: Term, change: Change, place: Place) -> Term:
    """`array`, where each element that is chosen is made of the old one and its part of `value`, one after another."""
    whole = [length_of(frame, array, place.node, k) for k in range(len(chosen.axes), rank_of(array.type))]
    right = stretched(frame, value, [*chosen.sizes, *whole], place)
    rows = right.sizes[len(chosen.sizes) :]
    if not chosen.axes and not chosen.sizes:
        new = fitting_type(frame, change(array, right.part((), rows)), array.type, place.node, place.name)
        return alike(frame, copied(new), array, place.node, place.name)
    indices = [Var("ijklmn"[k % 6], INT, frame.site(place.node)) for k in range(len(chosen.sizes))]
    frame.shared.ranges.update(zip(indices, chosen.sizes, strict=True))

    def set_one(state: Term) -> Term:
        def new(old: Term) -> Term:
            made = fitting_type(frame, change(old, right.part(indices, rows)), old.type, place.node, place.name)
            model = get(array, *[Const(0)] * len(chosen.axes))
            return alike(frame, made, model, place.node, f"an element of {place.name}")

        return replaced(frame, state, chosen.places(indices), new)

    def folded(state: Term, depth: int) -> Term:
        if depth == len(indices):
            return set_one(state)
        inner = Var(place.name, array.type, frame.site(place.node))
        frame.shared.models[inner] = array
        step = frame.inside(lambda: folded(inner, depth + 1), conditional=True)
        return IFold(right.sizes[depth], state, inner, indices[depth], step)

    return folded(array, 0)


def replaced(frame: Frame, array: Term, places: Sequence[Term], new: Callable[[Term], Term]) -> Term:
    """The array with another element in one place."""
    if not places:
        return new(array)
    first, *rest = places
    at = frame.bind(first, "at")
    return Update(array, at, replaced(frame, Get(array, at), rest, new))


def copied(array: Term) -> Term:
    """An array that is not the same as another that has a name."""
    return build(Length(array), lambda i: Get(array, i)) if is_path(array) else array


def as_array(frame: Frame, array: Term, value: Term, node: ast.AST) -> Term:
    """The value; a tuple of numbers as an array, where the elements are numbers."""
    is_row = isinstance(value.type, Tuple) and not isinstance(leaf_of(array.type), Tuple)
    return display(frame, list(components(value)), node) if is_row else value


def mask_alone(indices: list[Index], array: Term, value: Term) -> Term | None:
    """The mask that is the only index, if `value` is the same for all elements where it holds."""
    first, *rest = indices
    if rest or not isinstance(first, Term) or not is_mask(first):
        return None
    return first if rank_of(value.type) <= rank_of(array.type) - rank_of(first.type) else None


def where_mask(frame: Frame, array: Term, mask: Term, value: Term, change: Change, place: Place) -> Term:
    """`array`, where each element for which the mask holds, which is for its first axes, is made of the old and `value`."""
    mask = fitting(frame, array, mask, 0, place.node)
    depth = rank_of(mask.type)
    sizes = [length_of(frame, array, place.node, k) for k in range(rank_of(array.type))]
    indices = [Var("ijklmn"[k % 6], INT, frame.site(place.node)) for k in range(len(sizes))]
    right = stretched(frame, value, sizes, place)
    old = get(array, *indices)

    def new() -> Term:
        return fitting_type(frame, change(old, right.part(indices, ())), old.type, place.node, place.name)

    result: Term = If(get(mask, *indices[:depth]), frame.inside(new, conditional=True), old)
    for size, index in zip(reversed(sizes), reversed(indices), strict=True):
        result = Build(size, index, result)
    return result


class Right(Struct, frozen=True):
    """A right side over elements of these sizes: which of its axes are stretched."""

    value: Term
    stretched: tuple[bool, ...]
    sizes: list[Term]

    def part(self, indices: Sequence[Term], rows: Sequence[Term]) -> Term:
        """The part for the element at `indices`, an array of the sizes `rows`."""
        depth = len(self.stretched) - len(rows)
        if depth >= 0 and not any(self.stretched[depth:]):
            return self._at(indices[len(indices) - depth :])
        names = [Var("ijklmn"[k % 6], INT) for k in range(len(rows))]
        full = [*indices, *names]
        part = self._at(full[len(full) - len(self.stretched) :])
        for size, name in zip(reversed(rows), reversed(names), strict=True):
            part = Build(size, name, part)
        return part

    def _at(self, indices: Sequence[Term]) -> Term:
        pairs = zip(indices, self.stretched, strict=False)
        return get(self.value, *[Const(0) if fixed else index for index, fixed in pairs])


def stretched(frame: Frame, value: Term, sizes: Sequence[Term], place: Place) -> Right:
    """A right side over elements of these sizes, which are then known to be those that it has."""
    rank = rank_of(value.type)
    if rank > len(sizes):
        count = f"{len(sizes)} dimension{'s' * (len(sizes) != 1)}"
        what = f"{describe(value.type)} for elements of {place.name}, {count} of which are assigned"
        frame.fail(RankError, place.node, what, "give the right side as many dimensions, or fewer")
    agreed, fixed = list(sizes), []
    for axis in range(rank):
        at = len(sizes) - rank + axis
        have = length_of(frame, value, place.node, axis)
        fixed.append(constant_size(frame, have) == 1 and constant_size(frame, sizes[at]) != 1)
        if not fixed[-1]:
            agreed[at] = same_size(frame, sizes[at], have, place.node, f"elements of {place.name}")
    return Right(value, tuple(fixed), agreed)


def fitting_type(frame: Frame, new: Term, wanted: Type, node: ast.AST, name: str) -> Term:
    """New elements at the type that the array has."""
    if isinstance(leaf_of(new.type), Float) and isinstance(leaf_of(wanted), Int):
        frame.fail(
            TypeMismatchError,
            node,
            f"{name} holds integers, so a real number cannot be put into it",
            f"make {name} an array of real numbers: start it with 0.0, or dtype=float",
        )
    return convert(frame, new, wanted, node)


def giving_way(frame: Frame, array: Term, value: Term, node: ast.AST) -> Term:
    """An array of weak numbers at the width of a value that is put into it; others as they are."""
    leaf = leaf_of(array.type)
    joined = join_types(leaf, leaf_of(value.type))
    if not is_weak(leaf) or joined is None or identical(joined, leaf):
        return array
    return convert(frame, array, array_of(joined, rank_of(array.type)), node)


def in_place(frame: Frame, old: Term, new: Term, node: ast.AST, name: str) -> Term:
    """`new` in the place of an array, which keeps its shape and the type of its elements."""
    if rank_of(new.type) != rank_of(old.type):
        what = f"{describe(new.type)} in the place of {name}, {describe(old.type)}"
        frame.fail(RankError, node, what, f"write {name} = {name} + … to make another array")
    wanted = giving_way(frame, old, new, node).type
    return alike(frame, fitting_type(frame, new, wanted, node, name), old, node, name)


def updated(frame: Frame, array: Term, indices: Sequence[Term], value: Term, node: ast.AST, what: str) -> Term:
    """The array with one element replaced."""
    first, *rest = indices
    array = frame.bind(giving_way(frame, array, value, node), "a")
    at = frame.bind(checked(frame, first, length_of(frame, array, node), node, what), "at")
    if rest:
        return Update(array, at, updated(frame, Get(array, at), rest, value, node, what))
    old = Get(array, at)
    new = fitting_type(frame, value, old.type, node, what)
    return Update(array, at, alike(frame, new, old, node, f"an element of {what}"))

"""Values and destinations: strided views, scalars, and tuples of them (design §6).

A value says where something can be read, a destination where it must be written; a view of memory is both.
An array of tuples is a `Group` of views: arrays of tuples are tuples of arrays (paper 000, §5.2).
"""

from __future__ import annotations

from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from fsmooth.core.types import Type
from fsmooth.loops.arithmetic import ONE, integer, plus, times
from fsmooth.loops.tree import Expression, Load, Name


class Mode(Enum):
    """`dest := e` or `dest += e`."""

    ASSIGN = "assign"
    ACCUMULATE = "accumulate"


class View(Struct, frozen=True, eq=False):
    """Part of a buffer.  Without sizes it is one scalar in memory.  `dense`: row-major without gaps.

    `added`: as a destination it is added to, whatever the mode (lower/accumulators.py).  `started`: as a destination of a
    fold it contains the initial state already (lower/placement/continuing.py).
    """

    buffer: str
    offset: Expression
    strides: tuple[Expression, ...]
    sizes: tuple[Expression, ...]
    leaf: Type
    dense: bool = True
    added: bool = False
    started: bool = False

    def at(self, index: Expression) -> View:
        """The element, or the part, at an index of the first axis."""
        offset = plus(self.offset, times(index, self.strides[0]))
        return View(self.buffer, offset, self.strides[1:], self.sizes[1:], self.leaf, self.dense, self.added)

    def count(self) -> Expression:
        """The number of scalars."""
        total: Expression = ONE
        for size in self.sizes:
            total = times(total, size)
        return total


class Scalar(Struct, frozen=True, eq=False):
    """A value that is an expression."""

    expression: Expression


class Local(Struct, frozen=True, eq=False):
    """A destination that is a local variable."""

    name: str
    type: Type
    added: bool = False


class Group(Struct, frozen=True, eq=False):
    """A tuple of values or destinations, under the array axes of `sizes` if it stands for an array of tuples."""

    items: tuple[Value | Destination, ...]
    sizes: tuple[Expression, ...] = ()


Value = View | Scalar | Group
Destination = View | Local | Group


def value_at(value: Value, index: Expression) -> Value:
    """The element of an array value."""
    if isinstance(value, View):
        return value.at(index)
    assert isinstance(value, Group)
    return Group(tuple([value_at(item, index) for item in value.items]), value.sizes[1:])  # type: ignore[arg-type]


def destination_at(dest: Destination, index: Expression) -> Destination:
    """The place of an element of an array destination."""
    if isinstance(dest, View):
        return dest.at(index)
    assert isinstance(dest, Group)
    return Group(tuple([destination_at(item, index) for item in dest.items]), dest.sizes[1:])  # type: ignore[arg-type]


def readable(dest: Destination) -> Value:
    """What was written to `dest`, as a value."""
    if isinstance(dest, View):
        return dest
    if isinstance(dest, Local):
        return Scalar(Name(dest.name, dest.type))
    return Group(tuple([readable(item) for item in dest.items]), dest.sizes)  # type: ignore[arg-type]


def leaves(value: Value | Destination) -> list[View | Scalar | Local]:
    """The views and scalars of a value, left to right."""
    if not isinstance(value, Group):
        return [value]
    found: list[View | Scalar | Local] = []
    for item in value.items:
        found.extend(leaves(item))
    return found


def dense_view(buffer: str, sizes: tuple[Expression, ...], leaf: Type) -> View:
    """A whole buffer in row-major order."""
    strides: list[Expression] = []
    step: Expression = ONE
    for size in reversed(sizes):
        strides.append(step)
        step = times(size, step)
    return View(buffer, integer(0), tuple(reversed(strides)), sizes, leaf)


def load(view: View) -> Load:
    """The scalar at a view without axes."""
    return Load(view.buffer, view.offset, view.leaf)


def is_added(place: Destination) -> bool:
    """Is the place only added to?  (Empty tuples in it have no say.)"""
    found = leaves(place)
    return bool(found) and all([not isinstance(leaf, Scalar) and leaf.added for leaf in found])


def is_partly_added(place: Destination) -> bool:
    """Is some part of the place only added to?"""
    return any([not isinstance(leaf, Scalar) and leaf.added for leaf in leaves(place)])


def added(place: Destination) -> Destination:
    """The place, to be added to whatever the mode."""
    if isinstance(place, Group):
        return Group(tuple([added(item) for item in place.items]), place.sizes)  # type: ignore[arg-type]
    return replace(place, added=True)


def started(place: Destination) -> Destination:
    """The place, which contains what a fold that is computed there starts from."""
    if isinstance(place, Group):
        return Group(tuple([started(item) for item in place.items]), place.sizes)  # type: ignore[arg-type]
    return replace(place, started=True) if isinstance(place, View) else place

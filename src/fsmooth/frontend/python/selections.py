"""Which elements of an array `x[…]` means: one plan for what is read and for what is assigned.

Numbers choose one place of an axis, slices equally spaced ones, arrays of integers any; arrays are broadcast against each
other, and where their axes go in the result is NumPy's rule: where the first of them stands if nothing stands between
them, else first.  Axes at the end that are taken whole stay rows.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from msgspec import Struct

from fsmooth.core.broadcast import Aligned, aligned
from fsmooth.core.term import Const, Term
from fsmooth.core.types import Array, rank_of
from fsmooth.errors import RankError
from fsmooth.frontend.python.brackets import WHOLE, Index, Mark, is_whole
from fsmooth.frontend.python.broadcasting import agreed
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.indexing import checked, counted_from_end
from fsmooth.frontend.python.kinds import describe
from fsmooth.frontend.python.masks import fitting, is_mask, positions
from fsmooth.frontend.python.proofs import has_natural_elements
from fsmooth.frontend.python.sizes import constant_size, length_of
from fsmooth.frontend.python.slices import Span, span
from fsmooth.frontend.python.values import Slice


class Spanned(Struct, frozen=True):
    """An axis of which a slice is taken, which is an axis of the result."""

    span: Span
    axis: int


class Listed(Struct, frozen=True):
    """An axis of which an array says the places: the array, which one it is of those that go together, the size."""

    places: Term
    position: int
    size: Term


class Selection(Struct, frozen=True):
    """The sizes of the result, and for each axis of the array, up to those that stay rows, where its elements are."""

    frame: Frame
    node: ast.Subscript
    sizes: tuple[Term, ...]
    axes: tuple[Term | Spanned | Listed, ...]
    together: Aligned
    first: int

    @property
    def is_view(self) -> bool:
        """Does the result share the memory of the array in NumPy?"""
        return not self.together.stretched

    @property
    def is_all(self) -> bool:
        """Are all axes taken whole?"""
        return not self.axes and not self.sizes

    def places(self, indices: Sequence[Term]) -> list[Term]:
        """Where the element of the result at `indices` is in the array."""
        return [self._place(axis, indices) for axis in self.axes]

    def _place(self, axis: Term | Spanned | Listed, indices: Sequence[Term]) -> Term:
        match axis:
            case Spanned(along, k):
                return along.at(indices[k])
            case Listed(places, position, size):
                own = indices[self.first : self.first + len(self.together.sizes)]
                index = self.together.element(position, places, own)
                if has_natural_elements(self.frame, places):
                    return checked(self.frame, index, size, self.node, self.what)
                return counted_from_end(self.frame, index, size, self.node, self.what)
            case _:
                return axis

    @property
    def what(self) -> str:
        """What is indexed, as the user wrote it."""
        return self.frame.source.segment(self.node.value)


def selection(frame: Frame, array: Term, indices: list[Index], node: ast.Subscript) -> Selection:
    """The elements of `array`, which is a name or a path, that `indices` mean."""
    items = without_masks(frame, array, spread(frame, array, indices, node), node)
    lists = [k for k, item in enumerate(items) if is_list(item)]
    bound = {k: frame.bind(items[k], "places") for k in lists}  # type: ignore[arg-type]
    shapes = [[length_of(frame, bound[k], node, axis) for axis in range(rank_of(bound[k].type))] for k in lists]
    together = aligned(shapes, lambda size: constant_size(frame, size) == 1)
    shape = [agreed(frame, along, node) for along in together.sizes]
    chosen = [k for k, item in enumerate(items) if isinstance(item, Term)] if lists else []
    begins = -1
    if chosen:
        begins = chosen[0] if chosen[-1] - chosen[0] < len(chosen) else 0
    sizes: list[Term] = []
    axes: list[Term | Spanned | Listed] = []
    first = 0
    for k, item in enumerate(items):
        if k == begins:
            first = len(sizes)
            sizes += shape
        size = length_of(frame, array, node, len(axes)) if len(axes) < rank_of(array.type) else Const(1)
        match item:
            case Mark():
                sizes.append(Const(1))
            case Slice():
                along = span(frame, item, size, node)
                axes.append(Spanned(along, len(sizes)))
                sizes.append(along.count)
            case _ if k in bound:
                axes.append(Listed(bound[k], lists.index(k), size))
            case _:
                axes.append(checked(frame, item, size, node, frame.source.segment(node.value)))
    return Selection(frame, node, tuple(sizes), tuple(axes), together, first)


def spread(frame: Frame, array: Term, indices: list[Index], node: ast.AST) -> list[Index]:
    """One index for each axis: `…` stands for those that are left; whole axes at the end are left out."""
    taken = sum([axes_of(index) for index in indices])
    rank = rank_of(array.type)
    if taken > rank:
        what = f"{taken} indices for {describe(array.type)}"
        frame.fail(RankError, node, what, "give at most one index for each dimension")
    marks = [k for k, index in enumerate(indices) if index is Mark.ELLIPSIS]
    if len(marks) > 1:
        frame.fail(RankError, node, "an index with two …", "only one … can stand for the dimensions that are left")
    at = marks[0] if marks else len(indices)
    items = [*indices[:at], *[WHOLE] * (rank - taken), *indices[at + 1 :]]
    while items and is_whole(items[-1]):
        items.pop()
    return items


def axes_of(index: Index) -> int:
    """How many axes of the array an index is for."""
    if isinstance(index, Mark):
        return 0
    return rank_of(index.type) if is_mask(index) else 1  # type: ignore[union-attr]


def without_masks(frame: Frame, array: Term, items: list[Index], node: ast.AST) -> list[Index]:
    """The indices, with the places where masks hold in their stead."""
    result: list[Index] = []
    axis = 0
    for item in items:
        if isinstance(item, Term) and is_mask(item):
            result += positions(frame, fitting(frame, array, item, axis, node), node)
        else:
            result.append(item)
        axis += axes_of(item)
    return result


def is_list(index: Index) -> bool:
    """Is it an array of integers?"""
    return isinstance(index, Term) and isinstance(index.type, Array)

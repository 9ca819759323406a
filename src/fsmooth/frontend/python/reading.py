"""`x[…]` read: a nest of builds over the element that stands there."""

from __future__ import annotations

import ast

from fsmooth.core.build import get
from fsmooth.core.term import Build, Term, Var
from fsmooth.core.types import INT
from fsmooth.frontend.python.brackets import Index
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.masks import before_mask, compressed, fitting, only_first
from fsmooth.frontend.python.selections import Selection, selection


def subscript(frame: Frame, array: Term, indices: list[Index], node: ast.Subscript) -> Term:
    """array[…] of these indices."""
    array = frame.bind(array, "a")
    first, *rest = indices
    if isinstance(first, Term) and only_first(indices):
        left = before_mask(first, rest)
        mask = fitting(frame, array, first, 0, node)
        taken = subscript(frame, array, left, node) if left else array
        return compressed(frame, frame.bind(taken, "a"), mask, node)
    return elements(frame, array, selection(frame, array, indices, node))


def elements(frame: Frame, array: Term, chosen: Selection) -> Term:
    """The elements of an array that a selection means."""
    names = [Var("ijklmn"[k % 6], INT, frame.site(chosen.node)) for k in range(len(chosen.sizes))]
    frame.shared.ranges.update(zip(names, chosen.sizes, strict=True))
    result = frame.inside(lambda: get(array, *chosen.places(names)))
    for name, size in zip(reversed(names), reversed(chosen.sizes), strict=True):
        result = Build(size, name, result)
    if chosen.is_view and chosen.sizes:
        frame.shared.views.remember(result, array)
    return result

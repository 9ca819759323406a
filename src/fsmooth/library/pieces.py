"""What the functions that depend on ranks are made from: definitions of M̃ inlined, shapes, indices."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fsmooth.core import primitives as p
from fsmooth.core.term import Prim, Term, Var
from fsmooth.core.types import INT, rank_of
from fsmooth.frontend.text import tree
from fsmooth.frontend.text.values import is_path
from fsmooth.library.definitions import definition
from fsmooth.library.inlining import LibraryElaborator, resolved_size

Expansion = Callable[[LibraryElaborator, Sequence[Term]], Term]
PLACE = tree.Node(0, 0)
"""Of terms that no text was read for."""


def inlined(elaborator: LibraryElaborator, name: str, *arguments: Term) -> Term:
    """The definition `name` of M̃ on the arguments."""
    head = definition(name)
    assert head is not None, name
    return elaborator.call(head, list(arguments), PLACE)


def shared(term: Term, name: str) -> tuple[list[tuple[Var, Term]], Term]:
    """The bindings that make `term` cheap to mention often, and what to mention."""
    if is_path(term):
        return [], term
    variable = Var(name, term.type)
    return [(variable, term)], variable


def shape_of(array: Term) -> list[Term]:
    """The sizes of an array."""
    return [resolved_size(array, axis) for axis in range(rank_of(array.type))]


def index_along(axis: int) -> Var:
    """A new index for an axis, named as the papers name them."""
    return Var("ijklmn"[axis % 6], INT)


def unravelled(place: Term, sizes: Sequence[Term]) -> list[Term]:
    """The indices of the element at `place` of an array of these sizes, read row by row."""
    indices: list[Term] = []
    for size in reversed(sizes[1:]):
        indices.append(Prim(p.modulo, (place, size)))
        place = Prim(p.floor_divide, (place, size))
    return [place, *reversed(indices)]

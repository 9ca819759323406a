"""The elements of arrays in another arrangement: ravel, transpose, concatenate, stack."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from fsmooth.core import primitives as p
from fsmooth.core.build import components, get, times
from fsmooth.core.term import Build, Term, Var, Vector, let
from fsmooth.core.types import INT, Array, Tuple, rank_of
from fsmooth.frontend.text import tree
from fsmooth.frontend.text.joins import together
from fsmooth.library.inlining import LibraryElaborator, WrongArguments, resolved_size
from fsmooth.library.pieces import index_along, inlined, shape_of, shared, unravelled


def ravel(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
    """The elements row by row."""
    array = arguments[0]
    if rank_of(array.type) == 0:
        return Vector((array,))
    if rank_of(array.type) == 1:
        return array
    bound, array = shared(array, "a")
    sizes = shape_of(array)
    index = Var("k", INT)
    return let(bound, Build(reduce(times, sizes), index, get(array, *unravelled(index, sizes))))


def transpose(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
    """All axes in the opposite order."""
    array = arguments[0]
    rank = rank_of(array.type)
    if rank < 2:
        return array
    bound, array = shared(array, "a")
    indices = [index_along(axis) for axis in range(rank)]
    result = get(array, *reversed(indices))
    for axis, index in zip(range(rank), reversed(indices), strict=True):
        result = Build(resolved_size(array, axis), index, result)
    return let(bound, result)


def concatenate(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
    """Arrays one after the other, whose other sizes agree."""
    parts = components(arguments[0]) if isinstance(arguments[0].type, Tuple) else tuple(arguments)
    if any([not isinstance(q.type, Array) for q in parts]):
        raise WrongArguments("concatenate wants arrays")
    bound: list[tuple[Var, Term]] = []
    named: list[Term] = []
    for part in parts:
        more, name = shared(part, "part")
        bound.extend(more)
        named.append(name)
    whole: Callable[[], Term] = lambda: reduce(lambda a, b: inlined(elaborator, "vectorConcat", a, b), named)
    return let(bound, _same_shapes(elaborator, named, 1, whole)())


def _same_shapes(
    elaborator: LibraryElaborator, parts: Sequence[Term], first: int, body: Callable[[], Term]
) -> Callable[[], Term]:
    """`body` under the requirement that the sizes of all parts agree from axis `first` on."""
    for other in parts[1:]:
        if rank_of(other.type) != rank_of(parts[0].type):
            raise WrongArguments("arrays of different ranks cannot be put together")
        for axis in range(first, rank_of(other.type)):
            body = _agreeing(elaborator, resolved_size(parts[0], axis), resolved_size(other, axis), body)
    return body


def stack(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
    """Values of one shape as the rows of an array."""
    parts = list(components(arguments[0])) if isinstance(arguments[0].type, Tuple) else list(arguments)
    same = together(parts)
    if same is None:
        raise WrongArguments("stack of values of several types")
    first, *rest = same

    def rows() -> Term:
        """Arrays of tuples may have arrays in these."""
        return Vector((first, *[elaborator.alike(row, first, tree.Node(0, 0), "rows of an array") for row in rest]))

    return _same_shapes(elaborator, same, 0, rows)()


def _agreeing(elaborator: LibraryElaborator, left: Term, right: Term, body: Callable[[], Term]) -> Callable[[], Term]:
    return lambda: elaborator.require(p.equal, left, right, body)

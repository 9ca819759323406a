"""Which sizes of parameters have one name: those that the program requires to be equal before anything else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fsmooth.backend.futhark.code import Dim, Sizes
from fsmooth.backend.futhark.names import Names
from fsmooth.core import primitives as p
from fsmooth.core.term import Const, If, Lam, Length, Prim, Proj, Require, Term, Var
from fsmooth.core.types import Array, Tuple, Type, leaf_of, rank_of

Axis = tuple[Var, tuple[int, ...], int]
"""A parameter, which component of it, and which dimension of that."""


class Axes:
    """Classes of equal dimensions, and the name or number of each."""

    def __init__(self) -> None:
        self._same: dict[Axis, Axis] = {}
        self._length: dict[Axis, str] = {}
        self.names_used: list[str] = []

    def of(self, axis: Axis) -> Axis:
        """The one that stands for its class."""
        while axis in self._same:
            axis = self._same[axis]
        return axis

    def join(self, one: Axis, other: Axis) -> None:
        """They are equal."""
        one, other = self.of(one), self.of(other)
        if one == other:
            return
        known = self._length.pop(other, None)
        self._same[other] = one
        if known is not None:
            self._length.setdefault(one, known)

    def built_in(self, axis: Axis, length: int) -> bool:
        """It is a number; False if it is another number already."""
        return self._length.setdefault(self.of(axis), str(length)) == str(length)

    def sizes(self, type_: Type, var: Var, where: tuple[int, ...], names: Names) -> Sizes:
        """The sizes of an array that is (a component of) a parameter."""
        return self._from(type_, var, where, 0, names)

    def _from(self, type_: Type, var: Var, where: tuple[int, ...], axis: int, names: Names) -> Sizes:
        if not isinstance(type_, Array):
            return None
        own = self.of((var, where, axis))
        if own not in self._length:
            self._length[own] = names.fresh_size()
        length = self._length[own]
        if not length.isdigit() and length not in self.names_used:
            self.names_used.append(length)
        return Dim(length, self._from(type_.element, var, where, axis + 1, names))


def axes_of(term: Lam, static: Mapping[tuple[int, int], int]) -> tuple[Axes, Term]:
    """The classes of dimensions, and the body without the requirements that they say."""
    axes = Axes()
    for x in term.parameters:
        _join_columns(axes, x, x.type, ())
    for (k, axis), length in static.items():
        if isinstance(term.parameters[k].type, Array):
            axes.built_in((term.parameters[k], (), axis), length)
    parameters = frozenset(term.parameters)
    body = term.body
    while isinstance(body, Require):
        left = [c for c in _conjuncts(body.condition) if not _said(c, axes, parameters)]
        if left:
            break
        body = body.body
    return axes, body


def _join_columns(axes: Axes, var: Var, type_: Type, where: tuple[int, ...]) -> None:
    """The arrays that an array of tuples is made of have its lengths."""
    if isinstance(type_, Tuple):
        for k, item in enumerate(type_.items):
            _join_columns(axes, var, item, (*where, k))
    elif isinstance(type_, Array) and isinstance(leaf_of(type_), Tuple):
        for column in _columns(leaf_of(type_), where):
            for axis in range(rank_of(type_)):
                axes.join((var, where, axis), (var, column, axis))


def _columns(type_: Type, where: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    leaf = leaf_of(type_)
    if isinstance(leaf, Tuple):
        for k, item in enumerate(leaf.items):
            yield from _columns(item, (*where, k))
    else:
        yield where


def _conjuncts(condition: Term) -> Iterator[Term]:
    if isinstance(condition, If) and isinstance(condition.otherwise, Const) and not condition.otherwise.value:
        yield from _conjuncts(condition.condition)
        yield from _conjuncts(condition.then)
    else:
        yield condition


def _said(condition: Term, axes: Axes, parameters: frozenset[Var]) -> bool:
    """Is it the equality of two dimensions of parameters, or of one and a number?  Then the types say so from here on."""
    match condition:
        case Const(True):
            return True
        case Prim(operation, (Length() as one, Length() as other)) if operation is p.equal:
            first, second = _axis(one, parameters), _axis(other, parameters)
            if first is None or second is None:
                return False
            axes.join(first, second)
            return True
        case Prim(operation, (Length() as one, Const(n)) | (Const(n), Length() as one)) if operation is p.equal:
            axis = _axis(one, parameters)
            return axis is not None and axes.built_in(axis, int(n))
        case _:
            return False


def _axis(length: Length, parameters: frozenset[Var]) -> Axis | None:
    where: tuple[int, ...] = ()
    array = length.array
    while isinstance(array, Proj):
        where = (array.position, *where)
        array = array.tuple
    return (array, where, length.axis) if isinstance(array, Var) and array in parameters else None

"""Derivatives as the user asks for them, by a tape: the wrapper of paper 003 (Fig. 7, §8), for each verb.

The ids of the inputs follow each other, in the order of the arguments and of their elements, so what is swept back to them is
one array, of which each part is the cotangent of one argument.
"""

from __future__ import annotations

from typing import cast

from fsmooth.core.build import nested_build, plus, times
from fsmooth.core.shape import size_of
from fsmooth.core.subst import refresh
from fsmooth.core.term import Build, Const, Deriv, Get, Lam, Let, MakeTuple, Swept, Taped, Term, Var, Verb
from fsmooth.core.types import INT, Array, Float, Tuple, Type, tangent, unzipped
from fsmooth.differentiate.derivatives import NoDerivative
from fsmooth.differentiate.encoding import item
from fsmooth.differentiate.leaves import element_at, in_width, leaf_shape
from fsmooth.differentiate.tape.record import recorded


def tape(deriv: Deriv) -> Lam:
    """The function that a `Deriv` of a function literal stands for, by a tape."""
    function = cast(Lam, refresh(deriv.function))
    chosen = [function.parameters[k] for k in deriv.wrt]
    sizes = [_reals(x) for x in chosen]
    start, size = Var("start", INT), Var("inputs", INT)
    places: list[Term] = []
    bindings: list[tuple[Var, Term]] = []
    place: Term = Const(0)
    for x, n in zip(chosen, sizes, strict=True):
        places.append(place)
        numbered = _numbered(x, plus(start, place))
        bindings.append((Var(x.name, numbered.type, x.site), numbered))
        place = plus(place, n)
    result = recorded(function.body, {x: var for x, (var, _) in zip(chosen, bindings, strict=True)})
    whole = Var("result", result.type)
    inside = _Inside(function, chosen, places, start, size, whole)
    match deriv.verb:
        case Verb.GRAD | Verb.VALUE_AND_GRAD:
            body = inside.gradient(deriv.single, deriv.verb)
        case Verb.JACOBIAN:
            body = inside.jacobian(deriv.single)
        case _:
            raise NoDerivative(f"no derivative by a tape for {deriv.verb.value}")
    taped = Taped(size, (start,), Let((*bindings, (whole, result)), body))
    return cast(Lam, refresh(Lam(function.parameters, Let(((size, place),), taped))))


class _Inside:
    """What is computed while there is a tape, from the `result` of the function, with ids."""

    def __init__(
        self, function: Lam, chosen: list[Var], places: list[Term], start: Var, size: Var, result: Var
    ) -> None:
        self.body, self.chosen, self.places = function.body, chosen, places
        self.start, self.size, self.result = start, size, result

    def gradient(self, single: bool, verb: Verb) -> Term:
        """The gradient of a number, with its value if that is asked for."""
        swept = Swept(self.size, self.start, item(self.result, 1))
        slopes = Var("slopes", swept.type)
        parts = [_shaped(x, slopes, at) for x, at in zip(self.chosen, self.places, strict=True)]
        gradient = parts[0] if single else MakeTuple(tuple(parts))
        wanted = gradient if verb is Verb.GRAD else MakeTuple((item(self.result, 0), gradient))
        return Let(((slopes, swept),), wanted)

    def jacobian(self, single: bool) -> Term:
        """Output structure, then `wrt` structure, then output indices, then input indices (core.types.jacobian)."""
        return self.outputs(unzipped(tangent(self.body.type)), (), single)

    def outputs(self, type_: Type, path: tuple[int, ...], single: bool) -> Term:
        if isinstance(type_, Tuple):
            parts = [self.outputs(t, (*path, k), single) for k, t in enumerate(type_.items)]
            return MakeTuple(tuple(parts), type_)
        sizes = leaf_shape(self.body, path)
        swept = nested_build(sizes, lambda at: self.swept(path, at), "o")
        rows = Var("rows", swept.type)
        blocks = [
            self.inputs(x, unzipped(tangent(x.type)), (), sizes, rows, at)
            for x, at in zip(self.chosen, self.places, strict=True)
        ]
        return Let(((rows, swept),), blocks[0] if single else MakeTuple(tuple(blocks)))

    def swept(self, path: tuple[int, ...], at: tuple[Term, ...]) -> Term:
        return Swept(self.size, self.start, item(element_at(self.result, self.body.type, path, at), 1))

    def inputs(
        self, x: Var, type_: Type, path: tuple[int, ...], sizes: tuple[Term, ...], rows: Var, first: Term
    ) -> Term:
        if isinstance(type_, Tuple):
            parts = [self.inputs(x, t, (*path, k), sizes, rows, first) for k, t in enumerate(type_.items)]
            return MakeTuple(tuple(parts), type_)
        own = leaf_shape(x, path)

        def element(outer: tuple[Term, ...], inner: tuple[Term, ...]) -> Term:
            row: Term = rows
            for k in outer:
                row = Get(row, k)
            number = element_at(x, x.type, path, inner).type
            assert isinstance(number, Float)
            return in_width(Get(row, _place(x, x.type, path, inner, first)), number)

        return nested_build(sizes, lambda outer: nested_build(own, lambda inner: element(outer, inner), "r"), "o")


def _reals(place: Term) -> Term:
    """The number of real numbers in a value."""
    match place.type:
        case Float():
            return Const(1)
        case Array():
            return times(size_of(place), _reals(Get(place, Const(0))))
        case Tuple(items):
            total: Term = Const(0)
            for k in range(len(items)):
                total = plus(total, _reals(item(place, k)))
            return total
        case _:
            return Const(0)


def _numbered(place: Term, first: Term) -> Term:
    """A value with ids, from `first` on."""
    match place.type:
        case Float():
            return MakeTuple((place, first))
        case Array():
            each = _reals(Get(place, Const(0)))
            index = Var("i", INT)
            return Build(size_of(place), index, _numbered(Get(place, index), plus(first, times(index, each))))
        case Tuple(items):
            parts = []
            for k in range(len(items)):
                parts.append(_numbered(item(place, k), first))
                first = plus(first, _reals(item(place, k)))
            return MakeTuple(tuple(parts), place.type)
        case _:
            return place


def _shaped(place: Term, slopes: Var, first: Term) -> Term:
    """The cotangents from `first` on in the structure of a value."""
    match place.type:
        case Float() as number:
            return in_width(Get(slopes, first), number)
        case Array():
            each = _reals(Get(place, Const(0)))
            index = Var("i", INT)
            return Build(size_of(place), index, _shaped(Get(place, index), slopes, plus(first, times(index, each))))
        case Tuple(items):
            parts = []
            for k in range(len(items)):
                parts.append(_shaped(item(place, k), slopes, first))
                first = plus(first, _reals(item(place, k)))
            return MakeTuple(tuple(parts), place.type)
        case _:
            return MakeTuple(())


def _place(place: Term, type_: Type, path: tuple[int, ...], indices: tuple[Term, ...], first: Term) -> Term:
    """Where the number at a leaf and at indices is among those from `first` on."""
    match type_:
        case Array(element):
            inner = Get(place, indices[0])
            each = _reals(Get(place, Const(0)))
            return _place(inner, element, path, indices[1:], plus(first, times(indices[0], each)))
        case Tuple(items):
            for k in range(path[0]):
                first = plus(first, _reals(item(place, k)))
            return _place(item(place, path[0]), items[path[0]], path[1:], indices, first)
        case _:
            return first

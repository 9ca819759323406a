"""Derivatives as the user asks for them, by a tape: the wrapper of paper 003 (Fig. 7, §8), for each verb.

The ids of the inputs follow each other, in the order of the arguments and of their elements, so what is swept back to them is
one array, of which each part is the cotangent of one argument.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from fsmooth.core.build import nested_build, plus, times
from fsmooth.core.shape import size_of
from fsmooth.core.subst import refresh
from fsmooth.core.term import (
    Build,
    Const,
    Deriv,
    Get,
    Lam,
    Let,
    MakeTuple,
    Proj,
    Pulled,
    Retained,
    Swept,
    Taped,
    Term,
    Var,
    Verb,
)
from fsmooth.core.types import F64, INT, Array, Float, Tuple, Type, tangent, unzipped
from fsmooth.differentiate.derivatives import NoDerivative
from fsmooth.differentiate.encoding import item, primal_part
from fsmooth.differentiate.leaves import element_at, in_width, leaf, leaf_shape
from fsmooth.differentiate.reverse.verbs import Split
from fsmooth.differentiate.tape.record import entry, recorded, summed


def tape(deriv: Deriv) -> Lam:
    """The function that a `Deriv` of a function literal stands for, by a tape."""
    function = cast(Lam, refresh(deriv.function))
    parameters = function.parameters
    inside = _Inside(function, deriv.wrt)
    match deriv.verb:
        case Verb.GRAD | Verb.VALUE_AND_GRAD:
            body = inside.gradient(deriv.single, deriv.verb)
        case Verb.VJP:
            cotangent = Var("cotangent", tangent(function.body.type))
            parameters = (*parameters, cotangent)
            body = inside.pulled(deriv.single, cotangent)
        case Verb.JACOBIAN:
            body = inside.jacobian(deriv.single)
        case _:
            raise NoDerivative(f"no derivative by a tape for {deriv.verb.value}")
    taped = Taped(inside.size, (inside.start,), inside.around(body))
    return cast(Lam, refresh(Lam(parameters, Let(((inside.size, inside.count),), taped))))


def split_by_tape(function: Lam, wrt: tuple[int, ...], single: bool) -> Split:
    """The derivative in two parts, of which the first keeps the tape and the ids of the results, and the second goes back."""
    function = cast(Lam, refresh(function))
    inside = _Inside(function, wrt)
    paths = list(_leaves(unzipped(tangent(function.body.type)), ()))
    ids = MakeTuple(tuple([inside.ids(path) for path in paths]))
    value = primal_part(inside.result, function.body.type)
    kept = Retained(inside.size, (inside.start,), inside.around(MakeTuple((value, ids))))
    both = Var("both", kept.type)
    handed = [Proj(both, 1), *[Proj(Proj(Proj(both, 0), 1), k) for k in range(len(paths))]]
    given = MakeTuple((Proj(Proj(both, 0), 0), MakeTuple(tuple(handed))))
    forward = Lam(function.parameters, Let(((inside.size, inside.count), (both, kept)), given))
    names = [Var(TAPE, INT), *[Var("ids", part.type) for part in ids.items]]
    cotangent = Var("cotangent", tangent(function.body.type))
    seeds = tuple([leaf(cotangent, path) for path in paths])
    slopes = Var("slopes", Array(F64))
    pulled = Pulled(inside.size, names[0], tuple(names[1:]), seeds)
    back = Let(((inside.size, inside.count), (slopes, pulled)), inside.shaped(single, slopes))
    positions = tuple([k for k, x in enumerate(function.parameters) if x in back.free])
    own = [function.parameters[k] for k in positions]
    backward = Lam((*own, *names, cotangent), back)
    return Split(cast(Lam, refresh(forward)), cast(Lam, refresh(backward)), positions)


def by_tape(function: Lam, wanted: Deriv) -> Split:
    """What takes the derivative of a function apart."""
    return split_by_tape(function, wanted.wrt, wanted.single)


TAPE = "tape_kept"
"""The parameter of the second part that is the tape."""


def _leaves(type_: Type, path: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The paths to the arrays and numbers in a type of cotangents."""
    if isinstance(type_, Tuple):
        for k, item_type in enumerate(type_.items):
            yield from _leaves(item_type, (*path, k))
    else:
        yield path


class _Inside:
    """What is computed while there is a tape, from the `result` of the function, with ids.

    `size` stands for the `count` of the inputs; the inputs of each argument begin at one of the `places`, from `start`.
    """

    def __init__(self, function: Lam, wrt: tuple[int, ...]) -> None:
        self.body = function.body
        self.chosen = [function.parameters[k] for k in wrt]
        self.start, self.size = Var("start", INT), Var("inputs", INT)
        self.places: list[Term] = []
        self.count: Term = Const(0)
        self._bindings: list[tuple[Var, Term]] = []
        for x in self.chosen:
            self.places.append(self.count)
            numbered = _numbered(x, plus(self.start, self.count))
            self._bindings.append((Var(x.name, numbered.type, x.site), numbered))
            self.count = plus(self.count, _reals(x))
        active = {x: var for x, (var, _) in zip(self.chosen, self._bindings, strict=True)}
        result = recorded(self.body, active)
        self.result = Var("result", result.type)
        self._bindings.append((self.result, result))

    def around(self, body: Term) -> Term:
        """The function, with ids, before what is made of its result."""
        return Let(tuple(self._bindings), body)

    def gradient(self, single: bool, verb: Verb) -> Term:
        """The gradient of a number, with its value if that is asked for."""
        swept = Swept(self.size, self.start, item(self.result, 1))
        slopes = Var("slopes", swept.type)
        gradient = self.shaped(single, slopes)
        wanted = gradient if verb is Verb.GRAD else MakeTuple((item(self.result, 0), gradient))
        return Let(((slopes, swept),), wanted)

    def pulled(self, single: bool, cotangent: Var) -> Term:
        """The value, and the cotangents of the arguments: the gradient of its inner product with the cotangent."""
        swept = Swept(self.size, self.start, entry(summed(self.result, cotangent)))
        slopes = Var("slopes", swept.type)
        value = primal_part(self.result, self.body.type)
        return Let(((slopes, swept),), MakeTuple((value, self.shaped(single, slopes))))

    def shaped(self, single: bool, slopes: Var) -> Term:
        """What came back, in the structure of the arguments."""
        parts = [_shaped(x, slopes, at) for x, at in zip(self.chosen, self.places, strict=True)]
        return parts[0] if single else MakeTuple(tuple(parts))

    def ids(self, path: tuple[int, ...]) -> Term:
        """The ids in a leaf of the result."""
        sizes = leaf_shape(self.body, path)
        return nested_build(sizes, lambda at: item(element_at(self.result, self.body.type, path, at), 1), "o")

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

"""Derivatives as the user asks for them, by a tape: the wrapper of paper 003 (Fig. 7, §8), for each verb.

The ids of the inputs follow each other, in the order of the arguments and of their elements, so what is swept back to them is
one array, of which each part is the cotangent of one argument.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from fsmooth.core.build import nested_build, plus
from fsmooth.core.subst import refresh
from fsmooth.core.term import (
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
from fsmooth.differentiate.tape.numbering import numbered, place_of, reals, shaped
from fsmooth.differentiate.tape.origins import Origins
from fsmooth.differentiate.tape.record import entry, recorded, summed
from fsmooth.differentiate.tape.regions import Regions


def tape(deriv: Deriv) -> Lam:
    """The function that a `Deriv` of a function literal stands for, by a tape."""
    function = cast(Lam, refresh(deriv.function))
    parameters = function.parameters
    # a region goes back as a whole, for each number of the output that a Jacobian asks for
    inside = _Inside(function, deriv.wrt, None if deriv.verb is Verb.JACOBIAN else [])
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
    inside = _Inside(function, wrt, None)  # what regions save ends with the call
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
    back = Let(((inside.size, inside.count), (slopes, pulled)), inside.in_shape(single, slopes))
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

    def __init__(self, function: Lam, wrt: tuple[int, ...], ways: list[tuple[Term, Lam]] | None) -> None:
        self.body = function.body
        self.chosen = [function.parameters[k] for k in wrt]
        self.start, self.size = Var("start", INT), Var("inputs", INT)
        self.places: list[Term] = []
        self.count: Term = Const(0)
        first: dict[Var, Term] = {}
        for x in self.chosen:
            self.places.append(self.count)
            first[x] = plus(self.start, self.count)
            self.count = plus(self.count, reals(x))
        self.regions = Regions(first, ways)
        origins = Origins({x: (x, ()) for x in (*function.parameters, *function.free)}, dict(first))
        active = {x: numbered(x, id_) for x, id_ in first.items()}
        result = recorded(self.body, active, {x: x for x in self.chosen}, self.regions, origins)
        self.result = Var("result", result.type)
        self._bindings = [(self.result, result)]

    def around(self, body: Term) -> Term:
        """The function, with ids, before what is made of its result."""
        return Let(tuple(self._bindings), body)

    def gradient(self, single: bool, verb: Verb) -> Term:
        """The gradient of a number, with its value if that is asked for."""
        swept = self.back_from(item(self.result, 1))
        slopes = Var("slopes", swept.type)
        gradient = self.in_shape(single, slopes)
        wanted = gradient if verb is Verb.GRAD else MakeTuple((item(self.result, 0), gradient))
        return Let(((slopes, swept),), wanted)

    def pulled(self, single: bool, cotangent: Var) -> Term:
        """The value, and the cotangents of the arguments: the gradient of its inner product with the cotangent."""
        swept = self.back_from(entry(summed(self.result, cotangent)))
        slopes = Var("slopes", swept.type)
        value = primal_part(self.result, self.body.type)
        return Let(((slopes, swept),), MakeTuple((value, self.in_shape(single, slopes))))

    def in_shape(self, single: bool, slopes: Var) -> Term:
        """What came back, in the structure of the arguments."""
        parts = [shaped(x, slopes, at) for x, at in zip(self.chosen, self.places, strict=True)]
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
        return self.back_from(item(element_at(self.result, self.body.type, path, at), 1))

    def back_from(self, id_: Term) -> Term:
        """The slopes of the number with this id."""
        return Swept(self.size, self.start, id_, self.regions.where(), self.regions.back())

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
            return in_width(Get(row, place_of(x, x.type, path, inner, first)), number)

        return nested_build(sizes, lambda outer: nested_build(own, lambda inner: element(outer, inner), "r"), "o")

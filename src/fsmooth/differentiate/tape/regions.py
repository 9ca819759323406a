"""Regions: parts of a program that are one entry of a tape, since reverse mode by source transformation goes back through them.

    (y, s) = fwd x̄      d = recordregion k m (the ids of x̄) (s)         y has the ids d … d+m-1
    on the way back      the cotangents of x̄ += bwd s (those of y)

A region makes arrays, or sums over them, in loops whose steps do not wait for one another, and calls nothing: an entry for each
number would take more time and memory than the numbers.  What its way back reads is saved on the tape, but for arguments of the
function that is differentiated (differentiate/tape/origins.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from msgspec import Struct, field

from fsmooth.core.build import nested_build, plus, times
from fsmooth.core.shape import Ragged, shape_of
from fsmooth.core.subst import refresh, substitute
from fsmooth.core.term import (
    Build,
    Check,
    Const,
    Delta,
    Get,
    If,
    IFold,
    Lam,
    Length,
    Let,
    MakeTuple,
    Plus,
    Prim,
    Proj,
    Reduce,
    Reduction,
    Require,
    Term,
    Var,
    Vector,
    Zero,
    let,
)
from fsmooth.core.traverse import subterms
from fsmooth.core.types import F64, INT, Array, Bool, Float, Int, Tuple, Type, has_float, is_scalar, leaf_of, parts_in
from fsmooth.differentiate.derivatives import NoDerivative
from fsmooth.differentiate.encoding import item
from fsmooth.differentiate.reverse.handed import handed
from fsmooth.differentiate.reverse.verbs import Split, split
from fsmooth.differentiate.tape.kept import can_be_kept, put_together
from fsmooth.differentiate.tape.numbering import part_first
from fsmooth.differentiate.tape.origins import Origins, Part, whole

_PARTS = (Let, Build, Vector, Zero, Delta, Plus, Get, Length, MakeTuple, Proj, Prim, If, Check, Require, Var, Const)
_REDUCTIONS = frozenset((Reduction.SUM, Reduction.MAX, Reduction.MIN, Reduction.ARGMAX, Reduction.ARGMIN))


class Regions(Struct, eq=False):
    """The ways back of the regions of a tape, by number; None if it has none.

    `arguments` are those of the function that is differentiated which vary, with the ids of their first numbers.
    """

    arguments: dict[Var, Term]
    ways: list[tuple[Term, Lam]] | None = field(default_factory=list)

    def where(self) -> tuple[Term, ...]:
        """The places that all regions of a number have."""
        return tuple([places for places, _ in self.ways or ()])

    def back(self) -> tuple[Term, ...]:
        """What each gives to cotangents."""
        return tuple([cast(Lam, refresh(way)) for _, way in self.ways or ()])

    def first(self, part: Part) -> Term:
        """The id of the first number of a part of an argument."""
        return part_first(part[0], part[1], self.arguments[part[0]])


class Read(Struct, frozen=True):
    """What a region reads: as the program says it, by its name in the region, and of which argument it is a part, if of one."""

    term: Term
    name: Var
    varies: bool
    part: Part | None

    @property
    def outside(self) -> Term:
        """The same on the way back, if it is there."""
        assert self.part is not None
        known = whole(self.part)
        return Length(known, self.term.axis) if isinstance(self.term, Length) else known


class Region(Struct, frozen=True):
    """A function of what is read, in two halves, by the numbers that vary of what it reads: of those that have `places` first."""

    reads: tuple[Read, ...]
    placed: tuple[Read, ...]
    known: tuple[Read, ...]
    halves: Split


def may_be_part(term: Term) -> bool:
    """Is there nothing in it that regions do not have?"""
    return all([_may_be(t) for t in subterms(term)])


def _may_be(t: Term) -> bool:
    match t:
        case Reduce():
            if t.reduction not in _REDUCTIONS:
                return False
        case IFold():
            if not all([isinstance(x, Float | Int | Bool) for x in parts_in(t.type)]):
                return False
        case _:
            if not isinstance(t, _PARTS):
                return False
    return not has_float(t.type) or _is_double(t.type)


def _is_double(type_: Type) -> bool:
    match type_:
        case Tuple(items):
            return all([_is_double(x) for x in items if has_float(x)])
        case Array():
            return _is_double(leaf_of(type_))
        case _:
            return type_ == F64


def region_of(term: Term, origins: Origins, varies: Callable[[Term], bool]) -> Region | None:
    """The term as a region, if its way back may read what it reads, and there is one."""
    if not _may_be_result(term.type):
        return None
    inside = handed(term, sorted(term.free, key=lambda x: x.id))
    reads: list[Read] = []
    for given, name in zip(inside.terms, inside.names, strict=True):
        part = origins.part(given.array if isinstance(given, Length) else given)
        read = Read(given, name, has_float(given.type) and varies(given), part)
        if not _may_be_read(read, origins):
            return None
        reads.append(read)
    placed = [x for x in reads if x.varies and x.part is None]
    known = [x for x in reads if x.varies and x.part is not None]
    if not placed and not known:
        return None
    function = cast(Lam, refresh(Lam(inside.names, inside.second)))
    at = tuple([reads.index(x) for x in (*placed, *known)])
    try:
        halves = split(function, at, single=False)
    except (NoDerivative, Ragged):
        return None
    saved = halves.backward.parameters[len(halves.kept) : -1]
    if not all([can_be_kept(x.type) for x in saved]):
        return None
    return Region(tuple(reads), tuple(placed), tuple(known), halves)


def _may_be_result(type_: Type) -> bool:
    if isinstance(type_, Tuple):
        return all([_may_be_result(x) for x in type_.items])
    return is_scalar(type_) if not isinstance(type_, Array) else leaf_of(type_) == F64


def _may_be_read(read: Read, origins: Origins) -> bool:
    """Is it there on the way back, or to be saved at no more than it cost?"""
    type_ = read.term.type
    if read.varies and not (type_ == F64 or (isinstance(type_, Array) and leaf_of(type_) == F64)):
        return False
    if read.part is not None:
        return True
    return can_be_kept(type_) and (is_scalar(type_) or origins.is_made_here(read.term))


class Sizes(Struct, frozen=True):
    """Of a value its numbers: how many, and their cotangents from those of all in a row."""

    terms: tuple[Term, ...]
    names: tuple[Var, ...]
    count: Term
    cotangents: Term


def sizes_of(value: Term, row: Var) -> Sizes:
    """The sizes of a value, and its cotangents in a `row`, in terms of names for the sizes."""
    terms: list[Term] = []
    names: list[Var] = []

    def layout(place: Term, first: Term) -> tuple[Term, Term, Term]:
        match place.type:
            case Float():
                return Const(1), Const(1), Get(row, first)
            case Array():
                own = shape_of(place)
                here = tuple([Var("size", INT) for _ in own])
                terms.extend(own)
                names.extend(here)
                built = nested_build(here, lambda at: Get(row, plus(first, _row_major(here, at))), "o")
                return _product(own), _product(here), built
            case Tuple(items, names_, record):
                outside: Term = Const(0)
                inside: Term = Const(0)
                parts: list[Term] = []
                for k in range(len(items)):
                    more, here_more, part = layout(item(place, k), plus(first, inside))
                    outside, inside = plus(outside, more), plus(inside, here_more)
                    parts.append(part)
                return outside, inside, MakeTuple(tuple(parts), Tuple(tuple([q.type for q in parts]), names_, record))
            case _:
                return Const(0), Const(0), MakeTuple(())

    count, _, cotangents = layout(value, Const(0))
    return Sizes(tuple(terms), tuple(names), count, cotangents)


def _row_major(sizes: tuple[Term, ...], indices: tuple[Term, ...]) -> Term:
    place: Term = Const(0)
    for size, index in zip(sizes, indices, strict=True):
        place = plus(times(place, size), index)
    return place


def _product(sizes: tuple[Term, ...]) -> Term:
    total: Term = Const(1)
    for size in sizes:
        total = times(total, size)
    return total


def way_back(region: Region, places: tuple[Term, ...], sizes: Sizes, row: Var) -> tuple[Lam, tuple[Read, ...]]:
    """What a region gives to cotangents, of its places, what is saved, the sizes, and the row; and which reads are saved."""
    halves = region.halves
    count = len(halves.kept)
    given, rest, r = (
        halves.backward.parameters[:count],
        halves.backward.parameters[count:-1],
        halves.backward.parameters[-1],
    )
    there: dict[Var, Term] = {}
    saved: list[Var] = []
    reads: list[Read] = []
    for name, k in zip(given, halves.kept, strict=True):
        read = region.reads[k]
        if read.part is not None:
            there[name] = read.outside
        else:
            saved.append(name)
            reads.append(read)
    names: list[Var] = []
    for x in (*saved, *rest):
        parts, there[x] = put_together(x)
        names.extend(parts)
    body = let(((r, sizes.cotangents),), substitute(halves.backward.body, there))
    at = [Var("place", place.type) for place in places]
    return Lam((*at, *names, *sizes.names, row), body), tuple(reads)

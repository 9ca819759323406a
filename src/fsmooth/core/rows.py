"""Rows of arrays and components of tuples, by terms of the same shape that do not make the whole (for `core.shape`)."""

from __future__ import annotations

from fsmooth.core.images import image
from fsmooth.core.subst import substitute
from fsmooth.core.term import (
    App,
    Build,
    Call,
    Carrying,
    Collect,
    Const,
    Custom,
    Delta,
    Get,
    Header,
    If,
    Lam,
    Let,
    MakeTuple,
    Plus,
    Proj,
    Record,
    RecordRegion,
    RecordSum,
    Reduce,
    Reduction,
    Require,
    Retained,
    Taped,
    Term,
    Update,
    Var,
    Vector,
)
from fsmooth.core.term.linear_maps import Apply, ApplyReverse
from fsmooth.core.traverse import transform


def row_of(element: Get) -> tuple[Term, tuple[Var, ...]] | None:
    """A term with the shape of a row of an array that is not a path, and indices bound in it; None for a path."""
    match element:
        case Get(Build(_, index, body), _):
            return body, (index,)
        case Get(Collect(_, generators, _, body), _):
            return body, tuple([index for _, index in generators])
        case Get(Vector((item, *_)), _) | Get(Delta(_, _, item), _):
            return item, ()
        case Get(If(condition, then, otherwise), index):
            (row, indices), (other, others) = _whole_row(Get(then, index)), _whole_row(Get(otherwise, index))
            return If(condition, row, other), (*indices, *others)
        case Get(Carrying(init=array) | Update(array) | Require(_, array) | Plus((array, *_)), index):
            return _whole_row(Get(array, index))
        case Get(Taped(_, parameters, array), index):
            return _whole_row(Get(without_tape(array, parameters), index))
        case Get(Let(bindings, body), index):
            return Let(bindings, Get(body, index)), ()
        case Get(Reduce(_, _, summed, body), index):
            like, indices = _whole_row(Get(body, index))
            return like, (summed, *indices)
        case Get(Proj(tuple_, position), index):
            part = component_of(tuple_, position)
            return None if part is None else _whole_row(Get(part, index))
        case Get(Get() as inner, index):
            outer = row_of(inner)
            if outer is None:
                return None
            part, indices = outer
            within = row_of(Get(part, index))
            return (Get(part, index), indices) if within is None else (within[0], (*indices, *within[1]))
        case _:
            return None


def component_of(tuple_: Term, position: int) -> Term | None:
    """A term with the shape of a component of a tuple that is not a path; None for a path."""
    match tuple_:
        case MakeTuple(items):
            return items[position]
        case If(condition, then, otherwise):
            return If(condition, _part(then, position), _part(otherwise, position))
        case Carrying(init=inner) | Require(_, inner):
            return _part(inner, position)
        case Taped(_, parameters, inner):
            return _part(without_tape(inner, parameters), position)
        case Reduce(_, _, index, body):
            return _part(substitute(body, {index: Const(0)}), position)
        case Retained(_, parameters, body) if position == 0:
            return without_tape(body, parameters)
        case Let(bindings, body):
            return Let(bindings, _part(body, position))
        case Get(Build(_, index, body), at):
            return _part(substitute(body, {index: at}), position)
        case Get(Vector((element, *_)) | Delta(_, _, element), _):
            return _part(element, position)
        case Get(Reduce(_, _, index, body), at):
            return _part(Get(substitute(body, {index: Const(0)}), at), position)
        case Get(If(condition, then, otherwise), at):
            return If(condition, _part(Get(then, at), position), _part(Get(otherwise, at), position))
        case Get(Carrying(init=array) | Update(array) | Require(_, array) | Plus((array, *_)), at):
            return _part(Get(array, at), position)
        case Get(Proj(outer, inner_position), at):
            part = component_of(outer, inner_position)
            if part is None:
                return None
            return _part(Get(part, at), position)
        case Get(Let(bindings, body), at):
            return Let(bindings, _part(Get(body, at), position))
        case Get(Get() as inner, at):
            row = row_of(inner)
            if row is None:
                return None
            like, indices = row
            element = substitute(Get(like, at), {x: Const(0) for x in indices})  # as all rows have one shape
            return _part(element, position)
        case App(Lam(parameters, body), arguments) | App(Custom(Lam(parameters, body)), arguments):
            return App(Lam(parameters, _part(body, position)), arguments)
        case Call(Header(model=Lam(parameters, body)), arguments):
            return _part(substitute(body, dict(zip(parameters, arguments, strict=True))), position)
        case Get(Call(Header(model=Lam(parameters, body)), arguments), at):
            return _part(Get(substitute(body, dict(zip(parameters, arguments, strict=True))), at), position)
        case Apply() | ApplyReverse():
            seen = image(tuple_)
            return None if seen is None else _part(seen, position)
        case Proj(outer, inner_position):
            part = component_of(outer, inner_position)
            return None if part is None else _part(part, position)
        case _:
            return None


def without_tape(term: Term, parameters: tuple[Var, ...]) -> Term:
    """What has the shape of `term` outside of the scope of a tape: shapes depend on values, whose entries do not matter."""

    def change(t: Term) -> Term:
        match t:
            case Record() | RecordRegion():
                return Const(0)
            case RecordSum(size, index, body):
                return MakeTuple((Reduce(Reduction.SUM, size, index, Proj(body, 0)), Const(0)))
            case _:
                return Const(0) if t in parameters else t

    return transform(term, change)


def _whole_row(element: Get) -> tuple[Term, tuple[Var, ...]]:
    return row_of(element) or (element, ())


def _part(tuple_: Term, position: int) -> Term:
    return component_of(tuple_, position) or Proj(tuple_, position)

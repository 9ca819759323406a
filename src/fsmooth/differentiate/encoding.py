"""Dual numbers, arrays and tuples: their primal part, their tangent part, and what they are made of (paper 000, Fig. 5)."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from fsmooth.core.build import equals
from fsmooth.core.shape import shape_of
from fsmooth.core.subst import substitute
from fsmooth.core.term import (
    NOWHERE,
    Build,
    Call,
    Const,
    Field,
    Get,
    Header,
    If,
    Inject,
    Lam,
    MakeTuple,
    Null,
    Proj,
    Tag,
    Term,
    Var,
    Zero,
)
from fsmooth.core.traverse import transform
from fsmooth.core.types import Array, Data, Float, Int, Tuple, Type, dual, holds_float, numbered
from fsmooth.differentiate.derivatives import OfSaved


class Unmade(Var, abstract=True):
    """The primal part of data, of which only fields can be read: of `dual`, the data that would have to be taken apart."""

    __slots__ = ("data", "dual")

    def __init__(self, type_: Data, value: Term) -> None:
        super().__init__(type_.name, type_)
        self.data = type_
        self.dual = value


def primal_fields(term: Term) -> Term:
    """The term, with fields of the primal part of data as the primal parts of their fields.

    Data are made anew only where they are read whole: to make all that follows in each step of a loop would be quadratic.
    """

    def change(t: Term) -> Term:
        match t:
            case Proj(MakeTuple(items), position):
                return items[position]
            case Get(Build(_, place, Unmade() as data), index):
                return Unmade(data.data, substitute(data.dual, {place: index}))
            case If(condition, Unmade() as then, Unmade() as otherwise):
                return Unmade(then.data, If(condition, then.dual, otherwise.dual))
            case Field(Unmade() as data, constructor, position):
                return primal_part(Field(data.dual, constructor, position), t.type)
            case Tag(Unmade() as data):
                return Tag(data.dual)
            case _:
                return t

    return transform(term, change) if reads_primal_data(term) else term


def reads_primal_data(term: Term) -> bool:
    """Does it read the primal part of data that vary?"""
    return any([isinstance(x, Unmade) for x in term.free])


def with_primal_data(term: Term) -> Term:
    """The term, with the primal parts of data made that are read whole.

    Raises:
        OfSaved: if that is what calls save, which is to be made without.

    """
    found = [x for x in term.free if isinstance(x, Unmade)]
    if not all([isinstance(x.type, Data) and x.type.is_remade for x in found]):
        raise OfSaved("the primal part of what a call saved is read by itself")
    made: dict[Term, Term] = {x: _primal_made(x.dual, x.type) for x in found}
    return transform(term, lambda t: made.get(t, t)) if found else term


def _remade(made: Data, given: Data, name: str, part: Callable[[Term, Type], Term]) -> Header:
    """The function that makes data anew with other numbers, of the parts of the fields."""
    found = given.functions.get(name)
    if not isinstance(found, Header):
        x = Var("data", given)
        found = Header(name, (given,), made, NOWHERE, None)
        given.functions[name] = found
        ways = [
            Inject(made, k, tuple([part(Field(x, k, j), t) for j, t in enumerate(fields)]))
            for k, fields in enumerate(made.constructors)
        ]
        body: Term = ways.pop()
        for k, way in reversed(list(enumerate(ways))):
            body = If(equals(Tag(x), Const(k)), way, body)
        found.define(Lam((x,), body))
    return found


def _primal_made(value: Term, type_: Type) -> Term:
    """As `primal_part`, with data made anew."""
    match type_:
        case Data() if holds_float(type_):
            assert isinstance(value.type, Data)
            return Call(_remade(type_, value.type, "primal", _primal_made), (value,))
        case Array(element) if dual(element) != element:
            index = Var("i", Int())
            return Build(shape_of(value)[0], index, _primal_made(Get(value, index), element))
        case Tuple(items):
            return MakeTuple(tuple([_primal_made(item(value, k), t) for k, t in enumerate(items)]), type_)
        case _:
            return primal_part(value, type_)


def primal_part(value: Term, type_: Type) -> Term:
    """The primal part of a term of type D_T⟦type_⟧."""
    match type_:
        case Float():
            return first(value)
        case Array(element):
            if dual(element) == element:
                return value
            index = Var("i", Int())
            size = shape_of(value)[0]
            return Build(size, index, primal_part(Get(value, index), element))
        case Tuple(items):
            return MakeTuple(tuple([primal_part(item(value, k), t) for k, t in enumerate(items)]), type_)
        case Data() if holds_float(type_):
            return Unmade(type_, value)
        case _:
            return value


def tangent_part(value: Term, type_: Type) -> Term:
    """The tangent part of a term of type D_T⟦type_⟧; () for Int and Bool."""
    match type_:
        case Float():
            return second(value)
        case Array(element):
            index = Var("i", Int())
            return Build(shape_of(value)[0], index, tangent_part(Get(value, index), element))
        case Tuple(items):
            return MakeTuple(tuple([tangent_part(item(value, k), t) for k, t in enumerate(items)]), type_)
        case Data() if holds_float(type_):
            raise OfSaved("the tangent part of what a call saved is read by itself")
        case _:
            return MakeTuple(())


def zipped(value: Term, tangent: Term) -> Term:
    """The dual number, array or tuple made of a value and its tangent (vectorZip of Fig. 5, for any type)."""
    match value.type:
        case Float():
            return MakeTuple((value, tangent))
        case Array():
            index = Var("i", Int())
            return Build(shape_of(value)[0], index, zipped(Get(value, index), Get(tangent, index)))
        case Tuple(items):
            parts = [zipped(item(value, k), item(tangent, k)) for k in range(len(items))]
            return MakeTuple(tuple(parts), value.type)
        case Data() as type_ if holds_float(type_):
            raise OfSaved("data made of their primal and their tangent parts")
        case _:
            return value


class Pairs(Struct, frozen=True):
    """What numbers are paired with: tangents, or ids on a tape.

    type    D_T⟦·⟧
    zero    what a number of this type is paired with that does not depend on what is differentiated
    suffix  of the name of what is beside a number
    """

    type: Callable[[Type], Type]
    zero: Callable[[Float], Term]
    suffix: str

    def lifted(self, value: Term) -> Term:
        """(e, zero): a value that does not depend on what is differentiated."""
        match value.type:
            case Float() as type_:
                return MakeTuple((value, self.zero(type_)))
            case Array(element):
                if dual(element) == element:
                    return value
                index = Var("i", Int())
                return Build(shape_of(value)[0], index, self.lifted(Get(value, index)))
            case Tuple(items):
                return MakeTuple(tuple([self.lifted(item(value, k)) for k in range(len(items))]), self.type(value.type))
            case Data() as type_ if holds_float(type_):
                varying = self.type(type_)
                assert isinstance(varying, Data)
                match value:
                    case Null():
                        return Null(varying)
                    case Inject(_, constructor, fields):
                        return Inject(varying, constructor, tuple([self.lifted(x) for x in fields]))
                    case _ if type_.is_remade:
                        name = f"lifted_{self.suffix}"
                        return Call(_remade(varying, type_, name, lambda x, _: self.lifted(x)), (value,))
                    case _:
                        raise OfSaved("data that do not vary, where data that vary are wanted")
            case _:
                return value


TANGENTS = Pairs(dual, lambda number: Zero((), number), "t")
IDS = Pairs(numbered, lambda number: Const(0), "id")


def lifted(value: Term) -> Term:
    """(e, zero): a value that has no tangent."""
    return TANGENTS.lifted(value)


def first(pair: Term) -> Term:
    """fst, of a pair written out at once."""
    return item(pair, 0)


def second(pair: Term) -> Term:
    """snd, of a pair written out at once."""
    return item(pair, 1)


def item(value: Term, k: int) -> Term:
    """Component k."""
    return value.items[k] if isinstance(value, MakeTuple) else Proj(value, k)

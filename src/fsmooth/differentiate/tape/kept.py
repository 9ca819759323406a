"""What a region saves, taken apart: numbers and integers, and arrays of these, of which a tape keeps a copy.

An array of tuples is kept as an array for each of their parts, a truth as 1 or 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fsmooth.core.build import equals, get
from fsmooth.core.shape import size_of
from fsmooth.core.term import Build, Const, Get, If, Length, MakeTuple, Term, Var
from fsmooth.core.types import BOOL, F64, INT, Array, Tuple, Type, leaf_of
from fsmooth.differentiate.encoding import item

Path = tuple[int, ...]


def can_be_kept(type_: Type) -> bool:
    """Is it made of numbers of 64 bits, integers and truths?"""
    match type_:
        case Array():
            return bool(list(_paths(type_, ()))) and can_be_kept(leaf_of(type_))
        case Tuple(items):
            return all([can_be_kept(x) for x in items])
        case _:
            return type_ in (F64, INT, BOOL)


def taken_apart(value: Term) -> list[Term]:
    """What is kept of a value."""
    return [_part(value, path) for path in _paths(value.type, ())]


def put_together(x: Var) -> tuple[list[Var], Term]:
    """Names for what is kept of a value, and the value."""
    names = {path: Var(x.name, _kept_type(x.type, path)) for path in _paths(x.type, ())}
    if list(names) == [()] and leaf_of(x.type) != BOOL:
        return [x], x
    return list(names.values()), _whole(x.type, (), (), names)


def _paths(type_: Type, path: Path) -> Iterator[Path]:
    """The parts of the elements of arrays, and of tuples."""
    match type_:
        case Array(element):
            yield from _paths(element, path)
        case Tuple(items):
            for k, part in enumerate(items):
                yield from _paths(part, (*path, k))
        case _:
            yield path


def _part(value: Term, path: Path) -> Term:
    match value.type:
        case Array() if leaf_of(value.type) in (F64, INT):
            return value
        case Array():
            index = Var("i", INT)
            return Build(size_of(value), index, _part(Get(value, index), path))
        case Tuple():
            return _part(item(value, path[0]), path[1:])
        case _:
            return If(value, Const(1), Const(0)) if value.type == BOOL else value


def _kept_type(type_: Type, path: Path) -> Type:
    match type_:
        case Array(element):
            return Array(_kept_type(element, path))
        case Tuple(items):
            return _kept_type(items[path[0]], path[1:])
        case _:
            return INT if type_ == BOOL else type_


def _whole(type_: Type, path: Path, indices: Sequence[Term], names: dict[Path, Var]) -> Term:
    match type_:
        case Array() if leaf_of(type_) in (F64, INT):
            return get(names[path], *indices)
        case Array(element):
            like = next(x for at, x in names.items() if at[: len(path)] == path)
            index = Var("i", INT)
            return Build(Length(like, len(indices)), index, _whole(element, path, (*indices, index), names))
        case Tuple(items):
            return MakeTuple(tuple([_whole(x, (*path, k), indices, names) for k, x in enumerate(items)]), type_)
        case _:
            found = get(names[path], *indices)
            return equals(found, Const(1)) if type_ == BOOL else found

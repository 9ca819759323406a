"""The leaves of a value: its scalars and arrays of scalars, once arrays of tuples are tuples of arrays (paper 000, §5.2).

A leaf is known by its path, the components on the way to it.
"""

from __future__ import annotations

from fsmooth.core import primitives as p
from fsmooth.core.build import bind, build
from fsmooth.core.shape import shape_of, size_of
from fsmooth.core.term import Build, Const, Get, MakeTuple, Prim, Proj, Term, Var, Zero
from fsmooth.core.types import INT, Array, Float, Tuple, Type, leaf_of
from fsmooth.differentiate.encoding import item


def element_at(value: Term, type_: Type, path: tuple[int, ...], indices: tuple[Term, ...]) -> Term:
    """The element of a value of (zipped) type `type_` at the leaf `path` and `indices` of its unzipped form."""
    match type_:
        case Array(element):
            return element_at(Get(value, indices[0]), element, path, indices[1:])
        case Tuple(items):
            return element_at(item(value, path[0]), items[path[0]], path[1:], indices)
        case _:
            return value


def leaf(value: Term, path: tuple[int, ...]) -> Term:
    """The leaf `path` of the unzipped form of `value`, as an array of scalars."""
    if not path:
        return value
    match value.type:
        case Array():
            index = Var("o", INT)
            return Build(size_of(value), index, leaf(Get(value, index), path))
        case _:
            return leaf(item(value, path[0]), path[1:])


def leaf_shape(value: Term, path: tuple[int, ...]) -> tuple[Term, ...]:
    """The sizes of the leaf `path` of the unzipped form of `value`."""
    if isinstance(value.type, Array) and not isinstance(leaf_of(value.type), Tuple):
        return shape_of(value)
    match value.type:
        case Array():
            return (size_of(value), *leaf_shape(Get(value, Const(0)), path))
        case Tuple():
            return leaf_shape(
                Proj(value, path[0]) if not isinstance(value, MakeTuple) else value.items[path[0]], path[1:]
            )
        case _:
            return ()


def in_width(value: Term, number: Float) -> Term:
    """A number or an array of numbers in the width of `number`: a derivative has that of what it is taken by."""
    match value:
        case _ if leaf_of(value.type) == number:
            return value
        case Zero(sizes):
            return Zero(sizes, number)
        case Term(type=Array()):
            return bind(value, lambda whole: build(size_of(whole), lambda i: in_width(Get(whole, i), number)))
        case _:
            return Prim(p.conversion_to(number), (value,))

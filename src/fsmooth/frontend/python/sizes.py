"""The sizes of arrays: what they are, where they must agree, where they cannot be told."""

from __future__ import annotations

import ast
from collections.abc import Set

from fsmooth.core import primitives as p
from fsmooth.core.build import equals
from fsmooth.core.shape import Ragged, size_of
from fsmooth.core.term import Build, Const, Failure, If, Length, MakeTuple, Prim, Proj, Require, Term, Var, Vector
from fsmooth.core.types import Array, Tuple, rank_of
from fsmooth.errors import ProgramError, RaggedError, SizeError
from fsmooth.frontend.python.conversion import convert, join
from fsmooth.frontend.python.frame import Frame
from fsmooth.rewrite.linear import polynomial


def same_size(frame: Frame, a: Term, b: Term, node: ast.AST, what: str) -> Term:
    """A size that is both a and b: required at entry where possible, else where it is used."""
    if equal_sizes(frame, a, b, node, what):
        return a
    site = frame.site(node, frame.source.segment(node))
    if isinstance(b, Const) and not isinstance(a, Const):
        a, b = b, a
    if not frame.conditional and (a.free | b.free) <= frame.entry:
        frame.requirements.append(Require(equals(a, b), Const(0), Failure.SIZE, (a, b), site))
        return a
    return frame.bind(Require(equals(a, b), a, Failure.SIZE, (a, b), site), "size")


def required_size(frame: Frame, array: Term, axis: int, size: Term, node: ast.AST, what: str) -> Term:
    """`array`, which exists only if its length along `axis` is `size`."""
    have = length_of(frame, array, node, axis)
    known = same_size(frame, have, size, node, what)
    if not isinstance(known, Var) or known is have:
        return array
    site = frame.site(node, frame.source.segment(node))
    return frame.bind(Require(equals(have, size), array, Failure.SIZE, (have, size), site), "a")


def alike(frame: Frame, value: Term, model: Term, node: ast.AST, what: str) -> Term:
    """`value`, which exists only if its arrays have the sizes of those of `model`, evaluated nowhere else."""
    result = value
    for part, other in zip(array_parts(value), array_parts(model), strict=True):
        for axis in range(min(rank_of(part.type), rank_of(other.type))):
            have, wanted = length_of(frame, part, node, axis), length_of(frame, other, node, axis)
            if not equal_sizes(frame, wanted, have, node, what):
                site = frame.site(node, frame.source.segment(node))
                result = Require(equals(wanted, have), result, Failure.SIZE, (wanted, have), site)
    return result


def equal_sizes(frame: Frame, a: Term, b: Term, node: ast.AST, what: str) -> bool:
    """Are two sizes provably equal?  It is an error if they provably differ."""
    if polynomial(a).plus(polynomial(b), -1).is_zero():
        return True
    if isinstance(a, Const) and isinstance(b, Const):
        frame.fail(TypeMismatchSize, node, f"sizes {a.value} and {b.value} differ: {what}", "give arrays of equal size")
    return False


def array_parts(term: Term) -> list[Term]:
    """The arrays in a value: itself, or those among its components."""
    match term.type:
        case Array():
            return [term]
        case Tuple(items):
            parts = term.items if isinstance(term, MakeTuple) else [Proj(term, k) for k in range(len(items))]
            return [a for part in parts for a in array_parts(part)]
        case _:
            return []


def at_least_zero(size: Term) -> Term:
    """A size as a user sees it: that of `range(4, 2)` is 0."""
    return size if never_negative(size, frozenset()) else Prim(p.maximum, (size, Const(0)))


def never_negative(size: Term, counters: Set[Var]) -> bool:
    """Is a size made only of what cannot be negative?  `counters` are indices of loops."""
    match size:
        case Const(value):
            return value >= 0
        case Length():
            return True
        case Var():
            return size in counters
        case Prim(primitive, arguments) if primitive in (p.add, p.multiply, p.floor_divide, p.modulo, p.minimum):
            return all([never_negative(a, counters) for a in arguments])
        case Prim(primitive, arguments) if primitive is p.maximum:
            return any([never_negative(a, counters) for a in arguments])
        case Require(_, inner):
            return never_negative(inner, counters)
        case _:
            return False


class TypeMismatchSize(SizeError, ProgramError):
    """Two static sizes that differ, found while compiling."""


def length_of(frame: Frame, array: Term, node: ast.AST, axis: int = 0) -> Term:
    """The length of an array along an axis."""
    try:
        size = size_of(just_bound(frame, array), axis)
        if isinstance(size, Length) and isinstance(size.array, Var):
            static = frame.shared.static_sizes.get((size.array, size.axis))
            return size if static is None else Const(static)
        return size
    except Ragged:
        frame.fail(
            RaggedError,
            node,
            "the rows of this array have different lengths",
            "arrays are rectangular; pad the rows to one length, or reduce each row where it is made",
        )


def just_bound(frame: Frame, array: Term) -> Term:
    """An array just bound to a name in the open scope, or the array."""
    if isinstance(array, Var):
        for var, value in reversed(frame.scope[-4:]):
            if var is array and isinstance(value, Build | Vector) and rank_of(value.type) == 1:
                return value
    return array


def stacked(frame: Frame, body: Term, index: Var, size: Term, node: ast.AST) -> Term:
    """A comprehension as an array."""
    result = Build(size, index, body)
    require_rectangular(frame, result, node)
    return result


def require_rectangular(frame: Frame, array: Term, node: ast.AST) -> None:
    """An element whose size mentions its own index is ragged."""
    for axis in range(1, rank_of(array.type)):
        length_of(frame, array, node, axis)


def shape_of_array(frame: Frame, array: Term, node: ast.AST) -> Term:
    """The tuple of sizes."""
    array = frame.bind(array, "a")
    return MakeTuple(tuple([at_least_zero(length_of(frame, array, node, k)) for k in range(rank_of(array.type))]))


def count_elements(frame: Frame, array: Term, node: ast.AST) -> Term:
    """The number of elements of an array."""
    array = frame.bind(array, "a")
    total: Term = Const(1)
    for k in range(rank_of(array.type)):
        size = at_least_zero(length_of(frame, array, node, k))
        total = size if k == 0 else Prim(p.multiply, (total, size))
    return total


def branch(frame: Frame, condition: Term, then: Term, otherwise: Term, node: ast.AST) -> Term:
    """A conditional value, at the common type and with the common sizes of its branches."""
    wanted = join(frame, then.type, otherwise.type, node, "the two branches")
    first, second = convert(frame, then, wanted, node), convert(frame, otherwise, wanted, node)
    return If(condition, first, alike(frame, second, first, node, "the two branches"))

"""The sizes of arrays: what they are, where they must agree, where they cannot be told."""

from __future__ import annotations

import ast
from typing import NoReturn

from fsmooth.core import primitives as p
from fsmooth.core.build import equals, part_of, whole_of
from fsmooth.core.shape import Ragged, size_of
from fsmooth.core.signs import at_least_zero, never_negative
from fsmooth.core.term import (
    Build,
    Const,
    Failure,
    Length,
    MakeTuple,
    Prim,
    Proj,
    Require,
    Site,
    Term,
    Var,
    Vector,
)
from fsmooth.core.types import rank_of
from fsmooth.errors import ConstantSizeError, RaggedError
from fsmooth.frontend import agreement
from fsmooth.frontend.python.frame import Frame


def same_size(frame: Frame, a: Term, b: Term, node: ast.AST, what: str) -> Term:
    """A size that is both a and b: required at entry where possible, else where it is used."""
    if equal_sizes(frame, a, b, node, what):
        return a
    if _stands_for_both(b, a):
        a, b = b, a
    return _required(frame, a, b, agreement.agree(a, b), node)


def _stands_for_both(a: Term, b: Term) -> bool:
    """Is it rather `a` than `b`: a number, or what may be below 0 where the other is 0, so that none has more elements?"""
    if isinstance(a, Const) or isinstance(b, Const):
        return isinstance(a, Const) and not isinstance(b, Const)
    return never_negative(b, frozenset()) and not never_negative(a, frozenset())


def written_size_required(frame: Frame, have: Term, written: Term, node: ast.AST, what: str) -> None:
    """A size is the one that an annotation says, which is none below 0."""
    if not equal_sizes(frame, have, written, node, what):
        a, b = (written, have) if isinstance(written, Const) else (have, written)
        _required(frame, a, b, (equals(a, b), (a, b)), node)


def _required(frame: Frame, a: Term, b: Term, same: agreement.Same, node: ast.AST) -> Term:
    """The first of two sizes, which are required to be the same."""
    condition, numbers = same
    site = frame.site(node, frame.source.segment(node))
    if not frame.conditional and (a.free | b.free) <= frame.entry:
        frame.requirements.append(Require(condition, Const(0), Failure.SIZE, numbers, site))
        return a
    return frame.bind(Require(condition, a, Failure.SIZE, numbers, site), "size")


def required_size(frame: Frame, array: Term, axis: int, size: Term, node: ast.AST, what: str) -> Term:
    """`array`, which exists only if its length along `axis` is `size`."""
    have = length_of(frame, array, node, axis)
    known = same_size(frame, have, size, node, what)
    if not isinstance(known, Var) or known is have:
        return array
    return if_equal(frame, array, have, size, node)


def if_equal(frame: Frame, array: Term, have: Term, want: Term, node: ast.AST) -> Term:
    """`array`, which exists only if these two numbers are equal."""
    site = frame.site(node, frame.source.segment(node))
    condition, numbers = agreement.agree(have, want)
    return frame.bind(Require(condition, array, Failure.SIZE, numbers, site), "a")


def alike(frame: Frame, value: Term, model: Term, node: ast.AST, what: str) -> Term:
    """`value`, which exists only if its arrays have the sizes of those of `model`, evaluated nowhere else."""
    return agreement.alike(FrameSizes(frame, node), value, model, what)


def equal_sizes(frame: Frame, a: Term, b: Term, node: ast.AST, what: str) -> bool:
    """Are two sizes provably equal?  It is an error if they provably differ."""
    return FrameSizes(frame, node).equal(a, b, what)


class FrameSizes(agreement.Sizes):
    """Sizes at a place of a Python program."""

    def __init__(self, frame: Frame, node: ast.AST) -> None:
        self.frame = frame
        self.node = node

    @property
    def site(self) -> Site:
        """Where it is."""
        return self.frame.site(self.node, self.frame.source.segment(self.node))

    def length(self, array: Term, axis: int) -> Term:
        """The length of an array along an axis."""
        return length_of(self.frame, array, self.node, axis)

    def known(self, size: Term) -> Term:
        """A size that is a number, through names and what loops carry, as that number."""
        number = constant_size(self.frame, size)
        return size if number is None else Const(number)

    def differ(self, left: int, right: int, what: str) -> NoReturn:
        """The error that two sizes are never equal."""
        message = f"sizes {left} and {right} differ: {what}"
        self.frame.fail(ConstantSizeError, self.node, message, "give arrays of equal size")


def length_of(frame: Frame, array: Term, node: ast.AST, axis: int = 0) -> Term:
    """The length of an array along an axis."""
    try:
        size = size_of(just_bound(frame, array), axis)
        known = constant_size(frame, size) if isinstance(size, Length) else None
        return size if known is None else Const(known)
    except Ragged:
        frame.fail(
            RaggedError,
            node,
            "the rows of this array have different lengths",
            "arrays are rectangular; pad the rows to one length, or reduce each row where it is made",
        )


def constant_size(frame: Frame, size: Term) -> int | None:
    """The number that a size is, if it is known while compiling: through names, and what loops carry."""
    match size:
        case Const(value):
            return int(value)
        case Length(array, axis):
            return _constant_length(frame, array, axis)
        case Require(_, body):
            return constant_size(frame, body)
        case Var() if size in frame.shared.definitions:
            return constant_size(frame, frame.shared.definitions[size])
        case Proj():
            whole, path = whole_of(size)
            made = frame.shared.definitions.get(whole) if isinstance(whole, Var) else None
            return constant_size(frame, part_of(made, path)) if isinstance(made, MakeTuple) else None
        case Prim(primitive, arguments) if primitive in _FOLDED:
            known = [constant_size(frame, a) for a in arguments]
            numbers = [k for k in known if k is not None]
            return int(primitive.evaluate(*numbers)) if len(numbers) == len(known) else None
        case _:
            return None


_FOLDED = (p.add, p.subtract, p.multiply, p.maximum, p.minimum)


def _constant_length(frame: Frame, array: Term, axis: int) -> int | None:
    whole, path = whole_of(array)
    if not isinstance(whole, Var):
        return None
    shared = frame.shared
    key: tuple[Var | int, ...] = (whole, *path, axis)
    if key in shared.static_sizes:
        return shared.static_sizes[key]
    if key not in shared.constant_sizes:
        size = defined_size(frame, array, axis)
        shared.constant_sizes[key] = None if size is None else constant_size(frame, size)
    return shared.constant_sizes[key]


def defined_size(frame: Frame, array: Term, axis: int) -> Term | None:
    """The length of an array by what the name of it, or of what it is a part of, stands for; None if that is not known."""
    whole, path = whole_of(array)
    if not isinstance(whole, Var):
        return None
    model = frame.shared.definitions.get(whole, frame.shared.models.get(whole))
    return None if model is None else size_of(part_of(model, path), axis)


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
    agreement.rectangular(FrameSizes(frame, node), array)


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

"""What stands for a value that nothing reads, because the loops that would read it do not run (optimise/placement.py).

It has the shape of the value, and making it neither fails nor costs more than the value.  And what such a loop comes to.
"""

from __future__ import annotations

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.shape import Ragged, size_of
from fsmooth.core.term import (
    Build,
    Const,
    If,
    IFold,
    Length,
    MakeTuple,
    Prim,
    Reduce,
    Reduction,
    Term,
    Var,
    Zero,
    scalar_constant,
)
from fsmooth.core.traverse import size_of_tree
from fsmooth.core.types import Array, Float, Int, Tuple, Type, leaf_of, rank_of


def absent(node: Term) -> Term | None:
    """Zero in place of `node`, or nothing if its sizes are not simple."""
    match node.type:
        case Tuple(items) as type_:
            parts = [scalar_constant(0, item) for item in items if isinstance(item, Float | Int)]
            return MakeTuple(tuple(parts), type_) if len(parts) == len(items) else None
        case type_:
            return _zero(node, type_)


def without_steps(loop: Term) -> Term | None:
    """What a loop comes to that does not run, or nothing if that is not simple."""
    match loop:
        case Build() | Reduce(Reduction.SUM):
            return absent(loop)
        case IFold() if size_of_tree(loop.init) <= thresholds.ABSENT_NODES:
            return loop.init
        case _:
            return None


def is_worth_a_test(node: Term) -> bool:
    """Does it cost more than a test?  Then it leaves a loop that may not run under a test whether that runs."""
    match node:
        case Prim(primitive):
            costly = primitive.weight >= thresholds.ABSENT_WEIGHT
        case If():
            costly = isinstance(node.type, Array)
        case _:
            costly = isinstance(node, Build | Reduce | IFold)
    return costly and absent(node) is not None


def is_worth_sharing_under_tests(node: Term) -> bool:
    """Is it better computed once under a test than written out at each use under one?

    What is long is: it may consist of others that are used several times, which would double at each step.
    """
    if is_worth_a_test(node):
        return True
    return isinstance(node, Prim) and size_of_tree(node) > thresholds.ABSENT_NODES and absent(node) is not None


def _zero(node: Term, type_: Type) -> Term | None:
    if isinstance(type_, Float | Int):
        return scalar_constant(0, type_)
    if not isinstance(type_, Array) or not isinstance(leaf_of(type_), Float | Int):
        return None
    try:
        sizes = [size_of(node, axis) for axis in range(rank_of(type_))]
    except Ragged:
        return None
    return Zero(tuple(sizes), leaf_of(type_)) if all([_is_simple(size) for size in sizes]) else None


_OF_SIZES = (p.add, p.subtract, p.multiply, p.minimum, p.maximum)


def _is_simple(size: Term) -> bool:
    match size:
        case Const() | Var() | Length(Var()):
            return True
        case Prim(primitive, arguments):
            return primitive in _OF_SIZES and all([_is_simple(a) for a in arguments])
        case _:
            return False

"""What is changed in the place of a part of a fold's state must have its sizes, which types do not say.

    ifold (fun a i -> let b = build m (fun j -> x[j]) in … build n (fun k -> a'[k] + b[k % m])) …

`b` could be computed where `a` was if m were n.  The next state has the sizes of the state; of what is computed on
the way, the sizes of loops that make it must be those of the place, as expressions.
"""

from __future__ import annotations

from collections.abc import Iterable

from fsmooth.core import primitives as p
from fsmooth.core.term import (
    Build,
    Carrying,
    Const,
    If,
    Length,
    Let,
    Plus,
    Prim,
    Require,
    Term,
    Update,
    Var,
)
from fsmooth.core.traverse import children
from fsmooth.core.types import is_scalar
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import same
from fsmooth.lower.cardinality import is_path
from fsmooth.lower.context import Context
from fsmooth.lower.destination import View
from fsmooth.lower.placement.places import Part, after, first_summand, reads, stays


def changes(ctx: Context, value: Term, part: Part, later: Iterable[Term]) -> bool:
    """Is the value made by changing the part, whose present contents nothing needs `later`?"""
    return (
        isinstance(value, Update | If | Carrying | Build | Let | Plus | Require)
        and not is_scalar(part.type)
        and part.type == value.type
        and stays(value, part)
        and not any([reads(x, part) for x in later])
        and fits(ctx, value, part)
    )


def fits(ctx: Context, value: Term, part: Part) -> bool:
    """Has a value that `stays` the sizes of the part?"""
    if part.is_held(value):
        return True
    match value:
        case Update(inner) | Carrying(init=inner) | Require(_, inner):
            return fits(ctx, inner, part)
        case If(_, then, otherwise):
            return fits(ctx, then, part) and fits(ctx, otherwise, part)
        case Let(bindings, body):
            return fits(ctx, body, after(part, bindings, body))
        case Plus(items):
            own = first_summand(items, part)
            return own is not None and fits(ctx, own, part)
        case Build():
            return _sizes_are(ctx, value, part)
        case _:
            return False


def has_room(ctx: Context, room: t.Expression, steps: t.Expression) -> bool:
    """Is the number of steps no more than the length of an array, for certain?"""
    steps = _written_out(ctx, steps)
    at_most = steps.arguments if isinstance(steps, t.Operation) and steps.primitive is p.minimum else (steps,)
    return any([is_same_size(ctx, x, room) for x in at_most])


def is_same_size(ctx: Context, a: t.Expression, b: t.Expression) -> bool:
    """Are two lengths equal, for certain?"""
    return same(_written_out(ctx, a), _written_out(ctx, b))


def _written_out(ctx: Context, size: t.Expression) -> t.Expression:
    """A size by name as what it is; 0 for a negative one makes no difference to a number of steps."""
    while True:
        match size:
            case t.Name(name) if name in ctx.integers:
                size = ctx.integers[name]
            case t.Operation(primitive, (inner, t.Literal(0))) if primitive is p.maximum:
                size = inner
            case _:
                return size


def _sizes_are(ctx: Context, term: Build, part: Part) -> bool:
    if not isinstance(part.place, View):
        return False
    inner: Term = term
    for size in part.place.sizes:
        assert isinstance(inner, Build)
        if not _is_known(ctx, inner.size) or not same(ctx.scalar(inner.size), size):
            return False
        inner = inner.body
    return True


def _is_known(ctx: Context, size: Term) -> bool:
    """Is the size an expression, of what is known before the loop?"""
    match size:
        case Const():
            return True
        case Var():
            return size in ctx.environment
        case Length(array):
            return is_path(array) and all([var in ctx.environment for var in array.free])
        case Prim():
            return all([_is_known(ctx, child) for child in children(size)])
        case _:
            return False

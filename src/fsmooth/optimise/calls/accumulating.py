"""What is added to the value of a call, or multiplied with it, and nothing else becomes of it."""

from __future__ import annotations

from msgspec import Struct

from fsmooth.core import primitives as p
from fsmooth.core.term import Let, Prim, Term, Var, let

Bindings = tuple[tuple[Var, Term], ...]
UNITS = {p.add: 0.0, p.multiply: 1.0}
"""The operations by which values of calls are accumulated, and what each starts from."""


class Operand(Struct, frozen=True):
    """By which operation a value becomes another, and the other operand; None if it stays what it is."""

    by: p.Primitive
    term: Term | None


def operand(rest: Term, var: Var) -> Operand | None:
    """The operand with which `rest` is the value `var` of a call; None if something else becomes of that."""
    if rest is var:
        return Operand(p.add, None)
    match rest:
        case Let(bindings, body):
            place = next((k for k, (_, value) in enumerate(bindings) if var in value.free), len(bindings))
            if place == len(bindings):
                return _around(bindings, operand(body, var))
            name, value = bindings[place]
            following = let(bindings[place + 1 :], body) if place + 1 < len(bindings) else body
            inner, outer = operand(value, var), operand(following, name)
            if outer is None or var in following.free:
                return None
            return _around(bindings[:place], inner if outer.term is None else _with(inner, outer.by, outer.term))
        case Prim(primitive, (first, second)) if primitive in UNITS and (var in first.free) != (var in second.free):
            value, other = (first, second) if var in first.free else (second, first)
            return _with(operand(value, var), primitive, other)
        case Prim(p.subtract, (first, second)) if var in first.free and var not in second.free:
            return _with(operand(first, var), p.add, Prim(p.negate, (second,)))
        case _:
            return None


def _with(inner: Operand | None, by: p.Primitive, other: Term) -> Operand | None:
    """What is a value with an operand, with one more."""
    if inner is None or (inner.term is not None and inner.by is not by):
        return None
    return Operand(by, other if inner.term is None else Prim(by, (inner.term, other)))


def _around(bindings: Bindings, found: Operand | None) -> Operand | None:
    """An operand in the scope of bindings."""
    if found is None or found.term is None or not bindings:
        return found
    return Operand(found.by, let(bindings, found.term))

"""Where an Int meets a Float: the papers write `0` for the real number zero.

An integer literal takes the type that its place wants; any other Int is converted (`to_float`).  Tuples,
branches and array displays are joined part by part.
"""

from __future__ import annotations

from fsmooth.core import primitives as p
from fsmooth.core.term import Build, Const, If, Let, MakeTuple, Prim, Proj, Term, Vector
from fsmooth.core.types import Array, Float, Int, Tuple, Type


def joined(a: Type, b: Type) -> Type | None:
    """The type that values of both types can be given, if any.

    >>> joined(Int(), Float())
    Float
    """
    match a, b:
        case _ if a == b:
            return a
        case (Float(), Int()):
            return a
        case (Int(), Float()):
            return b
        case (Float(wide), Float(other)):
            return Float(min(wide, other))
        case (Tuple(xs), Tuple(ys)) if len(xs) == len(ys):
            items = [joined(x, y) for x, y in zip(xs, ys, strict=True)]
            known = [i for i in items if i is not None]
            return Tuple(tuple(known), a.names, a.record) if len(known) == len(items) else None
        case (Array(x), Array(y)):
            element = joined(x, y)
            return Array(element) if element is not None else None
        case _:
            return None


def converted(term: Term, wanted: Type) -> Term | None:
    """`term` as a term of type `wanted`: itself, a literal of that type, an Int made a Float; else None."""
    if term.type == wanted:
        return term
    match term:
        case Const(value) if isinstance(wanted, Float) and isinstance(term.type, Int | Float):
            return Const(float(value), wanted)
        case MakeTuple(items) if isinstance(wanted, Tuple) and len(items) == len(wanted.items):
            parts = _all([converted(x, t) for x, t in zip(items, wanted.items, strict=True)])
            return MakeTuple(parts, wanted) if parts is not None else None
        case Vector(items) if isinstance(wanted, Array):
            parts = _all([converted(x, wanted.element) for x in items])
            return Vector(parts) if parts is not None else None
        case If(condition, then, otherwise):
            parts = _all([converted(then, wanted), converted(otherwise, wanted)])
            return If(condition, parts[0], parts[1]) if parts is not None else None
        case Let(bindings, body):
            inner = converted(body, wanted)
            return Let(bindings, inner) if inner is not None else None
        case Build(size, index, body) if isinstance(wanted, Array):
            inner = converted(body, wanted.element)
            return Build(size, index, inner) if inner is not None else None
    if isinstance(term.type, Int) and isinstance(wanted, Float):
        return Prim(p.conversion_to(wanted), (term,))
    if isinstance(term.type, Tuple) and isinstance(wanted, Tuple) and len(term.type.items) == len(wanted.items):
        parts = _all([converted(Proj(term, k), t) for k, t in enumerate(wanted.items)])
        return MakeTuple(parts, wanted) if parts is not None else None
    return None


def together(terms: list[Term]) -> list[Term] | None:
    """The terms converted to one type, or None if they have none in common."""
    common: Type | None = terms[0].type
    for term in terms[1:]:
        common = joined(common, term.type) if common is not None else None
    if common is None:
        return None
    parts = _all([converted(t, common) for t in terms])
    return list(parts) if parts is not None else None


def _all(parts: list[Term | None]) -> tuple[Term, ...] | None:
    known = [x for x in parts if x is not None]
    return tuple(known) if len(known) == len(parts) else None


def applied(primitive: p.Primitive, arguments: list[Term]) -> Term | None:
    """`primitive` on the arguments, Ints converted where real numbers are wanted; None if there is no type."""
    if len(arguments) != primitive.arity:
        return None
    for candidate in (arguments, *_candidates(primitive, arguments)):
        if primitive.signature(tuple([a.type for a in candidate])) is not None:
            return Prim(primitive, tuple(candidate))
    return None


def _candidates(primitive: p.Primitive, arguments: list[Term]) -> list[list[Term]]:
    fixed = 1 if primitive is p.select else 0
    same = together(arguments[fixed:])
    if same is None:
        return []
    reals = _all([converted(a, Float()) for a in same])
    candidates = [[*arguments[:fixed], *same]]
    if reals is not None:
        candidates.append([*arguments[:fixed], *reals])
    return candidates

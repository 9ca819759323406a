"""Weak numbers where they meet others: made strong, or rounded to float32 (core.weak says what is weak).

A weak number is computed as Python does, with 64 bits, and rounded once, where it meets float32.  Products,
quotients and sums without cancellation in which the index of a loop takes part are rounded part by part instead, which
costs some units in the last place of a float32 and saves a conversion in each step of the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fsmooth.core import primitives as p
from fsmooth.core.build import build, number
from fsmooth.core.shape import size_of
from fsmooth.core.signs import never_negative
from fsmooth.core.term import Build, Const, Get, If, Let, MakeTuple, Prim, Term, Var, Vector, Zero
from fsmooth.core.types import F32, F64, Array, Bool, Float, Int, Tuple, Type, leaf_of
from fsmooth.core.weak import WEAK, Weak, is_weak, strong
from fsmooth.frontend.python.frame import Frame


def strengthened(term: Term) -> Term:
    """The same value, no longer weak."""
    return retyped(term, strong(term.type)) if is_weak(term.type) else term


def weakened(term: Term) -> Term:
    """A float64 number as Python's own."""
    return retyped(term, WEAK) if isinstance(term.type, Float) and term.type.width == 64 else term


def retyped(term: Term, wanted: Type) -> Term:
    """`term` at an equal type in which other numbers are weak."""
    match term:
        case Const(value):
            return Const(value, wanted)
        case Zero(sizes) if not sizes:
            return Zero((), wanted)
        case Build(size, index, body) if isinstance(wanted, Array):
            return Build(size, index, retyped(body, wanted.element))
        case Vector(items) if isinstance(wanted, Array):
            return Vector(tuple([retyped(item, wanted.element) for item in items]))
        case MakeTuple(items) if isinstance(wanted, Tuple):
            return MakeTuple(tuple([retyped(a, t) for a, t in zip(items, wanted.items, strict=True)]), wanted)
        case If(condition, then, otherwise):
            return If(condition, retyped(then, wanted), retyped(otherwise, wanted))
        case Let(bindings, body):
            return Let(bindings, retyped(body, wanted))
        case _:
            same = Var("same", wanted)
            return Let(((same, term),), same)


def at_one_width(arguments: Sequence[Term], narrow: Callable[[Term], Term]) -> list[Term]:
    """The arguments of one function: beside float32 and nothing wider, weak numbers are narrowed; beside float64, which
    arrays of weak numbers are too, float32 is widened.
    """
    leaves = {leaf_of(a.type) for a in arguments if not isinstance(a.type, Weak)}
    if F32 not in leaves:
        return list(arguments)
    if F64 in leaves:
        return [widened(a) if leaf_of(a.type) == F32 else a for a in arguments]
    return [narrow(a) if isinstance(a.type, Weak) else a for a in arguments]


def widened(term: Term) -> Term:
    """A float32 number, or each number of an array, as float64."""
    if isinstance(term.type, Float):
        return Prim(p.to_float, (term,))
    return build(size_of(term), lambda i: widened(Get(term, i)))


_FACTORS = frozenset({p.multiply, p.divide, p.negate})
_TAME = 2.0**40
"""Products of a few constants below this, and above its reciprocal, stay within float32."""
_DEEP = 6
"""So many names and products deep are factors looked for."""


def narrowed(frame: Frame, term: Term) -> Term:
    """A number as a float32 number."""
    match term:
        case Prim(p.to_float, (Term(type=Int() | Bool()) as inner,)):
            return Prim(p.to_float32, (inner,))
        case Term(type=type_) if not is_weak(type_):
            return Prim(p.to_float32, (term,))
    known = constant_element(frame, term)
    factors = rounded_factors(frame, term, _DEEP) if known is None and varies(frame, term) else known
    return Prim(p.to_float32, (term,)) if factors is None else factors


def rounded_factors(frame: Frame, term: Term, depth: int) -> Term | None:
    """The same product of factors rounded one by one; None for what is not one."""
    if isinstance(term, Const):
        return constant_factor(term)
    if not varies(frame, term):
        return Prim(p.to_float32, (term,))
    match term:
        case Prim(p.to_float):
            return narrowed(frame, term)
        case Prim(primitive, arguments) if depth and (primitive in _FACTORS or is_sum(frame, term)):
            parts = [rounded_factors(frame, a, depth - 1) for a in arguments]
            known = [q for q in parts if q is not None]
            return Prim(primitive, tuple(known)) if len(known) == len(parts) else None
        case Var() if depth and term in frame.shared.definitions:
            return rounded_factors(frame, frame.shared.definitions[term], depth - 1)
        case If(condition, Const() as then, Const() as otherwise):
            first, second = constant_factor(then), constant_factor(otherwise)
            return None if first is None or second is None else If(condition, first, second)
        case _:
            return None


def is_sum(frame: Frame, term: Prim) -> bool:
    """A sum in which nothing cancels, since no part is negative."""
    return term.primitive is p.add and all([is_positive(frame, a) for a in term.arguments])


def is_positive(frame: Frame, term: Term) -> bool:
    """Is it certainly not negative?"""
    match term:
        case Const(value):
            return value >= 0
        case Prim(p.to_float, (Term(type=Int()) as inner,)):
            return never_negative(inner, frame.shared.counters)
        case Prim(primitive, arguments) if primitive in (p.add, p.multiply, p.divide):
            return all([is_positive(frame, a) for a in arguments])
        case _:
            return False


def constant_factor(term: Const) -> Term | None:
    """A constant that does not lead out of the range of float32."""
    size = abs(term.value)
    return number(term.value, F32) if size == 0.0 or 1.0 / _TAME <= size <= _TAME else None


def constant_element(frame: Frame, term: Term) -> Term | None:
    """The element of an array of constants, rounded; None for anything else."""
    if not isinstance(term, Get):
        return None
    array = frame.shared.definitions.get(term.array) if isinstance(term.array, Var) else term.array
    match array:
        case Build(_, _, Const(value)) if isinstance(term.index, Var):
            return number(value, F32)
        case Vector(items) if all([isinstance(item, Const) for item in items]):
            return Get(
                Vector(tuple([number(item.value, F32) for item in items if isinstance(item, Const)])), term.index
            )
        case _:
            return None


def varies(frame: Frame, term: Term) -> bool:
    """Was it computed from the index of a loop?"""
    seen: set[Var] = set()
    waiting = list(term.free)
    while waiting:
        var = waiting.pop()
        if var in frame.shared.counters:
            return True
        if var not in seen and var in frame.shared.definitions:
            seen.add(var)
            waiting.extend(frame.shared.definitions[var].free)
    return False

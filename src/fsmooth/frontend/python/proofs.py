"""What is certain of integers while a program is read: that they are not negative, that one is not above another.

Known are the ranges of the indices of loops, what names stand for, and that lengths are not negative; an array that a
loop carries has the sizes it had before.  Proofs are sound and incomplete.
"""

from __future__ import annotations

from fsmooth.core.build import minus, part_of, whole_of
from fsmooth.core.shape import Ragged, size_of
from fsmooth.core.signs import never_negative
from fsmooth.core.term import Build, Check, Collect, Const, Get, Length, Prim, Term, Var, Vector
from fsmooth.core.traverse import transform
from fsmooth.core.types import Array
from fsmooth.frontend.python.frame import Frame
from fsmooth.rewrite.linear import Bounds, polynomial
from fsmooth.rewrite.magnitudes import Magnitudes


def is_natural(frame: Frame, number: Term) -> bool:
    """Is it certainly not negative?"""
    if never_negative(number, frame.shared.counters | frame.shared.ranges.keys()):
        return True
    known = _magnitudes(frame)
    bounds = Bounds(known.upper, known.define, known.is_exact)
    wanted = known.poly(measured(frame, number))
    for atom in wanted.atoms.values():  # where an index is, its loop has a step
        limit = known.upper(atom)
        if limit is not None:
            bounds.known.append(known.poly(measured(frame, minus(minus(limit, atom), Const(1)))))
    return bounds.nonnegative(wanted)


def _magnitudes(frame: Frame) -> Magnitudes:
    shared = frame.shared

    def upper(atom: Term) -> Term | None:
        return shared.ranges.get(atom) if isinstance(atom, Var) else None

    def define(var: Var) -> Term | None:
        definition = shared.definitions.get(var)
        return measured(frame, definition) if isinstance(definition, Prim | Length | Check) else definition

    return Magnitudes(lambda term: polynomial(term, define), define, upper)


def is_below(frame: Frame, index: Term, size: Term) -> bool:
    """Is it certainly less than a size that has not wrapped around?"""
    return is_at_most(frame, index, minus(size, Const(1))) and _magnitudes(frame).is_exact(measured(frame, size))


def offset(frame: Frame, number: Term, other: Term) -> int | None:
    """By how much a number is certainly above another, if that is always the same and neither has wrapped around."""
    known = _magnitudes(frame)
    first, second = [measured(frame, term) for term in (number, other)]
    difference = known.poly(first).plus(known.poly(second), -1).number()
    return difference if difference is not None and known.is_exact(first) and known.is_exact(second) else None


def is_at_most(frame: Frame, number: Term, limit: Term) -> bool:
    """Is it certainly not above the limit?"""
    return is_natural(frame, minus(limit, number))


def falls_below_zero(frame: Frame, number: Term) -> bool:
    """Is something taken away in it, so that it may be negative?

    An argument, what is read from an array or counted up is not: loops that gather would ask at each step, and the gradient
    of the one element that an argument names would be that of one of two.
    """
    if isinstance(number, Const):
        return number.value < 0
    if isinstance(number, Var) and isinstance(frame.shared.definitions.get(number), Check):
        return False
    coefficients = polynomial(number, frame.shared.definitions.get).coefficients.values()
    return any([c < 0 for c in coefficients]) and not is_natural(frame, number)


def has_natural_elements(frame: Frame, array: Term) -> bool:
    """Is no element of an array of integers negative?"""
    match array:
        case Var() if array in frame.shared.definitions:
            return has_natural_elements(frame, frame.shared.definitions[array])
        case Vector(items):
            return all([has_natural_elements(frame, item) for item in items])
        case Build(size, index, body):
            frame.shared.ranges.setdefault(index, size)
            return has_natural_elements(frame, body)
        case Collect(_, generators, _, body):
            for size, index in generators:
                frame.shared.ranges.setdefault(index, size)
            return has_natural_elements(frame, body)
        case _ if isinstance(array.type, Array):
            return False
        case _:
            return is_natural(frame, array)


def measured(frame: Frame, number: Term) -> Term:
    """`number` with the lengths of what loops carry as those of what they start with."""

    def change(term: Term) -> Term:
        if not isinstance(term, Length):
            return term
        size = first_length(frame, term)
        return term if size is None else measured(frame, size)

    return transform(number, change)


def first_length(frame: Frame, length: Length) -> Term | None:
    """The length of an array when a loop that carries it begins, or where it was made, if that says more."""
    array, axis = length.array, length.axis
    while isinstance(array, Get):
        array, axis = array.array, axis + 1
    whole, path = whole_of(array)
    if not isinstance(whole, Var):
        return None
    model = frame.shared.models.get(whole, frame.shared.definitions.get(whole))
    if model is None:
        return None
    try:
        size = size_of(part_of(model, path), axis)
    except Ragged:
        return None
    return (
        size if never_negative(size, frozenset()) and not (isinstance(size, Length) and size.array is array) else None
    )

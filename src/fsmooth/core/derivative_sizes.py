"""Sizes of derivatives that are still to be made: those of the function's value and arguments, put together."""

from __future__ import annotations

from collections.abc import Callable

from fsmooth.core.term import App, Deriv, MakeTuple, Proj, Term, Verb
from fsmooth.core.types import Function, Tuple, leaf_of, rank_of

SizeOf = Callable[[Term, int], Term]
"""`core.shape.size_of`, which asks here for derivatives."""


def size_of_derivative(term: Term, axis: int, size_of: SizeOf) -> Term | None:
    """The length of (a component of) the value of a derivative that is still to be made."""
    path: list[int] = []
    while isinstance(term, Proj):
        path.insert(0, term.position)
        term = term.tuple
    if not isinstance(term, App) or not isinstance(term.function, Deriv):
        return None
    deriv, function = term.function, term.function.function.type
    assert isinstance(function, Function)
    arguments = term.arguments[: len(function.parameters)]
    value: Term = App(deriv.function, arguments)
    if deriv.verb in (Verb.JVP, Verb.VJP, Verb.VALUE_AND_GRAD):
        if not path:
            return None
        half, *path = path
        if half == 0 or deriv.verb is Verb.JVP:
            return _along(value, path, axis, size_of)
    rank = 0
    if deriv.verb is Verb.JACOBIAN:
        output, place = function.result, value
        while isinstance(output, Tuple) and path:
            output, place, path = output.items[path[0]], _part(place, path[0]), path[1:]
        rank = rank_of(output)
        if isinstance(leaf_of(output), Tuple):
            return None
        if axis < rank:
            return size_of(place, axis)
    elif deriv.verb is Verb.DUAL:
        return None
    if not deriv.single:
        if not path:
            return None
        return _along(arguments[deriv.wrt[path[0]]], path[1:], axis - rank, size_of)
    return _along(arguments[deriv.wrt[0]], path, axis - rank, size_of)


def _part(value: Term, position: int) -> Term:
    return value.items[position] if isinstance(value, MakeTuple) else Proj(value, position)


def _along(value: Term, path: list[int], axis: int, size_of: SizeOf) -> Term:
    for position in path:
        value = _part(value, position)
    return size_of(value, axis)

"""Forward or reverse, where the predictions are close: both are made, and the costs of what the optimiser leaves decide.

A prediction does not see which tangents are sparse, what the rows of a Jacobian share, or what fusion removes; the cost
of the optimised function does.  It takes the optimiser's time once more for each mode, so that it is not done for what is
large, nor where one mode grows faster than the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Protocol

from fsmooth.core.cost import Costs
from fsmooth.core.polynomial import Polynomial
from fsmooth.core.term import Const, Lam, Length, Method, Term, Var
from fsmooth.core.traverse import size_of_tree
from fsmooth.core.types import Array, rank_of
from fsmooth.differentiate.choose import Choice, Known

LARGEST = 2000
"""The nodes of a function whose derivatives are compared."""
LONGEST = 1930.0
"""The operations, as predicted, of what may be written out to be compared."""
RATIO = 16.0
"""Predictions further apart than this are believed."""
MARGIN = 0.85
"""Reverse mode is taken if it costs less than this part of forward mode, whose loops keep nothing and run in vectors."""


class Finish(Protocol):
    """The optimiser, as it runs on what is compiled."""

    def __call__(self, term: Lam, static_sizes: Mapping[tuple[Var, int], int]) -> Term:
        """The function optimised, with known sizes built in."""


def is_close(choice: Choice, function: Lam) -> bool:
    """Could the other mode be cheaper than the one that is predicted to be?"""
    forward, reverse = choice.forward, choice.reverse
    if choice.is_forced or forward is None or reverse is None or size_of_tree(function.body) > LARGEST:
        return False
    (grown, costs), (other, more) = forward.order, reverse.order
    if grown == 0 and max(costs, more) > LONGEST:
        return False
    return grown == other and costs <= RATIO * more and more <= RATIO * costs


def compared(
    choice: Choice, function: Lam, made: Callable[[Method], Lam], known: Known, finish: Finish
) -> tuple[Choice, Lam]:
    """The choice between both modes of a derivative of a function, as they are made, and what it made."""
    functions = {method: made(method) for method in (Method.FORWARD, Method.REVERSE)}
    sizes = _sizes(function, known)
    costs = {method: _cost(derivative, sizes, finish) for method, derivative in functions.items()}
    forward, reverse = costs[Method.FORWARD], costs[Method.REVERSE]
    growth, value = forward.order
    is_reverse = reverse.order < (growth, MARGIN * value)
    method, why = (Method.REVERSE, "which costs less") if is_reverse else (Method.FORWARD, "which costs no more")
    return replace(choice, method=method, why=why, forward=forward, reverse=reverse), functions[method]


def _sizes(function: Lam, known: Known) -> dict[tuple[int, int], int]:
    """The lengths of arguments that are numbers where a derivative stands, by position and axis."""
    sizes: dict[tuple[int, int], int] = {}
    for k, x in enumerate(function.parameters):
        for axis in range(rank_of(x.type) if isinstance(x.type, Array) else 0):
            length = known.length(Length(x, axis))
            if isinstance(length, Const):
                sizes[k, axis] = int(length.value)
    return sizes


def _cost(derivative: Lam, sizes: Mapping[tuple[int, int], int], finish: Finish) -> Polynomial:
    """The cost of a call of a derivative, optimised."""
    optimised = finish(derivative, {(derivative.parameters[k], axis): n for (k, axis), n in sizes.items()})
    assert isinstance(optimised, Lam)
    return Costs({(optimised.parameters[k], axis): n for (k, axis), n in sizes.items()}).of(optimised.body)

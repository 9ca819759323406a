"""Forward or reverse, where the predictions are close: both are made, and the costs of what the optimiser leaves decide.

A prediction does not see which tangents are sparse, what the rows of a Jacobian share, or what fusion removes; the cost
of the optimised function does.  It takes the optimiser's time once more for the mode that is thrown away, so that it is not
done for what is large, nor where one mode grows faster than the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, cast

from msgspec import Struct
from msgspec.structs import replace

from fsmooth import thresholds
from fsmooth.core.cost import Costs
from fsmooth.core.polynomial import Polynomial
from fsmooth.core.subst import substitute
from fsmooth.core.term import Const, Lam, Length, Method, Sealed, Term, Var
from fsmooth.core.traverse import size_of_tree, subterms
from fsmooth.core.types import Array, rank_of
from fsmooth.differentiate.choose import Choice, Known
from fsmooth.rewrite.trace import Trace


class OnItsWay(Protocol):
    """A function on its way through the optimiser, as that runs on what is compiled."""

    @property
    def trace(self) -> Trace:
        """The rules that fired on the way."""

    def simplified(self) -> Term:
        """The function before anything of it is shared or moved."""

    def finished(self) -> Term:
        """The function optimised."""


class Optimiser(Protocol):
    """The optimiser, to which a function is given with the sizes that are known."""

    def __call__(self, term: Lam, static_sizes: Mapping[tuple[Var, int], int]) -> OnItsWay:
        """The function on its way."""


class Candidate(Struct, frozen=True):
    """A derivative by one mode; `sizes` are the lengths of its arguments that are known, by position and axis."""

    derivative: Lam
    sizes: Mapping[tuple[int, int], int]
    way: OnItsWay

    @staticmethod
    def of(derivative: Lam, sizes: Mapping[tuple[int, int], int], optimiser: Optimiser) -> Candidate:
        """A derivative of which nothing is optimised yet."""
        known = {(derivative.parameters[k], axis): n for (k, axis), n in sizes.items()}
        return Candidate(derivative, sizes, optimiser(derivative, known))

    def simplified(self) -> Polynomial:
        """What a call of it costs before anything is shared, which makes it cheaper."""
        return self._cost(self.way.simplified())

    def finished(self) -> Polynomial:
        """What a call of it costs in the end."""
        return self._cost(self.way.finished())

    def ended(self, parameters: tuple[Var, ...], trace: Trace) -> Lam:
        """The derivative optimised, as a function of these parameters; `trace` learns the rules that fired."""
        function = cast(Lam, self.way.finished())
        trace.extend(self.way.trace)
        return Lam(parameters, substitute(function.body, dict(zip(function.parameters, parameters, strict=True))))

    def _cost(self, function: Term) -> Polynomial:
        assert isinstance(function, Lam)
        return Costs({(function.parameters[k], axis): n for (k, axis), n in self.sizes.items()}).of(function.body)


def is_close(choice: Choice, function: Lam) -> bool:
    """Could the other mode be cheaper than the one that is predicted to be?"""
    forward, reverse = choice.forward, choice.reverse
    if choice.is_forced or forward is None or reverse is None or _size(function.body) > thresholds.COMPARED_NODES:
        return False
    (grown, costs), (other, more) = forward.order, reverse.order
    if grown == 0 and max(costs, more) > thresholds.COMPARED_OPERATIONS:
        return False
    return grown == other and costs <= thresholds.BELIEVED * more and more < thresholds.SPARSER * costs


def _size(body: Term) -> int:
    """The nodes of a body, and of the rules of what it calls."""
    rules = [rule for t in subterms(body) if isinstance(t, Sealed) for rule in (t.jvp, t.vjp)]
    return size_of_tree(body) + sum([size_of_tree(rule) for rule in rules if rule is not None])


def compared(
    choice: Choice, function: Lam, made: Callable[[Method], Lam], known: Known, optimiser: Optimiser
) -> tuple[Choice, Candidate]:
    """The choice between both modes of a derivative of a function, as they are made, and the one that is chosen.

    What is optimised of both is no more than the choice needs: the one that is taken is not optimised again.
    """
    sizes = _sizes(function, known)
    ways = {method: Candidate.of(made(method), sizes, optimiser) for method in (Method.FORWARD, Method.REVERSE)}
    forward, reverse = ways[Method.FORWARD].simplified(), ways[Method.REVERSE].simplified()
    if not _costs_less(forward, reverse, thresholds.FORWARD_BELOW):
        forward = ways[Method.FORWARD].finished()
        if not _costs_less(reverse, forward, thresholds.REVERSE_BELOW):
            reverse = ways[Method.REVERSE].finished()
    is_reverse = _costs_less(reverse, forward, thresholds.REVERSE_BELOW)
    method, why = (Method.REVERSE, "which costs less") if is_reverse else (Method.FORWARD, "which costs no more")
    return replace(choice, method=method, why=why, forward=forward, reverse=reverse), ways[method]


def _costs_less(a: Polynomial, b: Polynomial, part: float) -> bool:
    """Does `a` grow less than `b`, or as much and cost less than this part of it?"""
    growth, value = b.order
    return a.order < (growth, part * value)


def _sizes(function: Lam, known: Known) -> dict[tuple[int, int], int]:
    """The lengths of arguments that are numbers where a derivative stands, by position and axis."""
    sizes: dict[tuple[int, int], int] = {}
    for k, x in enumerate(function.parameters):
        for axis in range(rank_of(x.type) if isinstance(x.type, Array) else 0):
            length = known.length(Length(x, axis))
            if isinstance(length, Const):
                sizes[k, axis] = int(length.value)
    return sizes

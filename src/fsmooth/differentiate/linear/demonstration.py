"""The stages of a function as the notes' prototype prints them (paper 001, §9).

Definition, definition with names, full Jacobian, forward derivative, transposed Jacobian, reverse derivative, each as it
is made, then by the laws, then with what is computed twice computed once.

The notes print `lmScale((x + y) * (x + x) + (x + y) * (x + x))` for f(x) = (x*x) * (x + x*x).  That is 4x² + 4x³, but
the derivative is 3x² + 4x³; `y * (1 + (x + x))` has to stand for the second product, and does here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from fsmooth.core.pretty import show
from fsmooth.core.subst import refresh
from fsmooth.core.term import Lam, Let, Term
from fsmooth.differentiate.linear.functions import (
    Jacobian,
    by_composition,
    by_substitution,
    forward,
    reverse,
    transposed,
)
from fsmooth.differentiate.linear.names import named

_READABLE = 12
"""Most definitions for which Fig. 6 is used as it is written, with a name for each derivative; it is exponential in them."""


@dataclass(frozen=True)
class Passes:
    """What is done to the terms: maps combined by their laws, maps applied, common subexpressions shared."""

    combine: Callable[[Term], Term]
    eliminate: Callable[[Term], Term]
    share: Callable[[Term], Term]


def readable(function: Lam, wrt: tuple[int, ...]) -> Lam:
    """∂f as in Fig. 6 for short functions; a let as a composition for long ones."""
    body = named(function.body)
    count = len(body.bindings) if isinstance(body, Let) else 0
    jacobian: Jacobian = by_substitution if count <= _READABLE else by_composition
    return jacobian(function, wrt)


def demonstrate(
    function: Lam, passes: Passes, wrt: tuple[int, ...] = (0,), jacobian: Jacobian = readable
) -> list[tuple[str, Term]]:
    """Titles and terms, in the order of the notes.

    Raises:
        NoDerivative: for a construct or primitive without a derivative.

    """
    full = jacobian(function, wrt)
    short = cast(Lam, passes.combine(full))
    ahead, back, turned = forward(short), reverse(short), transposed(short)
    fast_ahead, fast_back = passes.eliminate(ahead), passes.eliminate(back)
    own = cast(Lam, refresh(function))
    return [
        ("Original definition", function),
        ("Anf-ised original definition", Lam(own.parameters, named(own.body))),
        ("The full Jacobian (unoptimised)", full),
        ("The full Jacobian (optimised)", short),
        ("Forward derivative (unoptimised)", ahead),
        ("Forward-mode derivative (optimised)", fast_ahead),
        ("Forward-mode derivative (CSE'd)", passes.share(fast_ahead)),
        ("Transposed Jacobian", turned),
        ("Optimised transposed Jacobian", passes.combine(turned)),
        ("Reverse-mode derivative (unoptimised)", back),
        ("Reverse-mode derivative (optimised)", fast_back),
        ("Reverse-mode derivative (CSE'd)", passes.share(fast_back)),
    ]


def written(stages: list[tuple[str, Term]]) -> str:
    """The stages as text, each under its title."""
    rule = "-" * 29
    return "\n\n".join([f"{rule}\n{title}\n{rule}\n{show(term)}" for title, term in stages])

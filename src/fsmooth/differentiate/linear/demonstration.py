"""The stages of a function as the notes' prototype prints them (paper 001, §9).

Definition, definition with names, full Jacobian, forward derivative, transposed Jacobian, reverse derivative, each as it
is made, then by the laws, then with what is computed twice computed once.

The notes print `lmScale((x + y) * (x + x) + (x + y) * (x + x))` for f(x) = (x*x) * (x + x*x).  That is 4x² + 4x³, but
the derivative is 3x² + 4x³; `y * (1 + (x + x))` has to stand for the second product, and does here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from msgspec import Struct

from fsmooth.core.pretty import show
from fsmooth.core.subst import refresh
from fsmooth.core.term import Lam, Let, Term
from fsmooth.core.traverse import subterms
from fsmooth.differentiate.linear.functions import (
    Jacobian,
    by_composition,
    by_substitution,
    forward,
    reverse,
    transposed,
)
from fsmooth.differentiate.linear.names import named

_SHORT = 12
"""Most definitions, in all scopes, for which Fig. 6 is used as it is written, and matrices of maps are multiplied out: both
are exponential in them."""


class Passes(Struct, frozen=True):
    """What is done to the terms.

    combine     maps of a short function combined by all their laws
    compose     those of a long one by the laws that write no map twice
    eliminate   maps applied, so that none is left
    share       common subexpressions computed once
    """

    combine: Callable[[Term], Term]
    compose: Callable[[Term], Term]
    eliminate: Callable[[Term], Term]
    share: Callable[[Term], Term]


class Demonstration(Struct, frozen=True):
    """Terms under their titles, in the order of the notes; as text, each below its title."""

    terms: Mapping[str, Term]

    def __str__(self) -> str:
        rule = "-" * 29
        return "\n\n".join([f"{rule}\n{title}\n{rule}\n{show(term)}" for title, term in self.terms.items()])


def is_short(function: Lam) -> bool:
    """Has it few definitions, after naming?"""
    return sum([len(t.bindings) for t in subterms(named(function.body)) if isinstance(t, Let)]) <= _SHORT


def demonstrate(
    function: Lam, passes: Passes, wrt: tuple[int, ...] = (0,), jacobian: Jacobian | None = None
) -> Demonstration:
    """The stages of a function without `Deriv`.

    ∂f is that of Fig. 6 for a short function, and has lets as compositions for a long one, unless `jacobian` is given.

    Raises:
        NoDerivative: for a construct or primitive without a derivative.

    """
    short = is_short(function)
    make = jacobian or (by_substitution if short else by_composition)
    simplify = passes.combine if short else passes.compose
    full = make(function, wrt)
    optimised = cast(Lam, simplify(full))
    ahead, back, turned = forward(optimised), reverse(optimised), transposed(optimised)
    fast_ahead, fast_back = passes.eliminate(ahead), passes.eliminate(back)
    own = cast(Lam, refresh(function))
    return Demonstration(
        {
            "Original definition": function,
            "Anf-ised original definition": Lam(own.parameters, named(own.body)),
            "The full Jacobian (unoptimised)": full,
            "The full Jacobian (optimised)": optimised,
            "Forward derivative (unoptimised)": ahead,
            "Forward-mode derivative (optimised)": fast_ahead,
            "Forward-mode derivative (CSE'd)": passes.share(fast_ahead),
            "Transposed Jacobian": turned,
            "Optimised transposed Jacobian": simplify(turned),
            "Reverse-mode derivative (unoptimised)": back,
            "Reverse-mode derivative (optimised)": fast_back,
            "Reverse-mode derivative (CSE'd)": passes.share(fast_back),
        }
    )

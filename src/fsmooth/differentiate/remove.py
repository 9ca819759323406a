"""Removal of derivatives, innermost first (design §3)."""

from __future__ import annotations

from collections.abc import Callable

from fsmooth.core.term import Deriv, Lam, Method, Term, Verb
from fsmooth.core.traverse import subterms, transform
from fsmooth.differentiate.deriv import forward
from fsmooth.differentiate.derivatives import NoDerivative
from fsmooth.differentiate.reverse.verbs import reverse

Simplify = Callable[[Term], Term]


def remove_derivatives(term: Term, simplify: Simplify) -> Term:
    """`term` without `Deriv`.  A function is simplified before it is differentiated, so that what is
    differentiated is fused; nested derivatives go innermost first, each with fresh variables, so perturbations
    are never confused (paper 000, §4.3).

    Raises:
        NoDerivative: for a construct or primitive without a derivative.

    """

    def change(t: Term) -> Term:
        if not isinstance(t, Deriv):
            return t
        function = simplify(t.function)
        if not isinstance(function, Lam):
            raise NoDerivative("what is differentiated must be a function known at compile time")
        known = Deriv(function, t.wrt, t.verb, t.method, t.single)
        if t.method is Method.REVERSE or t.verb is Verb.VJP:
            return reverse(known)
        return forward(known)

    return transform(term, change)


def has_derivative(term: Term) -> bool:
    """Is there a `Deriv` in the term?"""
    return any([isinstance(t, Deriv) for t in subterms(term)])

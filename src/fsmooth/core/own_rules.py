"""Functions with derivatives of their own, in terms."""

from __future__ import annotations

from fsmooth.core.term import Custom, Rule, Term
from fsmooth.core.traverse import subterms, transform


def without_rules(term: Term) -> Term:
    """`term` when all derivatives have been made: functions without their rules."""
    return transform(term, lambda t: t.function if isinstance(t, Custom) else t)


def checked_rules(term: Term) -> set[Rule]:
    """The rules that a term uses and that are to be checked against their functions."""
    return {t.rule for t in subterms(term) if isinstance(t, Custom) and t.rule.is_checked}

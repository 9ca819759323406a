"""What nothing reads may be anything: here it is NaN, which whatever reads it becomes too."""

from __future__ import annotations

from functools import reduce
from math import nan

from fsmooth.core.term import Build, Const, Term, Unread, Var
from fsmooth.core.traverse import subterms, transform
from fsmooth.core.types import INT, Float


def poisoned(term: Term) -> Term:
    """The term with NaN where it says that nothing is read."""
    return transform(term, _poisoned)


def has_unread(term: Term) -> bool:
    """Does it say so anywhere?"""
    return any([isinstance(t, Unread) for t in subterms(term)])


def _poisoned(t: Term) -> Term:
    if not isinstance(t, Unread):
        return t
    assert isinstance(t.leaf, Float)
    return reduce(lambda element, size: Build(size, Var("i", INT), element), reversed(t.sizes), Const(nan, t.leaf))

"""Functions as terms: a body elaborated for parameters of its own, with bindings and requirements of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from fsmooth.core.term import Lam, Require, Term, Var
from fsmooth.frontend.python.frame import Frame


def function_term(frame: Frame, parameters: tuple[Var, ...], visible: Iterable[Var], make: Callable[[], Term]) -> Lam:
    """The function of these parameters whose body is what `make` gives; it may mention the `visible` variables."""
    outer_requirements, frame.requirements = frame.requirements, []
    outer_entry, frame.entry = frame.entry, frozenset(visible)
    try:
        body = frame.inside(make)
        for r in reversed(frame.requirements):
            body = Require(r.condition, body, r.failure, r.numbers, r.site)
        return Lam(parameters, body)
    finally:
        frame.requirements, frame.entry = outer_requirements, outer_entry


@contextmanager
def differentiated_times(frame: Frame, order: int) -> Iterator[None]:
    """What is elaborated meanwhile is differentiated so many times."""
    outer, frame.shared.order = frame.shared.order, order
    try:
        yield
    finally:
        frame.shared.order = outer

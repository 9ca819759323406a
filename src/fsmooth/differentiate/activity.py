"""Activity: which components of which values have a tangent (paper 000, Fig. 7, where the whole state is dual).

A component of a loop's state is active if its initial value is, or if the body makes it from active ones; that
is the least fixpoint of core/dependence.py.  Int and Bool carry no tangents, so nothing flows through them: not through
a condition, an index or a size.  What is not active keeps its primal type in D⟦·⟧, so no tangent of it is ever
carried around a loop or computed in one.  All that D⟦·⟧ asks of a term is answered from one walk.
"""

from __future__ import annotations

from collections.abc import Iterable

from fsmooth.core.dependence import Dependence, Flow
from fsmooth.core.term import Term, Var
from fsmooth.core.types import Type, dual
from fsmooth.differentiate.derivatives import CONSTANT


class Activity:
    """What in `root` depends on the `active` variables by real numbers."""

    def __init__(self, root: Term, active: Iterable[Var]) -> None:
        self._dependence = Dependence(root, active, has_tangent, CONSTANT)

    def is_active(self, term: Term) -> bool:
        """Does `term`, a part of the root, have a tangent that may differ from zero?"""
        return self._dependence.is_dependent(term)

    def of_state(self, state: Var) -> Activities:
        """Which components of a loop's state are active."""
        return self._each(self._dependence.of(state))

    def _each(self, flow: Flow) -> Activities:
        if isinstance(flow, tuple):
            return tuple([self._each(part) for part in flow])
        return self._dependence.depends(flow)


Activities = bool | tuple["Activities", ...]
"""For each component of a tuple, of any nesting: is it active?"""


def has_tangent(type_: Type) -> bool:
    """Are there real numbers in it?"""
    return dual(type_) != type_

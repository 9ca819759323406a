"""What reverse mode calls what it makes of a variable: x_bar is the cotangent of x."""

from __future__ import annotations

from fsmooth.core.term import Backwards, Flow, Var
from fsmooth.core.types import Type

_SUFFIXES = {Flow.COTANGENT: "bar", Flow.LEAVING: "back", Flow.BOTH: "both", Flow.STATE: "back", Flow.SAVED: "saved"}


def beside(var: Var, flow: Flow, type_: Type) -> Var:
    """A variable for what is made of `var`, or beside it."""
    name = _SUFFIXES[flow] if flow is Flow.STATE else f"{var.name}_{_SUFFIXES[flow]}"
    return Var(name, type_, Backwards.of(var, flow))

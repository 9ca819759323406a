"""The order of the stages: from a program and the types of its arguments to a loaded library.

elaborate → optimise → remove the innermost derivative → optimise → … → lower → emit → compile → load
"""

from __future__ import annotations

import gc
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from fsmooth.backend.c.emit import emit
from fsmooth.backend.c.program import CProgram
from fsmooth.core.shape import Ragged
from fsmooth.core.term import Lam, Term, Var
from fsmooth.core.types import Type
from fsmooth.differentiate.choose import Choice
from fsmooth.differentiate.derivatives import NoDerivative
from fsmooth.differentiate.remove import Removal, has_derivative
from fsmooth.errors import NotDifferentiableError, RaggedError
from fsmooth.frontend.elaborate import Elaborated, elaborate
from fsmooth.frontend.programs import Program
from fsmooth.lower.copies import lower_with_copies
from fsmooth.lower.to_loops import lower
from fsmooth.optimise.schedules import SCHEDULES, Destinations
from fsmooth.optimise.static_sizes import static_dimensions
from fsmooth.rewrite.trace import Trace

_RECURSION = 1_000_000
_LOCK = threading.RLock()
_LOWERINGS = {Destinations.PASSED: lower, Destinations.COPIED: lower_with_copies}


@dataclass
class Stages:
    """What each stage made, how long it took, which rules fired, and in which mode each derivative was made."""

    elaborated: Elaborated
    terms: dict[str, Term] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    trace: Trace = field(default_factory=Trace)
    choices: list[Choice] = field(default_factory=list)
    code: CProgram | None = None
    static_sizes: Mapping[tuple[int, int], int] = field(default_factory=dict)


def to_term(program: Program, arguments: Mapping[str, Type | object]) -> Elaborated:
    """The first stage by itself."""
    return _deep(lambda: elaborate(program, arguments))


def static_axes(elaborated: Elaborated) -> frozenset[tuple[int, int]]:
    """Which dimensions of which parameters should be constants of the compiled program."""
    return _deep(lambda: static_dimensions(elaborated.term))


def compile_program(
    elaborated: Elaborated, name: str, schedule: str, static_sizes: Mapping[tuple[int, int], int] | None = None
) -> Stages:
    """All stages up to the C text.

    `static_sizes` gives the lengths (by parameter position and axis) that are built in.

    Raises:
        NotDifferentiableError: for a derivative that does not exist.
        RaggedError: for an array whose rows differ in length.

    """
    return _deep(lambda: _compile(elaborated, name, schedule, static_sizes or {}))


def _compile(elaborated: Elaborated, name: str, schedule: str, static: Mapping[tuple[int, int], int]) -> Stages:
    stages = Stages(elaborated, static_sizes=static)
    term: Lam = elaborated.term
    stages.terms["definition"] = term
    sizes: dict[tuple[Var, int], int] = {(term.parameters[k], axis): n for (k, axis), n in static.items()}

    order = SCHEDULES[schedule]

    def timed(stage: str, make: Callable[[], Term]) -> Term:
        start = time.perf_counter()
        result = make()
        stages.seconds[stage] = time.perf_counter() - start
        stages.terms[stage] = result
        return result

    try:
        if has_derivative(term):
            simplify = lambda t: order.before(t, stages.trace, sizes)  # noqa: E731
            removal = Removal(simplify)
            term = timed("derivative", lambda: removal.run(term))  # type: ignore[assignment]
            stages.choices = removal.choices
        optimised = timed("optimised", lambda: order(term, stages.trace, sizes))
        assert isinstance(optimised, Lam)
        start = time.perf_counter()
        stages.code = emit(_LOWERINGS[order.destinations](optimised, name, static))
        stages.seconds["C"] = time.perf_counter() - start
    except NoDerivative as error:
        raise NotDifferentiableError(str(error)) from error
    except Ragged as error:
        raise RaggedError("the rows of an array have different lengths; arrays are rectangular") from error
    return stages


_T = TypeVar("_T")


def _deep(make: Callable[[], _T]) -> _T:
    """Run with a recursion limit that deep programs need, and without the cycle collector: terms have no cycles.

    Both belong to the process, so that only one thread compiles at a time.
    """
    with _LOCK:
        limit, collecting = sys.getrecursionlimit(), gc.isenabled()
        sys.setrecursionlimit(max(limit, _RECURSION))
        gc.disable()
        try:
            return make()
        finally:
            sys.setrecursionlimit(limit)
            if collecting:
                gc.enable()

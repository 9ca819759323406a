"""Every Python program of the front-end's tests has the derivative that dual numbers give."""

from __future__ import annotations

from typing import cast

import pytest

from fsmooth.core.term import Lam
from fsmooth.core.types import has_float
from fsmooth.differentiate.remove import remove_derivatives
from fsmooth.optimise.schedules import BEFORE_DERIVATIVE
from tests.accuracy.directions import check, directed
from tests.frontend.python.test_programs import MODULES, elaborated, given


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__.rpartition(".")[2])
def test_derivatives(module) -> None:
    tried = judged = 0
    for k, (function, arguments) in enumerate(module.CASES):
        made = elaborated(function, *arguments)
        captured = [q.fetch() for q in made.parameters if q.fetch is not None]
        values = [given(a) for a in (*arguments, *captured)]
        program = cast(Lam, remove_derivatives(made.term, BEFORE_DERIVATIVE))
        if not has_float(program.body.type) or not any(has_float(q.type) for q in program.parameters):
            continue
        tried += 1
        one = directed(program, values, k)
        judged += check(function.__name__, one.term, one.arguments, one.exact)
    assert judged > 0.7 * tried > 0  # the others jump nearby: floors, remainders

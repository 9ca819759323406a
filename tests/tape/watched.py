"""Gradients by tapes of random programs that call themselves, for the sanitizers."""

from __future__ import annotations

from typing import cast

from fsmooth.core.definitions import redefined
from fsmooth.core.term import Lam
from fsmooth.optimise.schedules import DEFAULT
from tests.recursion.test_random import cases
from tests.tape.programs import taped

TAPED: dict[str, tuple[Lam, list[tuple[object, ...]]]] = {
    f"tape of {case.seed}": (
        cast(Lam, redefined(DEFAULT(taped(case.program)), DEFAULT)),
        [tuple(case.arguments)],
    )
    for case in cases(31_000, 15)
}

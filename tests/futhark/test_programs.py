"""Every construct and every primitive: what a reader of Futhark makes of the text is what the interpreter computes."""

from __future__ import annotations

import pytest

from fsmooth.backend.futhark.entry import futhark
from fsmooth.optimise.schedules import DEFAULT
from tests.futhark.harness import Read, agree, flat, flat_arguments
from tests.lower.block_programs import BLOCK_PROGRAMS
from tests.lower.harness import expected
from tests.lower.programs import PROGRAMS

EVERYTHING = {**PROGRAMS, **BLOCK_PROGRAMS}
SINGLE = 1e-6


@pytest.mark.parametrize("name", EVERYTHING)
def test_text_means_the_term(name: str) -> None:
    term, cases = EVERYTHING[name]
    for t in (term, DEFAULT(term)):
        program = Read(futhark(t, "program"))
        for arguments in cases:
            found = program.run(flat_arguments(arguments, [q.type for q in term.parameters]))
            wanted = list(flat(expected(term, *arguments), term.body.type))
            agree(found, wanted, SINGLE if "Float32" in repr(term.type) else 1e-11)

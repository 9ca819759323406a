"""The C of a few programs, as it should read.  `FSMOOTH_GOLDEN=write pytest tests/golden` writes the files anew.

Each file is also compiled with all warnings as errors and run against the interpreter.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fsmooth.backend.c.emit import emit
from fsmooth.backend.c.products import products
from fsmooth.core.types import F64
from fsmooth.lower.functions import lower
from tests.lower.block_programs import BLOCK_PROGRAMS
from tests.lower.harness import STRICT, agree, compile_all, expected
from tests.lower.programs import PROGRAMS

FOLDER = Path(__file__).parent / "c"
EVERYTHING = {**PROGRAMS, **BLOCK_PROGRAMS}
CHOSEN = ("dot", "checked", "argmax", "histogram", "sum_of_deltas", "let_tuples", "fold_array", "matmul", "by_table")

KERNEL = "/* the kernel of products (tests/lower/test_products.py) */\n"


@pytest.mark.parametrize("name", CHOSEN)
def test_reads_as_it_should(name: str) -> None:
    source = emit(lower(EVERYTHING[name][0], name)).source.replace(products(F64), KERNEL)
    path = FOLDER / f"{name}.c"
    if os.environ.get("FSMOOTH_GOLDEN") == "write":
        path.write_text(source)
    assert source == path.read_text()


def test_runs_as_it_should() -> None:
    programs = compile_all([EVERYTHING[name][0] for name in CHOSEN], STRICT)
    for name, program in zip(CHOSEN, programs, strict=True):
        term, cases = EVERYTHING[name]
        for arguments in cases:
            agree(program(*arguments), expected(term, *arguments))

"""The Futhark text of a few programs, as it should read.  `FSMOOTH_GOLDEN=write pytest tests/futhark` writes it anew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fsmooth.backend.futhark.entry import futhark
from tests.lower.programs import PROGRAMS

FOLDER = Path(__file__).parent / "golden"
CHOSEN = (
    "dot", "checked", "argmax", "histogram", "sum_of_deltas", "let_tuples", "fold_matrix_and_count", "matmul", "collect",
    "prim_expm1_Float", "required", "tuple_argument", "update_rows", "while",
)  # fmt: skip


@pytest.mark.parametrize("name", CHOSEN)
def test_reads_as_it_should(name: str) -> None:
    text = futhark(PROGRAMS[name][0], name)
    path = FOLDER / f"{name}.fut"
    if os.environ.get("FSMOOTH_GOLDEN") == "write":
        path.write_text(text)
    assert text == path.read_text()

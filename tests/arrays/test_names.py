"""Every name of NumPy's that programs can call: its value against NumPy, its derivatives against differences.

The tables are those of tools/names; the reference page is written from them (tools/numpy_page.py).
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.special

import fsmooth as fs
from fsmooth.frontend.elaborate import elaborate
from fsmooth.frontend.programs import SourceProgram
from fsmooth.runtime.arrays import infer_type
from tests.arrays.agreement import agree, same_values
from tests.arrays.example_programs import NAMES, U, examples, programs, read

MODULES = {"numpy": np, "linalg": np.linalg, "special": scipy.special}
SMALL = 12
DECOMPOSITIONS = ["cholesky", "cond", "eigh", "eigvalsh", "lstsq", "matrix_rank", "pinv", "qr", "svd", "svdvals"]
"""Their derivatives take long to compile: tests/arrays/test_linear_algebra.py has them."""


def small(table: str) -> list[str]:
    return [example for name, example in examples(table).items() if table != "linalg" or name not in DECOMPOSITIONS]


GROUPS = {
    f"{table}_{start // SMALL}": small(table)[start : start + SMALL]
    for table in MODULES
    for start in range(0, len(small(table)), SMALL)
}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory):
    decompositions = [examples("linalg")[name] for name in DECOMPOSITIONS]
    return programs(GROUPS | {"decompositions": decompositions}, tmp_path_factory.mktemp("examples"))


@pytest.mark.parametrize("group", GROUPS)
def test_examples(written, group: str) -> None:
    agree(written[group], U)


def test_decompositions(written) -> None:
    program = written["decompositions"]
    same_values(fs.function(program)(U), program(U))


def public(module: object) -> set[str]:
    """The functions of a module."""
    found = {n: getattr(module, n) for n in dir(module) if not n.startswith("_")}
    return {n for n, value in found.items() if callable(value) and not isinstance(value, type)}


@pytest.mark.parametrize("table", ["numpy", "linalg"])
def test_no_name_is_missing(table: str) -> None:
    kinds = read(table)
    named = [*kinds["have"], *kinds["refused"], *[n for names in kinds["meaningless"].values() for n in names.split()]]
    assert len(named) == len(set(named))
    assert public(MODULES[table]) <= set(named)


@pytest.mark.parametrize("table", ["numpy", "linalg"])
def test_what_is_refused_says_what_to_write(table: str, tmp_path: Path) -> None:
    prefix = "np" if table == "numpy" else f"np.{table}"
    refused = {n: hint for n, hint in read(table)["refused"].items() if hasattr(MODULES[table], n)}
    made = programs({f"f_{n}": [f"{prefix}.{n}(x)"] for n in refused}, tmp_path)
    for name, hint in refused.items():
        with pytest.raises(fs.UnsupportedError) as caught:
            elaborate(SourceProgram(made[f"f_{name}"]), {"u": infer_type(U, "u")})
        assert str(caught.value).splitlines()[-1] == f"  hint: {hint}"


def test_the_page_is_true() -> None:
    subprocess.run([sys.executable, str(NAMES.parent / "numpy_page.py"), "--check"], check=True)

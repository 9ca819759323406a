"""The examples of tools/names as programs: many of them in one, which is written to a file and imported."""

from __future__ import annotations

import importlib.util
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

NAMES = Path(__file__).parents[2] / "tools" / "names"

PREAMBLE = """
import numpy as np
import scipy.linalg
import scipy.special
from scipy import stats

K = np.array([3, 0, 2, 5, 3, 1])
B = np.array([True, False, True, True, False, True])


def filled(s):
    made = s.copy()
    np.fill_diagonal(made, 2.0)
    return made


def placed(x):
    made = x.copy()
    np.place(made, B, [1.0, 2.0])
    return made


def masked(x):
    made = x.copy()
    np.putmask(made, B, x * 2.0)
    return made


def put(x):
    made = x.copy()
    np.put(made, [0, 2], [1.0, 2.0])
    return made


def copied_into(x):
    made = np.zeros(len(x))
    np.copyto(made, x * 2.0)
    return made


def added_at(x):
    made = x.copy()
    np.add.at(made, K % 3, x)
    return made


def subtracted_at(x):
    made = x.copy()
    np.subtract.at(made, K % 3, x)
    return made


def multiplied_at(x):
    made = x.copy()
    np.multiply.at(made, K % 3, 1.5)
    return made


def raised_at(x):
    made = x.copy()
    np.maximum.at(made, K % 3, 0.6)
    return made


def put_along(a):
    made = a.copy()
    np.put_along_axis(made, np.argmax(a, axis=1, keepdims=True), 9.0, axis=1)
    return made


"""

VALUES = """    x, y, w = u[0], u[1] - 0.5, u[3, 0]
    a = u[:3, :4] * u[:3, 1:5] + 0.1
    s = a[:, :3] + 2.0 * np.eye(3)
    p = a @ a.T + np.eye(3)
    t = np.reshape(u, (2, 3, 4))
"""

U = np.random.default_rng(11).uniform(0.1, 0.9, size=(4, 6))


def examples(table: str) -> dict[str, str]:
    """The names that programs can call, each with an example."""
    return read(table)["have"]


def read(table: str) -> dict[str, dict[str, str]]:
    """A table of names."""
    return tomllib.loads((NAMES / f"{table}.toml").read_text(encoding="utf-8"))


def programs(groups: Mapping[str, Sequence[str]], folder: Path) -> dict[str, Callable[..., Any]]:
    """A program for each group of expressions, which gives them all."""
    text = PREAMBLE
    for name, expressions in groups.items():
        text += (
            f"def {name}(u):\n{VALUES}    return (\n"
            + "".join([f"        {e},\n" for e in expressions])
            + "    )\n\n\n"
        )
    path = folder / "examples.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("examples", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {name: getattr(module, name) for name in groups}

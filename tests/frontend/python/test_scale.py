"""Programs of twenty thousand statements elaborate in work that grows linearly."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np

from fsmooth.core.term import Let
from tests.calls import calls_of
from tests.frontend.python.test_programs import elaborated


def _program(folder: Path, count: int):
    lines = ["def long(x):", "    t0 = x[0]"]
    lines += [f"    t{k + 1} = t{k} * x[1] + t{max(k - 7, 0)}" for k in range(count)]
    path = folder / f"long_{count}.py"
    path.write_text("\n".join([*lines, f"    return t{count}", ""]))
    spec = importlib.util.spec_from_file_location(f"long_{count}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.long


def test_many_statements(tmp_path: Path) -> None:
    body = elaborated(_program(tmp_path, 20_000), np.ones(2)).term.body
    assert isinstance(body, Let)
    assert len(body.bindings) >= 20_000


def test_the_work_is_linear(tmp_path: Path) -> None:
    few, many = (_program(tmp_path, count) for count in (300, 3_000))
    assert calls_of(lambda: elaborated(many, np.ones(2))) < 11 * calls_of(lambda: elaborated(few, np.ones(2)))

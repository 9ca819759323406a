"""Programs of twenty thousand statements elaborate in time that grows linearly."""

from __future__ import annotations

import importlib.util
import time
from pathlib import Path

import numpy as np

from fsmooth.core.term import Let
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
    seconds = []
    for count in (2_000, 20_000):
        function = _program(tmp_path, count)
        start = time.perf_counter()
        body = elaborated(function, np.ones(2)).term.body
        seconds.append(time.perf_counter() - start)
        assert isinstance(body, Let)
        assert len(body.bindings) >= count
    assert seconds[1] < 30 * seconds[0] + 1

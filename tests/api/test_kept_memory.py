"""Calls keep their working memory: no page faults in the steady state, right results from threads."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import fsmooth as fs

FAULTS = """
    import resource
    import fsmooth as fs

    def recurrence(x: float, n: int):
        s = x
        for i in range(n):
            s = fs.sin(s) * x + 0.1 * s
        return s

    gradient = fs.grad(recurrence, method="reverse")
    assert "fs_take" in gradient.c_source(0.9, 1)
    for _ in range(20):
        gradient(0.9, 30_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(200):
        gradient(0.9, 30_000)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults_of_200_calls(tmp_path, **environment: str) -> int:  # type: ignore[no-untyped-def]
    """In a process whose malloc gives back to the system all it can (M_TRIM_THRESHOLD no longer grows)."""
    file = tmp_path / "faults.py"
    file.write_text(textwrap.dedent(FAULTS))
    environment = {**os.environ, "MALLOC_TRIM_THRESHOLD_": "131072", **environment}
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, check=True, env=environment)
    return int(done.stdout)


def test_calls_do_not_fault(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """Each works in half a megabyte, more than a hundred pages."""
    assert faults_of_200_calls(tmp_path) < 200


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another malloc may keep what is freed")
def test_calls_that_keep_nothing_do(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """So the test above could fail."""
    assert faults_of_200_calls(tmp_path, FSMOOTH_CFLAGS="-DFS_KEEP=0") > 1000


def rounds(v: np.ndarray, w: np.ndarray) -> list[float]:
    """Each step reads its neighbours: two arrays, exchanged."""
    s = [x for x in v]
    for k in range(len(w)):
        s = [s[len(s) - 1 - i] * w[k] + s[i] for i in range(len(s))]
    return s


def test_eight_threads_each_work_in_their_own_memory() -> None:
    program = fs.function(rounds)
    rng = np.random.default_rng(3)
    inputs = [rng.normal(size=n) for n in (21_000, 40_000, 600, 90_000)] * 20
    w = rng.normal(size=3)
    assert "fs_take" in program.c_source(inputs[0], w)

    def call(v: np.ndarray) -> bool:
        expected = v
        for factor in w:
            expected = expected[::-1] * factor + expected
        return np.allclose(program(v, w), expected, rtol=1e-12, atol=1e-12)

    with ThreadPoolExecutor(8) as pool:
        assert all(list(pool.map(call, inputs)))

"""The C of every program reads and writes only its own memory, and does nothing undefined."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


def _runtime() -> str:
    done = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=False)
    return done.stdout.strip()


@pytest.mark.skipif(not Path(_runtime()).is_absolute(), reason="gcc without the address sanitizer")
def test_no_program_makes_the_sanitizers_complain() -> None:
    environment = {
        **os.environ,
        "LD_PRELOAD": _runtime(),
        "ASAN_OPTIONS": "detect_leaks=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.lower.sanitized"],
        cwd=Path(__file__).parents[2],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    assert done.stdout.endswith("calls\n")

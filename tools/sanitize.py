"""Run generated C under the address and undefined-behaviour sanitizers.

Random programs and the camera model are compiled with `-fsanitize=address,undefined` and called; anything that a
sanitizer finds ends the process.  The address sanitizer has to be loaded before Python, so the script starts itself
again with it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FLAGS = ("-std=gnu99", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-fno-math-errno")
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-sanitize=float-divide-by-zero")


def main() -> int:
    """Start again under the sanitizer, or run the programs if this is the second start."""
    if os.environ.get("FSMOOTH_SANITIZING"):
        return run()
    library = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    environment = {
        **os.environ,
        "FSMOOTH_SANITIZING": "1",
        "LD_PRELOAD": library.stdout.strip(),
        "ASAN_OPTIONS": "detect_leaks=0",
        "PYTHONPATH": str(ROOT),
    }
    return subprocess.run([sys.executable, str(Path(__file__))], env=environment, check=False).returncode


def run() -> int:
    """Compile and call."""
    from fsmooth.core.term import Lam
    from fsmooth.optimise.schedules import SCHEDULES
    from tests.lower.harness import Failed, compile_all
    from tests.optimise.test_schedules import derivative
    from tests.strategies import random_program

    sys.setrecursionlimit(100_000)
    called = 0
    for first in range(0, 120, 40):
        cases = []
        for seed in range(first, first + 40):
            program, arguments = random_program(seed + 50_000)
            for term in (program, SCHEDULES["DEFAULT"](program), SCHEDULES["DEFAULT"](derivative(program, 3))):
                plain = SCHEDULES["NONE"](term)
                assert isinstance(plain, Lam)
                cases.append((plain, arguments))
        for kernel, (_, arguments) in zip(
            compile_all([c[0] for c in cases], (*FLAGS, *SANITIZERS)), cases, strict=True
        ):
            try:
                kernel(*arguments)
            except Failed:
                continue
            called += 1
    print(f"{called} programs ran under the sanitizers")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""Run by test_sanitizer.py in a process of its own, in which the C of all programs is watched by the sanitizers."""

from __future__ import annotations

import sys

from tests.lower.block_programs import BLOCK_PROGRAMS
from tests.lower.harness import compile_all
from tests.lower.kept_sum_programs import KEPT_SUMS
from tests.lower.programs import PROGRAMS
from tests.lower.recorded_programs import RECORDED_PROGRAMS
from tests.lower.strip_programs import STRIP_PROGRAMS
from tests.tape.watched import TAPED

SANITIZE = (
    *("-std=gnu99", "-O1", "-g", "-fPIC", "-shared", "-fopenmp-simd", "-fno-math-errno"),
    *("-fsanitize=address,undefined", "-fno-sanitize=float-divide-by-zero", "-fno-sanitize-recover=all"),
)


def main() -> None:
    """Call every program with all its arguments; the sanitizers end the process at the first mistake."""
    sys.setrecursionlimit(100_000)
    programs_of_all = (PROGRAMS, BLOCK_PROGRAMS, STRIP_PROGRAMS, RECORDED_PROGRAMS, KEPT_SUMS, TAPED)
    everything = [pair for programs in programs_of_all for pair in programs.values()]
    programs = compile_all([term for term, _ in everything], SANITIZE)
    calls = 0
    for program, (_, cases) in zip(programs, everything, strict=True):
        for arguments in cases:
            program(*arguments)
            calls += 1
    print(f"{calls} calls")


if __name__ == "__main__":
    main()

"""The derivations of all programs, replayed: `python -m benchmarks.mechanisms.replays [SCHEDULE [NAME]]`.

Prints a line for each program: how many steps, the seconds of its trace and of its replay; with a part of a name, only for those
that have it.  Ends with an error if a step of one is not what was recorded.
"""

from __future__ import annotations

import sys
import time

import fsmooth as fs
from benchmarks.mechanisms.programs import programs


def main(schedule: str = "DEFAULT", name: str = "") -> int:
    """Replay them; the number of programs that cannot be."""
    wrong = 0
    for program in programs():
        if name not in program.name:
            continue
        function = program.make()
        function.schedule = schedule
        start = time.process_time()
        steps = function.trace(*program.arguments)
        traced = time.process_time()
        try:
            steps.replay()
            told = f"{len(steps):6d} steps, {traced - start:6.2f} s, {time.process_time() - traced:6.2f} s"
        except fs.StrategyError as error:
            wrong += 1
            told = f"WRONG: {error}"
        print(f"{program.name:50} {told}", flush=True)
    return wrong


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))

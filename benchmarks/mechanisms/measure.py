"""Programs without one mechanism, in this process: `python -m benchmarks.mechanisms.measure FOLDER [NAME [--texts]]`.

Without a name: the C of all programs as they are, kept in the folder.  With one: which programs have other C without it, how
long the compiler took for each program, with and without, and, but for `--texts`, how long the changed ones run, in turns.
Prints JSON on its last line.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import time
from pathlib import Path
from typing import Any

import fsmooth as fs
from benchmarks import own
from benchmarks.mechanisms.programs import Program, programs
from benchmarks.mechanisms.switches import Mechanism, mechanisms, rules, scaled
from benchmarks.reverse.workload import reference
from benchmarks.timing import Call, fastest
from fsmooth.pullbacks import Vjp

RUNS, SECONDS = 7, 0.01


def text_of(function: fs.Function, program: Program) -> str:
    """The C without its comments."""
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", function.c_source(*program.arguments), flags=re.DOTALL)


def as_they_are(folder: Path) -> dict[str, Any]:
    """The C of each program, which rules fired, and the processor seconds until the C was there."""
    found: dict[str, Any] = {}
    for program in programs():
        start = time.process_time()
        function = program.make()
        text = text_of(function, program)
        fired = sorted(function.stages.trace.fired)
        found[program.name] = {"seconds": time.process_time() - start, "text": text, "fired": fired}
    (folder / "programs.json").write_text(json.dumps(found))
    return {"programs": len(found)}


def without(mechanism: Mechanism, folder: Path, *, texts: bool) -> list[dict[str, Any]]:
    """A row for each program whose C is another one without the mechanism."""
    known = json.loads((folder / "programs.json").read_text())
    rows = []
    for program in programs():
        usual = known[program.name]
        if mechanism.rule is not None and mechanism.rule not in usual["fired"]:
            continue
        start = time.process_time()
        try:
            with mechanism.off():
                function = program.make()
                text = text_of(function, program)
        except Exception as error:  # the mechanism is needed, which is what is to be found out
            rows.append({"program": program.name, "error": f"{type(error).__name__}: {error}"[:160]})
            continue
        row = {"program": program.name, "seconds": time.process_time() - start, "with": usual["seconds"]}
        if text == usual["text"]:
            rows.append({**row, "same": True})
            continue
        rows.append(row if texts else {**row, **_times(program, mechanism, folder)})
    return rows


def _times(program: Program, mechanism: Mechanism, folder: Path) -> dict[str, float]:
    """The seconds of a call with the mechanism, and without."""
    os.environ["FSMOOTH_CACHE_DIR"] = str(folder / "with")
    usual = _call(program)
    os.environ["FSMOOTH_CACHE_DIR"] = str(folder / mechanism.name.replace(" ", "_"))
    with mechanism.off():
        other = _call(program)
    found = fastest({"with": usual, "without": other}, RUNS, SECONDS)
    return {"run with": found["with"], "run without": found["without"]}


def _call(program: Program) -> Call:
    """The C entry of a program; of a vjp, whose results are new arrays of sizes that are its own affair, a call of Python."""
    function = program.make()
    if not isinstance(function, Vjp):
        return own.kernel(reference(), function, *program.arguments)
    function(*program.arguments)
    return lambda: function(*program.arguments)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mechanisms.measure", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("name", nargs="?")
    parser.add_argument("--texts", action="store_true")
    chosen = parser.parse_args()
    os.environ["FSMOOTH_CACHE_DIR"] = str(chosen.folder / "with")
    if chosen.name is None:
        print(json.dumps(as_they_are(chosen.folder)))
        return
    [mechanism] = [m for m in (*mechanisms(), *rules(), *scaled(0.5), *scaled(2.0)) if m.name == chosen.name]
    print(json.dumps(without(mechanism, chosen.folder, texts=chosen.texts)))


if __name__ == "__main__":
    main()

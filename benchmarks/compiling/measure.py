"""The first call of one derivative of one program: `python -m benchmarks.compiling.measure NAME VERB` prints JSON.

NAME is a program's, or a number of statements; VERB one of `VERBS`.  Without them, what all first calls on a machine share:
C that is compiled once.  NumPy and fsmooth are imported, the compiler is not,
and what `$FSMOOTH_CACHE_DIR` has is found: `benchmarks.compiling.report` gives it an empty one.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import fsmooth as fs
from benchmarks.compiling.programs import Example, examples, long_program

VERBS: dict[str, Callable[[Example], Callable[[], object]]] = {
    "value": lambda e: lambda: fs.function(e.function)(*e.arguments),
    "gradient": lambda e: lambda: fs.grad(e.function)(*e.arguments),
    "HVP": lambda e: lambda: fs.hvp(e.function)(*e.arguments, tangent=np.ones(len(e.arguments[0]))),
    "Hessian": lambda e: lambda: fs.hessian(e.function)(*e.arguments),
}


def main() -> None:
    if not sys.argv[1:]:
        print(json.dumps({"seconds": _shared()}))
        return
    name, verb = sys.argv[1:]
    example = long_program(int(name)) if name.isdigit() else examples()[name]
    call = VERBS[verb](example)
    before, start = _processor(), time.perf_counter()
    call()
    print(json.dumps({"seconds": time.perf_counter() - start, "processor": _processor() - before}))


def _shared() -> float:
    """Seconds that the C compiler takes for what all call shims are linked with."""
    from fsmooth.runtime.compiler import find_compiler  # noqa: PLC0415  (who measures a program has not imported these)
    from fsmooth.runtime.shim_prelude import FUNCTIONS  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "functions.c"
        text.write_text(FUNCTIONS)
        compiler, start = find_compiler(), time.perf_counter()
        compiler.build_object(text, text.with_suffix(".o"))
        return time.perf_counter() - start


def _processor() -> float:
    """Processor seconds of this process and its children: the C compiler."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


if __name__ == "__main__":
    main()

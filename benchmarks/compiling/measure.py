"""The first call of one derivative of one program: `python -m benchmarks.compiling.measure NAME VERB` prints JSON.

NAME is a program's, or a number of statements; VERB one of `VERBS`.  NumPy and fsmooth are imported, the compiler is not,
and what `$FSMOOTH_CACHE_DIR` has is found: `benchmarks.compiling.report` gives it an empty one.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable

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
    name, verb = sys.argv[1:]
    example = long_program(int(name)) if name.isdigit() else examples()[name]
    call = VERBS[verb](example)
    before, start = _processor(), time.perf_counter()
    call()
    print(json.dumps({"seconds": time.perf_counter() - start, "processor": _processor() - before}))


def _processor() -> float:
    """Processor seconds of this process and its children: the C compiler."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


if __name__ == "__main__":
    main()

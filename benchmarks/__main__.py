"""`python -m benchmarks [--quick] [--only TABLE]`: measure and print tables.

forward: the kernels of the micro benchmarks, NNMF and project, and what a user waits for; reverse: the field's workloads;
arrays: whole arrays against loops over elements, linear algebra against NumPy, calls; trees: trees and recursion against C
by hand, loops and a tape; tensors: products of matrices and models against NumPy, PyTorch and JAX; only if they are asked
for: routes, what `method="auto"` takes against what is fastest; compile, how long first calls take; threads, two against one;
widths, float32 against float64; pointers, C functions called by SciPy and numba; sparse, reads and writes through arrays of
indices; growth, loops that change arrays, of n steps and of twice as many; loops, programs in plain loops against NumPy;
mechanisms, what each optimisation buys; thresholds, what half and twice each threshold does.
`--quick` saves nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from typing import Any

from benchmarks import cold, growth, plain_loops, pointers, sparse, threads, widths
from benchmarks.arrays import report as arrays
from benchmarks.compiling import report as compiling
from benchmarks.mechanisms import report as buying
from benchmarks.mechanisms import scaling
from benchmarks.report import save, text_of
from benchmarks.reverse import report, run
from benchmarks.routes import report as routes
from benchmarks.tensors import report as tensors
from benchmarks.trees import report as trees

_ONE_THREAD = {
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "JAX_PLATFORMS": "cpu",
}


_ALONE = {
    "threads": (threads, 2),
    "widths": (widths, 1),
    "pointers": (pointers, 1),
    "sparse": (sparse, 1),
    "growth": (growth, 1),
    "loops": (plain_loops, 1),
}
"""Tables of modules that measure in a process of their own, and on how many cores."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer sizes and shorter runs; saves nothing")
    parser.add_argument(
        "--only",
        choices=(
            "forward",
            "reverse",
            "arrays",
            "trees",
            "tensors",
            "routes",
            "compile",
            "threads",
            "widths",
            "pointers",
            "sparse",
            "growth",
            "loops",
            "mechanisms",
            "thresholds",
        ),
        help="one of the tables",
    )
    chosen = parser.parse_args()
    core = str(max(os.sched_getaffinity(0)))
    pinned = ["taskset", "-c", core] if shutil.which("taskset") else []
    os.environ.update(_ONE_THREAD)
    if chosen.only == "routes":
        print(_routes(pinned, quick=chosen.quick))
        return 0
    if chosen.only == "compile":
        print(compiling.quick_table(pinned) if chosen.quick else compiling.table(pinned))
        return 0
    if chosen.only in _ALONE:
        module, cores = _ALONE[chosen.only]
        found = _measured(module.__name__, pinned if cores == 1 else [], quick=chosen.quick)
        print(module.table(found, quick=chosen.quick))
        return 0
    if chosen.only == "mechanisms":
        print(buying.table(pinned))
        return 0
    if chosen.only == "thresholds":
        print(scaling.table(pinned))
        return 0
    tables = {"forward": _forward, "reverse": _reverse, "arrays": _arrays, "trees": _trees, "tensors": _tensors}
    for name, table in tables.items():
        if chosen.only in (None, name):
            print(table(pinned, quick=chosen.quick))
    return 0


def _measured(module: str, pinned: list[str], *, quick: bool) -> Any:
    """What a module that measures in a process of its own prints on its last line."""
    command = [*pinned, sys.executable, "-m", module, *(["--quick"] if quick else [])]
    made = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(made.stdout.splitlines()[-1])


def _forward(pinned: list[str], *, quick: bool) -> str:
    result = _measured("benchmarks.kernels", pinned, quick=quick)
    result["cold"] = cold.measurements(cold.PLAN, 1 if quick else 5)
    return text_of(result, "make bench-quick") if quick else save(result, "make bench")


def _arrays(pinned: list[str], *, quick: bool) -> str:
    result = _measured("benchmarks.arrays.measure", pinned, quick=quick)
    return arrays.text_of(result, "make bench-quick") if quick else arrays.save(result, "make bench")


def _trees(pinned: list[str], *, quick: bool) -> str:
    called = "python -m benchmarks --only trees"
    return (
        trees.text_of(trees.quick_table(pinned), f"{called} --quick")
        if quick
        else trees.save(trees.table(pinned), called)
    )


def _tensors(pinned: list[str], *, quick: bool) -> str:
    result = _measured("benchmarks.tensors.measure", pinned, quick=quick)
    called = "python -m benchmarks --only tensors"
    return tensors.text_of(result, f"{called} --quick") if quick else tensors.save(result, called)


def _routes(pinned: list[str], *, quick: bool) -> str:
    result = _measured("benchmarks.routes.measure", pinned, quick=quick)
    called = "python -m benchmarks --only routes"
    return routes.text_of(result, f"{called} --quick") if quick else routes.save(result, called)


def _reverse(pinned: list[str], *, quick: bool) -> str:
    rows = run.quick_table(pinned) if quick else run.table(pinned)
    first = cold.measurements(cold.REVERSE_PLAN, 1 if quick else 3)
    return report.text_of(rows, first, "make bench-quick") if quick else report.save(rows, first, "make bench")


if __name__ == "__main__":
    raise SystemExit(main())

"""`python -m benchmarks [--quick] [--only forward|reverse|routes|compile]`: measure and print tables.  `--quick` saves nothing.

forward: the kernels of the micro benchmarks, NNMF and project, and what a user waits for; reverse: the field's workloads;
only if they are asked for: routes, what `method="auto"` takes against what is fastest; compile, how long first calls take.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys

from benchmarks import cold
from benchmarks.compiling import report as compiling
from benchmarks.report import save, text_of
from benchmarks.reverse import report, run
from benchmarks.routes import report as routes

_ONE_THREAD = {
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "JAX_PLATFORMS": "cpu",
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer sizes and shorter runs; saves nothing")
    parser.add_argument("--only", choices=("forward", "reverse", "routes", "compile"), help="one of the tables")
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
    if chosen.only != "reverse":
        print(_forward(pinned, quick=chosen.quick))
    if chosen.only != "forward":
        print(_reverse(pinned, quick=chosen.quick))
    return 0


def _forward(pinned: list[str], *, quick: bool) -> str:
    kernels = [*pinned, sys.executable, "-m", "benchmarks.kernels", *(["--quick"] if quick else [])]
    made = subprocess.run(kernels, stdout=subprocess.PIPE, text=True, check=True)
    result = json.loads(made.stdout.splitlines()[-1])
    result["cold"] = cold.measurements(cold.PLAN, 1 if quick else 5)
    return text_of(result, "make bench-quick") if quick else save(result, "make bench")


def _routes(pinned: list[str], *, quick: bool) -> str:
    command = [*pinned, sys.executable, "-m", "benchmarks.routes.measure", *(["--quick"] if quick else [])]
    made = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    result = json.loads(made.stdout.splitlines()[-1])
    called = "python -m benchmarks --only routes"
    return routes.text_of(result, f"{called} --quick") if quick else routes.save(result, called)


def _reverse(pinned: list[str], *, quick: bool) -> str:
    rows = run.quick_table(pinned) if quick else run.table(pinned)
    first = cold.measurements(cold.REVERSE_PLAN, 1 if quick else 3)
    return report.text_of(rows, first, "make bench-quick") if quick else report.save(rows, first, "make bench")


if __name__ == "__main__":
    raise SystemExit(main())

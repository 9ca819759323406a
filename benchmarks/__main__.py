"""`python -m benchmarks [--quick]`: measure everything, print and save the tables."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

from benchmarks.cold import measurements
from benchmarks.report import save

_ONE_THREAD = {
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "JAX_PLATFORMS": "cpu",
}


def main() -> int:
    quick = "--quick" in sys.argv
    core = str(max(os.sched_getaffinity(0)))
    pinned = ["taskset", "-c", core] if shutil.which("taskset") else []
    os.environ.update(_ONE_THREAD)
    kernels = [*pinned, sys.executable, "-m", "benchmarks.kernels", *(["--quick"] if quick else [])]
    made = subprocess.run(kernels, stdout=subprocess.PIPE, text=True, check=True)
    result = json.loads(made.stdout.splitlines()[-1])
    result["cold"] = measurements(1 if quick else 5)
    folder = save(result, "make bench-quick" if quick else "make bench")
    print((folder / "results.md").read_text())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

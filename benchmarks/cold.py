"""What a user waits for: imports, first results in a new process, the Python call, memory, long programs."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping

_SETUP = """
import numpy as np
rng = np.random.default_rng(0)
u, v, A = rng.random(1000) + 0.5, rng.random(1000) + 0.5, rng.random((1000, 1000)) + 0.5
cam = np.array([0.1, 0.1, 0.1, 0.2, 0.1, 0.3, 1.2, 0.01, 0.03, 0.009, 1.2e-4])
X = rng.random((10000, 3)) + [0, 0, 2.0]
a, b = rng.random(10), rng.random(10)
"""
_OURS = _SETUP + "import fsmooth as fs\nfrom benchmarks import programs\n"
_JAX = _SETUP + "from benchmarks import peer_jax\n"
_MIXTURE = """
import numpy as np
rng = np.random.default_rng(0)
d, K, n = 10, 25, 1000
alpha, mu, q, l = (rng.normal(size=s) for s in ((K,), (K, d), (K, d), (K, d * (d - 1) // 2)))
arguments = alpha, mu, q, l, rng.normal(size=(n, d)), 1.0, 0, 1.0
"""
_IMPORTED = """
import time, numpy
t = time.perf_counter()
import fsmooth
print(time.perf_counter() - t)
"""
_WARM = (
    _SETUP
    + """
import time
import fsmooth as fs
from benchmarks import programs
t = time.perf_counter()
fs.function(programs.project)(cam, X)
print(time.perf_counter() - t)
"""
)
_TEXT = (
    _OURS
    + """
import time
from benchmarks import programs
t = time.perf_counter()
fs.function(programs.project).c_source(cam, X)
print(time.perf_counter() - t)
"""
)
_CALL = """
import timeit
call = lambda: {call}
call()
print(min(timeit.repeat(call, number=20000, repeat=5)) / 20000)
"""
_MEMORY = """
import resource, numpy as np, fsmooth as fs
from benchmarks import programs
f = fs.grad(programs.dot)
f(np.ones(10), np.ones(10))
a, b, out = np.ones(10**7), np.ones(10**7), np.ones(10**7)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
f(a, b, out=out)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""
_LONG = """
import importlib.util, pathlib, tempfile, time
import fsmooth as fs
lines = ["def long(x):", "    t0 = x"]
lines += [f"    t{k} = t{k - 1} * 0.5 + sin(t{k // 2})" for k in range(1, 20001)]
path = pathlib.Path(tempfile.mkdtemp(), "long_program.py")
path.write_text("from math import sin\\n" + "\\n".join(lines) + "\\n    return t20000\\n")
spec = importlib.util.spec_from_file_location("long_program", path)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
t = time.perf_counter()
fs.function(module.long)(0.3)
print(time.perf_counter() - t)
"""


def _python(code: str, cache: str) -> tuple[float, str]:
    """The seconds that a new process takes, and what it prints.  Python keeps the byte code of modules, as it does of an
    installed package: a run before those that count writes it where an editable installation has none yet.
    """
    environment = {**os.environ, "FSMOOTH_CACHE_DIR": cache, "XDG_CACHE_HOME": cache}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    start = time.perf_counter()
    made = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=True,
    )
    return time.perf_counter() - start, made.stdout.strip()


def _median(code: str, runs: int, *, empty: bool, printed: bool) -> float:
    found = []
    with tempfile.TemporaryDirectory() as shared:
        _python(code, shared)
        for _ in range(runs):
            with tempfile.TemporaryDirectory() as own:
                seconds, text = _python(code, own if empty else shared)
            found.append(float(text.splitlines()[-1]) if printed else seconds)
    return statistics.median(found)


Plan = Mapping[str, tuple[str, bool, bool]]
"""By its name: the code, whether the cache is empty, whether the code prints its time (else the whole process is timed)."""

PLAN: Plan = {
    "import fsmooth over numpy (s)": (_IMPORTED, False, True),
    "project: process start to result, empty cache (s)": (
        _OURS + "fs.function(programs.project)(cam, X)",
        True,
        False,
    ),
    "project: the same, JAX (s)": (_JAX + "np.asarray(peer_jax.project(cam, X))", True, False),
    "NNMF ∂u: process start to result, empty cache (s)": (_OURS + "fs.grad(programs.nnmf)(u, v, A)", True, False),
    "NNMF ∂u: the same, JAX (s)": (_JAX + "np.asarray(peer_jax.nnmf(u, v, A))", True, False),
    "project: warm cache, after import (s)": (_WARM, False, True),
    "project: Python function to C text (s)": (_TEXT, True, True),
    "∇dot, 10 numbers, Python call (s)": (
        _OURS + "f = fs.grad(programs.dot)\n" + _CALL.format(call="f(a, b)"),
        False,
        True,
    ),
    "∇dot, 10 numbers, Python call, JAX (s)": (
        _JAX + "f = peer_jax.grad_dot\n" + _CALL.format(call="f(a, b).block_until_ready()"),
        False,
        True,
    ),
    "∇dot, 10⁷ numbers: memory over arguments and result (MiB)": (_MEMORY, False, True),
    "a program of 20,000 bindings: compiled and run, empty cache (s)": (_LONG, True, True),
}
REVERSE_PLAN: Plan = {
    "gmm (10, 25, 1000): process start to first gradient, empty cache (s)": (
        _MIXTURE + "from benchmarks.workloads import gmm\ngmm.gradient(*arguments)",
        True,
        False,
    ),
    "gmm (10, 25, 1000): the same, JAX (s)": (
        _MIXTURE + "from benchmarks.reverse import peer_jax\npeer_jax.jax.block_until_ready(peer_jax.gmm(*arguments))",
        True,
        False,
    ),
}


def measurements(plan: Plan, runs: int) -> dict[str, float | str]:
    """Each figure by its name; what fails is given as the reason."""
    found: dict[str, float | str] = {}
    for name, (code, empty, printed) in plan.items():
        try:
            found[name] = _median(code, 1 if code is _LONG else runs, empty=empty, printed=printed)
        except (subprocess.SubprocessError, ValueError) as error:
            detail = getattr(error, "stderr", "") or str(error)
            found[name] = str(detail).strip().splitlines()[-1][:120]
        print(f"{name}: {found[name]}", file=sys.stderr, flush=True)
    return found

"""`threads=`: the same bits on any number of threads, errors as without, forks, threads of the caller's, and what is said."""

from __future__ import annotations

import os
import pickle
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.runtime.compiler import find_compiler
from fsmooth.runtime.pool import default_threads

RNG = np.random.default_rng(5)
X, W = RNG.normal(size=(3000, 40)), RNG.normal(size=(40, 50))
INDICES = RNG.integers(0, 3000, 20_000)


def layer(x, w):
    return np.tanh(x @ w)


def total(x, w):
    return np.sum(np.tanh(x @ w) ** 2)


def picked(x, k):
    return [np.exp(x[k[i], 0]) * x[k[i], 1] for i in range(len(k))]


def log_sums(x):
    return [fs.logsumexp(row) for row in x]


def steps(x, w):
    """Products and rows in each step of a loop that goes on from the one before."""
    for _ in range(3):
        x = np.tanh(x @ w @ w.T)
    return np.sum(x)


PROGRAMS = [
    (fs.function, layer, (X, W)),
    (fs.grad, total, (X, W)),
    (fs.value_and_grad, steps, (X, W)),
    (fs.function, picked, (X, INDICES)),
    (fs.function, log_sums, (X,)),
    (fs.jacobian, lambda v: [a * np.sin(a) for a in v], (X[:300, 0],)),
]


def bits(result: object) -> bytes:
    if isinstance(result, tuple):
        return b"".join([bits(part) for part in result])
    return np.asarray(result).tobytes()


@pytest.mark.parametrize(("verb", "program", "arguments"), PROGRAMS)
def test_the_same_bits_on_any_number_of_threads(verb, program, arguments) -> None:
    one = verb(program, threads=1)(*arguments)
    assert {bits(verb(program, threads=n)(*arguments)) for n in (2, 3, 7, "auto")} == {bits(one)}
    plain = verb(program)(*arguments)
    for found, wanted in zip(*[r if isinstance(r, tuple) else (r,) for r in (one, plain)], strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("where", [(17,), (19_999,), (12_000, 400, 19_000)])
def test_the_first_failure_is_reported(where) -> None:
    """That of the lowest index, as without threads, whichever chunk was there first."""
    k = INDICES.copy()
    k[list(where)] = [3000 + i for i in range(len(where))]
    with pytest.raises(fs.IndexOutOfBoundsError) as plain:
        fs.function(picked)(X, k)
    f = fs.function(picked, threads=4)
    for _ in range(5):
        with pytest.raises(fs.IndexOutOfBoundsError) as found:
            f(X, k)
        assert str(found.value) == str(plain.value)
    np.testing.assert_array_equal(f(X, INDICES), fs.function(picked, threads=1)(X, INDICES))


def test_threads_of_the_caller_and_the_pool() -> None:
    """One region at a time has the pool; others run alone, with the same bits."""
    f = fs.grad(total, threads=3)
    wanted = bits(f(X, W))
    with ThreadPoolExecutor(4) as callers:
        assert set(callers.map(lambda _: bits(f(X, W)), range(40))) == {wanted}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this machine")
def test_a_child_process_has_a_pool_of_its_own(tmp_path: Path) -> None:
    script = """
import os, sys, warnings
import numpy as np
import fsmooth as fs
warnings.simplefilter("ignore")
def f(x):
    return sum(np.sin(a) for a in x)
x = np.linspace(0.0, 1.0, 200_000)
g = fs.function(f, threads=3)
wanted = g(x)
child = os.fork()
if child == 0:
    os._exit(0 if all(g(x) == wanted for _ in range(20)) else 1)
_, status = os.waitpid(child, 0)
print(os.waitstatus_to_exitcode(status), all(g(x) == wanted for _ in range(20)))
"""
    file = tmp_path / "forks.py"
    file.write_text(script)
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.split() == ["0", "True"], done.stderr


@pytest.mark.parametrize("threads", [0, -1, 2.5, True, "all", "2"])
def test_what_is_no_number_of_threads(threads) -> None:
    with pytest.raises(fs.ArgumentError, match="use a number of threads"):
        fs.grad(total, threads=threads)


def inside(x):
    return fs.grad(total, threads=2)(x, W)


def test_threads_are_those_of_the_whole_program() -> None:
    with pytest.raises(fs.ArgumentMismatchError) as error:
        fs.function(inside)(X)
    assert str(error.value).startswith("fs.grad has no argument threads in a program\n")
    assert "return fs.grad(total, threads=2)(x, W)" in str(error.value)
    assert str(error.value).endswith("hint: threads are those of the whole program: give them where that is compiled")


def test_the_number_of_threads_of_the_environment(monkeypatch) -> None:
    monkeypatch.setenv("FSMOOTH_THREADS", "3")
    assert default_threads() == 3
    for wrong in ("0", "many", "-2"):
        monkeypatch.setenv("FSMOOTH_THREADS", wrong)
        with pytest.raises(fs.ArgumentError, match="FSMOOTH_THREADS"):
            default_threads()
    monkeypatch.delenv("FSMOOTH_THREADS")
    assert default_threads() >= 1


def test_what_runs_in_chunks_is_explained() -> None:
    text = fs.function(steps, threads=2).explain(X, W)
    assert "on threads:\n" in text
    assert "chunks" in text
    assert "on threads" not in fs.function(steps).explain(X, W)


def carried(x):
    s = 0.0
    for row in x:
        t = 0.0
        for a in row:
            t = np.sin(t + a + s)
        s = t
    return s


def test_what_does_not_is_explained_too() -> None:
    text = fs.function(carried, threads=2).explain(X)
    assert "one after the other: each iteration goes on from what the one before set" in text


@pytest.mark.parametrize("flags", ["-Wall -Wextra -Werror", "-fopenmp -DFS_OPENMP -Wall -Wextra -Werror"])
def test_exported_c(tmp_path: Path, flags: str) -> None:
    """In loops, or as OpenMP has them; no warning either way."""
    source = tmp_path / "program.c"
    code = fs.grad(total, threads="auto").compiled(X, W).code
    assert code is not None
    assert f"void {code.name}_threads(" in code.header
    source.write_text(f"{code.header}\n{code.source}")
    command = [*find_compiler().command, "-std=gnu99", "-O2", *shlex.split(flags), "-c", "-o", os.devnull, str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "-fopenmp" in flags and "omp" in done.stderr and done.returncode:
        pytest.skip("this compiler has no OpenMP")
    assert done.returncode == 0, done.stderr


def test_a_product_that_is_square_asks_for_nothing() -> None:
    """Whether it has fewer rows than columns: compilers warn of a size that is compared with itself."""
    source = fs.function(lambda a: a.T @ a, threads="auto").c_source(X)
    assert "chunk" in source
    assert re.search(r"\b(\w+) <= \1\b", source) is None


def test_pickled() -> None:
    again = pickle.loads(pickle.dumps(fs.function(layer, threads=2)))
    assert bits(again(X, W)) == bits(fs.function(layer, threads=1)(X, W))


def test_every_verb() -> None:
    x, v = X[:, 0].copy(), X[:, 1].copy()

    def f(x):
        return sum(np.sin(a) * a for a in x)

    pairs = [
        (fs.jvp(f, threads=3)(x, tangent=v), fs.jvp(f)(x, tangent=v)),
        (fs.hvp(f, threads=3)(x, tangent=v), fs.hvp(f)(x, tangent=v)),
        (fs.hessian(f, threads=3)(x[:50]), fs.hessian(f)(x[:50])),
        (fs.vjp(f, threads=3)(x)[1](2.0), fs.vjp(f)(x)[1](2.0)),
        (fs.vmap(f, threads=3)(X), fs.vmap(f)(X)),
        (fs.value_and_grad(f, method="tape", threads=3)(x), fs.value_and_grad(f)(x)),
        (fs.grad(f, checkpoint=True, method="reverse", threads=3)(x), fs.grad(f)(x)),
    ]
    for found, wanted in pairs:
        for one, other in zip(*[r if isinstance(r, tuple) else (r,) for r in (found, wanted)], strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-11)


def test_trees_and_recursion_run_on_one() -> None:
    def power(x, n):
        return 1.0 if n == 0 else x * power(x, n - 1)

    f = fs.grad(power, threads=2)
    assert f(1.5, 3) == pytest.approx(3 * 1.5**2)


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_other_numbers(dtype) -> None:
    def f(x):
        return [a + a if a > 0 else a for a in x]

    x = (RNG.normal(size=200_000) * 3).astype(dtype)
    assert bits(fs.function(f, threads=3)(x)) == bits(fs.function(f)(x))


def test_threadpoolctl_limits_the_pool() -> None:
    """As it limits BLAS: also programs that say how many threads they want, with the same bits."""
    import threadpoolctl

    program = fs.function(layer, threads=2)
    wanted = program(X, W)
    (found,) = [pool for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "fsmooth"]
    assert found["num_threads"] == default_threads()
    with threadpoolctl.threadpool_limits(limits=1):
        (inside,) = [pool for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "fsmooth"]
        assert inside["num_threads"] == 1
        assert np.array_equal(program(X, W), wanted)
    (after,) = [pool for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "fsmooth"]
    assert after["num_threads"] == default_threads()

"""Sums over shards: the same bits whatever runs them and finishes first; structures, and what is refused."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fsmooth as fs

RNG = np.random.default_rng(3)
X, Y, W = RNG.normal(size=(103, 4)), RNG.normal(size=103), RNG.normal(size=4)


def loss(w, x, y):
    return np.sum(np.sin(x @ w - y) ** 2)


def shards(size: int) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(X[k : k + size], Y[k : k + size]) for k in range(0, len(X), size)]


def shuffled(f: Callable[[Any], Any], given: Iterable[Any]) -> list[Any]:
    found = [f(x) for x in given]
    random.Random(len(found)).shuffle(found)
    return found


@pytest.mark.parametrize("size", [1, 7, 20, 50, 103])
def test_the_same_bits_in_any_order(size: int) -> None:
    g = fs.value_and_grad(loss, wrt="w")
    value, gradient = fs.sum_shards(g, shards(size), W)
    np.testing.assert_allclose(gradient, g(W, X, Y)[1], rtol=1e-12)
    np.testing.assert_allclose(value, g(W, X, Y)[0], rtol=1e-12)
    for way in (shuffled, lambda f, given: reversed([*map(f, given)])):
        again, other = fs.sum_shards(g, shards(size), W, map=way)
        assert again == value
        assert np.array_equal(other, gradient)


def test_threads_and_processes() -> None:
    g = fs.grad(loss, wrt="w")
    wanted = fs.sum_shards(g, shards(10), W)
    with ThreadPoolExecutor(3) as threads:
        assert np.array_equal(fs.sum_shards(g, shards(10), W, map=threads.map), wanted)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        assert np.array_equal(fs.sum_shards(g, shards(10), W, map=processes.map), wanted)


def test_joblib() -> None:
    joblib = pytest.importorskip("joblib")
    g = fs.grad(loss, wrt="w")

    def on_two(f: Callable[[Any], Any], given: Iterable[Any]) -> Iterable[Any]:
        return joblib.Parallel(n_jobs=2, return_as="generator_unordered")(joblib.delayed(f)(x) for x in given)

    assert np.array_equal(fs.sum_shards(g, shards(10), W, map=on_two), fs.sum_shards(g, shards(10), W))


PROBLEM = """
import time
import numpy as np
import fsmooth as fs

def loss(w, x, y):
    return np.sum(np.sin(x @ w - y) ** 2)

g = fs.grad(loss, wrt="w")

def slowly(w, x, y):
    time.sleep(0.2)
    return g(w, x, y)
"""

CLUSTER = """
import os, signal, time
import numpy as np
import fsmooth as fs
from distributed import Client, LocalCluster
from problem import slowly

def main():
    rng = np.random.default_rng(3)
    X, Y, W = rng.normal(size=(103, 4)), rng.normal(size=103), rng.normal(size=4)
    shards = [(X[k : k + 10], Y[k : k + 10]) for k in range(0, len(X), 10)]
    wanted = fs.sum_shards(slowly, shards, W)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        def on_cluster(f, given):
            futures = client.map(f, list(given))
            time.sleep(0.3)
            os.kill(client.run(os.getpid)[cluster.workers[0].worker_address], signal.SIGKILL)
            return client.gather(futures)
        found = fs.sum_shards(slowly, shards, W, map=on_cluster)
    print(np.array_equal(found, wanted))

if __name__ == "__main__":
    main()
"""


def test_a_cluster_of_which_a_process_is_killed(tmp_path: Path) -> None:
    """Two processes of Dask: what one had not finished the other does again, and the sum has the same bits."""
    pytest.importorskip("distributed")
    file = tmp_path / "cluster.py"
    file.write_text(CLUSTER)
    (tmp_path / "problem.py").write_text(
        PROBLEM
    )  # which the processes import: by value, functions have no source there
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, timeout=240, check=False)
    assert done.stdout.split() == ["True"], done.stderr


@dataclass
class Model:
    w: np.ndarray
    names: list[str]
    bias: float


def test_structures() -> None:
    model = Model(W, ["a"], 0.5)
    g = fs.grad(lambda m, x, y: np.sum((x @ m.w + m.bias - y) ** 2), wrt="m")
    found, whole = fs.sum_shards(g, shards(40), model), g(model, X, Y)
    assert isinstance(found, Model)
    np.testing.assert_allclose(found.w, whole.w, rtol=1e-12)
    assert found.bias == pytest.approx(whole.bias)
    by_name = fs.sum_shards(lambda x: {"n": len(x), "s": [x.sum(), x]}, [np.ones(3), np.zeros(3)])
    assert by_name["n"] == 6
    assert by_name["s"][0] == 3.0


def test_what_is_not_in_memory(tmp_path: Path) -> None:
    """A file that is read part by part, whichever the machine has memory for."""
    file = tmp_path / "x.npy"
    np.save(file, X)
    on_disk = np.load(file, mmap_mode="r")
    parts = ((on_disk[k : k + 30], Y[k : k + 30]) for k in range(0, len(on_disk), 30))
    g = fs.grad(loss, wrt="w")
    assert np.array_equal(fs.sum_shards(g, parts, W), fs.sum_shards(g, shards(30), W))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fs.sum_shards(loss, [], W), "there is no shard"),
        (lambda: fs.sum_shards(lambda x: x, [np.ones(2), np.ones(3)]), r"shape \(2,\) and an array of shape \(3,\)"),
        (lambda: fs.sum_shards(lambda x: x, [(1.0, 2.0), 1.0]), "differ|positional"),
        (lambda: fs.sum_shards(lambda x: {"a": 1.0} if x else [1.0], [0, 1]), "a list of 1 and a dict of 1"),
        (
            lambda: fs.sum_shards(abs, [1, 2, 3], map=lambda f, given: [*map(f, given)][1:]),
            "some of the first 3 shards",
        ),
        (lambda: fs.sum_shards(abs, [1, 2], map=lambda f, given: 2 * [*map(f, given)]), "give|once"),
    ],
)
def test_what_is_refused(make, message: str) -> None:
    with pytest.raises((fs.ArgumentError, TypeError), match=message):
        make()

"""The memory of a tape: it grows, ends in an error before the machine's does, and belongs to one call."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import fsmooth as fs
from tests.tape.programs import product_of_sines


def long_product(x, n):
    """An entry for each step, and no array."""
    p = x
    for k in range(n):
        p = p * (1.0 - 1e-9 * x * k)
    return p


@pytest.mark.parametrize("size", [0, 1, 1023, 1024, 5000, 300_000])
def test_it_grows(size: int) -> None:
    v = np.linspace(0.0, 1.0, size)
    found = fs.grad(product_of_sines, method="tape")(v)
    np.testing.assert_allclose(found, fs.grad(product_of_sines, method="reverse")(v), rtol=1e-9, atol=1e-12)


def test_more_than_the_machine_has(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FSMOOTH_CFLAGS", "-DFS_MEMORY=100000000")
    monkeypatch.setenv("FSMOOTH_CACHE_DIR", str(tmp_path))
    gradient = fs.grad(long_product, wrt="x", method="tape")
    with pytest.raises(fs.OutOfMemoryError) as caught:
        gradient(0.5, 10**9)
    first, hint = str(caught.value).split("\n")
    assert first.startswith("there is not enough memory for the tape of this call, after ")
    entries = int(first.split("after ")[1].split(" entries")[0])
    assert 1_000_000 < entries < 6_000_000  # 40 bytes each
    assert hint == "  hint: method='reverse' saves less, method='forward' saves nothing"
    assert gradient(0.5, 3) == pytest.approx(fs.grad(long_product, wrt="x")(0.5, 3), rel=1e-12)


def test_more_entries_than_ids(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FSMOOTH_CFLAGS", "-DFS_ENTRIES=5000")
    monkeypatch.setenv("FSMOOTH_CACHE_DIR", str(tmp_path))
    gradient = fs.grad(long_product, wrt="x", method="tape")
    assert gradient(0.5, 2000) == pytest.approx(fs.grad(long_product, wrt="x")(0.5, 2000), rel=1e-9)
    with pytest.raises(fs.OutOfMemoryError, match="after [0-9]* entries"):
        gradient(0.5, 10_000)
    with pytest.raises(fs.OutOfMemoryError, match="after 1 entries"):
        fs.grad(lambda v: sum(x * x for x in v), method="tape")(np.ones(5001))
    with pytest.raises(fs.OutOfMemoryError):
        fs.jacobian(lambda v: sum(x * v[0] for x in v), method="tape")(np.ones(4000))


def test_an_error_in_the_middle_of_a_tape() -> None:
    gradient = fs.grad(lambda v, k: product_of_sines(v) * v[k], wrt="v", method="tape")
    with pytest.raises(fs.IndexOutOfBoundsError):
        gradient(np.ones(10), 10)
    assert np.isfinite(gradient(np.ones(10), 9)).all()


def test_threads() -> None:
    gradient = fs.grad(product_of_sines, method="tape")
    arguments = [np.linspace(0.0, 1.0, 2000 + 501 * k) for k in range(8)]
    wanted = [gradient(v) for v in arguments]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(20):
            for a, b in zip(pool.map(gradient, arguments), wanted, strict=True):
                assert np.array_equal(a, b)

"""The table of reverse-mode benchmarks: its C by hand is right, its checks see errors, and failures stay in their rows."""

import sys
from pathlib import Path

import numpy as np
import pytest
from benchmarks import __main__ as main
from benchmarks import apart, keeping
from benchmarks.reverse import report, rows, run
from benchmarks.reverse.workload import Bounds, Workload
from benchmarks.timing import alternated

BY_HAND = {
    "gmm": (lambda: rows.mixture(10, Bounds()), "C"),
    "tanh": (lambda: rows.recurrent(5, 4), "C"),
    "scalar": (lambda: rows.recurrence(10), "C"),
    "nnmf": (lambda: rows.factors(7), "C"),
    "nnmf, reciprocals": (lambda: rows.factors(7), "C, reciprocals"),
}


def _made(name: str) -> tuple[Workload, list[np.ndarray]]:
    make, contender = BY_HAND[name]
    workload = make()
    return workload, [np.array(part) for part in workload.hand[contender]()()]


@pytest.mark.parametrize("name", BY_HAND)
def test_c_by_hand_is_right(name: str) -> None:
    workload, found = _made(name)
    assert workload.right(found) < 1e-10


@pytest.mark.parametrize("name", BY_HAND)
def test_the_check_of_a_row_sees_an_error_in_every_array(name: str) -> None:
    workload, found = _made(name)
    for k, part in enumerate(found):
        wrong = [*found[:k], part * (1.0 + 1e-6), *found[k + 1 :]]
        assert workload.right(wrong) > 1e-8


def test_the_primal_of_ba_by_hand_is_right() -> None:
    workload = rows.bundle()
    errors, of_weights = workload.hand["C primal"]()()
    wanted = workload.primal(*workload.arguments)
    np.testing.assert_allclose(errors, wanted[0], rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(of_weights, wanted[1], rtol=1e-10)


@pytest.mark.parametrize(
    ("code", "note"),
    [
        ("raise SystemExit('no such thing')", "ended with 1: no such thing"),
        ("import time; time.sleep(9)", "took more than 1 s"),
    ],
)
def test_a_row_that_fails_is_a_note(code: str, note: str) -> None:
    row = apart.row("some", [sys.executable, "-c", code], longest=1.0)
    assert row["notes"] == [note]
    assert note in report.text_of([row], {}, "make bench")


def test_what_is_not_shown_is_bold() -> None:
    seconds = {"primal": 1.0, "derivative": 4.0, "C": 2.0, "JAX": 8.0}
    bounds = {"primal": 3.0, "hand": 2.0, "hand_primal": None, "jax": 2.5, "milliseconds": None}
    row = {"workload": "some", "size": "", "seconds": seconds, "notes": [], "bounds": bounds}
    line = next(line for line in report.text_of([row], {}, "make bench").splitlines() if line.startswith("| some"))
    assert line == "| some |  | 1e+06 | 4e+06 | **4** (≤ 3) | 2 (≤ 2) | – | **2** (≥ 2.5) |  |"


def test_slow_contenders_run_three_times() -> None:
    calls = []
    alternated({"slow": lambda: calls.append(None)}, 50, 0.0, most=0.0)
    assert len(calls) == 7 + 3  # to see how long one takes, and the runs


def test_the_quick_benchmarks_save_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(keeping, "RESULTS", tmp_path)
    monkeypatch.setattr(run, "quick_table", lambda pinned: [])
    monkeypatch.setattr(run, "table", lambda pinned: [])
    monkeypatch.setattr(main.cold, "measurements", lambda plan, times: {"first": 1.0})
    assert main._reverse([], quick=True).startswith("# Derivatives of the field's workloads\n\n`make bench-quick`")
    assert not list(tmp_path.iterdir())
    assert main._reverse([], quick=False) == (tmp_path / "reverse.md").read_text()

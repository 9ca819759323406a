"""The table of trees and recursion: everything in it is right, and what misses its bar is bold."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from benchmarks import __main__ as main
from benchmarks import keeping
from benchmarks.trees import calling, measure, report, rows
from benchmarks.trees.row import Contender, Row
from benchmarks.workloads import expressions, lists

SHORT = (1, 0.0)
SMALL = {
    "product-sum": partial(rows.sums, 20),
    "TreeLSTM": partial(rows.network, 4, 3, 2, 1.0),
    "expression by match": partial(rows.evaluator, expressions.by_match, 50),
    "expression by methods": partial(rows.evaluator, expressions.by_methods, 50),
    "by recursion": partial(rows.fold, lists.by_recursion, 10),
    "by while": partial(rows.fold, lists.by_while, 10),
    **{name: partial(rows.iteration, name) for name in rows.iterations.ITERATIONS},
    **{name: partial(rows.of_paper, name, 20) for name in rows.PAPER},
    "packing": partial(calling.packing, 3),
    "a call": calling.calling,
}


@pytest.mark.parametrize("name", SMALL)
def test_contenders_are_right_and_bars_are_of_contenders(name: str) -> None:
    """The C by hand, too: it is compared with what plain Python, NumPy and closed forms give."""
    row = SMALL[name]()
    found = measure.measured(name, row, SHORT)
    assert found["notes"] == []
    assert found["seconds"].keys() == row.contenders.keys()
    assert None not in [report.measured(found, of) for of in row.bounds]


def test_what_is_wrong_or_fails_is_told_and_not_timed() -> None:
    def fails() -> object:
        raise ValueError("no such thing")

    right = [np.ones(2)]
    contenders = {
        "right": Contender(lambda: lambda: np.ones(2), right),
        "wrong": Contender(lambda: lambda: np.array([1.0, 1.5]), right),
        "fails": Contender(lambda: fails, right),
    }
    row = measure.measured("some", Row("2", contenders), SHORT)
    assert list(row["seconds"]) == ["right"]
    assert row["notes"] == ["wrong is wrong by 5.0e-01", "fails: ValueError: no such thing"]


SECONDS = {
    "value": 1.5e-6,
    "gradient": 3e-6,
    "tape": 9e-6,
    "C value": 1e-6,
    "C gradient, a": 4e-6,
    "C gradient, b": 2e-6,
}
BOUNDS = {"value / C value": 1.2, "gradient / C gradient": 1.5, "gradient / loop gradient": 1.0}
MADE = [
    {
        "workload": "TreeLSTM, small",
        "size": "s",
        "seconds": SECONDS,
        "bounds": BOUNDS,
        "elements": 1,
        "notes": ["a | b"],
    },
    {
        "workload": "dot product",
        "size": "s",
        "seconds": {"value": 1e-6, "gradient": 1e-6, "tape": 3e-6},
        "bounds": {"gradient": 2.0, "tape": 2.0},
        "elements": 1000,
        "notes": [],
    },
    {
        "workload": "packing",
        "size": "s",
        "seconds": {"pack": 6e-4},
        "bounds": {"pack": 0.5},
        "elements": 1000,
        "notes": [],
    },
    {
        "workload": "a call with 7 nodes",
        "size": "s",
        "seconds": {"call": 2e-6, "kernel": 1e-6},
        "bounds": {"call - kernel": 2.0},
        "elements": 1,
        "notes": [],
    },
    {"workload": "newton", "size": "", "seconds": {}, "bounds": {}, "notes": ["took more than 1 s"]},
]


def test_what_misses_its_bar_is_bold_and_counted() -> None:
    lines = report.text_of(MADE, "python -m benchmarks").splitlines()
    assert [line for line in lines if line.startswith(("| Tree", "| dot", "| pack", "| a call", "| newton"))] == [
        "| TreeLSTM, small | s | 1.5 | 3 | **1.5** (≤ 1.2) | 2 | 1.5 (≤ 1.5) | 3 | – | – | a \\| b |",
        "| newton |  | – | – | – | – | – | – | – | took more than 1 s |",
        "| dot product | s | 1 | 1 (≤ 2) | **3** (≤ 2) |  |",
        "| packing | s | **0.6** (≤ 0.5) per node |  |",
        "| a call with 7 nodes | s | 1 (≤ 2) more than its kernel |  |",
    ]
    assert "Bars that hold: 3 of 7." in lines


def test_the_quick_table_saves_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(keeping, "RESULTS", tmp_path)
    monkeypatch.setattr(report, "table", lambda pinned: MADE)
    monkeypatch.setattr(report, "quick_table", lambda pinned: MADE)
    assert main._trees([], quick=True).startswith(
        "# Trees and recursion\n\n`python -m benchmarks --only trees --quick`"
    )
    assert not list(tmp_path.iterdir())
    assert main._trees([], quick=False) == (tmp_path / "trees.md").read_text()


def test_a_row_is_measured_in_a_process_of_its_own() -> None:
    (row,) = report.apart.rows(["newton"], "benchmarks.trees.measure", [], ["--quick"])
    assert row["notes"] == []
    assert {"value", "gradient", "tape", "loop value", "loop gradient"} <= row["seconds"].keys()

"""The table of programs on whole arrays: both forms are the same function, and what misses its bar is bold."""

from itertools import count
from pathlib import Path

import numpy as np
import pytest
from benchmarks import __main__ as main
from benchmarks import keeping
from benchmarks.arrays import measure, report
from benchmarks.arrays.calls import Case, calls
from benchmarks.arrays.matrices import Factorisation, factorisations
from benchmarks.arrays.programs import Form, forms
from benchmarks.reference import Reference

import fsmooth as fs

FORMS = {form.name: form for form in forms(6, 4, 5)}
SHORT = (1, 0.0)
WHOLE = "np.sum(((A - b) * c[:, None]) ** 2)"


@pytest.mark.parametrize("name", FORMS)
def test_both_forms_are_the_same_function(name: str) -> None:
    """As Python and NumPy run them."""
    form = FORMS[name]
    np.testing.assert_allclose(form.spelled(*form.arguments), form.whole(*form.arguments), rtol=1e-12)


@pytest.mark.parametrize("name", [WHOLE, "A + b"])
def test_forms_are_measured_with_their_gradients(name: str) -> None:
    value, gradient = measure.of_form(FORMS[name], SHORT, Reference())
    for row, verb in ((value, "value"), (gradient, "gradient")):
        assert row["of"] == verb
        assert set(row["seconds"]) == set(row["arrays"]) == {"whole", "spelled"}
        assert "the forms differ" not in row["notes"]


def test_forms_that_differ_are_told() -> None:
    wrong = Form("wrong", FORMS[WHOLE].whole, lambda A, b, c: A[0, 0] * b[0] * c[0], FORMS[WHOLE].arguments)
    assert ["the forms differ" in row["notes"] for row in measure.of_form(wrong, SHORT, Reference())] == [True, True]


def test_stored_arrays_are_counted() -> None:
    """One for the sums before an index, read twice at different places; none for what is read as it is made."""
    x = np.arange(40.0)
    assert measure.stored(fs.function(lambda x: np.sum(x * x)).compiled(x)) == 0
    assert measure.stored(fs.function(lambda x, k: (y := np.cumsum(x))[k] * y[-k - 1]).compiled(x, 2)) == 1


def test_linear_algebra_is_measured_against_numpy() -> None:
    problems = {problem.name: problem for problem in factorisations(3)}
    for name in ("solve", "eigh", "∇ of three layers", "Σ c x xᵀ", "∇² of a logistic loss"):
        row = measure.of_factorisation(problems[name], SHORT)
        assert list(row["seconds"]) == ["fsmooth", "NumPy"]
        assert row["notes"] == []


def test_another_result_than_numpys_is_told() -> None:
    results = count()
    problem = Factorisation("wrong", lambda a: np.linalg.det(a), 2, (np.eye(2),), lambda result: next(results))
    assert measure.of_factorisation(problem, SHORT)["notes"] == ["differs from NumPy"]


def test_calls_are_measured_and_checked() -> None:
    for case in calls():
        row = measure.of_call(case, SHORT)
        assert row["notes"] == []
        assert bool(row["seconds"]) == (case.make is not None)
    wrong = Case("wrong", 1.0, lambda: lambda: 2.0, 3.0)
    assert measure.of_call(wrong, SHORT)["notes"] == ["gives something else"]


def row_of(whole: float, spelled: float, arrays: tuple[int, int]) -> dict[str, object]:
    return {
        "program": "f",
        "of": "value",
        "seconds": {"whole": whole, "spelled": spelled},
        "arrays": {"whole": arrays[0], "spelled": arrays[1]},
        "notes": [],
    }


def solved(size: int, seconds: float) -> dict[str, object]:
    return {"function": "inv", "size": size, "seconds": {"fsmooth": seconds, "NumPy": 1.0}, "notes": []}


def call_of(seconds: dict[str, float]) -> dict[str, object]:
    return {"call": "g", "microseconds": 5.0, "seconds": seconds, "notes": []}


RESULT = {
    "runs": 11,
    "shape": (10, 3, 4),
    "forms": [row_of(1.0, 1.0, (0, 0)), row_of(1.2, 1.0, (1, 0))],
    "linear algebra": [solved(32, 1.5), solved(64, 1.5)],
    "calls": [call_of({"fsmooth": 4e-6}), call_of({"fsmooth": 6e-6}), call_of({})],
}


def test_what_misses_its_bar_is_bold_and_counted() -> None:
    lines = report.text_of(RESULT, "make bench").splitlines()
    assert [line for line in lines if line.startswith(("| `f`", "| inv", "| g"))] == [
        "| `f` | value | 1e+06 | 1e+06 | 1.00 | 0 | 0 |  |",
        "| `f` | value | 1.2e+06 | 1e+06 | **1.20** | **1** | 0 |  |",
        "| inv | **1.50** | 1.50 |  |",
        "| g | 4.00 | 5 |  |",
        "| g | **6.00** | 5 |  |",
        "| g | – | 5 | not installed here |",
    ]
    assert [line for line in lines if line.startswith("Within")] == ["Within the bar: 1 of 2 rows."] * 3


def test_the_quick_table_saves_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(keeping, "RESULTS", tmp_path)
    monkeypatch.setattr(main, "_measured", lambda module, pinned, quick: RESULT)
    assert main._arrays([], quick=True).startswith("# What NumPy's users write\n\n`make bench-quick`")
    assert not list(tmp_path.iterdir())
    assert main._arrays([], quick=False) == (tmp_path / "arrays.md").read_text()

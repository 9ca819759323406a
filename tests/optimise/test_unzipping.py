"""Arrays of tuples are taken apart where that lets a component leave a loop."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from fsmooth.core.evaluate import OutOfBounds, evaluate
from fsmooth.core.term import Lam, Term
from fsmooth.core.values import plain, value_of
from fsmooth.library import parse
from fsmooth.optimise.schedules import DEFAULT, SCHEDULES
from fsmooth.rewrite.trace import Trace
from tests.optimise.counting import Computed

WITH_MOTION = [name for name in SCHEDULES if name not in ("NONE", "LF", "LN")]
_PARAMETERS = "(x: Vector) (g: Array<Int>)"
_ZEROS = "build (length x) (fun i -> (0.0, 0.0))"
_LAST = "s[length x - 1].0 * s[length x - 1].1 + s[0].1"


def _chain(
    row: str, start: str = _ZEROS, at: str = "i", result: str = _LAST, directions: str = "4", inside: str = "CHAIN"
) -> str:
    """For each r an array that is filled row by row, each from itself and the row g[i]."""
    chain = f"let s = ifold (fun s i -> update s {at} (let k = check g[i] (length x) in {row})) ({start}) (length x) in {result}"
    return f"build {directions} (fun r -> {inside.replace('CHAIN', chain)})"


VALUE = "exp x[i] + s[k].0"
SLOPE = "s[k].0 * s[k].1 + (if i == r then 1.0 else 0.5)"

APART = {
    "a chain": _chain(f"({VALUE}, {SLOPE})"),
    "names for rows and tuples": _chain(
        "let t = if i < 2 then (exp x[i], 1.0) else let e = exp x[i] in (e, s[k].1) in "
        "let row = s[k] in (t.0 + row.0, row.1 * row.0 + (if i == r then 1.0 else 0.5))"
    ),
    "rows that are arrays": _chain(
        f"[({VALUE.replace('s[k]', 's[k][1]')}, {SLOPE.replace('s[k]', 's[k][1]')}), (s[k][0].0 + 1.0, s[k][0].1)]",
        start="build (length x) (fun i -> [(0.0, 0.0), (1.0, 0.0)])",
        result="let row = s[length x - 1] in row[0].0 * row[0].1 + s[0][1].1",
    ),
    "no loop fills it": "build 4 (fun r -> let s = build (length x) (fun i -> "
    "(sum (length x) (fun j -> exp x[i] * x[j]), sum (length x) (fun j -> x[i] * x[j] + to_float r))) in "
    "sum (length g) (fun i -> let t = s[check g[i] (length x)] in t.0 * t.1 * s[i].0 * s[i].1))",
}
"""Their values are the same for each r."""

WHOLE = {
    "values from slopes": _chain(f"(exp x[i] + s[k].1, {SLOPE})"),
    "another row": _chain(f"({VALUE}, {SLOPE})", at="(check g[i] (length x))"),
    "a start that is work": _chain(f"({VALUE}, {SLOPE})", start="build (length x) (fun i -> (exp x[i], 0.0))"),
    "no loop around": f"let s = ifold (fun s i -> update s i (exp x[i] + s[0].0, s[0].0 * s[0].1)) ({_ZEROS}) (length x) "
    f"in {_LAST}",
    "the same for all": _chain("(exp x[i] + s[k].0, s[k].0 * s[k].1 + 1.0)"),
    "a loop around that may not run": _chain(f"({VALUE}, {SLOPE})", directions="(length g)"),
    "a branch around": _chain(f"({VALUE}, {SLOPE})", inside="if r < length g then (CHAIN) else 0.0"),
    "a use as a whole": "build 4 (fun r -> let s = build (length x) (fun i -> (exp x[i], to_float r)) in "
    "let t = (if r < length g then s else build (length x) (fun i -> (0.0, 1.0))) in t[0].0 * t[0].1 * s[0].0)",
    "components that share work": "build 2 (fun r -> let s = build (length x) (fun i -> let e = exp x[i] in (e, e * to_float r)) in "
    "sum (length g) (fun i -> let t = s[check g[i] (length x)] in t.0 * t.1 * s[i].0 * s[i].1))",
    "values that depend on a loop inside": "build 4 (fun r -> sum (length g) (fun j -> "
    f"let s = ifold (fun s i -> update s i (exp (x[i] * x[j]) + s[0].0, s[0].0 * s[0].1 + to_float r)) ({_ZEROS}) (length x) "
    f"in {_LAST}))",
}


def _program(body: str) -> Lam:
    term = parse(f"fun {_PARAMETERS} -> {body}")
    assert isinstance(term, Lam)
    return term


def _run(term: Term, g: Sequence[int]) -> tuple[np.ndarray, int]:
    """The result for five numbers, and how many exponentials it took."""
    assert isinstance(term, Lam)
    counting = Computed()
    arguments = np.sin(np.arange(5.0)), np.array(g, int)
    values = {q: value_of(a, q.type) for q, a in zip(term.parameters, arguments, strict=True)}
    result = evaluate(term.body, values, counting)
    return np.array(plain(result, term.body.type), dtype=float), counting.counts["exp"]


@pytest.mark.parametrize("schedule", WITH_MOTION)
@pytest.mark.parametrize("name", APART)
@pytest.mark.parametrize("g", [(0, 0, 1, 1, 3), (0, 1, 2, 3, 4), (4, 3, 2, 1, 0)], ids=["before", "itself", "after"])
def test_values_are_computed_once(name: str, g: tuple[int, ...], schedule: str) -> None:
    """Rows before have been filled, those after and the row itself are still as they were."""
    program = _program(APART[name])
    wanted, before = _run(program, g)
    found, exponentials = _run(SCHEDULES[schedule](program), g)
    np.testing.assert_allclose(found, wanted, rtol=1e-14)
    assert exponentials == 5
    assert before >= 4 * 5


@pytest.mark.parametrize("name", WHOLE)
def test_others_stay_whole(name: str) -> None:
    program, trace = _program(WHOLE[name]), Trace()
    np.testing.assert_allclose(
        _run(DEFAULT(program, trace), (0, 0, 1, 3, 2))[0], _run(program, (0, 0, 1, 3, 2))[0], rtol=1e-14
    )
    assert "taken apart" not in str(trace)


@pytest.mark.parametrize("name", ["a chain", "rows that are arrays"])
def test_indices_are_checked(name: str) -> None:
    program = _program(APART[name])
    for g in ((0, 0, 5, 1, 1), (0, -1, 0, 0, 0)):
        for term in (program, DEFAULT(program)):
            with pytest.raises(OutOfBounds):
                _run(term, g)


def test_nothing_fails_if_there_is_no_direction() -> None:
    program = _program(_chain(f"({VALUE}, {SLOPE})", directions="(length g)"))
    assert _run(DEFAULT(program), ())[0].shape == (0,)

"""Programs in which windows meet other things: other cones, other axes, starts that are not one element; with the same values."""

from __future__ import annotations

import numpy as np
import pytest

from fsmooth.core.term import Lam
from fsmooth.library import parse
from fsmooth.optimise.schedules import DEFAULT
from tests.lower.test_loops import run
from tests.reverse.routes import result, vector
from tests.reverse.unread import poisoned

HEAD = "fun (v: Vector) (m: Index) (k: Index) (l: Index) -> "
LEFT = "(if 0 <= i - 1 then s[i - 1] * v[i] else zero Float)"
STEP = f"ifold (fun s t -> build (length v) (fun i -> {LEFT} + s[i]))"
X = "let x = (if r == k then cos v[r] else zero Float) * (sum 5 (fun q -> v[q] * v[r])) in "
THREE_ON = "if r + 3 < length v then delta (length v) (r + 3) x else zero Float (length v)"
PAIR = "ifold (fun s t -> {}) (delta (length v) k 1.0, v) m"
OUTER = "build (length v) (fun i -> s.0[i] * 0.5 + (if 0 <= i - 1 then s.0[i - 1] * v[i] else zero Float) * v[0])"
SAVED = (
    "let f = ifold (fun s t -> let c = build (length v) (fun i -> s.0[i] * 0.5 + v[i]"
    " + (if 0 <= i - 1 then s.0[i - 1] * v[i] else 0.0)) in (c, update s.1 t c)) (v, zero Float m (length v)) m in "
    "ifold (fun u t -> build (length v) (fun i ->"
    " u[i] * {} + (if i + 1 < length v then u[i + 1] * v[i] else zero Float))) (delta (length v) k 1.0) m"
)
PROGRAMS = {
    "a start beside the anchor": f"{STEP} (sum (length v) (fun r -> {X} plus (delta (length v) r x) ({THREE_ON}))) m",
    "an anchor that only the start has": (
        f"{STEP} (build (length v) (fun i -> let q = k*i - l*l in if i == q then v[i] else zero Float)) m"
    ),
    "a loop with a cone inside reads what is kept outside": PAIR.format(
        "let u = build (length v) (fun i -> s.0[i] * 0.5 + (if 0 <= i - 1 then s.0[i - 1] * v[i] else zero Float)) in"
        " let w = ifold (fun r q -> build (length v) (fun i -> u[i] * r[i] + (if 0 <= i - 1 then r[i - 1] * u[i] else"
        f" zero Float))) (delta (length v) l 1.0) 4 in ({OUTER}, build (length v) (fun i -> s.1[i] + w[i]))"
    ),
    "what a loop inside keeps, kept by the cone outside": PAIR.format(
        "let w = ifold (fun r q -> let a = build (length v) (fun i -> r[i] * 2.0 + (if 0 <= i - 1 then r[i - 1] * v[i] else"
        " zero Float)) in build (length v) (fun i -> a[i] * s.0[i] + (if 0 <= i - 1 then a[i - 1] * s.0[i] else zero Float)))"
        f" (delta (length v) l 1.0) 4 in ({OUTER}, build (length v) (fun i -> s.1[i] + w[i]))"
    ),
    "the row of the step": SAVED.format("f.1[m - 1 - t][i]"),
    "a row by another axis": SAVED.format("(if i < m then f.1[i][0] else 0.0)"),
    "a row, and by another axis": SAVED.format("f.1[m - 1 - t][i] * (if i < m then f.1[i][l] else 0.0)"),
    "the row before": SAVED.format("f.1[m - 1 - t][i] * (if 0 <= m - 2 - t then f.1[m - 2 - t][i] else 1.0)"),
    "a row with a name": SAVED.format(
        "(let r = f.1[m - 1 - t] in r[i] * (if i + 1 < length v then r[i + 1] else 1.0))"
    ),
    "all of a row": SAVED.format("(sum (length v) (fun j -> f.1[m - 1 - t][j])) * v[i]"),
}
V = np.linspace(0.1, 1.0, 24)


@pytest.mark.parametrize("source", PROGRAMS.values(), ids=PROGRAMS)
def test_values(source: str) -> None:
    """Of the optimised program, with what is not to be read not a number, and of its loops, in memory that is not a number."""
    program = parse(HEAD + source)
    assert isinstance(program, Lam)
    optimised = DEFAULT(program)
    for steps, k, l in ((3, 4, 15), (1, 0, 23), (0, 5, 2), (7, 20, 1), (24, 12, 3)):
        wanted = vector(result(program, V, steps, k, l))
        np.testing.assert_allclose(vector(result(poisoned(optimised), V, steps, k, l)), wanted, rtol=1e-11)
        loops = run(optimised, V, steps, k, l, unwritten=float("nan"))
        np.testing.assert_allclose(vector(tuple(loops) if isinstance(loops, list) else loops), wanted, rtol=1e-11)


@pytest.mark.parametrize("far", [2**63 - 1, -(2**63)])
def test_an_anchor_beyond_all_arrays(far: int) -> None:
    """The ends of a window are computed without overflow."""
    start = "build (length v) (fun i -> (if i == k then 1.0 else zero Float) + (if i == l then 2.0 else zero Float))"
    program = parse(f"{HEAD}{STEP} ({start}) m")
    assert isinstance(program, Lam)
    wanted = vector(result(program, V, 5, 12, far))
    assert np.count_nonzero(wanted)
    np.testing.assert_allclose(vector(result(poisoned(DEFAULT(program)), V, 5, 12, far)), wanted)
    np.testing.assert_allclose(np.ravel(run(DEFAULT(program), V, 5, 12, far, unwritten=float("nan"))), wanted)

"""No schedule from LN upward repeats work: functions evaluated, counted in the interpreter, grow as in the program.

The programs read arrays in inner loops, in branches and under tests, and can fail where they make them: an index that
nothing proves, an extremum of what may be empty, sizes that must agree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import cast

import numpy as np
import pytest

from fsmooth.backend.c.emit import emit
from fsmooth.core.evaluate import RequirementFailed, evaluate
from fsmooth.core.term import Lam, Term
from fsmooth.core.types import Array, Float
from fsmooth.core.values import plain, value_of
from fsmooth.differentiate.remove import remove_derivatives
from fsmooth.library import parse
from fsmooth.lower.functions import lower
from fsmooth.optimise.schedules import SCHEDULES
from tests.optimise.counting import Computed

_PARAMETERS = "(g: Array<Int>) (w: Vector)"
_Y = "let y = build (length g) (fun k -> exp w[g[k]]) in"
_PAIRS = "sum (length y) (fun i -> sum (length y) (fun j -> y[i] * y[j]))"

PROGRAMS = {
    "gather": f"{_Y} {_PAIRS}",
    "gather at a computed index": f"let y = build (length g) (fun k -> exp w[g[k] * 2 - g[k]]) in {_PAIRS}",
    "checked gather": f"let y = build (length g) (fun k -> exp w[check g[k] (length w)]) in {_PAIRS}",
    "largest": f"let y = build (length g) (fun k -> exp (max (length w) (fun q -> w[q] * w[k]))) in {_PAIRS}",
    "at the largest": f"""
        let y = build (length g) (fun k -> exp w[argmax (length w) (fun q -> w[q] * w[k])]) in {_PAIRS}""",
    "number": "let s = sum (length g) (fun k -> exp w[g[k]]) in build (length w) (fun i -> s * w[i])",
    "largest number": "let s = max (length g) (fun k -> exp w[g[k]]) in build (length w) (fun i -> s * w[i])",
    "one element": "let s = exp w[g[0]] in build (length w) (fun i -> s * w[i])",
    "read by a fold": f"""{_Y}
        ifold (fun (s: Double) (i: Index) -> s * 0.5 + sum (length y) (fun j -> y[j] * s)) 1.0 (length w)""",
    "the same in a loop": f"sum (length w) (fun q -> {_Y} w[q] * {_PAIRS})",
    "pair of arrays": """
        let t = (build (length g) (fun k -> exp w[g[k]]), build (length g) (fun k -> exp (2.0 * w[g[k]]))) in
        sum (length g) (fun i -> sum (length g) (fun j -> (fst t)[i] * (snd t)[j]))""",
    "array of pairs": """
        let t = build (length g) (fun k -> (exp w[g[k]], exp (w[g[k]] * 2.0))) in
        sum (length g) (fun i -> sum (length g) (fun j -> (fst t[i]) * (snd t[j])))""",
    "read in a branch": f"{_Y} if length w > 3 then {_PAIRS} else 0.0",
    "made in a branch": f"if length w > 3 then {_Y} {_PAIRS} else 0.0",
    "read in branches of a loop": f"""{_Y}
        build (length w) (fun i -> if w[i] > 0.5 then sum (length y) (fun j -> y[j] * w[i]) else 0.0)""",
    "number read in branches": """
        sum (length g) (fun i -> let a = exp w[g[i]] in
          sum (length w) (fun j -> if w[j] > 0.5 then a * w[j] else 0.0))""",
    "array of an array": f"""{_Y}
        let z = build (length g) (fun k -> exp (0.01 * y[g[k]])) in
        sum (length z) (fun i -> sum (length z) (fun j -> z[i] * z[j]))""",
    "read through a gather": f"{_Y} sum (length w) (fun i -> sum (length w) (fun j -> y[g[i]] * y[g[j]]))",
    "triangle": f"{_Y} sum (length y) (fun i -> sum i (fun j -> y[i] * y[j]))",
    "sizes that must agree": f"""
        let y = build (length g) (fun k -> exp (vectorDot w (vectorAdd w w) * w[g[k]])) in {_PAIRS}""",
    "updated": f"{_Y} let z = update y g[0] 2.0 in sum (length z) (fun i -> sum (length z) (fun j -> z[i] * z[j]))",
    "normalised": f"{_Y} let a = sum (length y) (fun i -> y[i]) in build (length y) (fun i -> y[i] / a)",
}

NESTED = {
    "in a loop": f"sum (length w) (fun q -> let y = build (length g) (fun k -> exp (w[g[k]] * w[q])) in {_PAIRS})",
    "in a loop, in branches": """
        sum (length g) (fun q -> let y = build (length g) (fun k -> exp (w[g[k]] * w[q])) in
          sum (length w) (fun i -> if w[i] > 0.5 then sum (length y) (fun j -> y[j] * w[i]) else 0.0))""",
    "largest, in branches": """
        sum (length g) (fun i -> let a = max (length w) (fun q -> exp (w[q] * w[g[i]])) in
          sum (length w) (fun j -> if w[j] > 0.5 then a * w[j] else 0.0))""",
    "rows made by a fold, read by columns": """
        let t = build (length g) (fun k ->
          ifold (fun (h: Vector) (q: Index) -> build (length w) (fun j -> h[j] * 0.5 + exp (w[j] * w[q]))) w 2) in
        build (length w) (fun j -> sum (length g) (fun k -> t[k][j] * w[k]))""",
    "rows of a scope, read by columns": """
        let t = build (length g) (fun k -> let a = sum (length w) (fun q -> exp (w[q] * w[g[k]])) in
          build (length w) (fun j -> a * w[j])) in
        build (length w) (fun j -> sum (length g) (fun k -> t[k][j] * w[k]))""",
    "matrix": """
        let y = build (length g) (fun k -> build (length w) (fun q -> exp (w[g[k]] * w[q]))) in
        sum (length g) (fun i -> sum (length g) (fun j -> sum (length w) (fun q -> y[i][q] * y[j][q])))""",
}
"""Functions of two indices: n² of them."""

_FOLD = "ifold (fun s k -> (update s.0 g[k] (s.0[g[k]] * 0.5), s.1 + exp w[g[k]])) (w, 0.0)"
_SMALLER = "minimum (length g) (length w)"

THE_SAME = {
    "shared by two loops": f"""
        sum (length w) (fun i -> let p = {_FOLD} (length w) in p.1 * w[i])
        + sum (length w) (fun i -> let p = {_FOLD} (length w) in let t = p.0 in t[g[i]])""",
    "shared by loops over the smaller of two sizes": f"""
        sum (length w) (fun i -> let p = {_FOLD} ({_SMALLER}) in p.1 * w[i])
        + sum ({_SMALLER}) (fun i -> let p = {_FOLD} ({_SMALLER}) in let t = p.0 in t[g[i]])""",
    "in a loop over the larger of two sizes": f"""
        sum ({_SMALLER}) (fun i -> sum (maximum (length g) (length w)) (fun j ->
          let p = {_FOLD} ({_SMALLER}) in p.1 * w[i]))""",
    "while": """
        build (length w) (fun i ->
          let p = while (fun s -> s.1 < length g) (fun s -> (s.0 + exp w[g[s.1]], s.1 + 1)) (0.0, 0) in p.0 * w[i])""",
    "fold of an array and a number": """
        build (length w) (fun i ->
          let p = ifold (fun s k -> (update s.0 g[k] (s.0[g[k]] * 0.5), s.1 + exp w[g[k]])) (w, 0.0) (length g) in
          let t = p.0 in p.1 * w[i] * t[g[i]])""",
    "call": """
        letrec total (k : Int) : Float = if k == 0 then 0.0 else exp w[g[k - 1]] + total (k - 1) in
        build (length w) (fun i -> total (length g) * w[i])""",
    "sum of rows": """
        sum (length w) (fun i ->
          let p = while (fun s -> s.1 < length g) (fun s -> (s.0 + exp w[g[s.1]], s.1 + 1)) (0.0, 0) in
          build (length w) (fun j -> p.0 * w[i] * w[j]))""",
    "carried": """
        ifold (fun x i ->
          let p = while (fun s -> s.1 < length g) (fun s -> (s.0 + exp w[g[s.1]], s.1 + 1)) (0.0, 0) in
          p.0 * w[i] + 0.5 * x) 1.0 (length w)""",
    "chosen": """
        build (length w) (fun i ->
          let p = if w[0] < 9.0 then
              ifold (fun s k -> (update s.0 g[k] (s.0[g[k]] * 0.5), s.1 + exp w[g[k]])) (w, 0.0) (length g)
            else (w, 0.0) in
          let t = p.0 in p.1 * w[i] * t[g[i]])""",
}
"""Loops that can fail, for which nothing can stand, in loops which do not change them and may not run."""

FROM_LN = [name for name in SCHEDULES if name not in ("NONE", "LF")]
WITH_MOTION = [name for name in FROM_LN if name != "LN"]


def _counts(term: Term, n: int) -> Counter[str]:
    assert isinstance(term, Lam)
    arguments = (np.arange(n)[::-1].copy(), np.linspace(0.1, 1.0, n))
    counting = Computed()
    evaluate(term.body, {q: value_of(a, q.type) for q, a in zip(term.parameters, arguments, strict=True)}, counting)
    return counting.counts


def _optimised(text: str, schedule: str) -> Term:
    order = SCHEDULES[schedule]
    return order(remove_derivatives(parse(text), order.before))


def _primal(body: str) -> str:
    return f"fun {_PARAMETERS} -> {body}"


def _derivative(body: str) -> str:
    function = parse(_primal(body))
    assert isinstance(function, Lam)
    assert isinstance(function.body.type, Float | Array)
    verb = "grad" if isinstance(function.body.type, Float) else "jacob"
    return f"let f = {_primal(body)} in fun {_PARAMETERS} -> {verb} (fun (w: Vector) -> f g w) w"


@pytest.mark.parametrize("schedule", FROM_LN)
@pytest.mark.parametrize("name", [*PROGRAMS, *NESTED])
def test_a_program_evaluates_no_more_functions_than_are_written(name: str, schedule: str) -> None:
    body = (PROGRAMS | NESTED)[name]
    for n in (4, 9):
        written, found = _counts(_optimised(_primal(body), "NONE"), n), _counts(_optimised(_primal(body), schedule), n)
        assert 0 < found["exp"] <= written["exp"]


@pytest.mark.parametrize("schedule", WITH_MOTION)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_derivative_evaluates_functions_once_for_all_inputs(name: str, schedule: str) -> None:
    """Forward mode goes through the program once for each input, but what does not depend on the input is kept."""
    optimised = _optimised(_derivative(PROGRAMS[name]), schedule)
    for n in (4, 9):
        assert 0 < _counts(optimised, n)["exp"] <= 3 * n


@pytest.mark.parametrize("schedule", FROM_LN)
@pytest.mark.parametrize("name", [*PROGRAMS, *NESTED])
def test_a_derivative_repeats_nothing(name: str, schedule: str) -> None:
    """The work of the derivative as it comes, which is without sharing, bounds that of every schedule: 5/4 for tables."""
    body = (PROGRAMS | NESTED)[name]
    for n in (6, 9):
        as_it_comes = _counts(_optimised(_derivative(body), "NONE"), n)["exp"]
        assert _counts(_optimised(_derivative(body), schedule), n)["exp"] <= 1.25 * as_it_comes


@pytest.mark.parametrize("schedule", WITH_MOTION)
@pytest.mark.parametrize("name", THE_SAME)
def test_what_a_loop_does_not_change_is_computed_once_before_it_if_it_runs(name: str, schedule: str) -> None:
    text = _primal(THE_SAME[name])
    optimised = _optimised(text, schedule)
    for n in (4, 9):
        assert _counts(optimised, n)["exp"] == n
    assert isinstance(optimised, Lam)
    arguments = (np.array([7, 8]), np.zeros(0))  # no step, so nothing is read out of bounds
    environment = {q: value_of(a, q.type) for q, a in zip(optimised.parameters, arguments, strict=True)}
    found = plain(evaluate(optimised.body, environment), optimised.body.type)
    assert np.sum(cast(np.ndarray, found)) == float(name == "carried")


@pytest.mark.parametrize("schedule", FROM_LN)
def test_pairs_are_multiplied_once(schedule: str) -> None:
    for n in (5, 10):
        assert _counts(_optimised(_primal(PROGRAMS["checked gather"]), schedule), n)["multiply"] <= n * n


def test_a_definition_of_a_branch_that_is_not_taken_is_not_evaluated() -> None:
    """Only what the program evaluates outside a loop may stand there: here the sizes agree if the branch is taken."""
    text = """
        fun (g: Array<Int>) (w: Vector) -> sum (length w) (fun i ->
          if w[i] > 2.0 then
            let y = vectorAdd w (build (length g) (fun k -> w[g[k]])) in sum (length y) (fun j -> y[j] * y[i])
          else w[i])
    """
    arguments = (np.array([7, 8]), np.ones(3))
    for schedule in SCHEDULES:
        term = _optimised(text, schedule)
        assert isinstance(term, Lam)
        environment = {q: value_of(a, q.type) for q, a in zip(term.parameters, arguments, strict=True)}
        assert evaluate(term.body, environment) == 3.0, schedule
        taken = environment | {term.parameters[1]: value_of(np.full(3, 4.0), term.parameters[1].type)}
        with pytest.raises((RequirementFailed, IndexError)):
            evaluate(term.body, taken)


@pytest.mark.parametrize("derived", [_primal, _derivative], ids=["program", "derivative"])
def test_the_c_has_functions_in_single_loops_only(derived: Callable[[str], str]) -> None:
    term = _optimised(derived(PROGRAMS["checked gather"]), "DEFAULT")
    assert isinstance(term, Lam)
    loops: list[int] = []
    depths = []
    for line in emit(lower(term, "f")).source.partition("int32_t f(")[2].splitlines():
        indent = (len(line) - len(line.lstrip())) // 4
        loops = [k for k in loops if k < indent]
        if line.lstrip().startswith("for (") and line.endswith("{"):
            loops.append(indent)
        if "exp(" in line:
            depths.append(len(loops))
    assert depths
    assert max(depths) == 1

"""What is the same in each iteration of a loop further out is computed once for each combination of its own indices."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.backend.c.emit import emit
from fsmooth.core.evaluate import OutOfBounds, evaluate
from fsmooth.core.pretty import show
from fsmooth.core.term import Deriv, Lam, Method, Term, Verb
from fsmooth.core.values import plain, value_of
from fsmooth.differentiate.remove import remove_derivatives
from fsmooth.library import parse
from fsmooth.lower.functions import lower
from fsmooth.optimise.schedules import SCHEDULES
from tests.optimise.counting import Computed

_PARAMETERS = "(x: Matrix) (q: Matrix) (l: Matrix) (g: Array<Int>)"
_BELOW = "c * (2 * length x 1 - 3 - c) // 2 + r - 1"

NESTS = {
    "two of three loops": """
        sum (length x) (fun i -> sum (length q) (fun k -> sum (length q 1) (fun r -> exp q[k][r] * x[i][r])))""",
    "a requirement in the loops": """
        sum (length x) (fun i -> sum (length q) (fun k -> sum (length q 1) (fun r ->
          exp q[k][r] * sum r (fun c -> l[k][check c (length l 1)] * x[i][c]))))""",
    "the second loop skipped": """
        sum (length x) (fun i -> sum (length q) (fun k -> sum (length x 1) (fun r -> exp x[i][r] * q[k][r])))""",
    "an index that may be outside": """
        sum (length x) (fun i -> sum (length q) (fun k -> sum (length g) (fun r ->
          exp q[k][check (g[r] * g[r]) (length q 1)] * x[i][0])))""",
    "a loop in each": """
        sum (length x) (fun i -> sum (length x) (fun j -> sum (length x) (fun k ->
          x[k][0] * exp (sum (length x 1) (fun c -> x[i][c] * x[j][c])))))""",
}

TRIANGLES = {
    "read": f"""
        sum (length x) (fun i -> sum (length q) (fun k -> sum (length x 1) (fun r ->
          sum r (fun c -> l[k][check ({_BELOW}) (length l 1)] * x[i][c]))))""",
    "added to": f"""
        sum (length x) (fun i -> sum (length x 1) (fun r ->
          sum r (fun c -> delta (length l 1) (check ({_BELOW}) (length l 1)) (x[i][c] * x[i][r]))))""",
}

WITH_MOTION = [name for name in SCHEDULES if name not in ("NONE", "LF", "LN")]


def _program(body: str) -> Lam:
    term = parse(f"fun {_PARAMETERS} -> {body}")
    assert isinstance(term, Lam)
    return term


def _arguments(n: int = 6, largest: int = 1) -> tuple[np.ndarray, ...]:
    """n points of 4 numbers; q (3, 4) and l (3, 6)."""
    return (
        np.sin(np.arange(4.0 * n)).reshape(n, 4),
        np.cos(np.arange(12.0)).reshape(3, 4),
        np.cos(np.arange(18.0) + 1.0).reshape(3, 6),
        np.array([0, 1, largest]),
    )


def _run(term: Term, arguments: tuple[np.ndarray, ...]) -> tuple[np.ndarray, Counter[str]]:
    assert isinstance(term, Lam)
    counting = Computed()
    values = {q: value_of(a, q.type) for q, a in zip(term.parameters, arguments, strict=True)}
    result = evaluate(term.body, values, counting)
    return np.array(plain(result, term.body.type), dtype=float), counting.counts


@pytest.mark.parametrize("schedule", WITH_MOTION)
@pytest.mark.parametrize(
    ("name", "exponentials"),
    [
        ("two of three loops", 3 * 4),
        ("a requirement in the loops", 3 * 4),
        ("the second loop skipped", 6 * 4),
        ("an index that may be outside", 3 * 3),
        ("a loop in each", 6 * 6),
    ],
)
def test_functions_are_evaluated_once_for_the_indices_they_depend_on(
    name: str, exponentials: int, schedule: str
) -> None:
    program = _program(NESTS[name])
    found, counts = _run(SCHEDULES[schedule](program), _arguments())
    np.testing.assert_allclose(found, _run(program, _arguments())[0], rtol=1e-13)
    assert counts["exp"] == exponentials


@pytest.mark.parametrize("schedule", WITH_MOTION)
@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("two of three loops", Method.FORWARD),
        ("two of three loops", Method.REVERSE),
        ("a requirement in the loops", Method.REVERSE),
    ],
)
def test_a_derivative_evaluates_them_as_often_as_the_program(name: str, method: Method, schedule: str) -> None:
    """Forward mode goes through the program once for each entry of x, reverse mode forth and back."""
    order = SCHEDULES[schedule]
    gradient = remove_derivatives(Deriv(_program(NESTS[name]), (0,), Verb.GRAD, method, single=True), order.before)
    found, counts = _run(order(gradient), _arguments())
    assert found.shape == (6, 4)
    assert counts["exp"] == 3 * 4


@pytest.mark.parametrize("schedule", WITH_MOTION)
def test_a_requirement_of_an_inner_index_leaves_the_loops(schedule: str) -> None:
    """Forward mode's loop over the entries of x meets the loop over its rows: no work is left that grows with the rows."""
    order = SCHEDULES[schedule]
    program = _program(NESTS["a requirement in the loops"])
    gradient = order(remove_derivatives(Deriv(program, (0,), Verb.GRAD, Method.FORWARD, single=True), order.before))
    work = [_run(gradient, _arguments(n))[1]["exp"] for n in (6, 12)]
    assert work[0] == work[1] > 0


@pytest.mark.parametrize("schedule", WITH_MOTION)
@pytest.mark.parametrize("name", TRIANGLES)
def test_a_triangle_is_a_table(name: str, schedule: str) -> None:
    """An index that is work to find is found once for r and c, not for each point: 6 of them."""
    program = _program(TRIANGLES[name])
    found, counts = _run(SCHEDULES[schedule](program), _arguments())
    np.testing.assert_allclose(found, _run(program, _arguments())[0], rtol=1e-13)
    assert counts["//"] + counts["floor_divide"] == (3 * 6 if name == "read" else 6)


@pytest.mark.parametrize("schedule", WITH_MOTION)
@pytest.mark.parametrize("body", [NESTS["an index that may be outside"], *TRIANGLES.values()])
def test_a_table_fails_where_the_program_does(body: str, schedule: str) -> None:
    """An index outside is an error if there are points, and none if there are not."""
    program = _program(body)
    optimised = SCHEDULES[schedule](program)
    x, q, l, _ = _arguments()
    short = (q, l[:, :5], np.array([0, 1, 2]))
    for term in (program, optimised):
        with pytest.raises(OutOfBounds):
            _run(term, (x, *short))
        assert np.all(_run(term, (x[:0], *short))[0] == 0.0)


def test_what_a_branch_evaluates_stays_there() -> None:
    """Not even in a table of its own, which would be made for each iteration."""
    text = "sum (length x) (fun i -> if x[i][0] > 0.0 then sum (length q) (fun k -> exp q[k][0] * x[i][1]) else 0.0)"
    _, counts = _run(SCHEDULES["DEFAULT"](_program(text)), _arguments())
    assert counts["exp"] == 3 * np.sum(_arguments()[0][:, 0] > 0.0)
    assert "build" not in show(SCHEDULES["DEFAULT"](_program(text)))


def test_a_table_is_no_larger_than_what_is_read() -> None:
    """exp (q[k] - x[r]) for all k and r may not fit into memory where q and x do."""
    text = """
        sum (length x) (fun i -> sum (length q) (fun k -> sum (length l) (fun r ->
          exp (q[k][0] - l[r][0]) * x[i][0])))"""
    assert "build" not in show(SCHEDULES["DEFAULT"](_program(text)))


@pytest.mark.parametrize("name", TRIANGLES)
def test_the_hot_loops_check_nothing(name: str) -> None:
    optimised = SCHEDULES["DEFAULT"](_program(TRIANGLES[name]))
    assert isinstance(optimised, Lam)
    code = emit(lower(optimised, "f")).source
    body = code[code.index("x_n0; ++") :]
    assert "fs_failed" not in body[: body.index("fail:")]
    assert "fs_floor_divide" not in body[: body.index("fail:")]
    assert ">> 1" in code  # the table's


_NEAREST = "argmin (length x) (fun k -> sum (length x 1) (fun c -> x[k][c] * x[i][c]))"


@pytest.mark.parametrize("schedule", WITH_MOTION)
def test_two_loops_share_what_both_search_for(schedule: str) -> None:
    """For each point and centroid: one comparison and not two."""
    text = f"""
        (sum (length x) (fun i -> delta (length x) ({_NEAREST}) 3.0),
         sum (length x) (fun i -> delta (length x) ({_NEAREST}) (to_float i)))"""
    program = _program(text)
    optimised = SCHEDULES[schedule](program)
    np.testing.assert_allclose(_run(optimised, _arguments())[0], _run(program, _arguments())[0], rtol=1e-13)
    assert show(optimised).count("argmin") == 1


_SCORES = "build (length q) (fun k -> sum (length x 1) (fun c -> q[k][c] * x[i][c]))"


@pytest.mark.parametrize("schedule", WITH_MOTION)
def test_tables_of_one_loop_that_share_work_have_indices_of_their_own(schedule: str) -> None:
    """The best score and the sum of exponentials come from the same scores: these belong to a point, and stay inside."""
    body = f"""
        let z = {_SCORES} in
        let best = argmax (length q) (fun k -> z[k]) in
        let total = sum (length q) (fun k -> exp (z[k] - z[check best (length q)])) in"""
    text = f"""
        require length x 1 == length q 1, length x 1, length q 1 in
        (sum (length x) (fun i -> {body} delta (length q) best total),
         sum (length x) (fun i -> {body} delta (length q) best (total * to_float i)))"""
    program = _program(text)
    optimised = SCHEDULES[schedule](program)
    assert optimised.free == frozenset()
    np.testing.assert_allclose(_run(optimised, _arguments())[0], _run(program, _arguments())[0], rtol=1e-13)


def test_an_array_is_the_table_of_a_loop_that_computes_it_again() -> None:
    text = """
        let f = fun i -> sum (length x 1) (fun c -> exp x[i][c]) in
        (build (length x) (fun i -> f i), build (length x) (fun i -> f i * to_float i))"""
    program = _program(text)
    found, counts = _run(SCHEDULES["DEFAULT"](program), _arguments())
    np.testing.assert_allclose(found, _run(program, _arguments())[0], rtol=1e-13)
    assert counts["exp"] == 6 * 4
    assert show(SCHEDULES["DEFAULT"](program)).count("build") == 2


def test_a_table_through_a_gather_has_what_branches_read() -> None:
    """Where it is made for what every iteration reads: then it stands outside the loop."""
    program = parse("""
        fun (v: Vector) (x: Vector) (g: Array<Int>) -> sum (length g) (fun i ->
          let w = exp v[check g[i] (length v)] in
          let t = if x[check i (length x)] > 0.0 then (w, sin v[check g[i] (length v)]) else (w + 1.0, w) in
          fst t + snd t)""")
    arguments = (np.array([0.1, 0.2, 0.3]), np.cos(np.arange(9.0)), np.arange(9) % 3)
    found, counts = _run(SCHEDULES["DEFAULT"](program), arguments)
    np.testing.assert_allclose(found, _run(program, arguments)[0], rtol=1e-13)
    assert counts["exp"] == counts["sin"] == 3


def test_what_is_only_read_through_a_gather_needs_no_table() -> None:
    """A row of a sparse matrix times a vector: the index is work to find, not what is read there."""
    term = parse("""
        fun (v: Vector) (cols: Array<Int>) (rows: Array<Int>) (x: Vector) -> build (length rows - 1) (fun i ->
          let n = rows[i + 1] - rows[i] in
          sum n (fun k -> let at = rows[i] + k in v[check at (length v)] * x[check cols[check at (length cols)] (length x)]))""")
    assert "table" not in show(SCHEDULES["DEFAULT"](term))
    dear = parse("fun (g: Array<Int>) (x: Vector) -> sum (length g) (fun k -> exp x[check g[k] (length x)])")
    assert "table" in show(SCHEDULES["DEFAULT"](dear))


def test_what_a_nest_keeps_in_tables_is_of_one_type_each() -> None:
    """A number, and the integer that is made of it, are read in the inner loop, for each element of the outer one."""

    def looked_up(u, v, c, steps: int):
        n = len(u)
        for _ in range(steps):
            v = [v[i] * c[int(n * u[i] * u[i])] + (v[i - 1] if i > 0 else 0.0) for i in range(n)]
            u = [0.5 * u[i] + 0.5 * (u[i - 1] if i > 0 else 0.0) for i in range(n)]
        return v[n - 1]

    u, v, c = np.linspace(0.1, 0.6, 6), np.linspace(0.5, 1.5, 6), np.linspace(1.0, 2.0, 6)
    forwards, backwards = [fs.grad(looked_up, wrt="c", method=m)(u, v, c, 3) for m in ("forward", "reverse")]
    np.testing.assert_allclose(forwards, backwards, rtol=1e-13, atol=1e-16)
    assert np.count_nonzero(backwards) == 3

"""A table that is read through gathers is made for the rows that are read."""

from collections.abc import Sequence

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.backend.c.emit import emit
from fsmooth.core.evaluate import OutOfBounds, evaluate
from fsmooth.core.term import Deriv, Lam, Method, Term, Verb
from fsmooth.core.values import plain, value_of
from fsmooth.differentiate.remove import remove_derivatives
from fsmooth.library import parse
from fsmooth.lower.functions import lower
from fsmooth.optimise.schedules import DEFAULT, SCHEDULES
from fsmooth.rewrite.trace import Trace
from tests.optimise.counting import Computed

WITH_MOTION = [name for name in SCHEDULES if name not in ("NONE", "LF", "LN")]
_PARAMETERS = "(x: Matrix) (g: Array<Int>) (h: Array<Int>) (flag: Bool)"
_TABLE = "let V = build (length x) (fun v -> sum (length x 1) (fun c -> exp x[v][c])) in "

_ROWS = "V[check g[i] (length x)] * V[check h[i] (length x)]"

READ = {
    "by two arrays": _TABLE + f"build (length g) (fun i -> {_ROWS})",
    "by an array through another": _TABLE + "build (length g) (fun i -> "
    "V[check g[i] (length x)] * V[check g[check h[i] (length g)] (length x)])",
    "in two loops": _TABLE + "(sum (length g) (fun i -> V[check g[i] (length x)]), "
    "build (length h) (fun i -> V[check h[i] (length x)] * 2.0))",
    "rows that are arrays": "let V = build (length x) (fun v -> "
    "let s = sum (length x 1) (fun c -> exp x[v][c]) in [s, s * s]) in build (length g) (fun i -> "
    "let row = V[check g[i] (length x)] in row[0] + row[1] * V[check h[i] (length x)][0])",
    "in a loop that runs": _TABLE
    + f"build 2 (fun r -> sum (length g) (fun i -> {_ROWS} * (if r == 1 then 2.0 else 3.0)))",
}
"""Programs that read few rows of V, and nothing else of it."""

WHOLE = {
    "read in a branch": _TABLE + f"build (length g) (fun i -> if flag then {_ROWS} else 0.0)",
    "read in turn too": _TABLE + f"build (length g) (fun i -> V[check i (length x)] + {_ROWS})",
    "the result": _TABLE + f"(V, build (length g) (fun i -> {_ROWS}))",
    "in a loop that may not run": _TABLE + f"build (length h) (fun r -> sum (length g) (fun i -> {_ROWS} * x[r][0]))",
    "an index from the state of a loop": _TABLE + "(ifold (fun s i -> "
    "(s.0 + V[check s.1 (length x)] * V[check h[i] (length x)], g[check (s.1 % 3) (length g)])) (0.0, 0) (length h)).0",
}
"""Programs of which it is not known before which rows are read, or whether any is."""


def _program(body: str) -> Lam:
    term = parse(f"fun {_PARAMETERS} -> {body}")
    assert isinstance(term, Lam)
    return term


def _arguments(rows: int = 20, g: Sequence[int] = (7, 3, 7), h: Sequence[int] = (1, 2, 0)) -> tuple[object, ...]:
    return np.sin(np.arange(2.0 * rows)).reshape(rows, 2), np.array(g, int), np.array(h, int), True


def _run(term: Term, arguments: Sequence[object]) -> tuple[object, int]:
    """The result, and how many exponentials it took."""
    assert isinstance(term, Lam)
    counting = Computed()
    values = {q: value_of(a, q.type) for q, a in zip(term.parameters, arguments, strict=True)}
    result = evaluate(term.body, values, counting)
    return plain(result, term.body.type), counting.counts["exp"]


def _flat(result: object) -> np.ndarray:
    return np.concatenate([_flat(r) for r in result]) if isinstance(result, tuple) else np.ravel(result)  # type: ignore[arg-type]


@pytest.mark.parametrize("schedule", WITH_MOTION)
@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("by two arrays", 5),
        ("by an array through another", 2),
        ("in two loops", 5),
        ("rows that are arrays", 5),
        ("in a loop that runs", 5),
    ],
)
def test_the_rows_that_are_read_are_made_once(name: str, rows: int, schedule: str) -> None:
    program = _program(READ[name])
    found, exponentials = _run(SCHEDULES[schedule](program), _arguments())
    np.testing.assert_allclose(_flat(found), _flat(_run(program, _arguments())[0]), rtol=1e-14)
    assert exponentials == 2 * rows


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("rows", [8, 9])
def test_a_table_of_which_many_rows_may_be_read_is_made_whole(name: str, rows: int) -> None:
    """Nine readings, or less, of eight or nine rows."""
    program, arguments = (
        _program(READ[name]),
        _arguments(rows, (7, 3, 7, 0, 0, 1, 2, 3, 4), (1, 2, 0, 1, 2, 3, 4, 5, 6)),
    )
    found, exponentials = _run(DEFAULT(program), arguments)
    np.testing.assert_allclose(_flat(found), _flat(_run(program, arguments)[0]), rtol=1e-14)
    assert exponentials == 2 * rows


@pytest.mark.parametrize("name", WHOLE)
def test_other_tables_are_made_whole(name: str) -> None:
    program, trace = _program(WHOLE[name]), Trace()
    found, exponentials = _run(DEFAULT(program, trace), _arguments())
    np.testing.assert_allclose(_flat(found), _flat(_run(program, _arguments())[0]), rtol=1e-14)
    assert exponentials == 2 * 20
    assert "compaction" not in str(trace)


def test_rows_of_a_few_operations_are_made_whole() -> None:
    trace = Trace()
    DEFAULT(
        _program(
            "let V = build (length x) (fun v -> exp x[v][0] + sum 2 (fun k -> x[v][k])) in "
            "build (length g) (fun i -> V[check g[i] (length x)])"
        ),
        trace,
    )
    assert "compaction" not in str(trace)


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("g", [(7, 20, 7), (7, -1, 3)])
def test_it_fails_where_the_program_does(name: str, g: tuple[int, ...]) -> None:
    program = _program(READ[name])
    for term in (program, DEFAULT(program)):
        with pytest.raises(OutOfBounds):
            _run(term, _arguments(g=g))


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("rows", [0, 4])
def test_of_nothing_that_is_read_no_row_is_made(name: str, rows: int) -> None:
    program, arguments = _program(READ[name]), _arguments(rows, (), ())
    found, exponentials = _run(DEFAULT(program), arguments)
    np.testing.assert_array_equal(_flat(found), _flat(_run(program, arguments)[0]))
    assert exponentials == 0


_CHECKED = """
    let V = build (length x) (fun v -> sum (length x 1) (fun c -> x[check g[check ((v * 3 + c) % 5) (length g)] (length x)][c])) in
    build 4 (fun r -> sum (length h) (fun i -> V[check h[i] (length x)] * V[check g[i] (length x)] * (if r == 1 then 2.0 else 3.0)))"""


@pytest.mark.parametrize("schedule", WITH_MOTION)
def test_what_rows_check_is_right_and_fails_if_they_are_read(schedule: str) -> None:
    program = _program(_CHECKED)
    term = SCHEDULES[schedule](program)
    arguments = _arguments(20, (0, 1, 19, 3, 2), (1, 2, 0))
    np.testing.assert_allclose(_run(term, arguments)[0], _run(program, arguments)[0], rtol=1e-14)
    with pytest.raises(OutOfBounds):
        _run(term, _arguments(20, (0, 1, 20, 3, 2), (4, 9, 14)))


@fs.function
def _columns(x, s, which, other, of):
    """The derivatives by s of differences of weighted rows, a direction after the other."""

    def rows(s):
        table = [sum(s[of[v, b]] * s[of[v, b]] * x[v, b] for b in range(of.shape[1])) for v in range(len(x))]
        return [table[which[i]] - table[other[i]] for i in range(len(which))]

    def column(r):
        return fs.jvp(rows)(s, tangent=[1.0 if k == r else 0.0 for k in range(3)])[1]

    return [column(r) for r in range(3)]


def test_directions_share_the_rows_that_are_read() -> None:
    """In C: what is read is found before the loop over directions, with the indices that the rows check."""
    x, s = np.arange(24.0).reshape(8, 3), np.array([1.0, 2.0, 3.0])
    which, other, of = np.array([5, 2, 5]), np.array([0, 2, 1]), np.arange(24).reshape(8, 3) % 3
    slopes = np.array(
        [[sum(2.0 * s[r] * x[v, b] for b in range(3) if of[v, b] == r) for v in range(8)] for r in range(3)]
    )
    np.testing.assert_allclose(_columns(x, s, which, other, of), slopes[:, which] - slopes[:, other], rtol=1e-14)
    before, each = _columns.c_source(x, s, which, other, of).split("r < 3; ++r", 1)
    assert before.count("fs_failed(error") > 3
    assert "fs_failed(error" not in each
    assert "_n0; ++v" not in each
    with pytest.raises(fs.IndexOutOfBoundsError, match="3"):
        _columns(x, s, which, other, of + 1)


@pytest.mark.parametrize("method", [Method.FORWARD, Method.REVERSE])
def test_derivatives_of_gathered_tables(method: Method) -> None:
    program = _program(
        "let V = build (length x) (fun v -> sum (length x 1) (fun c -> exp x[v][c])) in "
        "sum (length g) (fun i -> V[check g[i] (length x)] * V[check g[i] (length x)])"
    )
    gradient = remove_derivatives(Deriv(program, (0,), Verb.GRAD, method, single=True), DEFAULT.before)
    x, g, *_ = _arguments()
    wanted = np.zeros_like(x)
    for v in g:
        wanted[v] += 2.0 * np.exp(x[v]).sum() * np.exp(x[v])
    np.testing.assert_allclose(_run(DEFAULT(gradient), _arguments())[0], wanted, rtol=1e-14)


def test_the_places_are_changed_where_they_are() -> None:
    """The pass over what is read copies no array."""
    code = emit(lower(DEFAULT(_program(READ["by two arrays"])), "twice")).source
    assert "memcpy" not in code


def loose_rows(x, g):
    table = [sum(np.exp(x[v, c]) for c in range(x.shape[1])) for v in range(len(x))]
    return [table[g[i, 0]] * table[g[i, 1]] for i in range(len(g))]


def rows_by_indices(x: fs.Array["n", "m"], g: fs.Array["k", 2, fs.Index["n"]]):  # noqa: F821
    return loose_rows(x, g)


@pytest.mark.parametrize("make", [fs.jvp, fs.jacobian])
def test_indices_that_are_required_to_be_such_are_foreseen(make) -> None:
    """In derivatives, whose parameters have other names than those of which sizes are known."""
    x, g = np.sin(np.arange(40.0)).reshape(20, 2), np.array([[7, 3], [3, 7], [0, 7]])
    tangent = {"tangent": np.cos(x)} if make is fs.jvp else {}
    proved, tested = make(rows_by_indices, wrt="x"), make(loose_rows, wrt="x")
    for one, other in zip(proved(x, g, **tangent), tested(x, g, **tangent), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-14)
    assert "_rows" in tested.c_source(x, g, **tangent)
    assert "_rows" in proved.c_source(x, g, **tangent)
    assert not [c for c in proved.checks(x, g, **tangent).remaining if c.what == "index in bounds"]

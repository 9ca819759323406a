"""Arrays that are only summed are kept as their sums, others are not, and both agree with the interpreter."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from benchmarks.workloads import gmm

from fsmooth.core import primitives as p
from fsmooth.core.types import BOOL, F64, INT
from fsmooth.driver import compile_program
from fsmooth.frontend.elaborate import Elaborated, Parameter
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import ZERO, parts, plus, times
from fsmooth.loops.names import Names
from fsmooth.loops.passes.kept_sums import keep_sums
from fsmooth.loops.passes.schedule import MOVED
from fsmooth.loops.passes.vectors import names_of
from fsmooth.loops.usage import walk
from fsmooth.lower.functions import lower
from fsmooth.optimise.schedules import SCHEDULES
from tests.accuracy.judge import bounded, disagreement
from tests.lower.harness import FAST, STRICT, Compiled, agree, compile_all, expected
from tests.lower.kept_sum_programs import KEPT_SUMS, WHOLE
from tests.lower.test_loops import run

ALL = {**KEPT_SUMS, **WHOLE}


@pytest.fixture(scope="module", params=[STRICT, FAST], ids=["strict", "fast"])
def compiled(request: pytest.FixtureRequest) -> dict[str, Compiled]:
    return dict(zip(ALL, compile_all([term for term, _ in ALL.values()], request.param), strict=True))


@pytest.mark.parametrize("name", ALL)
def test_agrees_with_the_interpreter(name: str, compiled: dict[str, Compiled]) -> None:
    term, cases = ALL[name]
    for arguments in cases:
        assert not disagreement(compiled[name](*arguments), bounded(term, list(arguments)), 1e-12)
        wanted = expected(term, *arguments)
        agree(tuple(run(term, *arguments)), wanted if isinstance(wanted, tuple) else (wanted,))


def _mentions(e: t.Expression, size: str) -> bool:
    return (isinstance(e, t.Name) and e.name == size) or any([_mentions(x, size) for x in parts(e)])


def _arrays_of_points(name: str) -> list[str]:
    """But for the rows in which updates of such an array are gathered."""
    body = lower(ALL[name][0], "f").kernel.body
    found = [s.buffer for s in walk(body) if isinstance(s, t.Allocate) and _mentions(s.count, "x_n1")]
    return [buffer for buffer in found if not buffer.endswith("_right")]


@pytest.mark.parametrize("name", KEPT_SUMS)
def test_no_array_of_points_is_left(name: str) -> None:
    assert not _arrays_of_points(name)


@pytest.mark.parametrize("name", WHOLE)
def test_what_is_read_otherwise_stays(name: str) -> None:
    assert _arrays_of_points(name) == ["a"]


def _loops_around_sums(body: list[t.Statement], points: str) -> list[int]:
    """For each loop over the points in which something is added, the number of loops around it."""
    found: list[int] = []

    def visit(body: list[t.Statement], depth: int) -> None:
        for s in body:
            if isinstance(s, t.For):
                if _mentions(s.size, points):
                    found.append(depth)
                visit(s.body, depth + 1)
            elif isinstance(s, t.If):
                visit(s.then, depth)

    visit(body, 0)
    return found


@pytest.mark.parametrize(
    ("name", "loops"),
    [
        ("rows, and the sum before their loop", [1]),
        ("summed twice", [1]),
        ("a quotient", [1]),
        ("what is added differs from row to row", [2]),
    ],
)
def test_what_is_added_to_all_rows_is_summed_once(name: str, loops: list[int]) -> None:
    assert _loops_around_sums(lower(ALL[name][0], "f").kernel.body, "x_n1") == loops


def test_a_factor_is_not_looked_at_if_there_is_nothing_to_sum(compiled: dict[str, Compiled]) -> None:
    nothing, rows = np.zeros((3, 0)), np.ones(3)
    for name in ("one row", "rows, and the sum before their loop", "summed twice"):
        found = compiled[name](nothing, rows * math.inf, np.array([math.inf, math.nan]))
        for value in found if isinstance(found, tuple) else (found,):
            assert not np.any(value), name


def test_a_factor_stays_where_it_is_if_each_product_is_computed(compiled: dict[str, Compiled]) -> None:
    """An infinite factor shows it: of a term that is 0 it is not a number, of the sum it is infinite."""
    term, _ = KEPT_SUMS["one row"]
    arguments = (np.array([[1.0, 0.0, 1.0]]), np.array([math.inf]), np.zeros(0))
    assert math.isinf(compiled["one row"](*arguments))
    (each,) = compile_all([term], STRICT, lambda term, name: lower(term, name, passes=MOVED))
    assert math.isnan(each(*arguments))
    assert math.isnan(expected(term, *arguments))


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_only_default_and_real_keep_sums(schedule: str) -> None:
    term, _ = KEPT_SUMS["rows, and the sum before their loop"]
    program = Elaborated(term, tuple([Parameter(q.name, q.type) for q in term.parameters]), (), ())
    loops = compile_program(program, "f", schedule).loops
    assert loops is not None
    whole = any([_mentions(s.count, "x_n1") for s in walk(loops.kernel.body) if isinstance(s, t.Allocate)])
    assert whole == (schedule not in ("DEFAULT", "REAL"))


@pytest.mark.parametrize(("ends_early", "loops"), [(False, [0]), (True, [2])])
def test_a_sum_does_not_leave_a_loop_that_may_end_before_it(ends_early: bool, loops: list[int]) -> None:
    c, i, n, d = (t.Name(name, INT) for name in "cind")
    row = plus(times(c, n), i)
    adding = t.For("i", n, (t.Store("a", row, t.Load("x", i, F64), accumulate=True),), t.Kind.PARALLEL)
    end = [t.Break(t.Operation(p.less, (d, c), BOOL))] if ends_early else []
    total = t.Declare("s", F64, t.Literal(0.0, F64), mutable=True)
    summing = t.For("i", n, (t.Assign("s", t.Load("a", row, F64), True),), t.Kind.REDUCTION, reduced=("s",))
    out = t.Store("out", c, t.Name("s", F64))
    body = (
        t.Allocate("a", F64, times(d, n)),
        t.Fill("a", ZERO, times(d, n), F64),
        t.For("r", d, (t.For("c", d, (*end, adding), t.Kind.SEQUENTIAL),), t.Kind.SEQUENTIAL),
        t.For("c", d, (total, summing, out), t.Kind.SEQUENTIAL),
    )
    function = t.Function("f", (t.Parameter("out", F64, pointer=True, output=True),), body)
    function = keep_sums(function, Names())
    assert _loops_around_sums(function.body, "n") == loops


@pytest.mark.parametrize(("behind", "inside"), [("other", False), ("b", True)])
def test_a_factor_behind_a_pointer_to_what_the_loop_changes_stays_in_it(behind: str, inside: bool) -> None:
    i, n = t.Name("i", INT), t.Name("n", INT)
    factor = t.Load("p", ZERO, F64)
    added = t.Operation(p.multiply, (factor, t.Load("x", i, F64)), F64)
    adding = t.Store("a", i, added, accumulate=True), t.Store("b", i, t.Load("x", i, F64))
    total = t.Declare("s", F64, t.Literal(0.0, F64), mutable=True)
    body = (
        t.Allocate("a", F64, n),
        t.Fill("a", ZERO, n, F64),
        t.Choose("p", F64, behind, ZERO, None, None, None),
        t.For("i", n, adding, t.Kind.PARALLEL),
        total,
        t.For("i", n, (t.Assign("s", t.Load("a", i, F64), True),), t.Kind.REDUCTION, reduced=("s",)),
        t.Store("out", ZERO, t.Name("s", F64)),
    )
    outputs = tuple([t.Parameter(name, F64, pointer=True, output=True) for name in ("out", "b", "other")])
    function = t.Function("f", outputs, body)
    function = keep_sums(function, Names())
    (loop,) = [s for s in function.body if isinstance(s, t.For)]
    (summed,) = [s for s in loop.body if isinstance(s, t.Assign)]
    assert ("p" in names_of(summed.value)) == inside


def test_the_cotangent_of_centred_points_is_no_matrix() -> None:
    source = gmm.gradient.c_source(*gmm.generate(3, 4, 20), 1.0)
    assert re.search(r"memset\((\w+), 0, \(size_t\)mu_n1 \* sizeof \*\1\)", source)  # a row of sums, in each iteration

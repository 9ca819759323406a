"""Programs that an optimisation once made read what is not there, or gave another value."""

from __future__ import annotations

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core import primitives as p
from fsmooth.core.build import get, prim
from fsmooth.core.term import (
    Check,
    Const,
    Failure,
    Get,
    If,
    IFold,
    Lam,
    Length,
    MakeTuple,
    Proj,
    Reduce,
    Reduction,
    Require,
    Term,
    Var,
    Verb,
)
from fsmooth.core.types import F64, INT, Array, Tuple
from fsmooth.laws.outcomes import contracted
from fsmooth.library import parse
from fsmooth.optimise.schedules import SCHEDULES
from tests.accuracy.cases import differentiated
from tests.accuracy.judge import numbers, run

V = Array(F64)
u, v, n, x = Var("u", V), Var("v", V), Var("n", INT), Var("x", F64)


def first(array: Term) -> Term:
    return Get(array, Check(Const(0), Length(array)))


def heavy(t: Term) -> Term:
    return prim(p.sin, prim(p.exp, t))


def in_branches(shared: Term) -> Lam:
    """Two branches use it, neither taken if n is large."""
    left = If(prim(p.less, n, Const(2)), shared, Const(1.0))
    right = If(prim(p.less, n, Const(1)), prim(p.sin, shared), Const(2.0))
    return Lam((u, v, n), prim(p.add, left, right))


def largest_of_first() -> Term:
    i = Var("i", INT)
    return Reduce(Reduction.MAX, Const(30), i, prim(p.multiply, heavy(first(u)), prim(p.to_float, i)))


def sum_of_other(site_is_required: bool) -> Term:
    j = Var("j", INT)
    if site_is_required:
        body = Reduce(Reduction.SUM, Length(u), j, heavy(Get(v, j)))
        return Require(prim(p.less_equal, Length(u), Length(v)), body, Failure.INDEX)
    return Reduce(Reduction.SUM, Length(u), j, heavy(get(v, Check(j, Length(v)))))


def test_what_a_loop_in_two_branches_reads_stays_in_the_branches() -> None:
    keeps(in_branches(largest_of_first()), [np.zeros(0), np.zeros(0), 5])


@pytest.mark.parametrize("required", [True, False])
def test_a_loop_in_bounds_by_a_requirement_in_two_branches_stays_there(required: bool) -> None:
    keeps(in_branches(sum_of_other(required)), [np.ones(9), np.ones(3), 5])


def test_a_loop_that_leaves_a_loop_that_does_not_run_reads_nothing() -> None:
    i = Var("i", INT)
    size = prim(p.minimum, Length(v), n)
    body = prim(p.multiply, Get(v, Check(i, Length(v))), sum_of_other(site_is_required=False))
    keeps(Lam((u, v, n), Reduce(Reduction.SUM, size, i, body)), [np.ones(9), np.ones(3), 0])


def test_what_a_guarded_loop_reads_is_under_its_guard() -> None:
    i, k, m = Var("i", INT), Var("k", INT), Var("m", INT)
    s = Var("s", Tuple((F64, F64)))
    step = MakeTuple((Reduce(Reduction.MAX, Const(3), m, Proj(s, 1)), prim(p.add, Proj(s, 1), x)))
    fold = IFold(Const(2), MakeTuple((Const(1.0), Get(u, Const(0)))), s, k, step)
    keeps(Lam((u, x), Reduce(Reduction.SUM, Length(u), i, Proj(fold, 0))), [np.zeros(0), 1.5])


def test_an_element_at_an_extremum_of_another_array_stays_in_its_branch() -> None:
    i = Var("i", INT)
    at = Reduce(Reduction.ARGMAX, Length(u), i, Get(u, i))
    element = Require(prim(p.less_equal, Length(u), Length(v)), heavy(Get(v, at)), Failure.INDEX)
    keeps(in_branches(element), [np.arange(9.0), np.ones(3), 5])


def test_a_number_that_leaves_two_loops_is_computed_if_either_runs() -> None:
    rows, i, j = Var("A", Array(V)), Var("i", INT), Var("j", INT)
    element = If(prim(p.less, Const(0), Length(u)), Get(u, Const(0)), Const(0.25))
    total = Reduce(Reduction.SUM, Length(rows), j, element)
    program = Lam((u, rows), Reduce(Reduction.PRODUCT, Length(rows), i, total))
    gradient = differentiated(program, (0, 1), Verb.VALUE_AND_GRAD)
    for given in ([np.zeros(0), np.zeros((2, 0))], [np.ones(2), np.zeros((0, 3))], [np.ones(2), np.ones((2, 3))]):
        keeps(gradient, given)


def keeps(program: Lam, arguments: list[object]) -> None:
    """Every schedule keeps the value and reads nothing that is not there (`contracted` checks every access)."""
    expected = run(contracted(program), arguments)
    for schedule in SCHEDULES.values():
        optimised = schedule(program)
        assert isinstance(optimised, Lam)
        found = run(contracted(optimised), arguments)
        assert numbers(found, program.body.type) == pytest.approx(numbers(expected, program.body.type)), schedule.name


def test_guards_stay_where_their_variables_are() -> None:
    """The largest of v leaves the loop over j under `0 < i`, and so cannot leave the loop over i."""
    program = parse("fun (v: Vector) (n: Index) -> sum n (fun i -> sum i (fun j -> max (length v) (fun k -> v[k])))")
    for schedule in SCHEDULES.values():
        assert not schedule(program).free, schedule.name


SHARED = """fun (x : Float) ->
  while (fun s -> {0} > 1e-14 * x)
        (fun s -> s - (s * s * s - x) / (3.0 * s * s) + 0.0 * {0} * {0}) x
"""
"""What condition and body of a loop have in common: once it was computed before the loop, which binds what it mentions."""


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("shared", ["abs (s * s * s - x)", "(exp (sin (s * s * s - x)) - 1.0)"])
def test_what_condition_and_body_of_a_loop_share_stays_in_it(shared: str, schedule: str) -> None:
    program = parse(SHARED.format(shared))
    assert isinstance(program, Lam)
    optimised = SCHEDULES[schedule](program)
    assert optimised.free == frozenset()
    arguments: list[object] = [8.0]
    found, expected = [numbers(run(t, arguments), F64) for t in (optimised, program)]
    np.testing.assert_allclose(found, expected, rtol=1e-13)


@pytest.mark.parametrize("schedule", ["DEFAULT", "REAL"])
def test_what_guard_and_elements_of_a_comprehension_share_is_computed_in_each(schedule: str) -> None:
    shared = "exp (sin v[i])"
    text = f"fun (v : Array<Float>) -> let n = sum (length v) (fun i -> if {shared} > 1.0 then 1 else 0) in "
    text += f"sum n (fun k -> (collect n [i in length v] ({shared} > 1.0) ({shared} * {shared}))[k])"
    program = parse(text)
    assert isinstance(program, Lam)
    optimised = SCHEDULES[schedule](program)
    assert optimised.free == frozenset()
    arguments: list[object] = [np.array([0.5, -1.0, 2.0, 4.0])]
    found, expected = [numbers(run(t, arguments), F64) for t in (optimised, program)]
    np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_what_condition_and_body_of_a_while_share_is_in_both() -> None:
    """An index that is counted from the end is a branch: one in the condition, and one in the body."""

    def f(x, k):  # type: ignore[no-untyped-def]
        total = 0.0
        while total < 3 and x[k - 1] < 5:
            total += x[k - 1]
            k += 1
        return total

    x = np.array([1.0, 2.0, 0.5, 1.5])
    assert fs.function(f)(x, 0) == f(x, 0)
    np.testing.assert_array_equal(fs.grad(f)(x, 0), [1.0, 1.0, 0.0, 1.0])

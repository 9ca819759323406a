"""Jacobians of recurrences run the recurrence once, and not once for each seed (optimise/interchange.py)."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core import primitives as p
from fsmooth.core.build import get, prim
from fsmooth.core.dependence import Dependence
from fsmooth.core.evaluate import OutOfBounds, evaluate
from fsmooth.core.term import (
    Build,
    Check,
    Const,
    Get,
    If,
    IFold,
    Length,
    Let,
    MakeTuple,
    Proj,
    Reduce,
    Reduction,
    Term,
    Update,
    Var,
)
from fsmooth.core.types import F64, INT, Array, Tuple
from fsmooth.core.values import value_of
from fsmooth.optimise.interchange import interchange
from fsmooth.rewrite.trace import Trace
from tests.lower.random_folds import Generator
from tests.optimise.recurrences import PROGRAMS, derivative, numbers, optimised, run

STEPS = 7


@pytest.mark.parametrize("schedule", ["LICM", "DPS", "DEFAULT", "REAL"])
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("count", [2, 5])
def test_jacobian_is_kept(name: str, count: int, schedule: str) -> None:
    plain = derivative(name)
    new, _ = optimised(plain, schedule)
    parameters = [0.3, -0.7, 1.1, 0.2, 0.9][:count]
    expected, _ = run(plain, parameters, STEPS)
    found, _ = run(new, parameters, STEPS)
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-13)


@pytest.mark.parametrize(
    ("name", "sines"),
    [
        ("any number of parameters", lambda n: {"sin": STEPS, "cos": STEPS}),
        ("a loop in the loop", lambda n: {"sin": 2 * STEPS * n, "cos": STEPS * n}),  # in the sum, and by seed
        ("a parameter in each step", lambda n: {"sin": n, "cos": n}),
    ],
)
def test_the_values_are_computed_once(name, sines) -> None:
    """About as often as the function itself computes them, and the same number of slopes, whatever the number of seeds."""
    new, rules = optimised(derivative(name))
    assert rules["loop interchange"] == 1
    for count in (1, 2, 5):
        _, calls = run(new, [0.3, -0.7, 1.1, 0.2, 0.9][:count], STEPS)
        assert calls == sines(count)


def test_without_interchange_they_are_computed_for_each_seed() -> None:
    new, _ = optimised(derivative("any number of parameters"), "LN")
    _, calls = run(new, [0.3, -0.7, 1.1], STEPS)
    assert calls["sin"] == 2 * 3 * STEPS or calls["sin"] >= 3 * STEPS


def test_no_seeds() -> None:
    """Where there is nothing to differentiate with respect to, there is no number, and nothing fails."""
    new, _ = optimised(derivative("any number of parameters"))
    assert run(new, [], STEPS)[0] == []


def test_a_batch_is_not_stored_for_what_leaves_its_loop_anyway() -> None:
    """Trajectories that share nothing but what no step changes: each runs to its end, in registers."""

    def series(q, x0: float, m: int):
        x = x0
        for _ in range(m):
            x = x + 0.01 * fs.sin(x) * sum(q[j] * j for j in range(len(q)))
        return x

    @fs.function
    def batch(q, xs, m: int):
        return [fs.grad(series)(q, xs[i], m) for i in range(len(xs))]

    q, xs = np.full(5, 0.1), np.linspace(0, 1, 4)
    expected = [fs.jacobian(series)(q, x, STEPS) for x in xs]
    assert np.allclose(batch(q, xs, STEPS), expected, rtol=1e-12)
    assert "xs_n0 * q_n0, sizeof" not in code_of(batch)
    assert code_of(batch).count("sin(") == 1


def test_nothing_fails_that_is_not_evaluated() -> None:
    """The loop reads w[k], which may not exist; without seeds it never did."""
    s, k = Var("s", Tuple((F64, F64))), Var("k", INT)
    steps = IFold(
        N,
        _pair(Const(1.0), Get(V, R)),
        s,
        k,
        _pair(prim(p.sin, get(W, Check(k, Length(W)))), prim(p.multiply, Proj(s, 1), Proj(s, 0))),
    )
    term = Build(Length(V), R, Proj(steps, 1))
    new = interchange(term, Trace(), {})
    assert new is not term
    for values in ([0.5, 1.5], []):
        given = {V: value_of(values, V.type), W: value_of([0.25, 2.0], W.type), N: 2}
        assert list(numbers(evaluate(new, given))) == list(numbers(evaluate(term, given)))
        short = {**given, W: value_of([0.25], W.type)}
        if values:
            with pytest.raises(OutOfBounds):
                evaluate(term, short)
            with pytest.raises(OutOfBounds):
                evaluate(new, short)
        else:
            assert list(numbers(evaluate(new, short))) == []


def code_of(function: fs.Function) -> str:
    """Its C without comments."""
    return re.sub(r"/\*.*?\*/", "", function.c_source())


def test_from_python() -> None:
    """Three parameters known to be three: one loop, in registers; any number of them: arrays that are taken once."""

    def pendulum(q, m: int):
        x, v = 1.0, 0.0
        for k in range(m):
            v = v + 0.01 * (q[2] * fs.cos(0.1 * k) - q[0] * fs.sin(x) - q[1] * v)
            x = x + 0.01 * v
        return x

    at, steps, small = np.array([1.0, 0.1, 0.5]), 50, 1e-6
    slopes = fs.jacobian(pendulum, method="forward")
    for k in range(3):
        e = np.eye(3)[k] * small
        expected = (fs.function(pendulum)(at + e, steps) - fs.function(pendulum)(at - e, steps)) / (2 * small)
        assert slopes(at, steps)[k] == pytest.approx(expected, rel=1e-6)
    source = code_of(slopes)
    assert source.count("for (") == 1
    assert source.count("sin(") == 1
    assert "fs_take" not in source

    def series(q, m: int):
        x = 1.0
        for _ in range(m):
            x = x + 0.01 * fs.sin(x) * sum(q[j] * j for j in range(len(q)))
        return x

    many = fs.jacobian(series, method="forward")
    x, slope = 1.0, np.zeros(4)
    weights, given = np.arange(4.0), np.array([0.5, 1.0, -0.5, 0.25])
    for _ in range(steps):
        x, slope = (
            x + 0.01 * math.sin(x) * (weights @ given),
            slope + 0.01 * (math.cos(x) * slope * (weights @ given) + math.sin(x) * weights),
        )
    assert many(given, steps) == pytest.approx(slope, rel=1e-12)
    source = code_of(many)
    loop = source[source.index("< m; ") : source.index("fail:")]
    assert "fs_take" not in loop
    assert source.count("sin(") == 1
    assert many(np.zeros(0), steps).shape == (0,)


V, W, N, R = Var("v", Array(F64)), Var("w", Array(F64)), Var("n", INT), Var("r", INT)


def over_seeds(body: Term) -> Build:
    return Build(Length(W), R, body)


@pytest.mark.parametrize("start", range(0, 400, 50))
def test_random_loops(start: int) -> None:
    """The same numbers exactly, of loops in loops, with definitions and branches around them; and none of no seeds."""
    fired = 0
    state = Tuple((F64, F64, F64, INT))
    for seed in range(start, start + 50):
        g = Generator(seed)
        scope: list[Term] = [g.v, g.w, g.n, R]
        inner: Term = prim(p.add, Proj(g.fold(state, 4, scope), g.r.randint(0, 2)), g.real(2, scope))
        if g.r.random() < 0.5:
            q = Var("q", F64)
            again = prim(p.add, Proj(g.fold(state, 4, [*scope, q]), 0), q)
            inner = Let(((q, inner),), again)
        term = Build(Length(g.w), R, inner)
        trace = Trace()
        new = interchange(term, trace, {})
        assert (new is not term) == bool(trace.fired["loop interchange"])
        fired += new is not term
        assert new.free <= term.free
        assert new.type == term.type
        for count in (3, 0):
            values = {
                g.v: value_of([0.3, -0.7, 1.1], g.v.type),
                g.w: value_of([0.2, 0.9, -0.4][:count], g.w.type),
                g.n: 2,
            }
            expected, found = list(numbers(evaluate(term, values))), list(numbers(evaluate(new, values)))
            assert np.array_equal(found, expected, equal_nan=True), f"seed {seed}"
    assert fired > 10


def fold(size: Term, body_of) -> IFold:
    s, k = Var("s", Tuple((F64, F64))), Var("k", INT)
    return IFold(size, _pair(Const(1.0), Get(V, R)), s, k, body_of(s, k))


def _pair(a: Term, b: Term) -> Term:
    return MakeTuple((a, b))


def _both(s: Term, k: Term) -> Term:
    return _pair(prim(p.sin, Proj(s, 0)), prim(p.multiply, Proj(s, 1), Proj(s, 0)))


def _nothing_shared(s: Term, k: Term) -> Term:
    return _pair(prim(p.sin, Proj(s, 1)), prim(p.multiply, Proj(s, 1), Proj(s, 0)))


STAYS = {
    "nothing is the same for all": over_seeds(Proj(fold(N, _nothing_shared), 1)),
    "the number of steps differs": over_seeds(Proj(fold(R, _both), 1)),
    "only in a branch": over_seeds(If(prim(p.less, R, N), Proj(fold(N, _both), 1), Const(0.0))),
    "in a loop of its own": over_seeds(Reduce(Reduction.SUM, N, Var("j", INT), Proj(fold(N, _both), 1))),
}


@pytest.mark.parametrize("name", STAYS)
def test_stays(name: str) -> None:
    term = STAYS[name]
    assert interchange(term, Trace(), {}) is term


def test_goes() -> None:
    term = over_seeds(Proj(fold(N, _both), 1))
    assert interchange(term, Trace(), {}) is not term


def test_an_array_changed_in_place_is_not_copied_for_each_seed() -> None:
    """n arrays would be copied in each step; so the loop stays."""
    s, k = Var("s", Tuple((F64, Array(F64)))), Var("k", INT)
    changed = Update(Proj(s, 1), Const(0), prim(p.multiply, get(Proj(s, 1), Const(0)), prim(p.to_float, R)))
    loop = IFold(N, _pair(Const(1.0), V), s, k, _pair(prim(p.sin, Proj(s, 0)), changed))
    term = over_seeds(get(Proj(loop, 1), Const(0)))
    assert interchange(term, Trace(), {}) is term


def test_no_more_than_once_through_a_long_body(monkeypatch: pytest.MonkeyPatch) -> None:
    """The dependence is found in one walk: nodes visited grow as the body does."""
    walked: list[Term] = []
    original = Dependence._term  # noqa: SLF001
    monkeypatch.setattr(Dependence, "_term", lambda self, t: walked.append(t) or original(self, t))

    def term(length: int) -> Term:
        def body(s: Var, k: Var) -> Term:
            bindings: list[tuple[Var, Term]] = []
            x, y = Proj(s, 0), Proj(s, 1)
            for j in range(length):
                a, b = Var(f"a{j}", F64), Var(f"b{j}", F64)
                bindings += [(a, prim(p.sin, x)), (b, prim(p.multiply, y, x))]
                x, y = a, b
            return Let(tuple(bindings), _pair(x, y))

        return over_seeds(Proj(fold(N, body), 1))

    counts = []
    for length in (50, 100, 200):
        walked.clear()
        loop = term(length)
        assert interchange(loop, Trace(), {}) is not loop
        counts.append(len(walked))
    assert counts[2] - counts[1] == 2 * (counts[1] - counts[0])

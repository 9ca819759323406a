"""The steps of a trace, done once more by their definitions, lead to the term that the compiler made (decision 42)."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from benchmarks.workloads import product_sum
from examples.strategies import paper, vector_sum
from msgspec.structs import replace

import fsmooth as fs
from fsmooth import strategies as st
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.definitions import equal_with_definitions
from fsmooth.core.term import Lam
from fsmooth.driver import with_deep_recursion
from fsmooth.optimise.recorded import Recorded
from fsmooth.optimise.schedules import SCHEDULES
from fsmooth.rewrite.replay import replayed, single
from fsmooth.rewrite.trace import Firing, Trace
from fsmooth.steps import Steps
from tests.golden.test_golden import CHOSEN, EVERYTHING
from tests.strategies import random_program

X = np.arange(1.0, 6.0)


def recorded(term: Lam, schedule: str) -> tuple[Trace, Lam]:
    trace = Trace([])
    return trace, with_deep_recursion(lambda: SCHEDULES[schedule](term, trace))  # type: ignore[return-value]


def replay(trace: Trace, start: Lam, end: Lam) -> None:
    assert alpha_equal(with_deep_recursion(lambda: replayed(trace, start, end)), end)


@pytest.mark.parametrize("schedule", ["DEFAULT", "LF", "REAL"])
def test_golden_programs(schedule: str) -> None:
    """And the other programs that the back-end is tested with; those with golden C among them."""
    assert set(CHOSEN) <= set(EVERYTHING)
    steps = 0
    for term, _ in EVERYTHING.values():
        trace, end = recorded(term, schedule)
        assert alpha_equal(end, SCHEDULES[schedule](term))
        replay(trace, term, end)
        assert trace.firings is not None
        steps += len(trace.firings)
    assert steps > 60


@pytest.mark.parametrize("schedule", ["DEFAULT", "LN", "REAL"])
def test_random_programs(schedule: str) -> None:
    for seed in range(12):
        term, _ = random_program(seed, depth=4)
        trace, end = recorded(term, schedule)
        assert alpha_equal(end, SCHEDULES[schedule](term))
        replay(trace, term, end)


def dot(u, v):
    return sum(u[i] * v[i] for i in range(len(u)))


def layers(W, x):
    return np.sum(np.tanh(W @ np.tanh(W @ x)) ** 2)


def recurrence(x, w):
    for i in range(len(w)):
        x = np.tanh(x * w[i])
    return x


def halved(x):
    k = 0
    while x * x > 2.0 and k < 100:
        x, k = x * 0.5, k + 1
    return x * k


def squares(x):
    pairs = [(x[i] ** 2, 3.0 * x[i]) for i in range(len(x))]
    return sum(a for a, _ in pairs), [b for _, b in pairs]


def fibonacci(x, n):
    return x * n if n < 2 else fibonacci(x, n - 1) + fibonacci(x * x, n - 2)


CALLS = [
    (dot, (X, X)),
    (layers, (np.eye(4), np.ones(4))),
    (recurrence, (0.5, X)),
    (halved, (9.0,)),
    (squares, (X,)),
    (fibonacci, (1.1, 5)),
]


@pytest.mark.parametrize("verb", [fs.function, fs.jacobian])
@pytest.mark.parametrize("call", CALLS, ids=[f.__name__ for f, _ in CALLS])
def test_programs_and_their_derivatives(verb, call) -> None:
    f, arguments = call
    program = verb(f)
    reached, compiled = program.trace(*arguments).replay(), program.compiled(*arguments).terms["optimised"]
    assert equal_with_definitions(single(reached), single(compiled))


def test_what_calls_save_has_types_of_its_own_each_time() -> None:
    given = product_sum.Node(product_sum.Leaf(2.0), product_sum.Leaf(3.0), 4.0), product_sum.A, product_sum.B
    reached = fs.grad(product_sum.total).trace(*given).replay()
    assert equal_with_definitions(reached, reached)
    again = fs.grad(product_sum.total).compiled(*given).terms["optimised"]
    assert equal_with_definitions(single(reached), single(again))
    other = fs.grad(lambda t, a, b: product_sum.total(t, a, b) * 2.0).compiled(*given).terms["optimised"]
    assert not equal_with_definitions(single(other), single(again))


def test_a_hessian() -> None:
    steps = fs.hessian(dot).trace(X[:2], X[:2])
    assert len(steps) > 20
    steps.replay()


def test_schedules_of_users() -> None:
    assert str(fs.function(vector_sum, schedule=paper).trace(5).replay()).endswith("build (maximum n 0) (fun r -> 1.0)")
    mine = st.normalise(st.beta | st.let_subst(1)) >> st.share
    for schedule in (st.DEFAULT >> mine, mine, st.DEFAULT.with_rules(fs.law("x * 2.0 ~> x + x", name="twice"))):
        fs.grad(dot, schedule=schedule).trace(X, X).replay()


# -- what is wrong is found --------------------------------------------------------------------------------------------


def test_no_step_can_be_left_out() -> None:
    """Each is needed: without it another has no place, or another term is reached."""
    left_out = 0
    for seed in range(6):
        term, _ = random_program(seed, depth=4)
        trace, end = recorded(term, "DEFAULT")
        firings = trace.firings or []
        for k in range(len(firings)):
            less = Trace([*firings[:k], *firings[k + 1 :]])
            less.derivations = [
                replace(d, first=d.first - (d.first > k), last=d.last - (d.last > k)) for d in trace.derivations
            ]
            with pytest.raises(fs.StrategyError):
                replay(less, term, end)
            left_out += 1
    assert left_out > 25


def test_what_a_rule_does_not_do_is_found() -> None:
    term, _ = EVERYTHING["let_tuples"]
    trace, end = recorded(term, "DEFAULT")
    firings = trace.firings or []
    for k, (one, other) in enumerate(itertools.pairwise(firings)):
        if one.before.type == other.after.type and not one.defines and not alpha_equal(one.after, other.after):
            wrong = Firing(one.name, one.before, other.after, one.scope, one.path, one.again)
            changed = Trace([*firings[:k], wrong, *firings[k + 1 :]])
            changed.derivations = trace.derivations
            with pytest.raises(fs.StrategyError, match=f"^step {k + 1}, {one.name}:\n"):
                replay(changed, term, end)
            return
    raise AssertionError("no two steps of one type")


def test_the_text_says_which_step() -> None:
    steps = fs.function(lambda x: (x + 0) * 1.0).trace(3.0)
    trace = Trace([])
    trace.firings = [Firing(f.rule, f.after, f.after, again=st.multiply_one.apply) for f in steps]
    start, end = steps._start, steps._end
    assert start is not None
    trace.derived(start, start, 0, {})
    with pytest.raises(fs.StrategyError) as error:
        Steps(trace, start, end).replay()
    assert str(error.value) == (
        "step 1, multiply_one:\n"
        "x + 0.0\n"
        "  ~>\n"
        "x + 0.0\n"
        "is not what is done: it is nowhere under 0 variables in\n"
        "fun (x : Float) -> (x + 0.0) * 1.0"
    )


def test_another_end_is_an_error() -> None:
    term, _ = EVERYTHING["dot"]
    trace, _ = recorded(term, "DEFAULT")
    with pytest.raises(fs.StrategyError, match=r"^the steps lead to\n(.|\n)*\nand not to\n"):
        replayed(trace, term, EVERYTHING["matmul"][0])


def test_counts_cannot_be_replayed() -> None:
    term, _ = EVERYTHING["dot"]
    with pytest.raises(fs.StrategyError) as error:
        replayed(Trace(), term, term)
    assert str(error.value) == "this trace has counts, but no steps\n  hint: `f.trace(...)` makes one with steps"
    with pytest.raises(fs.StrategyError) as error:
        Steps(Trace([])).replay()
    assert str(error.value) == "these steps lead from no program to another\n  hint: `f.trace(...).replay()`"


def test_nothing_is_recorded_unless_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def begin(self: Recorded) -> None:
        raise AssertionError("a walk that records")

    monkeypatch.setattr(Recorded, "begin", begin)
    gradient = fs.grad(dot)
    gradient.compiled(X, X)
    with pytest.raises(AssertionError):
        gradient.trace(X, X)

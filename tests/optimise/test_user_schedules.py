"""Schedules that users write: strategies with differentiation among them, laws in the families, and what is kept of them."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from math import cos, sin

import numpy as np
import pytest

import fsmooth as fs
from fsmooth import strategies as st
from fsmooth.core.alpha import alpha_equal
from fsmooth.optimise.schedules import SCHEDULES, named
from fsmooth.rewrite.strategy import REGISTRY
from tests.strategies import random_program

HOIST = fs.law("x / y + z / y ~> (x + z) / y where z : Float", real=True, name="hoist")
CLEAN = st.LAMBDA | st.TUPLES | st.RING | st.CONDITIONAL | st.SIZES | st.FUSION | st.SPARSITY | st.NORMALISATION
PAPER = (
    st.normalise(st.beta | st.let_subst(1))
    >> st.differentiate("forward")
    >> st.normalise(CLEAN | st.let_subst(1))
    >> st.share
)
X, Y = np.arange(1.0, 6.0), np.arange(5.0)


def dot(u, v):
    return sum(u[i] * v[i] for i in range(len(u)))


def vector_sum(n):
    v = np.array([1.0 for _ in range(n)])
    return fs.grad(lambda w: sum(w[i] for i in range(len(w))), method="forward")(v)


@pytest.mark.parametrize("verb", [fs.grad, fs.value_and_grad, fs.hessian])
@pytest.mark.parametrize("schedule", [PAPER, st.DEFAULT.with_rules(HOIST), st.normalise(st.beta) >> st.share, st.NONE])
def test_every_verb_takes_them(verb: Callable[..., Callable[..., object]], schedule: object) -> None:
    for got, wanted in zip(_leaves(verb(dot, schedule=schedule)(X, Y)), _leaves(verb(dot)(X, Y)), strict=True):
        np.testing.assert_allclose(got, wanted)


def _leaves(value: object) -> list[object]:
    return list(value) if isinstance(value, tuple) else [value]


def test_named_schedules_are_objects_too() -> None:
    for name, schedule in SCHEDULES.items():
        assert named(name) is schedule
        assert getattr(st, name) is schedule
        assert pickle.loads(pickle.dumps(schedule)) is schedule
        np.testing.assert_array_equal(fs.grad(dot, schedule=schedule)(X, Y), fs.grad(dot, schedule=name)(X, Y))


@pytest.mark.parametrize("name", SCHEDULES)
def test_the_steps_of_a_schedule_are_strategies(name: str) -> None:
    """In sequence they are the schedule, on random programs; each has a name, and pickles."""
    schedule = SCHEDULES[name]
    assert list(schedule.steps) == [stage for stage, _ in schedule.stages]
    whole = st.seq(*schedule.steps.values())
    assert pickle.loads(pickle.dumps(whole)).content == whole.content
    for seed in range(12):
        program, _ = random_program(seed, depth=3)
        made = whole(program)
        assert made is not None
        assert alpha_equal(made, schedule(program))


def test_a_strategy_between_the_steps_of_default() -> None:
    first, *others = st.DEFAULT.steps.values()
    mine = first >> st.normalise(HOIST) >> st.seq(*others)
    f = fs.function(lambda a, b, c: a / c + b / c, schedule=mine)
    assert f(1.0, 2.0, 4.0) == 0.75
    assert str(f.stages.terms["optimised"]).endswith("(a + b) / c")


def test_a_law_fires_in_the_families_of_a_schedule() -> None:
    f = fs.function(lambda a, b, c: a / c + b / c, schedule=st.DEFAULT.with_rules(HOIST))
    assert f(1.0, 2.0, 4.0) == 0.75
    assert str(f.stages.terms["optimised"]).endswith("(a + b) / c")
    assert f.stages.trace.fired["hoist"] == 1
    assert "DEFAULT with hoist" in f.explain()


def test_a_law_fires_before_differentiation() -> None:
    g = fs.grad(lambda c, a, b: a / c + b / c, schedule=st.DEFAULT.with_rules(HOIST))
    assert g(2.0, 3.0, 5.0) == -2.0
    assert g.stages.trace.fired["hoist"] == 1


def test_the_vector_sum_of_paper_002() -> None:
    f = fs.function(vector_sum, schedule=PAPER)
    np.testing.assert_array_equal(f(4), np.ones(4))
    assert str(f.stages.terms["optimised"]) == "fun (n : Int) -> build (maximum n 0) (fun r -> 1.0)"
    default = fs.function(vector_sum)
    default(4)
    assert alpha_equal(f.stages.terms["optimised"], default.stages.terms["optimised"])


def test_vjp_takes_schedules_but_no_strategy_that_differentiates() -> None:
    value, pullback = fs.vjp(dot, schedule=st.DEFAULT.with_rules(HOIST))(X, Y)
    assert value == dot(X, Y)
    np.testing.assert_array_equal(pullback(1.0), Y)
    with pytest.raises(fs.StrategyError) as error:
        fs.vjp(dot, schedule=PAPER)(X, Y)
    assert str(error.value) == (
        "a vjp is made in two halves, which no strategy can say\n"
        "  hint: use fs.grad or fs.value_and_grad, or a schedule without st.differentiate"
    )


def test_a_derivative_that_is_left() -> None:
    never = st.one(st.differentiate("forward")) | st.identity
    with pytest.raises(fs.StrategyError) as error:
        fs.grad(dot, schedule=st.where(lambda term: False) >> never | st.identity)(X, Y)
    assert str(error.value) == (
        "a derivative is left by this schedule\n"
        '  hint: it needs st.differentiate("auto"), where everything can be differentiated'
    )


def test_families_that_go_in_circles() -> None:
    there, back = fs.law("x * 2.0 ~> x + x", name="there"), fs.law("x + x ~> x * 2.0", name="back")
    with pytest.raises(fs.StrategyError) as error:
        fs.function(lambda x: x * 2.0, schedule=st.DEFAULT.with_rules(there, back))(1.0)
    first, second = str(error.value).split("\n")
    assert "at the end they are back, then there, again" in first or "they are there, then back, again" in first
    assert second == "  hint: leave one of them out, or give it a condition"


def test_repeating_without_end() -> None:
    with pytest.raises(fs.StrategyError, match=r"repeat\(identity\) does not end: 20000 times by now"):
        st.repeat(st.identity)(fs.function(dot).compiled(X, Y).terms["definition"])


def test_what_is_no_schedule() -> None:
    with pytest.raises(fs.ArgumentError) as error:
        fs.grad(dot, schedule=5)  # type: ignore[arg-type]
    hint = 'use a name, "module:NAME", a schedule or a strategy of fsmooth.strategies'
    assert str(error.value) == f"schedule=5\n  hint: {hint}"
    with pytest.raises(fs.ArgumentError, match="schedule='tests.optimise.test_user_schedules:NONE_SUCH': module"):
        fs.grad(dot, schedule="tests.optimise.test_user_schedules:NONE_SUCH")


def test_by_the_name_of_a_module() -> None:
    g = fs.grad(dot, schedule="tests.optimise.test_user_schedules:PAPER")
    np.testing.assert_allclose(g(X, Y), Y)
    assert "differentiate" in g.stages.trace.fired


def test_content_tells_schedules_apart() -> None:
    """What is kept on disk is found by it."""
    other = fs.law("x / y + z / y ~> (z + x) / y where z : Float", real=True, name="hoist")
    schedules = [
        st.DEFAULT,
        st.REAL,
        st.DEFAULT.with_rules(HOIST),
        st.DEFAULT.with_rules(other),
        st.DEFAULT >> st.debug("end"),
        named("DEFAULT, threads=2"),
    ]
    contents = {schedule.content for schedule in schedules}
    assert len(contents) == len(schedules)
    for schedule in schedules:
        assert pickle.loads(pickle.dumps(schedule)).content == schedule.content


def test_content_of_predicates_is_what_they_do() -> None:
    def small(limit: int) -> Callable[[object], bool]:
        return lambda term: len(str(term)) < limit

    assert st.where(small(3)).content == st.where(small(3)).content
    assert st.where(small(3)).content != st.where(small(4)).content


def test_kept_by_content() -> None:
    """A schedule with the same name but another law does not find what the first has compiled."""
    first = fs.law("x * 3.0 ~> x * 4.0", name="scaled", check=False)
    second = fs.law("x * 3.0 ~> x * 5.0", name="scaled", check=False)

    def program(x):
        return x * 3.0

    assert fs.function(program, schedule=st.DEFAULT.with_rules(first))(1.0) == 4.0
    assert fs.function(program, schedule=st.DEFAULT.with_rules(second))(1.0) == 5.0


def test_random_schedules_keep_what_programs_mean() -> None:
    """What can be put together is right in any order; here families and passes in random orders."""
    from fsmooth.core.evaluate import evaluate
    from fsmooth.core.values import value_of
    from fsmooth.optimise.schedules import of_strategy

    rng = np.random.default_rng(0)
    families = ["LAMBDA", "TUPLES", "RING", "CONDITIONAL", "SIZES", "FUSION", "ACCUMULATION", "FISSION", "SPARSITY"]
    families += ["NORMALISATION", "CHECKS", "SELECTION", "SPECULATION", "EXTREMA"]
    passes = [st.share, st.unzip_arrays, st.interchange, st.merge, st.compact, st.windows, st.share_with_reciprocals]
    compared = 0
    for seed in range(60):
        program, arguments = random_program(seed, depth=3)
        steps = [st.normalise(st.family(name)) for name in rng.choice(families, 3)]
        steps += [passes[k] for k in rng.choice(len(passes), 2)]
        strategy = st.seq(*[steps[k] for k in rng.permutation(len(steps))])
        result = of_strategy(strategy)(program)
        assert result.type == program.type
        values = [
            value_of(a.tolist() if isinstance(a, np.ndarray) else a, q.type)
            for a, q in zip(arguments, program.parameters, strict=True)
        ]
        before, after = (_outcome(lambda t=t: evaluate(t, {})(*values)) for t in (program, result))
        if before is not None and np.isfinite(before):
            compared += 1
            assert after is not None, strategy
            assert abs(after - before) <= 1e-9 * max(1.0, abs(before)), strategy
    assert compared > 30


def _outcome(make: Callable[[], float]) -> float | None:
    try:
        return make()
    except Exception:
        return None


# -- trace --------------------------------------------------------------------------------------------------------------


def test_a_trace_shows_each_rewriting() -> None:
    steps = fs.grad(dot, schedule=PAPER).trace(X, Y)
    assert len(steps) > 5
    assert "differentiate" in [step.rule for step in steps]
    for step in steps:
        assert step.before.type == step.after.type
    first = steps[0]
    assert first.rule == "let_subst(1)"
    assert first.source == ""
    lines = str(steps).splitlines()
    assert len(lines) == len(steps)
    assert lines[0].startswith("   1  let_subst(1)             ")
    assert repr(steps) == f"<{len(steps)} steps>"


def test_a_trace_counts_what_explain_counts() -> None:
    g = fs.grad(dot, method="forward")
    g(X, Y)
    steps = g.trace(X, Y)
    fired = g.stages.trace.fired
    for rule in {step.rule for step in steps if step.rule in REGISTRY}:
        assert fired[rule] >= len(
            [step for step in steps if step.rule == rule]
        )  # what was tried and given up is counted, too
    assert {"inlined", "derivatives"} <= {step.rule for step in steps}


def test_debug_is_in_the_trace() -> None:
    steps = fs.function(dot, schedule=st.normalise(st.beta) >> st.debug("here") >> st.share).trace(X, Y)
    assert [step.rule for step in steps if step.rule == "here"] == ["here"]


DOUBLED = fs.law("x * 2.0 ~> x + x", name="doubled")


def test_a_line_means_its_definitions_and_loops() -> None:
    def f(x, y):
        a = sin(x[0]) * 2.0
        b = sum(cos(x[i] * y) * 2.0 for i in range(len(x)))
        return a + b + y * 2.0

    first = f.__code__.co_firstlineno
    for line, wanted in ((first + 1, {"sin"}), (first + 2, {"cos"}), (first + 3, set())):
        schedule = st.attempt(st.at(st.everywhere(DOUBLED), line=line))
        found = [str(s.before) for s in fs.function(f, schedule=schedule).trace(X, 2.0) if s.rule == "doubled"]
        assert {word for word in ("sin", "cos") for text in found if word in text} == wanted

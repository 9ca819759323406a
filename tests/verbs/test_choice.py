"""`method="auto"`: which mode is taken, by predicted cost, and what `.explain()` says of it (differentiate/choose.py)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from benchmarks.workloads.ba import residual
from msgspec.structs import replace

import fsmooth as fs
from fsmooth.core.term import Method, Term, Verb
from fsmooth.demo.camera import reproject
from fsmooth.optimise.schedule import Stage, StaticSizes
from fsmooth.optimise.schedules import DEFAULT, SCHEDULES
from fsmooth.rewrite.trace import Trace
from tests.verbs.parts import assert_same

V = np.array([0.5, -1.5, 2.0, 0.25])


def energy(v):  # type: ignore[no-untyped-def]
    return sum(fs.sin(x) * fs.exp(x) for x in v)


def recurrent(h, W, steps):  # type: ignore[no-untyped-def]
    for _ in range(steps):
        h = [fs.tanh(sum(W[i, j] * h[j] for j in range(len(h)))) for i in range(len(h))]
    return h


def pendulum(s: fs.Array[2], steps):  # type: ignore[no-untyped-def]
    for _ in range(steps):
        s = [s[0] + 0.01 * s[1], s[1] - 0.01 * fs.sin(s[0])]
    return s


def modes(f: fs.Function, *arguments: object, **keywords: object) -> list[tuple[Verb, Method]]:
    return [(choice.verb, choice.method) for choice in f.compiled(*arguments, **keywords).choices]


CASES: dict[str, tuple[Any, tuple[Any, ...], Method]] = {
    "the gradient of many": (fs.grad(energy), (V,), Method.REVERSE),
    "the gradient of one": (fs.grad(lambda x: x * fs.sin(x)), (0.5,), Method.FORWARD),
    "the gradient of a few whose number is known": (
        fs.grad(lambda v: fs.sin(v[0] * v[1]) * v[2]),
        (V,),
        Method.FORWARD,
    ),
    "one number of many, as a Jacobian": (fs.jacobian(energy), (V,), Method.REVERSE),
    "many of one": (fs.jacobian(lambda x: [fs.sin(x * k) for k in range(100)]), (0.5,), Method.FORWARD),
    "many of many": (fs.jacobian(lambda v: [fs.sin(x) for x in v]), (V,), Method.FORWARD),
    "a small block": (fs.jacobian(reproject, wrt=(0, 1)), (np.ones(9), np.ones(3)), Method.REVERSE),
    # predictions that are close, and what is made costs otherwise
    "many of many that share": (fs.jacobian(lambda v: fs.softmax(v)), (V,), Method.REVERSE),
    "the state of a recurrence": (fs.jacobian(recurrent), (V, np.ones((4, 4)), 3), Method.REVERSE),
    "a small state of many steps": (fs.jacobian(pendulum), (V[:2], 100), Method.FORWARD),
    "the block of an observation": (
        fs.jacobian(residual, wrt=(0, 1, 2)),
        (np.ones(11), V[:3], 0.5, V[:2]),
        Method.REVERSE,
    ),
    "the Hessian of many that share": (fs.hessian(lambda v: fs.logsumexp(v)), (V,), Method.REVERSE),
    "a Hessian without loops": (
        fs.hessian(lambda v: sum(v[i] ** 2 * v[i + 1] for i in range(3))),
        (V,),
        Method.FORWARD,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_mode(name: str) -> None:
    f, arguments, expected = CASES[name]
    assert modes(f, *arguments)[-1][1] is expected


def test_sizes_that_are_built_in_are_known_through_names_and_loops() -> None:
    def blocks(cameras, points):  # type: ignore[no-untyped-def]
        J = fs.jacobian(reproject, wrt=("camera", "point"))
        return [J(cameras[k], points[k]) for k in range(len(points))]

    def descent(x):  # type: ignore[no-untyped-def]
        s = [x, 2.0 * x]
        for _ in range(10):
            g = fs.grad(lambda v: fs.sin(v[0] * v[1]))(s)
            s = [s[0] - 0.1 * g[0], s[1] - 0.1 * g[1]]
        return s[0]

    assert modes(fs.function(blocks), np.ones((5, 9)), np.ones((5, 3))) == [(Verb.JACOBIAN, Method.REVERSE)]
    assert modes(fs.function(descent), 0.5) == [(Verb.GRAD, Method.FORWARD)]


def test_each_of_a_nest_has_a_mode_of_its_own() -> None:
    assert modes(fs.hvp(energy), V, tangent=V) == [(Verb.GRAD, Method.REVERSE), (Verb.JVP, Method.FORWARD)]
    mixed = fs.jacobian(fs.grad(energy, method="reverse"), method="forward")
    assert modes(mixed, V) == [(Verb.GRAD, Method.REVERSE), (Verb.JACOBIAN, Method.FORWARD)]
    assert_same(mixed(V), fs.hessian(energy, method="forward")(V))


def test_a_size_that_is_annotated_is_built_in_although_nothing_indexes_it() -> None:
    """A state that is annotated as two numbers is two numbers in the C, although it is not indexed before the loop."""
    f = fs.jacobian(pendulum)
    made = f.c_source(V[:2], 100).partition("int32_t jacobian_pendulum(")[2]
    assert made.count("for (") == 1
    assert "fs_take" not in made
    assert_same(f(V[:2], 100), fs.jacobian(pendulum, method="reverse")(V[:2], 100))


def test_predictions_that_are_far_apart_are_not_compared() -> None:
    def choice(f: fs.Function, *arguments: object) -> str:
        return f.compiled(*arguments).choices[-1].why

    assert choice(fs.grad(energy), V) == "which is predicted to cost less"
    assert choice(fs.jacobian(lambda v: fs.softmax(v)), V) == "which costs less"
    assert choice(fs.jacobian(lambda v: [fs.sin(x) for x in v]), V) == "which costs no more"

    def layer(x: fs.Array[16], W: fs.Array[16, 16]):  # type: ignore[no-untyped-def]
        return [fs.tanh(sum(W[i, j] * x[j] for j in range(16))) for i in range(16)]

    assert choice(fs.jacobian(layer), np.ones(16), np.ones((16, 16))) == "which is predicted to cost no more"


def test_what_was_made_to_be_compared_is_not_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The derivative that is taken is compiled as it was optimised, and the other no further than the choice needed."""
    stages: list[str] = []

    def noted(name: str, stage: Stage) -> Stage:
        def run(term: Term, trace: Trace, sizes: StaticSizes) -> Term:
            stages.append(name)
            return stage(term, trace, sizes)

        return run

    counted = replace(DEFAULT, stages=tuple([(name, noted(name, stage)) for name, stage in DEFAULT.stages]))
    monkeypatch.setitem(SCHEDULES, "DEFAULT", counted)
    first, last = DEFAULT.stages[0][0], DEFAULT.stages[-1][0]
    steps, sharing = fs.jacobian(pendulum), fs.jacobian(lambda v: fs.softmax(v))
    assert modes(steps, V[:2], 100) == [(Verb.JACOBIAN, Method.FORWARD)]
    assert (stages.count(first), stages.count(last)) == (3, 2)  # one finds that the length is the annotated one
    stages.clear()
    assert modes(sharing, V) == [(Verb.JACOBIAN, Method.REVERSE)]
    assert stages.count(first) == 2 >= stages.count(last)
    assert "rules that fired:\n     " in sharing.explain(V)
    p = np.exp(V) / np.exp(V).sum()
    assert_same(sharing(V), np.diag(p) - np.outer(p, p))


def test_explain_says_which_and_why() -> None:
    assert (
        "modes:\n  grad: reverse, which is predicted to cost less (forward 34·n(v)² + 34·n(v), reverse 136·n(v))"
    ) in fs.grad(energy).explain(V)
    assert "modes:\n  grad: forward, as asked\n" in fs.grad(energy, method="forward").explain(V)
    assert "modes:\n  jvp: forward, one tangent is one run of forward mode\n" in fs.jvp(energy).explain(V, tangent=V)
    assert "modes" not in fs.function(energy).explain(V)

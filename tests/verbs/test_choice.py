"""`method="auto"`: which mode is taken, by predicted cost, and what `.explain()` says of it (differentiate/choose.py)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core.term import Method, Verb
from fsmooth.demo.camera import reproject
from tests.verbs.parts import assert_same

V = np.array([0.5, -1.5, 2.0, 0.25])


def energy(v):  # type: ignore[no-untyped-def]
    return sum(fs.sin(x) * fs.exp(x) for x in v)


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
    "a small block": (fs.jacobian(reproject, wrt=(0, 1)), (np.ones(9), np.ones(3)), Method.FORWARD),
}


@pytest.mark.parametrize("name", CASES)
def test_mode(name: str) -> None:
    f, arguments, expected = CASES[name]
    ((_, method),) = modes(f, *arguments)
    assert method is expected


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

    assert modes(fs.function(blocks), np.ones((5, 9)), np.ones((5, 3))) == [(Verb.JACOBIAN, Method.FORWARD)]
    assert modes(fs.function(descent), 0.5) == [(Verb.GRAD, Method.FORWARD)]


def test_each_of_a_nest_has_a_mode_of_its_own() -> None:
    assert modes(fs.hvp(energy), V, tangent=V) == [(Verb.GRAD, Method.REVERSE), (Verb.JVP, Method.FORWARD)]
    mixed = fs.jacobian(fs.grad(energy, method="reverse"), method="forward")
    assert modes(mixed, V) == [(Verb.GRAD, Method.REVERSE), (Verb.JACOBIAN, Method.FORWARD)]
    assert_same(mixed(V), fs.hessian(energy, method="forward")(V))


def test_explain_says_which_and_why() -> None:
    assert (
        "modes:\n  grad: reverse, which is predicted to cost less (forward 34·n(v)² + 34·n(v), reverse 136·n(v))"
    ) in fs.grad(energy).explain(V)
    assert "modes:\n  grad: forward, as asked\n" in fs.grad(energy, method="forward").explain(V)
    assert "modes:\n  jvp: forward, one tangent is one run of forward mode\n" in fs.jvp(energy).explain(V, tangent=V)
    assert "modes" not in fs.function(energy).explain(V)

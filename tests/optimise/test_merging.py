"""Loops that share work become one (optimise/merging.py)."""

from __future__ import annotations

import re
from typing import cast

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core.evaluate import evaluate
from fsmooth.core.subst import refresh
from fsmooth.core.term import IFold, Lam, Let, MakeTuple, Term, Var, Verb
from fsmooth.core.traverse import subterms
from fsmooth.core.types import F64, INT, Array, Tuple
from fsmooth.core.values import value_of
from fsmooth.differentiate.dual import dual_of
from fsmooth.differentiate.encoding import zipped
from fsmooth.library import parse
from fsmooth.optimise import merging
from fsmooth.optimise.merging import merge_loops
from fsmooth.rewrite.trace import Trace
from tests.lower.random_folds import Generator
from tests.optimise.recurrences import PROGRAMS, derivative, numbers, optimised, run


def states(text: str) -> list[str]:
    """The states of the loops that are left."""
    new = merge_loops(parse(text), Trace(), {})
    return sorted([repr(t.state.type) for t in subterms(new) if isinstance(t, IFold)])


HEAD = "fun (x : Float) (y : Float) (n : Int) -> "
VALUES = "ifold (fun s k -> sin s) x n"

MERGED = {
    "a loop and a larger one": (
        f"{HEAD} let a = {VALUES} in let b = ifold (fun s k -> (sin s.0, s.1 * cos s.0)) (x, 1.0) n in a + b.1",
        ["(Float, Float)"],
    ),
    "in the other order": (
        f"{HEAD} let b = ifold (fun s k -> (s.0 * cos s.1, sin s.1)) (1.0, x) n in let a = {VALUES} in a + b.0",
        ["(Float, Float)"],
    ),
    "the same twice": (f"{HEAD} {VALUES} + {VALUES}", ["Float"]),
    "components that depend on each other": (
        f"{HEAD} let a = ifold (fun s k -> (sin s.1, cos s.0, s.2 + s.0)) (x, y, 1.0) n in"
        " let b = ifold (fun s k -> (s.0 * s.2, cos s.2, sin s.1)) (1.0, y, x) n in a.2 + b.0",
        ["(Float, Float, Float, Float)"],
    ),
    "three": (
        f"{HEAD} let a = {VALUES} in let b = ifold (fun s k -> (sin s.0, s.1 * s.0)) (x, 1.0) n in"
        " let c = ifold (fun s k -> (sin s.0, s.1 + s.0)) (x, 1.0) n in a + b.1 + c.1",
        ["(Float, Float, Float)"],
    ),
    "with names for what the other writes out": (
        f"{HEAD} let a = {VALUES} in let b = ifold (fun s k -> let t = sin s.0 in (t, s.1 * t)) (x, 1.0) n in a + b.1",
        ["(Float, Float)"],
    ),
    "what is needed in between": (
        f"{HEAD} let a = {VALUES} in let z = exp y in let b = ifold (fun s k -> (sin s.0, s.1 * z)) (x, 1.0) n in a + b.1",
        ["(Float, Float)"],
    ),
    "loops inside": (
        f"{HEAD} let a = ifold (fun s k -> ifold (fun r j -> sin (r * s)) x n) 1.0 n in"
        " let b = ifold (fun s k -> let t = ifold (fun r j -> (sin (r.0 * s.0), r.1 + r.0)) (x, y) n in (t.0, s.1 * t.1))"
        " (1.0, 1.0) n in a + b.1",
        ["(Float, Float)", "(Float, Float)"],
    ),
}

APART = {
    "other sizes": f"{HEAD} {VALUES} + ifold (fun s k -> sin s) x (n + 1)",
    "another start": f"{HEAD} {VALUES} + ifold (fun s k -> sin s) y n",
    "other steps": f"{HEAD} {VALUES} + ifold (fun s k -> cos s) x n",
    "one needs the other": f"{HEAD} let a = {VALUES} in ifold (fun s k -> (sin s.0, s.1 + a)) (x, 1.0) n",
    "in a branch": f"{HEAD} {VALUES} + (if x < y then fst (ifold (fun s k -> (sin s.0, s.1 * s.0)) (x, 1.0) n) else y)",
    "only a counter is shared": (
        f"{HEAD} to_float (snd (ifold (fun s k -> (s.0 * 2.0, s.1)) (x, 1) n))"
        " + fst (ifold (fun s k -> (s.0 + 2.0, s.1)) (y, 1) n)"
    ),
}


@pytest.mark.parametrize("name", MERGED)
def test_merged(name: str) -> None:
    text, expected = MERGED[name]
    assert states(text) == expected


@pytest.mark.parametrize("name", APART)
def test_apart(name: str) -> None:
    term = parse(APART[name])
    assert merge_loops(term, Trace(), {}) is term


@pytest.mark.parametrize("name", [*MERGED, *APART])
def test_value_is_kept(name: str) -> None:
    term = cast(Lam, parse(MERGED[name][0] if name in MERGED else APART[name]))
    for steps in (0, 1, 4):
        expected, _ = run(term, 0.7, -0.4, steps)
        assert run(cast(Lam, merge_loops(term, Trace(), {})), 0.7, -0.4, steps)[0] == expected


U = Var("u", Array(F64))


@pytest.mark.parametrize("start", range(0, 160, 40))
def test_random_loops_in_two_directions(start: int) -> None:
    """Two derivatives of one loop share its values; the numbers are the same exactly."""
    fired = 0
    for seed in range(start, start + 40):
        g = Generator(seed)
        body = g.fold(Tuple((F64, F64, INT)), 4, [g.v, g.w, g.n])

        def along(direction: Term, body: Term = body, v: Var = g.v) -> Term:
            function = cast(Lam, refresh(Lam((v,), body)))
            pair = zipped(v, direction)
            encoded = Var("d", pair.type)
            return Let(((encoded, pair),), dual_of(function.body, {function.parameters[0]: encoded}))

        term = Lam((g.v, g.w, U, g.n), MakeTuple((along(g.w), along(U))))
        new = cast(Lam, merge_loops(term, Trace(), {}))
        fired += new is not term
        assert not new.free
        arguments = [[0.3, -0.7, 1.1], [0.2, 0.9, -0.4], [1.0, 0.5, -0.25], 2]
        values = {q: value_of(a, q.type) for q, a in zip(term.parameters, arguments, strict=True)}
        expected, found = list(numbers(evaluate(term.body, values))), list(numbers(evaluate(new.body, values)))
        assert np.array_equal(found, expected, equal_nan=True), f"seed {seed}"
    assert fired > 1


@pytest.mark.parametrize(
    ("name", "verb"),
    [
        *[(name, verb) for name in ("two parameters", "a branch") for verb in (Verb.GRAD, Verb.VALUE_AND_GRAD)],
        *[(name, Verb.JACOBIAN) for name in ("two parameters", "a branch", "several results")],
    ],
)
def test_derivatives_are_kept(name: str, verb: Verb) -> None:
    plain = derivative(name, verb)
    new, _ = optimised(plain)
    assert run(new, [0.3, -0.7], 9)[0] == pytest.approx(run(plain, [0.3, -0.7], 9)[0], rel=1e-12, abs=1e-13)


def test_value_and_gradient_in_three_variables_is_one_loop() -> None:
    def decay(a: float, b: float, c: float, m: int):
        x = 1.0
        for _ in range(m):
            x = x + 0.01 * (a * fs.sin(b * x) + fs.exp(-c * x))
        return x

    both = fs.value_and_grad(decay, wrt=("a", "b", "c"))
    at, small = np.array([1.0, 0.5, 0.2]), 1e-6
    value, slopes = both(*at, 20)
    assert value == fs.function(decay)(*at, 20)
    for k in range(3):
        e = np.eye(3)[k] * small
        expected = (fs.function(decay)(*(at + e), 20) - fs.function(decay)(*(at - e), 20)) / (2 * small)
        assert slopes[k] == pytest.approx(expected, rel=1e-6)
    source = re.sub(r"/\*.*?\*/", "", both.c_source())
    assert source.count("for (") == 1
    assert source.count("sin(") == source.count("cos(") == source.count(" exp(") == 1


def test_every_program_has_its_values_once() -> None:
    """Value and gradient evaluate each sine of the function once."""
    text = cast(Lam, parse(PROGRAMS["any number of parameters"]))
    _, own = run(text, [0.3, -0.7, 1.1], 6)
    new, _ = optimised(derivative("any number of parameters", Verb.VALUE_AND_GRAD))
    _, calls = run(new, [0.3, -0.7, 1.1], 6)
    assert calls["sin"] == own["sin"]


def test_many_loops_that_share_nothing_are_not_all_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[object] = []
    original = merging._partition  # noqa: SLF001
    monkeypatch.setattr(merging, "_partition", lambda a, b: tried.append(a) or original(a, b))
    counts = []
    for count in (20, 40, 80):
        tried.clear()
        loops = [f"let a{k} = ifold (fun s i -> sin (s + {k}.0)) x n in " for k in range(count)]
        total = " + ".join([f"a{k}" for k in range(count)])
        term = parse(f"{HEAD} {''.join(loops)} {total}")
        assert merge_loops(term, Trace(), {}) is term
        counts.append(len(tried))
    assert counts[2] - counts[1] == 2 * (counts[1] - counts[0])
    assert counts[0] > 20


def test_many_equal_loops_become_one() -> None:
    loops = [f"let a{k} = ifold (fun s i -> (sin s.0, s.1 + {k}.0 * s.0)) (x, {k}.0) n in " for k in range(40)]
    total = " + ".join([f"a{k}.1" for k in range(40)])
    assert states(f"{HEAD} {''.join(loops)} {total}") == ["(" + ", ".join(["Float"] * 41) + ")"]

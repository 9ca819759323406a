"""Where arrays are not zero, what is read of them, and what the loops of a step are therefore kept to (optimise/windows/in_windows.py)."""

from __future__ import annotations

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core.evaluate import evaluate
from fsmooth.core.term import IFold, Lam, Let, Unread
from fsmooth.core.traverse import subterms
from fsmooth.core.values import value_of
from fsmooth.library import parse
from fsmooth.optimise.schedules import DEFAULT, SCHEDULES
from fsmooth.optimise.windows.support import EVERYWHERE
from fsmooth.optimise.windows.supports import Supports
from tests.optimise.counting import Computed
from tests.reverse.cone_programs import heat, sensor
from tests.reverse.routes import result, vector
from tests.reverse.unread import poisoned

LEFT = "if 0 <= i - 1 then s[i - 1] * v[i] else zero Float"
RIGHT = "if i + 2 < length v then s[i + 2] * v[i] else zero Float"


def supports(step: str, start: str = "delta (length v) k 1.0") -> Supports:
    """Of `ifold (fun s t -> step) start m`, where v is an array, and k and l are integers."""
    body = f"ifold (fun s t -> {step}) ({start}) m"
    term = parse(f"fun (v: Vector) (m: Index) (k: Index) (l: Index) -> {body}")
    [loop] = [t for t in subterms(term) if isinstance(t, IFold)]
    definitions = {var: value for t in subterms(term) if isinstance(t, Let) for var, value in t.bindings}
    return Supports(loop, definitions)


CONES = {
    "itself": ("build (length v) (fun i -> s[i] * v[i])", (0, 0)),
    "from the left": (f"build (length v) (fun i -> ({LEFT}) + s[i])", (0, 1)),
    "from both sides": (f"build (length v) (fun i -> ({LEFT}) + ({RIGHT}))", (2, 1)),
    "in two loops": (
        f"let a = build (length v) (fun i -> {LEFT}) in build (length v) (fun i -> a[i] - (if 0 <= i - 1 then a[i - 1] else zero Float))",
        (0, 2),
    ),
    "there and back": (
        f"let a = build (length v) (fun i -> {RIGHT}) in "
        "build (length v) (fun i -> if 0 <= i - 2 then a[i - 2] / v[i] else zero Float)",
        (0, 0),
    ),
    "a product of both": (f"build (length v) (fun i -> ({LEFT}) * ({RIGHT}))", (0, 0)),
    "a sum of one-hot arrays": ("sum (length v) (fun i -> delta (length v) i (s[i] * v[i]))", (0, 0)),
    "a shifted sum of such": (
        "sum (length v) (fun i -> if i + 3 < length v then delta (length v) (i + 3) s[i] else zero Float (length v))",
        (0, 3),
    ),
    "named elements": ("build (length v) (fun i -> let x = s[i] in let y = x * v[i] in y - x)", (0, 0)),
    "an element set at the anchor": ("update s k 2.0", (0, 0)),
    "added at the anchor": ("plus s (delta (length v) k 1.0)", (0, 0)),
    "a comparison with the anchor": (
        "build (length v) (fun i -> s[i] + (if i == k then v[i] else zero Float))",
        (0, 0),
    ),
}


@pytest.mark.parametrize(("step", "growth"), CONES.values(), ids=CONES)
def test_cones(step: str, growth: tuple[int, int]) -> None:
    cone = supports(step).cone
    assert cone is not None
    assert (cone.before, cone.after) == growth
    assert len(cone.anchors) == 1


NONE = {
    "any element": "build (length v) (fun i -> s[l] * v[i])",
    "mirrored": "build (length v) (fun i -> s[length v - 1 - i])",
    "something added": "build (length v) (fun i -> s[i] + v[i])",
    "a number that is zero": "build (length v) (fun i -> s[i] + 0.0)",
    "a function of it": "build (length v) (fun i -> cos s[i])",
    "a divisor": "build (length v) (fun i -> v[i] / s[i])",
    "set where the step says": "update s (t + 0) 2.0",
    "an anchor of the step": "build (length v) (fun i -> s[i] + (if i == t then v[i] else zero Float))",
}


@pytest.mark.parametrize("step", NONE.values(), ids=NONE)
def test_no_cones(step: str) -> None:
    found = supports(step)
    assert found.arrays[found.loop.state, ()] == EVERYWHERE


def test_a_start_of_numbers_that_are_zero_has_no_cone() -> None:
    assert supports(CONES["itself"][0], "build (length v) (fun i -> 0.0)").cone is None


def test_each_bound_is_given_up_by_itself() -> None:
    found = supports("build (length v) (fun i -> if i == k then v[i] else if 0 <= i - 1 then s[i - 1] else zero Float)")
    assert found.arrays[found.loop.state, ()] == (0, 0)
    assert found.cone is not None
    assert (found.cone.before, found.cone.after) == (0, 1)


def test_two_anchors() -> None:
    cone = supports(CONES["from the left"][0], "plus (delta (length v) k 1.0) (delta (length v) l 2.0)").cone
    assert cone is not None
    assert len(cone.anchors) == 2


STATES = "fun (v: Vector) (m: Index) (k: Index) (l: Index) -> ifold (fun s t -> {}) (delta (length v) k 1.0, v) m"
PROGRAMS = {
    "an anchor that only a loop inside has": STATES.format(
        "let a = build (length v) (fun i -> s.0[i] * 0.5 + (if 0 <= i - 1 then s.0[i - 1] else zero Float)) in"
        " (a, ifold (fun r q -> build (length v) (fun i ->"
        " a[i] * r[i] + (if i == l then r[0] + v[i] else zero Float))) s.1 2)"
    ),
    "a sum of the window": STATES.format(
        "let x = sum (length v) (fun i -> s.0[i] * v[i]) in"
        " (build (length v) (fun i -> if 0 <= i - 1 then s.0[i - 1] * x else zero Float), build (length v) (fun i -> s.1[i] + x))"
    ),
    "rows": STATES.format(
        "let r = build (length v) (fun i -> build 3 (fun j -> if i + 1 < length v then s.0[i + 1] * s.1[j] else zero Float)) in"
        " (build (length v) (fun i -> r[i][0] + r[i][2]), build (length v) (fun i -> s.1[i] + r[i][1]))"
    ),
    "read beyond the window": STATES.format(
        "let a = build (length v) (fun i -> s.0[i] * 2.0) in"
        " (build (length v) (fun i -> if i + 3 < length v then a[i + 3] * v[i] else zero Float),"
        " build (length v) (fun i -> s.1[i] + (if 0 <= i - 4 then a[i - 4] else 1.0)))"
    ),
    "all of it in each step": STATES.format(
        "let a = build (length v) (fun i -> if 0 <= i - 1 then s.0[i - 1] * v[i] else zero Float) in"
        " (a, build (length v) (fun i -> s.1[i] + a[length v - 1 - i]))"
    ),
}


@pytest.mark.parametrize("source", PROGRAMS.values(), ids=PROGRAMS)
@pytest.mark.parametrize("size", [1, 5, 24])
def test_values(source: str, size: int) -> None:
    program = parse(source)
    assert isinstance(program, Lam)
    optimised = DEFAULT(program)
    v = np.linspace(0.5, 1.5, size)
    for steps in (0, 1, 2, 7):
        for k, l in {(0, 0), (size - 1, 0), (size // 2, size // 3)}:
            wanted = vector(result(program, v, steps, k, l))
            np.testing.assert_allclose(vector(result(poisoned(optimised), v, steps, k, l)), wanted, rtol=1e-12)


def computed(f: fs.Function, *arguments: object) -> int:
    """How many sums and products of real numbers the optimised program computes."""
    f(*arguments)
    term = f.stages.terms["optimised"]
    assert isinstance(term, Lam)
    counting = Computed()
    values = [value_of(a, x.type) for a, x in zip(arguments, term.parameters, strict=True)]
    evaluate(term.body, dict(zip(term.parameters, values, strict=True)), counting)
    return counting.counts["multiply"] + counting.counts["divide"]


@pytest.mark.parametrize("verb", [fs.grad, fs.value_and_grad])
def test_the_cost_of_one_sensor_does_not_grow_with_the_field(verb) -> None:  # type: ignore[no-untyped-def]
    f = verb(sensor, wrt=("u", "c"), method="reverse")
    few, many = (computed(f, np.linspace(0.0, 1.0, n), np.full(n, 0.1), 4, 30) for n in (60, 240))
    assert few == many
    whole = fs.grad(lambda u, c: sum(heat(u, c, 4)), wrt=("u", "c"), method="reverse")
    assert computed(whole, np.linspace(0.0, 1.0, 240), np.full(240, 0.1)) > 10 * many


def test_without_code_motion_nothing_is_kept_to_a_window() -> None:
    f = fs.grad(sensor, wrt="c", method="reverse", schedule="LN")
    f(np.ones(40), np.ones(40), 2, 20)
    assert "windows" not in repr(SCHEDULES["LN"])
    assert not any([isinstance(t, Unread) for t in subterms(f.stages.terms["optimised"])])


def test_what_can_fail_is_not_left_out() -> None:
    def gathered(u, at, steps: int):  # type: ignore[no-untyped-def]
        for _ in range(steps):
            u = [u[i] * u[at[i]] for i in range(len(u))]
        return u[0]

    f = fs.grad(gathered, wrt="u", method="reverse")
    at = np.arange(40)
    np.testing.assert_allclose(f(np.full(40, 2.0), at, 2), [32.0] + [0.0] * 39)
    at[37] = 40
    with pytest.raises(IndexError):
        f(np.full(40, 2.0), at, 2)


def test_what_is_infinite_outside_the_window_does_not_reach_the_gradient() -> None:
    c = np.full(40, 0.1)
    c[[5, 35]] = np.inf, np.nan
    by_u = fs.grad(sensor, wrt="u", method="reverse")(np.ones(40), c, 3, 20)
    assert np.flatnonzero(by_u).tolist() == [17, 18, 19, 20, 21, 22, 23]
    assert np.isfinite(by_u).all()


def as_often_as_numbers_say(u, v, steps: int, k: int):  # type: ignore[no-untyped-def]
    n = len(u)
    for t in range(steps):
        a = [v[i] * 0.5 + 0.1 for i in range(n)]
        if t > 0:
            a = [0.0 for _ in range(n)]
            for i in range(n):
                y = 0.0
                for q in range(int(u[i])):
                    y = y + 0.5 / (q + 1)
                a[i] = y
        v = [v[i] * a[i] + (v[i - 1] if i > 0 else 0.0) for i in range(n)]
        u = [0.5 * u[i] + 0.5 * (u[i - 1] if i > 0 else 0.0) for i in range(n)]
    return v[k]


def test_what_loops_in_branches_read_is_written() -> None:
    """They are not kept to a window; if the numbers they read were, they might never end."""
    f = fs.grad(as_often_as_numbers_say, wrt="v", method="reverse")
    f(np.linspace(0.0, 9.9, 30), np.ones(30), 3, 20)
    assert not any([isinstance(t, Unread) for t in subterms(f.stages.terms["optimised"])])


def test_the_text_says_what_nothing_reads() -> None:
    """As text it is a zero."""
    f = fs.grad(sensor, wrt="c", method="reverse")
    arguments = np.linspace(0.0, 1.0, 30), np.full(30, 0.1), 3, 9
    wanted = f(*arguments)
    text = str(f.stages.terms["optimised"])
    assert "unread Float" in text
    again = parse(text)
    assert isinstance(again, Lam)
    np.testing.assert_allclose(vector(result(again, *arguments)), wanted, rtol=1e-14)

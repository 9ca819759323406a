"""The check of `fs.custom_derivative` on first use: what it finds, what it passes over, when it runs."""

from __future__ import annotations

import dataclasses
import pathlib
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.checking import rules as rule_checks
from tests.verbs.parts import assert_same

V = np.array([0.5, -1.5, 2.0])


@pytest.fixture(autouse=True)
def _empty_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    """What is in the cache is not checked again."""
    monkeypatch.setenv("FSMOOTH_CACHE_DIR", str(tmp_path))


def wrong(x):  # type: ignore[no-untyped-def]
    return fs.sin(x) * x


def too_small(x, dx):  # type: ignore[no-untyped-def]
    return fs.cos(x) * dx


WRONG = fs.custom_derivative(wrong, jvp=too_small)
WRONG_BACKWARDS = fs.custom_derivative(
    wrong, jvp=lambda x, dx: (fs.cos(x) * x + fs.sin(x)) * dx, vjp=lambda x, c: c * x
)


def test_the_message() -> None:
    with pytest.raises(fs.DerivativeMismatchError) as caught:
        fs.grad(WRONG)(0.5)
    text = re.sub(r'File ".*", line \d+', "File …", str(caught.value))
    assert text == (
        "the jvp of wrong disagrees with differences: "
        "∂value/∂x is 0.877582562 by the rule, and 0.91821682 by differences (off by 0.041)\n"
        "  File …\n"
        "    def too_small(x, dx):  # type: ignore[no-untyped-def]\n"
        "    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
        "  hint: correct the rule; if it differs on purpose, use fs.custom_derivative(…, check=False)"
    )


VERBS: dict[str, Callable[[Any], Any]] = {
    "grad": lambda f: fs.grad(f)(V),
    "reverse grad": lambda f: fs.grad(f, method="reverse")(V),
    "jacobian": lambda f: fs.jacobian(f)(V),
    "jvp": lambda f: fs.jvp(f)(V, tangent=V),
    "vjp": lambda f: fs.vjp(f)(V),
    "hvp": lambda f: fs.hvp(f)(V, tangent=V),
    "hessian": lambda f: fs.hessian(f)(V),
    "inside": lambda f: fs.function(lambda v: fs.grad(f)(v)[0] + 1.0)(V),
    "deriv": lambda f: fs.function(lambda v: fs.deriv(f(v), v)[0])(V),
}


@pytest.mark.parametrize("rule", [WRONG, WRONG_BACKWARDS], ids=["jvp", "vjp"])
@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_checks_both_rules(verb: str, rule: fs.Function) -> None:
    with pytest.raises(fs.DerivativeMismatchError, match="of wrong disagrees"):
        VERBS[verb](lambda v: sum(rule(x) for x in v))
    with pytest.raises(fs.DerivativeMismatchError, match="of wrong disagrees"):
        VERBS[verb](lambda v: sum(rule(x * 2.0) if x > 0.0 else x for x in v))


def test_values_are_not_checked() -> None:
    assert WRONG(0.5) == pytest.approx(np.sin(0.5) * 0.5)


def test_every_call_says_so_until_it_is_right() -> None:
    gradient = fs.grad(WRONG)
    for _ in range(2):
        with pytest.raises(fs.DerivativeMismatchError):
            gradient(0.5)


def test_entries_of_matrices_and_records() -> None:
    @dataclasses.dataclass
    class Line:
        count: int
        slope: float
        points: Any

    def vjp(A, line, c):  # type: ignore[no-untyped-def]
        dA = [[c[i] * line.points[j] for j in range(len(A[0]))] for i in range(len(A))]
        back = [sum(c[i] * A[i, j] for i in range(len(A))) for j in range(len(A[0]))]
        back[1] = back[1] + c[1]
        return dA, Line(0, sum(c), back)

    @fs.custom_derivative(vjp=vjp)
    def f(A, line):  # type: ignore[no-untyped-def]
        return [line.slope + sum(A[i, j] * line.points[j] for j in range(len(line.points))) for i in range(len(A))]

    with pytest.raises(fs.DerivativeMismatchError) as caught:
        fs.jacobian(f)(np.ones((2, 2)), Line(3, 1.0, np.array([2.0, 5.0])))
    assert "∂value[1]/∂line.points[1] is 2 by the rule, and 1 by differences (off by 1)" in str(caught.value)


def test_where_the_derivative_is_not_that_of_all_arguments() -> None:
    f = fs.custom_derivative(lambda x, y: x * y, vjp=lambda x, y, c: (c * y, 0.0))
    with pytest.raises(fs.DerivativeMismatchError, match="∂value/∂y is 0 by the rule, and 2 by"):
        fs.grad(f)(2.0, 3.0)


KINKS: dict[str, tuple[Callable[..., object], Callable[..., object], float, float]] = {
    "absolute": (lambda x: abs(x), lambda x, dx: dx if x >= 0.0 else -dx, 0.0, 1.0),
    "root": (lambda x: fs.sqrt(x), lambda x, dx: 0.0 if x == 0.0 else 0.5 * dx / fs.sqrt(x), 0.0, 0.0),
    "jump": (lambda x: fs.floor(x), lambda x, dx: 7.0 * dx, 2.0, 7.0),
    "nan": (lambda x: fs.log(x), lambda x, dx: 3.0 * dx, -1.0, 3.0),
    "infinite": (lambda x: 1.0 / x, lambda x, dx: 3.0 * dx, 0.0, 3.0),
    "relu": (lambda x: max(x, 0.0), lambda x, dx: 0.5 * dx if x == 0.0 else (dx if x > 0.0 else 0.0), 0.0, 0.5),
}


@pytest.mark.parametrize("name", KINKS)
def test_where_differences_do_not_settle_a_rule_may_say_anything(name: str) -> None:
    function, jvp, place, slope = KINKS[name]
    assert fs.grad(fs.custom_derivative(function, jvp=jvp))(place) == slope


SMOOTH: dict[str, tuple[Callable[..., object], Callable[..., object], list[float]]] = {
    "square": (lambda x: x * x, lambda x, dx: 2.0 * x * dx, [0.0, 1.0, -3.0, 1e-9, 1e9]),
    "exp": (lambda x: fs.exp(x), lambda x, dx: fs.exp(x) * dx, [0.0, 30.0, -30.0]),
    "sin": (lambda x: fs.sin(10.0 * x), lambda x, dx: 10.0 * fs.cos(10.0 * x) * dx, [0.0, 1.0, 31.4, -5.0]),
    "log": (lambda x: fs.log(x), lambda x, dx: dx / x, [1e-12, 1e-3, 1.0, 1e12]),
    "tanh": (lambda x: fs.tanh(x), lambda x, dx: (1.0 - fs.tanh(x) ** 2) * dx, [0.0, 1.0, 20.0]),
    "large": (lambda x: 1e8 + x, lambda x, dx: dx, [0.0, 1.0, 1e-3]),
    "inverse": (lambda x: 1.0 / x, lambda x, dx: -dx / (x * x), [1e-3, 1.0, 1e3]),
    "cubic": (lambda x: x**3, lambda x, dx: 3.0 * x**2 * dx, [0.0, 1e-4, 2.0]),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_right_rules_are_right_everywhere(name: str) -> None:
    function, jvp, places = SMOOTH[name]
    for place in places:
        fs.grad(fs.custom_derivative(function, jvp=jvp))(place)
        fs.grad(fs.custom_derivative(function, jvp=jvp))(np.float32(place))


@pytest.mark.parametrize("name", SMOOTH)
def test_rules_off_by_a_tenth_are_found(name: str) -> None:
    function, jvp, places = SMOOTH[name]

    def off(x, dx):  # type: ignore[no-untyped-def]
        return 1.1 * jvp(x, dx) + 0.15 * dx

    with pytest.raises(fs.DerivativeMismatchError):
        fs.grad(fs.custom_derivative(function, jvp=off))(places[1])


def test_a_rule_of_a_rule_is_checked_too() -> None:
    slope = fs.custom_derivative(lambda x: fs.cos(x), jvp=lambda x, dx: fs.cos(x) * dx)
    f = fs.custom_derivative(lambda x: fs.sin(x), jvp=lambda x, dx: slope(x) * dx)
    assert fs.grad(f)(0.5) == pytest.approx(np.cos(0.5))
    with pytest.raises(fs.DerivativeMismatchError, match="-0.47"):
        fs.hessian(f)(0.5)


def test_what_comes_after_the_value_of_a_derivative_is_checked() -> None:
    def f(x):  # type: ignore[no-untyped-def]
        slope = fs.grad(lambda y: sine(y) * y)(x)
        return fs.grad(lambda y: WRONG(y * slope) + x)(0.5)

    with pytest.raises(fs.DerivativeMismatchError, match="of wrong disagrees"):
        fs.function(f)(0.3)
    with pytest.raises(fs.DerivativeMismatchError, match="of wrong disagrees"):
        fs.grad(f)(0.3)


def test_functions_and_rules_that_use_derivatives_are_checked() -> None:
    def cube(x):  # type: ignore[no-untyped-def]
        return x * x * x

    slope = fs.custom_derivative(lambda x: fs.grad(cube)(x), jvp=lambda x, dx: 6.0 * x * dx)
    assert fs.grad(slope)(2.0) == 12.0
    slope = fs.custom_derivative(lambda x: fs.grad(cube)(x), jvp=lambda x, dx: 5.0 * x * dx)
    with pytest.raises(fs.DerivativeMismatchError, match="is 10 by the rule, and 12 by differences"):
        fs.grad(slope)(2.0)
    own = fs.custom_derivative(lambda x: cube(x), vjp=lambda x, c: c * fs.jvp(cube)(x, tangent=1.0)[1])
    assert fs.grad(own)(2.0) == 12.0
    own = fs.custom_derivative(lambda x: cube(x), vjp=lambda x, c: c * fs.jvp(cube)(x, tangent=2.0)[1])
    with pytest.raises(fs.DerivativeMismatchError, match="is 24 by the rule, and 12 by differences"):
        fs.grad(own)(2.0)


def test_what_the_first_call_does_not_reach_is_not_checked() -> None:
    gradient = fs.grad(lambda x: WRONG(x) if x > 1.0 else x)
    assert gradient(0.5) == 1.0
    assert gradient(2.0) == pytest.approx(np.cos(2.0))


def test_what_takes_too_long_is_not_checked_and_a_warning_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(rule_checks, "LARGEST", 50)
        with pytest.warns(fs.UncheckedRuleWarning, match="the derivative given for wrong was not checked") as caught:
            found = fs.grad(lambda v: sum(WRONG(x) for x in v))(np.zeros(100))
    assert caught[0].filename == __file__
    assert_same(found, np.ones(100))
    monkeypatch.setattr(rule_checks, "LONGEST", 50)
    with pytest.warns(fs.UncheckedRuleWarning):
        fs.vjp(lambda v: sum(WRONG(x + sum(v)) for x in v))(np.zeros(100))
    long = fs.custom_derivative(lambda x: sum(x * float(i) for i in range(20)), vjp=lambda x, c: c)
    with pytest.warns(fs.UncheckedRuleWarning, match="anonymous"):
        fs.grad(long)(1.0)


def test_large_functions_are_tried_at_fewer_entries() -> None:
    f = fs.custom_derivative(lambda v: sum(x * x for x in v), vjp=lambda v, c: [c * x for x in v])
    with pytest.raises(fs.DerivativeMismatchError, match=r"∂value/∂v\[\d+\] is 1 by the rule, and 2 by"):
        fs.grad(f)(np.ones(500))


def right(x):  # type: ignore[no-untyped-def]
    return sine(x) * x


sine = fs.custom_derivative(lambda x: fs.sin(x), vjp=lambda x, c: fs.cos(x) * c)


def test_what_the_cache_has_was_checked_by_who_put_it_there(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def counted(*given: object) -> None:
        calls.append(given)

    monkeypatch.setattr(rule_checks, "check_rules", counted)
    for _ in range(3):
        fs.grad(right)(0.5)
    assert len(calls) == 1
    fs.grad(right)(np.float32(0.5))
    fs.vjp(right)(0.5)
    fs.vjp(right)(0.5)
    assert len(calls) == 3


def test_the_arguments_of_a_program_that_fails_are_for_the_program_to_refuse() -> None:
    gradient = fs.grad(lambda v, k: WRONG(v[k]))
    with pytest.raises(fs.IndexOutOfBoundsError):
        gradient(V, 7)


# -- check_derivative ----------------------------------------------------------------------------------------------------


def test_check_derivative_compares_rules_with_the_function() -> None:
    with pytest.raises(fs.DerivativeMismatchError, match="the jvp of wrong disagrees"):
        fs.check_derivative(lambda x: WRONG(x), 0.5)
    right = fs.custom_derivative(lambda x: fs.sin(x), vjp=lambda x, c: fs.cos(x) * c)
    report = fs.check_derivative(lambda v: sum(right(x) for x in v), V)
    assert report
    tried = [route for route in report.routes if "continuations" not in route.name or route.name == "continuations"]
    assert all([route.values and not route.excuse for route in tried])


def test_check_derivative_excuses_what_differs_on_purpose() -> None:
    through = fs.custom_derivative(lambda x: fs.floor(x), vjp=lambda x, c: c, check=False)
    report = fs.check_derivative(lambda v: sum(through(x) * x for x in v), V)
    assert report
    lines = repr(report).split("\n")
    assert [line.split()[-1] for line in lines[1:10]] == ["agrees"] * 9
    assert all([line.endswith("nothing calls itself") for line in lines[10:12]])
    assert all([line.endswith("differs: the rule of anonymous has check=False") for line in lines[12:]])


def test_check_derivative_compares_the_rules_with_each_other() -> None:
    f = fs.custom_derivative(lambda x: x, jvp=lambda x, dx: 2.0 * dx, vjp=lambda x, c: 3.0 * c, check=False)
    with pytest.raises(fs.DerivativeMismatchError) as caught:
        fs.check_derivative(lambda x: f(x), 0.5)
    lines = {line[2:20].strip(): line.split()[-1] for line in str(caught.value).split("\n")[1:10]}
    assert lines == {
        "forward (jvp)": "agrees",
        "reverse (vjp)": "DIFFERS",
        "tape (vjp)": "DIFFERS",
        "forward Jacobian": "agrees",
        "reverse Jacobian": "DIFFERS",
        "Jacobian by a tape": "DIFFERS",
        "forward gradient": "agrees",
        "reverse gradient": "DIFFERS",
        "gradient by a tape": "DIFFERS",
    }

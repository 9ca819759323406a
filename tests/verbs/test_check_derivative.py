"""`fs.check_derivative`: what it compares, and that it finds what is wrong."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.checking.derivatives import ROUTES
from tests.verbs.test_jacobian import CASES, V, W


@dataclasses.dataclass
class Line:
    slope: float
    points: Any
    count: int


@pytest.mark.parametrize("name", CASES)
def test_agrees(name: str) -> None:
    f, arguments, wrt = CASES[name]
    report = fs.check_derivative(f, *arguments, wrt=wrt)
    assert report
    tried = {route.name for route in report.routes if route.values}
    assert {"forward (jvp)", "reverse (vjp)", "forward Jacobian", "reverse Jacobian", "differences"} <= tried
    assert "complex step" in tried
    assert ("forward gradient" in tried) == isinstance(fs.function(f)(*arguments), float)


def test_records_and_integers() -> None:
    def f(line, w):  # type: ignore[no-untyped-def]
        return line.slope * sum(line.points) * line.count + w[0], line.count

    assert fs.check_derivative(f, Line(2.0, V, 3), W, wrt=(0, "w"))


OF_CALLS = {"Jacobian by continuations", "gradient by continuations"}
"""The routes that are tried where something calls itself."""


def test_a_function_that_contains_a_derivative() -> None:
    def f(x):  # type: ignore[no-untyped-def]
        return fs.grad(lambda y: y**3 * x)(x) * x

    report = fs.check_derivative(f, 1.5)
    assert {route.name for route in report.routes if route.values} == set(ROUTES) - OF_CALLS


def test_float32_is_compared_loosely() -> None:
    assert fs.check_derivative(lambda v: sum(fs.sin(x) for x in v), V.astype(np.float32))


def test_a_derivative_that_is_not_that_of_the_function() -> None:
    """Exact routes follow stop_gradient, differences do not."""

    def f(v):  # type: ignore[no-untyped-def]
        return sum(x * fs.stop_gradient(x) for x in v)

    with pytest.raises(fs.DerivativeMismatchError) as caught:
        fs.check_derivative(f, V)
    lines = str(caught.value).split("\n")
    assert lines[0] == "derivatives of f, along 2 random directions"
    tried = [line for line in lines[1:-1] if not line.endswith("since nothing calls itself")]
    assert len(lines[1:-1]) - len(tried) == len(OF_CALLS)
    assert [line.split()[-1] for line in tried] == ["agrees"] * (len(tried) - 1) + ["DIFFERS"]
    assert lines[-1].startswith("  hint: differences mislead at a kink")
    assert isinstance(caught.value, AssertionError)


@pytest.mark.parametrize(("error", "is_seen"), [(1e-7, True), (1e-10, False)])
def test_how_much_exact_routes_may_differ(error: float, is_seen: bool) -> None:
    @fs.custom_derivative(jvp=lambda x, t: 3.0 * x * x * t, vjp=lambda x, c: (3.0 + error) * x * x * c, check=False)
    def cube(x):  # type: ignore[no-untyped-def]
        return x * x * x

    def f(x):  # type: ignore[no-untyped-def]
        return cube(x)

    if not is_seen:
        assert fs.check_derivative(f, 2.0)
        return
    with pytest.raises(fs.DerivativeMismatchError) as caught:
        fs.check_derivative(f, 2.0)
    different = [line.strip().split("  ")[0] for line in str(caught.value).split("\n") if line.endswith("DIFFERS")]
    assert different == [
        *("reverse (vjp)", "tape (vjp)", "reverse Jacobian", "Jacobian by a tape"),
        *("reverse gradient", "gradient by a tape"),
    ]


@pytest.mark.parametrize(("share", "is_seen"), [(1e-2, True), (1e-6, False)])
def test_how_much_differences_may_differ(share: float, is_seen: bool) -> None:
    def f(x):  # type: ignore[no-untyped-def]
        return x * x * x + share * fs.stop_gradient(x)

    if not is_seen:
        assert fs.check_derivative(f, 2.0)
        return
    with pytest.raises(fs.DerivativeMismatchError, match="differences.*DIFFERS"):
        fs.check_derivative(f, 2.0)


def test_the_same_seed_gives_the_same_numbers() -> None:
    first, second, other = [fs.check_derivative(lambda x: x**3, 2.0, seed=s, directions=3) for s in (1, 1, 2)]
    assert repr(first) == repr(second) != repr(other)
    assert len(first.routes[0].values) == 3


def test_large_jacobians_are_not_made() -> None:
    report = fs.check_derivative(lambda v: [x * x for x in v], np.linspace(0.0, 1.0, 600))
    notes = {route.name: route.note for route in report.routes}
    assert notes["reverse Jacobian"] == "not tried: the Jacobian is large"
    assert report


def test_arguments_that_are_known_while_compiling() -> None:
    """A text and None are no arguments of what the interpreter runs."""
    assert fs.check_derivative(
        lambda how, x, y: x * x if how == "square" and y is None else x, "square", 2.0, None, wrt="x"
    )

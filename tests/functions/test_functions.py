"""Functions as values, and values of one of several kinds: as in Python, with derivatives in every mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fsmooth as fs
from tests.functions import kinds
from tests.functions import programs as p

CASES = [
    pytest.param(function, arguments, id=f"{function.__name__}-{k}")
    for function, tries in p.PROGRAMS
    for k, arguments in enumerate(tries)
]
METHODS = ("forward", "reverse", "tape", "continuations")


@pytest.mark.parametrize(("function", "arguments"), CASES)
def test_values(function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    assert fs.function(function)(*arguments) == pytest.approx(function(*arguments), rel=1e-14, abs=1e-14)


@pytest.mark.parametrize(("function", "arguments"), CASES)
def test_derivatives(function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    wanted = by_differences(function, arguments)
    for method in METHODS:
        found = fs.grad(function, wrt=0, method=method)(*arguments)
        np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-7, err_msg=method)


@pytest.mark.parametrize("function", [p.in_each_branch, p.from_a_list, p.newton_of_one_of_two, kinds.area_of_a_shape])
def test_second_derivatives(function: Callable[..., Any]) -> None:
    arguments = dict(p.PROGRAMS)[function][0]
    first = fs.grad(function, wrt=0)
    wanted = by_differences(first, arguments)
    found = fs.grad(first, wrt=0)(*arguments)
    assert found == pytest.approx(float(wanted), rel=1e-6)


def by_differences(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """The gradient with respect to the first argument, by differences of fourth order."""
    first, *rest = arguments
    at = np.asarray(first, float)
    found = np.zeros_like(at)
    step = 1e-3
    for place in np.ndindex(at.shape):

        def value(k: int, place: tuple[int, ...] = place) -> float:
            moved = at.copy()
            moved[place] += k * step
            return float(function(moved if at.ndim else float(moved), *rest))

        found[place] = (8.0 * (value(1) - value(-1)) - (value(2) - value(-2))) / (12.0 * step)
    return found


def test_a_function_may_be_asked_what_it_is() -> None:
    assert fs.function(lambda x: 1.0 if (np.sin if x > 0.0 else None) is None else 2.0)(-1.0) == 1.0
    assert fs.function(lambda x: 1.0 if (np.sin if x > 0.0 else None) else 2.0)(1.0) == 1.0


def test_a_result_may_be_none() -> None:
    f = fs.function(kinds.positive)
    assert f(2.0) == 4.0
    assert f(-2.0) is None


def test_a_result_may_be_of_one_class_or_another() -> None:
    def shape(x, c):
        return kinds.Circle(x) if c > 0.0 else kinds.Rectangle(x, 2.0 * x)

    f = fs.function(shape)
    assert f(2.0, 1.0) == kinds.Circle(2.0)
    assert f(2.0, -1.0) == kinds.Rectangle(2.0, 4.0)


def test_a_text_that_a_loop_changes_is_a_result() -> None:
    def after(mode, n):
        for _ in range(n):
            mode = "b"
        return {"mode": mode, "n": n}

    f = fs.function(after)
    assert f("a", 0) == {"mode": "a", "n": 0}
    assert f("a", 2) == {"mode": "b", "n": 2}


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda x: (None if x > 0.0 else x) + 1.0, "this is None"),
        (lambda x: np.sin(None if x > 0.0 else x), "this is None"),
        (lambda x: (np.sin if x < 0.0 else None)(x), "this is None, and not a function"),
        (
            lambda x: (kinds.Circle(x) if x < 0.0 else kinds.Rectangle(x, x)).radius,
            "this is a Rectangle, which has no radius",
        ),
        (lambda x: (kinds.Circle(x) if x < 0.0 else None).area(), "this is None, which has no area"),
    ],
)
def test_what_a_value_is_not_is_an_error_where_it_is_asked_for(function: Callable[[float], Any], text: str) -> None:
    """As in Python: a call where it is of the right kind works, and another one raises."""
    compiled = fs.function(function)
    assert compiled(-2.0) == pytest.approx(function(-2.0))
    with pytest.raises(fs.RaisedError, match=text):
        compiled(2.0)


def test_calls_are_choices_of_the_c() -> None:
    """Where the function is chosen by a condition, the condition chooses what is computed: there is no tag."""
    source = fs.function(p.in_each_branch).c_source(2.0, 1.0)
    body = source[source.index("int32_t in_each_branch(") :]
    assert "tag" not in body
    assert "? 0 : 1" not in body


def test_functions_cost_no_memory() -> None:
    source = fs.function(p.another_one_in_each_step).c_source(p.x, 0.0)
    assert "fs_take" not in source


weight = 100.0


def test_a_name_of_the_step_before_is_no_global() -> None:
    """A function of the step before reads what a name of the program stands for, which has no value at the start of a step."""

    def of_the_step_before(x):
        f, s = np.sin, 0.0
        for v in x:
            s += f(v)
            weight = 2.0 * v
            f = lambda y: weight * y  # noqa: B023, E731
        return s

    with pytest.raises(fs.ProgramError, match="weight is assigned inside the loop only"):
        fs.function(of_the_step_before)(p.x)

    def with_its_own(x):
        f, s = np.sin, 0.0
        for v in x:
            s += f(v)
            weight = 2.0 * v
            f = lambda y, weight=weight: weight * y  # noqa: E731
        return s

    assert fs.function(with_its_own)(p.x) == pytest.approx(with_its_own(p.x))

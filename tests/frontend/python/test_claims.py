"""assert and raise: what does not hold is an error with the user's text, under every schedule and in derivatives."""

from __future__ import annotations

import numpy as np
import pytest

import fsmooth as fs

GOOD = np.array([1.0, 2.0, 3.0, 0.5])


def long_enough(x):
    assert len(x) > 2, "too short"
    return np.sum(x**2)


def not_negative(x):
    total = np.sum(x)
    assert total < 10
    if total < 0:
        raise RuntimeError(f"negative: {total} of {1 + 1}")
    return total * total


def each_element(x):
    total = 0.0
    for v in x:
        assert v >= 0, "negative element"
        if v > 5:
            raise ValueError("large element")
        total += v
    return total


def nothing_but_claims(x):
    for v in x:
        assert v >= 0, "negative element"
    return x[0]


def one_of_three(x):
    if x[0] > 0.5:
        return x[1] ** 2
    elif x[0] < -10:  # noqa: RET505
        return x[2]
    raise ValueError("in between")


def checked(x):
    assert x[0] > 0, "in a helper"
    return x[0] * 2


def through_a_helper(x):
    return checked(x) + sum([checked(x[i:]) for i in range(2)])


def in_a_branch(x):
    if x[0] > 0:
        y = 1.0
    else:
        assert x[1] > 0, "in a branch"
        y = x[1]
    return y * x[2]


CASES = [
    (long_enough, np.ones(2), fs.AssertionFailedError, "too short"),
    (not_negative, GOOD * 10, AssertionError, "assertion failed: total < 10"),
    (not_negative, -GOOD, fs.RaisedError, "negative: {total} of 2"),
    (each_element, -GOOD, fs.AssertionFailedError, "negative element"),
    (each_element, GOOD * 2, ValueError, "large element"),
    (nothing_but_claims, -GOOD, fs.AssertionFailedError, "negative element"),
    (one_of_three, GOOD * 0, ValueError, "in between"),
    (through_a_helper, GOOD * [1, -1, 1, 1], fs.AssertionFailedError, "in a helper"),
    (in_a_branch, -GOOD, AssertionError, "in a branch"),
]


@pytest.mark.parametrize(("program", "bad", "error", "text"), CASES, ids=[f"{c[0].__name__}-{c[3]}" for c in CASES])
def test_claim(program, bad, error, text) -> None:
    good = GOOD if program is not each_element else GOOD + 1
    for schedule in ("NONE", "DEFAULT"):
        function = fs.function(program, schedule=schedule)
        assert float(function(good)) == pytest.approx(program(good))
        with pytest.raises(error) as caught:
            function(bad)
        first, second, *_ = str(caught.value).split("\n")
        assert text in first
        assert __file__ in second
        assert isinstance(caught.value, fs.RunError)


def test_derivatives_claim_too() -> None:
    for program, bad in ((not_negative, -GOOD), (each_element, -GOOD), (in_a_branch, -GOOD)):
        for method in ("forward", "reverse"):
            derivative = fs.grad(program, method=method)
            h = 1e-6
            wanted = [(program(GOOD + h * d) - program(GOOD - h * d)) / (2 * h) for d in np.eye(4)]
            np.testing.assert_allclose(derivative(GOOD), wanted, atol=1e-6)
            with pytest.raises(fs.RunError):
                derivative(bad)


def test_a_raise_that_every_call_gets_to_is_found_while_compiling() -> None:
    def chosen(x, mode="sum"):
        if mode == "sum":
            return np.sum(x)
        if mode == "max":
            return np.max(x)
        raise ValueError(f"unknown mode {mode}")

    function = fs.function(chosen)
    assert function(GOOD, mode="max") == 3.0
    with pytest.raises(fs.UnsupportedError, match="unknown mode mean"):
        function(GOOD, mode="mean")


def every(x, step):
    return sum(x[i] ** 2 for i in range(0, len(x), step))


@pytest.mark.parametrize("verb", [fs.function, fs.grad])
def test_a_step_of_zero_is_an_error_as_in_python(verb) -> None:
    with pytest.raises(ValueError, match=r"^range\(\) arg 3 must not be zero\n") as caught:
        verb(every)(GOOD, 0)
    assert "range(0, len(x), step))\n" in str(caught.value)
    np.testing.assert_allclose(fs.grad(every)(GOOD, 3), [2.0, 0.0, 0.0, 1.0])
    np.testing.assert_allclose(fs.grad(every, method="forward")(GOOD, 2), [2.0, 0.0, 6.0, 0.0])

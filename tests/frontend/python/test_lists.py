"""Lists that grow, compiled: values and gradients against differences."""

from __future__ import annotations

import numpy as np
import pytest

import fsmooth as fs

X = np.array([0.3, -1.2, 2.6, 0.9])


def two_in_each_step(x):
    out, total = [], 0.0
    for i in range(len(x)):
        for v in x:
            total += v
            out.append(v * x[i])
            out.append(total * x[i])
    return np.sum(np.array(out) ** 2) + out[-1] * out[3]


def as_many_as_are_found(x):
    out = []
    for i in range(3):
        for v in x:
            if v > i:
                out.append(v * i)
            elif v > i - 1:
                out.extend(x * v)
    total = 0.0
    for k, o in enumerate(out):
        total += (k + 1) * o
    return total * len(out)


def found_by_a_while_loop(x):
    out = [x[0]]
    for v in x:
        t = v
        while t < 3 and out[-1] < 5:
            out.append(t * v + 0.5 * out[-1])
            t += 1
    return np.sum(np.array(out) ** 2)


@pytest.mark.parametrize("program", [two_in_each_step, as_many_as_are_found, found_by_a_while_loop])
def test_gradient(program) -> None:
    h = 1e-5
    wanted = [(program(X + h * d) - program(X - h * d)) / (2 * h) for d in np.eye(4)]
    value = float(fs.function(program)(X))
    assert value == pytest.approx(program(X), rel=1e-12)
    for method in ("forward", "reverse"):
        np.testing.assert_allclose(fs.grad(program, method=method)(X), wanted, rtol=1e-6)


def test_arguments_in_any_number() -> None:
    def scaled(x, *factors, **options):
        return np.sum(x) * (factors[0] if factors else 1.0) + len(factors) + len(options)

    function = fs.function(scaled)
    total = X.sum()
    assert function(X) == pytest.approx(total)
    assert function(X, 2.0) == pytest.approx(2 * total + 1)
    assert function(X, 3.0, 4) == pytest.approx(3 * total + 2)
    assert function(X) == pytest.approx(total)
    np.testing.assert_allclose(fs.grad(scaled)(X, 2.0), 2 * np.ones(4))


def test_sizes_of_starred_parts_are_checked() -> None:
    def product(x):
        def f(a, b, c, d):
            return a * b * c * d

        return f(*x)

    def ends(x):
        first, *_, last = x
        return first * last

    assert fs.function(product)(X) == pytest.approx(np.prod(X))
    with pytest.raises(fs.SizeError, match="sizes 4 and 3 differ"):
        fs.function(product)(X[:3])
    with pytest.raises(fs.AssertionFailedError, match="at least 2 values are needed"):
        fs.function(ends)(X[:1])


def test_shifts_are_checked() -> None:
    shift = fs.function(lambda n, k: n << k)
    assert shift(3, 4) == 48
    with pytest.raises(fs.AssertionFailedError, match="by 0 to 62"):
        shift(3, 63)


def test_programs_run_as_python(capsys, monkeypatch) -> None:
    def shown(x):
        fs.debug_print("x is", x[0])
        return x[0] * 2

    assert fs.function(shown)(X) == 0.6
    assert capsys.readouterr().out == ""
    assert fs.function(shown, python=True)(X) == 0.6
    assert capsys.readouterr().out == "x is 0.3\n"
    monkeypatch.setenv("FSMOOTH_PYTHON", "1")
    function = fs.function(shown)
    assert function(X) == 0.6
    assert capsys.readouterr().out == "x is 0.3\n"
    np.testing.assert_allclose(fs.grad(function)(X), [2, 0, 0, 0])


def test_an_array_made_of_a_list_is_no_list() -> None:
    def f(x):
        squares = []
        for v in x:
            squares.append(v * v)
        a = np.array(squares)
        twice = np.array([v for v in x]) + np.asarray(squares)
        return a + a, twice, np.ravel(squares) + 1.0, np.array(squares * 2)

    x = np.array([1.0, 2.0, 4.0])
    for given, expected in zip(fs.function(f)(x), f(x), strict=True):
        np.testing.assert_array_equal(given, expected)

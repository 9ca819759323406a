"""What fails somewhere in calls of calls leaves them at once; the next call is as if it had not been."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import fsmooth as fs


def walked(x, k, n):
    """A sum over two calls each, which looks at an element that may not be there."""
    row = [x[k % len(x)] * v for v in x]
    if n == 0:
        return x[k] + row[0]
    return walked(x, k + 1, n - 1) * 0.5 + walked(x, k, n - 1) + sum(row)


X = np.array([0.5, -1.0, 2.0])


def test_an_error_deep_in_calls_is_that_of_the_program() -> None:
    f = fs.function(walked)
    for _ in range(200):
        with pytest.raises(fs.IndexOutOfBoundsError, match="index 3 is out of bounds for x, which has size 3"):
            f(X, 0, 3)
        assert f(X, 0, 2) == pytest.approx(walked(X, 0, 2), rel=1e-14)


@pytest.mark.parametrize("method", ["forward", "reverse", "tape", "continuations"])
def test_derivatives_are_left_too(method: str) -> None:
    g = fs.grad(walked, method=method)
    wanted = fs.grad(walked, method="forward")(X, 0, 2)
    for _ in range(50):
        with pytest.raises(fs.IndexOutOfBoundsError):
            g(X, 0, 3)
        np.testing.assert_allclose(g(X, 0, 2), wanted, rtol=1e-13)


def test_pullbacks_are_left_too() -> None:
    for method in ("reverse", "tape"):
        with pytest.raises(fs.IndexOutOfBoundsError):
            fs.vjp(walked, method=method)(X, 0, 3)
        value, pullback = fs.vjp(walked, method=method)(X, 0, 2)
        assert value == pytest.approx(walked(X, 0, 2))
        assert np.shape(pullback(1.0)) == (3,)


def test_threads_leave_their_own_calls() -> None:
    f = fs.function(walked)
    f(X, 0, 1)
    found: list[float] = []

    def work(k: int) -> None:
        for _ in range(100):
            if k % 2:
                with pytest.raises(fs.IndexOutOfBoundsError):
                    f(X, 0, 3)
            else:
                found.append(f(X, 0, 2))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [f(X, 0, 2)] * 200


def test_a_number_is_returned_and_no_status_asked() -> None:
    f = fs.function(walked)
    source = f.c_source(X, 0, 1)
    assert "static double walked_walked(" in source
    assert "if (status)" not in source
    assert source.count("setjmp(") == 1


def test_a_program_without_calls_has_no_way_out() -> None:
    assert "setjmp" not in fs.function(lambda x: x * x).c_source(1.0)

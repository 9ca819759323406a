"""Which arrays decide where memory is read or written; and how much of it is taken: these, and no others, are copied."""

import numpy as np
import pytest

import fsmooth as fs

X, K = np.array([1.0, 2.0, 3.0]), np.array([0, 2, 1])


def gathered(k, x):
    return sum(x[i] for i in k)


def scattered(k, x):
    y = np.zeros(5)
    for j in range(len(k)):
        y[k[j]] += x[j]
    return y


def as_long_as(k, x):
    return [x[0] * i for i in range(k[1])]


def as_long_as_below(x, y):
    n = 0
    for v in x:
        if v < 2.5:
            n += 1
    return [y[0]] * n


def truncated(x, y):
    return sum(y[int(a) - 1] for a in x)


def compared(k, x):
    total = 0.0
    for j in range(3):
        if j <= k[0] and k[0] < len(x):
            total += x[j]
    return total


def greatest(x, y):
    return max(a * b for a, b in zip(x, y, strict=True))


def at_greatest(x, y):
    return y[np.argmax(x)]


def masked(k, x):
    return sum(a for a, m in zip(x, k, strict=True) if m != 0)


def until(x, y):
    t = x[0]
    while t < 10.0:
        t = t * x[1] + y[0]
    return t


def dot(x, y):
    return sum(a * b for a, b in zip(x, y, strict=True))


def chosen(x, y):
    return sum(b if a > 1.5 else 2.0 * b for a, b in zip(x, y, strict=True))


PROGRAMS = [
    (gathered, (K, X), {0}),
    (scattered, (K, X), {0}),
    (as_long_as, (K, X), {0}),
    (as_long_as_below, (X, X), {0}),
    (truncated, (X, X), {0}),
    (compared, (K, np.ones(40)), {0}),
    (at_greatest, (X, X), {0}),
    (greatest, (X, X), set()),
    (masked, (K, X), set()),
    (until, (X, X), set()),
    (dot, (X, X), set()),
    (chosen, (X, X), set()),
]
DERIVATIVES = [
    (fs.grad(gathered, wrt="x", method="reverse"), (K, X), {0}),
    (fs.grad(greatest, method="reverse"), (X, X), set()),
    (fs.grad(until, method="reverse"), (X, X), {0, 1}),
    (fs.grad(dot, method="reverse"), (X, X), set()),
]


@pytest.mark.parametrize(("f", "arguments", "deciding"), PROGRAMS, ids=[f.__name__ for f, _, _ in PROGRAMS])
def test_programs(f, arguments, deciding):
    for schedule in ("NONE", "DEFAULT"):
        code = fs.function(f, schedule=schedule).compiled(*arguments).code
        assert code.deciding == deciding
        assert code.deciding_results == frozenset()
        assert code.sizing == (deciding if f in (as_long_as, as_long_as_below) else frozenset())


@pytest.mark.parametrize(("f", "arguments", "deciding"), DERIVATIVES, ids=[f.__name__ for f, _, _ in DERIVATIVES])
def test_derivatives(f, arguments, deciding):
    assert f.compiled(*arguments).code.deciding == deciding


def visited(k, x):
    """The way that was gone is a result, and read again."""
    way = np.zeros(len(k), int)
    for j in range(len(k)):
        way[j] = k[j]
    total = 0.0
    for j in range(len(k)):
        i = way[len(k) - 1 - j]
        way[len(k) - 1 - j] = i + 1
        total += x[i] * j
    return way, total


def test_results_that_are_read_again():
    """Others see what they gave as out=: the call works in memory of its own, and copies."""
    program = fs.function(visited)
    way, total = program(K, X)
    assert np.array_equal(way, K + 1)
    assert total == X[K[::-1]] @ np.arange(3)
    assert program.compiled(K, X).code.deciding_results == {0}
    out = (np.zeros(3, int), 0.0)
    filled, again = program(K, X, out=out)
    assert filled is out[0]
    assert np.array_equal(filled, K + 1)
    assert again == total
    assert program._fast(K, X, out=out) is None


def test_memory_that_is_no_result():
    def working(k, x):
        y = np.zeros(k[0])
        for j in range(len(y)):
            y[j] = np.sin(x[j]) + y[j - 1]
        return np.max(y)

    assert fs.function(working).compiled(np.array([2]), X).code.sizing == {0}


@pytest.mark.parametrize("dtype", [np.int64, np.int32])
def test_what_is_passed_to_the_kernel(dtype):
    """Indices where they are; what says how long a result is, as a copy."""
    k = K.astype(dtype)
    kernel, arguments, _, _ = fs.function(gathered).kernel(k, X)
    assert kernel(*arguments) == 0
    assert (arguments[0], arguments[2]) == (k.ctypes.data, X.ctypes.data)
    kernel, arguments, _, keep = fs.function(as_long_as).kernel(k, X)
    assert kernel(*arguments) == 0
    assert arguments[0] != k.ctypes.data
    assert arguments[2] == X.ctypes.data
    assert any(isinstance(a, np.ndarray) and a.ctypes.data == arguments[0] for a in keep)

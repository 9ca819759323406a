"""No call reads or writes outside its arrays, whatever its arguments are and whatever other threads do to them."""

import contextlib
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import fsmooth as fs

HUGE = 2**63 - 1


def gathered(k, v):
    return sum(v[k[j]] for j in range(len(k)))


def scattered(k, v):
    y = np.zeros(10)
    for j in range(len(k)):
        y[k[j]] += v[j]
    return y


def as_many(k, v):
    return [v[0] for _ in range(k[len(k) - 1] + 1)]


def rounded(v, w):
    return sum(w[int(v[j])] for j in range(len(v)))


RACES = {
    "gathered": lambda: fs.function(gathered),
    "scattered": lambda: fs.function(scattered),
    "gradient": lambda: fs.grad(gathered, wrt="v"),
    "as_many": lambda: fs.function(as_many),
    "rounded": lambda: fs.function(rounded),
    "pullback": lambda: lambda k, v: fs.vjp(gathered, wrt="v")(k, v)[1](1.0),
}


def race(name: str) -> None:
    """Calls while another thread puts indices into the array that are far outside, and takes them out again."""
    n = 100_000
    program = RACES[name]()
    k = np.zeros(n) if name == "rounded" else np.zeros(n, np.int64)
    v = np.ones(n)
    program(k, v)
    stop = threading.Event()

    def spoil() -> None:
        while not stop.is_set():
            k[n // 2 :] = 2**40
            k[n // 2 :] = 0

    thread = threading.Thread(target=spoil)
    thread.start()
    end = time.monotonic() + 0.7
    while time.monotonic() < end:
        with contextlib.suppress(fs.IndexOutOfBoundsError, fs.OutOfMemoryError):
            program(k, v)
    stop.set()
    thread.join()


def test_arrays_that_change_during_a_call():
    ran = subprocess.run([sys.executable, __file__, *RACES], capture_output=True, text=True, check=False, timeout=300)
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert ran.stdout.split() == list(RACES)


def strided(x, n):
    return sum(x[i * n] for i in range(len(x)))


def strided_writes(x, n):
    y = [0.0 for _ in range(len(x))]
    for i in range(len(x)):
        y[i * n] = x[i]
    return y


def strided_twice(x, n):
    return sum(x[(i * n) * n + 1] for i in range(3))


def backwards(x, n):
    return sum(x[n - i] for i in range(3))


def shifted(x, n):
    total = 0.0
    for i in range(n):
        total += x[i + 1]
    return total


X = np.arange(1.0, 8.0)
WRAPPING = [
    (strided, (X, (2**64 + 2) // 3)),
    (strided, (X, 2**62)),
    (strided, (X, -(2**62))),
    (strided, (X, -(2**63))),
    (strided_writes, (X, (2**64 + 2) // 3)),
    (strided_twice, (X, 2**32)),
    (strided_twice, (X, 2**31)),
    (backwards, (X, -(2**61))),
    (backwards, (X, 2**61)),
    (shifted, (X, HUGE)),
]


@pytest.mark.parametrize(("f", "arguments"), WRAPPING, ids=[f"{f.__name__}-{a[1]}" for f, a in WRAPPING])
def test_indices_that_wrap_around(f, arguments):
    """What is computed with 64 bits is in bounds, or an error; what is read is what Python reads at that index."""
    wanted = None
    indices = {
        strided: lambda i, n: i * n,
        strided_writes: lambda i, n: i * n,
        strided_twice: lambda i, n: i * n * n + 1,
        backwards: lambda i, n: n - i,
        shifted: lambda i, n: i + 1,
    }[f]
    steps = {strided_twice: 3, backwards: 3}.get(f, 7)
    found = [(indices(i, arguments[1]) + 2**63) % 2**64 - 2**63 for i in range(steps)]
    if all(0 <= i < 7 for i in found):
        wanted = sum(X[i] for i in found)
    if wanted is None:
        with pytest.raises(fs.IndexOutOfBoundsError):
            fs.function(f)(*arguments)
    else:
        assert fs.function(f)(*arguments) == wanted


NOT_WRAPPING = [
    (strided, 1),
    (strided, 0),
    (strided_writes, 1),
    (strided_twice, 1),
    (backwards, 2),
    (backwards, 6),
    (shifted, 6),
]


@pytest.mark.parametrize(("f", "n"), NOT_WRAPPING, ids=[f"{f.__name__}-{n}" for f, n in NOT_WRAPPING])
def test_indices_that_do_not(f, n):
    assert np.array_equal(fs.function(f)(X, n), f(X, n))


def test_an_array_that_is_another_at_every_look():
    """The size that is built in was looked up before; the array that is read has another."""
    x = np.ones((3, 4))
    program = fs.function(lambda A: sum(sum(row) for row in A))
    assert program(x) == 12.0
    stop = threading.Event()

    def reshape() -> None:
        while not stop.is_set():
            x.shape = (4, 3)
            x.shape = (3, 4)

    thread = threading.Thread(target=reshape)
    thread.start()
    try:
        for _ in range(300):
            with contextlib.suppress(fs.ArgumentError):  # "its shape changed during the call"
                assert program(x) == 12.0
    finally:
        stop.set()
        thread.join()


def test_read_only_indices_of_a_pullback_that_are_made_writable():
    k, v = np.array([0, 1, 2]), np.array([1.0, 2.0, 3.0])
    k.flags.writeable = False
    _, pullback = fs.vjp(gathered, wrt="v")(k, v)
    k.flags.writeable = True
    k[:] = 2**40
    assert np.array_equal(pullback(2.0), [2.0, 2.0, 2.0])


if __name__ == "__main__":
    for which in sys.argv[1:]:
        race(which)
        print(which, flush=True)


@pytest.mark.parametrize(
    "program",
    [
        lambda x: [x[(i * 2**62) // 2**62] for i in range(len(x))],
        lambda x: [x[min(i * 2**62, len(x) - 1)] for i in range(len(x))],
    ],
)
def test_indices_that_wrap_around_are_tested(program) -> None:
    """Of integers without end they would be in bounds, and be proved to be so."""
    with pytest.raises(fs.IndexOutOfBoundsError):
        fs.function(program)(np.arange(9.0))

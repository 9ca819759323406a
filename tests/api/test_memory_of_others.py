"""No call reads or writes outside its arrays, whatever its arguments are, and whatever is done to them between calls.

During a call others must not change the indices in it, as with NumPy; that they change what says how much memory there is, or what
a pullback keeps, does no harm even then.
"""

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


def working(k, v):
    """As much memory as an element says, which is no result."""
    y = np.zeros(k[len(k) - 1] + 1)
    for j in range(len(y)):
        y[j] = np.sin(v[j]) + y[j - 1]
    return np.max(y)


RACES = {
    "as_many": lambda: fs.function(as_many),
    "working": lambda: fs.function(working),
    "pullback": lambda: lambda k, v: fs.vjp(gathered, wrt="v")(k, v)[1](1.0),
    "pullback of rounded": lambda: lambda k, v: fs.vjp(rounded, wrt="w")(k, v)[1](1.0),
}


def race(name: str, dtype: type) -> None:
    """Calls while another thread puts indices into the array that are far outside, and takes them out again."""
    n = 100_000
    program = RACES[name]()
    k = np.zeros(n) if "rounded" in name else np.zeros(n, dtype)
    v = np.ones(n)
    program(k, v)
    stop = threading.Event()
    far = 2**40 if dtype == np.int64 else 2**31 - 1 if "pullback" in name else 2**18

    def spoil() -> None:
        while not stop.is_set():
            k[n // 2 :] = far
            k[n // 2 :] = 0

    thread = threading.Thread(target=spoil)
    thread.start()
    end = time.monotonic() + 0.7
    while time.monotonic() < end:
        with contextlib.suppress(fs.IndexOutOfBoundsError, fs.OutOfMemoryError):
            program(k, v)
    stop.set()
    thread.join()


@pytest.mark.parametrize("dtype", ["int64", "int32"])
def test_arrays_that_change_during_a_call(dtype):
    given = [sys.executable, __file__, dtype, *RACES]
    ran = subprocess.run(given, capture_output=True, text=True, check=False, timeout=300)
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert ran.stdout.splitlines() == list(RACES)


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


@pytest.mark.parametrize("dtype", [np.int64, np.int32])
def test_read_only_indices_of_a_pullback_that_are_made_writable(dtype):
    k, v = np.array([0, 1, 2], dtype), np.array([1.0, 2.0, 3.0])
    k.flags.writeable = False
    _, pullback = fs.vjp(gathered, wrt="v")(k, v)
    k.flags.writeable = True
    k[:] = np.iinfo(dtype).max
    assert np.array_equal(pullback(2.0), [2.0, 2.0, 2.0])


@pytest.mark.parametrize("method", ["reverse", "tape"])
@pytest.mark.parametrize("dtype", [np.int64, np.int32])
def test_indices_that_change_between_the_halves_of_a_pullback(dtype, method):
    """The second half uses those that the first has checked."""
    k, v = np.array([0, 2, 2], dtype), np.array([1.0, 2.0, 3.0])
    for program, cotangent, wanted in ((gathered, 1.0, [1.0, 0.0, 2.0]), (scattered, np.arange(10.0), [0.0, 2.0, 2.0])):
        given = k.copy()
        _, pullback = fs.vjp(program, wrt="v", method=method)(given, v)
        given[:] = np.iinfo(dtype).max
        assert np.array_equal(pullback(cotangent), wanted)
        given[:] = -5
        assert np.array_equal(pullback(cotangent), wanted)


@pytest.mark.parametrize("dtype", [np.int64, np.int32])
def test_results_in_the_memory_of_indices(dtype):
    """The kernel would write over indices that it has checked, and read them again."""
    program = fs.function(scattered)
    memory = np.zeros(40, np.int64)
    k, out = memory.view(dtype)[:4], memory[:10].view(np.float64)
    k[:] = [0, 1, 2, 3]
    before = memory[:20].copy()
    v = np.arange(4.0)
    for _ in range(2):  # through ctypes, and by the fast path
        with pytest.raises(fs.ArgumentError, match="^out: shares memory with an argument"):
            program(k, v, out=out)
        assert np.array_equal(memory[:20], before)
        assert program(k, v, out=memory[20:30].view(np.float64))[3] == 3.0
        assert np.array_equal(k, [0, 1, 2, 3])
    assert program._fast(k, v) is not None
    assert program._fast(k, v, out=out) is None
    every_other = memory.view(dtype)[:8:2]
    every_other[:] = [0, 1, 2, 3]
    with contextlib.suppress(fs.ArgumentError):  # they are copied before anything is written, or refused
        assert program(every_other, v, out=out)[3] == 3.0


if __name__ == "__main__":
    for which in sys.argv[2:]:
        race(which, getattr(np, sys.argv[1]))
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

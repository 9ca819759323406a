"""`out=` and NumPy's scalars on the fast path: the answers of ctypes, nothing leaks, and what does not fit is refused."""

import sys
from dataclasses import dataclass

import numpy as np
import pytest

import fsmooth as fs
from tests.calls import calls_of


@dataclass
class Fit:
    residuals: np.ndarray
    cost: float


def fit(v, s):
    r = [s * x for x in v]
    return Fit(r, sum(x * x for x in r))


V, A = np.arange(4.0), np.arange(6.0).reshape(2, 3)
CASES = {
    "array": (lambda v: [2.0 * x for x in v], (V,), np.empty(4)),
    "matrix": (lambda A: [[x + 1.0 for x in row] for row in A], (A,), np.empty((2, 3))),
    "tuple": (lambda v: (sum(v), [x > 1.0 for x in v], v), (V,), (0.0, np.empty(4, bool), np.empty(4))),
    "some": (lambda v: (v, [x * x for x in v]), (V,), (None, np.empty(4))),
    "nested": (lambda v: (v, (v[0], [2.0 * x for x in v])), (V,), (np.empty(4), (None, np.empty(4)))),
    "record": (fit, (V, 3.0), Fit(np.empty(4), 0.0)),
    "empty": (lambda v: [2.0 * x for x in v], (np.empty(0),), np.empty(0)),
    "integers": (lambda v: [2 * k for k in v], (np.arange(3),), np.empty(3, np.int64)),
}


def arrays(value):
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, Fit):
        return arrays((value.residuals, value.cost))
    return [a for item in value for a in arrays(item)] if isinstance(value, tuple) else []


@pytest.mark.parametrize("name", CASES)
def test_both_paths_fill_what_is_given(name):
    f, arguments, out = CASES[name]
    program = fs.function(f)
    wanted = program(*arguments)  # through ctypes, as every first call
    for call in (program._fast, lambda *args, out: program._entry(args, {})[0](program._bind(args, {}), out)):
        for a in arrays(out):
            a.fill(7)
        found = call(*arguments, out=out)
        assert type(found) is type(wanted)
        for a, b in zip(arrays(found), arrays(wanted), strict=True):
            assert a.dtype == b.dtype
            assert np.array_equal(a, b)
        for a in arrays(out):
            assert any(a is b for b in arrays(found))


MISFITS = {
    "shape": (np.empty(5), "of shape \\(4,\\)"),
    "rank": (np.empty((4, 1)), "of shape \\(4,\\)"),
    "dtype": (np.empty(4, np.float32), "dtype float64"),
    "order": (np.empty(8)[::2], "C-contiguous"),
    "read-only": (np.broadcast_to(0.0, 4), "writable"),
    "list": ([0.0] * 4, "found list"),
    "number": (1.0, "found float"),
    "tuple": ((np.empty(4),), "found tuple"),
}


@pytest.mark.parametrize("name", MISFITS)
def test_what_does_not_fit_is_refused(name):
    out, message = MISFITS[name]
    program = fs.function(lambda v: [2.0 * x for x in v])
    program(V)
    assert program._fast(V, out=out) is None
    with pytest.raises(fs.ArgumentError, match=f"^out: .*{message}"):
        program(V, out=out)
    assert np.array_equal(program(V), 2 * V)


def test_the_part_that_does_not_fit_is_named():
    program = fs.value_and_grad(lambda v: sum(x * x for x in v))
    program(V)
    for _ in range(2):
        with pytest.raises(fs.ArgumentError, match=r"^out\[1\]: expected .* shape \(4,\)"):
            program(V, out=(0.0, np.empty(3)))
        with pytest.raises(fs.ArgumentError, match=r"^out\[0\]: this result is a number"):
            program(V, out=(np.empty(1), np.empty(4)))
        with pytest.raises(fs.ArgumentError, match="^out: expected a tuple of 2"):
            program(V, out=np.empty(4))
    number = fs.function(lambda v: sum(v))
    assert number(V) == number(V, out=1.0) == number(V, out=1.0) == 6.0
    for _ in range(2):
        with pytest.raises(fs.ArgumentError, match="^out: this result is a number"):
            number(V, out=np.empty(1))


def test_memory_is_not_shared():
    scaled = fs.function(lambda v: [2.0 * x for x in v])
    twice = fs.function(lambda v: ([x + 1.0 for x in v], [x + 2.0 for x in v]))
    memory = np.arange(12.0)
    v = memory[:4]
    scaled(v), twice(v)
    for out in (v, memory[3:7], memory[:4]):
        assert scaled._fast(v, out=out) is None
        with pytest.raises(fs.ArgumentError, match="shares memory"):
            scaled(v, out=out)
    assert np.array_equal(scaled(v, out=memory[4:8]), 2 * np.arange(4.0))
    with pytest.raises(fs.ArgumentError, match="shares memory"):
        twice(v, out=(memory[4:8], memory[7:11]))
    with pytest.raises(fs.ArgumentError, match="shares memory"):
        twice(v, out=(memory[8:], memory[:4]))
    assert np.array_equal(twice(v, out=(memory[4:8], memory[8:]))[1], np.arange(2.0, 6.0))
    assert np.array_equal(v, np.arange(4.0))


def test_out_comes_through_captured_values():
    scale = np.array([2.0, 3.0])
    program = fs.function(lambda v: [scale[k] * v[k] for k in range(2)])
    program(np.ones(2))
    out = np.empty(2)
    assert program(np.ones(2), out=out) is out
    scale = np.array([5.0, 7.0])
    assert program._fast(np.ones(2), out=out) is out
    assert np.array_equal(out, [5, 7])


def test_nothing_leaks():
    program = fs.value_and_grad(lambda v, s: s * v[0] * v[1])
    v, out, s, wrong = np.ones(1000), np.empty(1000), np.float64(2.0), np.empty(999)
    program(v, s)
    counted = (v, out, wrong, s, np.empty, np.float32)
    before = [sys.getrefcount(x) for x in counted]
    for _ in range(1000):
        program(v, s, out=(None, out))
        assert program._fast(v, s, out=(None, wrong)) is None
        assert program._fast(v, s, out=(None, v)) is None
        assert program._fast(v, s, out=out) is None
        assert program._fast(v, wrong, out=(None, out)) is None
    assert [sys.getrefcount(x) for x in counted] == before


def test_a_failing_call_with_out_explains_itself():
    program = fs.function(lambda v, k: [x * v[k] for x in v])
    out = np.empty(4)
    program(V, 1)
    with pytest.raises(fs.IndexOutOfBoundsError, match="index 9"):
        program(V, 9, out=out)
    assert program(V, 2, out=out) is out


@pytest.mark.parametrize(("value", "serves"), [(np.float32(0.1), True), (0.1, False), (np.float64(0.1), False)])
def test_single_precision_numbers(value, serves):
    program = fs.function(lambda x, v: [x * y for y in v])
    v = np.ones(3, np.float32)
    program(np.float32(2), v)
    fast = program._fast(value, v)
    assert (fast is not None) == serves
    assert program(value, v).dtype == (value * v).dtype
    assert np.array_equal(program(value, v), value * v)


def test_numpy_integers_and_truth_values():
    program = fs.function(lambda v, k, b: v[k] if b else -v[k])
    program(V, 1, True)
    for k, b in ((np.int64(2), np.True_), (2, True), (np.int64(2), True)):
        assert program._fast(V, k, b) == 2.0
    assert program._fast(V, np.int64(2), np.False_) == -2.0
    assert program._fast(V, np.int64(2), np.int64(1)) is None
    assert program._fast(V, np.int32(2), True) is None
    assert program(V, np.int32(2), True) == 2.0
    assert program._fast(V, 2**64, True) is None
    with pytest.raises(fs.ArgumentError, match="64 bits"):
        program(V, 2**64, True)


def test_memory_that_is_not_aligned_or_in_another_byte_order():
    program = fs.function(lambda v: [2.0 * x for x in v])
    program(V)
    unaligned = np.empty(33, np.uint8)[1:].view(np.float64)
    unaligned[:] = V
    for v in (unaligned, V.astype(">f8")):
        assert np.array_equal(program(v), 2 * V)
    for out in (unaligned, np.empty(4, ">f8")):
        with pytest.raises(fs.ArgumentError, match="expected a writable"):
            program(V, out=out)


@pytest.mark.parametrize("name", ["out", "float32", "int64"])
def test_calls_by_the_fast_path_run_no_python(name):
    """But for the call itself: the slow path has hundreds of functions.  How long it takes, benchmarks say."""
    out, x, k = np.empty(10), np.float32(2), np.int64(3)
    v, w = np.arange(10.0), np.arange(10, dtype=np.float32)
    gradient = fs.grad(lambda a: sum(a[i] * a[i] for i in range(len(a))))
    scaled, at = fs.function(lambda x, v: [x * y for y in v]), fs.function(lambda v, k: v[k])
    calls = {"out": lambda: gradient(v, out=out), "float32": lambda: scaled(x, w), "int64": lambda: at(v, k)}
    calls[name]()
    assert calls_of(calls[name]) <= 6

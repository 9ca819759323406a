"""The call shim agrees with ctypes, compiles without warnings, and leaks nothing."""

import platform
import subprocess
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import pytest

import fsmooth as fs
import fsmooth.runtime.library
from fsmooth.core.types import BOOL, F32, F64, INT, Array, Tuple
from fsmooth.runtime.arrays import infer_type
from fsmooth.runtime.shim import can_serve
from tests.calls import calls_of

CASES = {
    "scalars": (lambda a, n, b: a * n if b else a, (2.5, 3, True)),
    "arrays": (lambda v, A: [v[i] + sum(A[i][j] for j in range(A.shape[1])) for i in range(len(v))], None),
    "tuple": (lambda v: (sum(v), [2.0 * x for x in v], len(v), len(v) > 2), (np.arange(3.0),)),
    "integers": (lambda v: [n + 1 for n in v], (np.arange(3),)),
    "truth": (lambda v: [x > 1.0 for x in v], (np.arange(3.0),)),
    "single": (lambda v: [x * x for x in v], (np.arange(3, dtype=np.float32),)),
}


@pytest.fixture(params=["fields", "no fields", "no functions for C"])
def layout(request, monkeypatch):
    """Arrays as they are; as if the fields of NumPy's arrays lay elsewhere; as if NumPy had other functions for C."""
    if request.param == "no fields":
        monkeypatch.setattr(fsmooth.runtime.library, "_EXAMPLES", fsmooth.runtime.library._EXAMPLES[::-1])
    if request.param == "no functions for C":
        monkeypatch.setattr(fsmooth.runtime.library, "_FOR_C", None)


@pytest.mark.usefixtures("layout")
@pytest.mark.parametrize("name", CASES)
def test_both_paths_agree(name):
    f, arguments = CASES[name]
    arguments = arguments or (np.arange(2.0), np.ones((2, 3)))
    program = fs.function(f)
    slow = program(*arguments)
    assert program._fast is not None
    fast = program._fast(*arguments)
    assert type(fast) is type(slow)
    for x, y in zip(
        fast if isinstance(fast, tuple) else [fast], slow if isinstance(slow, tuple) else [slow], strict=True
    ):
        assert type(x) is type(y)
        assert np.array_equal(x, y)
        assert np.asarray(x).dtype == np.asarray(y).dtype


@pytest.mark.parametrize("name", CASES)
def test_it_compiles_without_warnings(name, monkeypatch):
    """The kernel, its shim, and what all shims have in common."""
    monkeypatch.setenv("FSMOOTH_CFLAGS", "-Wall -Wextra -Werror")
    f, arguments = CASES[name]
    program = fs.function(f)
    program(*(arguments or (np.arange(2.0), np.ones((2, 3)))))
    assert program._fast is not None


def test_a_program_may_have_the_name_of_a_function_of_the_c_library():
    """The kernel that the shim calls is its own: `step` and `advance` are in glibc, and nobody knows of it."""

    def step(v, rate):
        return v * rate, rate

    def advance(v, rate):
        return v + rate, rate

    for f in (step, advance):
        program = fs.function(f)
        for _ in range(2):
            found, rate = program(np.arange(3.0), 2.0)
            assert rate == 2.0
            assert np.array_equal(found, f(np.arange(3.0), 2.0)[0])
        assert program._fast is not None


@pytest.mark.parametrize("wrong", [[1.0], np.ones(3, np.float32), np.ones((3, 3)), np.ma.ones(3), "a", None, 1.0])
def test_anything_unusual_is_left_to_the_slow_path(wrong):
    program = fs.function(lambda v: sum(v))
    program(np.ones(3))
    assert program._fast(wrong) is None
    assert program._fast() is None
    assert program._fast(np.ones(3), 1) is None
    assert program._fast(np.ones(3)) == 3.0


@pytest.mark.parametrize("wrong", [np.datetime64("2020"), np.timedelta64(3, "s"), np.bytes_(b"ab"), np.int64(3)])
def test_scalars_of_numpy_are_no_arrays(wrong):
    """They have buffers, that of a time one of bytes without strides."""
    program = fs.function(lambda v: sum(v))
    program(np.arange(3))
    assert program._fast(wrong) is None


def _misaligned(x):
    return np.frombuffer(b"." + x.tobytes(), np.uint8)[1:].view(np.float64).reshape(x.shape)


def _only_read(x):
    x.setflags(write=False)
    return x


OTHER_ARRAYS = {
    "columns first": np.asfortranarray,
    "every other": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    "backwards": lambda x: x[::-1, ::-1].copy()[::-1, ::-1],
    "other bytes first": lambda x: x.astype(">f8"),
    "a dtype of its own": lambda x: x.astype(np.dtype(np.float64, metadata={"unit": "m"})),
    "misaligned": _misaligned,
    "only read": _only_read,
    "in memory of others": lambda x: np.frombuffer(x.tobytes()).reshape(x.shape),
    "a class of its own": lambda x: x.view(np.memmap),
}


@pytest.mark.usefixtures("layout")
@pytest.mark.parametrize("shape", [(3, 4), (1, 1), (0, 4), (3, 0)])
@pytest.mark.parametrize("other", OTHER_ARRAYS)
def test_arrays_that_lie_otherwise(other, shape):
    program = fs.function(lambda A, k: [[2.0 * x + i + k for x in row] for i, row in enumerate(A)])
    A = np.random.default_rng(0).random(shape)
    program(A, 0)
    expected = 2.0 * A + np.arange(float(shape[0]))[:, None] + 1
    assert np.array_equal(program(OTHER_ARRAYS[other](A.copy()), 1), expected)


def test_another_thread_changes_the_shape():
    """What the kernel goes by are the sizes that were checked."""
    program = fs.function(lambda A: [sum(row) for row in A])
    A = np.ones((2, 100_000))
    program(A)
    stop = threading.Event()

    def change():
        while not stop.is_set():
            for shape in ((200, 1000), (2, 100_000), (100_000, 2)):
                with warnings.catch_warnings(action="ignore"):
                    A.shape = shape

    with ThreadPoolExecutor(1) as pool:
        pool.submit(change)
        try:
            found = {(len(sums), *set(sums)) for sums in [program(A) for _ in range(300)]}
        finally:
            stop.set()
    assert found <= {(2, 100_000.0), (200, 1000.0), (100_000, 2.0)}


def test_failures_are_left_to_the_slow_path():
    program = fs.function(lambda v, k: v[k])
    program(np.ones(3), 1)
    assert program._fast(np.ones(3), 7) is None
    with pytest.raises(fs.IndexOutOfBoundsError):
        program(np.ones(3), 7)


def test_nothing_leaks():
    program = fs.value_and_grad(lambda v, k: v[k] * v[0])
    v = np.ones(1000)
    program(v, 0)
    before = sys.getrefcount(v), sys.getrefcount(None)
    for k in range(2000):
        program(v, k % 3)
        program._fast(v, -1)
        program._fast(v, 1.5)
    assert sys.getrefcount(v) == before[0]
    assert abs(sys.getrefcount(None) - before[1]) < 100


def test_what_it_serves():
    assert can_serve([F64, Array(Array(F32)), INT, BOOL], Tuple((F64, Array(INT))))
    assert can_serve([Tuple((F64,))], Tuple((F64, Tuple((F64,)))))
    assert not can_serve([F64], Tuple(()))
    assert not can_serve([F64], Tuple((F64,) * 31))


class Pair(NamedTuple):
    scale: float
    values: np.ndarray


@pytest.mark.parametrize("wrong", [(2.0, np.ones(3)), Pair(2, np.ones(3)), Pair(2.0, np.ones((3, 3))), None])
def test_records(wrong):
    program = fs.grad(lambda p, q: p.scale * sum(p.values) * q[0] * q[1][0], wrt=("p", "q"))
    arguments = Pair(2.0, np.ones(3)), (3.0, (4.0,))
    slow = program(*arguments)
    fast = program._fast(*arguments)
    assert isinstance(fast[0], Pair)
    assert fast[0].scale == slow[0].scale == 36.0
    assert np.array_equal(fast[0].values, np.full(3, 24.0))
    assert fast[1] == slow[1] == (24.0, (18.0,))
    assert program._fast(wrong, (3.0, (4.0,))) is None
    assert program._fast(arguments[0], (3.0, (4.0, 1.0))) is None


def test_ten_numbers_take_the_fast_path():
    gradient = fs.grad(lambda a, b: sum(a[i] * b[i] for i in range(len(a))))
    a = np.arange(10.0)
    gradient(a, a)
    assert calls_of(lambda: gradient(a, a)) <= 5


def test_types_of_values():
    assert infer_type(np.ones((2, 2), np.float32), "x") == Array(Array(F32))
    assert infer_type([[1, 2]], "x") == Array(Array(INT))
    assert infer_type((1.0, True), "x") == Tuple((F64, BOOL))


def test_import_is_light():
    """Neither the compiler nor the cache is loaded before a program is called."""
    heavy = (
        "lark",
        "fsmooth.optimise",
        "fsmooth.backend",
        "fsmooth.driver",
        "fsmooth.runtime.manifest",
        "fsmooth.runtime.cache",
    )
    code = f"import sys, fsmooth; print([m for m in sys.modules if m.startswith({heavy})])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", ["elements", "opened", "result", "miss", "in"])
def test_a_program_may_be_called_as_a_variable_of_the_fast_path(name: str) -> None:
    def program(x):
        return [2.0 * a for a in x]

    program.__name__ = name
    assert fs.function(program)(np.ones(2)).tolist() == [2.0, 2.0]


COPIES = """
import resource
import numpy as np
import fsmooth as fs

def gathered(x, i):
    return x[i]

x, i = np.ones(1_000_000), np.repeat(np.arange(1_000_000), 2)[::2]
f = fs.function(gathered)
for _ in range(4):
    f(x, i)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(8):
    f(x, i)
print((resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) // 8)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other systems give memory back otherwise")
def test_memory_for_copies_is_kept_between_calls(tmp_path):
    """What does not lie side by side is copied for each call; a copy of eight megabytes has two thousand pages."""
    program = tmp_path / "copies.py"
    program.write_text(COPIES)
    found = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=True)
    assert int(found.stdout) < 500


def test_copies_of_many_sizes_by_several_threads():
    """No two calls have the same memory for their copies, whatever was kept of it."""

    def gathered(x, i, j):
        return [x[a] + x[b] for a, b in zip(i, j, strict=True)]

    f = fs.function(gathered)
    x = np.arange(50_000.0)
    f(x, np.arange(2), np.arange(2))

    def work(seed):
        rng = np.random.default_rng(seed)
        for n in rng.integers(1, 50_000, 30):
            i, j = rng.integers(0, len(x), n), rng.integers(0, len(x), 2 * n)[::2]
            assert np.array_equal(f(x, i, j), x[i] + x[j])
        return True

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(4)))

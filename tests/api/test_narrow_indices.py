"""Arrays of int32: read where they are, by a program of their own, with the results of those of int64."""

# ruff: noqa: F722, F821, UP037  (the names of sizes)

from __future__ import annotations

import itertools
import subprocess
from typing import Any, NamedTuple

import numpy as np
import pytest
from benchmarks.widths import converted

import fsmooth as fs
from fsmooth import thresholds
from fsmooth.runtime.compiler import find_compiler

MOST = 2**31 - 1


def product(
    starts: fs.Array["*", fs.Offsets["m"]],
    columns: fs.Array["m", fs.Index["k"]],
    data: fs.Array["m"],
    x: fs.Array["k"],
):
    return [sum(data[j] * x[columns[j]] for j in range(starts[i], starts[i + 1])) for i in range(len(starts) - 1)]


STARTS, COLUMNS = np.array([0, 2, 2, 5], np.int32), np.array([1, 3, 0, 3, 2], np.int32)
DATA, X = np.arange(5) - 1.5, np.linspace(0.1, 0.9, 4)
WANTED = np.array([(DATA[a:b] * X[COLUMNS[a:b]]).sum() for a, b in itertools.pairwise(STARTS)])


def wide(value: Any) -> Any:
    """The same with int64."""
    return converted(value, np.int32, np.int64)


def same(found: Any, wanted: Any) -> None:
    if isinstance(wanted, tuple | list):
        assert len(found) == len(wanted)
        for a, b in zip(found, wanted, strict=True):
            same(a, b)
    else:
        assert np.asarray(found).dtype == np.asarray(wanted).dtype
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(("starts", "columns"), [*itertools.product((np.int32, np.int64), repeat=2)])
def test_each_array_has_its_own_width(starts: type, columns: type) -> None:
    f = fs.function(product)
    given = (STARTS.astype(starts), COLUMNS.astype(columns), DATA, X)
    np.testing.assert_allclose(f(*given), WANTED, rtol=1e-15)
    np.testing.assert_allclose(f._fast(*given), WANTED, rtol=1e-15)
    words = {np.int32: "int32_t", np.int64: "int64_t"}
    prototype = f.pointer(*given).prototype
    assert f"const {words[starts]} *restrict starts" in prototype
    assert f"const {words[columns]} *restrict columns" in prototype
    kernel, arguments, _, _ = f.kernel(*given)
    assert kernel(*arguments) == 0
    assert (arguments[0], arguments[2]) == (given[0].ctypes.data, given[1].ctypes.data)


def test_calls_in_turns() -> None:
    """What does not fit into 32 bits is never read as such, whichever program ran before."""
    f = fs.function(lambda k: (k + 1, sum(k)))
    far = np.array([2**40, -(2**40), 2**31])
    near = np.array([MOST, -MOST - 1, 5], np.int32)
    for _ in range(3):
        same(f(near), (np.array([2**31, -(2**31) + 1, 6]), 4))
        same(f(far), (far + 1, 2**31))
        same(f(far.astype(np.uint64)[2:]), (np.array([2**31 + 1]), 2**31))
        same(f(near.astype(">i4")), (np.array([2**31, -(2**31) + 1, 6]), 4))
        same(f(list(map(int, far))), (far + 1, 2**31))


OPERATIONS = {
    "products": lambda k: [i * i for i in k],
    "powers": lambda k: k**2,
    "negated": lambda k: -k,
    "absolute": lambda k: np.abs(k),
    "shifted": lambda k: k * 2 + 7,
    "divided": lambda k: (k // 3, k % 7),
    "the same": lambda k: k,
    "a slice": lambda k: (k[1:], k[::-1]),
    "changed": lambda k: fs_changed(k),
    "sum": lambda k: (np.sum(k), np.max(k), np.min(k), np.argmax(k), np.argmin(k)),
    "running": lambda k: np.cumsum(k),
    "sorted": lambda k: np.sort(k),
    "bits": lambda k: (k & 12345, k ^ 77, k | 3),
    "real": lambda k: (k / 2, [float(i) * 0.1 for i in k]),
    "compared": lambda k: ([i > 5 for i in k], k == 5),
    "joined": lambda k: np.concatenate([k, k * 3]),
    "chosen": lambda k: k if len(k) > 2 else -k,
    "exchanged": lambda k: fs_exchanged(k),
    "of two axes": lambda k: (np.outer(k, k), k.reshape(-1, 1) + k),
}


def fs_changed(k):
    y = k.copy()
    for i in range(len(y)):
        y[i] = y[i] * 3
    return y


def fs_exchanged(k):
    s, u = k, k * 2
    for _ in range(3):
        s, u = u, s
    return s, u


@pytest.mark.parametrize("name", OPERATIONS)
def test_numbers_have_64_bits(name: str) -> None:
    f = fs.function(OPERATIONS[name])
    k = np.array([MOST, -MOST - 1, 5, -7, 0, 2**30], np.int32)
    for given in (k, np.repeat(k, 2)[::2], k[:4]):
        wanted = f(wide(given))
        for _ in range(2):
            same(f(given), wanted)


class Csr(NamedTuple):
    starts: np.ndarray
    columns: np.ndarray
    data: np.ndarray


def of_parts(A, x):
    return [sum(A.data[j] * x[A.columns[j]] for j in range(A.starts[i], A.starts[i + 1])) for i in range(3)]


def of_keys(A, x):
    return sum(A["data"][j] * x[A["columns"][j]] for j in range(5)) + A["more"][0][1] * A["more"][1]


def test_in_structures() -> None:
    f = fs.function(of_parts)
    for A in (Csr(STARTS, COLUMNS, DATA), Csr(wide(STARTS), COLUMNS, DATA), Csr(wide(STARTS), wide(COLUMNS), DATA)):
        for _ in range(2):
            np.testing.assert_allclose(f(A, X), WANTED, rtol=1e-15)
    assert "const int32_t *restrict A_columns" in f.c_source(Csr(STARTS, COLUMNS, DATA), X)
    g = fs.function(of_keys)
    A = {"columns": COLUMNS, "data": DATA, "more": (np.array([1, MOST], np.int32), 3)}
    for _ in range(2):
        assert g(A, X) == g(wide(A), X) == pytest.approx(DATA @ X[COLUMNS] + 3 * MOST, rel=1e-15)
    pairs = fs.function(lambda rows: sum(a * b for a, b in rows))
    assert pairs([(1, 2.0), (3, 4.0)]) == 14.0


def loss(starts, columns, data, x):
    return np.sum(np.sin(np.array(product(starts, columns, data, x))) * np.arange(3.0))


GIVEN = (STARTS, COLUMNS, DATA, X)
VERBS = {
    "gradient": lambda: fs.grad(loss, wrt=("data", "x"), method="reverse"),
    "forward": lambda: fs.grad(loss, wrt="x", method="forward"),
    "tape": lambda: fs.grad(loss, wrt="x", method="tape"),
    "jacobian": lambda: fs.jacobian(product, wrt="x"),
    "hessian": lambda: fs.hessian(loss, wrt="x"),
    "threads": lambda: fs.grad(loss, wrt="x", threads=2),
    "no optimisation": lambda: fs.function(product, schedule="NONE"),
}


@pytest.mark.parametrize("name", VERBS)
def test_verbs(name: str) -> None:
    f = VERBS[name]()
    for _ in range(2):
        same(f(*GIVEN), f(*wide(GIVEN)))
    assert "const int32_t *" in f.c_source(*GIVEN)


@pytest.mark.parametrize("method", ["reverse", "tape"])
def test_pullbacks(method: str) -> None:
    f = fs.vjp(product, wrt=("data", "x"), method=method)
    (value, back), (value64, back64) = f(*GIVEN), f(*wide(GIVEN))
    same(value, value64)
    for cotangent in np.eye(3):
        same(back(cotangent), back64(cotangent))


def test_a_batch() -> None:
    f = fs.vmap(lambda k, x: x[k] * 2.0, in_axes=(0, None))
    k = np.array([[0, 1], [3, 2], [1, 1]], np.int32)
    for _ in range(2):
        same(f(k, X), f(wide(k), X))
        same(f(k, X), 2.0 * X[k])


def test_on_threads() -> None:
    def gathered(k, x):
        return [x[k[i]] * np.exp(x[k[i]]) for i in range(len(k))]

    rng = np.random.default_rng(0)
    k, x = rng.integers(0, 1000, 200_000).astype(np.int32), rng.random(1000)
    f = fs.function(gathered, threads=2)
    assert "fs_in_parallel(" in f.c_source(k, x)
    assert "const int32_t *" in f.c_source(k, x)
    same(f(k, x), f(wide(k), x))


def depth(k, x, i: int):
    return (
        x[k[i]] if i >= len(k) - 1 else depth(k, x, i + 1) * x[k[i]] + depth(k, x, i + 2 if i + 2 < len(k) else i + 1)
    )


def test_programs_that_call_themselves_convert() -> None:
    """Arrays that are handed on have 64 bits; calls with either width take the fast path."""
    f = fs.function(depth)
    assert "const int32_t *" not in f.c_source(COLUMNS, X, 0)
    wanted = f(wide(COLUMNS), X, 0)
    fast = f._fast
    assert f._fast(COLUMNS, X, 0) == wanted
    assert f(COLUMNS, X, 0) == wanted
    assert f._fast is fast


TABLE = np.array([2, 0, 1], np.int32)


def of_a_captured_one(x):
    return [x[TABLE[i]] for i in range(3)]


def test_captured_arrays() -> None:
    f = fs.function(of_a_captured_one)
    for _ in range(2):
        same(f(np.arange(3.0)), np.array([2.0, 0.0, 1.0]))
    same(f._fast(np.arange(3.0)), np.array([2.0, 0.0, 1.0]))


def test_programs_in_the_cache() -> None:
    """What one process compiled for one width, another does not take for the other."""

    def made() -> fs.Function:
        return fs.function(product)

    for given in (GIVEN, wide(GIVEN), GIVEN, wide(GIVEN)):
        np.testing.assert_allclose(made()(*given), WANTED, rtol=1e-15)
    far = (STARTS, np.array([1, 3, 0, 3, 2**32], np.int64), DATA, X)
    with pytest.raises(fs.ArgumentIndexError, match=rf"columns\[4\] is {2**32}"):
        made()(*far)


@pytest.mark.parametrize("memory", ["heap", "caller"])
def test_saved(tmp_path: Any, memory: str) -> None:
    """The width of the example decides."""
    f = fs.function(product)
    for given, word in ((GIVEN, "int32_t"), (wide(GIVEN), "int64_t")):
        source, header = f.save(tmp_path / word, *given, memory=memory)
        for text in (source.read_text(), header.read_text()):
            assert f"const {word} *" in text.replace("restrict ", "")
            assert f"{word} *columns" in text.replace("restrict ", "")


def test_results_in_given_memory() -> None:
    f = fs.function(lambda k: k)
    k = np.array([3, MOST], np.int32)
    out = np.zeros(2, np.int64)
    for _ in range(2):
        assert f(k, out=out) is out
        same(out, np.array([3, MOST]))
    with pytest.raises(fs.ArgumentError, match="dtype int64"):
        f(k, out=np.zeros(2, np.int32))


def test_explained() -> None:
    f = fs.function(product)
    assert "\n\nread as int32: starts, columns\n\n" in f.explain(*GIVEN)
    assert "read as int32: columns\n" in f.explain(wide(STARTS), *GIVEN[1:])
    assert "int32" not in f.explain(*wide(GIVEN))
    assert str(f.checks(*GIVEN)) == str(f.checks(*wide(GIVEN)))
    assert f.futhark(*GIVEN) == f.futhark(*wide(GIVEN))


def many(k, x):
    total = 0.0
    for i in range(len(k)):
        a = x[k[i]] * 2.0
        b = np.sin(a) + k[i]
        total += a * b
    y = [x[j] + k[0] for j in k]
    for i in range(len(y)):
        total += y[i] * k[i]
    return total, y


@pytest.mark.parametrize("most", [1, 4])
def test_in_functions_that_statements_are(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thresholds, "OUTLINED", most)
    for name in ("OUTLINED_FROM", "OUTLINED_STRAIGHT", "OUTLINED_LEAST"):
        monkeypatch.setattr(thresholds, name, 0)
    f = fs.function(many)
    assert "_outlined_1(" in f.c_source(COLUMNS, X)
    assert f.c_source(COLUMNS, X).count("const int32_t *restrict k") > 2
    same(f(COLUMNS, X), f(wide(COLUMNS), X))


FLAGS = ("-O1", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror")


@pytest.mark.parametrize(("memory", "flags"), [("heap", ()), ("caller", ()), ("caller", ("-DFS_NO_SIMD",))])
def test_what_is_saved_compiles(tmp_path: Any, memory: str, flags: tuple[str, ...]) -> None:
    source, _ = fs.grad(loss, wrt="x").save(tmp_path / "loss.c", *GIVEN, memory=memory)
    line = [
        *find_compiler().command,
        *FLAGS,
        "-Wno-unknown-pragmas",
        *flags,
        "-c",
        str(source),
        "-o",
        str(tmp_path / "loss.o"),
    ]
    made = subprocess.run(line, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr[:2000]

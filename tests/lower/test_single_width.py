"""Strips, written vectors, blocks and rows of float32: the numbers of float64, and vectors of their own."""

from __future__ import annotations

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.optimise.schedules import DEFAULT
from tests.frontend.python.test_programs import elaborated
from tests.lower.harness import STRICT, agree, compile_all, expected

RNG = np.random.default_rng(8)
SIZES = (0, 1, 5, 7, 8, 9, 63, 64, 65, 130, 200)


def mixture(means, scales, x):
    """Of n points in d dimensions: sums over the points of rows that are made for them (strips, kept sums)."""
    n, d, k = len(x), means.shape[1], len(means)

    def log_densities(j):
        centred = [[(x[i, c] - means[j, c]) * scales[j, c] for i in range(n)] for c in range(d)]
        return [-0.5 * sum(centred[c][i] ** 2 for c in range(d)) for i in range(n)]

    terms = [log_densities(j) for j in range(k)]
    return sum(fs.logsumexp([terms[j][i] for j in range(k)]) for i in range(n))


def turned(table, which, x):
    """Nine numbers an iteration, of rows of a table (blocks, transposed stores, rows)."""
    return [
        [np.sin(table[which[i], c % 6] * x[i] + c) * table[which[i], (c + 1) % 6] for c in range(9)]
        for i in range(len(x))
    ]


def norms(a, b):
    """Sums of neighbouring numbers (vectors)."""
    return [sum(u * v for u, v in zip(row, b, strict=True)) for row in a]


def arguments(n: int) -> dict[str, tuple[object, tuple[np.ndarray, ...]]]:
    normal = RNG.normal
    return {
        "mixture": (mixture, (normal(size=(3, 4)), normal(size=(3, 4)), normal(size=(n, 4)))),
        "turned": (turned, (normal(size=(5, 6)), RNG.integers(0, 5, n), normal(size=n))),
        "norms": (norms, (normal(size=(6, n)), normal(size=n))),
    }


def single(a: np.ndarray) -> np.ndarray:
    return a.astype(np.float32) if a.dtype == np.float64 else a


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", ["mixture", "turned", "norms"])
def test_values_and_slopes(name: str, n: int) -> None:
    program, given = arguments(n)[name]
    verbs = [fs.function]
    verbs += [lambda f: fs.grad(f, wrt=("means", "scales"), method="reverse")] if name == "mixture" else []
    verbs += [lambda f: fs.jacobian(f, wrt="x", method="forward")] if name == "turned" else []
    for verb in verbs:
        function = verb(program)
        wanted, found = function(*given), function(*map(single, given))
        for a, b in zip(*[r if isinstance(r, tuple) else (r,) for r in (wanted, found)], strict=True):
            assert np.asarray(b).dtype == np.float32 or np.ndim(b) == 0
            np.testing.assert_allclose(b, a, rtol=2e-3, atol=2e-4 * max(1.0, float(np.max(np.abs(a), initial=0.0))))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mixture", ("FS_LANES_AT_f32",)),
        ("turned", ("fs_rows_f32(table", "fs_transpose_f32(&")),
        ("norms", ("fs_lanes_sum_f32(&",)),
    ],
)
def test_vectors_of_float32(name: str, words: tuple[str, ...]) -> None:
    """Written where those of float64 are."""
    program, given = arguments(200)[name]
    source, double = fs.function(program).c_source(*map(single, given)), fs.function(program).c_source(*given)
    for word in words:
        assert word in source
        assert word.replace("_f32", "") in double
        assert "_f32" not in double.replace("fs_product_f32", "")


@pytest.mark.parametrize("machine", [(), ("-mavx2",), ("-march=native",)], ids=str)
def test_machines(machine: tuple[str, ...]) -> None:
    """With vectors of 4 and of 8."""
    for n in (7, 8, 65, 200):
        given = [(program, [single(a) for a in values]) for program, values in arguments(n).values()]
        terms = [elaborated(program, *values).term for program, values in given]
        for kernel, term, (_, values) in zip(
            compile_all([DEFAULT(term) for term in terms], (*STRICT, *machine)), terms, given, strict=True
        ):
            agree(kernel(*values), expected(term, *values), 2e-4 * n)

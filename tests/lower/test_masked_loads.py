"""Elements that are read side by side under a condition: gcc before 12.4 makes wrong vectors of them (its PR 114375)."""

from __future__ import annotations

import numpy as np
import pytest

import fsmooth as fs


def swapped(x, k):
    table = x.reshape(-1, 2)
    return np.array([[table[i, 1], table[i, 0]] if i < k else [1.0, 2.0] for i in range(len(table))])


def swapped_in_a_loop(x, k):
    y = np.zeros(len(x))
    for i in range(len(x) // 2):
        for j in range(2):
            y[2 * i + j] = x[2 * i + 1 - j] if i < k else 3.0
    return y


def products(x, k):
    def pair(a, b):
        return [a**2 + b, a * b - b]

    return np.array([pair(x[2 * i], x[2 * i + 1]) if i < k else [0.5, 1.0] for i in range(len(x) // 2)])


def reversed_fours(x, k):
    table = x.reshape(-1, 4)
    return np.array([table[i, ::-1] if i < k else np.ones(4) for i in range(len(x) // 4)])


def repeated(x, k):
    table = x.reshape(-1, 2)
    return np.block([[table, table], [table, k * table]])


def sums(x, k):
    even, odd = 0.0, 0.0
    y = np.zeros((len(x) // 2, 2))
    for i in range(len(x) // 2):
        if i < k:
            even += x[2 * i]
            odd += x[2 * i + 1]
            y[i] = np.array([x[2 * i + 1], x[2 * i]])
    return even, odd, y


@pytest.mark.parametrize("f", [swapped, swapped_in_a_loop, products, reversed_fours, repeated, sums])
def test_elements_stay_in_their_order(f) -> None:
    x = np.random.default_rng(0).normal(size=32)
    tangent = np.cos(np.arange(32.0))
    step = 1e-6
    for k in (0, 3, 7, 16):
        given, tangents = fs.jvp(f, wrt="x")(x, k, tangent=tangent)
        alike(fs.function(f)(x, k), f(x, k), 1e-14)
        alike(given, f(x, k), 1e-14)
        up, down = listed(f(x + step * tangent, k)), listed(f(x - step * tangent, k))
        alike(tangents, tuple([(a - b) / (2 * step) for a, b in zip(up, down, strict=True)]), 1e-7)


def blocks_of_known_width(u):
    """That u has six columns is compared while it runs; from there on gcc knows the length of the inner loops."""
    a = u[:3, :4] * u[:3, 1:5] + 0.1
    return (
        np.blackman(6) * u[0],
        np.block([[a, a], [a, 2.0 * a]]),
        np.broadcast_arrays(a, u[0, :4])[1],
        a[:, :1] + u[3, :4],
    )


def test_loops_whose_length_is_found_out_by_a_comparison() -> None:
    u, tangent = np.random.default_rng(0).normal(size=(4, 6)), np.cos(np.arange(24.0)).reshape(4, 6)

    given, tangents = fs.jvp(blocks_of_known_width)(u, tangent=tangent)
    up, down = [blocks_of_known_width(u + s * tangent) for s in (1e-6, -1e-6)]
    alike(given, blocks_of_known_width(u), 1e-14)
    alike(tangents, tuple([(a - b) / 2e-6 for a, b in zip(up, down, strict=True)]), 1e-7)


def alike(given, expected, rtol: float) -> None:
    for mine, theirs in zip(listed(given), listed(expected), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=rtol, atol=rtol)


def listed(result):
    return result if isinstance(result, tuple) else (result,)


def is_marked(f, *arguments) -> bool:
    return "#ifdef FS_PERMUTES_MASKED" in fs.function(f).c_source(*arguments)


def test_only_loops_with_a_condition_over_elements_side_by_side_are_marked() -> None:
    x = np.ones(32)
    pairs = x.reshape(16, 2)
    some = np.zeros(16, int)
    assert is_marked(swapped_in_a_loop, x, 3)
    assert is_marked(lambda p, k: np.array([[q[1], q[0]] if i < k else [1.0, 2.0] for i, q in enumerate(p)]), pairs, 3)
    assert not is_marked(lambda p: np.array([[q[1], q[0]] for q in p]), pairs)
    assert not is_marked(lambda p, k: np.array([q[1] - q[0] if i < k else 1.0 for i, q in enumerate(p)]), pairs, 3)
    assert not is_marked(lambda x, k: np.array([[a, 2.0 * a] if i < k else [1.0, 2.0] for i, a in enumerate(x)]), x, 3)
    assert not is_marked(lambda x, t, k: np.array([[x[i], x[i + 1]] if i < k else [1.0, 2.0] for i in t]), x, some, 3)

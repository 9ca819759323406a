"""Broadcasting as NumPy has it: values against NumPy, derivatives in both modes against central differences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.library import parse

A = np.array([[0.3, -1.2, 2.0], [0.7, 1.1, -0.4]])
V = np.array([0.5, 1.5, -2.0])
W = np.array([1.25, -0.75])
T = np.linspace(-1.0, 1.0, 12).reshape(2, 2, 3)


def against_a_column(a, w):  # type: ignore[no-untyped-def]
    return a * [[w[0]], [w[1]]] + np.array([[1.0], [2.0]])


def carried(a, w):  # type: ignore[no-untyped-def]
    """The size 1 of a row is known through a loop."""
    row = np.zeros((1, 2)) + w
    for _ in range(3):
        row = row * 0.5 + w
    return row * np.ones((4, 1)) + a[0, 0]


def in_a_branch(a, w):  # type: ignore[no-untyped-def]
    return a.T * w if a[0, 0] > 0 else a.T - w


def annotated(a, w: fs.Array[2, 1]):  # type: ignore[no-untyped-def]
    return a * w


def assigned(a, w):  # type: ignore[no-untyped-def]
    a = a.T.copy()
    a *= w
    a += 1.0
    return a


PROGRAMS: list[tuple[Callable[..., object], tuple[np.ndarray, ...]]] = [
    (lambda a, v: a + v, (A, V)),
    (lambda v, a: v - a, (V, A)),
    (lambda t, v: t * v, (T, V)),
    (lambda t, a: t / (2.0 + a * a), (T, A)),
    (lambda t, a, v: np.arctan2(t, a) * np.maximum(a, v), (T, A, V)),
    (lambda a, v: np.where(v > 0.0, a, v), (A, V)),
    (lambda a, v: np.where(a > v, a, 2.0 * v), (A, V)),
    (lambda a, v: (a > v) * a, (A, V)),
    (lambda a, v: np.clip(a, v - 1.0, v + 0.5), (A, V)),
    (lambda a, v: (a * a + 1.0) ** v, (A, V)),
    (against_a_column, (A, W)),
    (carried, (A, W)),
    (in_a_branch, (A, W)),
    (assigned, (A, W)),
    (annotated, (A, W.reshape(2, 1))),
]


@pytest.mark.parametrize(("program", "arguments"), PROGRAMS, ids=range(len(PROGRAMS)))
def test_values_and_derivatives(program: Callable[..., object], arguments: tuple[np.ndarray, ...]) -> None:
    expected = np.asarray(program(*[a.copy() for a in arguments]))
    np.testing.assert_allclose(fs.function(program)(*arguments), expected, rtol=1e-14)
    names = tuple(range(len(arguments)))
    reverse = fs.jacobian(program, wrt=names, method="reverse")(*arguments)
    forward = fs.jacobian(program, wrt=names, method="forward")(*arguments)
    for k, argument in enumerate(arguments):

        def at(x: np.ndarray, k: int = k) -> np.ndarray:
            return np.asarray(program(*[x if j == k else a.copy() for j, a in enumerate(arguments)]))

        wanted = central(at, argument)
        np.testing.assert_allclose(reverse[k], wanted, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(forward[k], wanted, rtol=1e-6, atol=1e-8)


def central(f: Callable[[np.ndarray], np.ndarray], x: np.ndarray, h: float = 1e-5) -> np.ndarray:
    columns = []
    for k in range(x.size):
        step = np.zeros(x.size)
        step[k] = h
        columns.append((f(x + step.reshape(x.shape)) - f(x - step.reshape(x.shape))) / (2 * h))
    return np.stack(columns, axis=-1).reshape(*columns[0].shape, *x.shape)


def test_hessian_through_a_broadcast() -> None:
    def f(v):  # type: ignore[no-untyped-def]
        return np.sum((A * v) ** 3)

    expected = np.diag(6.0 * np.sum(A**3, axis=0) * V)
    np.testing.assert_allclose(fs.hessian(f)(V), expected, rtol=1e-13)


def test_the_reverse_of_a_broadcast_is_a_sum_without_a_temporary() -> None:
    gradient = fs.grad(lambda a, v: np.sum(a * v), wrt=1, method="reverse")
    np.testing.assert_allclose(gradient(A, V), A.sum(axis=0), rtol=1e-15)
    assert "fs_take" not in gradient.c_source(A, V)


def test_a_broadcast_that_is_read_twice_by_one_element_is_not_stored() -> None:
    def f(a, v, w):  # type: ignore[no-untyped-def]
        return np.sum(((a - v) * w[:, None]) ** 2) + np.sum((a - 0.5 * a) ** 2)

    gradient = fs.grad(f, wrt=("a", "v", "w"))
    centred = (A - V) * W[:, None]
    np.testing.assert_allclose(fs.function(f)(A, V, W), np.sum(centred**2) + np.sum(A**2) / 4.0, rtol=1e-14)
    by_a, by_v, by_w = gradient(A, V, W)
    np.testing.assert_allclose(by_a, 2.0 * centred * W[:, None] + 0.5 * A, rtol=1e-14)
    np.testing.assert_allclose(by_v, -2.0 * (centred * W[:, None]).sum(axis=0), rtol=1e-14)
    np.testing.assert_allclose(by_w, 2.0 * (centred * (A - V)).sum(axis=1), rtol=1e-14)
    assert "fs_take" not in fs.function(f).c_source(A, V, W)
    assert "fs_take" not in gradient.c_source(A, V, W)


def test_sizes_are_compared_before_the_loops() -> None:
    with pytest.raises(fs.SizeError, match="sizes 3 and 2 differ"):
        fs.function(lambda a, w: a + w)(A, W)
    with pytest.raises(
        fs.SizeError, match="sizes 3 and 2 differ"
    ):  # NumPy's too is an error, though there is nothing to add
        fs.function(lambda a, w: a + w)(np.zeros((0, 3)), W)


def test_a_size_of_one_that_is_found_out_at_run_time_says_how_to_write_it() -> None:
    def f(a, b):  # type: ignore[no-untyped-def]
        return a + b

    with pytest.raises(fs.SizeError) as caught:
        fs.function(f)(A, np.ones((1, 3)))
    assert str(caught.value).splitlines()[-1] == (
        "  hint: give arrays of equal size; element by element a size of 1 is stretched if it is known while compiling: "
        'write x[0] or x[:1], or annotate the argument, fs.Array["n", 1]'
    )


def test_sizes_that_differ_while_compiling() -> None:
    with pytest.raises(fs.ProgramError, match="sizes 2 and 3 differ"):
        fs.function(lambda x: np.array([x, x]) * np.array([[x], [x], [x]])[:, 0])(1.0)


def test_named_functions_in_text() -> None:
    term = parse("fun (a: Array<Array<Float>>) (v: Array<Float>) -> maximum a v")
    assert "length a 1 == length v" in repr(term)

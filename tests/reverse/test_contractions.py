"""Convolutions and other contractions: products of matrices in loops, forwards and backwards, in all modes."""

# ruff: noqa: F821, UP037  (the names of sizes in fs.Array["n", 3])
from __future__ import annotations

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

import fsmooth as fs
from fsmooth.loops import tree as t
from fsmooth.loops.usage import walk

RNG = np.random.default_rng(11)
W, X = RNG.normal(size=(9, 10, 3, 2)), RNG.normal(size=(10, 14, 13))
DW, DX = RNG.normal(size=W.shape), RNG.normal(size=X.shape)


def multiplications(function: fs.Function, *args: object) -> list[t.Multiply]:
    return [s for s in walk(function.compiled(*args).loops.kernel.body) if isinstance(s, t.Multiply)]


def convolution(w: fs.Array["o", "c", 3, 2], x: fs.Array["c", "p", "q"]):
    return [
        [
            [
                sum(w[o, c, a, e] * x[c, i + a, j + e] for c in range(x.shape[0]) for a in range(3) for e in range(2))
                for j in range(x.shape[2] - 1)
            ]
            for i in range(x.shape[1] - 2)
        ]
        for o in range(w.shape[0])
    ]


def of_any_size(w: fs.Array["o", "c", "s", "r"], x: fs.Array["c", "p", "q"]):
    _, channels, s, r = w.shape
    return [
        [
            [
                sum(w[o, c, a, e] * x[c, i + a, j + e] for a in range(s) for e in range(r) for c in range(channels))
                for j in range(x.shape[2] - r + 1)
            ]
            for i in range(x.shape[1] - s + 1)
        ]
        for o in range(w.shape[0])
    ]


def with_strides(w: fs.Array["o", "c", 3, 2], x: fs.Array["c", "p", "q"]):
    n, m = (x.shape[1] - 1) // 2, (x.shape[2] + 1) // 4
    return [
        [
            [
                sum(
                    w[o, c, a, e] * x[c, 2 * i + a, 3 * j + e]
                    for c in range(x.shape[0])
                    for a in range(3)
                    for e in range(2)
                )
                for j in range(m)
            ]
            for i in range(n)
        ]
        for o in range(w.shape[0])
    ]


def in_numpy(w, x, down=1, along=1, columns=None):
    windows = sliding_window_view(x, w.shape[2:], (1, 2))[:, ::down, ::along][:, :, :columns]
    return np.einsum("ocae,cijae->oij", w, windows)


def back_in_numpy(w, x, r, down=1, along=1):
    w_bar, x_bar = np.zeros_like(w), np.zeros_like(x)
    for a in range(w.shape[2]):
        for e in range(w.shape[3]):
            rows = slice(a, a + down * (r.shape[1] - 1) + 1, down)
            columns = slice(e, e + along * (r.shape[2] - 1) + 1, along)
            w_bar[:, :, a, e] = np.einsum("oij,cij->oc", r, x[:, rows, columns])
            x_bar[:, rows, columns] += np.einsum("oij,oc->cij", r, w[:, :, a, e])
    return w_bar, x_bar


PROGRAMS = [(convolution, {}, 1), (of_any_size, {}, 1), (with_strides, {"down": 2, "along": 3, "columns": 3}, 1)]


@pytest.mark.parametrize(("program", "how", "count"), PROGRAMS)
def test_convolutions(program, how, count) -> None:
    """One product in loops over what is no axis of a matrix, also with strides."""
    f = fs.function(program)
    np.testing.assert_allclose(f(W, X), in_numpy(W, X, **how), rtol=1e-12, atol=1e-12)
    assert len(multiplications(f, W, X)) == count
    value, pullback = fs.vjp(program, wrt=("w", "x"), method="reverse")(W, X)
    r = RNG.normal(size=value.shape)
    steps = {k: v for k, v in how.items() if k != "columns"}
    for found, wanted in zip(pullback(r), back_in_numpy(W, X, r, **steps), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_gradient(dtype) -> None:
    """The sines are computed from the whole convolution, and nothing of it again."""

    def f(w: fs.Array["o", "c", 3, 2], x: fs.Array["c", "p", "q"]):
        return np.sum(np.sin(np.array(convolution(w, x))))

    g = fs.value_and_grad(f, wrt=("w", "x"), method="reverse")
    w, x = W.astype(dtype), X.astype(dtype)
    value, found = g(w, x)
    y = in_numpy(W, X)
    tolerance = 1e-11 if dtype is np.float64 else 2e-4
    np.testing.assert_allclose(value, np.sin(y).sum(), rtol=tolerance)
    for one, wanted in zip(found, back_in_numpy(W, X, np.cos(y)), strict=True):
        assert one.dtype == dtype
        np.testing.assert_allclose(one, wanted, rtol=tolerance, atol=tolerance)
    assert len(multiplications(g, w, x)) == 3


def test_forward_mode_and_second_derivatives() -> None:
    _, tangent = fs.jvp(convolution, wrt=("w", "x"))(W, X, tangent=(DW, DX))
    np.testing.assert_allclose(tangent, in_numpy(DW, X) + in_numpy(W, DX), rtol=1e-11, atol=1e-12)

    def f(w: fs.Array["o", "c", 3, 2], x: fs.Array["c", "p", "q"]):
        return np.sum(np.array(convolution(w, x)) ** 2)

    h = fs.hvp(f, wrt="x")(W, X, tangent=DX)
    np.testing.assert_allclose(h, back_in_numpy(W, X, 2 * in_numpy(W, DX))[1], rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize(
    ("w", "x"),
    [
        ((0, 10, 3, 2), (10, 14, 13)),
        ((9, 0, 3, 2), (0, 14, 13)),
        ((9, 10, 3, 2), (10, 2, 13)),
        ((9, 10, 3, 2), (10, 1, 1)),
    ],
)
def test_where_there_is_nothing(w, x) -> None:
    """No element, no channel, or a picture smaller than the kernel: nothing is read, and sums are zero."""
    f = fs.function(convolution)(np.ones(w), np.ones(x))
    assert np.shape(f) == (w[0], max(x[1] - 2, 0), max(x[2] - 1, 0))
    assert not np.any(f)
    g = fs.grad(lambda w, x: np.sum(np.array(of_any_size(w, x)) ** 2), wrt=("w", "x"), method="reverse")
    for found, shape in zip(g(np.ones(w), np.ones(x)), (w, x), strict=True):
        assert found.shape == shape
        assert not np.any(found)


@pytest.mark.parametrize(
    ("text", "shapes"),
    [
        ("ijk,jkl->il", ((9, 10, 11), (10, 11, 12))),
        ("ijk,kjl->il", ((9, 10, 11), (11, 10, 12))),
        ("aij,jka->ik", ((9, 10, 11), (11, 12, 9))),
        ("bij,bjk->bik", ((3, 10, 11), (3, 11, 12))),
        ("ibj,jk->bik", ((9, 3, 11), (11, 12))),
        ("ij,jkab->iabk", ((9, 10), (10, 11, 2, 3))),
    ],
)
def test_einsum(text, shapes) -> None:
    """Products summed up over further axes, and for each index of others."""
    a, b = [RNG.normal(size=s) for s in shapes]

    def f(a, b):
        return np.sum(np.sin(np.einsum(text, a, b)))

    g = fs.grad(f, wrt=("a", "b"), method="reverse")
    r = np.cos(np.einsum(text, a, b))
    one, other, result = [text.replace("->", ",").split(",")[k] for k in range(3)]
    wanted = np.einsum(f"{result},{other}->{one}", r, b), np.einsum(f"{one},{result}->{other}", a, r)
    for found, right in zip(g(a, b), wanted, strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-11, atol=1e-12)
    assert len(multiplications(g, a, b)) == 3


def test_what_a_kernel_reads_across_its_array_is_copied_once() -> None:
    """The weights of a convolution, in the order of its matrices, before the loop over the rows of the picture."""
    kernel = fs.function(convolution).compiled(W, X).loops.kernel
    (copy,) = [s for s in walk(kernel.body) if isinstance(s, t.Allocate)]
    (product,) = multiplications(fs.function(convolution), W, X)
    assert product.left.buffer == copy.buffer
    assert copy in kernel.body

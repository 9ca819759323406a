"""Values chosen by conditions, arrays made from formulas, sets of integers, as NumPy has them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.arrays.agreement import agree

A = np.random.default_rng(3).normal(size=(3, 5))
K = np.array([3, 0, 2, 3, 1])


def chosen_and_made(a):
    x = a[0]
    return (
        np.select([x < -0.5, x < 0.5], [x * x, 2 * x], 7.0),
        np.piecewise(x, [x < 0.0, x >= 0.0], [lambda v: -v, lambda v: v * v]),
        np.choose(K, [x, 2 * x, 3 * x, x * x]),
        np.nan_to_num(x),
        np.unwrap(5 * x),
        np.logspace(0.0, x[0], 5),
        np.geomspace(1.0, 4.0, 5) * x[1],
        np.linspace(x[0], x[1], 5, endpoint=False),
        np.eye(3, k=1) * x[0],
        np.eye(3, 4) * x[0],
        np.hanning(5) * x,
        np.hamming(5) * x,
        np.blackman(5) * x,
        np.bartlett(5) * x,
    )


def arranged_and_sets(a):
    x = a[0]
    return (
        np.poly(x),
        np.apply_along_axis(np.sum, 0, a),
        np.apply_along_axis(lambda v: v[::-1], 1, a),
        np.resize(x, (2, 4)),
        np.rollaxis(np.expand_dims(a, 0), 2),
        np.matrix_transpose(a),
        np.matvec(a, x),
        np.vecmat(a[:, 0], a),
        np.fromfunction(lambda i, j: i + 2.0 * j, (3, 4)) * x[0],
        np.indices((2, 3)) * x[0],
        np.real(x),
        np.imag(x),
        np.conj(x),
        np.angle(x),
        np.isreal(x),
        np.isin(K, [0, 3]),
        np.union1d(K, [7, 1]),
        np.setdiff1d(K, [3]),
        np.intersect1d(K, [3, 0, 9]),
        np.nanmedian(a, axis=0),
        np.ravel_multi_index((1, 2), (3, 4)),
    )


@pytest.mark.parametrize("program", [chosen_and_made, arranged_and_sets])
def test_as_numpy(program) -> None:
    agree(program, A)

"""Linear algebra against NumPy and SciPy: values, derivatives of both modes, Hessians, batches, and what is singular."""

from __future__ import annotations

import re

import numpy as np
import pytest
import scipy.linalg

import fsmooth as fs
from tests.arrays.agreement import agree

_RANDOM = np.random.default_rng(3)
A = _RANDOM.normal(size=(3, 3))
B = _RANDOM.normal(size=(3, 2))
V = B[:, 0]
P = A @ A.T + np.eye(3)
TALL, WIDE = _RANDOM.normal(size=(4, 2)), _RANDOM.normal(size=(2, 4))
S = np.stack([A + 2.0 * np.eye(3), A.T - np.eye(3)])


def equations(a):
    """Some are used twice: the factors are found once."""
    x = np.linalg.solve(a, V)
    sign, logarithm = np.linalg.slogdet(a)
    return x, np.linalg.solve(a, B), np.linalg.inv(a), np.linalg.det(a), sign, logarithm, np.linalg.solve(a.T, x)


def of_definite(p):
    lower = np.linalg.cholesky(p)
    factor = scipy.linalg.cho_factor(p)
    return (
        lower,
        np.linalg.cholesky(p, upper=True),
        scipy.linalg.cholesky(p),
        scipy.linalg.cho_solve((lower, True), V),
        scipy.linalg.cho_solve(factor, B),
        scipy.linalg.solve(p, V),
        scipy.linalg.eigh(p, eigvals_only=True),
        np.abs(np.linalg.eigh(p).eigenvectors),
    )


def triangles(a):
    p, lower, upper = scipy.linalg.lu(a)
    return (
        p,
        lower,
        upper,
        scipy.linalg.solve_triangular(a, V),
        scipy.linalg.solve_triangular(a, B, lower=True),
        scipy.linalg.solve_triangular(a, B, trans=1),
        scipy.linalg.solve_triangular(a, V, trans="T", lower=True, unit_diagonal=True),
        scipy.linalg.lu_factor(a)[0],
        scipy.linalg.lu_solve(scipy.linalg.lu_factor(a), V),
        scipy.linalg.expm(a),
        scipy.linalg.expm(6.0 * a) / 100.0,
        np.linalg.matrix_power(a, 5),
        np.linalg.matrix_power(a, -2),
    )


def orthogonal(a):
    q, r = np.linalg.qr(a)
    wide_q, wide_r = np.linalg.qr(a.T)
    return q, r, wide_q, wide_r, np.linalg.qr(a, mode="r")


def singular(a):
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return np.abs(u), s, np.abs(vh), np.linalg.svd(a.T, compute_uv=False), np.linalg.pinv(a.T)


def least_squares(a):
    """What is wide: test_derivatives_of_least_squares_of_any_scale."""
    return np.linalg.lstsq(a, np.array([1.0, -2.0, 0.5, 0.3]), rcond=None)


def least_squares_of_columns(a):
    """Of several right sides, which move with the matrix."""
    return (np.linalg.lstsq(a, a[:, :1] ** 2 * V, rcond=None)[0],)


def norms(a):
    v = a[0]
    return (
        np.linalg.norm(a), np.linalg.norm(a, 1), np.linalg.norm(a, -1), np.linalg.norm(a, 2), np.linalg.norm(a, -2),
        np.linalg.norm(a, np.inf), np.linalg.norm(a, -np.inf), np.linalg.norm(a, "fro"), np.linalg.norm(a, "nuc"),
        np.linalg.norm(v), np.linalg.norm(v, 1), np.linalg.norm(v, 3), np.linalg.norm(v, np.inf), np.linalg.norm(v, 0),
        np.linalg.norm(a, axis=0), np.linalg.norm(a, axis=1, keepdims=True), np.linalg.norm(a, 1, axis=-1),
        np.linalg.norm(a, axis=(0, 1)), scipy.linalg.norm(a, 1), np.linalg.cond(a, 1), np.linalg.matrix_rank(a),
    )  # fmt: skip


def batches(s):
    return np.linalg.solve(s, B), np.linalg.solve(s, V), np.linalg.inv(s), np.linalg.det(s), np.linalg.slogdet(s)[1]


def definite_batches(s):
    p = s @ np.swapaxes(s, 1, 2) + np.eye(3)
    return np.linalg.cholesky(p), np.linalg.eigvalsh(p), np.linalg.svd(s, compute_uv=False), np.linalg.qr(s)[1]


@pytest.mark.parametrize(
    ("program", "argument"),
    [
        (equations, A), (of_definite, P), (triangles, A), (orthogonal, TALL), (singular, TALL), (least_squares, TALL),
        (least_squares_of_columns, TALL), (norms, A), (batches, S), (definite_batches, S),
    ],
)  # fmt: skip
def test_as_numpy(program, argument) -> None:
    agree(program, argument)


def test_other_shapes() -> None:
    """The same compiled programs at other sizes; orthogonal and singular of what is wide."""
    agree(orthogonal, WIDE)
    agree(singular, WIDE)
    random = np.random.default_rng(4)
    solve, eigh = fs.function(lambda a, b: np.linalg.solve(a, b)), fs.function(lambda a: np.linalg.eigh(a))
    for n in (1, 2, 7, 40):
        a, b = random.normal(size=(n, n)), random.normal(size=n)
        np.testing.assert_allclose(solve(a, b), np.linalg.solve(a, b), rtol=1e-9)
        p = a + a.T
        w, v = eigh(p)
        np.testing.assert_allclose(w, np.linalg.eigvalsh(p), rtol=0, atol=1e-13 * n)
        np.testing.assert_allclose(p @ v, v * w, rtol=0, atol=1e-13 * n)
        np.testing.assert_allclose(v.T @ v, np.eye(n), rtol=0, atol=1e-13 * n)


_N = np.arange(12.0)
HARD = {
    "graded": 10.0 ** -(2.0 * _N)[:, None] * np.random.default_rng(7).normal(size=(12, 12)),
    "graded the other way": 10.0 ** (2.0 * _N - 22.0)[:, None] * np.random.default_rng(7).normal(size=(12, 12)),
    "nothing on the diagonal": np.diag(np.ones(7), 1),
    "a zero on the diagonal": np.diag([1.0, 2.0, 0.0, 3.0, 4.0]) + np.diag([1.0, 1.0, 1.0, 1.0], 1),
    "a zero at the end": np.diag([1.0, 2.0, 3.0, 0.0]) + np.diag([1.0, 1.0, 1.0], 1),
    "Hilbert": 1.0 / (1.0 + _N[:, None] + _N),
    "values in pairs": np.kron(np.eye(4), np.array([[0.0, 1.0], [-1.0, 0.0]])) * np.repeat([1.0, 1.0, 1e-3, 5.0], 2),
    "rank 1": np.outer(_N, _N[:5] - 2.0),
    "nothing": np.zeros((4, 6)),
    "a few tiny ones": np.array([[1.0, 1e-170, 0.0], [0.0, 1e-170, 1e-170], [1e-170, 0.0, 1e-170]]),
    "one row": np.array([[3.0, -4.0, 0.0]]),
    "large": np.random.default_rng(8).normal(size=(90, 70)),
}


@pytest.mark.parametrize("name", HARD)
def test_singular_values_of(name: str) -> None:
    program = fs.function(lambda a: np.linalg.svd(a, full_matrices=False))
    for a in (HARD[name], HARD[name].T):
        u, s, vh = program(a)
        size = max(a.shape) * 2e-15
        np.testing.assert_allclose(s, np.linalg.svd(a, compute_uv=False), rtol=0, atol=size * s[0])
        np.testing.assert_allclose((u * s) @ vh, a, rtol=0, atol=size * s[0])
        np.testing.assert_allclose(u.T @ u, np.eye(len(s)), rtol=0, atol=size)
        np.testing.assert_allclose(vh @ vh.T, np.eye(len(s)), rtol=0, atol=size)


HESSIANS = {
    "solve": lambda a: np.sum(np.linalg.solve(a, V) ** 2),
    "slogdet": lambda a: np.linalg.slogdet(a)[1],
    "cholesky": lambda a: np.sum(np.linalg.cholesky(a @ a.T + np.eye(3)) ** 3),
    "eigh": lambda a: np.sum(np.linalg.eigh(a + a.T)[1] ** 4 * np.array([1.0, 2.0, 5.0])),
    "lstsq": lambda a: np.sum(np.linalg.lstsq(a[:, :2], a[:, 2], rcond=None)[0] ** 2),
}


@pytest.mark.parametrize("name", HESSIANS)
def test_hessian_products(name: str) -> None:
    program = HESSIANS[name]
    tangent = np.random.default_rng(6).normal(size=(3, 3))
    gradient = fs.grad(program)
    difference = (gradient(A + 1e-6 * tangent) - gradient(A - 1e-6 * tangent)) / 2e-6
    product = fs.hvp(program)(A, tangent=tangent)
    np.testing.assert_allclose(product, difference, rtol=0, atol=1e-7 * max(1.0, np.abs(difference).max()))


def test_eigenvalues_that_are_equal_have_a_first_derivative() -> None:
    gradient = fs.grad(lambda a: np.sum(np.linalg.eigvalsh(a) ** 2))(2.0 * np.eye(3))
    np.testing.assert_allclose(gradient, 4.0 * np.eye(3), atol=1e-14)


@pytest.mark.parametrize("scale", [0.0, 1e-200, 1.0, 1e200])
def test_of_any_scale(scale: float) -> None:
    p = np.ones((3, 3)) * scale
    w, v = fs.function(lambda a: np.linalg.eigh(a))(p)
    np.testing.assert_allclose(w, np.array([0.0, 0.0, 3.0]) * scale, rtol=0, atol=1e-15 * scale)
    u, s, vh = fs.function(lambda a: np.linalg.svd(a))(p)
    np.testing.assert_allclose((u * s) @ vh, p, rtol=0, atol=1e-15 * scale)
    np.testing.assert_allclose(u.T @ u, np.eye(3), atol=1e-15)
    np.testing.assert_allclose(np.abs(v.T @ v), np.eye(3), atol=1e-15)


OF_LEAST_SQUARES = fs.grad(lambda a, b: np.sum(np.linalg.lstsq(a, b, rcond=None)[0]), wrt=("a", "b"))


@pytest.mark.parametrize("shape", [(6, 4), (4, 6)])
@pytest.mark.parametrize("scale", [1e-140, 1e140])
def test_derivatives_of_least_squares_of_any_scale(shape: tuple[int, int], scale: float) -> None:
    """They are of the size of 1 / scale², which is still a number; nothing of the size of its square is made."""
    random = np.random.default_rng(4)
    a, b = random.normal(size=shape), random.normal(size=shape[0])
    by_a, by_b = OF_LEAST_SQUARES(a, b)
    of_a, of_b = OF_LEAST_SQUARES(scale * a, b)
    np.testing.assert_allclose(of_a * scale * scale, by_a, rtol=0, atol=1e-12 * np.abs(by_a).max())
    np.testing.assert_allclose(of_b * scale, by_b, rtol=0, atol=1e-12 * np.abs(by_b).max())


def test_products_of_expm_are_along_rows() -> None:
    source = fs.function(lambda a: scipy.linalg.expm(a)).c_source(A)
    assert not re.findall(r"sum\w* \+= [^;]*\[k\w* \* a_n1 \+ j", source)


def test_singular_matrices() -> None:
    """NumPy's error, at the user's line; the determinant is 0."""
    ones = np.ones((3, 3))
    inverse = fs.function(lambda a: np.linalg.inv(a))
    with pytest.raises(np.linalg.LinAlgError, match="the matrix is singular") as caught:
        inverse(ones)
    assert isinstance(caught.value, fs.MatrixError)
    assert "np.linalg.inv(a))" in str(caught.value)
    with pytest.raises(fs.MatrixError, match="the matrix is not positive definite"):
        fs.function(lambda a: np.linalg.cholesky(a))(-ones)
    assert np.array_equal(inverse(2.0 * np.eye(3)), 0.5 * np.eye(3))
    sign, logarithm = fs.function(lambda a: np.linalg.slogdet(a))(ones)
    assert (fs.function(lambda a: np.linalg.det(a))(ones), sign, logarithm) == (0.0, 0.0, -np.inf)
    with pytest.raises(fs.SizeError):
        inverse(np.ones((2, 3)))
    nan = np.full((3, 3), np.nan)
    w, _ = fs.function(lambda a: np.linalg.eigh(a))(nan)
    assert np.isnan(inverse(nan)).all()
    assert np.isnan(w).all()


def test_single_precision() -> None:
    x = fs.function(lambda a: np.linalg.solve(a, a[0]))(A.astype(np.float32))
    assert x.dtype == np.float32
    np.testing.assert_allclose(x, np.linalg.solve(A, A[0]), rtol=1e-4)


def test_integers() -> None:
    a = np.array([[2, 1], [1, 3]])
    np.testing.assert_allclose(fs.function(lambda a: np.linalg.inv(a))(a), np.linalg.inv(a), rtol=1e-15)


def one_by_one(x):
    a, b, c = np.array([[x[0]]]), np.array([x[1]]), np.array([[x[1], x[2]]])
    sign, logarithm = np.linalg.slogdet(a)
    return (
        np.linalg.solve(a, b),
        np.linalg.solve(a, c),
        np.linalg.inv(a),
        np.linalg.inv(a[None]),
        np.linalg.det(a),
        sign,
        logarithm,
        np.linalg.cholesky(a * a),
    )


def test_matrices_known_to_have_one_element_are_numbers() -> None:
    agree(one_by_one, np.array([-2.0, 3.0, 5.0]))
    assert "for (" not in fs.function(one_by_one).c_source(np.ones(3)).split("one_by_one(")[1]


def test_a_matrix_known_to_have_one_element_may_be_singular() -> None:
    for name in ("inv", "cholesky"):
        f = getattr(np.linalg, name)
        with pytest.raises(fs.MatrixError):
            fs.function(lambda x, f=f: f(np.array([[x]])))(0.0)
    with pytest.raises(fs.ConstantSizeError):
        fs.function(lambda x: np.linalg.inv(np.array([[x, x]])))(1.0)
    with pytest.raises(fs.SizeError):
        fs.function(lambda x: np.linalg.solve(np.array([[x[0]]]), x))(np.ones(2))

"""Every workload against NumPy (complex steps or a closed form), on problems that are made and on the suites' files."""

import functools
import math

import numpy as np
import pytest
from benchmarks.workloads import (
    ba,
    det,
    files,
    gmm,
    hand,
    hello,
    in_numpy,
    kmeans,
    llsq,
    lse,
    lstm,
    nnmf,
    ode,
    particle,
    saddle,
    scalar_recurrence,
    tanh_recurrence,
)

import fsmooth as fs
from tests.workloads.problems import Make, problems, published

METHODS = ("auto", "forward", "reverse")
SIGNS = {"adbench": gmm.ADBENCH, "gradbench": gmm.GRADBENCH}


def _close(found: object, wanted: object, relative: float = 1e-8) -> None:
    """Each entry, not the whole; exact zeros must be zero."""
    found, wanted = np.asarray(found, dtype=float), np.asarray(wanted, dtype=float)
    assert found.shape == wanted.shape
    assert np.all(np.abs(found - wanted) <= relative * np.abs(wanted))


def _near(found: object, wanted: object, relative: float = 1e-10) -> None:
    """Each entry, by the largest one."""
    found, wanted = np.asarray(found, dtype=float), np.asarray(wanted, dtype=float)
    assert found.shape == wanted.shape
    assert np.max(np.abs(found - wanted)) <= relative * np.max(np.abs(wanted))


def _reference(workload: str, make: Make) -> dict:
    """The values of the reference set for a file, computed by a program of its own."""
    values = files.expected(workload)
    if values is None:
        pytest.skip(f"not here: adbench/{workload}/expected.json (set FSMOOTH_DATA)")
    return values.get(make.args[0], values.get(ALL_BUT_FOR_SIZES))


# -- gmm ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suite", SIGNS)
@pytest.mark.parametrize("make", problems("gmm"))
def test_gmm(make: Make, suite: str) -> None:
    problem = make()
    value, wanted = in_numpy.mixture(problem, SIGNS[suite])
    _close(gmm.objective(*problem, SIGNS[suite]), value, 1e-12)
    same, parts = gmm.gradient(*problem, SIGNS[suite])
    _close(same, value, 1e-12)
    for found, right in zip(parts, wanted, strict=True):
        _near(found, right)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("suite", SIGNS)
@pytest.mark.parametrize("make", problems("gmm", ["test.txt", "gmm_d2_K5.txt"]))
def test_gradient_of_gmm(make: Make, suite: str, method: str) -> None:
    problem = make()
    gradient = fs.value_and_grad(gmm.log_posterior, wrt=("alpha", "mu", "q", "l"), method=method)
    value, parts = gradient(*problem, SIGNS[suite])
    right, wanted = in_numpy.mixture(problem, SIGNS[suite])
    _close(value, right, 1e-12)
    _close(gmm.in_order_of_adbench(*parts), gmm.in_order_of_adbench(*wanted))


@pytest.mark.parametrize("suite", SIGNS)
@pytest.mark.parametrize("make", published("gmm"))
def test_numpy_gives_the_reference_values_of_gmm(make: Make, suite: str) -> None:
    """Of the largest file they are the norm and five entries."""
    wanted = _reference("gmm", make)
    value, parts = in_numpy.mixture(make(), SIGNS[suite])
    found = gmm.in_order_of_adbench(*parts)
    assert len(found) == wanted["n_params"]
    _close(value, wanted[f"objective_{suite}"], 1e-12)
    _close(found[:5], wanted[f"grad_first5_{suite}"])
    _close(np.linalg.norm(found), wanted[f"grad_norm2_{suite}"], 1e-12)
    if f"gradient_{suite}" in wanted:
        _close(found, wanted[f"gradient_{suite}"])


def test_numpy_gives_the_gradient_of_its_own_mixture() -> None:
    """By differences, where there is no file to compare it with."""
    problem = gmm.generate(3, 4, 20)
    _, wanted = in_numpy.mixture(problem, 1.0)
    for k, part in enumerate(wanted):
        for at in np.ndindex(part.shape):
            values = []
            for step in (1e-6, -1e-6):
                moved = [np.array(x) for x in problem[:4]]
                moved[k][at] += step
                values.append(in_numpy.mixture(gmm.Instance(*moved, *problem[4:]), 1.0)[0])
            assert (values[0] - values[1]) / 2e-6 == pytest.approx(part[at], rel=1e-6, abs=1e-6)


def _of_ten(alpha, mu: fs.Array["K", 10], q: fs.Array["K", 10], l: fs.Array["K", 45], x: fs.Array["n", 10]):  # noqa: F821
    """A plain formulation for one dimension, whose sizes are built in."""

    def squared_norm(q, l, y):
        return sum(
            (math.exp(q[r]) * y[r] + sum(l[c * (17 - c) // 2 + r - 1] * y[c] for c in range(r))) ** 2 for r in range(10)
        )

    return sum(
        fs.logsumexp([alpha[k] + sum(q[k]) - 0.5 * squared_norm(q[k], l[k], x[i] - mu[k]) for k in range(len(alpha))])
        for i in range(len(x))
    )


@pytest.mark.parametrize("method", METHODS)
def test_the_same_mixture_with_sizes_built_in(method: str) -> None:
    problem = gmm.generate(10, 5, 20)
    arguments = (problem.alpha, problem.mu, problem.q, problem.l, problem.x)
    value, (_, by_mu, _, _) = fs.value_and_grad(_of_ten, wrt=("alpha", "mu", "q", "l"), method=method)(*arguments)
    whole, (_, wanted, _, _) = gmm.gradient(*arguments, 1.0, 0, 0.0)
    normalised = value - len(arguments[-1]) * (5 * math.log(2 * math.pi) + fs.logsumexp(problem.alpha))
    assert whole == pytest.approx(normalised, rel=1e-12)
    _close(by_mu, wanted)


def test_a_wishart_prior_with_its_parameters() -> None:
    """gamma and m are 1 and 0 in all files: here against the Wishart distribution, of which Q.T @ Q is a sample."""
    from scipy.stats import wishart

    d, m, gamma = 3, 2, 1.5
    random = np.random.default_rng(0)
    q, l = random.normal(size=d), random.normal(size=3)
    Q = np.diag(np.exp(q))
    Q[1, 0], Q[2, 0], Q[2, 1] = l
    alpha, x = np.zeros(1), np.zeros((1, d))
    likelihood = sum(q) - 0.5 * d * np.log(2 * np.pi)
    found = gmm.objective(alpha, np.zeros((1, d)), q[None], l[None], x, gamma, m, gmm.GRADBENCH) - likelihood
    log_density = wishart(df=d + m + 1, scale=np.eye(d) / gamma**2).logpdf(Q.T @ Q)
    assert found == pytest.approx(log_density, rel=1e-10)


# -- ba -----------------------------------------------------------------------------------------------------------


ALL_BUT_FOR_SIZES = "ba1_n49_m7776_p31843.txt"
"""The large files have the same camera, point, weight and feature, and one entry for all."""


@pytest.mark.parametrize("make", problems("ba", ["test.txt", ALL_BUT_FOR_SIZES]))
def test_ba(make: Make) -> None:
    problem = make()
    wanted, blocks = in_numpy.adjustment(problem)
    errors, of_weights = ba.objective(*problem)
    J, dw = ba.blocks(*problem)
    _near(errors, wanted)
    _close(of_weights, 1.0 - problem.w**2, 1e-12)
    _near(J, blocks)
    _close(dw, -2.0 * problem.w, 1e-12)


@pytest.mark.parametrize("make", published("ba"))
def test_ba_gives_the_reference_values(make: Make) -> None:
    wanted, problem = _reference("ba", make), make()
    errors, of_weights = ba.objective(*problem)
    J, dw = ba.blocks(*problem)
    p = len(problem.w)
    _close(errors, np.tile(wanted["reproj_err"], (p, 1)))
    _close(of_weights, np.full(p, wanted["w_err"]))
    _close(J, np.tile(wanted["J"], (p, 1, 1)))
    _close(dw, np.full(p, wanted["dw_err"]))


def test_ba_without_rotation() -> None:
    cam = np.array([0.0, 0.0, 0.0, 0.1, 0.2, 0.3, 2.0, 0.01, 0.02, 0.1, 0.01])
    X, feat = np.array([0.5, -0.4, 3.0]), np.array([0.1, 0.2])
    problem = ba.replicate(1, 1, 1, cam, X, 0.7, feat)
    u = (X - cam[3:6])[:2] / (X - cam[3:6])[2]
    n = u @ u
    _close(ba.objective(*problem)[0][0], 0.7 * (2.0 * (1 + 0.1 * n + 0.01 * n * n) * u + [0.01, 0.02] - feat), 1e-12)
    assert np.all(np.isfinite(ba.blocks(*problem)[0]))


def test_compressed_rows() -> None:
    from scipy.sparse import csr_array

    problem = ba.made(2, 10, 10)
    J, dw = ba.blocks(*problem)
    rows, columns, values = ba.compressed_rows(problem, J, dw)
    dense = csr_array((values, columns, rows)).toarray()
    n, m, p = len(problem.cams), len(problem.X), len(problem.w)
    assert dense.shape == (3 * p, 11 * n + 3 * m + p)
    for i in range(p):
        c, k = problem.cam_of[i], problem.point_of[i]
        _close(dense[2 * i : 2 * i + 2, 11 * c : 11 * c + 11], J[i, :, :11])
        _close(dense[2 * i : 2 * i + 2, 11 * n + 3 * k : 11 * n + 3 * k + 3], J[i, :, 11:14])
        _close(dense[2 * i : 2 * i + 2, 11 * n + 3 * m + i], J[i, :, 14])
    _close(dense[2 * p :, 11 * n + 3 * m :], np.diag(dw))


# -- ht -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", problems("hand"))
def test_ht(make: Make) -> None:
    problem = make()
    errors, J = in_numpy.hand_errors(problem)
    _near(problem.errors(), errors)
    _near(problem.jacobian(), J)


@pytest.mark.parametrize("make", published("hand"))
def test_numpy_gives_the_reference_values_of_ht(make: Make) -> None:
    wanted = _reference("hand", make)
    errors, J = in_numpy.hand_errors(make())
    assert len(errors) == wanted["n_corr"]
    _close(errors.ravel()[:12], np.ravel(wanted["objective_first12"]))
    _close(np.linalg.norm(errors), wanted["objective_norm2"], 1e-12)
    J = J.reshape(-1, J.shape[2])
    assert list(J.shape) == wanted["jac_shape"]
    _close(J[:12], wanted["jac_first12rows"])
    _close(np.linalg.norm(J), wanted["jac_fro"], 1e-12)
    _close(np.linalg.norm(J, axis=0), wanted["jac_colnorms"], 1e-11)


def test_ht_mirrored_and_without_rotation() -> None:
    problem = hand.simple(5)
    theta = problem.theta.copy()
    theta[:3] = 0.0
    straight = problem._replace(theta=theta)
    mirrored = straight._replace(hand=problem.hand._replace(mirrored=True))
    one = problem.points - straight.errors() - theta[3:6]
    other = problem.points - mirrored.errors() - theta[3:6]
    _close(other, one * [-1.0, 1.0, 1.0], 1e-12)


def test_a_made_hand_is_where_it_was_modelled_when_it_is_at_rest() -> None:
    """Five fingers of four bones on a wrist, and a mesh of tubes whose vertices lie between the bones that move them."""
    made, triangles = hand.mesh(*hand.SMALL)
    rest = in_numpy.hand_positions(np.array([1e-100, *[0.0] * 25]), made)
    np.testing.assert_allclose(rest, made.base_positions[:, :3], atol=1e-12)
    assert (len(made.parents), len(made.weights), triangles.max() + 1) == (22, 528, 528)
    np.testing.assert_allclose(made.weights.sum(axis=1), 1.0, rtol=1e-12)
    assert np.bincount((made.weights > 0.0).sum(axis=1)).argmax() in (2, 3)


def test_the_pose_of_a_made_problem_is_near_that_of_its_points() -> None:
    """Newton's method finds it: the noise is of two millimetres."""
    problem = hand.complicated(100)
    for _ in range(8):
        step = np.linalg.lstsq(problem.jacobian()[:, :, 2:].reshape(-1, 26), problem.errors().ravel(), rcond=None)[0]
        problem = problem._replace(theta=problem.theta - step)
    assert 0.001 < np.std(problem.errors()) < 0.003


# -- lstm ---------------------------------------------------------------------------------------------------------


@functools.cache
def _of_network(make: Make) -> tuple[float, np.ndarray]:
    return in_numpy.network(make())


@pytest.mark.parametrize("make", problems("lstm"))
def test_lstm(make: Make) -> None:
    _close(lstm.objective(*make()), _of_network(make)[0], 1e-12)
    value, parts = lstm.gradient(*make())
    _close(value, _of_network(make)[0], 1e-12)
    _near(np.concatenate([part.ravel() for part in parts]), _of_network(make)[1])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("make", problems("lstm", ["lstm_l2_c1024.txt"]))
def test_gradient_of_lstm(make: Make, method: str) -> None:
    gradient = fs.value_and_grad(lstm.loss, wrt=("main", "extra"), method=method)
    value, parts = gradient(*make())
    _close(value, _of_network(make)[0], 1e-12)
    _close(np.concatenate([part.ravel() for part in parts]), _of_network(make)[1])


@pytest.mark.parametrize("make", published("lstm"))
def test_numpy_gives_the_reference_values_of_lstm(make: Make) -> None:
    wanted = _reference("lstm", make)
    value, gradient = _of_network(make)
    _close(value, wanted["objective"], 1e-12)
    _close(gradient, wanted["gradient"])


# -- those with closed forms ----------------------------------------------------------------------------------------


def test_kmeans() -> None:
    points, centroids = kmeans.generate(200, 7, 3)
    squared = ((points[:, None] - centroids) ** 2).sum(axis=2)
    nearest = squared.argmin(axis=1)
    _close(kmeans.cost(points, centroids), squared.min(axis=1).sum(), 1e-12)
    wanted = np.array([centroids[j] - points[nearest == j].mean(axis=0) for j in range(7)])
    np.testing.assert_allclose(kmeans.direction(points, centroids), wanted, atol=1e-13)


@pytest.mark.parametrize("method", METHODS)
def test_ode(method: str) -> None:
    """The classical Runge-Kutta method is exact for polynomials up to degree four: y[i] = Π 2 x[j] / (j + 1)."""
    x = ode.generate(4)
    y = np.cumprod(2.0 * x / np.arange(1, 5))
    _close(ode.primal(x, 3), y, 1e-12)
    _close(fs.grad(ode.last, method=method)(x, 3), y[-1] / x, 1e-12)


def test_ode_in_small_steps_is_that_of_a_naive_program() -> None:
    x, s = ode.generate(9), 7

    def slope(y: np.ndarray) -> np.ndarray:
        return x * np.concatenate([[1.0], y[:-1]])

    h, y = 2.0 / s, np.zeros(9)
    for _ in range(s):
        k1 = slope(y)
        k2 = slope(y + h / 2 * k1)
        k3 = slope(y + h / 2 * k2)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + slope(y + h * k3))
    _close(ode.primal(x, s), y, 1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_llsq(method: str) -> None:
    x, n = llsq.generate(16), 50
    t = -1.0 + 2.0 * np.arange(n) / (n - 1.0)
    V = np.vander(t, 16, increasing=True)
    residual = np.sign(t) - V @ x
    _close(llsq.primal(x, n), 0.5 * residual @ residual, 1e-12)
    _close(fs.grad(llsq.half_sum_of_squares, method=method)(x, n), -V.T @ residual, 1e-10)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shift", [0.0, -1e4, 1e4])
def test_lse(method: str, shift: float) -> None:
    x = lse.generate(100) + shift
    weights = np.exp(x - x.max())
    _close(lse.primal(x), x.max() + np.log(weights.sum()), 1e-12)
    _close(fs.grad(lse.logsumexp, method=method)(x), weights / weights.sum(), 1e-12)


def test_hello() -> None:
    assert hello.square(3.0) == 9.0
    assert hello.double(3.0) == 6.0


@pytest.mark.parametrize("method", METHODS)
def test_nnmf(method: str) -> None:
    problem = nnmf.generate(7)
    M = np.outer(problem.u, problem.v)
    _close(nnmf.primal(*problem), np.sum(np.log(M) + problem.A / M), 1e-12)
    by_u, by_v = fs.grad(nnmf.cost, wrt=("u", "v"), method=method)(*problem)
    G = 1.0 / M - problem.A / M**2
    _close(by_u, G @ problem.v, 1e-10)
    _close(by_v, G.T @ problem.u, 1e-10)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("T", [0, 1, 6])
def test_tanh_recurrence(T: int, method: str) -> None:
    """Against the reverse pass written by hand."""
    W, U, b, inputs = problem = tanh_recurrence.generate(T, 4)
    states = [np.zeros(4)]
    for x in inputs:
        states.append(np.tanh(W @ states[-1] + U @ x + b))
    _close(tanh_recurrence.primal(*problem), states[-1] @ states[-1], 1e-12)
    by_W, by_U, by_b, cotangent = np.zeros((4, 4)), np.zeros((4, 4)), np.zeros(4), 2.0 * states[-1]
    for t in reversed(range(T)):
        inner = cotangent * (1.0 - states[t + 1] ** 2)
        by_W, by_U, by_b = by_W + np.outer(inner, states[t]), by_U + np.outer(inner, inputs[t]), by_b + inner
        cotangent = W.T @ inner
    found = fs.grad(tanh_recurrence.loss, wrt=("W", "U", "b"), method=method)(*problem)
    for part, wanted in zip(found, (by_W, by_U, by_b), strict=True):
        np.testing.assert_allclose(part, wanted, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("steps", [0, 1, 2, 7, 20, 100])
def test_scalar_recurrence(steps: int, method: str) -> None:
    x, a, by_x, by_a = 0.5, 0.25, 1.0, 0.0
    for _ in range(steps):
        by_x, by_a = by_x * np.cos(x), by_a * np.cos(x) + 1.0
        x = np.sin(x) + a
    _close(scalar_recurrence.primal(0.5, 0.25, steps), x, 1e-12)
    _close(fs.grad(scalar_recurrence.last, wrt=("x", "a"), method=method)(0.5, 0.25, steps), [by_x, by_a], 1e-10)


def test_a_particle_lands_at_the_origin_if_controlled_as_expected() -> None:
    landing = fs.function(lambda w: particle.landing(w, "forward"))
    assert landing(particle.EXPECTED) < 1e-8 < landing(0.0)


@pytest.mark.parametrize("modes", ["ff", "fr", "rf", "rr"])
def test_searches(modes: str) -> None:
    _close(particle.search(modes)(0.0), particle.EXPECTED, 1e-12)
    _close(saddle.search(modes)(np.ones(2)), np.full(4, saddle.EXPECTED), 1e-12)


# -- det ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [1, 2, 5, 7])
def test_det(n: int, method: str) -> None:
    A = det.generate(n)
    _close(det.primal(A), np.linalg.det(A))
    _near(fs.grad(det.primal, method=method)(A), np.linalg.det(A) * np.linalg.inv(A).T)

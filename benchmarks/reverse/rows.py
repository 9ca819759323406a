"""The rows of the table: each workload with its arguments, the right derivative, its peers and what it has to show.

Where the suites have files, problems are read from them if they can be had, and made if not, which the size says.  The right
derivatives are closed forms or complex steps in NumPy; none comes from fsmooth or JAX.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.reverse.workload import Arrays, Bounds, Search, Workload, all_of, by_hand, each, worst
from benchmarks.workloads import (
    ba,
    det,
    files,
    gmm,
    ht,
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
from benchmarks.workloads import hand as own_hand

if TYPE_CHECKING:
    from benchmarks.reference import Kernel
    from benchmarks.timing import Call


def mixture(d: int, bound: Bounds) -> Workload:
    """gmm_d{d}_K25 of ADBench, 1000 points."""
    problem, made = files.either(partial(gmm.load, f"gmm_d{d}_K25.txt"), partial(gmm.generate, d, 25, 1000))
    K, n = len(problem.alpha), len(problem.x)
    alpha, mu, q, l, x, gamma, m = problem

    def right(found: Arrays) -> float:
        value, parts = in_numpy.mixture(problem, gmm.ADBENCH)
        return max(each(found[0], value), all_of(each, parts, found[1:]))

    def hand() -> Kernel:
        results = [np.zeros(()), *[np.empty_like(a) for a in (alpha, mu, q, l)]]
        work = np.empty(K * (2 * d * d + d + 32 * (d + 1)) + 64 * d + 8)
        given = (d, K, n, alpha, mu, q, l, x, int(m), work, *results, gamma, gmm.ADBENCH)
        return by_hand("mixture", *given, result=results)

    arguments = (*problem, gmm.ADBENCH)
    size = f"{d}, {K}, {n}{made}"
    jax = lambda peer: peer.kernel(peer.gmm, *arguments)  # noqa: E731
    return Workload(size, gmm.objective, gmm.gradient, arguments, right, bound, {"C": hand}, jax)


def network() -> Workload:
    """lstm_l4_c1024 of ADBench."""
    problem, made = files.either(partial(lstm.load, "lstm_l4_c1024.txt"), partial(lstm.made, 4, 1024, 14))

    def right(found: Arrays) -> float:
        value, gradient = in_numpy.network(problem)
        return max(each(found[0], value), each(np.concatenate([part.ravel() for part in found[1:]]), gradient))

    jax = lambda peer: peer.kernel(peer.lstm, *problem)  # noqa: E731
    return Workload(
        f"l4 c1024{made}", lstm.objective, lstm.gradient, problem, right, Bounds(primal=2.5, jax=3.0), jax=jax
    )


def bundle() -> Workload:
    """ba1 of ADBench: 31,843 blocks of 2 x 15."""
    load, make = partial(ba.load, "ba1_n49_m7776_p31843.txt"), partial(ba.made, 49, 7776, 31843)
    problem, made = files.either(load, make)
    p = len(problem.w)

    def right(found: Arrays) -> float:
        J, dw = found
        return max(worst(J, in_numpy.adjustment(problem)[1]), each(dw, -2.0 * problem.w))

    def hand() -> Kernel:
        results = [np.empty((p, 2)), np.empty(p)]
        return by_hand("reprojection_errors", p, *problem, *results, result=results)

    bounds = Bounds(primal=8.0, hand_primal=1.2, jax=10.0)
    jax = lambda peer: peer.kernel(peer.ba, *problem)  # noqa: E731
    return Workload(f"ba1{made}", ba.objective, ba.blocks, problem, right, bounds, {"C primal": hand}, jax)


def hand() -> Workload:
    """hand5 of ADBench, complicated, the big model: 10,000 vertices, 800 points."""
    load = partial(ht.load, "complicated_big/hand5_t26_c800.txt")
    problem, made = files.either(load, partial(own_hand.complicated, 800, own_hand.BIG))

    def right(found: Arrays) -> float:
        J, wanted = np.moveaxis(np.concatenate(found), 0, 2), in_numpy.hand_errors(problem)[1]
        norms = [np.linalg.norm(jacobian.reshape(-1, 28), axis=0) for jacobian in (J, wanted)]
        return max(each(*norms), worst(J, wanted))

    def jax(peer: Any) -> Call:
        theta, u, model, *rest = problem
        weights = np.zeros((len(model.weights), len(model.parents)))
        np.put_along_axis(weights, model.bones_of, model.weights, axis=1)
        arrays = model.base_relatives, model.inverse_base_absolutes, model.base_positions, weights
        return peer.kernel(peer.ht(model.parents), theta, u, *arrays, *rest)

    return Workload(
        f"800, big{made}", ht.complicated, ht.complicated_columns, problem, right, Bounds(primal=30.0, jax=1.0), jax=jax
    )


def clusters(n: int, k: int, d: int) -> Workload:
    """The direction of Newton's method."""
    problem = kmeans.generate(n, k, d)

    def right(found: Arrays) -> float:
        points, centroids = problem
        nearest = (np.sum(centroids**2, 1) - 2.0 * points @ centroids.T).argmin(1)
        means = np.array([points[nearest == j].mean(0) for j in range(k)])
        return worst(found[0], centroids - means)

    jax = lambda peer: peer.kernel(peer.kmeans, *problem)  # noqa: E731
    bounds = Bounds(primal=1.6, jax=1.0)
    return Workload(f"{n}, {k}, {d}", kmeans.cost, kmeans.direction, problem, right, bounds, jax=jax)


def equations(n: int, s: int) -> Workload:
    """The gradient is zero to double precision at any size worth timing: it is checked on nine equations by complex steps."""

    def right(found: Arrays) -> float:
        x = ode.generate(9)
        wanted = [ode_in_numpy(x + 1e-30j * unit, 7)[-1].imag / 1e-30 for unit in np.eye(9)]
        return max(each(ode.gradient(x, 7), wanted), float(np.max(np.abs(found[0]))))

    arguments = (ode.generate(n), s)

    def written() -> Kernel:
        found = np.empty(n)
        return by_hand("ode_gradient", n, s, arguments[0], np.empty((4 * s + 6) * n + 8), found, result=[found])

    jax = lambda peer: peer.kernel(partial(peer.ode, s=s), arguments[0])  # noqa: E731
    bounds = Bounds(primal=2.5, jax=1.0)
    return Workload(f"{n}, {s}", ode.primal, ode.gradient, arguments, right, bounds, {"C": written}, jax)


def equations_summed(n: int, s: int) -> Workload:
    """The same where all equations matter in each step, on nine of them by complex steps."""

    def right(found: Arrays) -> float:
        x = ode.generate(9)
        wanted = [ode_in_numpy(x + 1e-30j * unit, 7).sum().imag / 1e-30 for unit in np.eye(9)]
        return each(ode.gradient_of_total(x, 7), wanted)

    arguments = (ode.generate(n), s)
    jax = lambda peer: peer.kernel(partial(peer.ode_total, s=s), arguments[0])  # noqa: E731
    return Workload(f"{n}, {s}", ode.primal, ode.gradient_of_total, arguments, right, Bounds(jax=1.0), jax=jax)


def ode_in_numpy(x: np.ndarray, s: int) -> np.ndarray:
    """All components after s steps."""
    h, y = 2.0 / s, np.zeros_like(x)

    def slope(y: np.ndarray) -> np.ndarray:
        return x * np.concatenate([[1.0], y[:-1]])

    for _ in range(s):
        k1 = slope(y)
        k2 = slope(y + h / 2 * k1)
        k3 = slope(y + h / 2 * k2)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + slope(y + h * k3))
    return y


def squares(m: int, n: int) -> Workload:
    """Against the normal equations."""
    x = llsq.generate(m)

    def right(found: Arrays) -> float:
        t = -1.0 + 2.0 * np.arange(n) / (n - 1.0)
        V = np.vander(t, m, increasing=True)
        return worst(found[0], V.T @ (V @ x - np.sign(t)))

    jax = lambda peer: peer.kernel(partial(peer.llsq, n=n), x)  # noqa: E731
    return Workload(f"{m}, {n}", llsq.primal, llsq.gradient, (x, n), right, Bounds(primal=1.6, jax=1.0), jax=jax)


def exponentials(n: int) -> Workload:
    """Against softmax."""
    x = lse.generate(n)
    powers = np.exp(x - x.max())
    right = partial(all_of, each, [powers / powers.sum()])
    jax = lambda peer: peer.kernel(peer.lse, x)  # noqa: E731
    return Workload(f"{n}", lse.primal, lse.gradient, (x,), right, Bounds(primal=1.4, jax=1.0), jax=jax)


def recurrent(T: int, h: int) -> Workload:
    """Against the reverse pass written by hand in NumPy."""
    W, U, b, inputs = problem = tanh_recurrence.generate(T, h)

    def right(found: Arrays) -> float:
        states = [np.zeros(h)]
        for x in inputs:
            states.append(np.tanh(W @ states[-1] + U @ x + b))
        by_W, by_U, by_b, cotangent = np.zeros((h, h)), np.zeros((h, h)), np.zeros(h), 2.0 * states[-1]
        for t in reversed(range(T)):
            inner = cotangent * (1.0 - states[t + 1] ** 2)
            by_W, by_U, by_b = by_W + np.outer(inner, states[t]), by_U + np.outer(inner, inputs[t]), by_b + inner
            cotangent = W.T @ inner
        return all_of(worst, (by_W, by_U, by_b), found)

    def written() -> Kernel:
        results = [np.empty((h, h)), np.empty((h, h)), np.empty(h)]
        work = np.empty(2 * h * h + (T + 3) * h)
        return by_hand("tanh_recurrence", T, h, W, U, b, inputs, work, *results, result=results)

    jax = lambda peer: peer.kernel(peer.tanh_recurrence, *problem)  # noqa: E731
    functions = tanh_recurrence.primal, tanh_recurrence.gradient
    return Workload(f"{T} of {h}", *functions, problem, right, Bounds(hand=2.0, jax=1.5), {"C": written}, jax)


def recurrence(steps: int) -> Workload:
    """Against dual numbers in Python."""

    def right(found: Arrays) -> float:
        x, a, by_x, by_a = 0.5, 0.25, 1.0, 0.0
        for _ in range(steps):
            by_x, by_a = by_x * np.cos(x), by_a * np.cos(x) + 1.0
            x = np.sin(x) + a
        return all_of(worst, (by_x, by_a), found) if by_x else max(abs(float(found[0])), worst(found[1], by_a))

    def written() -> Kernel:
        out = np.empty(2)
        return by_hand("scalar_recurrence", steps, out, 0.5, 0.25, result=[out[:1].reshape(()), out[1:].reshape(())])

    jax = lambda peer: peer.kernel(partial(peer.scalar_recurrence, steps=steps), 0.5, 0.25)  # noqa: E731
    functions, bounds = (scalar_recurrence.primal, scalar_recurrence.gradient), Bounds(hand=1.2, jax=1.0)
    return Workload(f"{steps}", *functions, (0.5, 0.25, steps), right, bounds, {"C": written}, jax)


def factors(n: int) -> Workload:
    """NNMF by both factors."""
    u, v, A = problem = nnmf.generate(n)

    def right(found: Arrays) -> float:
        M = np.outer(u, v)
        G = 1.0 / M - A / M**2
        return all_of(worst, (G @ v, G.T @ u), found)

    def direct() -> Kernel:
        results = [np.empty(n), np.empty(n)]
        return by_hand("nnmf_both", n, A, u, v, *results, result=results)

    def reciprocals() -> Kernel:
        results = [np.empty(n), np.empty(n)]
        return by_hand("nnmf_both_reciprocals", n, A, u, v, np.empty(n), *results, result=results)

    jax = lambda peer: peer.kernel(peer.nnmf, *problem)  # noqa: E731
    contenders = {"C": direct, "C, reciprocals": reciprocals}
    return Workload(f"{n}", nnmf.primal, nnmf.gradient, problem, right, Bounds(hand=1.2, jax=5.0), contenders, jax)


def determinant(n: int) -> Workload:
    """By minors, against the adjugate by LU."""
    A = det.generate(n)
    work = np.empty(n * (n + 2), dtype=np.int64)

    def right(found: Arrays) -> float:
        return worst(found[0], np.linalg.det(A) * np.linalg.inv(A).T)

    def primal() -> Kernel:
        value = np.zeros(())
        return by_hand("determinant", n, A, work, value, result=[value])

    def hand() -> Kernel:
        by = np.empty((n, n))
        return by_hand("determinant_gradient", n, A, work, by, result=[by])

    bounds = Bounds(primal=2.9, hand_primal=1.2)
    return Workload(f"{n}", det.primal, det.gradient, (A,), right, bounds, {"C": hand, "C primal": primal})


Rows = dict[str, Callable[[], Workload | Search]]
"""Each by its name: made when it is measured."""

ROWS: Rows = {
    "gmm": partial(mixture, 10, Bounds(primal=3.0, hand=3.0, jax=2.5)),
    "gmm, 32 dimensions": partial(mixture, 32, Bounds(primal=3.0, hand=3.0, jax=1.5)),
    "lstm": network,
    "ba": bundle,
    "ht complicated": hand,
    "kmeans": partial(clusters, 10_000, 100, 16),
    "ode": partial(equations, 1000, 100),
    "llsq": partial(squares, 128, 4096),
    "lse": partial(exponentials, 320_000),
    "tanh recurrence": partial(recurrent, 100, 32),
    "scalar recurrence": partial(recurrence, 100_000),
    "nnmf, both factors": partial(factors, 1000),
    "det by minors": partial(determinant, 9),
    "particle": lambda: Search("", particle.search, 0.0, particle.EXPECTED, Bounds(milliseconds=10.0)),
    "saddle": lambda: Search("", saddle.search, np.ones(2), saddle.EXPECTED, Bounds(milliseconds=10.0)),
}
SMALLER: Rows = {
    "kmeans, smaller": partial(clusters, 1000, 10, 8),
    "ode, fewer steps": partial(equations, 10_000, 10),
    "ode, sum of all": partial(equations_summed, 1000, 100),
    "llsq, smaller": partial(squares, 128, 512),
    "lse, smaller": partial(exponentials, 2500),
    "det by minors, smaller": partial(determinant, 5),
}
"""Other sizes of the suites, not measured by `--quick`."""

"""The log-posterior of a Gaussian mixture, and its gradient (ADBench `gmm`, GradBench `gmm`).

K Gaussians in d dimensions, n points x.  The inverse covariance of Gaussian k is Qᵀ Q, where Q is lower triangular with the
diagonal exp(q[k]), and l[k] below it, column by column.  A Wishart prior has the parameters gamma and m.

Source: microsoft/ADBench (MIT), and gradbench/gradbench (MIT), which subtracts the prior where ADBench adds it (`sign`).
"""

import math
from typing import NamedTuple

import numpy as np

import fsmooth as fs
from benchmarks.workloads import files

ADBENCH, GRADBENCH = 1.0, -1.0
"""The sign of the prior in the two suites."""


def log_wishart_constant(d, m, gamma):
    """The logarithm of the prior's normalisation, for one Gaussian."""
    N = d + m + 1
    log_gamma = 0.25 * d * (d - 1) * math.log(math.pi) + sum(math.lgamma(0.5 * N - 0.5 * j) for j in range(d))
    return N * d * (math.log(gamma) - 0.5 * math.log(2.0)) - log_gamma


def squared_norms(q, l, y):
    """|Q y|² of each column of y (d, n): (n), Q of exp(q) (d) on the diagonal and l (d (d - 1) / 2) below it."""
    d = len(y)

    def square_of_row(r):
        below = sum(l[c * (2 * d - 3 - c) // 2 + r - 1] * y[c] for c in range(r))
        row = math.exp(q[r]) * y[r] + below
        return row * row

    return sum(square_of_row(r) for r in range(d))


def log_posterior(
    alpha: fs.Array["K"],
    mu: fs.Array["K", "d"],
    q: fs.Array["K", "d"],
    l: fs.Array["K", "d * (d - 1) // 2"],
    x: fs.Array["n", "d"],
    gamma: float,
    m: int,
    sign: float,
):
    """alpha (K), mu (K, d), q (K, d), l (K, d (d - 1) / 2), x (n, d); numbers gamma > 0, m >= 0 and sign."""
    n, d, K = len(x), mu.shape[1], len(alpha)

    def log_densities(k):
        """Of all points, in Gaussian k, but for a constant: (n)."""
        centred = [[x[i, c] - mu[k, c] for i in range(n)] for c in range(d)]
        return alpha[k] + sum(q[k]) - 0.5 * squared_norms(q[k], l[k], centred)

    terms = [log_densities(k) for k in range(K)]
    likelihood = sum(fs.logsumexp([terms[k, i] for k in range(K)]) for i in range(n))
    prior = sum(
        0.5 * gamma**2 * (sum(math.exp(2.0 * v) for v in q[k]) + sum(v * v for v in l[k])) - m * sum(q[k])
        for k in range(K)
    )
    constant = -0.5 * n * d * math.log(2.0 * math.pi)
    return constant + likelihood - n * fs.logsumexp(alpha) + sign * (prior - K * log_wishart_constant(d, m, gamma))


objective = fs.function(log_posterior)
gradient = fs.value_and_grad(log_posterior, wrt=("alpha", "mu", "q", "l"))


class Instance(NamedTuple):
    """The arguments of `log_posterior`, but for the sign."""

    alpha: np.ndarray
    mu: np.ndarray
    q: np.ndarray
    l: np.ndarray
    x: np.ndarray
    gamma: float
    m: int


def load(name: str) -> Instance:
    """A file of ADBench: `d K n`; alpha; mu; lines of q and l; x, one line of which stands for n equal ones; gamma and m."""
    numbers = files.numbers(f"gmm/{name}")
    (d, K, n), numbers = numbers[:3].astype(int), numbers[3:]
    below = d * (d - 1) // 2
    alpha, mu, shapes, rest = np.split(numbers, np.cumsum([K, K * d, K * (d + below)]))
    x, (gamma, m) = rest[:-2].reshape(-1, d), rest[-2:]
    shapes = shapes.reshape(K, d + below)
    x = np.repeat(x, n, axis=0) if len(x) == 1 else x
    return Instance(alpha, mu.reshape(K, d), shapes[:, :d].copy(), shapes[:, d:].copy(), x, float(gamma), int(m))


def generate(d: int, K: int, n: int) -> Instance:
    """Random numbers as GradBench draws them for its workload d_K_n."""
    random = np.random.default_rng(31337)
    x = random.normal(size=(n, d))
    alpha, mu = random.normal(size=K), random.uniform(size=(K, d))
    return Instance(alpha, mu, random.normal(size=(K, d)), random.normal(size=(K, d * (d - 1) // 2)), x, 1.0, 0)


def in_order_of_adbench(alpha: np.ndarray, mu: np.ndarray, q: np.ndarray, l: np.ndarray) -> np.ndarray:
    """The four gradients as one vector: alpha, mu row by row, then q[k] and l[k] for each k."""
    return np.concatenate([alpha, mu.ravel(), np.hstack([q, l]).ravel()])

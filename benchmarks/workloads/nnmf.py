"""Non-negative matrix factorisation: the cost of A ~ u vᵀ with exponential errors, and its gradient in both factors.

Source: paper 000 (Fig. 10), in both factors.
"""

from typing import NamedTuple

import numpy as np

import fsmooth as fs


def cost(u: fs.Array["n"], v: fs.Array["m"], A: fs.Array["n", "m"]):
    """Minus the log-likelihood of A (n, m), where A[i, j] is exponential with mean u[i] v[j]."""
    return sum(fs.log(u[i] * v[j]) + A[i, j] / (u[i] * v[j]) for i in range(len(u)) for j in range(len(v)))


primal = fs.function(cost)
gradient = fs.grad(cost, wrt=("u", "v"))


class Instance(NamedTuple):
    """The arguments of `cost`."""

    u: np.ndarray
    v: np.ndarray
    A: np.ndarray


def generate(n: int) -> Instance:
    """Random factors and matrix, all of them positive."""
    random = np.random.default_rng(31337)
    return Instance(random.random(n) + 0.5, random.random(n) + 0.5, random.random((n, n)) + 0.5)

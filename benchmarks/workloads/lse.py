"""The logarithm of a sum of exponentials (GradBench `lse`).

Source: gradbench/gradbench (MIT).
"""

from __future__ import annotations

import math

import numpy as np

import fsmooth as fs


def logsumexp(x):
    """log Σ exp(x[i]), without overflow."""
    largest = max(x)
    return largest + math.log(sum(math.exp(v - largest) for v in x))


primal = fs.function(logsumexp)
gradient = fs.grad(logsumexp)


def generate(n: int) -> np.ndarray:
    """Random numbers, all of them positive, as in GradBench."""
    return np.random.RandomState(31337).rand(n)

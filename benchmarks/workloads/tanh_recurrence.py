"""A recurrence of tanh (a plain recurrent network) over T steps of h numbers, and its gradient in the weights."""

import math
from typing import NamedTuple

import numpy as np

import fsmooth as fs


def loss(W: fs.Array["h", "h"], U: fs.Array["h", "h"], b: fs.Array["h"], inputs: fs.Array["T", "h"]):
    """|s|² of the last state s, where s becomes tanh(W s + U x + b) with each input x, from zero."""
    size = len(b)
    state = [0.0 for _ in range(size)]
    for x in inputs:
        state = [math.tanh(sum(W[i, j] * state[j] + U[i, j] * x[j] for j in range(size)) + b[i]) for i in range(size)]
    return sum(s * s for s in state)


primal = fs.function(loss)
gradient = fs.grad(loss, wrt=("W", "U", "b"))


class Instance(NamedTuple):
    """The arguments of `loss`."""

    W: np.ndarray
    U: np.ndarray
    b: np.ndarray
    inputs: np.ndarray


def generate(T: int, h: int) -> Instance:
    """Random weights that neither explode nor vanish, and inputs."""
    random = np.random.default_rng(31337)
    W, U = (random.normal(size=(h, h)) / np.sqrt(h) for _ in range(2))
    return Instance(W, U, random.normal(size=h), random.normal(size=(T, h)))

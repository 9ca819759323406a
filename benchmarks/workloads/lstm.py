"""A language model of stacked long short-term memories with diagonal weights, and its gradient (ADBench `lstm`, "D-LSTM").

l layers read c characters of b bits and predict each next one.  Row 2i of the main parameters holds the weights of layer i, row
2i + 1 its biases, each in four chunks of b: forget, ingate, outgate, change.  Row 2i of the state is the hidden state of layer
i, row 2i + 1 its cell.

Source: microsoft/ADBench (MIT), issue 143 of which explains the 2 in the normalisation.
"""

import math
from typing import NamedTuple

import numpy as np

import fsmooth as fs
from benchmarks.workloads import files


def loss(
    main: fs.Array["rows", "4 * b"],
    extra: fs.Array[3, "b"],
    state: fs.Array["rows", "b"],
    sequence: fs.Array["c", "b"],
):
    """main (2l, 4b), extra (3, b): weights of the input and of the output, bias of the output; state (2l, b), sequence (c, b)."""
    layers, b, steps = len(state) // 2, len(extra[0]), len(sequence) - 1

    def after(i, x, hidden, cell):
        """What layer i hands on, and its cell: (b) each."""
        weight, bias = main[2 * i], main[2 * i + 1]
        forget = fs.sigmoid(x * weight[0:b] + bias[0:b])
        ingate = fs.sigmoid(hidden * weight[b : 2 * b] + bias[b : 2 * b])
        outgate = fs.sigmoid(x * weight[2 * b : 3 * b] + bias[2 * b : 3 * b])
        change = fs.tanh(hidden * weight[3 * b : 4 * b] + bias[3 * b : 4 * b])
        cell = cell * forget + ingate * change
        return outgate * fs.tanh(cell), cell

    hidden = [state[2 * i] for i in range(layers)]
    cell = [state[2 * i + 1] for i in range(layers)]
    total = 0.0
    for t in range(steps):
        x = sequence[t] * extra[0]
        for i in range(layers):
            x, cell[i] = after(i, x, hidden[i], cell[i])
            hidden[i] = x
        y = x * extra[1] + extra[2]
        norm = math.log(2.0 + sum(math.exp(v) for v in y))
        total += sum(sequence[t + 1, j] * (y[j] - norm) for j in range(b))
    return -total / (b * steps)


objective = fs.function(loss)
gradient = fs.value_and_grad(loss, wrt=("main", "extra"))


class Instance(NamedTuple):
    """The arguments of `loss`."""

    main: np.ndarray
    extra: np.ndarray
    state: np.ndarray
    sequence: np.ndarray


def load(name: str) -> Instance:
    """A file of ADBench: `l c b`, then the rows of the four arguments."""
    numbers = files.numbers(f"lstm/{name}")
    (l, c, b), numbers = numbers[:3].astype(int), numbers[3:]
    main, extra, state, sequence = np.split(numbers, np.cumsum([8 * l * b, 3 * b, 2 * l * b]))
    return Instance(main.reshape(2 * l, 4 * b), extra.reshape(3, b), state.reshape(2 * l, b), sequence.reshape(c, b))


def made(l: int, c: int, b: int) -> Instance:
    """Random weights, and a text in which each letter is followed by one of three, in bits as ADBench writes it."""
    random = np.random.default_rng(l)
    main, extra, state = [random.random(shape) for shape in ((2 * l, 4 * b), (3, b), (2 * l, b))]
    followers, letters = random.integers(26, size=(26, 3)), [0]
    for choice in random.integers(3, size=c - 1):
        letters.append(int(followers[letters[-1], choice]))
    codes = ord("a") + np.array(letters)
    return Instance(main, extra, state, (codes[:, None] >> np.arange(b)[::-1] & 1).astype(float))

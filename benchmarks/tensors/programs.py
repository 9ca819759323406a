"""Programs with products of matrices, as users of NumPy write them."""

from __future__ import annotations

import numpy as np

import fsmooth as fs


def product(a, b):
    return a @ b


def of_transposed(a, b):
    return a.T @ b


def by_transposed(a, b):
    return a @ b.T


def squares(a, b):
    return np.sum((a @ b) ** 2)


def layers(u, v, w, b, x, y):
    hidden = np.tanh(np.tanh(x @ u + b) @ v + b)
    return np.sum((hidden @ w + b - y) ** 2)


def convolution(w: fs.Array["filters", "channels", 3, 3], x: fs.Array["channels", "height", "width"]):
    channels, height, width = x.shape
    return np.array(
        [
            [
                [
                    sum(w[o, c, a, e] * x[c, i + a, j + e] for c in range(channels) for a in range(3) for e in range(3))
                    for j in range(width - 2)
                ]
                for i in range(height - 2)
            ]
            for o in range(len(w))
        ]
    )


def convolved(w: fs.Array["filters", "channels", 3, 3], x: fs.Array["channels", "height", "width"]):
    return np.sum(convolution(w, x) ** 2)


def cross_entropy(z, labels):
    """Summed over a batch."""
    top = np.max(z, axis=1, keepdims=True)
    logarithms = np.log(np.sum(np.exp(z - top), axis=1)) + top[:, 0]
    return np.sum(logarithms - z[np.arange(len(labels)), labels])


def rnn(p, x, labels):
    """x: steps, batch, inputs."""
    steps, batch, _ = x.shape
    h = np.zeros((batch, len(p["u"])), dtype=x.dtype)
    loss = 0.0
    for t in range(steps):
        h = np.tanh(x[t] @ p["w"] + h @ p["u"] + p["b"])
        loss += cross_entropy(h @ p["v"] + p["c"], labels[t])
    return loss / batch


def lstm(p, x, labels):
    """x: steps, batch, inputs; the four gates side by side."""
    steps, batch, _ = x.shape
    h = np.zeros((batch, len(p["u"])), dtype=x.dtype)
    cell = np.zeros((batch, len(p["u"])), dtype=x.dtype)
    loss = 0.0
    for t in range(steps):
        gates = x[t] @ p["w"] + h @ p["u"] + p["b"]
        i, f, g, o = np.split(gates, 4, axis=1)
        cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(cell)
        loss += cross_entropy(h @ p["v"] + p["c"], labels[t])
    return loss / batch


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def attention(q, k, v):
    scores = q @ k.T / np.sqrt(q.shape[1])
    e = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    return np.sum((e / np.sum(e, axis=1, keepdims=True) @ v) ** 2)

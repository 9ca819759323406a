"""Gradients as users of NumPy write them who do it by hand."""

from __future__ import annotations

import numpy as np


def squares(a, b):
    r = 2.0 * (a @ b)
    return r @ b.T, a.T @ r


def layers(u, v, w, b, x, y):
    first = np.tanh(x @ u + b)
    second = np.tanh(first @ v + b)
    r = 2.0 * (second @ w + b - y)
    s = (r @ w.T) * (1.0 - second * second)
    t = (s @ v.T) * (1.0 - first * first)
    return x.T @ t, first.T @ s, second.T @ r, r.sum(0) + s.sum(0) + t.sum(0)

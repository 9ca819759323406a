"""Loops that change arrays in place, at indices that data give: rows, compressed rows, two arrays in turn."""

from __future__ import annotations

import numpy as np


def one_twice(x, a):
    x = x.copy()
    for k in range(len(a)):
        x[a[k]] = 0.5 * x[a[k]]
        x[a[k]] *= x[a[k]]
    return np.sum(x)


def two_in_turn(x, a, b):
    x, y = x.copy(), 0.3 * x
    for k in range(len(a)):
        x[a[k]] = np.sin(x[a[k]])
        y[b[k]] += x[a[k]]
        x[b[k]] *= y[b[k]]
        y[a[k]] = y[a[k]] * x[b[k]]
    return np.sum(x) + np.sum(y * y)


def in_branches(x, a, b):
    x = x.copy()
    for k in range(len(a)):
        if x[a[k]] > 0.6:
            x[a[k]] = x[a[k]] * x[a[k]]
        x[b[k]] = x[b[k]] * x[a[k]]
    return np.sum(x)


def rows(A, a, b):
    A = A.copy()
    for k in range(len(a)):
        A[a[k]] = np.sin(A[a[k]])
        A[a[k]] *= A[b[k]]
        A[b[k]] = 0.5 * A[b[k]] * A[a[k]]
    return np.sum(A * A)


def triangular(ptr, idx, val, b):
    x = b.copy()
    for i in range(len(b)):
        for p in range(ptr[i], ptr[i + 1] - 1):
            x[i] -= val[p] * x[idx[p]]
        x[i] /= val[ptr[i + 1] - 1]
    return np.sum(x * x)


def swept(ptr, idx, val, b):
    """Several times over compressed rows, and not linear."""
    x = b.copy()
    for _ in range(3):
        for i in range(len(b)):
            s = b[i]
            for p in range(ptr[i], ptr[i + 1]):
                s -= 0.1 * val[p] * np.sin(x[idx[p]])
            x[i] = 0.5 * s * x[i]
    return np.sum(x * x)


def fourier(re, im):
    """The Fourier transform but for the order of the numbers, in place."""
    re, im = re.copy(), im.copy()
    half = 1
    while half < len(re):
        for start in range(0, len(re), 2 * half):
            for k in range(half):
                c, s = np.cos(np.pi * k / half), -np.sin(np.pi * k / half)
                i, j = start + k, start + k + half
                x, y = c * re[j] - s * im[j], s * re[j] + c * im[j]
                re[j], im[j] = re[i] - x, im[i] - y
                re[i], im[i] = re[i] + x, im[i] + y
        half *= 2
    return re, im


def transformed(re, im):
    re, im = fourier(re, im)
    return np.sum(re**4) + np.sum(im**3)

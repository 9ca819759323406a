"""Sums of products: convolutions, and polynomials."""

import numpy as np

from fsmooth.library.numpy.rearranging import with_axes


def convolve(a, v, mode="full"):
    """The sums of products of a and v reversed, at each shift: of all that meet, as many as the longer, or where all do."""
    n = len(a)
    m = len(v)
    if mode == "valid":
        count = np.maximum(n, m) - np.minimum(n, m) + 1
        first = np.minimum(n, m) - 1
    elif mode == "same":
        count = np.maximum(n, m)
        first = (np.minimum(n, m) - 1) // 2
    else:
        count = n + m - 1
        first = 0
    return np.array([shifted(a, v, i + first) for i in range(count)])


def shifted(a, v, k):
    return sum(a[i] * v[k - i] for i in range(np.maximum(0, k - len(v) + 1), np.minimum(k + 1, len(a))))


def correlate(a, v, mode="valid"):
    """The sums of products of a and v at each shift."""
    return convolve(a, np.array([v[len(v) - 1 - i] for i in range(len(v))]), mode)


def polyval(p, x):
    """The polynomial with these coefficients, the highest first."""
    if np.ndim(x) > 0:
        return np.array([polyval(p, one) for one in x])
    y = 0 * x if np.asarray(p).dtype == np.int64 else 0.0 * x
    for c in p:
        y = y * x + c
    return y


def polyder(p, m=1):
    """The coefficients of the derivative of a polynomial."""
    if m == 0:
        return p
    n = len(p) - 1
    return polyder(np.array([p[i] * (n - i) for i in range(n)]), m - 1)


def polyint(p, m=1):
    """The coefficients of an integral of a polynomial, m times."""
    if m == 0:
        return p
    n = len(p)
    return polyint(np.append(np.array([p[i] / (n - i) for i in range(n)]), [0.0]), m - 1)


def polyadd(a1, a2):
    """The coefficients of a sum of polynomials."""
    n = np.maximum(len(a1), len(a2))
    return np.array([coefficient(a1, i - n + len(a1)) + coefficient(a2, i - n + len(a2)) for i in range(n)])


def polysub(a1, a2):
    """The coefficients of a difference of polynomials."""
    return polyadd(a1, -a2)


def coefficient(p, k):
    return p[np.maximum(k, 0)] if k >= 0 else 0.0


def polymul(a1, a2):
    """The coefficients of a product of polynomials."""
    return convolve(a1, a2)


def kron(a, b):
    """Each element of a times the whole of b; the one that has fewer axes gets axes of size 1 before its own."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return a * b
    return of_one_rank(with_axes(np.asarray(a), np.ndim(b)), with_axes(np.asarray(b), np.ndim(a)))


def of_one_rank(a, b):
    if a.ndim == 1:
        return np.array([a[i // len(b)] * b[i % len(b)] for i in range(len(a) * len(b))])
    m = b.shape[0]
    if a.ndim > 2:
        return np.array([of_one_rank(a[i // m], b[i % m]) for i in range(len(a) * m)])
    n = b.shape[1]
    return np.array(
        [[a[i // m, j // n] * b[i % m, j % n] for j in range(a.shape[1] * n)] for i in range(a.shape[0] * m)]
    )


def polydiv(u, v):
    """The coefficients of the quotient and the remainder of two polynomials."""
    n = len(u) - len(v) + 1
    r = u * 1.0
    q = np.zeros(n)
    for k in range(n):
        q[k] = r[k] / v[0]
        for j in range(len(v)):
            r[k + j] = r[k + j] - q[k] * v[j]
    return q, np.array([r[n + i] for i in range(len(v) - 1)])


def polyfit(x, y, deg):
    """The coefficients of the polynomial of this degree that is nearest to the points."""
    return np.linalg.lstsq(np.vander(x, deg + 1), y, rcond=None)[0]

"""The singular values and vectors of a matrix that is not tall: made bidiagonal by reflections (Householder), and that diagonal
by rotations with implicit shifts (Golub and Van Loan, Matrix Computations, §8.6).

Singular vectors are rows while they are found, so that all inner loops are over neighbours.  Where rows are reflected, what
they are to be reflected with from the other side is added up, and they are reflected with it where the next step comes to them:
each step goes over the matrix once.
"""

# mypy: no-check-untyped-defs

import numpy as np

from fsmooth.library.numpy.eigen import EPSILON

NOTHING = 1e-140
"""What is below is taken as zero in a matrix whose largest element is 1: its square may be."""


def diagonal_form(w):
    """Values d of any order, none below zero, and orthonormal rows x and y with w = xᵀ d y."""
    k, l = w.shape
    diagonal, beside, down, of_down, across, of_across = bidiagonal(w)
    return turned(diagonal, beside, reflected_back(down, of_down, k), reflected_back(across, of_across, l))


def bidiagonal(w):
    """The diagonal of L and what is below it, and the axes and factors of reflections, of which `reflected_back` makes
    orthonormal rows x and y with w = xᵀ L y: those on the left, then those on the right.
    """
    k, l = w.shape
    diagonal = [0.0 for _ in range(k)]
    beside = [0.0 for _ in range(k)]
    across = [[0.0 for _ in range(l)] for _ in range(k)]
    down = [[0.0 for _ in range(k)] for _ in range(k + 1)]
    back = [[0.0 for _ in range(l)] for _ in range(k + 1)]
    of_across = [0.0 for _ in range(k)]
    of_down = [0.0 for _ in range(k + 1)]
    for i in range(k):
        for j in range(l):
            w[i, j] = w[i, j] - of_down[i] * down[i, i] * back[i, j]
        first = w[i, i]
        rest = sum(w[i, j] * w[i, j] for j in range(i + 1, l))
        length = np.sqrt(first * first + rest)
        turned_to = first if rest == 0.0 else -length if first >= 0.0 else length
        u = [w[i, j] - (turned_to if j == i else 0.0) if j >= i else 0.0 for j in range(l)]
        factor = 0.0 if rest == 0.0 else 2.0 / sum(u[j] * u[j] for j in range(i, l))
        diagonal[i] = turned_to
        of_across[i] = factor
        for j in range(l):
            across[i, j] = u[j]
        y = [0.0 for _ in range(l)]
        for r in range(i + 1, k):
            before = of_down[i] * down[i, r]
            for j in range(i, l):
                w[r, j] = w[r, j] - before * back[i, j]
            along = factor * sum(w[r, j] * u[j] for j in range(i, l))
            w[r, i] = w[r, i] - along * u[i]
            for j in range(i + 1, l):
                w[r, j] = w[r, j] - along * u[j]
                y[j] = y[j] + w[r, i] * w[r, j]
        if i + 1 < k:
            first = w[i + 1, i]
            rest = sum(w[r, i] * w[r, i] for r in range(i + 2, k))
            length = np.sqrt(first * first + rest)
            turned_to = first if rest == 0.0 else -length if first >= 0.0 else length
            v = [w[r, i] - (turned_to if r == i + 1 else 0.0) if r > i else 0.0 for r in range(k)]
            factor = 0.0 if rest == 0.0 else 2.0 / sum(v[r] * v[r] for r in range(i + 1, k))
            beside[i] = turned_to
            of_down[i + 1] = factor
            for r in range(k):
                down[i + 1, r] = v[r]
            for j in range(i + 1, l):
                back[i + 1, j] = y[j] - turned_to * w[i + 1, j]
    return diagonal, beside, down[1:], of_down[1:], across, of_across


def reflected_back(axes, factors, l):
    """The first rows of the identity of size l, reflected along each axis, the last first."""
    k = len(axes)
    rows = [[1.0 if i == j else 0.0 for j in range(l)] for i in range(k)]
    for s in range(k):
        i = k - 1 - s
        for r in range(i, k):
            along = factors[i] * sum(rows[r, j] * axes[i, j] for j in range(i, l))
            for j in range(i, l):
                rows[r, j] = rows[r, j] - along * axes[i, j]
    return rows


def turned(diagonal, beside, left, right):
    """Of the lower bidiagonal L, the values d, and the rows times those of the rotations that make it diagonal."""
    k = len(diagonal)
    steps = 30 * k
    cosines = [1.0 for _ in range(k)]
    sines = [0.0 for _ in range(k)]
    other_cosines = [1.0 for _ in range(k)]
    other_sines = [0.0 for _ in range(k)]
    for t in range(k - 1):
        last = k - 1 - t
        while steps > 0 and abs(beside[last - 1]) > NOTHING + EPSILON * (abs(diagonal[last - 1]) + abs(diagonal[last])):
            steps = steps - 1
            start = last - 1
            while start > 0 and abs(beside[start - 1]) > NOTHING + EPSILON * (
                abs(diagonal[start - 1]) + abs(diagonal[start])
            ):
                start = start - 1
            f, g = shifted(diagonal, beside, start, last)
            for i in range(start, last):
                size = np.sqrt(f * f + g * g)
                c = f / size if size > 0.0 else 1.0
                s = g / size if size > 0.0 else 0.0
                if i > start:
                    beside[i - 1] = size
                cosines[i] = c
                sines[i] = s
                f = c * diagonal[i] + s * beside[i]
                b = c * beside[i] - s * diagonal[i]
                g = s * diagonal[i + 1]
                h = c * diagonal[i + 1]
                size = np.sqrt(f * f + g * g)
                c = f / size if size > 0.0 else 1.0
                s = g / size if size > 0.0 else 0.0
                other_cosines[i] = c
                other_sines[i] = s
                diagonal[i] = size
                f = c * b + s * h
                diagonal[i + 1] = c * h - s * b
                g = s * beside[i + 1]
                if i + 1 < last:
                    beside[i + 1] = c * beside[i + 1]
            beside[last - 1] = f
            left = rotated(left, cosines, sines, start, last)
            right = rotated(right, other_cosines, other_sines, start, last)
    for i in range(k):
        sign = -1.0 if diagonal[i] < 0.0 else 1.0
        for j in range(left.shape[1]):
            left[i, j] = sign * left[i, j]
    return [abs(x) for x in diagonal], left, right


def shifted(diagonal, beside, start, last):
    """What the first rotation makes zero: of the matrix times its transpose, less the square of a value that is near the last."""
    large = max([abs(diagonal[i]) for i in range(start, last + 1)])
    small = min([abs(diagonal[i]) for i in range(start, last + 1)])
    a, b, h = abs(diagonal[last - 1]), beside[last - 1], abs(diagonal[last])
    shift = 2.0 * a * h / (np.sqrt((a + h) * (a + h) + b * b) + np.sqrt((a - h) * (a - h) + b * b))
    d = diagonal[start]
    if small <= EPSILON * large:
        return d, beside[start]
    return (abs(d) - shift) * ((1.0 if d > 0.0 else -1.0) + shift / d), beside[start]


def rotated(rows, cosines, sines, start, last):
    """The rows `start` to `last`, neighbours rotated in turn."""
    current = [x for x in rows[start]]
    for i in range(start, last):
        s, c = sines[i], cosines[i]
        for j in range(rows.shape[1]):
            rows[i, j] = c * current[j] + s * rows[i + 1, j]
        current = [c * rows[i + 1, j] - s * current[j] for j in range(rows.shape[1])]
    for j in range(rows.shape[1]):
        rows[last, j] = current[j]
    return rows

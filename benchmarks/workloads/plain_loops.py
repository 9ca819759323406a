"""Programs as users write them who think in loops, and what some of them are in NumPy by hand: the value and the gradient."""

from __future__ import annotations

import numpy as np


def smallest(x):
    best = np.inf
    for v in x:
        best = min(best, v * v)
    return best


def smallest_and_where(x):
    best, which = np.inf, -1
    for i in range(len(x)):
        d = x[i] * x[i]
        if d < best:
            best = d
            which = i
    return best + x[which]


def smallest_and_where_in_numpy(x):
    k = np.argmin(x * x)
    gradient = np.zeros_like(x)
    gradient[k] = 2.0 * x[k] + 1.0
    return x[k] * x[k] + x[k], gradient


def nearest(q, points):
    best = np.inf
    for i in range(len(points)):
        d = (points[i, 0] - q[0]) ** 2 + (points[i, 1] - q[1]) ** 2
        if d < best:
            best = d
    return np.sqrt(best)


def nearest_in_numpy(q, points):
    differences = q - points
    d = (differences * differences).sum(axis=1)
    k = np.argmin(d)
    return np.sqrt(d[k]), differences[k] / np.sqrt(d[k])


def clusters(centres, points):
    """By `min`."""
    total = 0.0
    for i in range(len(points)):
        best = np.inf
        for k in range(len(centres)):
            d = 0.0
            for j in range(points.shape[1]):
                d += (points[i, j] - centres[k, j]) ** 2
            best = min(best, d)
        total += best
    return total


def clusters_by_comparing(centres, points):
    total = 0.0
    for i in range(len(points)):
        best = np.inf
        for k in range(len(centres)):
            d = 0.0
            for j in range(points.shape[1]):
                d += (points[i, j] - centres[k, j]) ** 2
            if d < best:
                best = d
        total += best
    return total


def clusters_in_numpy(centres, points):
    squares = (points * points).sum(axis=1)[:, None] - 2.0 * points @ centres.T + (centres * centres).sum(axis=1)
    best = np.argmin(squares, axis=1)
    gradient = np.zeros_like(centres)
    np.add.at(gradient, best, 2.0 * (centres[best] - points))
    return squares[np.arange(len(points)), best].sum(), gradient


def ratings(users, films, user, film, rating):
    loss = 0.0
    for m in range(len(rating)):
        score = 0.0
        for f in range(users.shape[1]):
            score += users[user[m], f] * films[film[m], f]
        loss += (rating[m] - score) ** 2
    return loss


def ratings_in_numpy(users, films, user, film, rating):
    u, v = users[user], films[film]
    error = (u * v).sum(axis=1) - rating
    gradient = np.zeros_like(users)
    np.add.at(gradient, user, 2.0 * error[:, None] * v)
    return (error * error).sum(), gradient


def forces(x):
    """Between all pairs of particles, each with three coordinates."""
    energy = 0.0
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            r2 = sum((x[i, c] - x[j, c]) ** 2 for c in range(3))
            s = 1.0 / r2**3
            energy += 4.0 * (s * s - s)
    return energy


def forces_of_rows(x):
    """The same; of the rows it does not say how long they are."""
    energy = 0.0
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            d = x[i] - x[j]
            s = 1.0 / (d @ d) ** 3
            energy += 4.0 * (s * s - s)
    return energy


def forces_in_numpy(x):
    i, j = np.triu_indices(len(x), 1)
    d = x[i] - x[j]
    r2 = (d * d).sum(axis=1)
    s = 1.0 / r2**3
    pull = (-24.0 * (2.0 * s * s - s) / r2)[:, None] * d
    gradient = np.zeros_like(x)
    np.add.at(gradient, i, pull)
    np.subtract.at(gradient, j, pull)
    return 4.0 * (s * s - s).sum(), gradient


def cut_off(p, x):
    """A function in a branch."""
    total = 0.0
    for i in range(len(x)):
        for j in range(i):
            d = (x[i] - x[j]) ** 2
            if d < p[0]:
                total += p[1] * np.exp(-d / p[0])
    return total


def classes(weights, points, labels):
    """Regression by softmax."""
    loss = 0.0
    for i in range(len(points)):
        z = np.zeros(len(weights))
        for k in range(len(weights)):
            z[k] = points[i] @ weights[k]
        largest = np.max(z)
        loss += largest + np.log(np.sum(np.exp(z - largest))) - z[labels[i]]
    return loss


def classes_in_numpy(weights, points, labels):
    z = points @ weights.T
    largest = z.max(axis=1)
    e = np.exp(z - largest[:, None])
    total, rows = e.sum(axis=1), np.arange(len(points))
    loss = (largest + np.log(total) - z[rows, labels]).sum()
    e /= total[:, None]
    e[rows, labels] -= 1.0
    return loss, e.T @ points


def volatility(p, returns):
    """GARCH(1, 1): a recurrence."""
    h, loss = p[0] / (1.0 - p[1] - p[2]), 0.0
    for t in range(len(returns)):
        loss += 0.5 * (np.log(h) + returns[t] ** 2 / h)
        h = p[0] + p[1] * returns[t] ** 2 + p[2] * h
    return loss

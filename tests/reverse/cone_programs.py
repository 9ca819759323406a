"""Fields that are stepped forward in time, of which sensors see a few elements in the end.

Python runs them too, also with complex numbers, and with arrays for numbers: but for those in DECIDES, which compare numbers.
"""

# ruff: noqa: F821, UP037  (the names of sizes)
from __future__ import annotations

import numpy as np

import fsmooth as fs


def heat(u, c, steps):
    """Both neighbours, zero beyond the ends."""
    n = len(u)
    for _ in range(steps):
        u = [
            u[i] + c[i] * ((u[i + 1] if i + 1 < n else 0.0) - 2.0 * u[i] + (u[i - 1] if i > 0 else 0.0))
            for i in range(n)
        ]
    return u


def sensor(u: fs.Array["n"], c: fs.Array["n"], steps: int, k: int):
    """One element."""
    return heat(u, c, steps)[k]


def first(u: fs.Array["n"], c: fs.Array["n"], steps: int):
    """The first."""
    return heat(u, c, steps)[0]


def last(u: fs.Array["n"], c: fs.Array["n"], steps: int):
    """The last."""
    return heat(u, c, steps)[len(u) - 1]


def both(u: fs.Array["n"], c: fs.Array["n"], steps: int, k: int, l: int):
    """A product of two elements."""
    v = heat(u, c, steps)
    return v[k] * v[l]


def difference(u: fs.Array["n"], c: fs.Array["n"], a: float, steps: int, k: int, l: int):
    """With weights, one of which is an argument."""
    v = heat(u, c, steps)
    return a * v[k] - 3.0 * np.sin(v[l])


def sensor_and_sum(u: fs.Array["n"], c: fs.Array["n"], steps: int, k: int):
    """The whole state is wanted too."""
    v = heat(u, c, steps)
    return v[k] + 1e-3 * sum([x * x for x in v])


def sensor_and_others(u: fs.Array["n"], c: fs.Array["n"], steps: int, k: int, l: int):
    """Elements that depend on the integers, read beside the sensor and not at it."""
    v = heat(u, c, steps)
    return v[k] + sum([0.5 * v[i] for i in range(l)])


def advection(u: fs.Array["n"], c: fs.Array["n"], steps: int, k: int):
    """Only from the left, not linear, through an array of the step."""
    n = len(u)
    for _ in range(steps):
        f = [u[i] * u[i] * 0.5 for i in range(n)]
        u = [u[i] - c[i] * (f[i] - (f[i - 1] if i > 0 else 0.0)) for i in range(n)]
    return u[k]


def right(u: fs.Array["n"], c: fs.Array["n"], steps: int, k: int):
    """Only from the right, two and three further, and not from itself."""
    n = len(u)
    for _ in range(steps):
        u = [
            (u[i + 2] if i + 2 < n else c[i]) * 0.9 + (np.sin(u[i + 3]) if i + 3 < n else 0.5) * c[i] for i in range(n)
        ]
    return u[k]


def wide(u: fs.Array["n"], c: fs.Array["n"], steps: int, k: int):
    """Three to the left, two to the right; mirrored coefficients."""
    n = len(u)
    for _ in range(steps):
        a = [u[i] * (u[i - 3] if 0 <= i - 3 < n else 0.5) for i in range(n)]
        u = [np.sin(a[i] + c[n - 1 - i] * (a[i + 2] if 0 <= i + 2 < n else 1.0)) for i in range(n)]
    return u[k]


def wave(u: fs.Array["n"], v: fs.Array["n"], c: fs.Array["n"], steps: int, k: int):
    """Two states, one after the other."""
    n = len(u)
    for _ in range(steps):
        v = [
            v[i] + c[i] * ((u[i + 2] if i + 2 < n else 0.0) - 2.0 * u[i] + (u[i - 2] if i > 1 else 0.0))
            for i in range(n)
        ]
        u = [u[i] + 0.1 * v[i] for i in range(n)]
    return u[k]


def species(u: fs.Array["n"], v: fs.Array["n"], c: fs.Array["n"], a: float, steps: int, k: int, l: int):
    """Prey and predators, who look to one side each, at once; a sensor in each."""
    n = len(u)
    for _ in range(steps):
        u, v = (
            [u[i] + 0.1 * u[i] * (1.0 - (v[i + 1] if i + 1 < n else v[i])) + c[i] for i in range(n)],
            [v[i] + 0.1 * v[i] * ((u[i - 2] if i >= 2 else u[i]) - a) for i in range(n)],
        )
    return u[k] - 0.5 * v[l]


def chain(x: fs.Array["n"], steps: int):
    """The last equation of a chain, by the classical Runge-Kutta method."""
    n = len(x)
    h = 1.0 / (steps + 1)
    y = [0.1 for _ in range(n)]
    for _ in range(steps):
        k1 = [x[i] * (y[i - 1] if i > 0 else 1.0) for i in range(n)]
        k2 = [x[i] * (y[i - 1] + h / 2.0 * k1[i - 1] if i > 0 else 1.0) for i in range(n)]
        k3 = [x[i] * (y[i - 1] + h / 2.0 * k2[i - 1] if i > 0 else 1.0) for i in range(n)]
        k4 = [x[i] * (y[i - 1] + h * k3[i - 1] if i > 0 else 1.0) for i in range(n)]
        y = [y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]) for i in range(n)]
    return y[n - 1]


def grid(g: fs.Array["n", "m"], a: float, steps: int, k: int):
    """A field of two dimensions, and a corner of it or something inside."""
    n = len(g)
    m = len(g[0])
    for _ in range(steps):
        g = [
            [
                g[i][j]
                + a * ((g[i + 1][j] if i + 1 < n else 0.0) + (g[i - 1][j] if i > 0 else 0.0) - 2.0 * g[i][j])
                + 0.1 * g[i][j] * ((g[i][j + 1] if j + 1 < m else 0.0) - (g[i][j - 1] if j > 0 else 0.0))
                for j in range(m)
            ]
            for i in range(n)
        ]
    return g[k][1] * g[k][m - 1]


def forced(u: fs.Array["n"], q: fs.Array["s", "n"], k: int):
    """What is added in each step is a row of an argument."""
    n = len(u)
    for t in range(len(q)):
        u = [0.9 * u[i] * (u[i - 1] if i > 0 else 1.0) + q[t][i] * u[i] for i in range(n)]
    return u[k]


def seen_on_the_way(u: fs.Array["n"], c: fs.Array["n"], steps: int, k: int, l: int):
    """The sensor is read in each step, and another one that moves."""
    n = len(u)
    total = 0.0
    for t in range(steps):
        u = [u[i] * c[i] + (u[i - 1] * u[i - 1] if i > 0 else 0.0) for i in range(n)]
        total = total + u[k] * (t + 1) + 0.1 * u[(l + t) % n]
    return total * u[k]


def substeps(u: fs.Array["n"], v: fs.Array["n"], c: fs.Array["n"], steps: int, k: int):
    """Loops in the loop: the field in small steps, then the slower one."""
    n = len(u)
    for t in range(steps):
        for _ in range(2):
            u = [u[i] + c[i] * ((u[i + 1] if i + 1 < n else 0.0) - u[i]) for i in range(n)]
        for _ in range(t):
            v = [v[i] * 0.9 + 0.1 * (v[i - 1] if i > 0 else 0.0) * u[i] for i in range(n)]
    return v[k]


def sweep(u: fs.Array["n"], c: fs.Array["n"], steps: int, k: int):
    """An implicit step: substitution forwards reads what was just computed."""
    n = len(u)
    for _ in range(steps):
        w = [0.5 * x for x in u]
        for i in range(1, n):
            w[i] = w[i] - c[i] * w[i - 1]
        u = w
    return u[k]


def pairs(u: fs.Array["n"], v: fs.Array["n"], c: fs.Array["n"], steps: int, k: int):
    """A state of pairs."""
    n = len(u)
    s = [(u[i], v[i]) for i in range(n)]
    for _ in range(steps):
        s = [
            (s[i][0] + c[i] * (s[i - 1][1] if i > 0 else 0.0), s[i][1] - 0.2 * (s[i + 1][0] if i + 1 < n else 0.0))
            for i in range(n)
        ]
    return s[k][0] * s[k][1]


def ends(u: fs.Array["n"], c: fs.Array["n"], steps: int, k: int):
    """Boundary values are set after each step, in reverse order of steps."""
    n = len(u)
    for t in range(steps - 1, -1, -1):
        w = [u[i] + c[i] * ((u[i + 1] if i + 1 < n else 0.0) - (u[i - 1] if i > 0 else 0.0)) for i in range(n)]
        w[0] = 0.1 * t + 0.5 * u[0]
        w[n - 1] = w[n - 2] if n > 1 else 2.0
        u = w
    return u[k]


def upwind(u: fs.Array["n"], c: fs.Array["n"], steps: int, k: int):
    """Where it comes from depends on its sign."""
    n = len(u)
    for _ in range(steps):
        u = [
            u[i] - c[i] * (u[i] - ((u[i - 1] if i > 0 else 0.0) if u[i] > 0.1 else (u[i + 1] if i + 1 < n else 0.0)))
            for i in range(n)
        ]
    return u[k]


def largest(u: fs.Array["n"], c: fs.Array["n"], steps: int, k: int, l: int):
    """Which element is seen depends on another."""
    v = heat(u, c, steps)
    return v[k] if v[l] > 0.2 else np.sin(v[min(k, l)]) * v[l]


def looked_up(u: fs.Array["n"], v: fs.Array["n"], c: fs.Array["n"], steps: int, k: int):
    """Which coefficient it is depends on an element, and can be a mistake."""
    n = len(u)
    for _ in range(steps):
        v = [v[i] * c[int(n * u[i] * u[i])] + (v[i - 1] if i > 0 else 0.0) for i in range(n)]
        u = [0.5 * u[i] + 0.5 * (u[i - 1] if i > 0 else 0.0) for i in range(n)]
    return v[k]


def as_often_as_it_says(u: fs.Array["n"], v: fs.Array["n"], c: fs.Array["n"], steps: int, k: int):
    """How often an inner loop runs depends on an element, in the first step of none."""
    n = len(u)
    for t in range(steps):
        a = [v[i] * 0.5 + c[i] for i in range(n)]
        if t > 0:
            a = [sum([c[i] / (q + 1) for q in range(1 + int(30.0 * u[i] * u[i]))]) for i in range(n)]
        v = [v[i] * a[i] + (v[i - 1] if i > 0 else 0.0) for i in range(n)]
        u = [0.5 * u[i] + 0.5 * (u[i - 1] if i > 0 else 0.0) for i in range(n)]
    return v[k]


DECIDES = (upwind, largest, looked_up, as_often_as_it_says)
PROGRAMS = (
    sensor,
    first,
    last,
    both,
    difference,
    sensor_and_sum,
    sensor_and_others,
    advection,
    right,
    wide,
    wave,
    species,
    chain,
    grid,
    forced,
    seen_on_the_way,
    substeps,
    sweep,
    pairs,
    ends,
    *DECIDES,
)

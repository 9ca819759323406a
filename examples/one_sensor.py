"""What one sensor in a field depends on: heat in a rod of 100,000 cells, 200 steps, read at one cell.

The gradient with respect to all conductivities costs what the sensor depends on, 399 cells, not the field: fsmooth finds the
range for each step, forwards and back.  Prints the cells, the largest influence, and both times.
"""

import time

import numpy as np

import fsmooth as fs


@fs.function
def temperature(u: fs.Array["n"], c: fs.Array["n"], steps: int, k: int):
    """At cell k after so many steps; u (n) at the beginning, conductivities c (n)."""
    n = len(u)
    for _ in range(steps):
        u = [
            u[i] + c[i] * ((u[i + 1] if i + 1 < n else 0.0) - 2.0 * u[i] + (u[i - 1] if i > 0 else 0.0))
            for i in range(n)
        ]
    return u[k]


def milliseconds(call) -> float:
    """The best of five calls."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def main() -> None:
    """A rod that is hotter on one side."""
    n, steps, k = 100_000, 200, 50_000
    arguments = np.linspace(0.0, 1000.0, n) ** 2, np.full(n, 0.2), steps, k
    gradient = fs.grad(temperature, wrt="c", method="reverse")
    influence = gradient(*arguments)
    cells = np.flatnonzero(influence)
    print(f"{len(cells)} cells, from {cells[0]} to {cells[-1]}; most at {np.argmax(np.abs(influence))}")
    run, back = milliseconds(lambda: temperature(*arguments)), milliseconds(lambda: gradient(*arguments))
    print(f"one run: {run:.2f} ms, its gradient: {back:.2f} ms")


if __name__ == "__main__":
    main()

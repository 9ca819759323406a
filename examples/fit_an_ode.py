"""Parameters of the Lotka-Volterra equations from noisy measurements: Gauss-Newton with forward sensitivities.

The Jacobian of a whole Runge-Kutta integration is one loop of C that carries the sensitivities along.
Prints the sum of squares at each step and the parameters found (the data come from 1.5, 1.0, 3.0, 1.0).
"""

import numpy as np

import fsmooth as fs

STEPS, H = 200, 0.05


def slope(p, s):
    """Predator and prey: s (2,), parameters p (4,)."""
    return np.array([p[0] * s[0] - p[1] * s[0] * s[1], p[3] * s[0] * s[1] - p[2] * s[1]])


@fs.function
def trajectory(p, start):
    """Prey and predators after each of STEPS steps of the classical Runge-Kutta method: (STEPS, 2)."""
    states = fs.zeros((STEPS, 2))
    s = np.array([start[0], start[1]])
    for i in range(STEPS):
        k1 = slope(p, s)
        k2 = slope(p, s + 0.5 * H * k1)
        k3 = slope(p, s + 0.5 * H * k2)
        k4 = slope(p, s + H * k3)
        s = s + H / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        states[i, 0] = s[0]
        states[i, 1] = s[1]
    return states


def main() -> None:
    """Gauss-Newton from a rough guess."""
    start = np.array([1.0, 1.0])
    truth = np.array([1.5, 1.0, 3.0, 1.0])
    measured = trajectory(truth, start) + 0.01 * np.random.default_rng(0).standard_normal((STEPS, 2))
    sensitivities = fs.jacobian(trajectory, wrt="p")
    p = np.array([1.4, 1.1, 2.8, 1.1])
    for step in range(8):
        residual = trajectory(p, start) - measured
        print(f"{step}: sum of squares {np.sum(residual**2):.4f}")
        J = sensitivities(p, start).reshape(-1, 4)
        p = p - np.linalg.lstsq(J, residual.ravel(), rcond=None)[0]
    print("parameters", *[f"{x:.3f}" for x in p])


if __name__ == "__main__":
    main()

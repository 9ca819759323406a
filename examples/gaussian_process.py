"""A Gaussian process whose length, height and noise are found by its marginal likelihood, and what it says between points.

Prints the three, and the largest error of the mean against the function that the points are of.
"""

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import minimize

import fsmooth as fs


def kernel(x, y, length, height):
    """The covariance of values at points x and y."""
    return height**2 * np.exp(-((x[:, None] - y[None, :]) ** 2) / (2.0 * length**2))


def surprise(logs, x, y):
    """The negative logarithm of the marginal likelihood, by the logarithms of length, height and noise."""
    length, height, noise = np.exp(logs)
    covariance = kernel(x, x, length, height) + noise**2 * np.eye(len(x))
    root = np.linalg.cholesky(covariance)
    z = solve_triangular(root, y, lower=True)
    return 0.5 * z @ z + np.sum(np.log(np.diag(root)))


@fs.function
def mean(logs, x, y, between):
    length, height, noise = np.exp(logs)
    covariance = kernel(x, x, length, height) + noise**2 * np.eye(len(x))
    return kernel(between, x, length, height) @ np.linalg.solve(covariance, y)


def main() -> None:
    """Eighty points of a wave."""
    random = np.random.default_rng(1)
    x = np.sort(random.uniform(-5.0, 5.0, 80))
    y = np.sin(1.5 * x) + 0.1 * random.standard_normal(80)
    start = np.zeros(3)
    found = minimize(fs.value_and_grad(surprise), start, args=(x, y), jac=True, method="L-BFGS-B")
    length, height, noise = np.exp(found.x)
    between = np.linspace(-4.8, 4.8, 200)
    error = np.max(np.abs(mean(found.x, x, y, between) - np.sin(1.5 * between)))
    print(f"length {length:.3f}, height {height:.3f}, noise {noise:.3f}; {found.nit} iterations")
    print(f"largest error {error:.3f}")


if __name__ == "__main__":
    main()

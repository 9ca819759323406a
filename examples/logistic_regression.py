"""Logistic regression: value and gradient from one program, minimised by scipy's L-BFGS.

Prints the number of iterations, the norm of the gradient at the end, and the accuracy.
"""

import numpy as np
from scipy.optimize import minimize

import fsmooth as fs


@fs.function
def loss(w, X, y, ridge):
    """Mean logistic loss of weights w (d,), data X (n, d), labels y (n,) in {-1, 1}, plus ridge·|w|²."""
    n = len(y)
    return sum(fs.softplus(-y[i] * fs.dot(X[i], w)) for i in range(n)) / n + ridge * fs.dot(w, w)


def main() -> None:
    """Two classes in ten dimensions."""
    random = np.random.default_rng(0)
    truth = random.standard_normal(10)
    X = random.standard_normal((5000, 10))
    y = np.where(random.random(5000) < 1 / (1 + np.exp(-3 * X @ truth)), 1.0, -1.0)
    found = minimize(fs.value_and_grad(loss), np.zeros(10), args=(X, y, 1e-4), jac=True, method="L-BFGS-B", tol=1e-10)
    accuracy = np.mean(np.sign(X @ found.x) == y)
    print(f"{found.nit} iterations, gradient {np.linalg.norm(found.jac):.1e}, accuracy {accuracy:.3f}")


if __name__ == "__main__":
    main()

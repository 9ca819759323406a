"""Newton's method on a nonlinear program of n numbers: gradient and Hessian of the Rosenbrock function.

The Hessian is the Jacobian of the gradient.  Prints the norm of the gradient at each step, and the minimum.
"""

import numpy as np

import fsmooth as fs


@fs.function
def rosenbrock(x):
    """Zero at x = (1, …, 1)."""
    return sum(100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2 for i in range(len(x) - 1))


def main() -> None:
    """Damped Newton steps from 0."""
    gradient, hessian = fs.grad(rosenbrock), fs.hessian(rosenbrock)
    x = np.zeros(10)
    for step in range(60):
        g = gradient(x)
        print(f"{step}: |gradient| = {np.linalg.norm(g):.2e}")
        if np.linalg.norm(g) < 1e-10:
            break
        direction = np.linalg.solve(hessian(x), g)
        length = 1.0
        while rosenbrock(x - length * direction) > rosenbrock(x) - 1e-4 * length * (g @ direction) and length > 1e-8:
            length /= 2
        x = x - length * direction
    print("x =", *[f"{value:.6f}" for value in x])


if __name__ == "__main__":
    main()

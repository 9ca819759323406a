"""Orthogonal polynomials of a degree that is known, by their recurrences (Abramowitz and Stegun 22.7)."""


def eval_chebyt(n, x):
    """Chebyshev's, of the first kind."""
    before, current = 1.0 + 0.0 * x, x
    for _ in range(n):
        before, current = current, 2.0 * x * current - before
    return before


def eval_chebyu(n, x):
    """Chebyshev's, of the second kind."""
    before, current = 1.0 + 0.0 * x, 2.0 * x
    for _ in range(n):
        before, current = current, 2.0 * x * current - before
    return before


def eval_legendre(n, x):
    """Legendre's."""
    before, current = 1.0 + 0.0 * x, x
    for k in range(1, n + 1):
        before, current = current, ((2 * k + 1) * x * current - k * before) / (k + 1.0)
    return before


def eval_hermite(n, x):
    """Hermite's, as physics has them."""
    before, current = 1.0 + 0.0 * x, 2.0 * x
    for k in range(1, n + 1):
        before, current = current, 2.0 * x * current - 2.0 * k * before
    return before


def eval_hermitenorm(n, x):
    """Hermite's, as statistics has them."""
    before, current = 1.0 + 0.0 * x, x
    for k in range(1, n + 1):
        before, current = current, x * current - k * before
    return before


def eval_laguerre(n, x):
    """Laguerre's."""
    before, current = 1.0 + 0.0 * x, 1.0 - x
    for k in range(1, n + 1):
        before, current = current, ((2 * k + 1 - x) * current - k * before) / (k + 1.0)
    return before

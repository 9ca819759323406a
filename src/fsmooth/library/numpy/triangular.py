"""Equations whose matrix is a triangle: of a matrix, only that triangle is read."""

# mypy: no-check-untyped-defs

from fsmooth.library.numpy.ruled import ruled
from fsmooth.library.numpy.words import equal_sizes


def substituted(t, b, lower, transposed, unit):
    """The x of t x = b, or of tᵀ x = b if `transposed`: t is the lower or the upper triangle, its diagonal ones if `unit`."""
    n = equal_sizes(equal_sizes(t.shape[0], t.shape[1]), len(b))
    if b.ndim == 1:
        x = [1.0 * b[i] for i in range(n)]
        for r in range(n):
            i = r if lower != transposed else n - 1 - r
            if not transposed:
                before = (
                    sum(t[i, k] * x[k] for k in range(i)) if lower else sum(t[i, k] * x[k] for k in range(i + 1, n))
                )
                x[i] = x[i] - before if unit else (x[i] - before) / t[i, i]
            else:
                if not unit:
                    x[i] = x[i] / t[i, i]
                if lower:
                    for k in range(i):
                        x[k] = x[k] - t[i, k] * x[i]
                else:
                    for k in range(i + 1, n):
                        x[k] = x[k] - t[i, k] * x[i]
        return x
    m = b.shape[1]
    xs = [[1.0 * b[i, j] for j in range(m)] for i in range(n)]
    for r in range(n):
        i = r if lower != transposed else n - 1 - r
        if not transposed:
            for k in range(i) if lower else range(i + 1, n):
                for j in range(m):
                    xs[i, j] = xs[i, j] - t[i, k] * xs[k, j]
        if not unit:
            for j in range(m):
                xs[i, j] = xs[i, j] / t[i, i]
        if transposed:
            for k in range(i) if lower else range(i + 1, n):
                for j in range(m):
                    xs[k, j] = xs[k, j] - t[i, k] * xs[i, j]
    return xs


def _jvp(t, b, lower, transposed, unit, dt, db, dlower, dtransposed, dunit):
    x = triangle_solution(t, b, lower, transposed, unit)
    moved = triangle(dt, lower, unit)
    moved = moved.T @ x if transposed else moved @ x
    return triangle_solution(t, db - moved, lower, transposed, unit)


def _vjp(t, b, lower, transposed, unit, c):
    x = triangle_solution(t, b, lower, transposed, unit)
    w = triangle_solution(t, c, lower, not transposed, unit)
    product = products(x, w) if transposed else products(w, x)
    return -triangle(product, lower, unit), w, 0, 0, 0


@ruled(jvp=_jvp, vjp=_vjp)
def triangle_solution(t, b, lower, transposed, unit):
    """The x of t x = b, with a derivative of its own."""
    return substituted(t, b, lower, transposed, unit)


def triangle(a, lower, unit):
    """The lower or the upper triangle of a, without its diagonal if `unit`."""
    m, n = a.shape
    if lower:
        if unit:
            return [[a[i, j] if j < i else 0.0 for j in range(n)] for i in range(m)]
        return [[a[i, j] if j <= i else 0.0 for j in range(n)] for i in range(m)]
    if unit:
        return [[a[i, j] if i < j else 0.0 for j in range(n)] for i in range(m)]
    return [[a[i, j] if i <= j else 0.0 for j in range(n)] for i in range(m)]


def products(w, x):
    """w xᵀ, of vectors or of matrices of columns."""
    if w.ndim == 1:
        return [[w[i] * x[j] for j in range(len(x))] for i in range(len(w))]
    return [[sum(w[i, k] * x[j, k] for k in range(x.shape[1])) for j in range(len(x))] for i in range(len(w))]

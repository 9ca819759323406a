"""Gaussian elimination: the factors of a square matrix, and what is found from them.

Of a matrix A with rows in the order that makes each pivot the largest of its column, P A = L U.  Columns are made one after
the other from those before, each in memory as a row, so that all inner loops are over neighbours: `lower[c, i]` is the
element of L in column c that belongs to row i of A, without its ones and zero where that row was a pivot before; `upper[c, k]`
is the element (k, c) of U; `order[k]` is the row of A that is row k of P A.
"""

# mypy: no-check-untyped-defs

from fsmooth.library.numpy.words import equal_sizes, regular


def factors(a):
    """`lower`, `upper` and `order`; where a column has no pivot, one that is 0."""
    n = equal_sizes(a.shape[0], a.shape[1])
    lower = [[0.0 for _ in range(n)] for _ in range(n)]
    upper = [[0.0 for _ in range(n)] for _ in range(n)]
    order = [0 for _ in range(n)]
    free = [1.0 for _ in range(n)]
    for c in range(n):
        column = [1.0 * a[i, c] for i in range(n)]
        for k in range(c):
            u = column[order[k]]
            upper[c, k] = u
            column = [column[i] - u * lower[k, i] for i in range(n)]
        best = 0
        largest = -1.0
        for i in range(n):
            size = abs(column[i]) if free[i] > 0.0 else -1.0
            if size > largest:
                largest = size
                best = i
        pivot = column[best]
        upper[c, c] = pivot
        order[c] = best
        free[best] = 0.0
        divisor = 1.0 if pivot == 0.0 else pivot
        for i in range(n):
            lower[c, i] = free[i] * (column[i] / divisor)
    return lower, upper, order


def of_regular(given):
    """Factors, an error if a pivot is 0."""
    lower, upper, order = given
    return lower, regular(all(upper[k, k] != 0.0 for k in range(len(upper))), upper), order


def solved(lower, upper, order, b):
    """The x of A x = b, where b is a vector or a matrix of columns."""
    n = equal_sizes(len(lower), len(b))
    if b.ndim == 1:
        x = [0.0 for _ in range(n)]
        right = [1.0 * b[i] for i in range(n)]
        for k in range(n):
            x[k] = right[order[k]]
            right = [right[i] - x[k] * lower[k, i] for i in range(n)]
        for r in range(n):
            k = n - 1 - r
            x[k] = x[k] / upper[k, k]
            for i in range(k):
                x[i] = x[i] - x[k] * upper[k, i]
        return x
    m = b.shape[1]
    xs = [[1.0 * b[order[k], j] for j in range(m)] for k in range(n)]
    for k in range(n):
        for c in range(k):
            l = lower[c, order[k]]
            for j in range(m):
                xs[k, j] = xs[k, j] - l * xs[c, j]
    for r in range(n):
        k = n - 1 - r
        for j in range(m):
            xs[k, j] = xs[k, j] / upper[k, k]
        for i in range(k):
            for j in range(m):
                xs[i, j] = xs[i, j] - upper[k, i] * xs[k, j]
    return xs


def transposed_solved(lower, upper, order, b):
    """The x of Aᵀ x = b, where b is a vector or a matrix of columns."""
    n = equal_sizes(len(lower), len(b))
    if b.ndim == 1:
        z = [0.0 for _ in range(n)]
        for k in range(n):
            z[k] = (b[k] - sum(upper[k, i] * z[i] for i in range(k))) / upper[k, k]
        x = [0.0 for _ in range(n)]
        for r in range(n):
            k = n - 1 - r
            x[order[k]] = z[k] - sum(lower[k, i] * x[i] for i in range(n))
        return x
    m = b.shape[1]
    zs = [[1.0 * b[k, j] for j in range(m)] for k in range(n)]
    for k in range(n):
        for i in range(k):
            for j in range(m):
                zs[k, j] = zs[k, j] - upper[k, i] * zs[i, j]
        for j in range(m):
            zs[k, j] = zs[k, j] / upper[k, k]
    for r in range(n):
        k = n - 1 - r
        for c in range(k + 1, n):
            l = lower[k, order[c]]
            for j in range(m):
                zs[k, j] = zs[k, j] - l * zs[c, j]
    xs = [[0.0 for _ in range(m)] for _ in range(n)]
    for k in range(n):
        for j in range(m):
            xs[order[k], j] = zs[k, j]
    return xs


def sign_of(order):
    """1.0 or -1.0: the determinant of the permutation."""
    n = len(order)
    swaps = sum(sum(1 if order[j] > order[i] else 0 for j in range(i)) for i in range(n))
    return 1.0 if swaps % 2 == 0 else -1.0

"""What scipy.linalg calls or does otherwise than numpy.linalg.

`check_finite`, `overwrite_…` and the like change nothing: arguments are never written to, and what is not finite gives what is
not finite.
"""

import numpy as np

from fsmooth.library.numpy import definite, eigen, least_squares, orthogonal, singular, solving
from fsmooth.library.numpy.factors import factors, of_regular
from fsmooth.library.numpy.ruled import ruled
from fsmooth.library.numpy.triangular import triangle_solution
from fsmooth.library.numpy.words import constant, refused, square


def solve(a, b, lower=False, overwrite_a=False, overwrite_b=False, check_finite=True, assume_a=None, transposed=False):
    """The x of a x = b, or of aᵀ x = b; the whole of a is read."""
    if assume_a is not None and assume_a != "gen":
        return refused(f"assume_a={assume_a!r} of solve", "leave it out, or use cho_solve and solve_triangular")
    return solving.solve(a.T, b) if transposed else solving.solve(a, b)


def inv(a, overwrite_a=False, check_finite=True):
    """The inverse."""
    return solving.inv(a)


def det(a, overwrite_a=False, check_finite=True):
    """The determinant."""
    return solving.det(a)


def cholesky(a, lower=False, overwrite_a=False, check_finite=True):
    """The upper triangle U of a = Uᵀ U, of which only the upper triangle is read; or the lower ones."""
    return definite.cholesky(a) if lower else definite.cholesky(a, True)


def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    """The factor and its side, for cho_solve."""
    return cholesky(a, lower), lower


def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    """The x of a x = b, where a has been factored."""
    c, lower = c_and_lower
    if lower:
        return triangle_solution(c, triangle_solution(c, np.asarray(b), True, False, False), True, True, False)
    return triangle_solution(c, triangle_solution(c, np.asarray(b), False, True, False), False, False, False)


def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=True):
    """The x of a x = b, or of aᵀ x = b, where a is a triangle."""
    transposed = trans == 1 or trans == 2 or trans == "T" or trans == "C"
    return triangle_solution(np.asarray(a), np.asarray(b), lower, transposed, unit_diagonal)


def qr(a, overwrite_a=False, lwork=None, mode="full", pivoting=False, check_finite=True):
    """Q and R; the modes that NumPy calls 'reduced' and 'r', and the full one of a matrix that is not tall."""
    if pivoting:
        return refused("qr with pivoting", "leave it out")
    if mode == "full":
        q, r = orthogonal.qr(a)
        return square(q.shape[0] == q.shape[1], q), r
    if mode == "r":
        return (orthogonal.qr(a, "r"),)
    if mode != "economic":
        return refused(f"mode={mode!r} of qr", "use mode='economic'")
    q, r = orthogonal.qr(a)
    return q, r


def svd(a, full_matrices=True, compute_uv=True, overwrite_a=False, check_finite=True, lapack_driver="gesdd"):
    """U, singular values in descending order, and Vᵀ."""
    return singular.svd(a, full_matrices, compute_uv)


def pinv(a, *, atol=None, rtol=None, return_rank=False, check_finite=True):
    """The pseudo-inverse; singular values below `rtol` times the largest are taken as 0."""
    if atol is not None or return_rank:
        return refused("pinv with atol or return_rank", "give rtol, or leave it out")
    a = np.asarray(a)
    return least_squares.pinv(a, max(a.shape[0], a.shape[1]) * 2.220446049250313e-16 if rtol is None else rtol)


def eigh(a, b=None, lower=True, eigvals_only=False, overwrite_a=False, overwrite_b=False, check_finite=True):
    """Eigenvalues in ascending order, and eigenvectors as columns."""
    if b is not None:
        return refused("eigh of two matrices", "with L = cholesky(b), take eigh of L⁻¹ a L⁻ᵀ")
    w, v = eigen.eigh(a, "L" if lower else "U")
    return w if eigvals_only else (w, v)


def eigvalsh(a, b=None, lower=True, overwrite_a=False, overwrite_b=False, check_finite=True):
    """Eigenvalues in ascending order."""
    return eigh(a, b, lower, True)


def lu(a, permute_l=False, overwrite_a=False, check_finite=True, p_indices=False):
    """P, L and U of a = P L U, for a square matrix."""
    a = np.asarray(a)
    n = len(a)
    below, above, order = factors(constant(a))
    l0 = [[below[j, order[i]] if j < i else 1.0 if i == j else 0.0 for j in range(n)] for i in range(n)]
    u0 = [[above[j, i] if i <= j else 0.0 for j in range(n)] for i in range(n)]
    sorted_rows = [[a[order[i], j] for j in range(n)] for i in range(n)]
    l, u = lower_triangle(sorted_rows, l0, u0), upper_triangle(sorted_rows, l0, u0)
    place = [0 for _ in range(n)]
    for i in range(n):
        place[order[i]] = i
    if permute_l:
        return [[l[place[i], j] for j in range(n)] for i in range(n)], u
    if p_indices:
        return place, l, u
    return [[1.0 if order[j] == i else 0.0 for j in range(n)] for i in range(n)], l, u


def lu_factor(a, overwrite_a=False, check_finite=True):
    """Both triangles in one matrix, and the rows exchanged in each step, for lu_solve."""
    a = np.asarray(a)
    n = len(a)
    below, above, order = of_regular(factors(constant(a)))
    l0 = [[below[j, order[i]] if j < i else 1.0 if i == j else 0.0 for j in range(n)] for i in range(n)]
    u0 = [[above[j, i] if i <= j else 0.0 for j in range(n)] for i in range(n)]
    sorted_rows = [[a[order[i], j] for j in range(n)] for i in range(n)]
    l, u = lower_triangle(sorted_rows, l0, u0), upper_triangle(sorted_rows, l0, u0)
    at = [i for i in range(n)]
    exchanged = [0 for _ in range(n)]
    for i in range(n):
        found = i
        for k in range(n):
            found = k if at[k] == order[i] else found
        exchanged[i] = found
        held = at[i]
        at[i] = at[found]
        at[found] = held
    return [[l[i, j] if j < i else u[i, j] for j in range(n)] for i in range(n)], exchanged


def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
    """The x of a x = b, where a has been factored."""
    if trans != 0:
        return refused("lu_solve with trans", "factor the transpose")
    packed, exchanged = lu_and_piv
    b = np.asarray(b)
    n = len(packed)
    order = [i for i in range(n)]
    for i in range(n):
        held = order[i]
        order[i] = order[exchanged[i]]
        order[exchanged[i]] = held
    right = [b[order[i]] for i in range(n)]
    return triangle_solution(packed, triangle_solution(packed, right, True, False, True), False, False, False)


def _triangles(l, u, da):
    """The lower and the upper part of L⁻¹ da U⁻¹."""
    n = len(l)
    inner = triangle_solution(l, da, True, False, True)
    whole = triangle_solution(u, inner.T, False, True, False).T
    lower = [[whole[i, j] if j < i else 0.0 for j in range(n)] for i in range(n)]
    return lower, [[whole[i, j] if i <= j else 0.0 for j in range(n)] for i in range(n)]


def _pulled(l, u, inner):
    """L⁻ᵀ inner U⁻ᵀ."""
    return triangle_solution(l, triangle_solution(u, inner.T, False, False, False).T, True, True, True)


def _lower_jvp(a, l0, u0, da, dl, du):
    l, u = lower_triangle(a, l0, u0), upper_triangle(a, l0, u0)
    lower, _ = _triangles(l, u, da)
    return l @ lower


def _lower_vjp(a, l0, u0, c):
    l, u = lower_triangle(a, l0, u0), upper_triangle(a, l0, u0)
    n = len(l)
    inner = l.T @ c
    return _pulled(l, u, [[inner[i, j] if j < i else 0.0 for j in range(n)] for i in range(n)]), 0.0 * l0, 0.0 * u0


@ruled(jvp=_lower_jvp, vjp=_lower_vjp)
def lower_triangle(a, l, u):
    """L of a = L U, which was found already."""
    return l


def _upper_jvp(a, l0, u0, da, dl, du):
    l, u = lower_triangle(a, l0, u0), upper_triangle(a, l0, u0)
    _, upper = _triangles(l, u, da)
    return upper @ u


def _upper_vjp(a, l0, u0, c):
    l, u = lower_triangle(a, l0, u0), upper_triangle(a, l0, u0)
    n = len(l)
    inner = c @ u.T
    return _pulled(l, u, [[inner[i, j] if i <= j else 0.0 for j in range(n)] for i in range(n)]), 0.0 * l0, 0.0 * u0


@ruled(jvp=_upper_jvp, vjp=_upper_vjp)
def upper_triangle(a, l, u):
    """U of a = L U, which was found already."""
    return u

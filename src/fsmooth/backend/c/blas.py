"""Products of matrices by a BLAS: which of them it takes, and how it is called.

With FS_BLAS, which is defined for programs with `blas=`, there are places for its functions as Fortran has them, filled by
`NAME_blas`; with -DFS_CBLAS the functions of cblas.h are called.  The kernel (products.py) asks first whether a BLAS takes a
product: it does if each matrix lies in memory by rows or by columns, if integers of 32 bits count it, and if it is large.
"""

from __future__ import annotations

from collections.abc import Collection

from fsmooth import thresholds
from fsmooth.core.types import F32, F64, Float

FEATURE = "blas"
"""The part of the prelude that programs with `blas=` need."""

DEFINED = "#define FS_BLAS\n"

SHAPES = f"""\
#if defined(FS_BLAS) || defined(FS_CBLAS)
#define FS_BLAS_WORK {thresholds.BLAS_WORK}
#define FS_BLAS_VECTOR_WORK {thresholds.BLAS_VECTOR_WORK}
#if defined(FS_CBLAS)
#include <cblas.h>
#endif
/* How Fortran, which has matrices by columns, takes this one of so many rows: 'N' transposed, if the elements of each row lie
   side by side, 'T' as it is, if those of each column do, and how far the next row, or column, is; 0 if neither. */
static inline char fs_order(int64_t rows, int64_t columns, int64_t row, int64_t column, int *next) {{
    const int64_t by_rows = rows == 1 ? columns : row, by_columns = columns == 1 ? rows : column;
    if ((column == 1 || columns == 1) && by_rows >= columns && by_rows <= INT32_MAX) return *next = (int)by_rows, 'N';
    if ((row == 1 || rows == 1) && by_columns >= rows && by_columns <= INT32_MAX) return *next = (int)by_columns, 'T';
    return 0;
}}
#endif
"""

CALLED = """\
#if defined(FS_CBLAS)
static inline int fs_has_blas_{S}(void) { return 1; }

static inline void fs_gemm_{S}(char of_a, char of_b, int m, int n, int k, const {T} *a, int next_a, const {T} *b, int next_b,
        int adds, {T} *c, int next_c) {
    cblas_{P}gemm(CblasColMajor, of_a == 'N' ? CblasNoTrans : CblasTrans, of_b == 'N' ? CblasNoTrans : CblasTrans, m, n, k, 1,
        a, next_a, b, next_b, adds ? 1 : 0, c, next_c);
}

static inline void fs_gemv_{S}(char of_a, int m, int n, const {T} *a, int next, const {T} *x, int step, {T} *y, int step_y) {
    cblas_{P}gemv(CblasColMajor, of_a == 'N' ? CblasNoTrans : CblasTrans, m, n, 1, a, next, x, step, 1, y, step_y);
}
#elif defined(FS_BLAS)
typedef void fs_gemm_type_{S}(const char *, const char *, const int *, const int *, const int *, const {T} *, const {T} *,
    const int *, const {T} *, const int *, const {T} *, {T} *, const int *);
typedef void fs_gemv_type_{S}(const char *, const int *, const int *, const {T} *, const {T} *, const int *, const {T} *,
    const int *, const {T} *, {T} *, const int *);
static fs_gemm_type_{S} *fs_gemm_of_{S};
static fs_gemv_type_{S} *fs_gemv_of_{S};

/* take these functions from now on, or none */
FS_KERNEL void fs_take_blas_{S}(void (*gemm)(void), void (*gemv)(void)) {
    fs_gemm_of_{S} = (fs_gemm_type_{S} *)gemm;
    fs_gemv_of_{S} = (fs_gemv_type_{S} *)gemv;
}

static inline int fs_has_blas_{S}(void) { return fs_gemm_of_{S} && fs_gemv_of_{S}; }

static inline void fs_gemm_{S}(char of_a, char of_b, int m, int n, int k, const {T} *a, int next_a, const {T} *b, int next_b,
        int adds, {T} *c, int next_c) {
    const {T} one = 1, beta = adds ? 1 : 0;
    fs_gemm_of_{S}(&of_a, &of_b, &m, &n, &k, &one, a, &next_a, b, &next_b, &beta, c, &next_c);
}

static inline void fs_gemv_{S}(char of_a, int m, int n, const {T} *a, int next, const {T} *x, int step, {T} *y, int step_y) {
    const {T} one = 1;
    fs_gemv_of_{S}(&of_a, &m, &n, &one, a, &next, x, &step, &one, y, &step_y);
}
#endif
#if defined(FS_BLAS) || defined(FS_CBLAS)
/* y (+)= a x for a matrix and a vector, if BLAS takes them; vectors are from their first element on. */
static int fs_vector_by_blas_{S}(int64_t m, int64_t k, const {T} *a, int64_t a_row, int64_t a_column, const {T} *x,
        int64_t step, {T} *y, int64_t step_y, int adds) {
    int next = 0;
    const char order = fs_order(m, k, a_row, a_column, &next);
    if (!order || step < 1 || step_y < 1 || step > INT32_MAX || step_y > INT32_MAX) return 0;
    for (int64_t i = 0; !adds && i < m; ++i) y[i * step_y] = 0; /* a product with zero keeps what is no number */
    if (order == 'N')
        fs_gemv_{S}('T', (int)k, (int)m, a, next, x, (int)step, y, (int)step_y);
    else
        fs_gemv_{S}('N', (int)m, (int)k, a, next, x, (int)step, y, (int)step_y);
    return 1;
}

/* c (+)= a b, if BLAS takes it */
static int fs_by_blas_{S}(int64_t m, int64_t n, int64_t k, const {T} *a, int64_t a_row, int64_t a_column, const {T} *b,
        int64_t b_row, int64_t b_column, {T} *c, int64_t c_row, int64_t c_column, int adds) {
    int next_a = 0, next_b = 0, next_c = 0;
    if (!fs_has_blas_{S}() || m > INT32_MAX || n > INT32_MAX || k > INT32_MAX) return 0;
    const double work = (double)m * (double)n * (double)k;
    if (work < (m == 1 || n == 1 ? FS_BLAS_VECTOR_WORK : FS_BLAS_WORK)) return 0;
    if (n == 1) return fs_vector_by_blas_{S}(m, k, a, a_row, a_column, b, b_row, c, c_row, adds);
    if (m == 1) return fs_vector_by_blas_{S}(n, k, b, b_column, b_row, a, a_column, c, c_column, adds);
    const char of_a = fs_order(m, k, a_row, a_column, &next_a), of_b = fs_order(k, n, b_row, b_column, &next_b);
    const char of_c = fs_order(m, n, c_row, c_column, &next_c);
    if (!of_a || !of_b || !of_c) return 0;
    if (of_c == 'N') /* c' (+)= b' a' */
        fs_gemm_{S}(of_b, of_a, (int)n, (int)m, (int)k, b, next_b, a, next_a, adds, c, next_c);
    else
        fs_gemm_{S}(of_a == 'N' ? 'T' : 'N', of_b == 'N' ? 'T' : 'N', (int)m, (int)n, (int)k, a, next_a, b, next_b, adds, c,
            next_c);
    return 1;
}
#endif
"""

TAKING = """\
#if defined(FS_BLAS)
FS_KERNEL void fs_take_blas_{S}(void (*gemm)(void), void (*gemv)(void));
#endif
"""

PROTOTYPE = """\
void NAME_blas(void (*const functions[4])(void));
"""


def setter(features: Collection[str], functions: dict[Float, str]) -> str:
    """What hands the functions of a BLAS to a program's kernels, which have these names, as far as it has them."""
    taken = [
        f"    fs_take_blas_f{type_.width}(functions[{2 * k}], functions[{2 * k + 1}]);"
        for k, type_ in enumerate((F64, F32))
        if functions[type_] in features
    ]
    lines = [
        "/* dgemm, dgemv, sgemm and sgemv as Fortran has them, with integers of 32 bits; NULL for none */",
        "void NAME_blas(void (*const functions[4])(void));",
        "void NAME_blas(void (*const functions[4])(void)) {",
        "#if defined(FS_CBLAS)",
        "    (void)functions;",
        "#else",
        *taken,
        "#endif",
        "}",
        "",
    ]
    return "\n".join(lines)

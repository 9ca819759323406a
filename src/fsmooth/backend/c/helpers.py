"""C functions that a program brings along when it uses them, in dependency order.

`{T}` is double or float, `{f}` the suffix of libm names, `{v}` the prefix of names in vector loops.
"""

from __future__ import annotations

_SCALAR = {
    "sigmoid": """\
static inline {T} fs_{v}sigmoid{f}({T} x) {{
    const {T} e = {m}exp{f}(-fabs{f}(x));
    return (x >= 0 ? 1 : e) / (1 + e);
}}
""",
    "sign": """\
static inline {T} fs_{v}sign{f}({T} x) {{
    return isnan(x) ? x : ({T})((x > 0) - (x < 0));
}}
""",
    "minimum": """\
static inline {T} fs_{v}minimum{f}({T} a, {T} b) {{ /* NaN if either is */
    return isnan(a) || b >= a ? a : b;
}}
""",
    "maximum": """\
static inline {T} fs_{v}maximum{f}({T} a, {T} b) {{ /* NaN if either is */
    return isnan(a) || b <= a ? a : b;
}}
""",
    "to_int": """\
static inline int64_t fs_{v}to_int{f}({T} x) {{
    return x > -9223372036854775808.0 && x < 9223372036854775808.0 ? (int64_t)x : INT64_MIN;
}}
""",
    "digamma": """\
static inline {T} fs_{v}digamma{f}({T} y) {{ /* reflection, recurrence, asymptotic series (Abramowitz and Stegun 6.3) */
    double x = y, result = 0.0;
    if (isnan(x) || x == -INFINITY) return NAN;
    if (x == INFINITY) return INFINITY;
    if (x <= 0.0 && x == floor(x)) return x == 0.0 ? ({T})copysign(INFINITY, -x) : NAN;
    if (x < 0.5) {{
        result = -M_FS_PI / tan(M_FS_PI * x);
        x = 1.0 - x;
    }}
    for (; x < 10.0; x += 1.0) result -= 1.0 / x;
    const double r = 1.0 / (x * x);
    const double series = r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r * (1.0 / 240
        - r * (1.0 / 132 - r * (691.0 / 32760 - r / 12))))));
    return ({T})(result + log(x) - 0.5 / x - series);
}}
""",
    "trigamma": """\
static inline {T} fs_{v}trigamma{f}({T} y) {{ /* by the same three steps as digamma */
    double x = y, result = 0.0, sign = 1.0, reflected = 0.0;
    if (isnan(x) || x == -INFINITY) return NAN;
    if (x == INFINITY) return 0;
    if (x <= 0.0 && x == floor(x)) return INFINITY;
    if (x < 0.5) {{
        const double s = M_FS_PI / sin(M_FS_PI * x);
        reflected = s * s;
        sign = -1.0;
        x = 1.0 - x;
    }}
    for (; x < 10.0; x += 1.0) result += 1.0 / (x * x);
    const double r = 1.0 / (x * x);
    const double series = r * (1.0 / 6 - r * (1.0 / 30 - r * (1.0 / 42 - r * (1.0 / 30
        - r * (5.0 / 66 - r * (691.0 / 2730 - r * 7 / 6))))));
    return ({T})(reflected + sign * (result + 1.0 / x + 0.5 * r + series / x));
}}
""",
}

_INTEGER = {
    "floor_divide": """\
static inline int64_t fs_floor_divide(int64_t a, int64_t b) { /* towards minus infinity; 0 if b is 0 */
    if (b == 0) return 0;
    if (b == -1) return (int64_t)(0 - (uint64_t)a);
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
""",
    "modulo": """\
static inline int64_t fs_modulo(int64_t a, int64_t b) { /* the sign of b; 0 if b is 0 */
    if (b == 0 || b == -1) return 0;
    const int64_t r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
""",
    "integer_power": """\
static inline int64_t fs_integer_power(int64_t a, int64_t b) { /* modulo 2**64; 0 if b is negative */
    uint64_t base = (uint64_t)a, result = 1;
    if (b < 0) return 0;
    for (; b > 0; b >>= 1) {
        if (b & 1) result *= base;
        base *= base;
    }
    return (int64_t)result;
}
""",
    "integer_abs": "static inline int64_t fs_integer_abs(int64_t x) { return x < 0 ? -x : x; }\n",
    "integer_sign": "static inline int64_t fs_integer_sign(int64_t x) { return (x > 0) - (x < 0); }\n",
    "integer_minimum": "static inline int64_t fs_integer_minimum(int64_t a, int64_t b) { return b < a ? b : a; }\n",
    "integer_maximum": "static inline int64_t fs_integer_maximum(int64_t a, int64_t b) { return b > a ? b : a; }\n",
}

PI = """\
#define M_FS_PI 3.14159265358979323846
"""

ERROR = """\
#ifndef FS_ERROR
#define FS_ERROR
typedef struct {
    int32_t site;
    int32_t reserved;
    int64_t numbers[2];
} fs_error;
#endif
"""

FAILED = """\
#if defined(__GNUC__)
__attribute__((cold)) /* without it, what comes after many checks is taken for rare, and its loops are not vectorised */
#endif
static int32_t fs_failed(fs_error *error, int32_t site, int64_t a, int64_t b) {
    error->site = site;
    error->reserved = 0;
    error->numbers[0] = a;
    error->numbers[1] = b;
    return 1;
}
"""

OUTSIDE = """\
/* Of the n > 0 indices first, first + step, ..., is one outside?  They are looked at without their wrapping around: if the
   first and the last are inside, so are all between them, and what is computed modulo 2**64 is just they. */
static inline bool fs_outside(int64_t first, int64_t step, int64_t n, int64_t size) {
    if (first < 0 || first >= size) return true;
#if defined(__GNUC__)
    int64_t last;
    return __builtin_mul_overflow(step, n - 1, &last) || __builtin_add_overflow(first, last, &last) || last < 0
        || last >= size;
#else
    if (step == 0) return false;
    return n - 1 > (step > 0 ? (size - 1 - first) / step : -(first / step));
#endif
}
"""

COUNT = """\
static inline int64_t fs_count(int64_t a, int64_t b) { /* a * b, or INT64_MAX where that does not fit */
    if (a <= 0 || b <= 0) return 0;
    return a > INT64_MAX / b ? INT64_MAX : a * b;
}
"""

SCALAR = """\
/* Before a short loop that is not worth vectorising, which would take half of the compiler's time. */
#if defined(__clang__)
#define FS_SCALAR _Pragma("clang loop vectorize(disable)")
#elif defined(__GNUC__)
#define FS_SCALAR _Pragma("omp simd simdlen(1)")
#else
#define FS_SCALAR
#endif
"""

MASKED_LOADS = """\
/* Before a loop of which this compiler would make wrong vectors (gcc's PR 114375). */
#if defined(__GNUC__) && !defined(__clang__)
#if __GNUC__ < 11 || (__GNUC__ == 11 && __GNUC_MINOR__ < 5) || (__GNUC__ == 12 && __GNUC_MINOR__ < 4) \\
    || (__GNUC__ == 13 && __GNUC_MINOR__ < 3)
#define FS_PERMUTES_MASKED
#endif
#endif
"""

TRANSPOSE = """\
/* out[width * lane + j] = tile[j][lane], and tile[j][lane] = from[at[lane] + j], for 8 lanes, in squares of 4 x 4;
   the last squares overlap those before. */
#if defined(__GNUC__)
typedef double fs_v4 __attribute__((vector_size(32), aligned(8), may_alias));
#if defined(__clang__)
#define fs_shuffle(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
typedef int64_t fs_m4 __attribute__((vector_size(32)));
#define fs_shuffle(a, b, i, j, k, l) __builtin_shuffle(a, b, (fs_m4){i, j, k, l})
#endif
static inline void fs_transpose(const double *restrict tile, double *restrict out, int64_t width) {
    for (int64_t lane = 0; lane < 8; lane += 4) {
        for (int64_t j = 0; j < width; j += 4) {
            const int64_t first = j + 4 <= width ? j : width - 4;
            const double *from = tile + 8 * first + lane;
            double *to = out + width * lane + first;
            const fs_v4 a = *(const fs_v4 *)from, b = *(const fs_v4 *)(from + 8);
            const fs_v4 c = *(const fs_v4 *)(from + 16), d = *(const fs_v4 *)(from + 24);
            const fs_v4 p = fs_shuffle(a, b, 0, 4, 2, 6), q = fs_shuffle(a, b, 1, 5, 3, 7);
            const fs_v4 r = fs_shuffle(c, d, 0, 4, 2, 6), s = fs_shuffle(c, d, 1, 5, 3, 7);
            *(fs_v4 *)to = fs_shuffle(p, r, 0, 1, 4, 5);
            *(fs_v4 *)(to + width) = fs_shuffle(q, s, 0, 1, 4, 5);
            *(fs_v4 *)(to + 2 * width) = fs_shuffle(p, r, 2, 3, 6, 7);
            *(fs_v4 *)(to + 3 * width) = fs_shuffle(q, s, 2, 3, 6, 7);
        }
    }
}
static inline void fs_rows(
    const double *restrict from, const int64_t *restrict at, double *restrict tile, int64_t width) {
    for (int64_t lane = 0; lane < 8; lane += 4) {
        const double *const i = from + at[lane], *const j = from + at[lane + 1];
        const double *const k = from + at[lane + 2], *const l = from + at[lane + 3];
        for (int64_t c = 0; width >= 4 && c < width; c += 4) {
            const int64_t first = c + 4 <= width ? c : width - 4;
            double *to = tile + 8 * first + lane;
            const fs_v4 a = *(const fs_v4 *)(i + first), b = *(const fs_v4 *)(j + first);
            const fs_v4 d = *(const fs_v4 *)(k + first), e = *(const fs_v4 *)(l + first);
            const fs_v4 p = fs_shuffle(a, b, 0, 4, 2, 6), q = fs_shuffle(a, b, 1, 5, 3, 7);
            const fs_v4 r = fs_shuffle(d, e, 0, 4, 2, 6), s = fs_shuffle(d, e, 1, 5, 3, 7);
            *(fs_v4 *)to = fs_shuffle(p, r, 0, 1, 4, 5);
            *(fs_v4 *)(to + 8) = fs_shuffle(q, s, 0, 1, 4, 5);
            *(fs_v4 *)(to + 16) = fs_shuffle(p, r, 2, 3, 6, 7);
            *(fs_v4 *)(to + 24) = fs_shuffle(q, s, 2, 3, 6, 7);
        }
        for (int64_t c = 0; width < 4 && c < width; ++c) {
            tile[8 * c + lane] = i[c];
            tile[8 * c + lane + 1] = j[c];
            tile[8 * c + lane + 2] = k[c];
            tile[8 * c + lane + 3] = l[c];
        }
    }
}
#else
static inline void fs_rows(
    const double *restrict from, const int64_t *restrict at, double *restrict tile, int64_t width) {
    for (int64_t lane = 0; lane < 8; ++lane)
        for (int64_t j = 0; j < width; ++j) tile[8 * j + lane] = from[at[lane] + j];
}
static inline void fs_transpose(const double *restrict tile, double *restrict out, int64_t width) {
    for (int64_t lane = 0; lane < 8; ++lane)
        for (int64_t j = 0; j < width; ++j) out[width * lane + j] = tile[8 * j + lane];
}
#endif
"""


def _narrow(text: str) -> str:
    """The same of numbers half as wide."""
    for wide, narrow in (
        (
            "typedef int64_t fs_m4 __attribute__((vector_size(32)))",
            "typedef int32_t fs_m4 __attribute__((vector_size(16)))",
        ),
        ("vector_size(32), aligned(8)", "vector_size(16), aligned(4)"),
        ("double", "float"),
        *[(name, f"{name}_f32") for name in ("fs_v4", "fs_m4", "fs_shuffle", "fs_transpose", "fs_rows")],
    ):
        text = text.replace(wide, narrow)
    return text


TRANSPOSE_F32 = _narrow(TRANSPOSE)


def helper(name: str, single: bool, vector: bool) -> str:
    """The C text of a helper."""
    if name in _INTEGER:
        return _INTEGER[name]
    suffix = "f" if single else ""
    prefix = "simd_" if vector else ""
    return _SCALAR[name].format(T="float" if single else "double", f=suffix, v=prefix, m="fs_" if vector else "")


def helper_name(name: str, single: bool, vector: bool) -> str:
    """What the program calls it."""
    if name in _INTEGER:
        return f"fs_{name}"
    return f"fs_{'simd_' if vector else ''}{name}{'f' if single else ''}"


GNU = """\
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* the end of a thread's stack is asked for */
#endif
"""

FRAME = """\
#if defined(__GNUC__) && defined(__x86_64__) && defined(__LP64__)
static inline __attribute__((always_inline)) const char *fs_frame_here(void) { /* keeps no register for a frame */
    const char *top;
    __asm__("mov %%rsp, %0" : "=r"(top));
    return top;
}
#define FS_FRAME fs_frame_here()
#elif defined(__GNUC__)
#define FS_FRAME ((const char *)__builtin_frame_address(0))
#else
#define FS_FRAME ((const char *)&(char){0})
#endif
"""

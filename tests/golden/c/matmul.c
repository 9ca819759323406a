#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wunknown-pragmas"
#pragma clang diagnostic ignored "-Wpass-failed"
#elif defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#endif

#ifndef FS_ERROR
#define FS_ERROR
typedef struct {
    int32_t site;
    int32_t reserved;
    int64_t numbers[2];
} fs_error;
#endif

#ifndef FS_LANES_AT
/* Vectors as wide as the machine's; fs_lanes_sum adds the numbers of one in pairs. */
#if !defined(__GNUC__)
#define FS_LANES 1
#elif defined(__AVX512F__)
#define FS_LANES 8
#elif defined(__AVX__)
#define FS_LANES 4
#else
#define FS_LANES 2
#endif
#if FS_LANES == 1
typedef double fs_lanes;
#else
typedef double fs_lanes __attribute__((vector_size(8 * FS_LANES), aligned(8), may_alias));
#endif
#define FS_LANES_AT(place) (*(fs_lanes *)(place))
#define FS_LANES_ALL(x) ((x) - (fs_lanes){0.0})

#if FS_LANES == 1
static inline double fs_lanes_sum(const fs_lanes *sums) {
    return *sums;
}
#else
static inline double fs_lanes_sum(const fs_lanes *sums) {
    typedef double two __attribute__((vector_size(16)));
    two sum;
#if FS_LANES == 8
    typedef double four __attribute__((vector_size(32)));
    const union { fs_lanes whole; four halves[2]; } eight = {*sums};
    const union { four whole; two halves[2]; } half = {eight.halves[0] + eight.halves[1]};
    sum = half.halves[0] + half.halves[1];
#elif FS_LANES == 4
    const union { fs_lanes whole; two halves[2]; } half = {*sums};
    sum = half.halves[0] + half.halves[1];
#else
    const union { fs_lanes whole; two same; } both = {*sums};
    sum = both.same;
#endif
    return sum[0] + sum[1];
}
#endif
#endif

#ifndef FS_SCALAR
/* Before a short loop that is not worth vectorising, which would take half of the compiler's time. */
#if defined(__clang__)
#define FS_SCALAR _Pragma("clang loop vectorize(disable)")
#elif defined(__GNUC__)
#define FS_SCALAR _Pragma("omp simd simdlen(1)")
#else
#define FS_SCALAR
#endif
#endif

int32_t matmul(
    const double *restrict a, int64_t a_n0, int64_t a_n1, const double *restrict c, int64_t c_n0,
    int64_t c_n1, double *restrict result, fs_error *restrict error) {
    (void)error;
    for (int64_t i0_block = 0; i0_block < (a_n0 >> 2); ++i0_block) {
        const int64_t i0_start = i0_block * 4;
        memset(result + i0_start * c_n1, 0, (size_t)(c_n1 * 4) * sizeof *result);
        for (int64_t i_block = 0; i_block < (c_n1 > 0 ? (c_n0 >> 2) : 0); ++i_block) {
            const int64_t i_start = i_block * 4;
            const double factor_4 = a[i0_start * a_n1 + i_start];
            const double factor_5 = a[(i0_start + 1) * a_n1 + i_start];
            const double factor_6 = a[(i0_start + 2) * a_n1 + i_start];
            const double factor_7 = a[(i0_start + 3) * a_n1 + i_start];
            const double factor_1_1 = a[i0_start * a_n1 + (i_start + 1)];
            const double factor_1_2 = a[(i0_start + 1) * a_n1 + (i_start + 1)];
            const double factor_1_3 = a[(i0_start + 2) * a_n1 + (i_start + 1)];
            const double factor_1_4 = a[(i0_start + 3) * a_n1 + (i_start + 1)];
            const double factor_2_1 = a[i0_start * a_n1 + (i_start + 2)];
            const double factor_2_2 = a[(i0_start + 1) * a_n1 + (i_start + 2)];
            const double factor_2_3 = a[(i0_start + 2) * a_n1 + (i_start + 2)];
            const double factor_2_4 = a[(i0_start + 3) * a_n1 + (i_start + 2)];
            const double factor_3_1 = a[i0_start * a_n1 + (i_start + 3)];
            const double factor_3_2 = a[(i0_start + 1) * a_n1 + (i_start + 3)];
            const double factor_3_3 = a[(i0_start + 2) * a_n1 + (i_start + 3)];
            const double factor_3_4 = a[(i0_start + 3) * a_n1 + (i_start + 3)];
            {
                for (int64_t i1 = 0; i1 + FS_LANES <= c_n1; i1 += FS_LANES) {
                    FS_LANES_AT(result + i0_start * c_n1 + i1) = FS_LANES_AT(result + i0_start * c_n1 + i1) + factor_4 * FS_LANES_AT(c + i_start * c_n1 + i1) + factor_1_1 * FS_LANES_AT(c + (i_start + 1) * c_n1 + i1) + factor_2_1 * FS_LANES_AT(c + (i_start + 2) * c_n1 + i1) + factor_3_1 * FS_LANES_AT(c + (i_start + 3) * c_n1 + i1);
                    FS_LANES_AT(result + (i0_start + 1) * c_n1 + i1) = FS_LANES_AT(result + (i0_start + 1) * c_n1 + i1) + factor_5 * FS_LANES_AT(c + i_start * c_n1 + i1) + factor_1_2 * FS_LANES_AT(c + (i_start + 1) * c_n1 + i1) + factor_2_2 * FS_LANES_AT(c + (i_start + 2) * c_n1 + i1) + factor_3_2 * FS_LANES_AT(c + (i_start + 3) * c_n1 + i1);
                    FS_LANES_AT(result + (i0_start + 2) * c_n1 + i1) = FS_LANES_AT(result + (i0_start + 2) * c_n1 + i1) + factor_6 * FS_LANES_AT(c + i_start * c_n1 + i1) + factor_1_3 * FS_LANES_AT(c + (i_start + 1) * c_n1 + i1) + factor_2_3 * FS_LANES_AT(c + (i_start + 2) * c_n1 + i1) + factor_3_3 * FS_LANES_AT(c + (i_start + 3) * c_n1 + i1);
                    FS_LANES_AT(result + (i0_start + 3) * c_n1 + i1) = FS_LANES_AT(result + (i0_start + 3) * c_n1 + i1) + factor_7 * FS_LANES_AT(c + i_start * c_n1 + i1) + factor_1_4 * FS_LANES_AT(c + (i_start + 1) * c_n1 + i1) + factor_2_4 * FS_LANES_AT(c + (i_start + 2) * c_n1 + i1) + factor_3_4 * FS_LANES_AT(c + (i_start + 3) * c_n1 + i1);
                }
                FS_SCALAR
                for (int64_t i1 = c_n1 / FS_LANES * FS_LANES; i1 < c_n1; ++i1) {
                    result[i0_start * c_n1 + i1] = result[i0_start * c_n1 + i1] + factor_4 * c[i_start * c_n1 + i1] + factor_1_1 * c[(i_start + 1) * c_n1 + i1] + factor_2_1 * c[(i_start + 2) * c_n1 + i1] + factor_3_1 * c[(i_start + 3) * c_n1 + i1];
                    result[(i0_start + 1) * c_n1 + i1] = result[(i0_start + 1) * c_n1 + i1] + factor_5 * c[i_start * c_n1 + i1] + factor_1_2 * c[(i_start + 1) * c_n1 + i1] + factor_2_2 * c[(i_start + 2) * c_n1 + i1] + factor_3_2 * c[(i_start + 3) * c_n1 + i1];
                    result[(i0_start + 2) * c_n1 + i1] = result[(i0_start + 2) * c_n1 + i1] + factor_6 * c[i_start * c_n1 + i1] + factor_1_3 * c[(i_start + 1) * c_n1 + i1] + factor_2_3 * c[(i_start + 2) * c_n1 + i1] + factor_3_3 * c[(i_start + 3) * c_n1 + i1];
                    result[(i0_start + 3) * c_n1 + i1] = result[(i0_start + 3) * c_n1 + i1] + factor_7 * c[i_start * c_n1 + i1] + factor_1_4 * c[(i_start + 1) * c_n1 + i1] + factor_2_4 * c[(i_start + 2) * c_n1 + i1] + factor_3_4 * c[(i_start + 3) * c_n1 + i1];
                }
            }
        }
        for (int64_t i_left = 0; i_left < c_n0 - (c_n1 > 0 ? (c_n0 >> 2) : 0) * 4; ++i_left) {
            const int64_t i_last = (c_n1 > 0 ? (c_n0 >> 2) : 0) * 4 + i_left;
            {
                for (int64_t i1 = 0; i1 + FS_LANES <= c_n1; i1 += FS_LANES) {
                    FS_LANES_AT(result + i0_start * c_n1 + i1) += a[i0_start * a_n1 + i_last] * FS_LANES_AT(c + i_last * c_n1 + i1);
                    FS_LANES_AT(result + (i0_start + 1) * c_n1 + i1) += a[(i0_start + 1) * a_n1 + i_last] * FS_LANES_AT(c + i_last * c_n1 + i1);
                    FS_LANES_AT(result + (i0_start + 2) * c_n1 + i1) += a[(i0_start + 2) * a_n1 + i_last] * FS_LANES_AT(c + i_last * c_n1 + i1);
                    FS_LANES_AT(result + (i0_start + 3) * c_n1 + i1) += a[(i0_start + 3) * a_n1 + i_last] * FS_LANES_AT(c + i_last * c_n1 + i1);
                }
                FS_SCALAR
                for (int64_t i1 = c_n1 / FS_LANES * FS_LANES; i1 < c_n1; ++i1) {
                    result[i0_start * c_n1 + i1] += a[i0_start * a_n1 + i_last] * c[i_last * c_n1 + i1];
                    result[(i0_start + 1) * c_n1 + i1] += a[(i0_start + 1) * a_n1 + i_last] * c[i_last * c_n1 + i1];
                    result[(i0_start + 2) * c_n1 + i1] += a[(i0_start + 2) * a_n1 + i_last] * c[i_last * c_n1 + i1];
                    result[(i0_start + 3) * c_n1 + i1] += a[(i0_start + 3) * a_n1 + i_last] * c[i_last * c_n1 + i1];
                }
            }
        }
    }
    for (int64_t i0_left = 0; i0_left < a_n0 - (a_n0 >> 2) * 4; ++i0_left) {
        const int64_t i0_last = (a_n0 >> 2) * 4 + i0_left;
        memset(result + i0_last * c_n1, 0, (size_t)c_n1 * sizeof *result);
        for (int64_t i = 0; i < c_n0; ++i) {
            for (int64_t i1 = 0; i1 < c_n1; ++i1) {
                result[i0_last * c_n1 + i1] += a[i0_last * a_n1 + i] * c[i * c_n1 + i1];
            }
        }
    }
    return 0;
}

int32_t matmul_shape(
    const double *restrict a, int64_t a_n0, int64_t a_n1, const double *restrict c, int64_t c_n0,
    int64_t c_n1, int64_t *restrict shape, fs_error *restrict error) {
    (void)a, (void)a_n1, (void)c, (void)c_n0, (void)error;
    shape[0] = a_n0;
    shape[1] = c_n1;
    return 0;
}

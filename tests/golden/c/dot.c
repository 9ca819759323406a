#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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
    typedef double two __attribute__((vector_size(2 * 8)));
    two sum;
#if FS_LANES == 8
    typedef double four __attribute__((vector_size(4 * 8)));
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

int32_t dot(
    const double *restrict v, int64_t v_n0, const double *restrict w, int64_t w_n0, double *restrict result,
    fs_error *restrict error) {
    (void)w_n0, (void)error;
    double sum = 0.0;
    {
        if (FS_LANES <= v_n0) {
            fs_lanes sum_lanes = {0.0};
            for (int64_t i = 0; i + FS_LANES <= v_n0; i += FS_LANES) {
                sum_lanes += FS_LANES_AT(v + i) * FS_LANES_AT(w + i);
            }
            sum += fs_lanes_sum(&sum_lanes);
        }
        FS_SCALAR
        for (int64_t i = v_n0 / FS_LANES * FS_LANES; i < v_n0; ++i) {
            sum += v[i] * w[i];
        }
    }
    result[0] = sum;
    return 0;
}

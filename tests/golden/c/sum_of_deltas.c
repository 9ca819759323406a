#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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

#ifndef FS_HAVE_FS_INTEGER_MAXIMUM
#define FS_HAVE_FS_INTEGER_MAXIMUM
static inline int64_t fs_integer_maximum(int64_t a, int64_t b) { return b > a ? b : a; }
#endif

int32_t sum_of_deltas(
    const double *restrict v, int64_t v_n0, const int64_t *restrict g, int64_t g_n0, int64_t n,
    double *restrict result, fs_error *restrict error) {
    (void)v_n0, (void)error;
    const int64_t n_1 = fs_integer_maximum(n, 0);
    memset(result, 0, (size_t)n_1 * sizeof *result);
    for (int64_t i = 0; i < g_n0; ++i) {
        const int64_t k = g[i];
        result[k] += v[g[i]];
    }
    return 0;
}

int32_t sum_of_deltas_shape(
    const double *restrict v, int64_t v_n0, const int64_t *restrict g, int64_t g_n0, int64_t n,
    int64_t *restrict shape, fs_error *restrict error) {
    (void)v, (void)v_n0, (void)g, (void)g_n0, (void)error;
    const int64_t n_1 = fs_integer_maximum(n, 0);
    shape[0] = n_1;
    return 0;
}

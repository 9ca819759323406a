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

int32_t histogram(
    const int64_t *restrict g, int64_t g_n0, int64_t n, double *restrict result, fs_error *restrict error) {
    (void)error;
    const int64_t n_2 = fs_integer_maximum(n, 0);
    double *restrict counts = result;
    memset(counts, 0, (size_t)n_2 * sizeof *counts);
    for (int64_t i = 0; i < g_n0; ++i) {
        const int64_t k = g[i];
        counts[k] += 1.0;
    }
    return 0;
}

int32_t histogram_shape(
    const int64_t *restrict g, int64_t g_n0, int64_t n, int64_t *restrict shape, fs_error *restrict error) {
    (void)g, (void)g_n0, (void)error;
    const int64_t n_1 = fs_integer_maximum(n, 0);
    shape[0] = n_1;
    return 0;
}

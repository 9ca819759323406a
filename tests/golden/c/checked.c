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

#ifndef FS_FAILED
#define FS_FAILED
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
#endif

int32_t checked(
    const double *restrict v, int64_t v_n0, const int64_t *restrict g, int64_t g_n0, double *restrict result,
    fs_error *restrict error) {
    int32_t status = 0;
    {
        int64_t bad = 0;
#pragma omp simd reduction(|:bad)
        for (int64_t i = 0; i < g_n0; ++i) {
            const int64_t k = g[i];
            bad |= k < 0 || k >= v_n0;
        }
        if (bad) {
            for (int64_t i = 0; i < g_n0; ++i) {
                const int64_t k = g[i];
                if (k < 0 || k >= v_n0) {
                    status = fs_failed(error, 0, k, v_n0);
                    goto fail;
                }
            }
        }
    }
    for (int64_t i = 0; i < g_n0; ++i) {
        const int64_t k = g[i];
        result[i] = v[k];
    }
fail:
    return status;
}

int32_t checked_shape(
    const double *restrict v, int64_t v_n0, const int64_t *restrict g, int64_t g_n0, int64_t *restrict shape,
    fs_error *restrict error) {
    (void)v, (void)v_n0, (void)g, (void)error;
    shape[0] = g_n0;
    return 0;
}

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

int32_t matmul(
    const double *restrict a, int64_t a_n0, int64_t a_n1, const double *restrict c, int64_t c_n0,
    int64_t c_n1, double *restrict result, fs_error *restrict error) {
    (void)error;
    for (int64_t i0 = 0; i0 < a_n0; ++i0) {
        memset(result + i0 * c_n1, 0, (size_t)c_n1 * sizeof *result);
        for (int64_t i = 0; i < c_n0; ++i) {
            for (int64_t i1 = 0; i1 < c_n1; ++i1) {
                result[i0 * c_n1 + i1] += a[i0 * a_n1 + i] * c[i * c_n1 + i1];
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

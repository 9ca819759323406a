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

int32_t dot(
    const double *restrict v, int64_t v_n0, const double *restrict w, int64_t w_n0, double *restrict result,
    fs_error *restrict error) {
    (void)w_n0, (void)error;
    double sum = 0.0;
#pragma omp simd reduction(+:sum)
    for (int64_t i = 0; i < v_n0; ++i) {
        sum += v[i] * w[i];
    }
    result[0] = sum;
    return 0;
}

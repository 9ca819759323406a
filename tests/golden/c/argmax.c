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

#ifndef FS_HAVE_FS_ARGMAX
#define FS_HAVE_FS_ARGMAX
static inline int64_t fs_argmax(const double *v, int64_t n) {
    if (n <= 0) return 0;
    double best = v[0];
    int64_t where = 0;
    for (int64_t i = 0; i < n; i += 512) {
        const int64_t end = n - i < 512 ? n : i + 512;
        double top = v[i];
        int64_t nan = 0;
#ifndef __clang__ /* where maxima start from the largest finite number */
#pragma omp simd reduction(max:top) reduction(|:nan)
#endif
        for (int64_t j = i; j < end; ++j) {
            top = v[j] > top ? v[j] : top;
            nan |= v[j] != v[j] ? -1 : 0;
        }
        if (nan) {
            while (v[i] == v[i]) ++i;
            return i;
        }
        if (top > best) {
            best = top;
            where = i;
        }
    }
    for (; n - where >= 32; where += 32) {
        int64_t found = 0;
#pragma omp simd reduction(|:found)
        for (int64_t j = where; j < where + 32; ++j) found |= v[j] == best ? -1 : 0;
        if (found) break;
    }
    while (v[where] != best) ++where;
    return where;
}
#endif

int32_t argmax(const double *restrict v, int64_t v_n0, int64_t *restrict result, fs_error *restrict error) {
    (void)error;
    const int64_t where = fs_argmax(v, v_n0);
    result[0] = where;
    return 0;
}

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
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

#ifndef FS_COUNT
#define FS_COUNT
static inline int64_t fs_count(int64_t a, int64_t b) { /* a * b, or INT64_MAX where that does not fit */
    if (a <= 0 || b <= 0) return 0;
    return a > INT64_MAX / b ? INT64_MAX : a * b;
}
#endif

#ifndef FS_ARENA
#define FS_ARENA
/* Memory of one call: a piece of the stack, then segments of the heap.  When it ends, one segment as large as all of
   them, or of FS_KEEP bytes if that is less, is kept for the next call; of calls at one time FS_CALLS keep theirs.
   A segment for several arrays is not made larger than FS_LARGEST: malloc would get it from the system each time. */
#if !defined(FS_KEEP) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)
#define FS_KEEP 33554432
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#undef FS_KEEP
#endif
#endif
#endif
#ifndef FS_KEEP
#define FS_KEEP 0
#endif
#if !defined(FS_MEMORY) && defined(__linux__)
#include <stdio.h>
#include <sys/sysinfo.h>
#endif
#define FS_CALLS 4
#define FS_LARGEST (33554432 - 65536)
typedef struct fs_segment {
    struct fs_segment *next;
    char *start;
    char *end;
} fs_segment;
typedef struct {
    fs_segment first;
    fs_segment *current;
    char *free;
} fs_arena;

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("O0") /* compiles faster; each of these runs once in a call, or for a segment */
#endif
static fs_segment *fs_segment_of(size_t room) {
    fs_segment *fresh = (fs_segment *)malloc(sizeof *fresh + 64 + room);
    if (!fresh) return NULL;
    fresh->next = NULL;
    fresh->start = (char *)fresh + sizeof *fresh;
    fresh->start += 64 - (uintptr_t)fresh->start % 64;
    fresh->end = fresh->start + room;
    return fresh;
}

/* Is this more than the machine has, with what is held already, or more than it has left?  Where memory is promised
   beyond that, malloc gives it, and the process is killed when it writes there. */
static int fs_exceeds(size_t held, size_t room) {
#ifdef FS_MEMORY
    return (double)held + (double)room > (double)FS_MEMORY;
#elif defined(__linux__)
    struct sysinfo machine;
    if (!sysinfo(&machine)) {
        const double all = ((double)machine.totalram + (double)machine.totalswap) * (double)machine.mem_unit;
        if ((double)held + (double)room > all) return 1;
    }
    FILE *const file = fopen("/proc/meminfo", "r");
    if (!file) return 0;
    char line[128];
    unsigned long long left = 0, kib;
    int known = 0;
    while (fgets(line, sizeof line, file)) {
        const int available = sscanf(line, "MemAvailable: %llu", &kib) == 1;
        if (available || sscanf(line, "SwapFree: %llu", &kib) == 1) left += kib;
        known |= available;
    }
    fclose(file);
    return known && (double)room > 1024.0 * (double)left;
#else
    return 0;
#endif
}

static size_t fs_size_of(const fs_segment *segment) {
    size_t all = 0;
    for (; segment; segment = segment->next) all += (size_t)(segment->end - segment->start);
    return all;
}

static void fs_free(fs_segment *segment) {
    while (segment) {
        fs_segment *next = segment->next;
        free(segment);
        segment = next;
    }
}

#if FS_KEEP > 0
static fs_segment *fs_kept[FS_CALLS];

static fs_segment *fs_reuse(void) { /* one that was kept, or NULL; from now on it is the caller's */
    fs_segment *found = NULL;
    for (int k = 0; !found && k < FS_CALLS; ++k)
        found = __atomic_exchange_n(&fs_kept[k], (fs_segment *)NULL, __ATOMIC_ACQ_REL);
    return found;
}

static void fs_keep(fs_segment *segment) { /* the one kept longest gives way */
    for (int k = 0; segment && k < FS_CALLS; ++k)
        segment = __atomic_exchange_n(&fs_kept[k], segment, __ATOMIC_ACQ_REL);
    fs_free(segment);
}

static void __attribute__((destructor)) fs_unload(void) {
    for (fs_segment *kept; (kept = fs_reuse());) fs_free(kept);
}
#endif

static void fs_open(fs_arena *arena, char *stack, size_t size) {
    arena->first.next = NULL;
    arena->first.start = stack;
    arena->first.end = stack + size;
    arena->current = &arena->first;
    arena->free = stack;
}

static void fs_close(fs_arena *arena) {
    fs_segment *first = arena->first.next;
#if FS_KEEP > 0
    if (!first) return;
    size_t room = fs_size_of(first);
    if (room > FS_KEEP) room = FS_KEEP;
    if ((size_t)(first->end - first->start) == room) {
        fs_free(first->next);
        first->next = NULL;
    } else {
        fs_free(first);
        first = fs_segment_of(room);
    }
    fs_keep(first);
#else
    fs_free(first);
#endif
}
#if defined(__GNUC__)
__attribute__((cold, noinline))
#endif
static int fs_next_segment(fs_arena *arena, size_t bytes) { /* to one that has so many; 0 if there is no memory */
    do {
#if FS_KEEP > 0
        if (!arena->first.next) arena->first.next = fs_reuse();
#endif
        if (!arena->current->next) {
            size_t room = 2 * (size_t)(arena->current->end - arena->current->start);
            if (room > FS_LARGEST) room = FS_LARGEST;
            if (room < bytes) room = bytes;
            if (room < 65536) room = 65536;
            if (room >= FS_LARGEST && fs_exceeds(fs_size_of(arena->first.next), room)) return 0;
            arena->current->next = fs_segment_of(room);
            if (!arena->current->next) return 0;
        }
        arena->current = arena->current->next;
        arena->free = arena->current->start;
    } while ((size_t)(arena->current->end - arena->free) < bytes);
    return 1;
}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

/* In functions that call themselves: most take little, and often. */
static inline void *fs_take_little(fs_arena *arena, int64_t count, size_t size) {
    if (count < 0) count = 0;
    if ((uint64_t)count > (SIZE_MAX / 4) / size) return NULL;
    const size_t bytes = ((size_t)count * size + 63) & ~(size_t)63;
    if ((size_t)(arena->current->end - arena->free) < bytes && !fs_next_segment(arena, bytes)) return NULL;
    char *taken = arena->free;
    arena->free += bytes;
    return taken;
}

#if defined(__GNUC__)
/* No two arrays share memory: their loops need no versions for the case that they do. */
__attribute__((__malloc__, noinline, unused))
#endif
static void *fs_take(fs_arena *arena, int64_t count, size_t size) {
    return fs_take_little(arena, count, size);
}
#endif

#ifndef FS_TRANSPOSE
#define FS_TRANSPOSE
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

#ifndef FS_HAVE_COS
#define FS_HAVE_COS
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 22)
double fs_cos(double) __asm__("cos") __attribute__((simd("notinbranch"), const, nothrow));
#else
#define fs_cos cos
#endif
#else
#define fs_cos cos
#endif
#endif

int32_t by_table(
    const double *restrict m, int64_t m_n0, int64_t m_n1, const int64_t *restrict g, int64_t g_n0,
    const double *restrict v, int64_t v_n0, double *restrict result, fs_error *restrict error) {
    int32_t status = 0;
    double stack[512];
    fs_arena arena;
    fs_open(&arena, (char *)stack, sizeof stack);
    double *restrict table = (double *)fs_take(&arena, fs_count(m_n0, 6), sizeof(double));
    if (!table) {
        status = 2;
        goto fail;
    }
    {
        int64_t c_block = 0;
        for (; c_block + 8 <= m_n0; c_block += 8) {
            double table_tile[6][8] __attribute__((aligned(64)));
#pragma omp simd
            for (int64_t lane = 0; lane < 8; ++lane) {
                const int64_t c = c_block + lane;
                table_tile[0][lane] = m[c * m_n1] + m[c * m_n1 + 1];
                table_tile[1][lane] = m[c * m_n1] * m[c * m_n1 + 1];
                table_tile[2][lane] = fs_cos(m[c * m_n1]);
                table_tile[3][lane] = m[c * m_n1 + 1] * m[c * m_n1 + 1];
                table_tile[4][lane] = 1.0;
                table_tile[5][lane] = m[c * m_n1] - m[c * m_n1 + 1];
            }
            fs_transpose(&table_tile[0][0], table + c_block * 6, 6);
        }
        FS_SCALAR
        for (int64_t c = c_block; c < m_n0; ++c) {
            table[c * 6] = m[c * m_n1] + m[c * m_n1 + 1];
            table[c * 6 + 1] = m[c * m_n1] * m[c * m_n1 + 1];
            table[c * 6 + 2] = cos(m[c * m_n1]);
            table[c * 6 + 3] = m[c * m_n1 + 1] * m[c * m_n1 + 1];
            table[c * 6 + 4] = 1.0;
            table[c * 6 + 5] = m[c * m_n1] - m[c * m_n1 + 1];
        }
    }
    {
        int64_t bad = 0;
#pragma omp simd reduction(|:bad)
        for (int64_t k = 0; k < g_n0; ++k) {
            const int64_t k_1 = g[k];
            bad |= k_1 < 0 || k_1 >= m_n0;
        }
        if (bad) {
            for (int64_t k = 0; k < g_n0; ++k) {
                const int64_t k_1 = g[k];
                if (k_1 < 0 || k_1 >= m_n0) {
                    status = fs_failed(error, 0, k_1, m_n0);
                    goto fail;
                }
            }
        }
    }
    if (g_n0 > v_n0) {
        status = fs_failed(error, 0, v_n0, v_n0);
        goto fail;
    }
    {
        int64_t k_block = 0;
        for (; k_block + 8 <= g_n0; k_block += 8) {
            int64_t table_at[8];
            double table_rows[48] __attribute__((aligned(64)));
            for (int64_t lane_1 = 0; lane_1 < 8; ++lane_1) {
                const int64_t k = k_block + lane_1;
                const int64_t k_1 = g[k];
                table_at[lane_1] = k_1 * 6;
            }
            fs_rows(table, table_at, table_rows, 6);
            double result_tile[6][8] __attribute__((aligned(64)));
#pragma omp simd
            for (int64_t lane_1 = 0; lane_1 < 8; ++lane_1) {
                const int64_t k = k_block + lane_1;
                const int64_t k_1 = g[k];
                const double x = v[k];
                result_tile[0][lane_1] = table_rows[lane_1] * x;
                result_tile[1][lane_1] = x < 0.0 ? table_rows[lane_1 + 40] * x : table_rows[lane_1 + 8] + x;
                result_tile[2][lane_1] = table_rows[lane_1 + 16] * table_rows[lane_1 + 24];
                result_tile[3][lane_1] = table_rows[lane_1 + 32] + m[k_1 * m_n1 + 2];
                result_tile[4][lane_1] = x;
                result_tile[5][lane_1] = 0.0;
            }
            fs_transpose(&result_tile[0][0], result + k_block * 6, 6);
        }
        FS_SCALAR
        for (int64_t k = k_block; k < g_n0; ++k) {
            const int64_t k_1 = g[k];
            const double x = v[k];
            result[k * 6] = table[k_1 * 6] * x;
            result[k * 6 + 1] = x < 0.0 ? table[k_1 * 6 + 5] * x : table[k_1 * 6 + 1] + x;
            result[k * 6 + 2] = table[k_1 * 6 + 2] * table[k_1 * 6 + 3];
            result[k * 6 + 3] = table[k_1 * 6 + 4] + m[k_1 * m_n1 + 2];
            result[k * 6 + 4] = x;
            result[k * 6 + 5] = 0.0;
        }
    }
fail:
    fs_close(&arena);
    return status;
}

int32_t by_table_shape(
    const double *restrict m, int64_t m_n0, int64_t m_n1, const int64_t *restrict g, int64_t g_n0,
    const double *restrict v, int64_t v_n0, int64_t *restrict shape, fs_error *restrict error) {
    (void)m, (void)m_n0, (void)m_n1, (void)g, (void)v, (void)v_n0, (void)error;
    shape[0] = g_n0;
    shape[1] = 6;
    return 0;
}

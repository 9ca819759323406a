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

int32_t let_tuples(
    const double *restrict v, int64_t v_n0, const double *restrict w, int64_t w_n0, double *restrict result,
    fs_error *restrict error) {
    (void)error;
    int32_t status = 0;
    double stack[512];
    fs_arena arena;
    fs_open(&arena, (char *)stack, sizeof stack);
    double *restrict pairs_0 = (double *)fs_take(&arena, v_n0, sizeof(double));
    if (!pairs_0) {
        status = 2;
        goto fail;
    }
    double *restrict pairs_1 = (double *)fs_take(&arena, fs_count(v_n0, w_n0), sizeof(double));
    if (!pairs_1) {
        status = 2;
        goto fail;
    }
    for (int64_t i = 0; i < v_n0; ++i) {
        pairs_0[i] = v[i];
        for (int64_t i_1 = 0; i_1 < w_n0; ++i_1) {
            pairs_1[i * w_n0 + i_1] = v[i] * w[i_1];
        }
    }
    for (int64_t i = 0; i < v_n0; ++i) {
        result[i] = pairs_0[i] + pairs_1[i * w_n0 + 1];
    }
fail:
    fs_close(&arena);
    return status;
}

int32_t let_tuples_shape(
    const double *restrict v, int64_t v_n0, const double *restrict w, int64_t w_n0, int64_t *restrict shape,
    fs_error *restrict error) {
    (void)v, (void)w, (void)w_n0, (void)error;
    shape[0] = v_n0;
    return 0;
}

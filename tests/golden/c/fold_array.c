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

#ifndef FS_ARENA
#define FS_ARENA
/* Memory of one call: a piece of the stack, then segments that are kept until the call ends. */
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
typedef struct {
    fs_segment *current;
    char *free;
} fs_mark;

static void fs_open(fs_arena *arena, char *stack, size_t size) {
    arena->first.next = NULL;
    arena->first.start = stack;
    arena->first.end = stack + size;
    arena->current = &arena->first;
    arena->free = stack;
}

static void *fs_take(fs_arena *arena, int64_t count, size_t size) {
    if (count < 0) count = 0;
    if ((uint64_t)count > (SIZE_MAX / 4) / size) return NULL;
    const size_t bytes = ((size_t)count * size + 63) & ~(size_t)63;
    while ((size_t)(arena->current->end - arena->free) < bytes) {
        if (!arena->current->next) {
            size_t room = 2 * (size_t)(arena->current->end - arena->current->start);
            if (room < bytes) room = bytes;
            if (room < 65536) room = 65536;
            fs_segment *fresh = (fs_segment *)malloc(sizeof *fresh + 64 + room);
            if (!fresh) return NULL;
            fresh->next = NULL;
            fresh->start = (char *)fresh + sizeof *fresh;
            fresh->start += 64 - (uintptr_t)fresh->start % 64;
            fresh->end = fresh->start + room;
            arena->current->next = fresh;
        }
        arena->current = arena->current->next;
        arena->free = arena->current->start;
    }
    char *taken = arena->free;
    arena->free += bytes;
    return taken;
}

static void fs_close(fs_arena *arena) {
    for (fs_segment *s = arena->first.next; s;) {
        fs_segment *next = s->next;
        free(s);
        s = next;
    }
}
#endif

int32_t fold_array(
    const double *restrict v, int64_t v_n0, int64_t n, double *restrict result, fs_error *restrict error) {
    (void)error;
    int32_t status = 0;
    double stack[512];
    fs_arena arena;
    fs_open(&arena, (char *)stack, sizeof stack);
    double *restrict s_spare = (double *)fs_take(&arena, v_n0, sizeof(double));
    if (!s_spare) {
        status = 2;
        goto fail;
    }
    double *s = n > 0 && n % 2 != 0 ? s_spare : result;
    double *s_next = n > 0 && n % 2 != 0 ? result : s_spare;
    memcpy(s, v, (size_t)v_n0 * sizeof *s);
    for (int64_t i = 0; i < n; ++i) {
        for (int64_t i_1 = 0; i_1 < v_n0; ++i_1) {
            s_next[i_1] = s[i_1] + s[v_n0 - 1 - i_1];
        }
        {
            double *s_held = s;
            s = s_next;
            s_next = s_held;
        }
    }
fail:
    fs_close(&arena);
    return status;
}

int32_t fold_array_shape(
    const double *restrict v, int64_t v_n0, int64_t n, int64_t *restrict shape, fs_error *restrict error) {
    (void)v, (void)n, (void)error;
    shape[0] = v_n0;
    return 0;
}

"""The C of memory that the caller hands in: it is taken from the front, and whoever wants more than is left gets NULL.

Nothing is asked of the system and nothing is kept.  The names are those of the arena (backend/c/arena.py), so that functions
read the same.
"""

from __future__ import annotations

ARENA = """\
/* The caller's memory: what is not taken is between free and end. */
typedef struct {
    char *free;
    char *end;
} fs_arena;

static inline void fs_open(fs_arena *arena, void *work, size_t size) {
    arena->free = arena->end = (char *)arena; /* nothing, but not NULL */
    if (!work) return;
    const size_t gap = (64 - (size_t)((uintptr_t)work % 64)) % 64;
    arena->end = (char *)work + size;
    arena->free = gap < size ? (char *)work + gap : arena->end;
}

static inline void *fs_take_little(fs_arena *arena, int64_t count, size_t size) {
    if (count < 0) count = 0;
    if ((uint64_t)count > (SIZE_MAX / 4) / size) return NULL;
    const size_t bytes = ((size_t)count * size + 63) & ~(size_t)63;
    if ((size_t)(arena->end - arena->free) < bytes) return NULL;
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
"""

ROOMS = """\
/* Where an array in a loop is, if its size is not known before the loop: as large as any of them can be. */
typedef struct {
    char *start;
    size_t size;
} fs_room;

static inline fs_room fs_room_of(fs_arena *arena, int64_t count, size_t size) {
    char *start = (char *)fs_take(arena, count, size);
    return (fs_room){start, start && count > 0 ? (size_t)count * size : 0};
}

static inline void *fs_fit(const fs_room *room, int64_t count, size_t size) {
    if (count < 0) count = 0;
    return (uint64_t)count <= room->size / size ? room->start : NULL;
}
"""

MARKS = """\
/* Where an arena ends: what is taken from there on can be given back. */
typedef struct {
    char *free;
} fs_mark;

static inline fs_mark fs_marked(const fs_arena *arena) { return (fs_mark){arena->free}; }

static inline void fs_release(fs_arena *arena, fs_mark mark) {
#if defined(__GNUC__)
    __asm__ volatile("" ::: "memory"); /* what was in the memory is not read after others have it */
#endif
    arena->free = mark.free;
}
"""

PARAMETER = "fs_arena *restrict fs_memory"
"""By which a function is handed it."""
NAME = "fs_memory"

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

/* Is this more than the machine has, with what the call took before?  Where memory is promised beyond that, malloc
   gives it, and the process is killed when it writes there. */
static int fs_exceeds(const fs_segment *taken, size_t room) {
    double all = (double)room;
    for (; taken; taken = taken->next) all += (double)(taken->end - taken->start);
#ifdef FS_MEMORY
    return all > (double)FS_MEMORY;
#elif defined(__linux__)
    struct sysinfo machine;
    if (sysinfo(&machine)) return 0;
    return all > ((double)machine.totalram + (double)machine.totalswap) * (double)machine.mem_unit;
#else
    return 0;
#endif
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
    size_t room = 0;
    for (fs_segment *s = first; s; s = s->next) room += (size_t)(s->end - s->start);
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
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

#if defined(__GNUC__)
__attribute__((__malloc__)) /* no two arrays share memory: their loops need no versions for the case that they do */
#endif
static void *fs_take(fs_arena *arena, int64_t count, size_t size) {
    if (count < 0) count = 0;
    if ((uint64_t)count > (SIZE_MAX / 4) / size) return NULL;
    const size_t bytes = ((size_t)count * size + 63) & ~(size_t)63;
    while ((size_t)(arena->current->end - arena->free) < bytes) {
#if FS_KEEP > 0
        if (!arena->first.next) arena->first.next = fs_reuse();
#endif
        if (!arena->current->next) {
            size_t room = 2 * (size_t)(arena->current->end - arena->current->start);
            if (room > FS_LARGEST) room = FS_LARGEST;
            if (room < bytes) room = bytes;
            if (room < 65536) room = 65536;
            if (room >= FS_LARGEST && fs_exceeds(arena->first.next, room)) return NULL;
            arena->current->next = fs_segment_of(room);
            if (!arena->current->next) return NULL;
        }
        arena->current = arena->current->next;
        arena->free = arena->current->start;
    }
    char *taken = arena->free;
    arena->free += bytes;
    return taken;
}
#endif

#ifndef FS_MARKS
#define FS_MARKS
/* Where an arena ends: what is taken from there on can be given back. */
typedef struct {
    fs_segment *segment;
    char *free;
} fs_mark;

static inline fs_mark fs_marked(const fs_arena *arena) { return (fs_mark){arena->current, arena->free}; }

static inline void fs_release(fs_arena *arena, fs_mark mark) {
#if defined(__GNUC__)
    __asm__ volatile("" ::: "memory"); /* what was in the memory is not read after others have it */
#endif
    arena->current = mark.segment;
    arena->free = mark.free;
}
#endif

#ifndef FS_HAVE_FS_PRODUCT_F64
#define FS_HAVE_FS_PRODUCT_F64
#ifdef FS_KERNELS_APART
#if defined(__GNUC__)
#define FS_KERNEL __attribute__((visibility("hidden")))
#else
#define FS_KERNEL
#endif
FS_KERNEL int64_t fs_product_f64_room(int64_t m, int64_t n, int64_t k);
FS_KERNEL void fs_product_f64(int64_t m, int64_t n, int64_t k, const double *a, int64_t a_row, int64_t a_column,
    const double *b, int64_t b_row, int64_t b_column, double *c, int64_t c_row, int64_t c_column, int adds, double *room);
#else
#define FS_KERNEL static
#ifndef FS_LANES_f64
/* The tile that the machine has registers for, and blocks for its caches.  A product whose copies have no more than
   FS_HERE elements makes them on the stack. */
#if defined(__GNUC__)
#if defined(__AVX512F__)
#define FS_LANES_f64 8
#define FS_LANES_f32 16
#define FS_ROWS 12
#elif defined(__AVX__)
#define FS_LANES_f64 4
#define FS_LANES_f32 8
#define FS_ROWS 6
#else
#define FS_LANES_f64 2
#define FS_LANES_f32 4
#if defined(__aarch64__)
#define FS_ROWS 8
#else
#define FS_ROWS 4
#endif
#endif
#define FS_DEPTH 256
#define FS_TALL 96
#define FS_WIDE 1024
#define FS_HERE 2048
#if defined(__clang__)
#define FS_LEVEL(level)
#else
#define FS_LEVEL(level) __attribute__((optimize(level))) /* compiles faster; what takes the time is in fs_tile */
#endif
#define FS_EACH_2(p, s) (p)[0], (p)[s]
#define FS_EACH_4(p, s) FS_EACH_2(p, s), FS_EACH_2((p) + 2 * (s), s)
#define FS_EACH_8(p, s) FS_EACH_4(p, s), FS_EACH_4((p) + 4 * (s), s)
#define FS_EACH_16(p, s) FS_EACH_8(p, s), FS_EACH_8((p) + 8 * (s), s)
#define FS_PASTED(a, b) a##b
#define FS_EACH(lanes, p, s) FS_PASTED(FS_EACH_, lanes)(p, s) /* the elements of a vector, s apart */
#endif
#ifndef FS_LEVEL
#define FS_LEVEL(level)
#endif
#endif
#if defined(__GNUC__)
typedef double fs_lanes_f64 __attribute__((vector_size(FS_LANES_f64 * sizeof(double))));
typedef double fs_memory_f64 __attribute__((vector_size(FS_LANES_f64 * sizeof(double)), aligned(sizeof(double)), may_alias));

/* c = a b for a tile c, whose sums are in registers */
static inline __attribute__((always_inline)) void fs_sums_f64(const int rows, const int vectors, int64_t k,
        const double *a, int64_t a_row, int64_t a_column, const double *b, int64_t b_row, double *c, int64_t c_row) {
    fs_lanes_f64 sums[FS_ROWS][2], x[2];
    const double *from[FS_ROWS / 3 + 1]; /* every third row: the others are reached from it without a register each */
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
        for (int j = 0; j < vectors; ++j) sums[i][j] = (fs_lanes_f64){0};
        if (i % 3 == 0) from[i / 3] = a + i * a_row;
    }
    for (int64_t l = 0; l < k; ++l, b += b_row) {
#pragma GCC unroll 2
        for (int j = 0; j < vectors; ++j) x[j] = *(const fs_memory_f64 *)(b + j * FS_LANES_f64);
#pragma GCC unroll 16
        for (int i = 0; i < rows; ++i) {
            const double factor = from[i / 3][i % 3 * a_row];
#pragma GCC unroll 2
            for (int j = 0; j < vectors; ++j) sums[i][j] += factor * x[j];
        }
#pragma GCC unroll 16
        for (int i = 0; i < rows; i += 3) from[i / 3] += a_column;
    }
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
        for (int j = 0; j < vectors; ++j) *(fs_memory_f64 *)(c + i * c_row + j * FS_LANES_f64) = sums[i][j];
    }
}

/* A single row is summed up twice: a loop with one chain of sums gcc may not contract, and the bits would differ. */
static __attribute__((noinline)) void fs_tile_f64(int64_t rows, int64_t width, int64_t k, const double *a, int64_t a_row,
        int64_t a_column, const double *b, int64_t b_row, double *c, int64_t c_row) {
    if (rows == 1) rows = 2, a_row = c_row = 0;
#define FS_TILE(R) \
    case R: \
        if (width > FS_LANES_f64) fs_sums_f64(R, 2, k, a, a_row, a_column, b, b_row, c, c_row); \
        else fs_sums_f64(R, 1, k, a, a_row, a_column, b, b_row, c, c_row); \
        break;
    switch (rows) {
    FS_TILE(2) FS_TILE(3) FS_TILE(4)
#if FS_ROWS > 4
    FS_TILE(6)
#endif
#if FS_ROWS > 6
    FS_TILE(8)
#endif
#if FS_ROWS > 8
    FS_TILE(10) FS_TILE(12)
#endif
    }
#undef FS_TILE
}

/* c = a b for one or two rows, along the rows of b: a tile would read a little of many, far apart */
static __attribute__((noinline)) void fs_rows_f64(int64_t m, int64_t n, int64_t k, const double *a,
        int64_t a_row, int64_t a_column, const double *b, int64_t b_row, double *c, int64_t c_row) {
#define FS_FOUR(TYPE) \
    for (; j + (int64_t)(sizeof(TYPE) / sizeof(double)) <= n; j += sizeof(TYPE) / sizeof(double)) { \
        const TYPE x0 = *(const TYPE *)(b + j), x1 = *(const TYPE *)(b + b_row + j); \
        const TYPE x2 = *(const TYPE *)(b + 2 * b_row + j), x3 = *(const TYPE *)(b + 3 * b_row + j); \
        TYPE sum = *(TYPE *)(c + j) + a0 * x0; \
        sum += a1 * x1; \
        sum += a2 * x2; \
        *(TYPE *)(c + j) = sum + a3 * x3; \
        if (m == 1) continue; \
        sum = *(TYPE *)(c + c_row + j) + d0 * x0; \
        sum += d1 * x1; \
        sum += d2 * x2; \
        *(TYPE *)(c + c_row + j) = sum + d3 * x3; \
    }
    for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) c[i * c_row + j] = 0;
    for (; k >= 4; k -= 4, a += 4 * a_column, b += 4 * b_row) {
        const double a0 = a[0], a1 = a[a_column], a2 = a[2 * a_column], a3 = a[3 * a_column], *d = m > 1 ? a + a_row : a;
        const double d0 = d[0], d1 = d[a_column], d2 = d[2 * a_column], d3 = d[3 * a_column];
        int64_t j = 0;
        FS_FOUR(fs_memory_f64)
        FS_FOUR(double)
    }
#undef FS_FOUR
    for (; k > 0; --k, a += a_column, b += b_row)
        for (int64_t i = 0, j = 0; i < m; ++i, j = 0) {
            double *to = c + i * c_row;
            const double factor = a[i * a_row];
            for (; j + FS_LANES_f64 <= n; j += FS_LANES_f64)
                *(fs_memory_f64 *)(to + j) += factor * *(const fs_memory_f64 *)(b + j);
            for (; j < n; ++j) to[j] += factor * b[j];
        }
}

/* c (+)= tile, for its columns from first to n */
static FS_LEVEL("O1") void fs_put_f64(int64_t rows, int64_t first, int64_t n, const double *tile, int64_t width, double *c,
        int64_t c_row, int64_t c_column, int adds) {
    for (int64_t i = 0; i < rows; ++i, tile += width, c += c_row) {
        int64_t j = first;
        if (adds && c_column == 1)
            for (; j + FS_LANES_f64 <= n; j += FS_LANES_f64)
                *(fs_memory_f64 *)(c + j) += *(const fs_memory_f64 *)(tile + j);
        for (; j < n; ++j) c[j * c_column] = adds ? c[j * c_column] + tile[j] : tile[j];
    }
}

/* to[l, i] = from[i, l] for n of i, which is padded to the width; no sum that is kept has a term with the padding */
static FS_LEVEL("O1") void fs_pack_f64(double *to, int64_t n, int64_t width, int64_t k, const double *from, int64_t across,
        int64_t along) {
    int64_t i = 0;
    if (across != 1) {
        if (n < width) memset(to, 0, (size_t)(k * width) * sizeof(double));
        for (; i + FS_LANES_f64 <= n; i += FS_LANES_f64) {
            const double *p = from + i * across;
            for (int64_t l = 0; l < k; ++l, p += along)
                *(fs_memory_f64 *)(to + l * width + i) = (fs_memory_f64){FS_EACH(FS_LANES_f64, p, across)};
        }
        for (; i < n; ++i)
            for (int64_t l = 0; l < k; ++l) to[l * width + i] = from[i * across + l * along];
        return;
    }
    /* the padding is what follows, as far as that is between the first and the last element */
    const int64_t wide = along > 0 ? k - (width - n + along - 1) / along : 0;
    for (int64_t l = 0; l < k; ++l, to += width, from += along) {
        const int64_t end = l < wide ? width : n;
        for (i = 0; i + 4 <= end; i += 4) memcpy(to + i, from + i, 4 * sizeof(double));
        for (; i < end; ++i) to[i] = from[i];
        for (; i < width; ++i) to[i] = 0;
    }
}

/* How wide the tile is whose sums begin with column j: a vector or two.  The last one starts before, if n allows, and
   has some of the sums of the one before it again. */
static inline int64_t fs_width_f64(int64_t j, int64_t end, int64_t n, int64_t *start) {
    const int64_t width = end - j > FS_LANES_f64 && n >= 2 * FS_LANES_f64 ? 2 * FS_LANES_f64 : FS_LANES_f64;
    *start = end - j < width && n >= width ? end - width : j;
    return width;
}

static FS_LEVEL("O1") void fs_blocks_f64(int64_t m, int64_t n, int64_t k, const double *a, int64_t a_row,
        int64_t a_column, const double *b, int64_t b_row, int64_t b_column, double *c, int64_t c_row, int64_t c_column,
        int adds, double *room) {
    enum { lanes = FS_LANES_f64, gap = 16 }; /* rows a power of two apart would be in the same few lines of a cache */
    double here[FS_HERE] __attribute__((aligned(64))), tile[2 * FS_ROWS * lanes] __attribute__((aligned(64)));
    const int packs_a = n >= 512, far = m > 96 && n > 1048576 / (int64_t)sizeof(double) / k;
    const int packs_b = b_column != 1 || n < lanes || far, thin = m <= 2 && k > 1 && b_column == 1 && c_column == 1;
    if (!room) room = here;
    for (int64_t j0 = 0, j1; j0 < n; j0 = j1) {
        j1 = n - j0 < FS_WIDE + 2 * lanes ? n : j0 + FS_WIDE; /* no block is narrower than a tile if n is not */
        for (int64_t l0 = 0; l0 < k; l0 += FS_DEPTH, adds |= 2) {
            const int64_t depth = k - l0 < FS_DEPTH ? k - l0 : FS_DEPTH, step = b_column == 1 ? 8 : depth;
            const double *const a0 = a + l0 * a_column, *const b0 = b + l0 * b_row;
            double *const room_a = room + (j1 - j0 + 2 * lanes) * depth;
            int64_t start;
            if (thin) {
                double *to = adds ? room : c + j0;
                fs_rows_f64(m, j1 - j0, depth, a0, a_row, a_column, b0 + j0, b_row, to, adds ? j1 - j0 : c_row);
                if (adds) fs_put_f64(m, 0, j1 - j0, room, j1 - j0, c + j0, c_row, 1, 1);
                continue;
            }
            for (int64_t l = 0; packs_b && l < depth; l += step) /* whole rows, not many pieces of rows */
                for (int64_t j = j0, width; j < j1; j += width) {
                    width = fs_width_f64(j, j1, n, &start);
                    fs_pack_f64(room + (j - j0) * depth + l * width, j1 - start < width ? j1 - start : width, width,
                        depth - l < step ? depth - l : step, b0 + l * b_row + start * b_column, b_column, b_row);
                }
            for (int64_t i0 = 0, i1; i0 < m; i0 = i1) {
                i1 = m - i0 < FS_TALL ? m : i0 + FS_TALL;
                for (int64_t j = j0, width; j < j1; j += width) {
                    width = fs_width_f64(j, j1, n, &start);
                    const double *const from_b = packs_b ? room + (j - j0) * depth : b0 + start;
                    for (int64_t i = i0, rows; i < i1; i += rows) {
                        const int64_t tiles = (i1 - i + FS_ROWS - 1) / FS_ROWS;
                        rows = (i1 - i + tiles - 1) / tiles; /* as many as others, and a case in fs_tile */
                        if (rows > 4 && rows % 2) rows += i + rows < i1 ? 1 : -1;
                        const double *from_a = a0 + i * a_row;
                        int64_t next_row = a_row, next_column = a_column;
                        if (packs_a) {
                            double *to = room_a + (i - i0) * (depth + gap);
                            next_row = a_column == 1 ? depth + gap : 1, next_column = a_column == 1 ? 1 : rows;
                            if (j == j0 && a_column == 1)
                                fs_pack_f64(to, depth, next_row, rows, from_a, 1, a_row);
                            else if (j == j0)
                                fs_pack_f64(to, rows, rows, depth, from_a, a_row, a_column);
                            from_a = to;
                        }
                        double *const to = c + i * c_row + start * c_column;
                        const int whole = c_column == 1 && n >= lanes && !adds;
                        for (int64_t r = 0; depth >= 64 && r < rows; ++r) {
                            __builtin_prefetch(to + r * c_row, 1);
                            __builtin_prefetch(to + r * c_row + (width - 1) * c_column, 1);
                        }
                        fs_tile_f64(rows, width, depth, from_a, next_row, next_column, from_b, packs_b ? width : b_row,
                            whole ? to : tile, whole ? c_row : width);
                        if (!whole)
                            fs_put_f64(rows, j - start, j1 - start < width ? j1 - start : width, tile, width, to, c_row,
                                c_column, adds);
                    }
                }
            }
        }
        adds &= 1;
    }
}

static int64_t fs_room_f64(int64_t m, int64_t n, int64_t k) {
    const int64_t depth = k < FS_DEPTH ? k : FS_DEPTH, tall = m < FS_TALL ? m : FS_TALL;
    return ((n < FS_WIDE ? n : FS_WIDE) + 4 * FS_LANES_f64) * depth + (n >= 512 ? tall * (depth + 16) : 0);
}
#endif

/* c[i, j] (+)= the sum over l of a[i, l] * b[l, j], with any strides: c overlaps neither a nor b, and is read only if
   adds.  The room, for as many elements as fs_product_…_room says, is aligned for vectors, or NULL if that is 0. */
FS_KERNEL int64_t fs_product_f64_room(int64_t m, int64_t n, int64_t k) {
#if defined(__GNUC__)
    if (m <= 0 || n <= 0 || k <= 0) return 0;
    const int64_t one = fs_room_f64(m, n, k), other = fs_room_f64(n, m, k);
    return one > other ? (one > FS_HERE ? one : 0) : other > FS_HERE ? other : 0;
#else
    return 0 * (m + n + k);
#endif
}

FS_KERNEL FS_LEVEL("O1") void fs_product_f64(int64_t m, int64_t n, int64_t k, const double *a, int64_t a_row,
        int64_t a_column, const double *b, int64_t b_row, int64_t b_column, double *c, int64_t c_row, int64_t c_column,
        int adds, double *room) {
    if (m <= 0 || n <= 0 || (k <= 0 && adds)) return;
#if defined(__GNUC__)
    if (k > 0) {
        /* or c' (+)= b' a', if the sums of a vector then lie, or are read, in one piece */
        int turned = c_column != 1 && c_row == 1;
        if (n < FS_LANES_f64 && m >= FS_LANES_f64 && a_row == 1) turned = 1;
        if (m < FS_LANES_f64 && n >= FS_LANES_f64) turned = m == 1 && b_column != 1;
        if (turned)
            fs_blocks_f64(n, m, k, b, b_column, b_row, a, a_column, a_row, c, c_column, c_row, adds != 0, room);
        else
            fs_blocks_f64(m, n, k, a, a_row, a_column, b, b_row, b_column, c, c_row, c_column, adds != 0, room);
        return;
    }
#endif
    for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
            double sum = 0;
            for (int64_t l = 0; l < k; ++l) sum += a[i * a_row + l * a_column] * b[l * b_row + j * b_column];
            c[i * c_row + j * c_column] = adds ? c[i * c_row + j * c_column] + sum : sum;
        }
    (void)room;
}
#endif
#undef FS_KERNEL
#endif

int32_t matmul(
    const double *restrict a, int64_t a_n0, int64_t a_n1, const double *restrict c, int64_t c_n0,
    int64_t c_n1, double *restrict result, fs_error *restrict error) {
    (void)error;
    int32_t status = 0;
    double stack[512];
    fs_arena arena;
    fs_open(&arena, (char *)stack, sizeof stack);
    {
        const fs_mark mark = fs_marked(&arena);
        const int64_t room = fs_product_f64_room(a_n0, c_n1, c_n0);
        double *packed = room ? (double *)fs_take(&arena, room, sizeof(double)) : NULL;
        if (room && !packed) {
            status = 2;
            goto fail;
        }
        fs_product_f64(a_n0, c_n1, c_n0, a, a_n1, 1, c, c_n1, 1, result, c_n1, 1, 0, packed);
        fs_release(&arena, mark);
    }
fail:
    fs_close(&arena);
    return status;
}

int32_t matmul_shape(
    const double *restrict a, int64_t a_n0, int64_t a_n1, const double *restrict c, int64_t c_n0,
    int64_t c_n1, int64_t *restrict shape, fs_error *restrict error) {
    (void)a, (void)a_n1, (void)c, (void)c_n0, (void)error;
    shape[0] = a_n0;
    shape[1] = c_n1;
    return 0;
}

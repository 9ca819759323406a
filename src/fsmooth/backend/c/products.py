"""The C of a matrix product, of doubles or floats that lie in memory in any order.

A tile of the result is summed up in registers: a few rows of two vectors, to which each step along the inner dimension
adds elements of `a` times a row of `b`.  Where the rows of `b` do not lie in one piece, or `a` and `b` are too large
for the caches, blocks of them are copied first, in the order in which they are read; small ones are quicker without.
Each sum takes its terms in order, a block of FS_DEPTH after the other, wherever in the result it is: its bits depend on
its row of `a` and its column of `b` only.  That is not so of what a BLAS computes, if there is to be one (blas.py).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from fsmooth.backend.c import blas
from fsmooth.backend.c.names import element_type
from fsmooth.core.types import F32, F64, Float
from fsmooth.loops import tree as t

if TYPE_CHECKING:
    from fsmooth.backend.c.statements import StatementWriter

_SHAPE = """\
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
#define FS_HERE 512
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
"""

_PRODUCT = """\
#if defined(__GNUC__)
typedef {T} fs_lanes_{S} __attribute__((vector_size(FS_LANES_{S} * sizeof({T}))));
typedef {T} fs_memory_{S} __attribute__((vector_size(FS_LANES_{S} * sizeof({T})), aligned(sizeof({T})), may_alias));
typedef {T} fs_four_{S} __attribute__((vector_size(4 * sizeof({T})), aligned(sizeof({T})), may_alias));

/* c = a b for a tile c, whose sums are in registers */
static inline __attribute__((always_inline)) void fs_sums_{S}(const int rows, const int vectors, int64_t k,
        const {T} *a, int64_t a_row, int64_t a_column, const {T} *b, int64_t b_row, {T} *c, int64_t c_row) {
    fs_lanes_{S} sums[FS_ROWS][2], x[2];
    const {T} *from[FS_ROWS / 3 + 1]; /* every third row: the others are reached from it without a register each */
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
        for (int j = 0; j < vectors; ++j) sums[i][j] = (fs_lanes_{S}){0};
        if (i % 3 == 0) from[i / 3] = a + i * a_row;
    }
    for (int64_t l = 0; l < k; ++l, b += b_row) {
#pragma GCC unroll 2
        for (int j = 0; j < vectors; ++j) x[j] = *(const fs_memory_{S} *)(b + j * FS_LANES_{S});
#pragma GCC unroll 16
        for (int i = 0; i < rows; ++i) {
            const {T} factor = from[i / 3][i % 3 * a_row];
#pragma GCC unroll 2
            for (int j = 0; j < vectors; ++j) sums[i][j] += factor * x[j];
        }
#pragma GCC unroll 16
        for (int i = 0; i < rows; i += 3) from[i / 3] += a_column;
    }
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
        for (int j = 0; j < vectors; ++j) *(fs_memory_{S} *)(c + i * c_row + j * FS_LANES_{S}) = sums[i][j];
    }
}

/* A single row is summed up twice: a loop with one chain of sums gcc may not contract, and the bits would differ. */
static __attribute__((noinline)) void fs_tile_{S}(int64_t rows, int64_t width, int64_t k, const {T} *a, int64_t a_row,
        int64_t a_column, const {T} *b, int64_t b_row, {T} *c, int64_t c_row) {
    if (rows == 1) rows = 2, a_row = c_row = 0;
#define FS_TILE(R) \\
    case R: \\
        if (width > FS_LANES_{S}) fs_sums_{S}(R, 2, k, a, a_row, a_column, b, b_row, c, c_row); \\
        else fs_sums_{S}(R, 1, k, a, a_row, a_column, b, b_row, c, c_row); \\
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
static __attribute__((noinline)) void fs_rows_{S}(int64_t m, int64_t n, int64_t k, const {T} *a,
        int64_t a_row, int64_t a_column, const {T} *b, int64_t b_row, {T} *c, int64_t c_row) {
#define FS_FOUR(TYPE) \\
    for (; j + (int64_t)(sizeof(TYPE) / sizeof({T})) <= n; j += sizeof(TYPE) / sizeof({T})) { \\
        const TYPE x0 = *(const TYPE *)(b + j), x1 = *(const TYPE *)(b + b_row + j); \\
        const TYPE x2 = *(const TYPE *)(b + 2 * b_row + j), x3 = *(const TYPE *)(b + 3 * b_row + j); \\
        TYPE sum = *(TYPE *)(c + j) + a0 * x0; \\
        sum += a1 * x1; \\
        sum += a2 * x2; \\
        *(TYPE *)(c + j) = sum + a3 * x3; \\
        if (m == 1) continue; \\
        sum = *(TYPE *)(c + c_row + j) + d0 * x0; \\
        sum += d1 * x1; \\
        sum += d2 * x2; \\
        *(TYPE *)(c + c_row + j) = sum + d3 * x3; \\
    }
    for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) c[i * c_row + j] = 0;
    for (; k >= 4; k -= 4, a += 4 * a_column, b += 4 * b_row) {
        const {T} a0 = a[0], a1 = a[a_column], a2 = a[2 * a_column], a3 = a[3 * a_column], *d = m > 1 ? a + a_row : a;
        const {T} d0 = d[0], d1 = d[a_column], d2 = d[2 * a_column], d3 = d[3 * a_column];
        int64_t j = 0;
        FS_FOUR(fs_memory_{S})
        FS_FOUR({T})
    }
#undef FS_FOUR
    for (; k > 0; --k, a += a_column, b += b_row)
        for (int64_t i = 0, j = 0; i < m; ++i, j = 0) {
            {T} *to = c + i * c_row;
            const {T} factor = a[i * a_row];
            for (; j + FS_LANES_{S} <= n; j += FS_LANES_{S})
                *(fs_memory_{S} *)(to + j) += factor * *(const fs_memory_{S} *)(b + j);
            for (; j < n; ++j) to[j] += factor * b[j];
        }
}

/* c (+)= tile, for its columns from first to n */
static FS_LEVEL("O1") void fs_put_{S}(int64_t rows, int64_t first, int64_t n, const {T} *tile, int64_t width, {T} *c,
        int64_t c_row, int64_t c_column, int adds) {
    for (int64_t i = 0; i < rows; ++i, tile += width, c += c_row) {
        int64_t j = first;
        if (adds && c_column == 1) {
            for (; j + FS_LANES_{S} <= n; j += FS_LANES_{S})
                *(fs_memory_{S} *)(c + j) += *(const fs_memory_{S} *)(tile + j);
            for (; j + 4 <= n; j += 4) *(fs_four_{S} *)(c + j) += *(const fs_four_{S} *)(tile + j);
        }
        for (; j < n; ++j) c[j * c_column] = adds ? c[j * c_column] + tile[j] : tile[j];
    }
}

/* to[l, i] = from[i, l] for n of i, which is padded to the width; no sum that is kept has a term with the padding */
static FS_LEVEL("O1") void fs_pack_{S}({T} *to, int64_t n, int64_t width, int64_t k, const {T} *from, int64_t across,
        int64_t along) {
    int64_t i = 0;
    if (across != 1) {
        if (n < width) memset(to, 0, (size_t)(k * width) * sizeof({T}));
        for (; i + FS_LANES_{S} <= n; i += FS_LANES_{S}) {
            const {T} *p = from + i * across;
            for (int64_t l = 0; l < k; ++l, p += along)
                *(fs_memory_{S} *)(to + l * width + i) = (fs_memory_{S}){FS_EACH(FS_LANES_{S}, p, across)};
        }
        for (; i < n; ++i)
            for (int64_t l = 0; l < k; ++l) to[l * width + i] = from[i * across + l * along];
        return;
    }
    /* the padding is what follows, as far as that is between the first and the last element */
    const int64_t wide = along > 0 ? k - (width - n + along - 1) / along : 0;
    for (int64_t l = 0; l < k; ++l, to += width, from += along) {
        const int64_t end = l < wide ? width : n;
        for (i = 0; i + 4 <= end; i += 4) memcpy(to + i, from + i, 4 * sizeof({T}));
        for (; i < end; ++i) to[i] = from[i];
        for (; i < width; ++i) to[i] = 0;
    }
}

/* How wide the tile is whose sums begin with column j: a vector or two.  The last one starts before, if n allows, and
   has some of the sums of the one before it again. */
static inline int64_t fs_width_{S}(int64_t j, int64_t end, int64_t n, int64_t *start) {
    const int64_t width = end - j > FS_LANES_{S} && n >= 2 * FS_LANES_{S} ? 2 * FS_LANES_{S} : FS_LANES_{S};
    *start = end - j < width && n >= width ? end - width : j;
    return width;
}

static FS_LEVEL("O1") void fs_blocks_{S}(int64_t m, int64_t n, int64_t k, const {T} *a, int64_t a_row,
        int64_t a_column, const {T} *b, int64_t b_row, int64_t b_column, {T} *c, int64_t c_row, int64_t c_column,
        int adds, {T} *room) {
    enum { lanes = FS_LANES_{S}, gap = 16 }; /* rows a power of two apart would be in the same few lines of a cache */
    {T} here[FS_HERE] __attribute__((aligned(64))), tile[2 * FS_ROWS * lanes] __attribute__((aligned(64)));
    /* far: rows of b do not stay in the cache from one tile of rows to the next; to pack them pays for enough rows */
    const int packs_a = n >= 512, far = m >= 48 && n > (m < 80 ? 4194304 : 1048576) / (int64_t)sizeof({T}) / k;
    const int packs_b = b_column != 1 || n < lanes || far, thin = m <= 2 && k > 1 && b_column == 1 && c_column == 1;
    if (!room) room = here;
    for (int64_t j0 = 0, j1; j0 < n; j0 = j1) {
        j1 = n - j0 < FS_WIDE + 2 * lanes ? n : j0 + FS_WIDE; /* no block is narrower than a tile if n is not */
        for (int64_t l0 = 0; l0 < k; l0 += FS_DEPTH, adds |= 2) {
            const int64_t depth = k - l0 < FS_DEPTH ? k - l0 : FS_DEPTH, step = b_column == 1 ? 8 : depth;
            const {T} *const a0 = a + l0 * a_column, *const b0 = b + l0 * b_row;
            {T} *const room_a = room + (j1 - j0 + 2 * lanes) * depth;
            int64_t start;
            if (thin) {
                {T} *to = adds ? room : c + j0;
                fs_rows_{S}(m, j1 - j0, depth, a0, a_row, a_column, b0 + j0, b_row, to, adds ? j1 - j0 : c_row);
                if (adds) fs_put_{S}(m, 0, j1 - j0, room, j1 - j0, c + j0, c_row, 1, 1);
                continue;
            }
            for (int64_t l = 0; packs_b && l < depth; l += step) /* whole rows, not many pieces of rows */
                for (int64_t j = j0, width; j < j1; j += width) {
                    width = fs_width_{S}(j, j1, n, &start);
                    fs_pack_{S}(room + (j - j0) * depth + l * width, j1 - start < width ? j1 - start : width, width,
                        depth - l < step ? depth - l : step, b0 + l * b_row + start * b_column, b_column, b_row);
                }
            for (int64_t i0 = 0, i1; i0 < m; i0 = i1) {
                i1 = m - i0 < FS_TALL ? m : i0 + FS_TALL;
                for (int64_t j = j0, width; j < j1; j += width) {
                    width = fs_width_{S}(j, j1, n, &start);
                    const {T} *const from_b = packs_b ? room + (j - j0) * depth : b0 + start;
                    for (int64_t i = i0, rows; i < i1; i += rows) {
                        const int64_t tiles = (i1 - i + FS_ROWS - 1) / FS_ROWS;
                        rows = (i1 - i + tiles - 1) / tiles; /* as many as others, and a case in fs_tile */
                        if (rows > 4 && rows % 2) rows += i + rows < i1 ? 1 : -1;
                        const {T} *from_a = a0 + i * a_row;
                        int64_t next_row = a_row, next_column = a_column;
                        if (packs_a) {
                            {T} *to = room_a + (i - i0) * (depth + gap);
                            next_row = a_column == 1 ? depth + gap : 1, next_column = a_column == 1 ? 1 : rows;
                            if (j == j0 && a_column == 1)
                                fs_pack_{S}(to, depth, next_row, rows, from_a, 1, a_row);
                            else if (j == j0)
                                fs_pack_{S}(to, rows, rows, depth, from_a, a_row, a_column);
                            from_a = to;
                        }
                        {T} *const to = c + i * c_row + start * c_column;
                        const int whole = c_column == 1 && n >= lanes && !adds;
                        for (int64_t r = 0; depth >= 64 && r < rows; ++r) {
                            __builtin_prefetch(to + r * c_row, 1);
                            __builtin_prefetch(to + r * c_row + (width - 1) * c_column, 1);
                        }
                        fs_tile_{S}(rows, width, depth, from_a, next_row, next_column, from_b, packs_b ? width : b_row,
                            whole ? to : tile, whole ? c_row : width);
                        if (!whole)
                            fs_put_{S}(rows, j - start, j1 - start < width ? j1 - start : width, tile, width, to, c_row,
                                c_column, adds);
                    }
                }
            }
        }
        adds &= 1;
    }
}

static int64_t fs_room_{S}(int64_t m, int64_t n, int64_t k) {
    const int64_t depth = k < FS_DEPTH ? k : FS_DEPTH, tall = m < FS_TALL ? m : FS_TALL;
    return ((n < FS_WIDE ? n : FS_WIDE) + 4 * FS_LANES_{S}) * depth + (n >= 512 ? tall * (depth + 16) : 0);
}
#endif

/* c[i, j] (+)= the sum over l of a[i, l] * b[l, j], with any strides: c overlaps neither a nor b, and is read only if
   adds, when elements of it may be at one place.  The room, for as many elements as fs_product_…_room says, is aligned for
   vectors, or NULL if that is 0. */
FS_KERNEL int64_t fs_product_{S}_room(int64_t m, int64_t n, int64_t k) {
#if defined(__GNUC__)
    if (m <= 0 || n <= 0 || k <= 0) return 0;
    const int64_t one = fs_room_{S}(m, n, k), other = fs_room_{S}(n, m, k);
    return one > other ? (one > FS_HERE ? one : 0) : other > FS_HERE ? other : 0;
#else
    return 0 * (m + n + k);
#endif
}

FS_KERNEL FS_LEVEL("O1") void fs_product_{S}(int64_t m, int64_t n, int64_t k, const {T} *a, int64_t a_row,
        int64_t a_column, const {T} *b, int64_t b_row, int64_t b_column, {T} *c, int64_t c_row, int64_t c_column,
        int adds, {T} *room) {
    if (m <= 0 || n <= 0 || (k <= 0 && adds)) return;
#if defined(FS_BLAS) || defined(FS_CBLAS)
    if (fs_by_blas_{S}(m, n, k, a, a_row, a_column, b, b_row, b_column, c, c_row, c_column, adds)) return;
#endif
#if defined(__GNUC__)
    if (k > 0) {
        /* or c' (+)= b' a', if the sums of a vector then lie, or are read, in one piece */
        int turned = c_column != 1 && c_row == 1;
        if (n < FS_LANES_{S} && m >= FS_LANES_{S} && a_row == 1) turned = 1;
        if (m < FS_LANES_{S} && n >= FS_LANES_{S}) turned = m == 1 && b_column != 1;
        if (turned)
            fs_blocks_{S}(n, m, k, b, b_column, b_row, a, a_column, a_row, c, c_column, c_row, adds != 0, room);
        else
            fs_blocks_{S}(m, n, k, a, a_row, a_column, b, b_row, b_column, c, c_row, c_column, adds != 0, room);
        return;
    }
#endif
    for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
            {T} sum = 0;
            for (int64_t l = 0; l < k; ++l) sum += a[i * a_row + l * a_column] * b[l * b_row + j * b_column];
            c[i * c_row + j * c_column] = adds ? c[i * c_row + j * c_column] + sum : sum;
        }
    (void)room;
}
"""

_NAMES = """\
FS_KERNEL int64_t fs_product_{S}_room(int64_t m, int64_t n, int64_t k);
FS_KERNEL void fs_product_{S}(int64_t m, int64_t n, int64_t k, const {T} *a, int64_t a_row, int64_t a_column,
    const {T} *b, int64_t b_row, int64_t b_column, {T} *c, int64_t c_row, int64_t c_column, int adds, {T} *room);
"""

_INCLUDES = """\
#include <stddef.h>
#include <stdint.h>
#include <string.h>
"""

_HIDDEN = """\
#if defined(__GNUC__)
#define FS_KERNEL __attribute__((visibility("hidden")))
#else
#define FS_KERNEL
#endif
"""


def product_of(type_: Float) -> str:
    """The name of the C function."""
    return f"fs_product_f{type_.width}"


def products(type_: Float) -> str:
    """What a program says of it: its name, where it is linked with the `kernel`; else the function itself."""
    apart, whole = _of(_NAMES + blas.TAKING, type_), _of(blas.CALLED + _PRODUCT, type_)
    shape = f"#ifndef FS_LANES_f64\n{_SHAPE}{blas.SHAPES}#endif\n"
    return f"#ifdef FS_KERNELS_APART\n{_HIDDEN}{apart}#else\n#define FS_KERNEL static\n{shape}{whole}#endif\n#undef FS_KERNEL\n"


def kernel(type_: Float) -> str:
    """The function in a translation unit of its own, which takes the C compiler as long as a program does."""
    return _INCLUDES + _HIDDEN + _SHAPE + blas.SHAPES + _of(blas.CALLED + _PRODUCT, type_)


def kernels(features: Collection[str]) -> tuple[str, ...]:
    """The translation units that a program with these parts of the prelude is linked with."""
    before = blas.DEFINED if blas.FEATURE in features else ""
    return tuple([before + kernel(type_) for type_ in (F64, F32) if product_of(type_) in features])


def blas_setter(features: Collection[str]) -> str:
    """What hands a BLAS to a program, if it is to have one."""
    return blas.setter(features, {type_: product_of(type_) for type_ in (F64, F32)}) if blas.FEATURE in features else ""


def write_product(writer: StatementWriter, s: t.Multiply) -> None:
    """A call of the function, with the memory that it copies parts of the matrices to."""
    name, element, w = product_of(s.type), element_type(s.type), writer.e.write
    writer.features |= {name, "products", "arena"} | ({blas.FEATURE} if s.blas else set())
    sizes = ", ".join([w(size) for size in (s.rows, s.columns, s.summed)])
    matrices = [f"{writer.place(m.buffer, m.offset)}, {w(m.row)}, {w(m.column)}" for m in (s.left, s.right, s.target)]
    writer.line("{")
    writer.depth += 1
    writer.line(f"const fs_mark mark = fs_marked({writer.arena});")
    writer.line(f"const int64_t room = {name}_room({sizes});")
    writer.line(f"{element} *packed = room ? ({element} *)fs_take({writer.arena}, room, sizeof({element})) : NULL;")
    writer.fails("room && !packed", "2")
    writer.line(f"{name}({', '.join([sizes, *matrices])}, {int(s.adds)}, packed);")
    writer.line(f"fs_release({writer.arena}, mark);")
    writer.depth -= 1
    writer.line("}")


def _of(text: str, type_: Float) -> str:
    element, letter = ("double", "d") if type_.width == 64 else ("float", "s")
    return text.replace("{T}", element).replace("{S}", f"f{type_.width}").replace("{P}", letter)

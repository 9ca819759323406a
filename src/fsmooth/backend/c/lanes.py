"""Loops that only do arithmetic, written with the C compilers' own vectors.

`omp simd` leaves the shape of the loop to the compiler: short sums are then added up through memory, and loops that it
splits or copies stay scalar.  Vectors say what is meant, and are quick to compile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsmooth.loops import tree as t
from fsmooth.loops.usage import expressions_of, names_in

if TYPE_CHECKING:
    from fsmooth.backend.c.statements import StatementWriter

LANES = """\
/* Vectors as wide as the machine's; fs_lanes_sum adds the numbers of one in pairs. */
#if !defined(__GNUC__)
#define FS_LANES 1
#elif defined(__AVX512F__)
#define FS_LANES 8
#elif defined(__AVX__)
#define FS_LANES 4
#else
#define FS_LANES 2
#endif
#if FS_LANES == 1
typedef double fs_lanes;
#else
typedef double fs_lanes __attribute__((vector_size(8 * FS_LANES), aligned(8), may_alias));
#endif
#define FS_LANES_AT(place) (*(fs_lanes *)(place))
#define FS_LANES_ALL(x) ((x) - (fs_lanes){0.0})

#if FS_LANES == 1
static inline double fs_lanes_sum(const fs_lanes *sums) {
    return *sums;
}
#else
static inline double fs_lanes_sum(const fs_lanes *sums) {
    typedef double two __attribute__((vector_size(16)));
    two sum;
#if FS_LANES == 8
    typedef double four __attribute__((vector_size(32)));
    const union { fs_lanes whole; four halves[2]; } eight = {*sums};
    const union { four whole; two halves[2]; } half = {eight.halves[0] + eight.halves[1]};
    sum = half.halves[0] + half.halves[1];
#elif FS_LANES == 4
    const union { fs_lanes whole; two halves[2]; } half = {*sums};
    sum = half.halves[0] + half.halves[1];
#else
    const union { fs_lanes whole; two same; } both = {*sums};
    sum = both.same;
#endif
    return sum[0] + sum[1];
}
#endif
"""

_WIDEST = 8
"""Numbers in the widest vectors; in narrower ones, a divisor of it."""

RARELY = """\
/* Around a condition that hardly ever holds: what depends on it is compiled quickly, not well. */
#if (defined(__GNUC__) && __GNUC__ >= 9) || (defined(__clang__) && __clang_major__ >= 11)
#define FS_RARELY(condition) __builtin_expect_with_probability(condition, 0, 1.0)
#else
#define FS_RARELY(condition) (condition)
#endif
"""


def write_vectors(writer: StatementWriter, loop: t.For) -> None:
    """Whole vectors of iterations, then what remains of them, if anything can."""
    writer.features.add("lanes")
    index, size = loop.index, writer.e.write(loop.size, 5)
    writer.line("{")
    writer.depth += 1
    for name in loop.reduced:
        writer.line(f"fs_lanes {_lanes(name)} = {{0.0}};")
    exact = isinstance(loop.size, t.Literal) and int(loop.size.value) % _WIDEST == 0
    if exact:
        writer.line(f"for (int64_t {index} = 0; {index} < {size}; {index} += FS_LANES) {{")
    else:
        writer.line(f"for (int64_t {index} = 0; {index} + FS_LANES <= {size}; {index} += FS_LANES) {{")
    writer.e.lanes = index
    writer.depth += 1
    varying = {index}
    for s in loop.body:
        _statement(writer, s, varying)
    writer.depth -= 1
    writer.e.lanes = None
    writer.line("}")
    for name in loop.reduced:
        writer.line(f"{name} += fs_lanes_sum(&{_lanes(name)});")
    if not exact:
        writer.features.add("scalar")
        writer.line("FS_SCALAR")
        writer.line(f"for (int64_t {index} = {size} / FS_LANES * FS_LANES; {index} < {size}; ++{index}) {{")
        writer.nested(loop.body)
        writer.line("}")
    writer.depth -= 1
    writer.line("}")


def _lanes(name: str) -> str:
    return f"{name}_lanes"


def _statement(writer: StatementWriter, s: t.Statement, varying: set[str]) -> None:
    """One statement for a vector of iterations; `varying` are the names that differ from one to the other."""
    write = writer.e.write
    names: set[str] = set()
    for e in expressions_of(s):
        names_in(e, names)
    match s:
        case t.Declare(name, _, value) if value is not None:
            if varying.isdisjoint(names):
                writer.statement(s)
            else:
                varying.add(name)
                writer.line(f"const fs_lanes {name} = {write(value)};")
        case t.Assign(name, value):
            writer.line(f"{_lanes(name)} += {write(value)};")
        case t.Store(buffer, at, value):
            names.clear()
            names_in(value, names)
            text = write(value) if s.accumulate or not varying.isdisjoint(names) else f"FS_LANES_ALL({write(value)})"
            place = write(t.Load(buffer, at, value.type))
            writer.line(f"{place} {'+=' if s.accumulate else '='} {text};")
        case _:
            raise TypeError(f"{type(s).__name__} is no statement of vectors")

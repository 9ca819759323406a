"""Loops that only do arithmetic, written with the C compilers' own vectors.

`omp simd` leaves the shape of the loop to the compiler: short sums are then added up through memory, and loops that it
splits or copies stay scalar.  Vectors say what is meant, and are quick to compile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from fsmooth.core.types import F32, F64, INT, Float, Type
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import minus
from fsmooth.loops.passes.vectors import width_of
from fsmooth.loops.usage import expressions_of, names_in, names_of

if TYPE_CHECKING:
    from fsmooth.backend.c.statements import StatementWriter

_WIDE = """\
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
"""

_NARROW = """\
/* The same of numbers half as wide; 32 bytes at most, since many loops are short. */
#if FS_LANES == 1
#define FS_LANES_f32 1
#elif FS_LANES == 2
#define FS_LANES_f32 4
#else
#define FS_LANES_f32 8
#endif
"""

_VECTORS = """\
#if FS_LANES{S} == 1
typedef {T} fs_lanes{S};
#else
typedef {T} fs_lanes{S} __attribute__((vector_size({B} * FS_LANES{S}), aligned({B}), may_alias));
#endif
#define FS_LANES_AT{S}(place) (*(fs_lanes{S} *)(place))
#define FS_LANES_ALL{S}(x) ((x) - (fs_lanes{S}){{zero}})

#if FS_LANES{S} == 1
static inline {T} fs_lanes_sum{S}(const fs_lanes{S} *sums) {
    return *sums;
}
#else
static inline {T} fs_lanes_sum{S}(const fs_lanes{S} *sums) {
    typedef {T} two __attribute__((vector_size(2 * {B})));
    two sum;
#if FS_LANES{S} == 8
    typedef {T} four __attribute__((vector_size(4 * {B})));
    const union { fs_lanes{S} whole; four halves[2]; } eight = {*sums};
    const union { four whole; two halves[2]; } half = {eight.halves[0] + eight.halves[1]};
    sum = half.halves[0] + half.halves[1];
#elif FS_LANES{S} == 4
    const union { fs_lanes{S} whole; two halves[2]; } half = {*sums};
    sum = half.halves[0] + half.halves[1];
#else
    const union { fs_lanes{S} whole; two same; } both = {*sums};
    sum = both.same;
#endif
    return sum[0] + sum[1];
}
#endif
"""

_FIRST = """\
/* The first numbers of a vector, and zeros. */
#if FS_LANES{S} == 1
static inline fs_lanes{S} fs_lanes_first{S}(fs_lanes{S} x, int64_t count) {
    return count > 0 ? x : {zero};
}
#else
static inline fs_lanes{S} fs_lanes_first{S}(fs_lanes{S} x, int64_t count) {
    typedef {I} bits __attribute__((vector_size({B} * FS_LANES{S})));
    const {I} left = count < FS_LANES{S} ? ({I})count : FS_LANES{S};
#if FS_LANES{S} == 8
    const bits lane = {0, 1, 2, 3, 4, 5, 6, 7};
#elif FS_LANES{S} == 4
    const bits lane = {0, 1, 2, 3};
#else
    const bits lane = {0, 1};
#endif
    return (fs_lanes{S})((bits)x & (lane < lane * 0 + left));
}
#endif
"""


def suffix_of(type_: Type) -> str:
    """What the names of vectors of these numbers end in."""
    return "_f32" if type_ == F32 else ""


def _of(text: str, type_: Float) -> str:
    wide = type_ == F64
    for name, value in (
        ("{T}", "double" if wide else "float"),
        ("{S}", suffix_of(type_)),
        ("{B}", "8" if wide else "4"),
        ("{I}", "int64_t" if wide else "int32_t"),
        ("{zero}", "0.0" if wide else "0.0f"),
    ):
        text = text.replace(name, value)
    return text


LANES, LANES_F32 = _WIDE + _of(_VECTORS, F64), _NARROW + _of(_VECTORS, F32)
FIRST, FIRST_F32 = _of(_FIRST, F64), _of(_FIRST, F32)

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
    """Whole vectors of iterations, then what remains of them, if anything can and may not be done as a whole vector."""
    suffix = suffix_of(width_of(loop.body))
    lanes = f"FS_LANES{suffix}"
    writer.features |= {"lanes", f"lanes{suffix}"}
    index, size = loop.index, writer.e.write(loop.size, 5)
    known = int(loop.size.value) if isinstance(loop.size, t.Literal) else 1  # 1: any number
    is_whole = loop.vectors is t.Vectors.WHOLE
    exact = known % _WIDEST == 0 or is_whole
    in_pairs = known % (2 * _WIDEST) == 0 and bool(loop.reduced)  # half as long a chain of additions
    if is_whole and loop.reduced:
        writer.features.add(f"lanes_first{suffix}")
    zero = "0.0f" if suffix else "0.0"
    writer.line("{")
    writer.depth += 1
    may_be_short = bool(loop.reduced) and not exact and not isinstance(loop.size, t.Literal)
    if may_be_short:  # then there are no vectors to add up
        writer.line(f"if ({lanes} <= {size}) {{")
        writer.depth += 1
    for name in loop.reduced:
        writer.line(f"fs_lanes{suffix} {_lanes(name)} = {{{zero}}};")
        if in_pairs:
            writer.line(f"fs_lanes{suffix} {_others(name)} = {{{zero}}};")
    condition = f"{index} < {size}" if exact else f"{index} + {lanes} <= {size}"
    writer.line(f"for (int64_t {index} = 0; {condition}; {index} += {lanes}) {{")
    writer.depth += 1
    if in_pairs:
        _vector_in_braces(writer, loop, _lanes)
        writer.line(f"{index} += {lanes};")
        _vector_in_braces(writer, loop, _others)
    else:
        _vector(writer, loop, _lanes)
    writer.depth -= 1
    writer.line("}")
    for name in loop.reduced:
        if in_pairs:
            writer.line(f"{_lanes(name)} += {_others(name)};")
        writer.line(f"{name} += fs_lanes_sum{suffix}(&{_lanes(name)});")
    if may_be_short:
        writer.depth -= 1
        writer.line("}")
    if not exact:
        writer.features.add("scalar")
        writer.line("FS_SCALAR")
        writer.line(f"for (int64_t {index} = {size} / {lanes} * {lanes}; {index} < {size}; ++{index}) {{")
        writer.nested(loop.body)
        writer.line("}")
    writer.depth -= 1
    writer.line("}")


def _lanes(name: str) -> str:
    return f"{name}_lanes"


def _others(name: str) -> str:
    return f"{name}_others"


def _vector_in_braces(writer: StatementWriter, loop: t.For, sums: Callable[[str], str]) -> None:
    writer.line("{")
    writer.depth += 1
    _vector(writer, loop, sums)
    writer.depth -= 1
    writer.line("}")


def _vector(writer: StatementWriter, loop: t.For, sums: Callable[[str], str]) -> None:
    """The body for one vector of iterations; `sums` names the vectors that are added up."""
    left = writer.e.write(minus(loop.size, t.Name(loop.index, INT))) if loop.vectors is t.Vectors.WHOLE else None
    writer.e.lanes = loop.index
    varying = {loop.index}
    for s in loop.body:
        if isinstance(s, t.Assign):
            value = _vector_of(writer, s.value, varying)
            if left is not None:
                value = f"fs_lanes_first{suffix_of(s.value.type)}({value}, {left})"
            writer.line(f"{sums(s.name)} += {value};")
        else:
            _statement(writer, s, varying)
    writer.e.lanes = None


def _vector_of(writer: StatementWriter, value: t.Expression, varying: set[str]) -> str:
    names = names_of(value)
    text = writer.e.write(value)
    return f"FS_LANES_ALL{suffix_of(value.type)}({text})" if varying.isdisjoint(names) else text


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
                writer.line(f"const fs_lanes{suffix_of(value.type)} {name} = {write(value)};")
        case t.Store(buffer, at, value):
            text = write(value) if s.accumulate else _vector_of(writer, value, varying)
            place = write(t.Load(buffer, at, value.type))
            writer.line(f"{place} {'+=' if s.accumulate else '='} {text};")
        case _:
            raise TypeError(f"{type(s).__name__} is no statement of vectors")

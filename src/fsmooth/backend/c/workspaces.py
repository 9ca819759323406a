"""How much memory a function takes, as C: a function of its sizes, and a macro, which may be the length of a static array.

The function gives SIZE_MAX where the number does not fit; the macro is for constants, where the compiler says so.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsmooth.backend.c.signature import laid_out
from fsmooth.core import primitives as p
from fsmooth.loops import tree as t
from fsmooth.loops.usage import names_of
from fsmooth.loops.workspace import Needs, Packed, Take

MACROS = """\
#ifndef FS_WORK_BYTES
#define FS_WORK_MAX(a, b) ((a) > (b) ? (a) : (b))
#define FS_WORK_MIN(a, b) ((a) < (b) ? (a) : (b))
#define FS_WORK_DIVIDE(a, b) ((a) / (b) - ((a) % (b) < 0))
#define FS_WORK_BYTES(count, size) ((FS_WORK_MAX(count, 0) * (size) + 63) / 64 * 64)
#endif
"""

PRODUCTS = """\
#ifndef FS_WORK_PRODUCT
/* what a product of m x k by k x n numbers copies, on the machine with the widest vectors (of so many numbers) */
#define FS_WORK_HALF(m, n, k, lanes) ((FS_WORK_MIN(n, 1024) + 4 * (lanes)) * FS_WORK_MIN(k, 256) \\
    + ((n) >= 512 ? FS_WORK_MIN(m, 96) * (FS_WORK_MIN(k, 256) + 16) : 0))
#define FS_WORK_PRODUCT(m, n, k, lanes) ((m) > 0 && (n) > 0 && (k) > 0 \\
    ? FS_WORK_MAX(FS_WORK_HALF(m, n, k, lanes), FS_WORK_HALF(n, m, k, lanes)) : 0)
#endif
"""

FUNCTIONS = """\
/* Sums and products of sizes, as large as they can be where they do not fit. */
static inline int64_t fs_work_sum(int64_t a, int64_t b) {
    if (b > 0 && a > INT64_MAX - b) return INT64_MAX;
    return b < 0 && a < -INT64_MAX - b ? -INT64_MAX : a + b;
}
static inline int64_t fs_work_times(int64_t a, int64_t b) {
    const int negative = (a < 0) != (b < 0);
    if (a == INT64_MIN || b == INT64_MIN) return negative ? -INT64_MAX : INT64_MAX;
    const int64_t x = a < 0 ? -a : a, y = b < 0 ? -b : b;
    if (y != 0 && x > INT64_MAX / y) return negative ? -INT64_MAX : INT64_MAX;
    return a * b;
}
static inline int64_t fs_work_bytes(int64_t count, int64_t size) {
    const int64_t bytes = fs_work_times(count > 0 ? count : 0, size);
    return bytes > INT64_MAX - 63 ? INT64_MAX : (bytes + 63) / 64 * 64;
}
static inline size_t fs_work_size(int64_t bytes) {
    return bytes == INT64_MAX || (uint64_t)bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes;
}
"""

_LANES = {64: 8, 32: 16}
_FIRST = 64
"""So many bytes more than are taken: the first array begins where a vector may, wherever the memory begins."""


class Constant:
    """Sizes as a constant expression."""

    def sum(self, parts: Sequence[str]) -> str:
        return "(" + " \\\n    + ".join(parts) + ")"

    def largest(self, a: str, b: str) -> str:
        return f"FS_WORK_MAX({a}, {b})"

    def bytes(self, count: str, size: int) -> str:
        return f"FS_WORK_BYTES({count}, {size})"

    def operation(self, e: t.Operation, a: str, b: str) -> str:
        signs = {p.add: "+", p.subtract: "-", p.multiply: "*"}
        if e.primitive in signs:
            return f"({a} {signs[e.primitive]} {b})"
        return f"{_MACROS[e.primitive]}({a}, {b})"

    def name(self, name: str) -> str:
        return f"(int64_t)({name})"


class Checked(Constant):
    """Sizes that are as large as they can be where they do not fit."""

    def sum(self, parts: Sequence[str]) -> str:
        found = parts[0]
        for part in parts[1:]:
            found = f"fs_work_sum({found},\n        {part})"
        return found

    def bytes(self, count: str, size: int) -> str:
        return f"fs_work_bytes({count}, {size})"

    def operation(self, e: t.Operation, a: str, b: str) -> str:
        match e.primitive:
            case p.add:
                return f"fs_work_sum({a}, {b})"
            case p.subtract:
                return f"fs_work_sum({a}, -{b})" if b.isalnum() else f"fs_work_sum({a}, fs_work_times({b}, -1))"
            case p.multiply:
                return f"fs_work_times({a}, {b})"
            case _:
                return super().operation(e, a, b)

    def name(self, name: str) -> str:
        return name


_MACROS = {p.maximum: "FS_WORK_MAX", p.minimum: "FS_WORK_MIN", p.floor_divide: "FS_WORK_DIVIDE"}


def written(needs: Needs, how: Constant) -> str:
    """The bytes."""
    if needs.is_nothing:
        return "0"
    parts = [str(_FIRST), *_taken(needs, how)]
    products = list(dict.fromkeys([_product(x, how) for x in needs.packed]))
    if products:
        largest = products[0]
        for other in products[1:]:
            largest = how.largest(largest, other)
        parts.append(largest)
    return how.sum(parts)


def _taken(needs: Needs, how: Constant) -> list[str]:
    found = []
    for x in needs.taken:
        if isinstance(x, Take):
            found.append(how.bytes(_size(x.count, how), x.bytes))
        else:
            found.append(how.largest(*[how.sum(_taken(branch, how) or ["0"]) for branch in x]))
    return found


def _product(x: Packed, how: Constant) -> str:
    sizes = ", ".join([_size(e, how) for e in (x.rows, x.columns, x.summed)])
    return how.bytes(f"FS_WORK_PRODUCT({sizes}, {_LANES[x.type.width]})", x.type.width // 8)


def _size(e: t.Expression, how: Constant) -> str:
    match e:
        case t.Literal(value):
            return str(value) if abs(int(value)) < 2**31 else f"INT64_C({value})"
        case t.Name(name):
            return how.name(name)
        case t.Operation(_, (a, b)):
            return how.operation(e, _size(a, how), _size(b, how))
        case _:
            raise TypeError(f"{e!r} is no size")


def sizes_in(needs: Needs) -> set[str]:
    """The parameters that decide how much it is."""
    found: set[str] = set()
    for x in needs.taken:
        if isinstance(x, Take):
            found |= names_of(x.count)
        else:
            found |= sizes_in(x[0]) | sizes_in(x[1])
    return found.union(*[names_of(x.rows, x.columns, x.summed) for x in needs.packed])


def prototype(name: str, sizes: Sequence[str]) -> str:
    """Of the function."""
    return laid_out(f"size_t {name}_work", [f"int64_t {x}" for x in sizes] or ["void"])


def function(name: str, sizes: Sequence[str], needs: Needs) -> str:
    """How many bytes, as a function."""
    used = sizes_in(needs)
    unused = "".join([f"    (void){x};\n" for x in sizes if x not in used])
    return f"{prototype(name, sizes)} {{\n{unused}    return fs_work_size({written(needs, Checked())});\n}}\n"


def macro(name: str, sizes: Sequence[str], needs: Needs) -> str:
    """How many bytes, as a macro."""
    return f"#define {name.upper()}_WORK({', '.join(sizes)}) ((size_t){written(needs, Constant())})\n"

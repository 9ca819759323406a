"""Extremum searches over contiguous memory, at the speed of memory and without -ffast-math.

A vector reduction finds the extremum and whether there is a NaN, which then is the extremum (the first one).  For its place, the
array is taken in blocks; only the one that holds the extremum is looked at again, for the first index.
"""

from __future__ import annotations

from fsmooth.core.types import Float, Int, Type
from fsmooth.loops import tree as t

_FLOAT = """\
static inline int64_t fs_arg{name}{suffix}(const {T} *v, int64_t n) {{
    if (n <= 0) return 0;
    {T} best = v[0];
    int64_t where = 0;
    for (int64_t i = 0; i < n; i += 512) {{
        const int64_t end = n - i < 512 ? n : i + 512;
        {T} top = v[i];
        int64_t nan = 0;
#ifndef __clang__ /* where maxima start from the largest finite number */
#pragma omp simd reduction({reduction}:top) reduction(|:nan)
#endif
        for (int64_t j = i; j < end; ++j) {{
            top = v[j] {better} top ? v[j] : top;
            nan |= v[j] != v[j] ? -1 : 0;
        }}
        if (nan) {{
            while (v[i] == v[i]) ++i;
            return i;
        }}
        if (top {better} best) {{
            best = top;
            where = i;
        }}
    }}
    for (; n - where >= 32; where += 32) {{
        int64_t found = 0;
#pragma omp simd reduction(|:found)
        for (int64_t j = where; j < where + 32; ++j) found |= v[j] == best ? -1 : 0;
        if (found) break;
    }}
    while (v[where] != best) ++where;
    return where;
}}
"""

_INTEGER = """\
static inline int64_t fs_arg{name}{suffix}(const int64_t *v, int64_t n) {{
    if (n <= 0) return 0;
    int64_t best = v[0], where = 0;
#pragma omp simd reduction({reduction}:best)
    for (int64_t j = 0; j < n; ++j) best = v[j] {better} best ? v[j] : best;
    while (v[where] != best) ++where;
    return where;
}}
"""

_VALUE = """\
static inline {T} fs_{name}{suffix}(const {T} *v, int64_t n) {{
    {T} top = {worst};
    int64_t nan = 0;
#ifndef __clang__ /* where maxima start from the largest finite number */
#pragma omp simd reduction({reduction}:top) reduction(|:nan)
#endif
    for (int64_t j = 0; j < n; ++j) {{
        top = v[j] {better} top ? v[j] : top;
        nan |= v[j] != v[j] ? -1 : 0;
    }}
    return nan ? ({T})NAN : top;
}}
"""

_INTEGER_VALUE = """\
static inline {T} fs_{name}{suffix}(const {T} *v, int64_t n) {{
    {T} top = {worst};
#pragma omp simd reduction({reduction}:top)
    for (int64_t j = 0; j < n; ++j) top = v[j] {better} top ? v[j] : top;
    return top;
}}
"""

_BETTER = {"max": ">", "min": "<"}
_WORST = {"max": "-INFINITY", "min": "INFINITY"}


def search_name(extremum: t.Extremum, leaf: Type) -> str:
    """What the program calls the search."""
    return f"fs_{extremum.value}{_suffix(leaf)}"


def searches(wanted: set[tuple[t.Extremum, Type]]) -> list[tuple[str, str]]:
    """Names and C texts of searches."""
    ordered = sorted(wanted, key=lambda s: (s[0].value, repr(s[1])))
    return [(search_name(extremum, leaf), _text(extremum, leaf)) for extremum, leaf in ordered]


def _text(extremum: t.Extremum, leaf: Type) -> str:
    name = extremum.value.removeprefix("arg")
    if extremum in (t.Extremum.MAX, t.Extremum.MIN):
        template = _VALUE if isinstance(leaf, Float) else _INTEGER_VALUE
    else:
        template = _FLOAT if isinstance(leaf, Float) else _INTEGER
    type_ = "int64_t" if isinstance(leaf, Int) else "float" if leaf == Float(32) else "double"
    worst = ("INT64_MIN" if name == "max" else "INT64_MAX") if isinstance(leaf, Int) else _WORST[name]
    return template.format(worst=worst, name=name, suffix=_suffix(leaf), T=type_, reduction=name, better=_BETTER[name])


def _suffix(leaf: Type) -> str:
    return "i" if isinstance(leaf, Int) else "f" if leaf == Float(32) else ""

"""C that is shipped: what compilers add to C99 is behind macros, which -DFS_NO_SIMD takes away.

A program is written for gcc and clang, whose vectors and pragmas make it fast, with plain C99 beside each of them.  Here the
question "which compiler is it?" becomes "may it use what it has?".
"""

from __future__ import annotations

import re

MACROS = """\
#if defined(__GNUC__) && !defined(FS_NO_SIMD)
/* -DFS_NO_SIMD: C99 and nothing else, no vectors, attributes or pragmas of compilers */
#define FS_GNU
#if defined(__clang__)
#define FS_CLANG
#endif
#define FS_PRAGMA(text) _Pragma(#text)
#define FS_SIMD(clauses) FS_PRAGMA(omp simd clauses)
#define FS_ALIGNED __attribute__((aligned(64)))
#else
#define FS_SIMD(clauses)
#define FS_ALIGNED
#endif
"""


def shipped(text: str) -> str:
    """The text of a program that says what it asks of a compiler by these macros."""
    for old, new in (
        ("defined(__GNUC__)", "defined(FS_GNU)"),
        ("defined(__clang__)", "defined(FS_CLANG)"),
        ("#ifndef __clang__", "#ifndef FS_CLANG"),
        ("__attribute__((aligned(64)))", "FS_ALIGNED"),
        ("error->reserved", "error->kind"),
    ):
        text = text.replace(old, new)
    return re.sub(r"^#pragma omp simd ?(.*)$", _simd, text, flags=re.MULTILINE)


def _simd(found: re.Match[str]) -> str:
    return f"FS_SIMD({found[1]})"

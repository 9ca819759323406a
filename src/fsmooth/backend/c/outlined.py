"""Functions that statements of large programs are (loops/outline.py).

They are part of the program's text.  Where they are compiled beside it, each as a translation unit of its own, the text is
compiled with FS_OUTLINED_APART.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

HERE = """\
#if defined(__GNUC__)
#define FS_OUTLINED static __attribute__((noinline, noclone))
#else
#define FS_OUTLINED static
#endif
"""

APART = """\
#if defined(__GNUC__)
#define FS_OUTLINED __attribute__((visibility("hidden")))
#else
#define FS_OUTLINED
#endif
"""


class Outlined(Struct, frozen=True):
    """One: the struct it is handed, its prototype and its text, both after FS_OUTLINED, and the parts of the prelude it needs."""

    struct: str
    prototype: str
    text: str
    features: frozenset[str]


def beside(parts: Sequence[Outlined]) -> str:
    """What a program says of those that belong to it: their prototypes, or they themselves."""
    structs = "".join(dict.fromkeys([part.struct for part in parts]))
    names = "".join([f"FS_OUTLINED {part.prototype}" for part in parts])
    texts = "\n".join([f"FS_OUTLINED {part.text}" for part in parts])
    return "".join(
        [structs, "#ifdef FS_OUTLINED_APART\n", APART, names, "#else\n", HERE, texts, "#endif\n#undef FS_OUTLINED\n"]
    )


def unit(part: Outlined) -> str:
    """One as a translation unit, without its head."""
    return f"{part.struct}{APART}FS_OUTLINED {part.prototype}FS_OUTLINED {part.text}"

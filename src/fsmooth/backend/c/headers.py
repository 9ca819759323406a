"""Which headers of C a text needs: a tenth of the time of a short program would go into those that it does not."""

from __future__ import annotations

import re

_MATHEMATICS = """
    acos asin atan atan2 cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs floor fma fmax fmin fmod hypot lgamma log
    log10 log1p log2 pow rint round sin sinh sqrt tan tanh tgamma trunc
""".split()  # noqa: SIM905  (words are read more easily)
_HEADERS = {
    **dict.fromkeys([name + suffix for name in _MATHEMATICS for suffix in ("", "f")], "math"),
    **dict.fromkeys(["INFINITY", "NAN", "isfinite", "isinf", "isnan", "signbit"], "math"),
    **dict.fromkeys(["abort", "calloc", "free", "malloc", "realloc"], "stdlib"),
    **dict.fromkeys(["memcmp", "memcpy", "memmove", "memset", "strlen"], "string"),
}
_OF_TYPES = ("stdbool", "stddef", "stdint")
_WORD = re.compile(r"/\*.*?\*/|([A-Za-z_]\w*)", re.DOTALL)  # a comment is no word


def included(text: str) -> str:
    """The lines that include what the text mentions of the standard library, and the types.

    >>> print(included("double f(double x) { return sqrt(x); }"), end="")
    #include <math.h>
    #include <stdbool.h>
    #include <stddef.h>
    #include <stdint.h>
    """
    mentioned = _HEADERS.keys() & set(_WORD.findall(text))
    return "".join([f"#include <{header}.h>\n" for header in sorted({*_OF_TYPES, *[_HEADERS[x] for x in mentioned]})])

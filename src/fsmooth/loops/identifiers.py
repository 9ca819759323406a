"""C identifiers from the user's names."""

from __future__ import annotations

import re

_RESERVED = frozenset(
    """
    auto break case char const continue default do double else enum extern float for goto if inline int long
    register bad stack held restrict return short signed sizeof static struct switch typedef union unsigned void
    volatile while _Bool _Complex _Imaginary bool true false asm typeof linux unix main error status fail arena
    shape NULL int8_t int16_t int32_t int64_t uint64_t size_t memcpy memset malloc free NAN INFINITY M_PI sin cos
    tan asin acos atan atan2 sinh cosh tanh exp expm1 log log1p sqrt pow hypot erf erfc lgamma tgamma floor ceil
    fabs fmin fmax fmod cbrt exp2 log2 log10 round trunc j0 j1 jn y0 y1 yn gamma signgam abs div labs index isnan
    isinf isfinite signbit copysign nan fma remainder logb scalb ldexp frexp modf significand drem
    acosh asinh atanh fdim scalbn nearbyint rint lround llround lrint llrint nextafter nexttoward ilogb sincos pow10 exp10
    rand srand random srandom select atoi atol atof strtod strtol exit abort system qsort bsearch getenv setenv putenv
    ldiv lldiv llabs calloc realloc valloc memcmp memmove memchr memccpy mempcpy strcpy strcat strlen strcmp strdup strtok
    mktemp mkstemp alloca ecvt fcvt gcvt clearenv realpath bcmp bcopy bzero ffs on_exit atexit rpmatch getsubopt
    """.split()
)
"""Words of C, names of libm, and what the emitted functions call their own."""


def identifier(hint: str) -> str:
    """A C identifier made from the user's name."""
    cleaned = re.sub(r"\W", "_", hint, flags=re.ASCII) or "t"
    if cleaned[0].isdigit() or cleaned.startswith(("_", "fs_")):
        cleaned = "v" + cleaned
    return cleaned + "_" if cleaned in _RESERVED else cleaned

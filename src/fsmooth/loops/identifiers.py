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
    remove rename tmpfile tmpnam fclose fflush fopen freopen setbuf setvbuf printf fprintf sprintf snprintf vprintf scanf
    fscanf sscanf fgetc fgets fputc fputs getc getchar gets putc putchar puts ungetc fread fwrite fseek ftell rewind feof
    ferror perror clearerr getline getdelim popen pclose dprintf fileno fdopen getw putw stdin stdout stderr sysinfo
    mktemp mkstemp alloca ecvt fcvt gcvt clearenv realpath bcmp bcopy bzero ffs on_exit atexit rpmatch getsubopt
    """.split()
)
"""Words of C, names of libm, and what the emitted functions call their own."""

_MACROS = re.compile(
    r"(M|FP|FS|MATH|EXIT|SEEK|SIG_ATOMIC|WCHAR|WINT|PTRDIFF|CHAR|SCHAR|UCHAR|SHRT|USHRT|INT|UINT|LONG|ULONG|LLONG|ULLONG)_\w+"
    r"|U?INT(PTR|MAX|(_FAST|_LEAST)?\d+)_\w+|U?INT(MAX)?\d*_C|HUGE(_VAL[FL]?)?|(SIZE|RAND|MB_CUR|PATH|FOPEN|FILENAME|TMP)_MAX"
    r"|BUFSIZ|EOF|DOMAIN|SING|OVERFLOW|UNDERFLOW|[TP]LOSS|X_TLOSS|MAXFLOAT|SNAN|L_\w+|P_tmpdir|math_errhandling"
)
"""Names of macros of C's own headers, and of this project's."""

OF_CPP = frozenset(
    """
    alignas alignof catch char16_t char32_t class compl concept constexpr decltype delete explicit export friend mutable
    namespace new noexcept nullptr operator private protected public requires static_assert template this thread_local
    throw try typeid typename using virtual wchar_t
    """.split()
)
"""Words of C++ that are names in C."""


def identifier(hint: str) -> str:
    """A C identifier made from the user's name."""
    cleaned = re.sub(r"\W", "_", hint, flags=re.ASCII) or "t"
    if cleaned[0].isdigit() or cleaned.startswith(("_", "fs_")):
        cleaned = "v" + cleaned
    return cleaned + "_" if cleaned in _RESERVED or _MACROS.fullmatch(cleaned) else cleaned


def public(hint: str) -> str:
    """Likewise, for what a header tells: C++ has it, too."""
    name = identifier(hint)
    return name + "_" if name in OF_CPP else name

"""The head of a translation unit: includes, and only those helpers that the program uses."""

from __future__ import annotations

from fsmooth.backend.c import blas
from fsmooth.backend.c import callers_memory as of_caller
from fsmooth.backend.c import helpers as h
from fsmooth.backend.c.arena import ARENA, COMMON, MARKS, ROOMS
from fsmooth.backend.c.expressions import ExpressionWriter
from fsmooth.backend.c.frames import FRAMES, REFERENCE
from fsmooth.backend.c.headers import included
from fsmooth.backend.c.lanes import FIRST, FIRST_F32, LANES, LANES_F32, RARELY
from fsmooth.backend.c.leaving import LEAVING
from fsmooth.backend.c.machines import RECORDS
from fsmooth.backend.c.parallel import PARALLEL
from fsmooth.backend.c.products import product_of, products
from fsmooth.backend.c.searches import searches
from fsmooth.backend.c.spelling import Call, spelling
from fsmooth.backend.c.tape import TAPE
from fsmooth.core.primitives import Primitive
from fsmooth.core.types import F32, F64
from fsmooth.loops.memory import Memory
from fsmooth.loops.vector_math import OLD

_QUIET = """\
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wunknown-pragmas"
#pragma clang diagnostic ignored "-Wpass-failed"
#elif defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#endif
"""


_ARENAS = {Memory.HEAP: (ARENA, MARKS, ROOMS), Memory.CALLER: (of_caller.ARENA, of_caller.MARKS, of_caller.ROOMS)}


def headed(text: str, expressions: ExpressionWriter, features: set[str], memory: Memory = Memory.HEAP) -> str:
    """A text with what it needs before it: the headers that both mention, types and helpers, an arena for whose memory it is."""
    helpers = _helpers(expressions, features, memory)
    extensions = h.GNU if "shared" in features else ""  # asked for before anything is included
    return f"{extensions}{included(helpers + text)}{_QUIET}\n{helpers}\n{text}"


def _helpers(expressions: ExpressionWriter, features: set[str], memory: Memory) -> str:
    arena, marks, rooms = _ARENAS[memory]
    parts = [h.ERROR]
    if not features.isdisjoint(("depth", "shared")):
        parts.append(_guarded("FS_FRAME", h.FRAME, define=False))
    if "failed" in features:
        parts.append(_guarded("FS_FAILED", h.FAILED))
    if "outside" in features:
        parts.append(_guarded("FS_OUTSIDE", h.OUTSIDE))
    if "count" in features:
        parts.append(_guarded("FS_COUNT", h.COUNT))
    if "arena" in features:
        parts.append(_guarded("FS_ARENA", arena))
    if "frames" in features:
        parts.append(_guarded("FS_FRAMES", REFERENCE + FRAMES))
    if not features.isdisjoint(("shared", "frames", "products")):
        parts.append(_guarded("FS_MARKS", marks))
    if "tape" in features:
        parts.append(_guarded("FS_TAPE", TAPE))
    if "leaving" in features:
        parts.append(_guarded("FS_LEAVING", LEAVING))
    if "shared" in features:
        parts.append(_guarded("FS_COMMON", COMMON))
    if "records" in features:
        parts.append(_guarded("FS_RECORDS", RECORDS))
    if blas.FEATURE in features and memory is Memory.HEAP:
        parts.append(_guarded("FS_BLAS", ""))
    for type_ in (F64, F32):
        if product_of(type_) in features:
            parts.append(_guarded(f"FS_HAVE_{product_of(type_).upper()}", products(type_)))
    if "parallel" in features:
        parts.append(_guarded("FS_PARALLEL", PARALLEL))
    if "rooms" in features:
        parts.append(_guarded("FS_ROOMS", rooms))
    if "transpose" in features:
        parts.append(_guarded("FS_TRANSPOSE", h.TRANSPOSE))
    if "transpose_f32" in features:
        parts.append(_guarded("FS_TRANSPOSE_f32", h.TRANSPOSE_F32))
    if "lanes" in features:
        parts.append(_guarded("FS_LANES_AT", LANES, define=False))
    if "lanes_f32" in features:
        parts.append(_guarded("FS_LANES_AT_f32", LANES_F32, define=False))
    if "lanes_first_f32" in features:
        parts.append(_guarded("FS_LANES_FIRST_f32", FIRST_F32))
    if "lanes_first" in features:
        parts.append(_guarded("FS_LANES_FIRST", FIRST))
    if "rarely" in features or expressions.counts_from_end:
        parts.append(_guarded("FS_RARELY", RARELY, define=False))
    if "scalar" in features:
        parts.append(_guarded("FS_SCALAR", h.SCALAR, define=False))
    if "masked_loads" in features:
        parts.append(_guarded("FS_PERMUTES_MASKED", h.MASKED_LOADS, define=False))
    parts.extend(sorted([_vector_function(primitive, single) for primitive, single in expressions.vector_functions]))
    if any([name in ("digamma", "trigamma") for name, _, _ in expressions.helpers]):
        parts.append(_guarded("M_FS_PI", h.PI, define=False))
    for name, single, vector in sorted(expressions.helpers):
        c_name = h.helper_name(name, single, vector)
        parts.append(_guarded(f"FS_HAVE_{c_name.upper()}", h.helper(name, single, vector)))
    for name, text in searches(expressions.searches):
        parts.append(_guarded(f"FS_HAVE_{name.upper()}", text))
    return "\n".join(parts)


def _guarded(macro: str, text: str, define: bool = True) -> str:
    """Text that may stand twice in a translation unit."""
    return f"#ifndef {macro}\n" + (f"#define {macro}\n" if define else "") + text + "#endif\n"


def _vector_function(primitive: Primitive, single: bool) -> str:
    """A declaration through which gcc reaches the vector version of a libm function, without -ffast-math."""
    call = spelling(primitive, F64)
    assert isinstance(call, Call)
    c_name = call.name + ("f" if single else "")
    type_ = "float" if single else "double"
    arguments = ", ".join([type_] * primitive.arity)
    version = "2, 22" if primitive in OLD else "2, 35"
    return (
        f"#ifndef FS_HAVE_{c_name.upper()}\n#define FS_HAVE_{c_name.upper()}\n"
        f"#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__)\n"
        f"#if __GLIBC_PREREQ({version})\n"
        f'{type_} fs_{c_name}({arguments}) __asm__("{c_name}") __attribute__((simd("notinbranch"), const, nothrow));\n'
        f"#else\n#define fs_{c_name} {c_name}\n#endif\n"
        f"#else\n#define fs_{c_name} {c_name}\n#endif\n#endif\n"
    )

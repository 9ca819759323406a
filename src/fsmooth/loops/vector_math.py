"""Which functions have versions for vectors of numbers: the one place that says so (glibc's libmvec; c-facts)."""

from __future__ import annotations

from fsmooth.core import primitives as p

OLD = frozenset((p.sin, p.cos, p.exp, p.log, p.power))
"""Those of glibc 2.22."""

LIBRARY = OLD | frozenset(
    (p.tan, p.asin, p.acos, p.atan, p.atan2, p.sinh, p.cosh, p.tanh)
    + (p.expm1, p.exp2, p.log1p, p.log2, p.log10, p.cbrt, p.hypot, p.erf, p.erfc)
)
"""Those of the library; the others are of glibc 2.35."""

VECTOR_MATH = LIBRARY | {p.sigmoid}
"""And what is computed by these."""

SCALAR_ONLY = frozenset((p.fmod, p.lgamma, p.digamma, p.trigamma, p.integer_power, p.floor_divide, p.modulo))
"""What keeps a loop from running in vectors: one number at a time, or steps that depend on the number."""

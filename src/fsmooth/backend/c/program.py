"""What the C back-end gives: the source, and what a caller must know about it."""

from __future__ import annotations

from dataclasses import dataclass

from fsmooth.core.term import Failure, Site
from fsmooth.core.types import Type

FLAGS = (
    "-O3",
    "-march=native",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fopenmp-simd",
    "-std=gnu99",
    "-fPIC",
    "-shared",
)
"""Flags for gcc that the emitted code is written for (`-O1` instead of `-O3` above `LARGE` statements)."""

LIBRARIES = ("-lm",)
"""What to link.  With gcc on x86-64 glibc `-lm` is a linker script that brings in libmvec as needed."""

LARGE = 5000
"""Programs of more statements are better compiled at -O1."""


@dataclass(frozen=True)
class CProgram:
    """A C99 translation unit that needs libm only, and its interface.

    `parameters` and `result` are the types of the function; `sites` what each value of `fs_error.site` means (None
    for an index out of bounds); `notes` what `.explain()` shows about storage; `statements` the size of the program.
    """

    name: str
    source: str
    header: str
    parameters: tuple[Type, ...]
    result: Type
    sites: tuple[tuple[Failure | None, Site], ...]
    notes: tuple[str, ...]
    statements: int

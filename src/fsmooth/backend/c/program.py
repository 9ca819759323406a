"""What the C back-end gives: the source, and what a caller must know about it."""

from __future__ import annotations

from msgspec import Struct

from fsmooth.core.term import Failure, Site
from fsmooth.core.types import Type


class CProgram(Struct, frozen=True):
    """A C99 translation unit that needs libm only, and its interface.

    `parameters` and `result` are the types of the function; `sites` what each value of `fs_error.site` means (None
    for an index out of bounds); `notes` what `.explain()` shows about storage; `statements` the size of the program.
    Of the array arguments and of the results, counted by themselves, `deciding` and `deciding_results` are those whose
    elements decide where memory is read or written: nobody else may write to them during a call; those of `sizing` decide how
    much memory is taken, so that calls from Python copy them.  `narrow` are array arguments that may, and in another program do,
    lie in memory with 32 bits for each integer; the types of those that do in this one are narrow.  `deciding_numbers` are
    those among the arguments that are numbers from which sizes, or what is compared, are computed: these must not wrap around.
    A program that `is_parallel` takes a pool of threads by `NAME_threads`, one that `takes_blas` functions by `NAME_blas`.
    `kernels` are C texts for what many programs share: the source has them too, unless FS_KERNELS_APART is defined.
    `outlined` are translation units for functions of a large program: the source has them too, unless FS_OUTLINED_APART is
    defined.
    """

    name: str
    source: str
    header: str
    parameters: tuple[Type, ...]
    result: Type
    sites: tuple[tuple[Failure | None, Site], ...]
    notes: tuple[str, ...]
    statements: int
    deciding: frozenset[int]
    deciding_results: frozenset[int]
    deciding_numbers: frozenset[int]
    sizing: frozenset[int] = frozenset()
    narrow: frozenset[int] = frozenset()
    kernels: tuple[str, ...] = ()
    is_parallel: bool = False
    outlined: tuple[str, ...] = ()
    takes_blas: bool = False

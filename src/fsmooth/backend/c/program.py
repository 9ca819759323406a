"""What the C back-end gives: the source, and what a caller must know about it."""

from __future__ import annotations

from dataclasses import dataclass

from fsmooth.core.term import Failure, Site
from fsmooth.core.types import Type


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

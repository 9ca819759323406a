"""Parts of buffers that are handed on."""

from __future__ import annotations

from msgspec import Struct

from fsmooth.core.types import Type
from fsmooth.loops.tree.expressions import Expression


class Place(Struct, frozen=True, eq=False):
    """A part of a buffer that is handed to a function."""

    buffer: str
    offset: Expression
    type: Type

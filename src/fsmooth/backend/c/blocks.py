"""Loops over blocks of points with transposed stores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsmooth.loops import tree as t

if TYPE_CHECKING:
    from fsmooth.backend.c.statements import StatementWriter


def write_block(writer: StatementWriter, block: t.Block) -> None:
    """A blocked loop."""
    raise NotImplementedError

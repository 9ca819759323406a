"""Extremum searches at the speed of memory, without -ffast-math."""

from __future__ import annotations

from fsmooth.core.types import Type
from fsmooth.loops import tree as t


def search(extremum: t.Extremum, leaf: Type) -> str:
    """The C text of a search."""
    raise NotImplementedError

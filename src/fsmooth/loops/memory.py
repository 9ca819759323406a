"""Whose memory functions work in."""

from __future__ import annotations

from enum import Enum


class Memory(Enum):
    """What a call takes comes from the heap, and is kept for the next one, or from the caller, who hands it in."""

    HEAP = "heap"
    CALLER = "caller"

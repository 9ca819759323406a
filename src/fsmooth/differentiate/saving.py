"""Whether calls save what their way back reads."""

from __future__ import annotations

from enum import Enum


class Calls(Enum):
    """What calls do for their way back, where it reads what they gave."""

    SAVE = "they save it"
    ANEW = "nothing: they are called anew"

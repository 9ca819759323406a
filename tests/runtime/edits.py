"""Programs that read of Python what an edit changes (`edits.txt`): `⟨before → after⟩` marks the edit.

A program is `f`, its arguments are `given`, 5.0 if there are none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

BEGIN = """
import dataclasses, enum, functools, math, types
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar
import numpy as np
import fsmooth as fs
"""
MARK = re.compile("⟨(.*?) → (.*?)⟩")


@dataclass(frozen=True)
class Edit:
    """The text of a module before and after an edit of what `what` says."""

    what: str
    before: str
    after: str


def _edits() -> list[Edit]:
    found = []
    for block in re.split("(?m)^== ", (Path(__file__).parent / "edits.txt").read_text())[1:]:
        what, text = block.split("\n", 1)
        found.append(Edit(what, BEGIN + MARK.sub(r"\1", text), BEGIN + MARK.sub(r"\2", text)))
    return found


EDITS = _edits()

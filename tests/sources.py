"""Functions from texts that tests write, and texts that are written at random."""

from __future__ import annotations

import linecache
import random
from collections.abc import Callable
from typing import Any

import numpy as np

import fsmooth as fs


def function_of(source: str, file: str, name: str) -> Callable[..., Any]:
    """The function of this name in a text, which the front end finds under the name of the file."""
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    scope: dict[str, Any] = {"np": np, "fs": fs}
    exec(compile(source, file, "exec"), scope)
    made = scope[name]
    assert callable(made)
    return made


class RandomText:
    """A text that is written line by line, by a random generator of its own."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.lines: list[str] = []

    def write(self, depth: int, *lines: str) -> None:
        """More lines."""
        self.lines += ["    " * depth + line for line in lines]

    def text(self) -> str:
        """What was written."""
        return "\n".join(self.lines) + "\n"

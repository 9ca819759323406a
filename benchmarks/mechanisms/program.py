"""A program that mechanisms are tried on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import fsmooth as fs


@dataclass(frozen=True)
class Program:
    """A function, made anew, and arguments for it."""

    name: str
    make: Callable[[], fs.Function]
    arguments: tuple[Any, ...]

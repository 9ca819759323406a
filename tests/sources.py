"""Functions from texts that tests write."""

from __future__ import annotations

import linecache
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

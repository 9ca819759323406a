"""What is compiled, what the cache has, how long each stage takes: told to those who ask (`fs.set_log`).

Underneath is the logger "fsmooth" of Python's `logging`, which is loaded by `set_log` only: where nobody listens, nothing is
made up.  Everything that is told is told while compiling; calls of what is compiled tell nothing.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from fsmooth.errors import ArgumentError

if TYPE_CHECKING:
    import logging

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


class Writes(Protocol):
    """A text file, or what is written to like one."""

    def write(self, text: str, /) -> object:
        """Take this text."""


Target = int | str | Callable[[str], object] | os.PathLike[str] | Writes | None

_handlers: list[logging.Handler] = []


def set_log(to: Target = "INFO") -> None:
    """Tell what is compiled, what is found in the cache, and how long each stage takes.

    `to` is a level of `logging` (`"INFO"`, or `"DEBUG"` to hear of every stage), and all is written to stderr; or a function
    that is called with each line, or a file (open, or a `pathlib.Path`), and that gets everything; or None, for silence again.
    The logger is `logging.getLogger("fsmooth")`, and can be used as any other instead.

    Raises:
        ArgumentError: for anything else.

    >>> import fsmooth as fs
    >>> lines = []
    >>> fs.set_log(lines.append)
    >>> fs.function(lambda x: x + 0.125)(1.0)
    1.125
    >>> lines[0].startswith("anonymous(x: Float): read in ")
    True
    >>> fs.set_log(None)
    """
    import logging  # noqa: PLC0415  (for those who ask)

    level, handler = _level_and_handler(to)
    logger = logging.getLogger("fsmooth")
    while _handlers:
        last = _handlers.pop()
        logger.removeHandler(last)
        last.close()
    logger.setLevel(level)
    logger.propagate = handler is None
    if handler is not None:
        handler.setFormatter(logging.Formatter("%(message)s"))
        logger.addHandler(handler)
        _handlers.append(handler)


def _level_and_handler(to: object) -> tuple[int, logging.Handler | None]:
    import logging  # noqa: PLC0415  (for those who ask)

    if to is None:
        return logging.NOTSET, None
    if isinstance(to, str) and to.upper() in LEVELS:
        return int(getattr(logging, to.upper())), logging.StreamHandler(_Lines(_to_stderr))
    if isinstance(to, int) and not isinstance(to, bool):
        return to, logging.StreamHandler(_Lines(_to_stderr))
    if isinstance(to, os.PathLike):
        return logging.DEBUG, logging.FileHandler(to, encoding="utf-8")
    if hasattr(to, "write"):
        return logging.DEBUG, logging.StreamHandler(to)
    if callable(to):
        return logging.DEBUG, logging.StreamHandler(_Lines(to))
    hint = f"use {', '.join(map(repr, LEVELS[:2]))}, a function, a file, a pathlib.Path, or None"
    raise ArgumentError(f"set_log({to!r})\n  hint: {hint}")


class _Lines:
    """A stream that gives each line to a function."""

    def __init__(self, take: Callable[[str], object]) -> None:
        self.take = take

    def write(self, text: str) -> int:
        self.take(text.removesuffix("\n"))
        return len(text)


def _to_stderr(line: str) -> None:
    """The stderr of the moment, which notebooks and tests replace."""
    print(f"fsmooth: {line}", file=sys.stderr)


# -- telling ---------------------------------------------------------------------------------------------------------


def listener(level: str) -> logging.Logger | None:
    """The logger, if anyone listens to this level."""
    logging = sys.modules.get("logging")
    if logging is None:
        return None
    logger: logging.Logger = logging.getLogger("fsmooth")  # type: ignore[name-defined]
    return logger if logger.isEnabledFor(getattr(logging, level)) else None


def tell(line: str, *parts: object) -> None:
    """One line, made of its parts if anyone listens."""
    logger = listener("INFO")
    if logger is not None:
        logger.info(line, *parts)


class Arguments:
    """The types of arguments, written out only if someone listens."""

    def __init__(self, types: Mapping[str, object]) -> None:
        self.types = types

    def __str__(self) -> str:
        return ", ".join([f"{name}: {getattr(given, 'value', given)}" for name, given in self.types.items()])


@contextmanager
def timed(line: str, *parts: object) -> Iterator[None]:
    """Tells how long it took what was done meanwhile."""
    start = time.perf_counter()
    yield
    tell(line + " in %.3f s", *parts, time.perf_counter() - start)


def tell_stages(name: str, seconds: Mapping[str, float]) -> None:
    """The stages of a compilation, and how long each took: one line, or a line for each for those who want details."""
    details = listener("DEBUG")
    if details is not None:
        for stage, taken in seconds.items():
            details.debug("%s: %s in %.3f s", name, stage, taken)
    else:
        tell("%s: C written in %.3f s", name, sum(seconds.values()))


__all__ = ["set_log"]

"""A line on the terminal while something is compiled, for those who would wonder: after two seconds, and gone afterwards."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

PATIENCE = 2.0
"""Seconds before anything is shown."""

_ONE_AT_A_TIME = threading.Lock()


@contextmanager
def shown(title: str) -> Iterator[None]:
    """A line that says what is being done and for how long; none where stderr is no terminal, or shows another one."""
    terminal = sys.stderr
    if terminal is None or terminal.closed or not terminal.isatty() or not _ONE_AT_A_TIME.acquire(blocking=False):
        yield
        return
    done = threading.Event()
    line = threading.Thread(target=_show, args=(title, terminal, done), daemon=True)
    try:
        line.start()
        yield
    finally:
        done.set()
        line.join()
        _ONE_AT_A_TIME.release()


def _show(title: str, terminal: TextIO, done: threading.Event) -> None:
    start = time.monotonic()
    if done.wait(PATIENCE):
        return
    try:
        from rich.console import Console  # noqa: PLC0415  (an extra, if it is there)
    except ModuleNotFoundError:
        _show_plainly(title, terminal, done, start)
        return
    with Console(file=terminal).status(title):
        done.wait()


def _show_plainly(title: str, terminal: TextIO, done: threading.Event, start: float) -> None:
    try:
        while True:
            terminal.write(f"\r{title}, {time.monotonic() - start:.0f} s")
            terminal.flush()
            if done.wait(0.5):
                break
        terminal.write("\r\x1b[K")
        terminal.flush()
    except (OSError, ValueError):
        return  # the terminal has been closed

"""A line on the terminal while compiling takes long, and none of it afterwards."""

from __future__ import annotations

import io
import sys
import time

import pytest

import fsmooth as fs
from fsmooth import progress


class Terminal(io.StringIO):
    """What was written to a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(params=["plain", "rich"])
def terminal(request, monkeypatch):  # type: ignore[no-untyped-def]
    if request.param == "rich":
        pytest.importorskip("rich")
        monkeypatch.setenv("TERM", "xterm")
    else:
        monkeypatch.setitem(sys.modules, "rich.console", None)
    return Terminal()


def test_it_is_shown_and_taken_back(terminal, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress.shown("compiling f"):
        deadline = time.monotonic() + 20.0
        while "compiling f" not in terminal.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
        with progress.shown("compiling g"):
            pass
    assert "compiling f" in terminal.getvalue()
    assert "compiling g" not in terminal.getvalue()
    last = terminal.getvalue().rpartition("compiling f")[2]
    assert "\x1b[K" in last or "\x1b[2K" in last


def test_what_is_quick_shows_nothing(terminal, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress.shown("compiling f"):
        pass
    assert terminal.getvalue() == ""


def test_nor_what_is_no_terminal(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    found = io.StringIO()
    monkeypatch.setattr(sys, "stderr", found)
    with progress.shown("compiling f"):
        time.sleep(0.02)
    assert found.getvalue() == ""


def test_it_ends_where_compiling_fails(terminal, monkeypatch, tmp_path) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("FSMOOTH_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("FSMOOTH_CC", "no-such-compiler")
    with pytest.raises(fs.CompilerNotFoundError):
        fs.function(lambda x: x * 3.375)(1.0)
    written = terminal.getvalue()
    time.sleep(0.02)
    assert terminal.getvalue() == written

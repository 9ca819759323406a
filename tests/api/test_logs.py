"""`fs.set_log` says what is compiled and what is found; nothing is said, and nothing loaded, where nobody asks."""

from __future__ import annotations

import io
import logging
import subprocess
import sys

import pytest

import fsmooth as fs


@pytest.fixture(autouse=True)
def _alone(tmp_path, monkeypatch):  # type: ignore[no-untyped-def]
    monkeypatch.setenv("FSMOOTH_CACHE_DIR", str(tmp_path))
    yield
    fs.set_log(None)


def shifted(x, by):  # type: ignore[no-untyped-def]
    return x + 0.375 if by == "up" else x - 0.375


def call() -> None:
    assert fs.function(shifted)(1.0, "up") == 1.375


def test_what_is_compiled_and_what_is_found() -> None:
    lines: list[str] = []
    fs.set_log(lines.append)
    call()
    call()
    read, *stages, built, found = lines
    assert read.startswith("shifted(x: Float, by: up): read in 0.")
    assert [line.split(" in ")[0] for line in stages] == ["shifted: optimised", "shifted: C"]
    assert built.startswith("C of 1 statements compiled by ")
    assert found == "shifted: found in the cache"


def test_both_halves_of_a_vjp() -> None:
    lines: list[str] = []
    fs.set_log(lines.append)
    fs.vjp(lambda x: x * x * 1.375)(2.0)
    assert {line.split(":")[0] for line in lines if " in 0." in line and ": " in line} >= {
        "vjp_anonymous",
        "pullback_anonymous",
    }


def test_calls_say_nothing() -> None:
    f = fs.function(lambda x: x * 0.375)
    f(1.0)
    lines: list[str] = []
    fs.set_log(lines.append)
    f(2.0)
    assert lines == []


def test_where_it_is_written(tmp_path, capsys) -> None:  # type: ignore[no-untyped-def]
    fs.set_log("info")
    call()
    err = capsys.readouterr().err.splitlines()
    assert [line.split(" in ")[0] for line in err[:2]] == [
        "fsmooth: shifted(x: Float, by: up): read",
        "fsmooth: shifted: C written",
    ]
    file = tmp_path / "log.txt"
    fs.set_log(file)
    call()
    stream = io.StringIO()
    fs.set_log(stream)
    call()
    fs.set_log(logging.WARNING)
    call()
    fs.set_log(None)
    call()
    assert file.read_text() == stream.getvalue() == "shifted: found in the cache\n"
    assert capsys.readouterr().err == ""


def test_the_logger_of_python_can_be_used_itself(caplog) -> None:  # type: ignore[no-untyped-def]
    with caplog.at_level(logging.INFO, logger="fsmooth"):
        call()
    assert caplog.messages[0].startswith("shifted(x: Float, by: up): read in")


def test_what_is_no_target() -> None:
    with pytest.raises(fs.ArgumentError) as caught:
        fs.set_log("loud")
    hint = "use 'DEBUG', 'INFO', a function, a file, a pathlib.Path, or None"
    assert str(caught.value) == f"set_log('loud')\n  hint: {hint}"


def test_logging_is_not_loaded_for_those_who_do_not_ask() -> None:
    code = "import numpy, sys; before = 'logging' in sys.modules; import fsmooth; print(before or 'logging' not in sys.modules)"
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert made.stdout.strip() == "True"

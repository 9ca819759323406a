"""Each mistake is an error of fsmooth's with its text, at the user's line where there is one."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import fsmooth as fs
from tests.trees.bad_programs import BAD

MESSAGES = dict(part.split("\n", 1) for part in Path(__file__).with_name("messages.txt").read_text().split("\n== ")[1:])


def message(call: Callable[[], object]) -> str:
    """The class and the text of the error, with lines counted from the function's own."""
    with pytest.raises(fs.Error) as caught:
        call()
    first = call.__code__.co_firstlineno
    own = Path(call.__code__.co_filename).name

    def line(found: re.Match[str]) -> str:
        file = Path(found[1]).name
        return f"{file}, line {f'+{int(found[2]) - first}' if file == own else '…'}"

    kind = next(c.__name__ for c in type(caught.value).__mro__ if c.__module__ == "fsmooth.errors")
    return f"{kind}: " + re.sub(r'File "(.*)", line (\d+)', line, str(caught.value))


@pytest.mark.parametrize("call", BAD, ids=[f.__name__ for f in BAD])
def test_message(call: Callable[[], object]) -> None:
    assert message(call) == MESSAGES[call.__name__].rstrip("\n")


def test_every_mistake_has_a_message() -> None:
    assert sorted(MESSAGES) == sorted([f.__name__ for f in BAD])

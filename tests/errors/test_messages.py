"""Each bad program is refused with its message, at its line, with the expression underlined."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import fsmooth as fs
from fsmooth.frontend.elaborate import elaborate
from fsmooth.frontend.programs import SourceProgram
from fsmooth.runtime.arrays import infer_type
from tests.errors import more_programs, programs, statements

BAD = [*programs.BAD, *more_programs.BAD, *statements.BAD]

MESSAGES = dict(part.split("\n", 1) for part in Path(__file__).with_name("messages.txt").read_text().split("\n== ")[1:])

GENERAL = (fs.ProgramError, fs.Error)


def message(function, arguments) -> str:
    """The class and the text of the error, with lines counted from the function's own."""
    program = SourceProgram(function)
    types = {n: infer_type(a, n) for n, a in zip(program.signature.parameters, arguments, strict=True)}
    with pytest.raises(fs.ProgramError) as caught:
        elaborate(program, types)
    first = function.__code__.co_firstlineno
    lines = []
    for line in str(caught.value).split("\n"):
        if line.startswith("  File "):
            number = int(line.rsplit(" ", 1)[1])
            file = Path(line.split('"')[1])
            lines.append(f"  {file.name}, line +{number - first}")
        else:
            lines.append(re.sub(r"on line (\d+)", lambda m: f"on line +{int(m[1]) - first}", line))
    kind = next(c.__name__ for c in type(caught.value).__mro__ if c.__module__ == "fsmooth.errors" and c not in GENERAL)
    return "\n".join([f"{kind}: {lines[0]}", *lines[1:]])


@pytest.mark.parametrize(("function", "arguments"), BAD, ids=[f.__name__ for f, _ in BAD])
def test_message(function, arguments) -> None:
    assert message(function, arguments) == MESSAGES[function.__name__].rstrip("\n")


def test_every_program_has_a_message_a_mark_and_a_hint() -> None:
    assert sorted(MESSAGES) == sorted([f.__name__ for f, _ in BAD])
    assert all(["^" in text and "\n  hint: " in text for text in MESSAGES.values()])

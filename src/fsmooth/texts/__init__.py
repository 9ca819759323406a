"""F̃ text that defines programs, laws and schedules (docs/reference/text.md).

>>> import numpy as np, fsmooth as fs
>>> text = fs.text('''
... let dot = fun (u : Array<Float>) (v : Array<Float>) -> sum (length u) (fun i -> u[i] * v[i])
... ''')
>>> text["dot"](np.array([1.0, 2.0]), np.array([3.0, 4.0]))
11.0
>>> fs.grad(text["dot"])(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
array([3., 4.])
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

from fsmooth.callables import Function
from fsmooth.errors import ArgumentError
from fsmooth.frontend.text import tree
from fsmooth.frontend.text.mistakes import TextError
from fsmooth.frontend.text_programs import TextDefinition, program_of
from fsmooth.library.users_texts import definitions, parameter_types
from fsmooth.texts.pieces import pieces, programs_of, without_comments


class Text(Mapping[str, Any]):
    """What a text defines, by name: programs, laws, and strategies or schedules, in the order in which they stand there."""

    def __init__(self, found: Mapping[str, object], file: str) -> None:
        self._found = dict(found)
        self._file = file

    def __getitem__(self, name: str) -> Any:
        if name not in self._found:
            there = ", ".join(self._found) or "nothing"
            raise KeyError(f"{self._file} defines no program, law or schedule {name!r}; it defines {there}")
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __repr__(self) -> str:
        return "\n".join([f"{self._file}:", *[f"  {name}: {value}" for name, value in self._found.items()]])


def text(source: str | Path) -> Text:
    """The programs, laws and schedules of an F̃ text, or of the file at a path.

    `let name = fun … -> …` is a program, an `fs.Function`.  Parameters without types take those of the arguments.  Definitions
    may use those before them, and M̃.  An index is tested, as in a Python program; it does not count from the end.

    `law name: left ~> right where …`, or `law [real, discards] name: …`, is a law, tested as `fs.law` tests it;
    `schedule name = …` a strategy, or a schedule, of the laws before it and of what `fs.strategies` has.

    Args:
        source: The text, or the `pathlib.Path` of its file.

    Raises:
        TextError: a ProgramError, at the place of the mistake.
        LawError: for a law that changes what a term means.

    """
    if isinstance(source, Path):
        written, file = source.read_text(encoding="utf-8"), str(source)
    elif isinstance(source, str):
        written = dedent(source)
        file = f"<text {hashlib.sha256(source.encode()).hexdigest()[:12]}>"
    else:
        raise ArgumentError(f"fs.text({source!r})\n  hint: give a text, or the pathlib.Path of a file")
    try:
        return Text(_defined(written, file), "text" if file.startswith("<") else file)
    except TextError as error:
        raise error.in_file(file) if not file.startswith("<") else error from None


def _defined(written: str, file: str) -> dict[str, object]:
    """Everything that a text defines."""
    programs = programs_of(written)
    plain = without_comments(written)
    values = dict(definitions(programs))
    found: dict[str, object] = {}
    for piece in pieces(plain):
        name, value = "", object()
        if piece.word == "law":
            from fsmooth.texts.laws import law_of  # noqa: PLC0415  (the optimiser comes with it)

            made = law_of(plain, piece)
            name, value = made.name, made
        elif piece.word == "schedule":
            from fsmooth.texts.schedules import schedule_of  # noqa: PLC0415

            name, value = schedule_of(plain, piece, {n: x for n, x in found.items() if not isinstance(x, Function)})  # type: ignore[misc]
        else:
            name = plain[piece.start :].split(None, 2)[1]
            function = values.pop(name)
            if not isinstance(function, tree.Fun):
                continue
            value = _program(programs, file, name, function)
        if name in found:
            raise TextError(f"`{name}` is defined twice", written, piece.start, piece.end)
        found[name] = value
    for name, node in values.items():
        raise TextError(f"the `let` of `{name}` does not begin its line", written, node.start, node.end)
    return found


def _program(programs: str, file: str, name: str, function: tree.Fun) -> Function[..., Any]:
    """The program that a function of a text is."""
    parameters = tuple([q.name for q in function.parameters])
    for k, q in enumerate(function.parameters):
        if q.name in parameters[:k]:
            raise TextError(f"`{q.name}` is a parameter of `{name}` twice", programs, q.start, q.end)
    parameter_types(programs, name)  # a mistake in them shows already here
    return Function(program_of(TextDefinition(name, programs, file, parameters)))

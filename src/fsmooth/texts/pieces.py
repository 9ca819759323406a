"""A text as pieces: its programs, its laws and its schedules, each where it stands."""

from __future__ import annotations

import re

from msgspec import Struct

_COMMENT = re.compile(r"\#[^\n]*|\(\*(?!\*?\)).*?\*\)", re.DOTALL)
_PIECE = re.compile(r"^(let|letrec|law|schedule)\b", re.MULTILINE)


class Piece(Struct, frozen=True):
    """What begins with a word at the beginning of a line, up to where the next does; comments are blank."""

    word: str
    start: int
    end: int


def without_comments(text: str) -> str:
    """The text with blanks for comments, so that everything stays at its place."""
    return _COMMENT.sub(lambda found: _blank(found.group()), text)


def pieces(text: str) -> list[Piece]:
    """The definitions, laws and schedules of a text without comments.

    >>> [piece.word for piece in pieces("let f = fun x -> x\\nlaw a: x + y ~> y + x")]
    ['let', 'law']
    """
    found = list(_PIECE.finditer(text))
    ends = [*[m.start() for m in found], len(text)][1:]
    return [Piece(m[1], m.start(), end) for m, end in zip(found, ends, strict=True)]


def programs_of(text: str) -> str:
    """The text with blanks for laws and schedules."""
    for piece in pieces(without_comments(text)):
        if piece.word in ("law", "schedule"):
            text = text[: piece.start] + _blank(text[piece.start : piece.end]) + text[piece.end :]
    return text


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)

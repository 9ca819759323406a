"""Which indices Futhark need not test: those that are proved are written in marks, which become attributes at the end.

An attribute covers as much as it can: a program, what is behind an assertion, a binding, else an element by itself.
"""

from __future__ import annotations

import re

_OPEN, _SHUT, _BEGIN, _END = "\x01", "\x02", "\x03", "\x04"
_ATTRIBUTE = "#[unsafe]"


def proved(text: str) -> str:
    """An element at an index that is proved."""
    return f"{_OPEN}{text}{_SHUT}"


def region(text: str) -> str:
    """Text in which nothing is tested at run time."""
    return f"{_BEGIN}{text}{_END}" if _OPEN in text else text


def plain(text: str) -> str:
    """The text without marks."""
    return re.sub(f"[{_OPEN}{_SHUT}{_BEGIN}{_END}]", "", text)


def covered(text: str) -> str:
    """A block in which nothing is tested, with one attribute for all that is marked in it."""
    return f"{_ATTRIBUTE}\n{plain(text)}" if _OPEN in text else text


def resolved(text: str) -> str:
    """The text with attributes for its marks.

    >>> resolved(f"{region(proved('a[i]') + ' + ' + proved('b[i]'))}, {proved('c[i]')}")
    '#[unsafe] a[i] + b[i], (#[unsafe] c[i])'
    """
    parts, depth = [], 0
    for piece in re.split(f"([{_OPEN}{_SHUT}{_BEGIN}{_END}])", text):
        if piece == _BEGIN:
            parts.append(f"{_ATTRIBUTE} " if depth == 0 else "")
            depth += 1
        elif piece == _END:
            depth -= 1
        elif piece in (_OPEN, _SHUT) and piece:
            parts.append("" if depth else f"({_ATTRIBUTE} " if piece == _OPEN else ")")
        else:
            parts.append(piece)
    return "".join(parts)

"""Texts in nodes are numbers: the same number for the same text in every process, so that compiled programs may contain it."""

from __future__ import annotations

import hashlib

from fsmooth.errors import ArgumentError

_TEXTS: dict[int, str] = {}


def number_of(text: str) -> int:
    """The number of a text.

    Raises:
        ArgumentError: if another text has the same, which is less likely than a fault of the machine.

    """
    number = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little") >> 2
    known = _TEXTS.setdefault(number, text)
    if known != text:
        raise ArgumentError(
            f"the texts {known!r} and {text!r} cannot be told apart\n  hint: write one of them otherwise"
        )
    return number


def text_of(number: int) -> str:
    """The text that has a number."""
    return _TEXTS[number]

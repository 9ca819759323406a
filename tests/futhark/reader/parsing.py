"""Text to a tree, by the grammar beside this file."""

from __future__ import annotations

from pathlib import Path

from lark import Lark, Tree

RESERVED = frozenset(
    "true false if then else def let loop in val for do with local open include import type entry module while assert match case".split()
)
_PARSER = Lark((Path(__file__).parent / "futhark.lark").read_text(), parser="lalr")


def parsed(text: str) -> Tree:
    """The declarations of a program.

    Raises:
        lark.UnexpectedInput: for what is not in the grammar.

    """
    return _PARSER.parse(text)

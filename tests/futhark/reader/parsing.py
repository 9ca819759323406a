"""Text to a tree, by the grammar beside this file.

The reader in this folder is written from Futhark's language reference and its prelude: grammar, types with sizes,
consumption, values.  It knows less of Futhark than there is, and refuses what it does not know.  Nothing of fsmooth is in it.
"""

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

"""From characters to tokens, and the layout rule of F̃ text.

The papers leave out `in` where a line break says it.  The rule: a `let` stands in a column; the first token
of a later line that stands in that column or left of it ends the bound expression, so an `in` is put before
it unless it is one.  Brackets shield what is inside them from the lets outside.

`v[i]` is an access, `f [i]` an application to an array display: an opening square bracket is an access when
nothing separates it from what stands before.
"""

from __future__ import annotations

import re
from functools import cache

from msgspec import Struct

from fsmooth.core.term import Failure
from fsmooth.frontend.text.mistakes import TextError


class Token(Struct, frozen=True):
    """A terminal of the grammar; `start` and `end` are offsets into the text."""

    kind: str
    text: str
    start: int
    end: int


_KEYWORDS = {
    "let": "LET",
    "letrec": "LETREC",
    "and": "ALSO",
    "in": "IN",
    "fun": "FUN",
    "if": "IF",
    "then": "THEN",
    "else": "ELSE",
    "require": "REQUIRE",
    "collect": "COLLECT",
}

_SYMBOLS = {
    "->": "ARROW",
    "=>": "IMPLIES",
    "⊸": "LOLLIPOP",
    "||": "OR",
    "&&": "AND",
    "!": "NOT",
    "<": "LESS",
    ">": "GREATER",
    "=": "EQ",
    ":": "COLON",
    ",": "COMMA",
    "+": "PLUS",
    "-": "MINUS",
    "*": "STAR",
    "×": "STAR",
    "/": "DIVIDE",
    "//": "DIVIDE",
    "%": "DIVIDE",
    "**": "POWER",
    "(": "LPAR",
    ")": "RPAR",
    "[": "LBRACKET",
    "]": "RBRACKET",
    "{": "LBRACE",
    "}": "RBRACE",
}
_COMPARISONS = ("<=", ">=", "==", "<>", "!=")

_OPERATORS = sorted([*_SYMBOLS, *_COMPARISONS], key=len, reverse=True)
_ANY_OPERATOR = "|".join([re.escape(s) for s in _OPERATORS])
_SECTIONS = "|".join(
    [re.escape(s) for s in _OPERATORS if s not in {"(", ")", "[", "]", "{", "}", ",", ":", "->", "=>", "⊸"}]
)

_FAILURES = "|".join([failure.name.lower() for failure in Failure])
"""What is said behind `require`, where it is not sizes that differ."""

_TOKEN = rf"""
      (?P<space>\s+|\#[^\n]*|\(\*(?!\*?\)).*?\*\))
    | (?P<KIND>(?<=require\ )(?:{_FAILURES})(?=\s+(?!in\b)[\w(!\[-]))
    | (?P<SECTION>\(\s*(?:{_SECTIONS})\s*\))
    | (?P<INDEX>(?<=[\w')\]}}])\.?\[)
    | (?P<PROJECT>(?<=[\w')\]}}])\.\d+)
    | (?P<FIELD>(?<=[\w')\]}}])\.[^\W\d]\w*)
    | (?P<FLOAT>\d+(?:\.\d+(?:[eE][-+]?\d+)?|\.(?![\w\[.])|[eE][-+]?\d+)f?|\d+f\b)
    | (?P<INT>\d+)
    | (?P<NAME>[^\W\d][\w']*)
    | (?P<operator>{_ANY_OPERATOR})
    """

_BRACKET, _REQUIRE = -1, -2
_OPENING = ("LPAR", "LBRACKET", "LBRACE", "INDEX")
_CLOSING = ("RPAR", "RBRACKET", "RBRACE")


@cache
def _token() -> re.Pattern[str]:
    """Compiled for the first text: many programs ask the library only which functions it has."""
    return re.compile(_TOKEN, re.VERBOSE | re.DOTALL)


def tokens(text: str) -> list[Token]:
    """The tokens of a program as written, ended by one of kind `$END`.

    Raises:
        TextError: at a character that begins no token.

    >>> [t.kind for t in tokens("let x = v[0] in x")]
    ['LET', 'NAME', 'EQ', 'NAME', 'INDEX', 'INT', 'RBRACKET', 'IN', 'NAME', '$END']

    """
    result: list[Token] = []
    position = 0
    match = _token().match
    while position < len(text):
        found = match(text, position)
        if found is None:
            raise TextError("this character has no meaning here", text, position, position + 1)
        kind, value, end = found.lastgroup or "", found.group(), found.end()
        if kind == "NAME":
            kind = _KEYWORDS.get(value, kind)
        elif kind == "operator":
            kind = _SYMBOLS.get(value, "COMPARE")
        if kind != "space":
            result.append(Token(kind, value, position, end))
        position = end
    result.append(Token("$END", "", len(text), len(text)))
    return result


def laid_out(text: str, found: list[Token]) -> list[Token]:
    """The tokens with an `in` wherever a line break stands for one.

    >>> text = "let x = 1\\nx"
    >>> [t.kind for t in laid_out(text, tokens(text))]
    ['LET', 'NAME', 'EQ', 'INT', 'IN', 'NAME', '$END']
    """
    result: list[Token] = []
    open_: list[int] = []  # what is not closed yet: the column of a let, or one of the two marks
    line_start, end = 0, 0
    for token in found[:-1]:
        newline = text.rfind("\n", end, token.start)
        fresh = newline >= 0 or not result
        line_start = newline + 1 if newline >= 0 else line_start
        kind, column = token.kind, token.start - line_start
        while fresh and open_ and column <= open_[-1]:
            if kind == "IN" and not (len(open_) > 1 and column <= open_[-2]):
                break
            open_.pop()
            result.append(Token("IN", "", token.start, token.start))
        if kind == "LET":
            open_.append(column)
        elif kind in ("REQUIRE", "LETREC"):
            open_.append(_REQUIRE)
        elif kind == "IN":
            if open_ and open_[-1] != _BRACKET:
                open_.pop()
        elif kind in _OPENING:
            open_.append(_BRACKET)
        elif kind in _CLOSING:
            while open_ and open_.pop() != _BRACKET:
                pass
        result.append(token)
        end = token.end
    result.extend([Token("IN", "", len(text), len(text)) for column in open_ if column >= 0])
    result.append(found[-1])
    return result

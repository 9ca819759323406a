"""The plain profile: C99 as compilers and checkers for embedded code want it, from what is written for gcc and clang.

There are no questions which compiler it is, no goto, no `restrict`, no operator comma, and braces around all that depends on a
condition or is repeated.  The text is changed, not what it computes.
"""

from __future__ import annotations

import re

from fsmooth.backend.c.conditionals import decided


def plain(text: str) -> str:
    """The text of a library that works in the caller's memory: there functions only return where something fails."""
    text = decided(text)
    text = re.sub(r"\brestrict ", "", text)
    text = re.sub(r"^( *)(\(void\)\w+(?:,\s*\(void\)\w+)+);", _apart, text, flags=re.MULTILINE)
    text = text.replace("goto fail;", "return status;").replace(
        "\nfail:\n    return status;\n", "\n    return status;\n"
    )
    if re.search(r"\bgoto\b|^\w+:$", text, re.MULTILINE):
        raise ValueError("a function that does more than return where something fails")
    return braced(text)


def _apart(found: re.Match[str]) -> str:
    return "\n".join([f"{found[1]}{part};" for part in re.split(r",\s*", found[2])])


def braced(text: str) -> str:
    """With braces around what is not a block, after `if`, `else`, `for` and `while`."""
    return _Braces(text).text()


_PIECE = re.compile(
    r"""(?P<space>\s+|/\*.*?\*/|^[ ]*\#(?:[^\n]*\\\n)*[^\n]*)
    |(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
    |(?P<word>\w+)|(?P<sign>.)""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)


class _Braces:
    """Statements one after the other: `pieces` are words and signs with their places, `added` is what goes where."""

    def __init__(self, text: str) -> None:
        self.source = text
        self.pieces = [(m[0], m.start(), m.end()) for m in _PIECE.finditer(text) if m.lastgroup != "space"]
        self.at = 0
        self.added: list[tuple[int, str]] = []

    def text(self) -> str:
        """The text with what was added."""
        while self.at < len(self.pieces):
            self._outside()
        made, end = [], 0
        for place, what in sorted(self.added, key=lambda x: x[0]):
            made += [self.source[end:place], what]
            end = place
        return "".join([*made, self.source[end:]])

    def _outside(self) -> None:
        """One piece outside of functions, or the body of one: a block after a parenthesis."""
        if self._word() == "{" and self.at and self.pieces[self.at - 1][0] == ")":
            self._statement()
        else:
            self.at += 1

    def _statement(self) -> None:
        match self._word():
            case "{":
                self.at += 1
                while self._word() != "}":
                    self._statement()
                self.at += 1
            case "if" | "for" | "while" | "switch":
                start = self.pieces[self.at][1]
                self.at += 1
                self._skip_parentheses()
                self._depending(start)
                if self._word() == "else":
                    self._otherwise()
            case "case" | "default":
                while self._word() != ":":
                    self.at += 1
                self.at += 1
            case "do":
                raise ValueError("a loop that is tested at its end")
            case _:
                self._skip_to_semicolon()

    def _otherwise(self) -> None:
        start = self.pieces[self.at][1]
        self.at += 1
        if self._word() == "if":
            self._statement()
        else:
            self._depending(start)

    def _depending(self, start: int) -> None:
        """What depends on the `if` or the loop that starts there; its condition ends before the next piece."""
        if self._word() == "{":
            self._statement()
            return
        after, begins = self.pieces[self.at - 1][2], self.pieces[self.at][1]
        self._statement()
        end = self.pieces[self.at - 1][2]
        line = self.source.rfind("\n", 0, start) + 1
        indent = re.match(" *", self.source[line:])[0]  # type: ignore[index]
        if "\n" in self.source[after:begins]:
            self.added += [(after, " {"), (end, f"\n{indent}}}")]
        else:
            inner = f"\n{indent}    "
            self.added += [(begins, f"{{{inner}"), (end, f"\n{indent}}}")]

    def _skip_parentheses(self) -> None:
        depth = 0
        while True:
            depth += {"(": 1, ")": -1}.get(self._word(), 0)
            self.at += 1
            if depth == 0:
                return

    def _skip_to_semicolon(self) -> None:
        depth = 0
        while self._word() != ";" or depth:
            depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(self._word(), 0)
            self.at += 1
        self.at += 1

    def _word(self) -> str:
        return self.pieces[self.at][0] if self.at < len(self.pieces) else ""

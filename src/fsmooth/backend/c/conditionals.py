"""C without the question which compiler it is: what only some compilers read is taken out, with what chose it.

A translation unit is read as the preprocessor would, of a compiler of C99 that has nothing else: conditions are decided, macros
that stand for nothing are gone, with their uses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_OPEN = ("FS_NO_TEXT",)
"""What whoever compiles it decides."""


def decided(text: str) -> str:
    """The text without conditions."""
    reader = _Reader()
    made = "\n".join(reader.read(_whole_lines(text)))
    for name in [name for name, value in reader.defined.items() if value == ""]:
        made = re.sub(rf"^[ ]*{name}(\(.*\))?[ ]*\n", "", made, flags=re.MULTILINE)
        made = re.sub(rf"\b{name}\b(\([^()\n]*\))?[ ]?", "", made)
    return re.sub(r"\n{3,}", "\n\n", made)


def _whole_lines(text: str) -> Iterator[str]:
    """Lines, with those that go on after a backslash as one."""
    line = ""
    for part in text.split("\n"):
        line += part
        if part.endswith("\\"):
            line += "\n"
        else:
            yield line
            line = ""


class _Reader:
    """Reads line by line; `kept` has for each condition around a line whether it holds, and whether one of its branches has."""

    def __init__(self) -> None:
        self.defined: dict[str, str] = {"FS_NO_SIMD": "1", "FS_ERROR": "1"}
        self.kept: list[list[bool]] = []
        self.open: list[bool] = []

    def read(self, lines: Iterator[str]) -> Iterator[str]:
        for line in lines:
            found = re.match(r"\s*#\s*(\w+)\s*(.*)", line, re.DOTALL)
            word, rest = (found[1], found[2]) if found else ("", "")
            if word in ("if", "ifdef", "ifndef"):
                yield from self._begins(line, word, rest)
            elif word in ("elif", "else", "endif"):
                yield from self._goes_on(line, word, rest)
            elif all([holds for holds, _ in self.kept]):
                yield from self._directive(line, word, rest)

    def _begins(self, line: str, word: str, rest: str) -> Iterator[str]:
        name = rest.split(maxsplit=1)[0]
        is_read = all([holds for holds, _ in self.kept])
        stays = is_read and word != "if" and name in _OPEN
        self.open.append(stays)
        if stays:
            yield line
        elif not is_read:
            self.kept.append([False, True])
        else:
            holds = self._holds(rest) if word == "if" else (name in self.defined) == (word == "ifdef")
            self.kept.append([holds, holds])

    def _goes_on(self, line: str, word: str, rest: str) -> Iterator[str]:
        if self.open[-1]:
            yield line
        elif word == "endif":
            self.kept.pop()
        else:
            holds = not self.kept[-1][1] and (word == "else" or self._holds(rest))
            self.kept[-1] = [holds, holds or self.kept[-1][1]]
        if word == "endif":
            self.open.pop()

    def _directive(self, line: str, word: str, rest: str) -> Iterator[str]:
        if word == "define":
            name, value = re.fullmatch(r"(\w+(?:\([^)]*\))?)\s*(.*)", rest, re.DOTALL).groups()  # type: ignore[union-attr]
            self.defined[name.split("(")[0]] = re.sub(r"/\*.*?\*/", "", value).strip()
            if value == "":
                return
        elif word == "undef":
            self.defined.pop(rest.strip(), None)
        elif word == "pragma":
            return
        yield line

    def _holds(self, condition: str) -> bool:
        """Of names, `defined(…)`, comparisons and && || !."""
        text = re.sub(r"/\*.*?\*/|\\\n", "", condition)
        text = re.sub(r"defined\s*\(?\s*(\w+)\s*\)?", lambda m: str(int(m[1] in self.defined)), text)
        text = re.sub(r"\b[A-Za-z_]\w*\b(\([^)]*\))?", lambda m: self.defined.get(m[0], "0") or "0", text)
        words = re.findall(r"\d+|&&|\|\||[=!<>]=|[!<>()]", text)
        if "".join(words) != re.sub(r"\s", "", text):
            raise ValueError(f"a condition that cannot be read: {condition}")
        return _Condition(words).value()


class _Condition:
    """A condition of numbers, by its words."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = list(words)

    def value(self) -> bool:
        """Alternatives of what holds together."""
        found = self._all()
        while self.words[:1] == ["||"]:
            self.words.pop(0)
            found = self._all() or found
        return found

    def _all(self) -> bool:
        found = self._comparison()
        while self.words[:1] == ["&&"]:
            self.words.pop(0)
            found = self._comparison() and found
        return found

    def _comparison(self) -> bool:
        left = self._number()
        if self.words and self.words[0] in _COMPARES:
            compares = _COMPARES[self.words.pop(0)]
            return compares(left, self._number())
        return bool(left)

    def _number(self) -> int:
        word = self.words.pop(0)
        if word == "!":
            return int(not self._number())
        if word == "(":
            found = int(self.value())
            self.words.pop(0)
            return found
        return int(word)


_COMPARES = {
    "==": int.__eq__,
    "!=": int.__ne__,
    "<": int.__lt__,
    ">": int.__gt__,
    "<=": int.__le__,
    ">=": int.__ge__,
}

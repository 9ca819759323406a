"""What is wrong with a program text, and where: shown with the line and a caret under it."""

from __future__ import annotations

from fsmooth.errors import ProgramError


class TextError(ProgramError, ValueError):
    """A mistake in F̃ text.

    >>> print(TextError("what is this?", "let x = ?\\nx", 8, 9))
    line 1: what is this?
        let x = ?
                ^
    """

    def __init__(self, message: str, text: str, start: int, end: int) -> None:
        self.message = message
        self.line = text.count("\n", 0, start) + 1
        first = text.rfind("\n", 0, start) + 1
        last = text.find("\n", start)
        shown = text[first : last if last >= 0 else len(text)]
        self.column = start - first
        width = max(1, min(end, first + len(shown)) - start)
        super().__init__(f"line {self.line}: {message}\n    {shown}\n    {' ' * self.column}{'^' * width}")

    def in_file(self, file: str) -> TextError:
        """The same mistake, said to be in this file."""
        self.args = (f"{file}, {self.args[0]}",)
        return self

"""The program as it is written, and which of its lines a place of it is."""

from __future__ import annotations

import inspect
import linecache
import re
from collections.abc import Callable, Iterable

from msgspec import Struct

from fsmooth.backend.c.names import comment
from fsmooth.core.term import Site
from fsmooth.frontend.text_programs import definition_of

LINES = 400
"""So many lines of the source are shown."""


class Written(Struct, frozen=True):
    """Lines of a file, from number `first` on; `left_out` is how many more lines something comes from, or the function has."""

    file: str
    first: int
    lines: tuple[str, ...]
    left_out: int = 0

    @staticmethod
    def of(function: Callable[..., object], sites: Iterable[Site]) -> Written:
        """The function with what else in its file `sites` name; no lines if its source is not there."""
        file, first, own = _source(function)
        if not own:
            return Written("", 1, ())
        named = [site.line for site in sites if site.file == file and site.line]
        start = min([max(first, 1), *named])
        end = max([max(first, 1) + own - 1, *named])
        shown = linecache.getlines(file)[start - 1 : min(end, start + LINES - 1)]
        return Written(file, start, tuple([line.rstrip("\n") for line in shown]), max(end - start + 1 - LINES, 0))

    def line_of(self, site: Site) -> int:
        """The line of a site, if it is one that is shown; else 0."""
        is_shown = bool(self.lines) and site.file == self.file and self._has(site.line)
        return site.line if is_shown else 0

    def quoted(self, line: int, text: str) -> int:
        """The line, if it is what a comment says that it is: another file has a line of that number too."""
        if not self._has(line):
            return 0
        return line if text == f"line {line}: {comment(self.lines[line - self.first].strip())}" else 0

    def _has(self, line: int) -> bool:
        return self.first <= line < self.first + len(self.lines)


def _source(function: Callable[..., object]) -> tuple[str, int, int]:
    """The file of a function, its first line, and how many there are: 0 if they are not there."""
    definition = definition_of(function)
    if definition is not None:
        lines = definition.text.splitlines()
        starts = [k for k, line in enumerate(lines, 1) if re.match(r"let(rec)?\b", line)]
        first = next(k for k in starts if re.match(rf"let(rec)?\s+{re.escape(definition.name)}\s", lines[k - 1] + " "))
        end = next((k for k in starts if k > first), len(lines) + 1)
        return definition.file, first, end - first
    try:
        file = inspect.getsourcefile(function) or ""
        own, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        return "", 1, 0
    return file, first, len(own)

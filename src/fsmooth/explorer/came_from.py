"""Of each line of a text that was made of a program, the line of the program that it came from; 0 where that is not known.

Variables know where they come from, loops and tests too.  What has no place of its own is where the loop or definition is that it
stands in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from fsmooth.core.pretty import names_in
from fsmooth.core.term import NOWHERE, Failure, Site, Term
from fsmooth.explorer.written import Written
from fsmooth.loops import tree as t
from fsmooth.loops.usage import bodies_of

Sites = tuple[tuple[Failure | None, Site], ...]

_COMMENT = re.compile(r"\s*/\* (line (\d+): .*) \*/$")
_FAILS = re.compile(r"fs_failed\([^,]*, (\d+),")
_DECLARES = re.compile(r"\s*(?:(?:const )?\w+ (?:\*(?:restrict )?)?(\w+) = |(\w+)\[.*\] \+?= )")
_C_FUNCTION = re.compile(r"(?:static )?\w+ \*?(\w+)\($|(?:static )?\w+ \*?(\w+)\(.*[^;]$")
_TESTS = re.compile(r"\s*(?:check|demand) .* at (\d+)$")
_NAMES = re.compile(r"\s*(?:(?:let|var|arena|array) (\w+): |(\w+)\[.*\] \+?:?= )")
_WORD = re.compile(r"[A-Za-z_]\w*")
_DEFINES = re.compile(r"\s*let (\w+) =")
_BINDS = re.compile(r"fun ((?:\w+ )+)->$")


class _Around:
    """The lines of what is around, each with how far it is indented."""

    def __init__(self) -> None:
        self._lines: list[tuple[int, int]] = []

    def line(self, text: str) -> int:
        """That of the innermost that this text stands in."""
        indent = len(text) - len(text.lstrip())
        while self._lines and self._lines[-1][0] >= indent:
            self._lines.pop()
        return self._lines[-1][1] if self._lines else 0

    def opens(self, text: str, line: int) -> None:
        """What is indented further stands in this."""
        self._lines.append((len(text) - len(text.lstrip()), line))


def of_term(shown: str, term: Term, written: Written) -> Iterator[int]:
    """Of each line of a term."""
    known = {name: written.line_of(var.site) for name, var in names_in(term).items()}
    around = _Around()
    for text in shown.splitlines():
        outside = around.line(text)
        defines, binds = _DEFINES.match(text), _BINDS.search(text)
        own = known.get(defines[1], 0) if defines else 0
        inner = max([known.get(name, 0) for name in binds[1].split()], default=0) if binds else 0
        line = own or inner or outside
        around.opens(text, inner or line)
        yield line


def of_loops(shown: str, program: t.Program, written: Written) -> Iterator[int]:
    """Of each line of loops."""
    lines = _by_use(shown, list(_of_loops(shown, program, written)), _NAMES)
    yield from _filled(shown, lines, ("for ", "check all", "while", "if "))


def _of_loops(shown: str, program: t.Program, written: Written) -> Iterator[int]:
    functions = [program.kernel] if program.shape is None else [program.kernel, program.shape]
    loops = iter([site for function in functions for site in _loops(function.body)])
    origins: Mapping[str, Site] = {}
    around = _Around()
    for text in shown.splitlines():
        outside = around.line(text)
        if text and not text[0].isspace():
            origins = program.origins if text.startswith(f"{program.kernel.name}(") else {}
        tests, names = _TESTS.match(text), _NAMES.match(text)
        if text.lstrip().startswith("for "):
            line = written.line_of(next(loops, NOWHERE)) or outside
            around.opens(text, line)
        elif tests:
            line = written.line_of(program.sites[int(tests[1])][1])
        else:
            line = _named(names, origins, written) or outside
        yield line


def _named(found: re.Match[str] | None, origins: Mapping[str, Site], written: Written) -> int:
    """The line that what is declared, or the array that is written, comes from."""
    return 0 if found is None else written.line_of(origins.get(found[1] or found[2], NOWHERE))


def _by_use(shown: str, lines: list[int], declares: re.Pattern[str]) -> list[int]:
    """The lines, and of a name that code motion made, which comes from nowhere, the one line that what uses it comes from."""
    users: dict[str, set[int]] = {}
    for k, text in reversed(list(enumerate(shown.splitlines()))):
        if not text or not text[0].isspace():
            users.clear()  # another function
            continue
        found = declares.match(text)
        if found and not lines[k]:
            used = users.get(found[1] or found[2], set())
            lines[k] = next(iter(used)) if len(used) == 1 else 0
        for name in _WORD.findall(text) if lines[k] else ():
            users.setdefault(name, set()).add(lines[k])
    return lines


def _filled(shown: str, lines: list[int], heads: tuple[str, ...]) -> list[int]:
    """The lines, and of what is of no line that is known the one line that all in it come from, if there is one."""
    texts = shown.splitlines()
    indents = [len(text) - len(text.lstrip()) if text else 10**6 for text in texts]
    for k, text in enumerate(texts):
        if lines[k] or not indents[k] or not text.lstrip().startswith(heads):
            continue
        end = next((j for j in range(k + 1, len(texts)) if indents[j] <= indents[k]), len(texts))
        known = set(lines[k:end]) - {0}
        if len(known) == 1:
            lines[k:end] = [known.copy().pop()] * (end - k)
    return lines


def _loops(body: Sequence[t.Statement]) -> Iterator[Site]:
    """Where the loops come from that are shown as `for`, in their order."""
    for s in body:
        if isinstance(s, t.For | t.Block):
            yield s.site
        for inner in bodies_of(s):
            yield from _loops(inner)


def of_c(source: str, sites: Sites, program: t.Program, written: Written) -> Iterator[int]:
    """Of each line of C: a comment quotes the line of the loop below it."""
    lines = _by_use(source, list(_of_c(source, sites, program, written)), _DECLARES)
    yield from _filled(source, lines, ("for (", "while (", "if (", "{"))


def _of_c(source: str, sites: Sites, program: t.Program, written: Written) -> Iterator[int]:
    origins: Mapping[str, Site] = {}
    around = _Around()
    waiting = 0
    for text in source.splitlines():
        if not text or text.startswith("#"):
            yield 0
            continue
        outside = around.line(text)
        function = _C_FUNCTION.match(text)
        if function:
            origins = program.origins if program.kernel.name in function.groups() else {}
        quoted, fails, declares = _COMMENT.match(text), _FAILS.search(text), _DECLARES.match(text)
        if quoted:
            line = waiting = written.quoted(int(quoted[2]), quoted[1])
        elif fails:
            line = written.line_of(sites[int(fails[1])][1])
        elif text.endswith("{"):
            line, waiting = waiting or outside, 0
            around.opens(text, line)
        else:
            line = _named(declares, origins, written) or outside
        yield line

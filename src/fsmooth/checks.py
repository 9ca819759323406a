"""What a program checks while it runs, and what of it was proved while it was compiled (`Function.checks`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import overload

from msgspec import Struct

from fsmooth.core.definitions import reachable
from fsmooth.core.term import Check, Failure, Lam, Require, Site, Term
from fsmooth.core.traverse import subterms
from fsmooth.driver import Stages, reasons_of
from fsmooth.errors import UnprovedError
from fsmooth.frontend.diagnose import written_at
from fsmooth.loops import tree as t
from fsmooth.loops.usage import bodies_of


class When(IntEnum):
    """When something is tested; the later, the dearer.  What a test before it shows is proved."""

    PROVED = 0
    AT_ENTRY = 1
    ONCE = 2
    BEFORE_A_LOOP = 3
    EACH_TIME = 4

    def __str__(self) -> str:
        return {
            When.PROVED: "proved",
            When.AT_ENTRY: "asked of the arguments",
            When.ONCE: "tested once",
            When.BEFORE_A_LOOP: "tested before its loop, at each step of it",
            When.EACH_TIME: "tested each time",
        }[self]


class Checked(Struct, frozen=True):
    """An index, or a condition, at a place of the source: `what` must hold, when that is `tested`, and `why` it need not be."""

    what: str
    site: Site
    tested: When
    why: str = ""

    @property
    def source(self) -> str:
        """The expression as it is written, or what it is called where its text is not there."""
        return written_at(self.site) or self.site.what

    def __str__(self) -> str:
        return f"line {self.site.line}: {self.source}: {self.what}, {self.result}"

    @property
    def result(self) -> str:
        """When it is tested, or why it is not."""
        return f"{self.tested}: {self.why}" if self.why else str(self.tested)


class Checks(Sequence[Checked]):
    """All of a program's, in the order of the source."""

    def __init__(self, found: Sequence[Checked]) -> None:
        self._found = tuple(found)

    @overload
    def __getitem__(self, index: int) -> Checked: ...
    @overload
    def __getitem__(self, index: slice) -> Checks: ...
    def __getitem__(self, index: int | slice) -> Checked | Checks:
        return Checks(self._found[index]) if isinstance(index, slice) else self._found[index]

    def __len__(self) -> int:
        return len(self._found)

    @property
    def remaining(self) -> Checks:
        """Those that are tested while the program runs."""
        return Checks([c for c in self._found if c.tested is not When.PROVED])

    def __str__(self) -> str:
        rows = [(f"line {c.site.line}", c.source, c.what, c.result) for c in self._found]
        widths = [max([len(row[k]) for row in rows], default=0) for k in range(3)]
        lines = ["  ".join([*[x.ljust(n) for x, n in zip(row, widths, strict=False)], row[3]]) for row in rows]
        proved = len(self) - len(self.remaining)
        return "\n".join([*lines, f"{len(self)} in all: {proved} proved, {len(self.remaining)} tested"])

    def __repr__(self) -> str:
        return str(self)


_INDEX = "index in bounds"
_WHAT = {
    Failure.INDEX: _INDEX,
    Failure.SIZE: "equal sizes",
    Failure.EMPTY: "not empty",
    Failure.DIVISION: "divisor not zero",
    Failure.STEP: "step not zero",
    Failure.ASSERTION: "assertion",
    Failure.RAISED: "does not raise",
    Failure.DEPTH: "calls not too deep",
    Failure.SINGULAR: "matrix not singular",
    Failure.SQUARE: "columns determined",
    Failure.INDEFINITE: "matrix positive definite",
    Failure.ELEMENT: "indices below their size",
    Failure.DECREASING: "offsets never less than before",
    Failure.NO_PLACE: "indices below their size",
    Failure.NOT_SORTED: "offsets never less than before",
}

_KEPT = "every step of its loop keeps it so"
"""Why an index that a loop carries is in bounds."""

_OWN = (_WHAT[Failure.ASSERTION], _WHAT[Failure.RAISED])
"""What a program tests because it says so."""


def refuse_unproved(name: str, stages: Stages) -> None:
    """An error if a program tests an index, or anything but what it asserts or raises in a loop (`checks="proved"`).

    What is tested once of sizes, and that arguments are indices as annotated, is what its callers are asked for.
    """
    tested = checks_of(stages).remaining
    left = [c for c in tested if c.what == _INDEX or (c.tested > When.ONCE and c.what not in _OWN)]
    if not left:
        return
    count = "1 check is" if len(left) == 1 else f"{len(left)} checks are"
    lines = [f'{name}: {count} not proved, and checks="proved" asks for none', *[f"  {c}" for c in left]]
    hint = 'say what arguments are, fs.Array["n + 1"], fs.Index["n"], or leave out checks="proved"'
    raise UnprovedError("\n".join([*lines, f"  hint: {hint}"]))


_Place = tuple[str, int, int, int, int]
"""A site without what the user calls it: a file, and from where to where."""


def checks_of(stages: Stages) -> Checks:
    """What the definition requires, and what of it the loops still test."""
    assert stages.loops is not None
    tested: dict[tuple[_Place, str], When] = {}
    for site, what, when in _tested(stages.loops):
        key = _place(site), what
        tested[key] = max(tested.get(key, When.PROVED), when)
    program = stages.terms["definition"]
    why: dict[tuple[_Place, str], list[str]] = {}
    for body in (program, *[header.definition for header in reachable(program)]):
        for site, reason in reasons_of(body):
            why.setdefault((_place(site), _INDEX), []).append(reason)
    for site in stages.trace.kept:
        why.setdefault((_place(site), _INDEX), [_KEPT])
    found: dict[tuple[_Place, str], Checked] = {}
    asked = {(_place(r.site), _WHAT[r.failure]) for r in _at_entry(program)}
    for site, what in _required(program):
        key = _place(site), what
        when = tested.get(key, When.PROVED)
        when = When.AT_ENTRY if when is When.ONCE and key in asked else when
        reason = "; ".join(dict.fromkeys(why.get(key, ()))) if when is When.PROVED else ""
        found.setdefault(key, Checked(what, site, when, reason))
    return Checks(sorted(found.values(), key=lambda c: _place(c.site)))


def _required(term: Term) -> Iterator[tuple[Site, str]]:
    """What each access and each requirement of a program, and of the functions it calls, is about."""
    for body in (term, *[header.definition for header in reachable(term)]):
        for part in subterms(body):
            if isinstance(part, Check):
                yield part.site, _INDEX
            elif isinstance(part, Require):
                yield part.site, _WHAT[part.failure]


def _at_entry(program: Term) -> Iterator[Require]:
    """What is required of the arguments before anything else: sizes, mostly, and that indices are such."""
    body = program.body if isinstance(program, Lam) else program
    while isinstance(body, Require):
        yield body
        body = body.body


def _tested(program: t.Program) -> Iterator[tuple[Site, str, When]]:
    """What is tested where."""

    def within(body: t.Body, each: When) -> Iterator[tuple[Site, str, When]]:
        for s in body:
            match s:
                case t.CheckAll():
                    before = each if s.ends else max(each, When.BEFORE_A_LOOP)
                    yield (*said(s.check.site), before)
                case t.Check() | t.Demand():
                    yield (*said(s.site), each)
                case _:
                    repeats = isinstance(s, t.For | t.While | t.Block | t.Parallel)
                    for inner in bodies_of(s):
                        yield from within(inner, When.EACH_TIME if repeats else each)

    def said(number: int) -> tuple[Site, str]:
        failure, site = program.sites[number]
        return site, _WHAT[Failure.INDEX if failure is None else failure]

    yield from within(program.kernel.body, When.ONCE)
    for f in program.definitions:
        yield from within(f.body, When.EACH_TIME)


def _place(site: Site) -> _Place:
    return site.file, site.line, site.column, site.end_line, site.end_column

"""What `.explain()` says about reverse derivatives: each cotangent array that got memory of its own, of what, and why.

What reverse mode makes knows of which value it is the cotangent, or what else (`core.term.Backwards`), and so do the names of
what it becomes.  An array into which anything made of these goes is a cotangent: what is computed on the way back is linear in
them, and nothing computed before depends on them.  What is made of constants only may have lost where it comes from: arrays
that are added to and have no name are told apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from fsmooth.core.term import Backwards, Flow, Site
from fsmooth.core.types import INT, Float
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import parts
from fsmooth.loops.show import show_expression
from fsmooth.loops.usage import bodies_of, expressions_of, names_in, pointed_to, targets, with_pointed_to
from fsmooth.lower.notes import IN_A_ROOM


def cotangent_notes(program: t.Program, own: frozenset[str]) -> tuple[str, ...]:
    """A line for each cotangent array in memory of its own.

    Args:
        program: the loops of a reverse derivative.
        own: the names of the variables of the user's program.

    """
    body = program.kernel.body
    survey = _Survey(pointed_to(body))
    survey.read(body, ())
    made = {name: site for name, site in program.origins.items() if isinstance(site, Backwards)}
    roots = {name: site for name, site in made.items() if site.flow in _OF_COTANGENTS}
    tainted = survey.reached(set(roots))
    notes, doubtful = [], []
    for array in survey.arrays.values():
        if array.name in tainted:
            notes.append(f"{array.name}: {_size(array, survey)}; {_of(roots.get(array.name), own)}; {array.why()}")
        elif array.is_added_to and array.name not in made and not _is_known(program.names.get(array.name, ""), own):
            doubtful.append(array.name)
    if doubtful and notes:
        notes.append(f"without a name, and added to: {', '.join(doubtful)}")
    elif doubtful:
        notes.append(
            f"no cotangent array is known to be materialised; without a name, and added to: {', '.join(doubtful)}"
        )
    return tuple(notes) or ("no cotangent array was materialised",)


_OF_COTANGENTS = frozenset((Flow.COTANGENT, Flow.LEAVING, Flow.STATE))


class _Array(Struct, eq=False):
    """A buffer: where it is made, and the loops (numbers of them, outermost first) in which it is written and read."""

    name: str
    count: t.Expression
    place: str
    writes: list[tuple[int, ...]] = field(default_factory=list)
    reads: list[tuple[int, ...]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    is_added_to: bool = False
    is_swapped: bool = False

    def why(self) -> str:
        """Why it could not go straight to where it belongs, as the loops show it."""
        line = f" (line {min(self.lines)})" if self.lines else ""
        if self.is_swapped:
            return f"each step of a loop{line} needs all of what the step before left"
        filled = {loops[:1] for loops in self.writes}
        if any([loops[:1] not in filled for loops in self.reads]):
            return f"one loop fills it{line}, a later one reads it"
        if not set(self.writes) & set(self.reads):
            return f"in each step of a loop, one loop fills it{line} and another reads it"
        return f"the loop that fills it{line} reads it too"


class _Survey:
    """Arrays, what is computed from what, and integers that are defined once."""

    def __init__(self, pointers: Mapping[str, set[str]]) -> None:
        self.pointers = dict(pointers)
        self.arrays: dict[str, _Array] = {}
        self.into: dict[str, set[str]] = {}
        self.integers: dict[str, t.Expression] = {}
        self._loops = 0

    def read(self, body: Sequence[t.Statement], loops: tuple[int, ...], line: int = 0) -> None:
        """Learn what the statements do; `loops` are those around them."""
        for s in body:
            match s:
                case t.Allocate():
                    place = "in the arena, once per call" if s.room is None else IN_A_ROOM
                    self.arrays[s.buffer] = _Array(s.buffer, s.count, place)
                case t.LocalArray():
                    self.arrays[s.buffer] = _Array(s.buffer, t.Literal(s.count, INT), "on the stack")
                case t.Declare() if s.value is not None and not s.mutable and not isinstance(s.type, Float):
                    self.integers[s.name] = s.value
                case _:
                    pass
            self._flow(s, loops, line)
            is_loop = isinstance(s, t.For | t.While | t.Block)
            if is_loop:
                self._loops += 1
            around = (*loops, self._loops) if is_loop else loops
            here = s.site.line if isinstance(s, t.For | t.While | t.Block) and _fills(s.site) else line
            for inner in bodies_of(s):
                self.read(inner, around, here)

    def _flow(self, s: t.Statement, loops: tuple[int, ...], line: int) -> None:
        read = set[str]()
        for e in expressions_of(s):
            names_in(e, read)
        written = {s.name} if isinstance(s, t.Declare) else targets(s)
        if isinstance(s, t.Copy):
            read.add(s.source)
        if isinstance(s, t.Swap):
            read |= {s.left, s.right}
        if not isinstance(s, t.Choose):
            for name in with_pointed_to(written, self.pointers):
                self.into.setdefault(name, set()).update(read)
            self._touch(s, written, read, loops, line)

    def _touch(self, s: t.Statement, written: set[str], read: set[str], loops: tuple[int, ...], line: int) -> None:
        for name in with_pointed_to(read, self.pointers) & self.arrays.keys():
            self.arrays[name].reads.append(loops)
        for name in with_pointed_to(written, self.pointers) & self.arrays.keys():
            array = self.arrays[name]
            array.is_swapped |= isinstance(s, t.Swap)
            array.is_added_to |= (isinstance(s, t.Store) and s.accumulate) or (isinstance(s, t.Multiply) and s.adds)
            if isinstance(s, t.Store | t.Block | t.Copy | t.Multiply):
                array.writes.append(loops)
                if line:
                    array.lines.append(line)

    def reached(self, sources: set[str]) -> set[str]:
        """What is computed from the sources, these included."""
        onward: dict[str, list[str]] = {}
        for name, read in self.into.items():
            for x in with_pointed_to(read, self.pointers):
                onward.setdefault(x, []).append(name)
        found, pending = set(sources), list(sources)
        while pending:
            for name in onward.get(pending.pop(), ()):
                if name not in found:
                    found.add(name)
                    pending.append(name)
        return found

    def expanded(self, e: t.Expression, depth: int = 8) -> t.Expression:
        """An integer in terms of the sizes of the arguments."""
        if isinstance(e, t.Name) and e.name in self.integers and depth:
            return self.expanded(self.integers[e.name], depth - 1)
        if isinstance(e, t.Operation):
            return t.Operation(e.primitive, tuple([self.expanded(x, depth) for x in parts(e)]), e.type)
        return e


def _fills(site: Site) -> bool:
    """Is it the place of a loop of the program's, and not of one that runs back, in which its line is read?"""
    return site.line > 0 and not isinstance(site, Backwards)


def _is_known(hint: str, own: frozenset[str]) -> bool:
    """Is it a variable of the program's, or a part of one?"""
    return any([hint == name or hint.startswith(f"{name}_") for name in own])


def _size(array: _Array, survey: _Survey) -> str:
    return f"{show_expression(survey.expanded(array.count)).removeprefix('(').removesuffix(')')} numbers {array.place}"


def _of(site: Backwards | None, own: frozenset[str]) -> str:
    if site is None:
        return "a cotangent without a name"
    if site.flow is Flow.STATE:
        return "the cotangents of the state of a loop, which runs back"
    whose = site.what if site.what in own else f"an unnamed value ({site.what})"
    if site.what in own and site.what in _GENERIC:
        whose = f"{site.what}, or of an unnamed value"
    if site.flow is Flow.COTANGENT:
        return f"the cotangent of {whose}"
    return f"what the loop or branch of {whose} gives to cotangents"


_GENERIC = frozenset(("a", "t", "x"))
"""What unnamed values are called too."""

"""How often, and how, each let-bound variable is used: what the decision to inline needs.

One walk over the whole term.  Frequencies are numbers at 1000 for every symbolic size (design §5); an
application of a function literal counts as a let.  An element that one region reads twice at the same indices is read
once: what is inlined there is computed once (`optimise/sharing.py`).
"""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct, field

from fsmooth import thresholds
from fsmooth.core.alpha import Key, alpha_key
from fsmooth.core.term import App, Const, Get, Lam, Length, Let, Proj, Term, Var
from fsmooth.core.term.fields import Generators, Index, Part, Runs, State, Step
from fsmooth.core.traverse import children, steps
from fsmooth.core.trips import Trips
from fsmooth.core.types import Array, Tuple


class Uses(Struct):
    """The uses of one variable.

    count        syntactic occurrences (lengths not counted)
    in_loop      does one of them run more often than the binding?
    elements     array elements read at run time, for each evaluation of the binding; the same one in a region once
    positions    occurrences by tuple component; `whole` are occurrences that are not projections
    parts        of an array of tuples, the elements read of each component; `unsplit` are other occurrences
    rows         the variables that occurrences are indexed by first; None of any other occurrence
    """

    frequency: float
    depth: int
    count: int = 0
    in_loop: bool = False
    elements: float = 0.0
    lengths: int = 0
    whole: int = 0
    positions: dict[int, int] = field(default_factory=dict)
    parts: dict[int, float] = field(default_factory=dict)
    unsplit: int = 0
    rows: set[Var | None] = field(default_factory=set)


class Loop(NamedTuple):
    """A loop over an index, inside so many others."""

    term: Term
    depth: int


class _Region(Struct):
    """What is evaluated together, `frequency` times for each evaluation of the term, in `depth` loops; what it reads."""

    frequency: float
    depth: int
    read: set[tuple[Var, tuple[Key, ...], int | None]] = field(default_factory=set)

    def loop(self, trips: float) -> _Region:
        return _Region(self.frequency * trips, self.depth + 1)

    def branch(self) -> _Region:
        return _Region(self.frequency, self.depth)


class Occurrences:
    """The uses of every let-bound variable of a term, but not those in definitions that nothing uses.

    `scopes`: those that it is true of.  A scope that rules have changed since is another one, and may read other elements.
    `loops`: the loop over each index.  `repeated`: variables that are bound in more places than one.
    """

    def __init__(self, term: Term) -> None:
        self.uses: dict[Var, Uses] = {}
        self.scopes: set[Term] = set()
        self.loops: dict[Var, Loop] = {}
        self.repeated: set[Var] = set()
        self._bound: set[Var] = set()
        self._rows: dict[Var, tuple[Var, tuple[Term, ...]]] = {}
        self._sizes = Trips()
        self._walk(term, _Region(1.0, 0))

    def get(self, var: Var) -> Uses | None:
        """What is known of `var`, if it is let-bound in the term."""
        return self.uses.get(var)

    def _trips(self, size: Term) -> float:
        return max(self._sizes.of(size).at(), 0.0)

    def _walk(self, term: Term, region: _Region) -> None:
        match term:
            case Var():
                self._use(term, region, (), None)
            case Let(bindings, body):
                self.scopes.add(term)
                self._sizes.enter(term)
                for var, value in bindings:
                    self._open(var, region)
                    self._name_row(var, value)
                self._walk(body, region)
                for var, value in reversed(bindings):
                    found = self.uses[var]
                    if found.count or found.lengths:
                        for part in self._rows[var][1] if var in self._rows else (value,):
                            self._walk(part, region)
            case App(Lam(parameters, body), arguments):
                for argument in arguments:
                    self._walk(argument, region)
                for parameter in parameters:
                    self._open(parameter, region)
                self._walk(body, region)
            case Length(Var() as var):
                if var in self._rows:
                    self._walk(Length(self._rows[var][0]), region)
                uses = self.uses.get(var)
                if uses is not None:
                    uses.lengths += 1
            case Get():
                self._path(term, region, None)
            case Proj(Var() as var, position):
                self._use(var, region, (), position)
            case Proj(Get() as path, position):
                self._path(path, region, position)
            case _ if term.declared.has_regions:
                self._parts(term, region)
            case _:
                for child in children(term):
                    self._walk(child, region)

    def _parts(self, term: Term, region: _Region) -> None:
        """The children, each in a region of its own if it is evaluated more or less often than the term."""
        inner = region
        for step in steps(term):
            if step.var is not None:
                self._bind(step.var)
                if isinstance(step.field, Index):
                    self.loops[step.var] = Loop(term, region.depth)
                inner = inner.loop(self._repeats(step, term))
                continue
            alone = step.runs is Runs.PERHAPS or (isinstance(step.field, Part) and step.field.where)
            self._walk(step.term, region if step.runs is Runs.ONCE else inner.branch() if alone else inner)

    def _repeats(self, step: Step, term: Term) -> float:
        """How often what is in the scope of a variable is evaluated, for each evaluation of what is around it."""
        match step.field:
            case Index() | Generators() if step.given is not None:
                return self._trips(step.given)
            case State():
                return 1.0 if any([isinstance(f, Index) for f in term.fields]) else thresholds.TRIPS
            case _:
                return thresholds.CALLS

    def _path(self, path: Get, region: _Region, component: int | None) -> None:
        """An element (or one component of it) of what is indexed."""
        indices: list[Term] = []
        root: Term = path
        while isinstance(root, Get):
            self._walk(root.index, region)
            indices.append(root.index)
            root = root.array
        if isinstance(root, Var):
            self._use(root, region, tuple(indices), component)
        else:
            self._walk(root, region)

    def _bind(self, var: Var) -> None:
        if var in self._bound:
            self.repeated.add(var)
        self._bound.add(var)

    def _open(self, var: Var, region: _Region) -> None:
        self._bind(var)
        if var not in self.uses:
            self.uses[var] = Uses(region.frequency, region.depth)

    def _name_row(self, var: Var, value: Term) -> None:
        """Remember that a name stands for a part of an array: it is inlined, and what is read of it is read of that."""
        indices: list[Term] = []
        while isinstance(value, Get) and isinstance(value.index, Var | Const):
            indices.append(value.index)
            value = value.array
        if indices and isinstance(value, Var) and isinstance(var.type, Array):
            self._rows[var] = value, tuple(indices)

    def _use(self, var: Var, region: _Region, indices: tuple[Term, ...], position: int | None) -> None:
        uses = self.uses.get(var)
        if uses is None:
            return
        if var in self._rows:
            array, around = self._rows[var]
            self._use(array, region, (*indices, *around), position)
        uses.count += 1
        if region.depth > uses.depth:
            uses.in_loop = True
        if isinstance(var.type, Tuple):
            if position is None:
                uses.whole += 1
            else:
                uses.positions[position] = uses.positions.get(position, 0) + 1
        if isinstance(var.type, Array):
            row = indices[-1] if indices else None
            uses.rows.add(row if isinstance(row, Var) else None)
            missing = max(var.type.rank - len(indices), 0)
            read = (region.frequency / uses.frequency if uses.frequency else region.frequency) * 1000.0**missing
            path = (var, tuple([alpha_key(index) for index in indices]), position)
            if path in region.read:
                read = 0.0
            elif not missing:
                region.read.add(path)
            uses.elements += read
            if position is not None and not missing:
                uses.parts[position] = uses.parts.get(position, 0.0) + read
            else:
                uses.unsplit += 1

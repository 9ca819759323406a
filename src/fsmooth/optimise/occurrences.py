"""How often, and how, each let-bound variable is used: what the decision to inline needs.

One walk over the whole term.  Frequencies are numbers at 1000 for every symbolic size (design §5); an
application of a function literal counts as a let.  An element that one region reads twice at the same indices is read
once: what is inlined there is computed once (`optimise/sharing.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fsmooth.core.alpha import Key, alpha_key
from fsmooth.core.polynomial import SYMBOLIC
from fsmooth.core.term import App, Build, Collect, Get, If, IFold, Lam, Length, Let, Proj, Reduce, Term, Var, While
from fsmooth.core.traverse import children
from fsmooth.core.trips import Trips
from fsmooth.core.types import Array, Tuple


@dataclass
class Uses:
    """The uses of one variable.

    count        syntactic occurrences (lengths not counted)
    in_loop      does one of them run more often than the binding?
    elements     array elements read at run time, for each evaluation of the binding; the same one in a region once
    positions    occurrences by tuple component; `whole` are occurrences that are not projections
    parts        of an array of tuples, the elements read of each component; `unsplit` are other occurrences
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


@dataclass
class _Region:
    """What is evaluated together, `frequency` times for each evaluation of the term, in `depth` loops; what it reads."""

    frequency: float
    depth: int
    read: set[tuple[Var, tuple[Key, ...], int | None]] = field(default_factory=set)

    def loop(self, trips: float) -> _Region:
        return _Region(self.frequency * trips, self.depth + 1)

    def branch(self) -> _Region:
        return _Region(self.frequency, self.depth)


class Occurrences:
    """The uses of every let-bound variable of a term, but not those in definitions that nothing uses."""

    def __init__(self, term: Term) -> None:
        self.uses: dict[Var, Uses] = {}
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
                self._sizes.enter(term)
                for var, _ in bindings:
                    self._open(var, region)
                self._walk(body, region)
                for var, value in reversed(bindings):
                    found = self.uses[var]
                    if found.count or found.lengths:
                        self._walk(value, region)
            case App(Lam(parameters, body), arguments):
                for argument in arguments:
                    self._walk(argument, region)
                for parameter in parameters:
                    self._open(parameter, region)
                self._walk(body, region)
            case Length(Var() as var):
                uses = self.uses.get(var)
                if uses is not None:
                    uses.lengths += 1
            case Get():
                self._path(term, region, None)
            case Proj(Var() as var, position):
                self._use(var, region, (), position)
            case Proj(Get() as path, position):
                self._path(path, region, position)
            case If(condition, then, otherwise):
                self._walk(condition, region)
                self._walk(then, region.branch())
                self._walk(otherwise, region.branch())
            case Lam(_, body):
                self._walk(body, region.loop(10.0))
            case Build(size, _, body) | Reduce(_, size, _, body):
                self._walk(size, region)
                self._walk(body, region.loop(self._trips(size)))
            case IFold(size, init, _, _, body):
                self._walk(size, region)
                self._walk(init, region)
                self._walk(body, region.loop(self._trips(size)))
            case While(init, _, condition, body):
                self._walk(init, region)
                self._walk(condition, region.loop(SYMBOLIC))
                self._walk(body, region.loop(SYMBOLIC))
            case Collect():
                inner = region
                self._walk(term.count, region)
                for size, _ in term.generators:
                    self._walk(size, inner)
                    inner = inner.loop(self._trips(size))
                self._walk(term.guard, inner)
                self._walk(term.body, inner.branch())
            case _:
                for child in children(term):
                    self._walk(child, region)

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

    def _open(self, var: Var, region: _Region) -> None:
        if var not in self.uses:
            self.uses[var] = Uses(region.frequency, region.depth)

    def _use(self, var: Var, region: _Region, indices: tuple[Term, ...], position: int | None) -> None:
        uses = self.uses.get(var)
        if uses is None:
            return
        uses.count += 1
        if region.depth > uses.depth:
            uses.in_loop = True
        if isinstance(var.type, Tuple):
            if position is None:
                uses.whole += 1
            else:
                uses.positions[position] = uses.positions.get(position, 0) + 1
        if isinstance(var.type, Array):
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

"""How often, and how, each let-bound variable is used: what the decision to inline needs.

One walk over the whole term.  Frequencies are numbers at 1000 for every symbolic size (design §5); an
application of a function literal counts as a let.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fsmooth.core.polynomial import SYMBOLIC
from fsmooth.core.term import App, Build, Collect, Get, IFold, Lam, Length, Let, Proj, Reduce, Term, Var, While
from fsmooth.core.traverse import children
from fsmooth.core.trips import Trips
from fsmooth.core.types import Array, Tuple


@dataclass
class Uses:
    """The uses of one variable.

    count        syntactic occurrences (lengths not counted)
    in_loop      does one of them run more often than the binding?
    elements     array elements read at run time, for each evaluation of the binding
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


class Occurrences:
    """The uses of every let-bound variable of a term, but not those in definitions that nothing uses."""

    def __init__(self, term: Term) -> None:
        self.uses: dict[Var, Uses] = {}
        self._sizes = Trips()
        self._walk(term, 1.0, 0)

    def get(self, var: Var) -> Uses | None:
        """What is known of `var`, if it is let-bound in the term."""
        return self.uses.get(var)

    def _trips(self, size: Term) -> float:
        return max(self._sizes.of(size).at(), 0.0)

    def _walk(self, term: Term, frequency: float, depth: int) -> None:
        match term:
            case Var():
                self._use(term, frequency, depth, 0, None)
            case Let(bindings, body):
                self._sizes.enter(term)
                for var, _ in bindings:
                    self._open(var, frequency, depth)
                self._walk(body, frequency, depth)
                for var, value in reversed(bindings):
                    found = self.uses[var]
                    if found.count or found.lengths:
                        self._walk(value, frequency, depth)
            case App(Lam(parameters, body), arguments):
                for argument in arguments:
                    self._walk(argument, frequency, depth)
                for parameter in parameters:
                    self._open(parameter, frequency, depth)
                self._walk(body, frequency, depth)
            case Length(Var() as var):
                uses = self.uses.get(var)
                if uses is not None:
                    uses.lengths += 1
            case Get():
                self._path(term, frequency, depth, None)
            case Proj(Var() as var, position):
                self._use(var, frequency, depth, 0, position)
            case Proj(Get() as path, position):
                self._path(path, frequency, depth, position)
            case Lam(_, body):
                self._walk(body, frequency * 10.0, depth + 1)
            case Build(size, _, body) | Reduce(_, size, _, body):
                self._walk(size, frequency, depth)
                self._walk(body, frequency * self._trips(size), depth + 1)
            case IFold(size, init, _, _, body):
                self._walk(size, frequency, depth)
                self._walk(init, frequency, depth)
                self._walk(body, frequency * self._trips(size), depth + 1)
            case While(init, _, condition, body):
                self._walk(init, frequency, depth)
                self._walk(condition, frequency * SYMBOLIC, depth + 1)
                self._walk(body, frequency * SYMBOLIC, depth + 1)
            case Collect():
                inner, level = frequency, depth
                self._walk(term.count, frequency, depth)
                for size, _ in term.generators:
                    self._walk(size, inner, level)
                    inner, level = inner * self._trips(size), level + 1
                self._walk(term.guard, inner, level)
                self._walk(term.body, inner, level)
            case _:
                for child in children(term):
                    self._walk(child, frequency, depth)

    def _path(self, path: Get, frequency: float, depth: int, component: int | None) -> None:
        """An element (or one component of it) of what is indexed."""
        indices = 0
        root: Term = path
        while isinstance(root, Get):
            self._walk(root.index, frequency, depth)
            root = root.array
            indices += 1
        if isinstance(root, Var):
            self._use(root, frequency, depth, indices, component)
        else:
            self._walk(root, frequency, depth)

    def _open(self, var: Var, frequency: float, depth: int) -> None:
        if var not in self.uses:
            self.uses[var] = Uses(frequency, depth)

    def _use(self, var: Var, frequency: float, depth: int, indices: int, position: int | None) -> None:
        uses = self.uses.get(var)
        if uses is None:
            return
        uses.count += 1
        relative = frequency / uses.frequency if uses.frequency else frequency
        if depth > uses.depth:
            uses.in_loop = True
        if isinstance(var.type, Tuple):
            if position is None:
                uses.whole += 1
            else:
                uses.positions[position] = uses.positions.get(position, 0) + 1
        if isinstance(var.type, Array):
            missing = var.type.rank - indices
            uses.elements += relative * 1000.0 ** max(missing, 0)
            if position is not None and not missing:
                uses.parts[position] = uses.parts.get(position, 0.0) + relative
            else:
                uses.unsplit += 1

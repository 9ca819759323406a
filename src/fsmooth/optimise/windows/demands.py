"""What is read of the arrays of a sequential loop, and when: ranges of indices around a window that moves from step to step.

A step is read backwards: its result is wanted where the next step reads it; what is wanted of an array is read of others at
the same indices moved by a constant, `a[i + c]`.  Every other use of an array wants all of it.  Ranges are those of
optimise/windows/supports.py, here as what is read: `before` indices below the window, the window, and `after` above it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fsmooth import thresholds
from fsmooth.core.build import flat_scope, part_of, whole_of
from fsmooth.core.term import (
    Build,
    Get,
    If,
    IFold,
    Length,
    Let,
    MakeTuple,
    Plus,
    Proj,
    Reduce,
    Term,
    Update,
    Var,
    Zero,
)
from fsmooth.core.traverse import children
from fsmooth.core.types import Array, Bool, Int, Tuple
from fsmooth.optimise.windows.support import EVERYWHERE, NOWHERE, Path, Support, arrays_in
from fsmooth.rewrite.linear import polynomial

Place = tuple[Var, Path]
Ranges = Mapping[Var, Support]
_WHOLE: Path = ()
ROW = -1
"""As the last position of a path: of a row that is told from others."""

_NO_RANGES: Ranges = {}


class Demands:
    """What one step reads, if of its result `exits` is wanted.

    `over` tells for which indices a loop computes what is wanted in a range, `rows` what is wanted of the rows that the
    step sets in components of its state.  What is `saved` is followed too, under all its names: `row_of` tells, given the
    component and the index, if an array is a row of it that is told from others.
    """

    def __init__(
        self,
        loop: IFold,
        exits: Mapping[Path, Support],
        over: Callable[[Build | Reduce, Support], Support],
        rows: Mapping[Path, Support] | None = None,
        saved: Mapping[Var, Place] | None = None,
        row_of: Callable[[Place, Term, Mapping[Var, Term]], bool] = lambda place, index, integers: False,
    ) -> None:
        self.wanted: dict[Place, Support] = {}
        self.over = over
        self.row_of = row_of
        self.integers: dict[Var, Term] = {}
        self._rows = {} if rows is None else rows
        bindings, body = flat_scope(loop.body)
        self._saved = {place[0] for place in (saved or {}).values()}
        self._own = {loop.state: (loop.state, _WHOLE), **{var: (var, _WHOLE) for var, _ in bindings}, **(saved or {})}
        self.integers.update([(var, value) for var, value in bindings if isinstance(value.type, Int | Bool)])
        self._result(body, exits)
        for var, value in reversed(bindings):
            if isinstance(value.type, Array):
                self._use(value, self.of(var))
            else:
                self._read(value, _NO_RANGES)

    def of(self, var: Var, path: Path = ()) -> Support:
        """What is read of an array, or of all of what it is a component of."""
        found = NOWHERE
        for k in range(len(path) + 1):
            found = found.join(self.wanted.get((var, path[:k]), NOWHERE))
        return found

    def _result(self, body: Term, exits: Mapping[Path, Support]) -> None:
        def visit(t: Term, path: Path) -> None:
            row = self._rows.get(path)
            if row is not None:
                assert isinstance(t, Update)
                self._use(t.value, row)
            elif path in exits:
                self._use(t, exits[path])
            elif isinstance(t, MakeTuple):
                for k, item in enumerate(t.items):
                    visit(item, (*path, k))
            elif any([p[: len(path)] == path for p in (*exits, *self._rows)]):
                assert isinstance(t.type, Tuple)
                for k in range(len(t.type.items)):
                    visit(part_of(t, (k,)), (*path, k))
            else:
                self._read(t, _NO_RANGES)

        visit(body, ())

    def _use(self, array: Term, wanted: Support) -> None:
        """Elements of an array that the step makes, or passes on, are wanted."""
        match array:
            case Build(size, index, body):
                self._read(size, _NO_RANGES)
                self._read(body, {index: self.over(array, wanted)})
            case Plus(items):
                for item in items:
                    self._use(item, wanted)
            case If(condition, then, otherwise):
                self._read(condition, _NO_RANGES)
                self._use(then, wanted)
                self._use(otherwise, wanted)
            case Zero():
                pass
            case Var() | Proj() | Get():
                place = self._place(array)
                if place is None:
                    self._read(array, _NO_RANGES)
                else:
                    self._want(place, wanted)
            case _:
                self._read(array, _NO_RANGES)

    def _read(self, t: Term, ranges: Ranges) -> None:
        match t:
            case Get(array, index):
                self._read(index, ranges)
                place, row = self._place(array), self._place(t)
                if row is not None:
                    self._want(row, EVERYWHERE)
                elif place is None:
                    self._read(array, ranges)
                elif place[0] in self._saved and place[1][-1:] != (ROW,):
                    self._want(place, EVERYWHERE)
                else:
                    self._want(place, self._at(index, ranges))
            case Length():
                pass
            case Var() | Proj():
                root, path = whole_of(t)
                if not isinstance(root, Var):
                    self._read(root, ranges)
                elif root in self._own:
                    self._want(self._named(root, path), EVERYWHERE)
            case Build(size, index, body) | Reduce(_, size, index, body):
                self._read(size, ranges)
                self._read(body, {**ranges, index: self.over(t, EVERYWHERE)})
            case Let(bindings, body):
                for var, value in bindings:
                    if isinstance(value.type, Int | Bool):
                        self.integers[var] = value
                    place = self._place(value) if isinstance(value.type, Array) else None
                    if place is not None:
                        self._own[var] = place
                    else:
                        self._read(value, ranges)
                self._read(body, ranges)
            case _:
                for child in children(t):
                    self._read(child, ranges)

    def _place(self, array: Term) -> Place | None:
        """Which array it is, if its elements are followed."""
        if isinstance(array, Get):
            whole = self._place(array.array)
            if whole is None or not self.row_of(whole, array.index, self.integers):
                return None
            return whole[0], (*whole[1], ROW)
        root, path = whole_of(array)
        if not isinstance(root, Var) or root not in self._own or not isinstance(array.type, Array):
            return None
        return self._named(root, path)

    def _named(self, root: Var, path: Path) -> Place:
        var, rest = self._own[root]
        return var, (*rest, *path)

    def _want(self, place: Place, wanted: Support) -> None:
        self.wanted[place] = self.wanted.get(place, NOWHERE).join(wanted)

    def _at(self, index: Term, ranges: Ranges) -> Support:
        """The range of an index."""
        for var in index.free & ranges.keys():
            by = polynomial(index, self.integers.get).plus(polynomial(var), -1).number()
            if by is not None:
                found = ranges[var]
                return Support(found.before - by, found.after + by)
        return EVERYWHERE


def settled(
    loop: IFold,
    exits: Callable[[Mapping[Path, Support]], dict[Path, Support]],
    read: Callable[[Mapping[Path, Support]], Demands],
) -> tuple[Demands, dict[Path, Support]]:
    """What a step reads, and what is wanted of its result, if of the arrays in each state is wanted what the next step reads.

    `exits` tells this of the result, given what is read at the start of a step, `read` what a step reads, given that.  What
    does not settle is wanted everywhere.
    """
    entry = dict.fromkeys(arrays_in(loop.type), NOWHERE)
    rounds = 0
    while True:
        wanted = exits(entry)
        demands = read(wanted)
        found = {path: demands.of(loop.state, path) for path in entry}
        wider = {path: s.join(entry[path]) for path, s in found.items()}
        if wider == entry:
            return demands, wanted
        rounds += 1
        if rounds > thresholds.DEMAND_ROUNDS:
            wider = {path: s if s == entry[path] else EVERYWHERE for path, s in wider.items()}
        entry = wider if rounds < thresholds.DEMAND_MOST_ROUNDS else dict.fromkeys(entry, EVERYWHERE)

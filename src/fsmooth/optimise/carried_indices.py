"""Indices that loops carry: numbers and elements of arrays that are below a size when a loop begins, and after each of its steps.

    ifold (fun s c -> let best = ifold (fun t i -> if … then i else t) 0 n in (update s.0 c best, …)) (build n (fun k -> 0), …) n

Whichever rows are found, `best` is below n, and so are the elements of s.0 and of the array that is left: the permutation of
partial pivoting, the places of a sort.  Where a loop begins that is not known, so it is proved by induction: of the bounds that
are met in the loop each is tried, for what the loop starts with and for what a step makes of a state of which it holds.

Before: numbers and arrays by which others are indexed are checked.  After: those that are proved are not; all else is as it was.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_key
from fsmooth.core.build import part_of, plus
from fsmooth.core.subst import substitute1
from fsmooth.core.term import (
    Build,
    Carrying,
    Check,
    Const,
    Get,
    If,
    IFold,
    Let,
    MakeTuple,
    Prim,
    Proj,
    Require,
    Site,
    Term,
    Update,
    Var,
    Vector,
    While,
    Zero,
)
from fsmooth.core.term.fields import Definitions, State
from fsmooth.core.traverse import rebuild, steps, transform
from fsmooth.core.types import INT, Tuple, Type, leaf_of
from fsmooth.optimise.schedule import StaticSizes
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.trace import Trace
from fsmooth.rewrite.traversal import distinct

Path = tuple[int, ...]
"""Which component of a value, at any depth."""

Undo = list[tuple[Hashable, bool | None]]


def prove_carried_indices(term: Term, trace: Trace, sizes: StaticSizes) -> Term:
    """The term without checks of indices that loops carry."""
    if Check not in term.kinds or not _carries(term):
        return term
    walk = _Walk()
    walk.facts.static_sizes = sizes
    new = walk.run(term)
    trace.kept += walk.sites
    return new if walk.proved else term


def _carries(term: Term) -> bool:
    return not term.kinds.isdisjoint((IFold, While))


def _integers(type_: Type, path: Path = ()) -> Iterator[Path]:
    """The components that are integers, or arrays of these."""
    if isinstance(type_, Tuple):
        for k, item in enumerate(type_.items):
            yield from _integers(item, (*path, k))
    elif leaf_of(type_) == INT:
        yield path


def _projected(term: Term) -> Term:
    """A component of a tuple that is written out."""
    return term.tuple.items[term.position] if isinstance(term, Proj) and isinstance(term.tuple, MakeTuple) else term


def _component(term: Term, path: Path) -> Term | None:
    """The component of a tuple; None of an array of tuples."""
    for k in path:
        if not isinstance(term.type, Tuple):
            return None
        term = part_of(term, (k,))
    return term


class _Walk:
    """A walk over a term, with what is known at each place."""

    def __init__(self) -> None:
        self.facts = Facts()
        self.proved = 0
        self.sites: list[Site] = []
        self.carried: set[Var] = set()
        self.left = 0
        """So many terms may be looked at until the bound of one component is given up."""

    def run(self, term: Term) -> Term:
        """The term, with what loops carry known in it."""
        if Check not in term.kinds:
            return term
        term = distinct(term, self.facts)
        undo: Undo = []
        before: list[Term] = []
        new: list[Term] = []
        bound: list[Var] = []
        for step in steps(term):
            if step.var is None:
                here = self.facts.enter(step, term, before)
                new.append(self.run(step.term))
                self.facts.forget(here)
                before.append(new[-1])
                continue
            carried = self._carried(term) if isinstance(step.field, State) and isinstance(term, Carrying) else []
            made = self._made(before[-1]) if isinstance(step.field, Definitions) else []
            undo += self.facts.bind(step, step.var, term, before)
            undo += [self.facts.below((step.var, *path), size) for path, size in (*carried, *made)]
            if carried or made:
                self.carried.add(step.var)
            before.append(step.term)
            bound.append(step.var)
            self.facts.scope.add(step.var)
        self.facts.scope.difference_update(bound)
        self.facts.forget(undo)
        result = rebuild(term, new)
        if isinstance(result, Check) and self._in_bounds(result):
            self.proved += 1
            if self._is_carried(result.index):
                self.sites.append(result.site)
            return result.index
        if isinstance(result, Require) and self.facts.truth(result.condition) is True:
            self.proved += 1
            return result.body
        return result

    def _is_carried(self, index: Term) -> bool:
        """Does it come of what a loop carries?"""
        pending, seen = [*index.free], set[Var]()
        while pending:
            var = pending.pop()
            if var in self.carried:
                return True
            if var not in seen:
                seen.add(var)
                made = self.facts.definitions.get(var)
                pending.extend(() if made is None else made.free)
        return False

    def _in_bounds(self, check: Check) -> bool:
        self.left = thresholds.CARRIED_TERMS
        return self._proves(check.index, (), check.size)

    def _carried(self, loop: Carrying) -> list[tuple[Path, Term]]:
        """What holds in each step of a loop, which has one: what is found first may be why the next holds."""
        found: dict[Path, Term] = {}
        undo: Undo = []
        pending = list(_integers(loop.state.type))
        while pending:
            new = {path: size for path in pending if (size := self._kept_bound(loop, path)) is not None}
            undo += [self.facts.below((loop.state, *path), size) for path, size in new.items()]
            found |= new
            pending = [path for path in pending if path not in new] if new else []
        self.facts.forget(undo)
        return list(found.items())

    def _kept_bound(self, loop: Carrying, path: Path) -> Term | None:
        for size in self._bounds(loop, path):
            self.left = thresholds.CARRIED_TERMS
            runs = self._runs(loop)
            starts = self._proves(loop.init, path, size)
            self.facts.forget(runs)
            if starts and self._keeps(loop, path, size):
                return size
        return None

    def _runs(self, loop: Carrying) -> Undo:
        """What is known if a loop has a step."""
        if isinstance(loop, IFold):
            return self.facts.repeats(loop.size)
        assert isinstance(loop, While)
        return self.facts.assume(transform(substitute1(loop.condition, loop.state, loop.init), _projected), True)

    def _made(self, value: Term) -> list[tuple[Path, Term]]:
        """What holds of what loops give."""
        found = []
        for path in _integers(value.type) if _carries(value) else ():
            for size in self._bounds(value, path):
                self.left = thresholds.CARRIED_TERMS
                if self._proves(value, path, size):
                    found.append((path, size))
                    break
        return found

    # -- proofs --------------------------------------------------------------------------------------------------------

    def _proves(self, term: Term, path: Path, size: Term) -> bool:
        """Is a component of the term, or each of its elements, from 0 to less than the size?"""
        self.left -= 1
        if self.left < 0:
            return False
        match term:
            case MakeTuple(items) if path:
                return self._proves(items[path[0]], path[1:], size)
            case Proj(inner, k):
                return self._is_known(term, path, size) or self._proves(inner, (k, *path), size)
            case Var():
                made = self.facts.definitions.get(term)
                known = self._is_known(term, path, size)
                return known or (made is not None and self._proves(made, path, size))
            case If(condition, then, otherwise):
                sides = ((then, True), (otherwise, False))
                return all([self._proves_if(condition, value, side, path, size) for side, value in sides])
            case Let() | Build() | Require():
                with self._inside(term):
                    return self._proves(term.body, path, size)
            case Vector(items):
                return all([self._proves(item, path, size) for item in items])
            case Update(array, _, value):
                return self._proves(value, path, size) and self._proves(array, path, size)
            case Get(array):
                return self._is_known(term, path, size) or self._proves(array, path, size)
            case Carrying():
                return self._proves(term.init, path, size) and self._keeps(term, path, size)
            case Check(index, own):
                fits = self.facts.are_exact(own, size) and self.facts.less_or_equal(own, size)
                return fits or self._proves(index, path, size)
            case Zero():
                return self.facts.within(Const(0), size)
            case _:
                return self._is_known(term, path, size)

    def _is_known(self, term: Term, path: Path, size: Term) -> bool:
        part = _component(term, path)
        if part is not None and part.type == INT:
            return self.facts.within(part, size)
        known = None if part is None else self.facts.elements_below(part)
        return known is not None and self.facts.less_or_equal(known, size)

    def _proves_if(self, condition: Term, value: bool, term: Term, path: Path, size: Term) -> bool:
        undo = self.facts.assume(condition, value)
        found = self._proves(term, path, size)
        self.facts.forget(undo)
        return found

    def _keeps(self, loop: Carrying, path: Path, size: Term) -> bool:
        """Does it hold after a step of the loop if it did before?"""
        with self._inside(loop):
            undo = [self.facts.below((loop.state, *path), size)]
            found = self._proves(loop.body, path, size)
            self.facts.forget(undo)
        return found

    @contextmanager
    def _inside(self, term: Term) -> Iterator[None]:
        """What is known in the body of a term."""
        undo: Undo = []
        before: list[Term] = []
        for step in steps(term):
            if step.var is not None:
                undo += self.facts.bind(step, step.var, term, before)
            elif step.field.name == "body":
                undo += self.facts.enter(step, term, before)
            before.append(step.term)
        yield
        self.facts.forget(undo)

    # -- bounds --------------------------------------------------------------------------------------------------------

    def _bounds(self, term: Term, path: Path) -> list[Term]:
        """The sizes that something in a component is known to be below, and that are there outside of the term."""
        self.left = thresholds.CARRIED_TERMS
        found: dict[Hashable, Term] = {}
        for size in self._met(term, path):
            outside = size if size.free <= self.facts.scope else self.facts.definition(size)
            if outside.free <= self.facts.scope:
                found.setdefault(alpha_key(outside), outside)
        return list(found.values())[: thresholds.CARRIED_BOUNDS]

    def _met(self, term: Term, path: Path) -> Iterator[Term]:
        self.left -= 1
        if self.left < 0:
            return
        match term:
            case MakeTuple(items) if path:
                yield from self._met(items[path[0]], path[1:])
            case Var() | Proj():
                part = _component(term, path)
                known = None if part is None else self.facts.elements_below(part)
                if known is not None:
                    yield known
                elif isinstance(term, Proj):
                    yield from self._met(term.tuple, (term.position, *path))
                elif (made := self.facts.definitions.get(term)) is not None:
                    yield from self._met(made, path)
                elif (
                    part is not None and part.type == INT and (limit := self.facts.bounds.upper_bound(part)) is not None
                ):
                    yield limit
            case If(_, then, otherwise):
                yield from self._met(then, path)
                yield from self._met(otherwise, path)
            case Let() | Build() | Require():
                with self._inside(term):
                    yield from list(self._met(term.body, path))
            case Vector(items):
                for item in items:
                    yield from self._met(item, path)
            case Update(array, _, value):
                yield from self._met(value, path)
                yield from self._met(array, path)
            case Get(array):
                yield from self._met(array, path)
            case Carrying():
                yield from self._met(term.init, path)
                with self._inside(term):
                    yield from list(self._met(term.body, path))
            case Check(index, size):
                yield size
                yield from self._met(index, path)
            case Prim(p.minimum, sides) if term.type == INT:
                for side in sides:
                    yield plus(side, Const(1))
                    yield from self._met(side, path)
            case Prim(p.add, (a, Const() as number)) | Prim(p.add, (Const() as number, a)) if term.type == INT:
                for size in self._met(a, path):
                    yield plus(size, number)
            case _ if term.type == INT and (limit := self.facts.bounds.upper_bound(term)) is not None:
                yield limit

"""Where the arrays of a sequential loop are not zero: near an anchor, and a little further away in each step.

    ifold (fun s t -> build n (fun i -> c*s[i] + (if i + 1 < n then d*s[i + 1] else 0))) (delta n k v) m

The state is zero outside k - t <= i < k + 1 before step t: where one sensor, one cell of a table, one direction matters, only
its cone does.  The support of an array is a range around the cone of the step; sums join ranges, products are not zero
only where all factors are not, a[i + c] is a moved by c.  What the cone is made from, the anchors and how fast it widens, is
found with them, by induction: supports are sound if the state after a step is in the cone of the next.  Only structural
zeros count, which times anything are zero (Fig. 8g); a number that happens to be 0.0 is any number.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import NamedTuple

from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_key
from fsmooth.core.build import flat_scope, minus, part_of, whole_of
from fsmooth.core.term import (
    Build,
    Check,
    Const,
    Delta,
    Get,
    If,
    IFold,
    Let,
    MakeTuple,
    Plus,
    Prim,
    Proj,
    Reduce,
    Reduction,
    Term,
    Update,
    Var,
    Vector,
    Zero,
)
from fsmooth.core.traverse import bound_in, children, subterms
from fsmooth.core.types import Bool, Float, Int
from fsmooth.optimise.windows.support import (
    CONE,
    EVERYWHERE,
    NOWHERE,
    Path,
    Support,
    arrays_in,
    is_simple,
    joined,
)
from fsmooth.rewrite.linear import polynomial


class Cone(NamedTuple):
    """From the smallest anchor to the largest; in each step it grows by `before` below and `after` above."""

    anchors: tuple[Term, ...]
    before: int
    after: int


class Supports:
    """The supports of what one loop computes in a step."""

    def __init__(self, loop: IFold, definitions: Mapping[Var, Term]) -> None:
        self.loop = loop
        self.definitions = definitions
        self.arrays: dict[tuple[Var, Path], Support] = {}
        self._anchors: dict[object, Term] = {}
        self._inside = _bound_in(loop.body) | {loop.state, loop.index}
        self._is_found = False
        self.cone = self._found()
        self._is_found = True

    def of(self, array: Term) -> Support:
        """Of an array, by its first index."""
        match array:
            case Build(_, index, body):
                return _Elements(self, index).of(body)
            case Reduce(Reduction.SUM, _, index, body):
                return _Elements(self, index).scattered(body, ())
            case Zero():
                return NOWHERE
            case Delta(_, index, value):
                return NOWHERE if _Elements(self, None).of(value) == NOWHERE else self.anchored(index)
            case Plus(items):
                return joined([self.of(item) for item in items])
            case Update(inner, index, _):
                return self.of(inner).join(self.anchored(index))
            case If(_, then, otherwise):
                return self.of(then).join(self.of(otherwise))
            case Var() | Proj():
                return self._component(array)
            case _:
                return EVERYWHERE

    def over(self, loop: Build | Reduce) -> Support:
        """Where the elements of an array, or the summands of a sum, are not zero, by the index of the loop."""
        return _Elements(self, loop.index).of(loop.body)

    def _component(self, array: Var | Proj) -> Support:
        root, path = whole_of(array)
        match root:
            case Var():
                return self.arrays.get((root, path), EVERYWHERE)
            case Reduce(Reduction.SUM, _, index, body):
                return _Elements(self, index).scattered(body, path)
            case _:
                return EVERYWHERE

    def anchored(self, index: Term, offset: int = 0) -> Support:
        """Of what is not zero only at `index - offset`."""
        known = self._resolved(index)  # a check is made where the array is, not in the loop
        anchor = minus(known.index if isinstance(known, Check) else index, Const(offset))
        if not anchor.free.isdisjoint(self._inside) or not is_simple(anchor):
            return EVERYWHERE
        if self._is_found and alpha_key(anchor) not in self._anchors:
            return EVERYWHERE
        self._anchors.setdefault(alpha_key(anchor), anchor)
        return CONE

    def _found(self) -> Cone | None:
        """None if no component of the state has a cone."""
        state = {path: self._initial(path) for path in arrays_in(self.loop.state.type, ())}
        if all([support == EVERYWHERE for support in state.values()]):
            return None
        entry = {path: CONE.join(support) for path, support in state.items()}
        while True:
            left = self._after_step(entry)
            wider = {path: Support(*map(_given_up, entry[path], left[path])) for path in entry}
            if wider == entry:
                break
            entry = wider
        if not self._anchors:
            return None
        before = max([0, *[left[path].before - s.before for path, s in entry.items() if s.before < inf]])
        after = max([0, *[left[path].after - s.after for path, s in entry.items() if s.after < inf]])
        return Cone(tuple(self._anchors.values()), int(before), int(after))

    def _after_step(self, entry: Mapping[Path, Support]) -> dict[Path, Support]:
        self.arrays = {(self.loop.state, path): support for path, support in entry.items()}
        bindings, body = flat_scope(self.loop.body)
        for var, value in bindings:
            for path in arrays_in(value.type):
                self.arrays[var, path] = self.of(part_of(value, path))
        return {path: self.of(part_of(body, path)) for path in entry}

    def _initial(self, path: Path) -> Support:
        term = self._resolved(part_of(self._resolved(self.loop.init), path))
        self._inside |= _bound_in(term)
        return self.of(term)

    def _resolved(self, term: Term) -> Term:
        while isinstance(term, Var) and term in self.definitions:
            term = self.definitions[term]
        return term


class _Elements:
    """The supports of elements, as functions of an index."""

    def __init__(self, supports: Supports, index: Var | None) -> None:
        self.supports = supports
        self.index = index
        self.named: dict[Var, Support] = {}
        self.integers: dict[Var, Term] = {}
        self.known: dict[Term, Support] = {}

    def of(self, t: Term) -> Support:
        found = self.known.get(t)
        if found is None:
            found = self.known[t] = self._of(t)
        return found

    def _of(self, t: Term) -> Support:
        match t:
            case Zero():
                return NOWHERE
            case Var():
                return self.named.get(t, EVERYWHERE)
            case Prim(primitive, arguments) if isinstance(t.type, Float):
                return self._primitive(primitive, arguments)
            case If(condition, then, otherwise):
                other = self.of(otherwise)
                return self.of(then).meet(self._where(condition)).join(other)
            case Get(array, index):
                return self._element(array, index)
            case Let(bindings, body):
                self._name(bindings)
                return self.of(body)
            case Build(_, _, body) | Reduce(Reduction.SUM, _, _, body) | Delta(_, _, body):
                return self.of(body)
            case Plus(items) | Vector(items) | MakeTuple(items):
                return joined([self.of(item) for item in items])
            case _:
                return EVERYWHERE

    def _name(self, bindings: tuple[tuple[Var, Term], ...]) -> None:
        for var, value in bindings:
            if isinstance(value.type, Int | Bool):
                self.integers[var] = value
            else:
                self.named[var] = self.of(value)

    def _primitive(self, primitive: p.Primitive, arguments: tuple[Term, ...]) -> Support:
        if primitive is p.multiply:
            return self.of(arguments[0]).meet(self.of(arguments[1]))
        if primitive in (p.divide, p.negate):
            return self.of(arguments[0])
        if primitive in (p.add, p.subtract):
            return self.of(arguments[0]).join(self.of(arguments[1]))
        return EVERYWHERE

    def _element(self, array: Term, index: Term) -> Support:
        root, path = whole_of(array)
        support = self.supports.arrays.get((root, path)) if isinstance(root, Var) else None
        if support is None:
            return self.of(array)
        by = self._offset(index)
        return EVERYWHERE if by is None else support.moved(by)

    def scattered(self, t: Term, path: Path) -> Support:
        """Of a component of the sum of `t` over all indices, by the index of what it is."""
        match t:
            case Let(bindings, body):
                self._name(bindings)
                return self.scattered(body, path)
            case MakeTuple(items) if path:
                return self.scattered(items[path[0]], path[1:])
            case Zero():
                return NOWHERE
            case Plus(items):
                return joined([self.scattered(item, path) for item in items])
            case If(_, then, otherwise):
                return self.scattered(then, path).join(self.scattered(otherwise, path))
            case Delta(_, index, value):
                by = self._offset(index)
                return EVERYWHERE if by is None else self.of(value).moved(-by)
            case _:
                return EVERYWHERE

    def _offset(self, index: Term) -> int | None:
        """What is added to the index."""
        if self.index is None:
            return None
        return polynomial(index, self.integers.get).plus(polynomial(self.index), -1).number()

    def _where(self, condition: Term) -> Support:
        """Where it may hold."""
        match condition:
            case Var() if condition in self.integers and isinstance(condition.type, Bool):
                return self._where(self.integers[condition])
            case If(first, second, Const(False)):
                return self._where(first).meet(self._where(second))
            case Prim(primitive, (a, b)) if primitive is p.equal and self.index is not None:
                for own, other in ((a, b), (b, a)):
                    if self.index in own.free and self.index not in other.free:
                        by = self._offset(own)
                        if by is not None:
                            return self.supports.anchored(other, by)
        return EVERYWHERE


def _given_up(entry: float, left: float) -> float:
    """A bound of the state that a step does not keep is none."""
    return inf if left == inf else entry


def _bound_in(whole: Term) -> frozenset[Var]:
    """The variables that exist only in a part of it."""
    found: set[Var] = set()
    for t in subterms(whole):
        found.update(bound_in(t, len(children(t)) - 1))  # the last part of a term sees all that it binds
    return frozenset(found)

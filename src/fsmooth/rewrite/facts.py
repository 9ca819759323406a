"""Facts: what is known at a place in a term.  A traversal keeps them; rules ask them.

Index ranges, definitions of bound names, branch conditions and requirements that hold.  The traversal
enters and leaves scopes; within one traversal there is one `Facts`, changed in place and restored.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Generic, TypeVar

from msgspec import Struct

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_key
from fsmooth.core.build import whole_of
from fsmooth.core.counters import from_zero
from fsmooth.core.element_ranges import Part, Said, limits_in, matched, ranges_in, said_of_all
from fsmooth.core.term import Check, Const, Get, If, Length, MakeTuple, Prim, Proj, Reduce, Term, Var, While
from fsmooth.core.term.fields import Definitions, Generators, Index, State, Step
from fsmooth.core.traverse import condition_of, place
from fsmooth.core.types import Int
from fsmooth.rewrite.ends import between_ends
from fsmooth.rewrite.linear import Bounds, polynomial
from fsmooth.rewrite.magnitudes import Magnitudes
from fsmooth.rewrite.polynomials import Polynomial, constant
from fsmooth.rewrite.trace import Trace

Key = TypeVar("Key", Var, Part)


class Facts:
    """Ranges, definitions and conditions known at the current place."""

    def __init__(self) -> None:
        self.scope: set[Var] = set()
        self.definitions: dict[Var, Term] = {}
        self.ranges: dict[Var, Term] = {}
        self.elements: dict[Part, Term] = {}
        self.said: list[Said] = []
        self.conditions: dict[Hashable, bool] = {}
        self.alternatives: list[tuple[Term, Term]] = []
        self.kept_symbolic: set[Var] = set()
        self.static_sizes: Mapping[tuple[Var, int], int] = {}
        self.trace: Trace | None = None
        self.bounds = Bounds(self._upper, self.definitions.get, lambda term: self.magnitudes.is_exact(term))
        self._choices = 0
        self.magnitudes = Magnitudes(self.poly, self.definitions.get, self._range)

    def _upper(self, atom: Term) -> Term | None:
        found = self._range(atom)
        if found is None or not self.magnitudes.is_exact(found):
            return None
        return self.trips(found)

    def _range(self, atom: Term) -> Term | None:
        """What an index, or an element of an array of indices, is below."""
        if isinstance(atom, Var):
            return self.ranges.get(atom)
        if isinstance(atom, Proj):
            return self.elements_below(atom)
        if not isinstance(atom, Get):
            return None
        part = self.whole(atom) if self.elements else None
        found = None if part is None else self.elements.get(part)
        return self._said_limit(atom) if found is None else found

    def _said_limit(self, term: Term) -> Term | None:
        """What a term is below of which a condition says that it is an index, whatever it is computed from."""
        return next((said.limit for said in self.said if said.limit is not None and self._is_said(said, term)), None)

    def _is_said(self, said: Said, term: Term) -> bool:
        values = matched(said, term)
        return values is not None and all([self.within(values[index], size) for index, size in said.indices])

    def elements_below(self, array: Term) -> Term | None:
        """What the elements of an array, or a number that is a component, are known to be below."""
        part = self._part(array) if self.elements else None
        return None if part is None else self.elements.get(part)

    def whole(self, element: Get) -> Part | None:
        """The array, a variable or a component of one, that this is an element of; None if it is another one."""
        array: Term = element
        while isinstance(array, Get):
            array = array.array
            row = self.definition(array)
            array = row if isinstance(row, Get) else array
        return self._part(array)

    def _part(self, array: Term) -> Part | None:
        """A variable or a component of one, by the first name that it has."""
        path: tuple[int, ...] = ()
        while True:
            whole, own = whole_of(array)
            path = (*own, *path)
            if not isinstance(whole, Var):
                return None
            made = self.definitions.get(whole)
            if isinstance(made, MakeTuple) and path:
                array, path = made.items[path[0]], path[1:]
            elif isinstance(made, Var | Proj):
                array = made
            else:
                return (whole, *path)

    def is_index(self, element: Get) -> bool:
        """Is it an element of an array of indices?"""
        return self._range(element) is not None

    # -- questions -------------------------------------------------------------------------------------------------

    def trips(self, size: Term) -> Term:
        """What every index below `size` is below: of max(n, 0), n."""
        match self.definition(size):
            case Prim(primitive, (trips, Const(0)) | (Const(0), trips)) if primitive is p.maximum:
                return trips
            case _:
                return size

    def definition(self, term: Term) -> Term:
        """The definition of a let-bound variable, else the term itself."""
        while isinstance(term, Var):
            found = self.definitions.get(term)
            if found is None:
                return term
            term = found
        return term

    def chosen(self, var: Var) -> Term:
        """In a branch of `c`, a name for `if c then x else y` is a name for one of them, which has one of its own."""
        definition = self.definitions.get(var) if self.conditions else None
        if isinstance(definition, If):
            truth = self.truth(definition.condition)
            chosen = var if truth is None else definition.then if truth else definition.otherwise
            if isinstance(chosen, Var | Const):
                return chosen
        return var

    def are_exact(self, *terms: Term) -> bool:
        """Is each of these Int terms what C computes for it, not that modulo 2**64?"""
        return all([self.magnitudes.is_exact(term) for term in terms])

    def poly(self, term: Term) -> Polynomial:
        """An Int term as a polynomial, definitions expanded."""
        return polynomial(term, self.definitions.get)

    def same(self, a: Term, b: Term) -> bool:
        """Are two Int terms provably equal?"""
        if a is b:
            return True
        difference = self.poly(a).plus(self.poly(b), -1)
        if difference.is_zero():
            return True
        if not self.bounds.known:
            return False
        difference = self.bounds.canonical(difference)
        if difference.is_zero():
            return True
        return self.bounds.nonnegative(difference) and self.bounds.nonnegative(constant(0).plus(difference, -1))

    def less(self, a: Term, b: Term) -> bool:
        """Is a < b provable?"""
        if self.bounds.nonnegative(self.poly(b).plus(self.poly(a), -1).plus(constant(-1))):
            return True
        return isinstance(a, Var) and self._bounded(a, b)

    def nonnegative(self, a: Term) -> bool:
        """Is a >= 0 provable?"""
        return self.bounds.nonnegative(self.poly(a))

    def within(self, index: Term, size: Term) -> bool:
        """Is 0 <= index < size provable?  Of a choice, on both sides, where its condition holds and where not."""
        if isinstance(index, Const) and isinstance(size, Const):
            return 0 <= index.value < size.value
        if self.nonnegative(index) and (self._below(index, size) or self._bounded(index, size)):
            return True
        limit = self._said_limit(self.definition(index))
        if limit is not None and self.are_exact(limit, size) and self.less_or_equal(limit, size):
            return True
        choice = self.definitions.get(index) if isinstance(index, Var) else index
        if not isinstance(choice, If) or self._choices >= thresholds.CHOICES:
            return False
        self._choices += 1
        sides = ((True, choice.then), (False, choice.otherwise))
        found = all([self._within_if(choice.condition, value, side, size) for value, side in sides])
        self._choices -= 1
        return found

    def _below(self, index: Term, size: Term) -> bool:
        """Is it less than a size that has not wrapped around?  An array may have fewer elements than one that has."""
        return self.less(index, size) and self.magnitudes.is_exact(size)

    def _within_if(self, condition: Term, value: bool, index: Term, size: Term) -> bool:
        undo = self.assume(condition, value)
        found = self.within(index, size)
        self.forget(undo)
        return found

    def _bounded(self, index: Term, size: Term) -> bool:
        bound = self.bounds.upper_bound(index)
        return bound is not None and self.same(bound, size)

    def truth(self, condition: Term) -> bool | None:
        """The truth of a condition, if known."""
        if isinstance(condition, Const):
            return bool(condition.value)
        if self.conditions:
            known = self.conditions.get(alpha_key(condition))
            if known is not None:
                return known
            opposite = _opposite(condition)
            known = None if opposite is None else self.conditions.get(alpha_key(opposite))
            if known is not None:
                return not known
        match condition:
            case Prim(primitive, (a, b)) if isinstance(a.type, Int):
                known = self._integer_truth(primitive, a, b)
                is_said = known is None and any([s.limit is None and self._is_said(s, condition) for s in self.said])
                return True if is_said else known
            case If(a, Const(True), b) if self.truth(b) is True or self.truth(a) is True:  # a || b
                return True
            case If(a, b, Const(False)) if self.truth(b) is True and self.truth(a) is True:  # a && b
                return True
        return None

    def _integer_truth(self, primitive: p.Primitive, a: Term, b: Term) -> bool | None:
        if primitive is p.equal or primitive is p.not_equal:
            equal = True if self.same(a, b) else False if self.less(a, b) or self.less(b, a) else None
            return equal if primitive is p.equal or equal is None else not equal
        if primitive is p.greater or primitive is p.greater_equal:
            a, b = b, a
            primitive = p.less if primitive is p.greater else p.less_equal
        if primitive is p.less:
            return True if self.less(a, b) else False if self.less_or_equal(b, a) else None
        if primitive is p.less_equal:
            if isinstance(a, Const) and a.value <= 0 and isinstance(self.definition(b), Check):
                return True  # asking is checking: else there is no answer
            return True if self.less_or_equal(a, b) else False if self.less(b, a) else None
        return None

    def less_or_equal(self, a: Term, b: Term) -> bool:
        """Is a <= b provable?"""
        return self.bounds.nonnegative(self.poly(b).plus(self.poly(a), -1))

    # -- assumptions -----------------------------------------------------------------------------------------------

    def assume(self, condition: Term, value: bool) -> list[tuple[Hashable, bool | None]]:
        """Assume `condition` has `value`; the result undoes it (`forget`)."""
        undo: list[tuple[Hashable, bool | None]] = []
        self._assume(condition, value, undo)
        return undo

    def _assume(self, condition: Term, value: bool, undo: list[tuple[Hashable, bool | None]]) -> None:
        key = alpha_key(condition)
        undo.append((key, self.conditions.get(key)))
        self.conditions[key] = value
        match condition:
            case Prim(primitive, (inner,)) if primitive is p.logical_not:
                self._assume(inner, not value, undo)
            case If(inner, Const(False), Const(True)):
                self._assume(inner, not value, undo)
            case If(a, b, Const(False)) if value:
                self._assume(a, True, undo)
                self._assume(b, True, undo)
                self._assume_ends(condition, undo)
            case If(a, Const(True), b) if not value:
                self._assume(a, False, undo)
                self._assume(b, False, undo)
            case If(a, Const(True), b):
                self.alternatives.append((a, b))
                undo.append((_ALTERNATIVE, None))
                match self.definition(a):
                    case Prim(p.less_equal, (count, Const(0))):
                        self._assume_ends(b, undo, count)
            case Reduce() if value:
                before = len(undo)
                for array, size in ranges_in(condition, self.definition, self._is_size, self._part):
                    part = self._part(array)
                    assert part is not None
                    undo.append(self._learn(self.elements, part, size))
                if len(undo) == before:
                    found = list(said_of_all(condition, self.definition))
                    self.said += found
                    undo += [(_SAID, None)] * len(found)
            case Prim() if value and (product := self.magnitudes.fits(condition)) is not None:
                self.magnitudes.fitting.append(product)
                undo.append((_FITTING, None))
            case Prim(primitive, (a, b)) if isinstance(a.type, Int) and self.are_exact(a, b):
                gap = self.poly(b).plus(self.poly(a), -1)
                facts = self._inequalities(primitive, value, gap)
                is_equality = len(facts) == 2
                facts += [above for fact in facts if (above := self.bounds.above_floor(fact)) is not None]
                self.bounds.known.extend(facts)
                undo.append((_KNOWN, None))
                undo.append((len(facts), None))
                if is_equality:
                    equated = self.bounds.equate(gap)
                    if equated is not None:
                        undo.append((_Equated(equated), None))

    def _assume_ends(
        self, condition: Term, undo: list[tuple[Hashable, bool | None]], if_any: Term | None = None
    ) -> None:
        """What never decreases is between its ends (rewrite/ends.py)."""
        limits = limits_in(condition, self.definition) if self.said else []
        for said in between_ends(tuple(self.said), limits, self.same, if_any) if limits else ():
            ((index, count),) = said.indices
            value, limit = said.value, said.limit
            part = self._part(value.array) if isinstance(value, Get) and value.index is index else None
            if part is not None and isinstance(value, Get) and self._is_size(count, Length(value.array)):
                assert limit is not None
                undo.append(self._learn(self.elements, part, limit))
            else:
                self.said.append(said)
                undo.append((_SAID, None))

    def _is_size(self, size: Term, length: Length) -> bool:
        array = length.array
        static = self.static_sizes.get((array, length.axis)) if isinstance(array, Var) else None
        return self.same(size, length) or (isinstance(size, Const) and size.value == static)

    def runs(self, size: Term) -> list[tuple[Hashable, bool | None]]:
        """A loop over `size` runs: of what is known as `size <= 0 || c`, c holds.  `forget` undoes it."""
        undo: list[tuple[Hashable, bool | None]] = []
        for a, b in self.alternatives[-8:]:
            match self.definition(a):
                case Prim(primitive, (n, Const(0))) if primitive is p.less_equal and self.same(n, size):
                    self._assume(b, True, undo)
        return undo

    def carry(self, *states: Var) -> list[tuple[Hashable, bool | None]]:
        """These are no arguments: the states of loops, say, which can be anything.  `forget` undoes it."""
        self.magnitudes.carried.update(states)
        return [(_Carried(state), None) for state in states]

    def below(self, part: Part, size: Term) -> tuple[Hashable, bool | None]:
        """A number, or each element of an array, is from 0 to less than a size; `forget` undoes it."""
        whole, *path = part
        if not path and isinstance(whole, Var) and isinstance(whole.type, Int):
            return self._learn(self.ranges, whole, size)
        return self._learn(self.elements, part, size)

    def repeats(self, size: Term) -> list[tuple[Hashable, bool | None]]:
        """The body of a loop over `size` runs, so it is at least 1.  `forget` undoes it."""
        facts = [self.poly(size).plus(constant(-1))] if self.are_exact(size) else []
        self.bounds.known.extend(facts)
        return [(_KNOWN, None), (len(facts), None)]

    def bind(self, step: Step, var: Var, term: Term, before: Sequence[Term]) -> list[tuple[Hashable, bool | None]]:
        """What `term` says of the variable that it binds in this step, called `var` here; `forget` undoes it.

        `before` are the parts and variables that come before it, as they are here.
        """
        match step.field:
            case Index(below=below):
                return self._ranges(var, before[place(term, below)])
            case Generators():
                return self._ranges(var, before[-1])
            case Definitions():
                return [self._learn(self.definitions, var, before[-1])]
            case State():
                return [*self.carry(var), *self._counters(term, var)]
            case _:
                return []

    def enter(self, step: Step, term: Term, before: Sequence[Term]) -> list[tuple[Hashable, bool | None]]:
        """What holds in this part of `term`; `forget` undoes it."""
        given = condition_of(term, step, before)
        return [] if given is None else self.assume(*given)

    def _ranges(self, index: Var, size: Term) -> list[tuple[Hashable, bool | None]]:
        """An index is in its range; what is in its scope runs, so the size is at least 1."""
        return [self._learn(self.ranges, index, size), *self.repeats(size), *self.runs(size)]

    @staticmethod
    def _learn(known: dict[Key, Term], key: Key, value: Term) -> tuple[Hashable, bool | None]:
        undo = _Learnt(known, key, known.get(key))
        known[key] = value
        return undo, None

    def _counters(self, loop: Term, state: Var) -> list[tuple[Hashable, bool | None]]:
        """What counts the steps of a loop from 0 is not negative."""
        if not isinstance(loop, While):
            return []
        found: list[tuple[Hashable, bool | None]] = []
        for k in from_zero(loop):
            found.extend(self.assume(Prim(p.less_equal, (Const(0), Proj(state, k))), True))
        return found

    def forget(self, undo: list[tuple[Hashable, bool | None]]) -> None:
        """Undo an `assume`."""
        while undo:
            key, old = undo.pop()
            if key is _ALTERNATIVE:
                self.alternatives.pop()
            elif key is _FITTING:
                self.magnitudes.fitting.pop()
            elif key is _SAID:
                self.said.pop()
            elif isinstance(key, _Learnt):
                key.undo()
            elif isinstance(key, _Carried):
                self.magnitudes.carried.discard(key.state)
            elif isinstance(key, _Equated):
                self.bounds.separate(key.atom)
            elif isinstance(key, int):
                undo.pop()
                if key:
                    del self.bounds.known[-key:]
            elif old is None:
                self.conditions.pop(key, None)
            else:
                self.conditions[key] = old

    def _inequalities(self, primitive: p.Primitive, value: bool, gap: Polynomial) -> list[Polynomial]:
        """What a comparison a ? b says about gap = b - a, as polynomials that are >= 0."""
        up, down = gap, constant(0).plus(gap, -1)
        if primitive is p.equal or primitive is p.not_equal:
            if value is (primitive is p.equal):
                return [up, down]
            return [side.plus(constant(-1)) for side in (up, down) if self.bounds.nonnegative(side)]
        return _order(primitive, value, up, down)


def _opposite(condition: Term) -> Term | None:
    """Of `a == b`, `a <> b`, and the other way round; of NaN, too, one of them holds."""
    match condition:
        case Prim(p.equal, arguments):
            return Prim(p.not_equal, arguments)
        case Prim(p.not_equal, arguments):
            return Prim(p.equal, arguments)
        case _:
            return None


_KNOWN = "known inequalities"
_FITTING = "products that have not wrapped around"
_SAID = "what is said of all of some indices"
_ALTERNATIVE = "a || b, neither of which is known"


class _Learnt(Struct, Generic[Key], frozen=True, eq=False):
    """A definition or range of a variable, or of a component of one, and what was known of it before."""

    known: dict[Key, Term]
    key: Key
    before: Term | None

    def undo(self) -> None:
        if self.before is None:
            del self.known[self.key]
        else:
            self.known[self.key] = self.before


class _Equated(Struct, frozen=True):
    """An atom that is known to be equal to another."""

    atom: Hashable


class _Carried(Struct, frozen=True):
    """A state of a loop."""

    state: Var


def _order(primitive: p.Primitive, value: bool, up: Polynomial, down: Polynomial) -> list[Polynomial]:
    minus_one = constant(-1)
    if primitive in (p.greater, p.greater_equal):
        up, down = down, up
        primitive = p.less if primitive is p.greater else p.less_equal
    if primitive is p.less:
        return [up.plus(minus_one)] if value else [down]
    if primitive is p.less_equal:
        return [up] if value else [down.plus(minus_one)]
    return []

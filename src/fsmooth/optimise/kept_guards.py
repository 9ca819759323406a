"""What is zero where a condition does not hold stays zero when it is multiplied, though it has a name.

    let v = if c then a else zero in … v * (1 / sqrt x) …   ~>   … v * (select c (1 / sqrt x) 0) …

`zero * e` is zero whatever e is; a name for `if c then a else zero` stands for a number, and 0 · ∞ is not zero.  Reverse
mode multiplies cotangents with derivatives of what was computed in any case: without this, no value that is thrown away
where it is not a number, `np.where(z > 0, z, 0)` with z = √x, would have a derivative that is one.

The conditions are collected where they are made, and products are guarded with which something may be infinite, or not a
number, though all numbers given are finite.  After the rules of optimise/rules/sparsity.py, which guard what has no name.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from enum import Enum
from functools import reduce

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.build import bind, both, number
from fsmooth.core.subst import refresh, substitute
from fsmooth.core.term import (
    Build,
    Const,
    Delta,
    Get,
    If,
    IFold,
    Lam,
    Let,
    MakeTuple,
    Plus,
    Prim,
    Proj,
    Reduce,
    Reduction,
    Swept,
    Term,
    Update,
    Var,
    Vector,
    Zero,
)
from fsmooth.core.traverse import children, in_order, is_loop_free, rebuild, size_of_tree, subterms
from fsmooth.core.types import Float
from fsmooth.optimise.failing import StaticSizes
from fsmooth.optimise.infinite import Infinite
from fsmooth.optimise.inlining import on_indices
from fsmooth.optimise.known_conditions import keys_of, known_conditions
from fsmooth.rewrite.trace import Trace


class Itself(Enum):
    """A number that is zero where nothing is kept: a sum of such, or one whose conditions are too many or loops."""

    TOLD_BY_ITSELF = "it is not zero"


Guard = tuple[Term, ...] | Itself
"""A number may be anything but zero where one of these conditions holds, if there is one."""


def keep_guards(term: Term, trace: Trace, static_sizes: StaticSizes) -> Term:  # noqa: ARG001
    """The term in which such products are guarded."""
    nodes = list(subterms(term))
    if not any([isinstance(t, Zero | Swept) for t in nodes]) or not any([isinstance(t, If | Update) for t in nodes]):
        return term
    fresh = refresh(term)  # then a name means one thing wherever it is read
    walk = _Walk(in_order(fresh), trace)
    new = walk.run()
    return new if walk.guarded else term


class _Walk:
    """What each node is, where it may be anything but zero, and whether it may be infinite, from its parts up."""

    def __init__(self, order: list[Term], trace: Trace) -> None:
        self.order, self.trace = order, trace
        self.new: dict[Term, Term] = {}
        self.guards: dict[Term, Guard] = {}
        self.elements: dict[tuple[Term, tuple[Term | int, ...]], Guard | None] = {}
        self.keys: dict[Term, frozenset[Hashable]] = {}
        self.definitions = dict([pair for node in order if isinstance(node, Let) for pair in node.bindings])
        self.known = known_conditions(order, self.definitions)
        self.infinite = Infinite(order, self.definitions)
        self.beyond = Itself.TOLD_BY_ITSELF if self.infinite.asks else None
        """The guard of what has one that cannot be said in a few words."""
        swept = [back for node in order if isinstance(node, Swept) for back in node.back]
        self.rows = {back.parameters[-1] for back in swept if isinstance(back, Lam)}
        """Cotangents that a tape gives to regions: of what is thrown away, zero."""
        self.guarded = False

    def run(self) -> Term:
        """What becomes of the last node."""
        for node in self.order:
            new = rebuild(node, [self.new.get(c, c) for c in children(node)])
            guard = self._guard(node)
            if guard is not None:
                self.guards[node] = guard
            self.new[node] = self._guarded(node, new) if isinstance(new, Prim) else new
        return self.new[self.order[-1]]

    def guard_of(self, term: Term) -> Guard | None:
        """The guard of a term that has been visited, or of what a name stands for."""
        while isinstance(term, Var) and term in self.definitions:
            term = self.definitions[term]
        return self.guards.get(term)

    def _guard(self, node: Term) -> Guard | None:
        match node:
            case If() if isinstance(node.type, Float):
                return self._of_choice(node, ())
            case Prim(primitive, (a, *_)) if primitive in (p.negate, p.divide, p.to_float, p.to_float32):
                return self.guard_of(a)
            case Prim(primitive, (a, b)) if primitive is p.multiply:
                first = self.guard_of(a)
                return self.guard_of(b) if first is None else first
            case Prim(primitive, (a, b)) if primitive in (p.add, p.subtract):
                return self._either(self.guard_of(a), self.guard_of(b))
            case Let(bindings, body):
                return self._outside(self.guard_of(body), bindings)
            case Reduce(Reduction.SUM, _, own, body) if self.beyond and isinstance(node.type, Float):
                return self._summed(self.guard_of(body), own)
            case Get() | Proj() if isinstance(node.type, Float):
                return self._of_element(node, ())
            case _:
                return None

    def _of_element(self, term: Term, path: tuple[Term | int, ...]) -> Guard | None:
        """The guard of an element of an array, or of a component, which indices and positions lead to, the first one last."""
        if (term, path) not in self.elements:
            self.elements[term, path] = self._found(term, path)
        return self.elements[term, path]

    def _found(self, term: Term, path: tuple[Term | int, ...]) -> Guard | None:
        match term:
            case Get(inner, index):
                return self._of_element(inner, (*path, self.new.get(index, index)))
            case Proj(inner, position):
                return self._of_element(inner, (*path, position))
            case Var() if term in self.definitions:
                return self._of_element(self.definitions[term], path)
            case Var() if term in self.rows:
                return self.beyond
            case Zero():
                return ()
            case Reduce(Reduction.SUM, _, own, body) if self.beyond:
                return self._summed(self._of_element(body, path), own)
            case Plus(items) if self.beyond:
                return reduce(self._either, [self._of_element(item, path) for item in items])
        if not path:
            return self.guard_of(term)
        *rest, step = path
        match term:
            case Let(bindings, body):
                return self._outside(self._of_element(body, path), bindings)
            case If():
                return self._of_choice(term, path)
            case Build(_, own, body) if isinstance(step, Term):
                return self._outside(self._of_element(body, tuple(rest)), ((own, step),))
            case Vector(items) if isinstance(step, Const) and 0 <= step.value < len(items):
                return self._of_element(items[int(step.value)], tuple(rest))
            case Delta(_, at, value) if isinstance(step, Term) and self.beyond:
                here = Prim(p.equal, (step, self.new.get(at, at)))
                return self._chosen(here, self._of_element(value, tuple(rest)), ())
            case MakeTuple(items) if isinstance(step, int):
                return self._of_element(items[step], tuple(rest))
            case Update(array, at, value) if isinstance(step, Term) and self.infinite.comes_of_one(value):
                here = Prim(p.equal, (step, self.new.get(at, at)))
                return self._chosen(here, self._of_element(value, tuple(rest)), self._of_element(array, path))
            case IFold(init=init) if isinstance(step, Term) and self.infinite.comes_of_one(term):
                found = _elements_set(term)
                if found is None:
                    return None
                test, value = found
                is_set = substitute(both(Prim(p.less, (term.index, term.size)), test), {term.index: step})
                set_to = self._outside(self._of_element(value, tuple(rest)), ((term.index, step),))
                return self._chosen(is_set, set_to, self._of_element(init, path))
            case _:
                return None

    def _of_choice(self, choice: If, path: tuple[Term | int, ...]) -> Guard | None:
        """Where it is chosen, and there anything but zero."""
        condition = choice.condition
        if (on_indices(condition) and not self.infinite.written) or self.infinite.is_of_offset(condition):
            return None
        condition = self.new.get(condition, condition)
        return self._chosen(condition, self._of_element(choice.then, path), self._of_element(choice.otherwise, path))

    def _chosen(self, condition: Term, then: Guard | None, otherwise: Guard | None) -> Guard | None:
        found: list[Term] = []
        for chosen, guard in ((condition, then), (Prim(p.logical_not, (condition,)), otherwise)):
            if isinstance(guard, Itself):
                return None if then is None or otherwise is None else guard
            found.extend([chosen] if guard is None else [If(chosen, c, Const(False)) for c in guard])
        return self._made(found)

    def _either(self, first: Guard | None, second: Guard | None) -> Guard | None:
        """Of a sum of two."""
        if first is None or second is None:
            return None
        if isinstance(first, Itself) or isinstance(second, Itself):
            return self.beyond
        return self._made([*first, *second])

    def _summed(self, guard: Guard | None, own: Var) -> Guard | None:
        """Of a sum over this index."""
        if guard is None or isinstance(guard, Itself) or not any([own in c.free for c in guard]):
            return guard
        return self.beyond

    def _outside(self, guard: Guard | None, bindings: tuple[tuple[Var, Term], ...]) -> Guard | None:
        """The guard without the names of this scope."""
        if guard is None or isinstance(guard, Itself):
            return guard
        conditions = list(guard)
        for var, value in reversed(bindings):
            conditions = [substitute(c, {var: self.new.get(value, value)}) for c in conditions]
            if sum(map(size_of_tree, conditions)) > thresholds.COPIED_CONDITION:
                return self.beyond
        return self._made(conditions)

    def _made(self, conditions: Sequence[Term]) -> Guard | None:
        """The guard, if its conditions are few."""
        unlike = {self._keys(c): c for c in reversed(conditions)}
        conditions = list(unlike.values())[::-1]
        nodes = sum(map(size_of_tree, conditions))
        if self._are_all(conditions):
            return None
        is_long = len(conditions) > thresholds.GUARDED_PARTS or nodes > thresholds.COPIED_CONDITION
        return self.beyond if is_long or not all(map(is_loop_free, conditions)) else tuple(conditions)

    def _keys(self, condition: Term) -> frozenset[Hashable]:
        found = self.keys.get(condition)
        if found is None:
            found = self.keys[condition] = keys_of(condition, self.definitions)
        return found

    def _are_all(self, conditions: Sequence[Term]) -> bool:
        """Does one of them hold in any case: a condition and its negation?"""
        keys = {self._keys(c) for c in conditions}
        return any([self._keys(Prim(p.logical_not, (c,))) in keys for c in conditions])

    def _guarded(self, node: Term, new: Prim) -> Term:
        """The product with a guarded number of what may be infinite: zero of that where the guard does not hold."""
        match node, new:
            case Prim(primitive, (a, b)), Prim(_, (x, y)) if primitive in (p.multiply, p.divide):
                for guarded, other, at in ((a, b, y), (b, a, x))[: 2 if primitive is p.multiply else 1]:
                    guard = self.guard_of(guarded)
                    if guard is None or not (primitive is p.divide or self._may_be_infinite(other, guard)):
                        continue
                    if not isinstance(guard, Itself) and any([self._keys(c) <= self.known[node] for c in guard]):
                        continue
                    self.guarded = True
                    self.trace.record("guards kept")
                    return _safe(new, at, guard)
        return new

    def _may_be_infinite(self, factor: Term, guard: Guard) -> bool:
        """May it be where the guard of the other factor does not hold?"""
        if isinstance(factor, Const):
            return self.infinite.may_be(factor)
        asked = isinstance(guard, Itself) or any(map(self.infinite.is_asked, guard))
        return asked or self.infinite.may_be(factor)


def _safe(product: Prim, factor: Term, guard: Guard) -> Term:
    """The product, or quotient, in which nothing, or 1, stands for a factor where the guard of the other does not hold."""
    neutral = Const(1.0 if product.primitive is p.divide else 0.0, factor.type)
    is_second = factor is product.arguments[1]
    guarded = product.arguments[0 if is_second else 1]

    def made(kept: Term, where: Term) -> Term:
        safe = Prim(p.select, (where, factor, neutral))
        return rebuild(product, (kept, safe) if is_second else (safe, kept))

    if isinstance(guard, Itself):
        return bind(guarded, lambda v: made(v, Prim(p.not_equal, (v, number(0.0, v.type)))), "kept")
    return made(guarded, _any_of(guard))


def _any_of(conditions: tuple[Term, ...]) -> Term:
    if not conditions:
        return Const(False)
    whole = conditions[-1]
    for c in reversed(conditions[:-1]):
        whole = If(c, Const(True), whole)
    return whole


def _elements_set(loop: IFold) -> tuple[Term, Term] | None:
    """Of a loop that sets element i of an array in step i: where it does, and to what, which reads none of the others."""
    match loop.body:
        case Update(array, at, value):
            test: Term = Const(True)
        case If(test, Update(array, at, value), otherwise) if otherwise is loop.state:
            pass
        case _:
            return None
    is_own = array is loop.state and at is loop.index and loop.state not in value.free | test.free
    return (test, value) if is_own else None

"""What is zero where a condition does not hold stays zero when it is multiplied, though it has a name.

    let v = if c then a else zero in … v * (1 / sqrt x) …   ~>   … v * (select c (1 / sqrt x) 0) …

`zero * e` is zero whatever e is; a name for `if c then a else zero` stands for a number, and 0 · ∞ is not zero.  Reverse
mode multiplies cotangents with derivatives of what was computed in any case: without this, no value that is thrown away
where it is not a number, `np.where(z > 0, z, 0)` with z = √x, would have a derivative that is one.

The conditions are collected where they are made, and products are guarded with which something may be infinite, or not a
number, though all numbers given are finite.  After the rules of optimise/rules/sparsity.py, which guard what has no name.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.subst import substitute
from fsmooth.core.term import (
    Build,
    Const,
    Get,
    If,
    Let,
    MakeTuple,
    Prim,
    Proj,
    Term,
    Var,
    Vector,
    Zero,
)
from fsmooth.core.traverse import bound_in, children, in_order, rebuild, size_of_tree
from fsmooth.core.types import Float
from fsmooth.optimise.failing import StaticSizes
from fsmooth.optimise.infinite import may_be_infinite
from fsmooth.optimise.inlining import on_indices
from fsmooth.optimise.known_conditions import keys_of, known_conditions
from fsmooth.rewrite.trace import Trace

Guard = tuple[Term, ...]
"""A number may be anything but zero where one of these conditions holds, if there is one."""


def keep_guards(term: Term, trace: Trace, static_sizes: StaticSizes) -> Term:  # noqa: ARG001
    """The term in which such products are guarded."""
    order = in_order(term)
    if not any([isinstance(t, Zero) for t in order]) or not any([isinstance(t, If) for t in order]):
        return term
    walk = _Walk(order, trace)
    for node in order:
        walk.visit(node)
    return walk.new.get(term, term)


class _Walk:
    """What each node is, where it may be anything but zero, and whether it may be infinite, from its parts up."""

    def __init__(self, order: list[Term], trace: Trace) -> None:
        self.trace = trace
        self.new: dict[Term, Term] = {}
        self.guards: dict[Term, Guard] = {}
        bound: set[Var] = set()
        self.twice: set[Var] = set()
        for node in order:
            for var in {v for k in range(len(children(node))) for v in bound_in(node, k)}:
                (self.twice if var in bound else bound).add(var)
        definitions = [pair for node in order if isinstance(node, Let) for pair in node.bindings]
        self.definitions = {var: value for var, value in definitions if var not in self.twice}
        self.known = known_conditions(order, self.definitions)
        self.may_be_infinite = may_be_infinite(order, self.definitions)

    def visit(self, node: Term) -> None:
        """What becomes of a node whose parts have been visited."""
        new = rebuild(node, [self.new.get(c, c) for c in children(node)])
        guard = self._guard(node)
        if guard is not None:
            self.guards[node] = guard
        if isinstance(new, Prim):
            new = self._guarded(node, new)
        if new is not node:
            self.new[node] = new

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
                first, second = self.guard_of(a), self.guard_of(b)
                return None if first is None or second is None else self._made([*first, *second])
            case Let(bindings, body):
                return self._outside(self.guard_of(body), bindings)
            case Get() | Proj() if isinstance(node.type, Float):
                return self._of_element(node, ())
            case _:
                return None

    def _of_element(self, term: Term, path: tuple[Term | int, ...]) -> Guard | None:
        """The guard of an element of an array, or of a component, which indices and positions lead to, the first one last."""
        match term:
            case Get(inner, index):
                return self._of_element(inner, (*path, self.new.get(index, index)))
            case Proj(inner, position):
                return self._of_element(inner, (*path, position))
            case Var() if term in self.definitions:
                return self._of_element(self.definitions[term], path)
            case Zero():
                return ()
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
            case MakeTuple(items) if isinstance(step, int):
                return self._of_element(items[step], tuple(rest))
            case _:
                return None

    def _of_choice(self, choice: If, path: tuple[Term | int, ...]) -> Guard | None:
        """Where it is chosen, and there anything but zero."""
        condition = choice.condition
        if on_indices(condition) or self._is_of_offset(condition):
            return None
        condition = self.new.get(condition, condition)
        found: list[Term] = []
        for chosen, branch in ((condition, choice.then), (Prim(p.logical_not, (condition,)), choice.otherwise)):
            guard = self._of_element(branch, path)
            found.extend([chosen] if guard is None else [If(chosen, c, Const(False)) for c in guard])
        return self._made(found)

    def _outside(self, guard: Guard | None, bindings: tuple[tuple[Var, Term], ...]) -> Guard | None:
        """The guard without the names of this scope."""
        if guard is None:
            return None
        conditions = list(guard)
        for var, value in reversed(bindings):
            conditions = [substitute(c, {var: self.new.get(value, value)}) for c in conditions]
            if sum(map(size_of_tree, conditions)) > thresholds.COPIED_CONDITION:
                return None
        return self._made(conditions)

    def _made(self, conditions: Sequence[Term]) -> Guard | None:
        """The guard, if its conditions are few, and mean the same wherever the guarded number is read."""
        unlike = {keys_of(c, self.definitions): c for c in reversed(conditions)}
        conditions = list(unlike.values())[::-1]
        nodes = sum(map(size_of_tree, conditions))
        if (
            len(conditions) > thresholds.GUARDED_PARTS
            or nodes > thresholds.COPIED_CONDITION
            or self._are_all(conditions)
        ):
            return None
        return tuple(conditions) if all([self.twice.isdisjoint(c.free) for c in conditions]) else None

    def _are_all(self, conditions: Sequence[Term]) -> bool:
        """Does one of them hold in any case: a condition and its negation?"""
        keys = {keys_of(c, self.definitions) for c in conditions}
        return any([keys_of(Prim(p.logical_not, (c,)), self.definitions) in keys for c in conditions])

    def _is_of_offset(self, condition: Term) -> bool:
        """Is it whether an offset is infinite?  It is the result then, and nothing depends on the numbers below it."""
        match condition:
            case Prim(primitive, (a, _)) if primitive is p.equal:
                return self._is_of_offset(a)
            case Prim(primitive, (a,)) if primitive in (p.logical_not, p.absolute):
                return self._is_of_offset(a)
            case Prim(primitive):
                return primitive is p.as_offset
            case Var():
                return condition in self.definitions and self._is_of_offset(self.definitions[condition])
            case Get(array):
                return self._is_of_offset(array)
            case Build(_, _, body) | Let(_, body):
                return self._is_of_offset(body)
            case _:
                return False

    def _guarded(self, node: Term, new: Prim) -> Term:
        """The product with a guarded number of what may be infinite: zero of that where the guard does not hold."""
        match node, new:
            case Prim(primitive, (a, b)), Prim(_, (x, y)) if primitive in (p.multiply, p.divide):
                for guarded, other, at in ((a, b, y), (b, a, x))[: 2 if primitive is p.multiply else 1]:
                    guard = self.guard_of(guarded)
                    if guard is None or not (primitive is p.divide or self.may_be_infinite(other)):
                        continue
                    if any([keys_of(c, self.definitions) <= self.known[node] for c in guard]):
                        continue
                    self.trace.record("guards kept")
                    neutral = Const(0.0 if primitive is p.multiply else 1.0, at.type)
                    safe = Prim(p.select, (_any_of(guard), at, neutral))
                    return rebuild(new, (x, safe) if at is y else (safe, y))
        return new


def _any_of(conditions: Guard) -> Term:
    if not conditions:
        return Const(False)
    whole = conditions[-1]
    for c in reversed(conditions[:-1]):
        whole = If(c, Const(True), whole)
    return whole

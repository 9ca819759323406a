"""Scatters to shifted indices are gathers (design §4.3): reverse mode turns reads of x[i - 1] into additions to element i - 1.

    sum n (fun i -> delta m (i + c) (e i))   is   build m (fun j -> if 0 <= j - c && j - c < n then e (j - c) else zero)

Each element is then written once, from nothing that has to be zeroed before, and what reads the result can be fused with
it.  Only where m and n (or k, if n is max(k, 0)) differ by a constant, so that there are not many more elements than
iterations, and where what several elements share is cheap enough to be computed for each of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.build import flat_scope, minus, plus
from fsmooth.core.cost import Costs
from fsmooth.core.subst import refresh, substitute, substitute1
from fsmooth.core.term import (
    Build,
    Const,
    Delta,
    If,
    Let,
    MakeTuple,
    Plus,
    Prim,
    Proj,
    Reduce,
    Reduction,
    Term,
    Var,
    Zero,
    let,
)
from fsmooth.core.term.fields import Failing
from fsmooth.core.traverse import size_of_tree, subterms
from fsmooth.core.types import is_numeric
from fsmooth.optimise.rules.loop_normalisation import guard_first
from fsmooth.optimise.rules.totality import cannot_fail
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import rule

_Bindings = list[tuple[Var, Term]]


class _Part(NamedTuple):
    """`value` at index `at` of `size` elements."""

    size: Term
    at: Term
    value: Term


@rule(
    "examples: sum n (fun i -> delta m (i + c) (x i))"
    " ~> build m (fun j -> if 0 <= j - c && j - c < n then x (j - c) else zero)",
    source="design §4.3",
    heads=Reduce,
)
def sum_shifted(t: Term, facts: Facts) -> Term | None:
    """Also of several shifts, and of tuples, whose numbers are then summed by loops of their own."""
    if not isinstance(t, Reduce) or t.reduction is not Reduction.SUM or is_numeric(t.type):
        return None
    bindings, result = flat_scope(t.body)
    items = result.items if isinstance(result, MakeTuple) else (result,)
    definitions = dict(bindings)
    if len(definitions) < len(bindings):
        return None
    parts = {k: _parts(item, definitions) for k, item in enumerate(items) if not is_numeric(item.type)}
    if not any([q.at is not t.index for found in parts.values() for q in found or ()]) or _may_fail(t.body):
        return None
    new: list[Term] = []
    costs, saved = Costs(), 0.0
    for k, item in enumerate(items):
        if k not in parts:
            new.append(refresh(Reduce(Reduction.SUM, t.size, t.index, let(_needed(bindings, item), item))))
            continue
        found = parts[k]
        if (
            not found
            or len(found) > thresholds.GATHERED_PARTS
            or not _about_as_many(found[0].size, facts.trips(t.size), facts)
        ):
            return None
        if not all([alpha_equal(q.size, found[0].size) for q in found[1:]]):
            return None
        found = [q._replace(value=let(_needed(bindings, q.value), q.value)) for q in found]
        if len(found) > 1 and sum([size_of_tree(q.value) for q in found]) > thresholds.GATHERED_NODES:
            return None
        gathered = _gathered(found, t, facts)
        if gathered is None:
            return None
        saved += thresholds.SCATTER * len(found) * costs.elements(gathered).at()
        new.append(gathered)
    if sum([costs.of(item).at() for item in new]) > costs.of(t).at() + saved:
        return None
    return MakeTuple(tuple(new), result.type) if isinstance(result, MakeTuple) else new[0]


def _may_fail(body: Term) -> bool:
    """Might an iteration fail, so that it has to run as often as it is written, and no more?"""
    return any([x.failing in (Failing.ALWAYS, Failing.CALLS) for x in subterms(body)])


def _needed(bindings: Sequence[tuple[Var, Term]], body: Term) -> _Bindings:
    """Those of the definitions that `body` needs."""
    free = set(body.free)
    kept = []
    for var, value in reversed(bindings):
        if var in free:
            kept.append((var, value))
            free |= value.free
    return kept[::-1]


def _parts(t: Term, definitions: Mapping[Var, Term]) -> list[_Part] | None:
    """The numbers that an array is the sum of, each at one index; None if it is not made so."""
    match t:
        case Zero():
            return []
        case Delta(size, index, value) if is_numeric(value.type):
            index = substitute(index, {x: definitions[x] for x in index.free if x in definitions})
            return [_Part(size, index, value)]
        case Plus(items):
            found: list[_Part] = []
            for item in items:
                parts = _parts(item, definitions)
                if parts is None:
                    return None
                found.extend(parts)
            return found
        case If(condition, then, otherwise):
            sides = _parts(then, definitions), _parts(otherwise, definitions)
            return None if sides[0] is None or sides[1] is None else _under(condition, sides[0], sides[1])
        case Let(bindings, body):
            if any([x in definitions for x, _ in bindings]):
                return None
            parts = _parts(body, dict(definitions) | dict(bindings))
            if parts is None or any([x in q.at.free for q in parts for x, _ in bindings]):
                return None
            return [q._replace(value=let(_needed(bindings, q.value), q.value)) for q in parts]
        case Var() if t in definitions:
            return _parts(definitions[t], definitions)
        case Proj(whole, k):
            part = _component(whole, k, definitions)
            return None if part is None else _parts(part, definitions)
    return None


def _component(whole: Term, k: int, definitions: Mapping[Var, Term]) -> Term | None:
    """Component k of a tuple that is written out, through names, branches and definitions."""
    match whole:
        case MakeTuple(items):
            return items[k]
        case Var() if whole in definitions:
            return _component(definitions[whole], k, definitions)
        case If(condition, then, otherwise):
            return If(condition, Proj(then, k), Proj(otherwise, k))
        case Let(bindings, body):
            return Let(bindings, Proj(body, k))
    return None


def _under(condition: Term, then: list[_Part], otherwise: list[_Part]) -> list[_Part]:
    """The parts of a branch: what is at the same index on both sides is one part."""
    found = []
    rest = list(otherwise)
    for q in then:
        zero: Term = Zero((), q.value.type)
        same = next((r for r in rest if alpha_equal(r.at, q.at) and alpha_equal(r.size, q.size)), None)
        if same is not None:
            rest.remove(same)
            zero = same.value
        found.append(q._replace(value=If(condition, q.value, zero)))
    return [*found, *[r._replace(value=If(condition, Zero((), r.value.type), r.value)) for r in rest]]


def _about_as_many(elements: Term, iterations: Term, facts: Facts) -> bool:
    difference = facts.poly(elements).plus(facts.poly(iterations), -1).coefficients
    return all([not monomial and abs(c) <= thresholds.GATHERED_PARTS for monomial, c in difference.items()])


def _gathered(parts: list[_Part], loop: Reduce, facts: Facts) -> Term | None:
    """The array of these parts, element by element."""
    size, own = parts[0].size, loop.index.renamed()
    if not size.free.isdisjoint(_bound(loop)):
        return None
    element: Term | None = None
    facts.ranges[own] = size
    try:
        for q in parts:
            source = _solved(q.at, own, loop)
            if source is None or not cannot_fail(source, facts):
                return None  # it is evaluated for each element, though the loop may not run
            value = refresh(substitute1(q.value, loop.index, source))
            value = _within(source, facts.trips(loop.size), value, facts)
            element = value if element is None else Prim(p.add, (element, value))
    finally:
        del facts.ranges[own]
    assert element is not None
    return Build(size, own, element)


def _within(iteration: Term, trips: Term, value: Term, facts: Facts) -> Term:
    """`value` where there is such an iteration: what guards it may say so, if that can be evaluated anywhere."""
    bindings, result = flat_scope(value)
    known: list[tuple[Hashable, bool | None]] = []
    if isinstance(result, If) and isinstance(result.otherwise, Zero):
        value = guard_first(bindings, result) or value
        condition = _expanded(result.condition, bindings)
        known = facts.assume(condition, True) if cannot_fail(condition, facts) else []
    limits = Prim(p.less, (iteration, trips)), Prim(p.less_equal, (Const(0), iteration))
    needed = [limit for limit in limits if facts.truth(limit) is not True]
    facts.forget(known)
    for limit in needed:
        value = If(limit, value, Zero((), value.type))
    return value


def _expanded(condition: Term, bindings: Sequence[tuple[Var, Term]]) -> Term:
    """The condition with what it reads of the definitions in it."""
    for var, value in reversed(bindings):
        condition = substitute1(condition, var, value)
    return condition


def _solved(index: Term, target: Term, loop: Reduce) -> Term | None:
    """The iteration in which the index is `target`, for i + c, c + i, i - c and c - i."""
    bound = _bound(loop)
    while index is not loop.index:
        match index:
            case Prim(primitive, (a, b)) if primitive in (p.add, p.subtract):
                if b.free.isdisjoint(bound):
                    index, target = a, minus(target, b) if primitive is p.add else plus(target, b)
                elif a.free.isdisjoint(bound):
                    index, target = b, minus(target, a) if primitive is p.add else minus(a, target)
                else:
                    return None
            case _:
                return None
    return target


def _bound(loop: Reduce) -> set[Var]:
    """What the loop and the definitions in it bind."""
    return {loop.index, *[x for x, _ in flat_scope(loop.body)[0]]}

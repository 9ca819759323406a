"""Sums of several things are taken apart where one of them collapses (paper 000, Fig. 8g, guarded).

What an equality with the index of the loop selects is one term of its sum, which then needs no loop.  So derivatives in one
direction, whose tangents are zero but at one index, cost as much less as there are directions.
"""

from __future__ import annotations

from collections.abc import Iterator

from fsmooth.core import primitives as p
from fsmooth.core.build import parts_written
from fsmooth.core.term import Build, If, Let, MakeTuple, Plus, Prim, Proj, Reduce, Reduction, Term, Var, Zero, let
from fsmooth.optimise.rules.loop_normalisation import may_leave, solved_for
from fsmooth.optimise.rules.sparsity import is_zero
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import rule

Bindings = tuple[tuple[Var, Term], ...]


@rule(
    "sum n (fun i -> (if i == k then x i else zero) + y i)"
    " ~> sum n (fun i -> if i == k then x i else zero) + sum n (fun i -> y i);  "
    "sum n (fun i -> y i - (if k == m then x i else zero))"
    " ~> sum n (fun i -> y i) - sum n (fun i -> if k == m then x i else zero);  "
    "sum n (fun i -> let z = a i in (if i == k then x i z else zero) + y i z)"
    " ~> sum n (fun i -> let z = a i in if i == k then x i z else zero) + sum n (fun i -> let z = a i in y i z)",
    source="000, Fig. 8g",
    heads=Reduce,
)
def sum_split(t: Term, facts: Facts) -> Term | None:
    """Only where one of the sums then collapses: its guard is an equality or does not depend on the loop."""
    match t:
        case Reduce(Reduction.SUM, size, index, Prim(primitive, (a, b))) if primitive in (p.add, p.subtract) and (
            _collapses(a, index) or _collapses(b, index)
        ):
            left = Reduce(Reduction.SUM, size, index, a)
            return Prim(primitive, (left, Reduce(Reduction.SUM, size, index, b)))
        case Reduce(Reduction.SUM, size, index, Let(bindings, Prim(primitive, (a, b)))) if primitive in (
            p.add,
            p.subtract,
        ) and (_collapses(a, index) or _collapses(b, index)):
            parts = [Reduce(Reduction.SUM, size, index, needed_by(bindings, x)) for x in (a, b)]
            return Prim(primitive, tuple(parts))
    return None


def opened(body: Term) -> tuple[Bindings, Term]:
    """The definitions of a scope, none of anything else, and what follows them."""
    return (body.bindings, body.body) if isinstance(body, Let) else ((), body)


def needed_by(bindings: Bindings, body: Term) -> Term:
    """`body` under those of the definitions that it needs."""
    free = set(body.free)
    kept = []
    for var, value in reversed(bindings):
        if var in free:
            kept.append((var, value))
            free |= value.free
    return let(tuple(reversed(kept)), body)


def _collapses(t: Term, index: Var) -> bool:
    match t:
        case Prim(primitive, (a, b)) if primitive in (p.add, p.subtract):
            return _collapses(a, index) or _collapses(b, index)
        case If(Prim(primitive, (a, b)) as c, _, other) if is_zero(other):
            if index not in c.free:
                return True
            return primitive is p.equal and (
                (a is index and index not in b.free) or (b is index and index not in a.free)
            )
    return False


@rule(
    "sum n (fun i -> (sin (x i), if i == k then y i else zero))"
    " ~> (sum n (fun i -> sin (x i)), sum n (fun i -> if i == k then y i else zero)) where k is total;  "
    "sum n (fun i -> let z = a i in ((sin (x i z), cos (w i z)), if i == k then y i z else zero))"
    " ~> let s = sum n (fun i -> let z = a i in (sin (x i z), cos (w i z))) in"
    " ((fst s, snd s), sum n (fun i -> let z = a i in if i == k then y i z else zero)) where k is total",
    source="000, Fig. 8g",
    heads=Reduce,
)
def sum_split_tuple(t: Term, facts: Facts) -> Term | None:
    """Components of which one term is not zero leave the sum of the others."""
    if not isinstance(t, Reduce) or t.reduction is not Reduction.SUM:
        return None
    size, index = t.size, t.index
    bindings, element = opened(t.body)
    if not isinstance(element, MakeTuple):
        return None
    parts = list(parts_written(element))
    single = [_single(part, bindings, index, size, facts) for part in parts]
    rest = [part for part, alone in zip(parts, single, strict=True) if alone is None]
    if len(rest) == len(parts):
        return None

    def sum_of(part: Term) -> Term:
        return Reduce(Reduction.SUM, size, index, needed_by(bindings, part))

    if len(rest) < 2:
        return _again(element, iter([sum_of(alone or part) for part, alone in zip(parts, single, strict=True)]))
    whole = sum_of(MakeTuple(tuple(rest)))
    var = Var("sum", whole.type)
    others = iter([Proj(var, k) for k in range(len(rest))])
    sums = [next(others) if alone is None else sum_of(alone) for alone in single]
    return Let(((var, whole),), _again(element, iter(sums)))


def _single(t: Term, bindings: Bindings, index: Var, size: Term, facts: Facts) -> If | None:
    """What is zero but at one index, which is known before the loop, with that guard first; None of anything else."""
    guarded = _guard_first(t, bindings)
    match guarded:
        case If(Prim(p.equal, (x, y)), _, other) if index not in other.free:
            for i, k in ((x, y), (y, x)):
                at = k if i is index and index not in k.free else solved_for(i, k, index)
                if at is not None and may_leave(at, size, facts):
                    return guarded
    return None


def _again(t: Term, parts: Iterator[Term]) -> Term:
    """The tuple of tuples with other parts."""
    return (
        MakeTuple(tuple([_again(item, parts) for item in t.items]), t.type) if isinstance(t, MakeTuple) else next(parts)
    )


@rule(
    "sum n (fun i -> build m (fun j -> if i == k then x i j else zero))"
    " ~> sum n (fun i -> if i == k then build m (fun j -> x i j) else zero m) where k is total;  "
    "sum n (fun i -> let c = i == k in build m (fun j -> if c then x i j else zero))"
    " ~> sum n (fun i -> if i == k then build m (fun j -> x i j) else zero m) where k is total",
    source="000, Fig. 8d",
    heads=Reduce,
)
def sum_single_array(t: Term, facts: Facts) -> Term | None:
    """A guard of all elements, which selects one array of the sum, is one of the array."""
    if not isinstance(t, Reduce) or t.reduction is not Reduction.SUM:
        return None
    bindings, array = opened(t.body)
    guarded = _single(array, bindings, t.index, t.size, facts) if isinstance(array, Build) else None
    return None if guarded is None else Reduce(Reduction.SUM, t.size, t.index, needed_by(bindings, guarded))


@rule(
    "sum n (fun i -> plus (build m (fun j -> if i == k then x i j else zero)) (build m (fun j -> y i j)))"
    " ~> plus (sum n (fun i -> build m (fun j -> y i j)))"
    " (sum n (fun i -> if i == k then build m (fun j -> x i j) else zero m)) where k is total;  "
    "sum n (fun i -> let c = i == k in plus (build m (fun j -> y i j)) (build m (fun j -> if c then x i j else zero)))"
    " ~> plus (sum n (fun i -> build m (fun j -> y i j)))"
    " (sum n (fun i -> if i == k then build m (fun j -> x i j) else zero m)) where k is total",
    source="000, Fig. 8g",
    heads=Reduce,
)
def sum_split_arrays(t: Term, facts: Facts) -> Term | None:
    """Only where one of the sums then collapses."""
    if not isinstance(t, Reduce) or t.reduction is not Reduction.SUM:
        return None
    size, index = t.size, t.index
    bindings, total = opened(t.body)
    if not isinstance(total, Plus):
        return None
    items = total.items
    single = [_single(item, bindings, index, size, facts) for item in items]
    rest = [item for item, alone in zip(items, single, strict=True) if alone is None]
    if len(rest) == len(items):
        return None
    parts = [
        *([rest[0] if len(rest) == 1 else Plus(tuple(rest))] if rest else []),
        *[x for x in single if x is not None],
    ]
    return Plus(tuple([Reduce(Reduction.SUM, size, index, needed_by(bindings, part)) for part in parts]))


def _guard_first(t: Term, bindings: Bindings) -> If | None:
    """What is zero unless a guard holds, an array perhaps of which all elements have it, with that guard first."""
    match t:
        case Build(size, index, body):
            inside = _guard_first(body, bindings)
            if inside is None or index in inside.condition.free or index in inside.otherwise.free:
                return None
            zero = inside.otherwise
            assert isinstance(zero, Zero)
            return If(inside.condition, Build(size, index, inside.then), Zero((size, *zero.sizes), zero.leaf))
        case If(condition, then, Zero() as zero):
            known = _definition(condition, bindings) if isinstance(condition, Var) else None
            return If(known or condition, then, zero)
    return None


def _definition(x: Var, bindings: Bindings) -> Term | None:
    """What a variable stands for after these definitions, if that is the same there."""
    later: set[Var] = set()
    for var, value in reversed(bindings):
        if var is x:
            return value if later.isdisjoint(value.free) and var not in value.free else None
        later.add(var)
    return None

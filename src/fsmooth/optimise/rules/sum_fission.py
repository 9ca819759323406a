"""Sums of several things are taken apart where one of them collapses (paper 000, Fig. 8g, guarded).

What an equality with the index of the loop selects is one term of its sum, which then needs no loop.  So derivatives in one
direction, whose tangents are zero but at one index, cost as much less as there are directions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_key
from fsmooth.core.term import (
    NOWHERE,
    Build,
    Get,
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
from fsmooth.core.traverse import size_of_tree
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
    match t:
        case Reduce(Reduction.SUM, size, index, Let(bindings, MakeTuple() as element)):
            pass
        case Reduce(Reduction.SUM, size, index, MakeTuple() as element):
            bindings = ()
        case _:
            return None
    parts = list(_written_out(element))
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


@rule(
    "sum n (fun i -> (x, y i, x)) ~> let s = sum n (fun i -> (x, y i)) in (fst s, snd s, fst s) where x is small",
    source="000, Fig. 8f",
    heads=Reduce,
)
def sum_same_components(t: Term, facts: Facts) -> Term | None:
    """What is added up twice, as the cotangents of two summands are, is added up once."""
    match t:
        case Reduce(Reduction.SUM, size, index, Let(bindings, MakeTuple(items))):
            pass
        case Reduce(Reduction.SUM, size, index, MakeTuple(items)):
            bindings = ()
        case _:
            return None
    own, at = _different(items)
    if len(own) == len(items):
        return None
    whole = Reduce(Reduction.SUM, size, index, let(bindings, _tuple_of(own)))
    var = Var("sum", whole.type)
    parts = [var if len(own) == 1 else Proj(var, k) for k in at]
    return Let(((var, whole),), MakeTuple(tuple(parts), t.type))


@rule(
    "build n (fun i -> let x = sin y in (x, i, x))"
    " ~> let a = build n (fun i -> let x = sin y in (x, i)) in build n (fun i -> (fst a[i], snd a[i], fst a[i]))",
    source="000, Fig. 8f",
    heads=Build,
)
def build_same_components(t: Term, facts: Facts) -> Term | None:
    """What is computed once for two components is stored once: a value, and what reverse mode saves of it."""
    match t:
        case Build(size, index, Let(bindings, MakeTuple(items))):
            pass
        case _:
            return None
    own, at = _different(items)
    inside = {var for var, _ in bindings}
    if not any([at.count(k) > 1 and not inside.isdisjoint(item.free) for k, item in enumerate(own)]):
        return None
    whole = Build(size, index, let(bindings, _tuple_of(own)))
    name, site = (own[0].name, own[0].site) if isinstance(own[0], Var) else ("array", NOWHERE)
    var, again = Var(name, whole.type, site), Var(index.name, index.type, index.site)
    element = Get(var, again)
    parts = [element if len(own) == 1 else Proj(element, k) for k in at]
    return Let(((var, whole),), Build(size, again, MakeTuple(tuple(parts), t.body.type)))


def _different(items: Sequence[Term]) -> tuple[list[Term], list[int]]:
    """Items without those that are there already, and for each of all where it is among these."""
    places: dict[object, int] = {}
    own: list[Term] = []
    at: list[int] = []
    for item in items:
        key = alpha_key(item) if size_of_tree(item) <= thresholds.COPIED_CONDITION else item
        if key not in places:
            places[key] = len(own)
            own.append(item)
        at.append(places[key])
    return own, at


def _tuple_of(items: Sequence[Term]) -> Term:
    return items[0] if len(items) == 1 else MakeTuple(tuple(items))


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


def _written_out(t: Term) -> Iterator[Term]:
    """The parts of a tuple of tuples, from left to right."""
    if isinstance(t, MakeTuple):
        for item in t.items:
            yield from _written_out(item)
    else:
        yield t


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
    match t:
        case Reduce(Reduction.SUM, size, index, Let(bindings, Build() as array)):
            pass
        case Reduce(Reduction.SUM, size, index, Build() as array):
            bindings = ()
        case _:
            return None
    guarded = _single(array, bindings, index, size, facts)
    return None if guarded is None else Reduce(Reduction.SUM, size, index, needed_by(bindings, guarded))


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
    match t:
        case Reduce(Reduction.SUM, size, index, Let(bindings, Plus(items))):
            pass
        case Reduce(Reduction.SUM, size, index, Plus(items)):
            bindings = ()
        case _:
            return None
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

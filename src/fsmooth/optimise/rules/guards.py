"""Sums of values that are zero but at one index each (paper 000, Fig. 8d with Fig. 8b; design §5).

The derivative of `x[i + 1] - x[i]` along x[r] is one at i = r - 1 and minus one at i = r.  Where the conditions exclude each
other, what is linear in such a sum goes into each part, exactly: at every index at most one part is there.
"""

from __future__ import annotations

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.build import minus, plus
from fsmooth.core.term import Const, If, Prim, Reduce, Reduction, Term, Var, Zero
from fsmooth.core.types import Float, Int
from fsmooth.optimise.rules.sparsity import is_zero
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import rule


@rule(
    "((if i == k then x else zero) + (if i == k + 1 then y else zero)) * z"
    " ~> (if i == k then x * z else zero) + (if i == k + 1 then y * z else zero);  "
    "((if i == k then x else zero) - (if i == k + 1 then y else zero)) / z"
    " ~> (if i == k then x / z else zero) - (if i == k + 1 then y / z else zero);  "
    "-((if i == k then x else zero) + (if i == k + 1 then y else zero))"
    " ~> (if i == k then -x else zero) - (if i == k + 1 then y else zero)",
    source="000, Fig. 8d",
    heads=Prim,
    on=(p.multiply, p.divide, p.negate),
)
def guard_distribute(t: Term, facts: Facts) -> Term | None:
    """Times, divided by, negated."""
    match t:
        case Prim(primitive, (a,)) if primitive is p.negate:
            parts = guarded_parts(a)
            if parts is None or not are_exclusive(parts, facts):
                return None
            (sign, c, x), *rest = parts
            first = Prim(p.negate, (x,)) if sign is p.add else x
            flipped = [(p.subtract if s is p.add else p.add, d, y) for s, d, y in rest]
            return sum_of_parts([(p.add, c, first), *flipped], a)
        case Prim(primitive, (a, b)) if primitive in (p.multiply, p.divide) and isinstance(t.type, Float):
            parts = guarded_parts(a)
            if parts is not None and are_exclusive(parts, facts):
                return sum_of_parts([(s, c, Prim(primitive, (x, b))) for s, c, x in parts], a)
            parts = guarded_parts(b) if primitive is p.multiply else None
            if parts is not None and are_exclusive(parts, facts):
                return sum_of_parts([(s, c, Prim(primitive, (a, x))) for s, c, x in parts], b)
    return None


@rule(
    "((if i == k then x else zero) + (if i == k + 1 then y else zero)) + (if i == k then z else zero)"
    " ~> (if i == k then x + z else zero) + (if i == k + 1 then y else zero)",
    source="000, Fig. 8d",
    heads=Prim,
    on=(p.add, p.subtract),
)
def guard_merge(t: Term, facts: Facts) -> Term | None:
    """Parts under one condition become one."""
    parts = guarded_parts(t)
    if parts is None or len(parts) < 3:
        return None
    merged: list[tuple[p.Primitive, Term, Term]] = []
    for sign, c, x in parts:
        for k, (known, d, y) in enumerate(merged):
            if alpha_equal(c, d):
                merged[k] = (known, d, Prim(p.add if sign is known else p.subtract, (y, x)))
                break
        else:
            merged.append((sign, c, x))
    if len(merged) == len(parts) or not are_exclusive(merged, facts):
        return None
    return sum_of_parts(merged, t)


@rule(
    "sum n (fun i -> if k == i + 1 then x i else zero) ~> sum n (fun i -> if i == k - 1 then x i else zero);  "
    "sum n (fun i -> if i - 2 == k then x i else zero) ~> sum n (fun i -> if i == k + 2 then x i else zero)",
    source="fsmooth",
    heads=Reduce,
)
def solve_for_index(t: Term, facts: Facts) -> Term | None:
    """An equality of a loop's index and a constant with something else, as one of the index."""
    match t:
        case Reduce(Reduction.SUM, size, index, If(Prim(primitive, (a, b)), x, other)) if (
            primitive is p.equal and isinstance(a.type, Int) and is_zero(other)
        ):
            for side, k in ((a, b), (b, a)):
                match side:
                    case Prim(outer, (Var() as i, Const() as c)) if (
                        i is index and index not in k.free and outer in (p.add, p.subtract)
                    ):
                        at = minus(k, c) if outer is p.add else plus(k, c)
                        return Reduce(Reduction.SUM, size, index, If(Prim(p.equal, (index, at)), x, other))
    return None


Part = tuple[p.Primitive, Term, Term]
"""A sign (add or subtract), a condition, and the value where it holds."""


def guarded_parts(t: Term) -> list[Part] | None:
    """The parts of a sum of at least two values that are zero but where conditions on indices hold."""
    found: list[Part] = []
    pending: list[tuple[p.Primitive, Term]] = [(p.add, t)]
    while pending:
        sign, x = pending.pop()
        match x:
            case If(Prim(primitive, (a, _)) as c, value, other) if (
                primitive is p.equal and isinstance(a.type, Int) and is_zero(other)
            ):
                found.append((sign, c, value))
            case Prim(primitive, (a, b)) if primitive in (p.add, p.subtract):
                other_sign = sign if primitive is p.add else p.subtract if sign is p.add else p.add
                pending.extend([(other_sign, b), (sign, a)])
            case _:
                return None
        if len(found) + len(pending) > thresholds.GUARDED_PARTS:
            return None
    return found if len(found) > 1 else None


def are_exclusive(parts: list[Part], facts: Facts) -> bool:
    """Does each condition exclude the others?  Not asked of loops that will be unrolled: then they decide themselves."""
    if any([isinstance(facts.ranges.get(var), Const) for _, c, _ in parts for var in c.free]):
        return False
    for k, (_, c, _) in enumerate(parts):
        undo = facts.assume(c, True)
        apart = all([facts.truth(d) is False for _, d, _ in parts[k + 1 :]])
        facts.forget(undo)
        if not apart:
            return False
    return True


def sum_of_parts(parts: list[Part], like: Term) -> Term:
    """The sum that `guarded_parts` takes apart; `like` has its type."""
    zero = Zero((), like.type)
    (sign, c, x), *rest = parts
    result: Term = If(c, x if sign is p.add else Prim(p.negate, (x,)), zero)
    for sign, c, x in rest:
        result = Prim(sign, (result, If(c, x, zero)))
    return result

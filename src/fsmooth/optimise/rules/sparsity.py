"""Sparsity: laws of `zero` and `delta`, and of values that are zero but where a condition holds.

`if c then a else zero` is a *guarded* value.  Linear operations move inside the guard, so that a guard on an
index reaches the sum over that index, where loop normalisation (Fig. 8e) removes the loop.
"""

from __future__ import annotations

from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.build import equals
from fsmooth.core.shape import Ragged, shape_of
from fsmooth.core.term import (
    Build,
    Const,
    Delta,
    Get,
    If,
    Let,
    Prim,
    Reduce,
    Reduction,
    Term,
    Update,
    Var,
    Vector,
    Zero,
)
from fsmooth.core.types import Float, Int, is_numeric
from fsmooth.optimise.rules.totality import checked
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import rule


def is_zero(t: Term) -> bool:
    """Is this the structural zero?"""
    return isinstance(t, Zero)


def zero_of(term: Term) -> Zero | None:
    """The structural zero of the same shape, if the shape can be written down."""
    leaf = term.type
    try:
        sizes = shape_of(term)
    except Ragged:
        return None
    for _ in sizes:
        leaf = leaf.element  # type: ignore[union-attr]
    return Zero(sizes, leaf) if is_numeric(leaf) else None


@rule(
    "zero + x ~> x;  "
    "x + zero ~> x;  "
    "x - zero ~> x;  "
    "zero - x ~> -x;  "
    "zero * x ~> zero;  "
    "x * zero ~> zero;  "
    "zero / x ~> zero;  "
    "-zero ~> zero;  "
    "to_float (zero Int ()) ~> zero;  "
    "select c zero zero ~> zero",
    source="design §5",
    heads=Prim,
    on=(p.add, p.subtract, p.multiply, p.divide, p.negate, p.to_float, p.to_float32, p.select),
)
def zero_laws(t: Term, facts: Facts) -> Term | None:
    """Exact by the definition of the structural zero."""
    match t:
        case Prim(primitive, (a, b)):
            if primitive is p.add:
                return b if is_zero(a) else a if is_zero(b) else None
            if primitive is p.subtract:
                return a if is_zero(b) else Prim(p.negate, (b,)) if is_zero(a) else None
            if primitive is p.multiply:
                return a if is_zero(a) else b if is_zero(b) else None
            if primitive is p.divide and is_zero(a):
                return a
        case Prim(primitive, (a,)) if is_zero(a):
            if primitive in (p.negate, p.to_float, p.to_float32) and isinstance(t.type, Float | Int):
                return Zero((), t.type)
        case Prim(primitive, (_, a, b)) if primitive is p.select and is_zero(a) and is_zero(b):
            return a
    return None


@rule(
    "(zero n)[i] ~> zero;  "
    "(zero n m)[i] ~> zero m;  "
    "(zero n)[check k m] ~> require index 0 <= k && k < m, k, m in zero where k is a variable",
    source="design §2",
    heads=Get,
)
def get_zero(t: Term, facts: Facts) -> Term | None:
    """An element of an array of zeros."""
    match t:
        case Get(Zero(sizes, leaf), i):
            return checked(i, facts, Zero(sizes[1:], leaf))
    return None


@rule(
    "(delta n i x)[j] ~> if i == j then x else zero;  "
    "(delta n i v)[j] ~> if i == j then v else zero (length v) where v is a variable;  "
    "(delta n i x)[j] ~> x where i == j;  "
    "(delta n i x)[j] ~> zero where i < j",
    source="design §2",
    heads=Get,
)
def get_delta(t: Term, facts: Facts) -> Term | None:
    """Not while either index belongs to a loop that is about to be unrolled: then it decides itself."""
    match t:
        case Get(Delta(_, i, value), j):
            if facts.same(i, j):
                return value
            zero = zero_of(value)
            if zero is None:
                return None
            if facts.less(i, j) or facts.less(j, i):
                return zero
            if facts.kept_symbolic and not facts.kept_symbolic.isdisjoint(i.free | j.free):
                return None
            return If(equals(i, j), value, zero)
    return None


@rule(
    "delta n i zero ~> zero n;  build n (fun i -> zero m) ~> zero n m;  [zero, zero] ~> zero 2",
    source="design §5",
    heads=(Delta, Build, Vector),
)
def all_zero(t: Term, facts: Facts) -> Term | None:
    """An array of zeros is the zero array."""
    match t:
        case Delta(size, _, Zero(sizes, leaf)):
            return Zero((size, *sizes), leaf)
        case Build(size, index, Zero(sizes, leaf)) if all([index not in s.free for s in sizes]):
            return Zero((size, *sizes), leaf)
        case Vector(items) if all([isinstance(i, Zero) for i in items]):
            first = items[0]
            assert isinstance(first, Zero)
            return Zero((Const(len(items)), *first.sizes), first.leaf)
    return None


@rule("sum n (fun i -> zero) ~> zero;  sum n (fun i -> zero m) ~> zero m", source="design §5", heads=Reduce)
def sum_zero(t: Term, facts: Facts) -> Term | None:
    """A sum of zeros."""
    match t:
        case Reduce(Reduction.SUM, _, index, Zero(sizes)) if all([index not in s.free for s in sizes]):
            return t.body
    return None


@rule(
    "build n (fun i -> if i == k then x i else zero) ~> delta n k (let i = k in x i) where 0 <= k and k < n",
    source="design §5",
    heads=Build,
)
def build_delta(t: Term, facts: Facts) -> Term | None:
    """K is in bounds and does not depend on i."""
    match t:
        case Build(size, index, If(Prim(primitive, (a, b)), value, other)) if primitive is p.equal and is_zero(other):
            for i, k in ((a, b), (b, a)):
                if i is index and index not in k.free and facts.within(k, size):
                    return Delta(size, k, Let(((index, k),), value) if index in value.free else value)
    return None


@rule("update (zero n) i x ~> delta n i x", source="design §5", heads=Update)
def update_zero(t: Term, facts: Facts) -> Term | None:
    """The zero array with one element set."""
    match t:
        case Update(Zero(sizes), index, value):
            return Delta(sizes[0], index, value)
    return None


@rule("update a i (a[i]) ~> a", source="fsmooth", heads=Update)
def update_same(t: Term, facts: Facts) -> Term | None:
    """An element set to what it is, also by a name for that: the way back of `a[i] += x` does so to the cotangent of a."""
    match t:
        case Update(array, i, value):
            match facts.definition(value) if isinstance(value, Var) else value:
                case Get(same, j) if alpha_equal(i, j) and alpha_equal(array, same):
                    return array
    return None


@rule(
    "(if c then x else zero) * y ~> if c then x * y else zero;  "
    "y * (if c then x else zero) ~> if c then y * x else zero;  "
    "(if c then x else zero) / y ~> if c then x / y else zero;  "
    "-(if c then x else zero) ~> if c then -x else zero;  "
    "(if c then x else zero) + (if c then y else zero) ~> if c then x + y else zero",
    source="000, Fig. 8d with Fig. 8b",
    heads=Prim,
    on=(p.negate, p.add, p.subtract, p.multiply, p.divide),
)
def guard_linear(t: Term, facts: Facts) -> Term | None:
    """Operations linear in the guarded operand: times, divided by, negated, and sums under one guard."""
    match t:
        case Prim(primitive, (If(c, a, z),)) if is_zero(z) and primitive is p.negate:
            return If(c, Prim(primitive, (a,)), z)
        case Prim(primitive, (If(c, a, z), If(d, b, y))) if (
            primitive in (p.add, p.subtract) and is_zero(z) and is_zero(y) and alpha_equal(c, d)
        ):
            return If(c, Prim(primitive, (a, b)), z)
        case Prim(primitive, (If(c, a, z), b)) if is_zero(z) and primitive in (p.multiply, p.divide):
            return If(c, Prim(primitive, (a, b)), z)
        case Prim(primitive, (b, If(c, a, z))) if is_zero(z) and primitive is p.multiply:
            return If(c, Prim(primitive, (b, a)), z)
    return None


@rule(
    "if c && d then x else zero ~> if c then (if d then x else zero) else zero;  "
    "if a <> b then zero else x ~> if a == b then x else zero;  "
    "if isnan x then zero else y ~> if !(isnan x) then y else zero",
    source="fsmooth",
    heads=If,
)
def guard_split(t: Term, facts: Facts) -> Term | None:
    """One condition to a guard, so that each can meet its own loop."""
    match t:
        case If(If(a, b, Const(False)), value, other) if is_zero(other):
            return If(a, If(b, value, other), other)
        case If(c, other, value) if is_zero(other) and not is_zero(value):
            match c:
                case Prim(primitive, (a, b)) if primitive is p.not_equal:
                    return If(Prim(p.equal, (a, b)), value, other)
            asked = facts.definition(c) if isinstance(c, Var) else c
            if isinstance(asked, Prim) and asked.primitive is p.is_nan:
                return If(Prim(p.logical_not, (c,)), value, other)
    return None


@rule(
    "if c then (if i == j then x else zero) else zero"
    " ~> if i == j then (if c then x else zero) else zero where i, j are variables",
    source="fsmooth",
    heads=If,
)
def guard_order(t: Term, facts: Facts) -> Term | None:
    """An equality of indices goes outside another condition, since loops look for it there."""
    match t:
        case If(c, If(d, value, z), y) if is_zero(z) and is_zero(y) and _on_index(d) and not _on_index(c):
            if _total_condition(d):
                return If(d, If(c, value, z), z)
    return None


def _on_index(c: Term) -> bool:
    match c:
        case Prim(primitive, (a, b)) if primitive is p.equal and isinstance(a.type, Int):
            return isinstance(a, Var) or isinstance(b, Var)
    return False


def _total_condition(c: Term) -> bool:
    return isinstance(c, Prim) and all([isinstance(a, Var | Const) for a in c.arguments])


@rule("sum n (fun i -> delta n i (e i)) ~> build n (fun i -> e i)", source="design §4.3", heads=Reduce)
def sum_delta(t: Term, facts: Facts) -> Term | None:
    """A scatter to the loop's own index is a gather."""
    match t:
        case Reduce(Reduction.SUM, size, index, Delta(length, i, value)) if (
            i is index and index not in length.free and facts.same(size, length)
        ):
            return Build(size, index, value)
    return None


@rule(
    "sum n (fun i -> if c i then delta n i (x i) else zero n) ~> build n (fun i -> if c i then x i else zero);  "
    "sum n (fun i -> if c i then (let y = x i in delta n i (y * y)) else zero n)"
    " ~> build n (fun i -> if c i then (let y = x i in y * y) else zero)",
    source="design §4.3",
    heads=Reduce,
)
def sum_guarded_delta(t: Term, facts: Facts) -> Term | None:
    """The same under conditions and definitions: each element is written once, from nothing that has to be zeroed before."""
    if not isinstance(t, Reduce) or t.reduction is not Reduction.SUM or not isinstance(t.body, If | Let):
        return None
    element = _at_own_index(t.body, t.index, t.size, facts)
    return None if element is None or not _adds(t.body) else Build(t.size, t.index, element)


def _adds(body: Term) -> bool:
    """Is anything added at all?"""
    match body:
        case If(_, then, otherwise):
            return _adds(then) or _adds(otherwise)
        case Let(_, inner):
            return _adds(inner)
        case _:
            return isinstance(body, Delta)


def _at_own_index(body: Term, index: Var, size: Term, facts: Facts) -> Term | None:
    """The number that a step adds to the element at its own index, if that is all that it does."""
    match body:
        case Zero((_,), leaf):
            return Zero((), leaf)
        case Delta(length, i, value) if i is index and is_numeric(value.type) and index not in length.free:
            return value if facts.same(size, length) else None
        case Let(bindings, inner) if not any([var is index or var in size.free for var, _ in bindings]):
            element = _at_own_index(inner, index, size, facts)
            return None if element is None else Let(bindings, element)
        case If(condition, then, otherwise):
            sides = [_at_own_index(side, index, size, facts) for side in (then, otherwise)]
            return None if sides[0] is None or sides[1] is None else If(condition, sides[0], sides[1])
    return None

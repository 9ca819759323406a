"""Loop normalisation (paper 000, Fig. 8e) for `ifold` and for `sum`, each with a sound guard.

Fig. 8e as printed is unsound in two places: the single-iteration rule when e0 is outside 0 … n-1 (the loop
then does nothing), and unrolling at n = 0.  Both are guarded here.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.build import bind, both, minus, number, plus
from fsmooth.core.subst import substitute1
from fsmooth.core.term import (
    Call,
    Const,
    If,
    IFold,
    Let,
    MakeTuple,
    Plus,
    Prim,
    Proj,
    Reduce,
    Reduction,
    Require,
    Term,
    Var,
    Zero,
    let,
)
from fsmooth.core.traverse import subterms
from fsmooth.core.types import Array, Float, Tuple, is_numeric, leaf_of
from fsmooth.optimise.rules.sparsity import is_zero, zero_of
from fsmooth.optimise.rules.totality import cannot_fail, runs
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import rule


@rule("ifold (fun a i -> e a i) z 0 ~> z;  ifold (fun a i -> e a i) z (-1) ~> z", source="000, Fig. 8e", heads=IFold)
def fold_empty(t: Term, facts: Facts) -> Term | None:
    """Also for a negative constant, which counts as 0."""
    match t:
        case IFold(Const(n), init) if n <= 0:
            return init
    return None


@rule(
    "ifold (fun a i -> e a i) z 3 ~> ifold (fun a i -> e a (i + 1)) (let a = z in let i = 0 in e a i) 2",
    source="000, Fig. 8e",
    heads=IFold,
)
def fold_unroll_once(t: Term, facts: Facts) -> Term | None:
    """Guarded by a constant n >= 1; the schedule that unrolls loops uses it."""
    match t:
        case IFold(Const(n), init, state, index, body) if n >= 1:
            first = Let(((state, init), (index, Const(0))), body)
            shifted = substitute1(body, index, plus(index, Const(1)))
            return IFold(Const(int(n) - 1), first, state, index, shifted)
    return None


@rule("ifold (fun a i -> a) z n ~> z", source="000, Fig. 8e", heads=IFold)
def fold_identity(t: Term, facts: Facts) -> Term | None:
    """A loop that never changes its state."""
    match t:
        case IFold(_, init, state, _, body) if body is state:
            return init
    return None


@rule(
    "ifold (fun a i -> if i == k then e a i else a) z n"
    " ~> if 0 <= k && k < n then (let a = z in let i = k in e a i) else z where k is total;  "
    "ifold (fun a i -> if i == k then e a i else a) z n ~> let a = z in let i = k in e a i where 0 <= k and k < n and k is total",
    source="000, Fig. 8e (guarded)",
    heads=IFold,
)
def fold_single(t: Term, facts: Facts) -> Term | None:
    """A loop that changes its state in one iteration only; k is evaluated though the loop may not run."""
    match t:
        case IFold(size, init, state, index, If(Prim(primitive, (x, y)), step, same)) if (
            primitive is p.equal and same is state
        ):
            for i, k in ((x, y), (y, x)):
                if i is index and k.free.isdisjoint((index, state)) and may_leave(k, size, facts):
                    return _guarded(k, size, Let(((state, init), (index, k)), step), init, facts)
    return None


def may_leave(t: Term, size: Term, facts: Facts) -> bool:
    """May a term be evaluated before a loop, though the loop may not run?"""
    return cannot_fail(t, facts) or runs(size, facts)


def _guarded(k: Term, size: Term, value: Term, otherwise: Term, facts: Facts) -> Term:
    if facts.within(k, size):
        return value
    inside = both(Prim(p.less_equal, (Const(0), k)), Prim(p.less, (k, size)))
    return If(inside, value, otherwise)


@rule(
    "ifold (fun a i -> a + x i) y n ~> y + sum n (fun i -> x i);  "
    "ifold (fun a i -> a - x i) y n ~> y - sum n (fun i -> x i);  "
    "ifold (fun a i -> x i + a) 0.0 n ~> sum n (fun i -> x i);  "
    "ifold (fun a i -> let z = x i in a + e i z) 0.0 n ~> sum n (fun i -> let z = x i in e i z);  "
    "ifold (fun a i -> if c i then a + x i else a) y n ~> y + sum n (fun i -> if c i then x i else zero);  "
    "ifold (fun a i -> (fst a + x i, snd a - e i)) (0.0, y) n"
    " ~> let t = sum n (fun i -> (x i, -(e i))) in (fst t, y + snd t);  "
    "ifold (fun a i -> plus a (delta (length v) i (x i))) v n ~> plus v (sum n (fun i -> delta (length v) i (x i)));  "
    "ifold (fun a i -> a * x i) 1.0 n ~> product n (fun i -> x i)",
    source="design §5",
    heads=IFold,
)
def fold_to_sum(t: Term, facts: Facts) -> Term | None:
    """Accumulation in a loop is a sum, whose order is free; what is added does not mention a."""
    match t:
        case IFold(size, init, state, index, Prim(primitive, (a, b))) if primitive is p.multiply:
            for s, e in ((a, b), (b, a)):
                if s is state and state not in e.free and isinstance(init, Const) and init.value == 1:
                    return Reduce(Reduction.PRODUCT, size, index, e)
        case IFold(size, init, state, index, Prim(primitive, (a, b))) if primitive is p.subtract and a is state:
            if state not in b.free:
                return Prim(p.subtract, (init, Reduce(Reduction.SUM, size, index, b)))
        case IFold(size, init, state, index, body) if body is not state:
            each = _added(body, state, state)
            return None if each is None else _plus(init, Reduce(Reduction.SUM, size, index, each))
    return None


def _added(t: Term, to: Term, state: Var) -> Term | None:
    """What a term adds to `to`, which is a state or a number of it, if that is all that it does."""
    match t:
        case Var() | Proj() if is_numeric(t.type) and alpha_equal(t, to):
            return Zero((), t.type)
        case Prim(primitive, (a, b)) if primitive is p.add and not (state in a.free and state in b.free):
            before, other = (a, b) if state in a.free else (b, a)
            return _and(_added(before, to, state), other)
        case Prim(primitive, (a, b)) if primitive is p.subtract and state not in b.free:
            return _and(_added(a, to, state), Prim(p.negate, (b,)))
        case Plus(items) if sum([state in item.free for item in items]) == 1 and is_numeric(leaf_of(t.type)):
            others = tuple([item for item in items if state not in item.free])
            [before] = [item for item in items if state in item.free]
            return (others[0] if len(others) == 1 else Plus(others)) if alpha_equal(before, to) else None
        case Let(bindings, body) if not any([state in value.free or calls(value) for _, value in bindings]):
            each = _added(body, to, state)
            return None if each is None else Let(bindings, each)
        case Require(c, body) if state not in c.free and not any([state in number.free for number in t.numbers]):
            each = _added(body, to, state)
            return None if each is None else Require(c, each, t.failure, t.numbers, t.site)
        case If(c, a, b) if state not in c.free:
            then, otherwise = _added(a, to, state), _added(b, to, state)
            return None if then is None or otherwise is None else If(c, then, otherwise)
        case MakeTuple(items):
            parts: list[Term] = []
            for k, item in enumerate(items):
                each = _added(item, Proj(to, k), state)
                if each is None:
                    return None
                parts.append(each)
            return MakeTuple(tuple(parts), t.type)
    return None


def calls(t: Term) -> bool:
    """Does it call a function that calls itself?  What its way back reads is then saved step by step, and nothing else."""
    return any([isinstance(x, Call) for x in subterms(t)])


def _and(a: Term | None, b: Term) -> Term | None:
    if a is None:
        return None
    return b if is_zero(a) else Prim(p.add, (a, b))


def _plus(a: Term, b: Term) -> Term:
    """A sum of numbers, of arrays, or of tuples of them."""
    if isinstance(a.type, Array):
        return b if is_zero(a) else Plus((a, b))
    if not isinstance(a.type, Tuple):
        return b if _is_zero_number(a) else Prim(p.add, (a, b))
    parts = [a.items[k] if isinstance(a, MakeTuple) else Proj(a, k) for k in range(len(a.type.items))]
    if all([_is_zero_number(part) for part in parts]):
        return b
    return bind(b, lambda b: MakeTuple(tuple([_plus(part, Proj(b, k)) for k, part in enumerate(parts)]), a.type))


def _is_zero_number(t: Term) -> bool:
    return is_zero(t) or (isinstance(t, Const) and t.value == 0)


@rule(
    "sum 0 (fun i -> x i) ~> 0.0;  "
    "sum 1 (fun i -> e i) ~> e 0;  "
    "product 0 (fun i -> x i) ~> 1.0;  "
    "max 1 (fun i -> x i) ~> x 0;  "
    "argmax 1 (fun i -> x i) ~> 0;  "
    "all 0 (fun i -> c i) ~> true;  "
    "any 0 (fun i -> c i) ~> false",
    source="000, Fig. 8e",
    heads=Reduce,
)
def sum_short(t: Term, facts: Facts) -> Term | None:
    """No iteration or one; likewise for the other reductions.

    The sum of no numbers is 0.0, and no zero by structure: the mean of none is 0.0 / 0.0.
    """
    match t:
        case Reduce(reduction, Const(n), index, body) if n <= 0:
            match reduction:
                case Reduction.SUM if isinstance(t.type, Float):
                    return number(0, t.type)
                case Reduction.SUM:
                    closed = zero_of(body)
                    return closed if closed is not None and index not in closed.free else None
                case Reduction.PRODUCT:
                    return number(1, t.type)
                case Reduction.ALL | Reduction.ANY:
                    return Const(reduction is Reduction.ALL)
        case Reduce(reduction, Const(1), index, body):
            if reduction in (Reduction.ARGMAX, Reduction.ARGMIN):
                return Const(0)
            return substitute1(body, index, Const(0))
    return None


@rule(
    "sum n (fun i -> if i == k then x i else zero)"
    " ~> if 0 <= k && k < n then (let i = k in x i) else zero where k is total;  "
    "sum n (fun i -> if i == k then x i else zero) ~> let i = k in x i where 0 <= k and k < n and k is total;  "
    "sum n (fun i -> if i + m == k then x i else zero)"
    " ~> if 0 <= k - m && k - m < n then (let i = k - m in x i) else zero where k, m are total;  "
    "sum n (fun i -> if i - m == k then x i else zero)"
    " ~> if 0 <= k + m && k + m < n then (let i = k + m in x i) else zero where k, m are total",
    source="000, Fig. 8e (guarded)",
    heads=Reduce,
)
def sum_single(t: Term, facts: Facts) -> Term | None:
    """One term of the sum is not zero; k is evaluated though the loop may not run."""
    match t:
        case Reduce(Reduction.SUM, size, index, If(Prim(primitive, (x, y)), e, other)) if (
            primitive is p.equal and is_zero(other)
        ):
            for i, k in ((x, y), (y, x)):
                if i is index and index not in k.free and may_leave(k, size, facts):
                    value = Let(((index, k),), e) if index in e.free else e
                    return _guarded(k, size, value, other, facts)
                shifted = solved_for(i, k, index)
                if shifted is not None and may_leave(shifted, size, facts):
                    value = Let(((index, shifted),), e) if index in e.free else e
                    return _guarded(shifted, size, value, other, facts)
    return None


def solved_for(left: Term, right: Term, index: Var) -> Term | None:
    """I + c == k, c + i == k, i - c == k solved for i (c, k without i)."""
    match left:
        case Prim(primitive, (a, b)) if index not in right.free:
            if primitive is p.add and a is index and index not in b.free:
                return minus(right, b)
            if primitive is p.add and b is index and index not in a.free:
                return minus(right, a)
            if primitive is p.subtract and a is index and index not in b.free:
                return plus(right, b)
    return None


@rule(
    "sum n (fun i -> if c then x i else zero) ~> if c then sum n (fun i -> x i) else zero where c is total;  "
    "sum n (fun i -> if c then x i else zero) ~> if c then sum n (fun i -> x i) else zero where 0 < n",
    source="000, Fig. 8d",
    heads=Reduce,
)
def sum_guard_out(t: Term, facts: Facts) -> Term | None:
    """A guard that does not depend on the loop leaves it, if it can be evaluated though the loop may not run."""
    match t:
        case Reduce(Reduction.SUM, size, index, If(c, e, other)) if is_zero(other) and index not in c.free:
            if index in other.free or not may_leave(c, size, facts):
                return None
            return If(c, Reduce(Reduction.SUM, size, index, e), other)
    return None


@rule(
    "sum n (fun i -> let y = a i in if c i then x i y else zero)"
    " ~> sum n (fun i -> if c i then (let y = a i in x i y) else zero);  "
    "sum n (fun i -> let b = c i in let y = a i in if b then x i y else zero)"
    " ~> sum n (fun i -> let b = c i in if b then (let y = a i in x i y) else zero)",
    source="000, Fig. 8a",
    heads=Reduce,
)
def guard_out_of_let(t: Term, facts: Facts) -> Term | None:
    """A guard is outside of the definitions that it does not read: loops see it, and the definitions know it."""
    match t:
        case Reduce(Reduction.SUM, size, index, Let(bindings, If(_, _, other) as guarded)) if is_zero(other):
            inside = guard_first(bindings, guarded)
            return None if inside is None else Reduce(Reduction.SUM, size, index, inside)
    return None


def guard_first(bindings: Sequence[tuple[Var, Term]], guarded: If) -> Term | None:
    """`guarded` in the scope of these definitions, of which those that only the branch needs are in it; None if none is."""
    outside, inside = [], []
    free = guarded.condition.free | guarded.otherwise.free
    for var, value in reversed(bindings):
        if var in free:
            outside.append((var, value))
            free |= value.free
        else:
            inside.append((var, value))
    then = let(inside[::-1], guarded.then)
    return let(outside[::-1], If(guarded.condition, then, guarded.otherwise)) if inside else None

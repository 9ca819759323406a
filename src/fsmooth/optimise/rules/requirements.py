"""Requirements leave what is inside them as far as they can (design §2: sizes are compared at the entry).

What a requirement says is known in its body; the further out it stands, the more is proved by it, and nothing behind
it can fail any more on its account (docs/decisions/0004).
"""

from __future__ import annotations

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.build import either, minus, plus
from fsmooth.core.subst import substitute
from fsmooth.core.term import (
    Build,
    Const,
    Failure,
    IFold,
    Let,
    MakeTuple,
    Prim,
    Reduce,
    Require,
    Term,
    Var,
    Vector,
    let,
)
from fsmooth.core.traverse import children, rebuild, size_of_tree, subterms
from fsmooth.core.types import Bool, Int
from fsmooth.optimise.rules.totality import cannot_fail, runs
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import rule


@rule(
    "build n (fun i -> require c in e i) ~> require c in build n (fun i -> e i) where c is total;  "
    "sum n (fun i -> require c in e i) ~> require c in sum n (fun i -> e i) where c is total;  "
    "ifold (fun a i -> require c in e a i) z n ~> require c in ifold (fun a i -> e a i) z n where c is total",
    source="design §2",
    heads=(Build, Reduce, IFold),
)
def require_out_of_loop(t: Term, facts: Facts) -> Term | None:
    """Out of a loop that runs at least once for certain, or if what is required is of sizes.

    An index in bounds is required of a loop only if it runs; that sizes agree, always, if they are none that count as 0.
    """
    match t:
        case Build(_, index, Require() as r) | Reduce(_, _, index, Require() as r):
            condition = _outside(r, (index,), t.size, facts)
        case IFold(_, _, state, index, Require() as r):
            condition = _outside(r, (index, state), t.size, facts)
        case _:
            return None
    if condition is None:
        return None
    return Require(condition, rebuild(t, [*children(t)[:-1], r.body]), r.failure, r.numbers, r.site)


@rule(
    "let x = a in require c in e ~> require c in let x = a in e where c is total;  "
    "let x = m < k in require x || c in e ~> require m < k || c in let x = m < k in e"
    " where m is a variable and k is a variable and c is total",
    source="design §2",
    heads=Let,
)
def require_out_of_let(t: Term, facts: Facts) -> Term | None:
    """A requirement that has a value anyway goes before definitions, so that it can leave the loop around them.

    What it says of sizes that have names is said without them, if that stays short.
    """
    match t:
        case Let(bindings, Require(condition, body) as r):
            parts = [_without_names(part, bindings) for part in (condition, *r.numbers)]
            if not all([part is not None and cannot_fail(part, facts) for part in parts]):
                return None
            required, *numbers = [part for part in parts if part is not None]
            return Require(required, let(bindings, body), r.failure, tuple(numbers), r.site)
    return None


def _without_names(part: Term, bindings: tuple[tuple[Var, Term], ...]) -> Term | None:
    """`part` without the names of definitions, if those are integers or truth values, and short."""
    for var, value in reversed(bindings):
        if var in part.free:
            if not isinstance(value.type, Int | Bool):
                return None
            part = substitute(part, {var: value})
            if size_of_tree(part) > thresholds.COPIED_CONDITION:
                return None
    return part


@rule(
    "build n (fun i -> require index i < m in e i) ~> require index n <= m in build n (fun i -> e i)"
    " where m is a variable and 0 <= m;  "
    "sum n (fun i -> require index i <= m in e i) ~> require index n - 1 <= m in sum n (fun i -> e i)"
    " where m is a variable and 0 <= m;  "
    "ifold (fun a i -> require index i < m in e a i) z n ~> require index n <= m in ifold (fun a i -> e a i) z n"
    " where m is a variable and 0 <= m",
    source="design §2",
    heads=(Build, Reduce, IFold),
)
def require_of_last(t: Term, facts: Facts) -> Term | None:
    """What all indices are below is required of the last one, and then known in the loop from the range of the index.

    The first index that fails is m itself (m + 1): a loop that does not reach it, or does not run, requires nothing.
    """
    match t:
        case Build(_, index, Require() as r) | Reduce(_, _, index, Require() as r):
            bound: tuple[Var, ...] = (index,)
        case IFold(_, _, state, index, Require() as r):
            bound = (index, state)
        case _:
            return None
    match r.condition:
        case Prim(primitive, (Var() as i, m)) if i is index and primitive is p.less:
            last, first = t.size, m
        case Prim(primitive, (Var() as i, m)) if i is index and primitive is p.less_equal:
            last, first = minus(t.size, Const(1)), plus(m, Const(1))
        case _:
            return None
    if not (m.free.isdisjoint(bound) and cannot_fail(m, facts) and facts.nonnegative(m)):
        return None
    numbers = tuple([substitute(n, {index: first}) for n in r.numbers])
    if not all([n.free.isdisjoint(bound) and cannot_fail(n, facts) for n in numbers]):
        return None
    condition = Prim(p.less_equal, (last, m))
    return Require(condition, rebuild(t, [*children(t)[:-1], r.body]), r.failure, numbers, r.site)


def _outside(r: Require, bound: tuple[Var, ...], size: Term, facts: Facts) -> Term | None:
    """What is required before a loop over `size` instead of `r` in it; None if it must stay."""
    if runs(size, facts):
        free = frozenset[Var]().union(*[part.free for part in (r.condition, *r.numbers)])
        return r.condition if free.isdisjoint(bound) else None
    if not _is_free_of(r, bound, facts):
        return None
    match r.failure:
        case Failure.SIZE if not _is_of_steps(r.condition, size, facts):
            return r.condition
        case Failure.SIZE | Failure.INDEX:
            return either(Prim(p.less_equal, (size, Const(0))), r.condition)
        case _:
            return None


def _is_of_steps(condition: Term, size: Term, facts: Facts) -> bool:
    """Is it about a size that is not negative if the loop runs?  Where it has no steps, a negative one counts as 0."""
    sizes = [x for t in subterms(condition) if isinstance(t, Prim) and t.primitive is p.equal for x in t.arguments]
    unknown = [x for x in sizes if isinstance(x.type, Int) and not facts.nonnegative(x)]
    undo = facts.repeats(size)
    found = any([facts.nonnegative(x) for x in unknown])
    facts.forget(undo)
    return found


def _is_free_of(r: Require, bound: tuple[Var, ...], facts: Facts) -> bool:
    """Has what is required a value anyway, without the variables?"""
    parts = (r.condition, *r.numbers)
    return all([part.free.isdisjoint(bound) and cannot_fail(part, facts) for part in parts])


@rule(
    "build n (fun i -> require empty c in e i)"
    " ~> require empty n <= 0 || c in build n (fun i -> e i) where c is total;  "
    "sum n (fun i -> require empty c in e i)"
    " ~> require empty n <= 0 || c in sum n (fun i -> e i) where c is total",
    source="design §2",
    heads=(Build, Reduce, IFold),
)
def require_before_loop(t: Term, facts: Facts) -> Term | None:
    """Any requirement, of a loop that runs.  What it says is not known in the loop afterwards, so this comes last."""
    match t:
        case Build(_, index, Require() as r) | Reduce(_, _, index, Require() as r):
            bound: tuple[Var, ...] = (index,)
        case IFold(_, _, state, index, Require() as r):
            bound = (index, state)
        case _:
            return None
    if not _is_free_of(r, bound, facts):
        return None
    condition = r.condition if runs(t.size, facts) else either(Prim(p.less_equal, (t.size, Const(0))), r.condition)
    return Require(condition, rebuild(t, [*children(t)[:-1], r.body]), r.failure, r.numbers, r.site)


@rule(
    "((require c in x), y) ~> require c in (x, y);  [x, (require c in y)] ~> require c in [x, y]",
    source="design §2",
    heads=(MakeTuple, Vector),
)
def require_out_of_display(t: Term, facts: Facts) -> Term | None:
    """All parts of a display are evaluated; what several of them require is then required once."""
    parts = children(t) if isinstance(t, MakeTuple | Vector) else ()
    for k, part in enumerate(parts):
        if isinstance(part, Require):
            inner = rebuild(t, [*parts[:k], part.body, *parts[k + 1 :]])
            return Require(part.condition, inner, part.failure, part.numbers, part.site)
    return None

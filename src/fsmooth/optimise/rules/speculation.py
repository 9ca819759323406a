"""Speculation: small branches that cannot fail are computed on both sides, and the results selected.

Only after differentiation (a tangent must not come from a branch not taken; a *value* that is thrown away may
be anything).  It turns a branch that gives an array or a tuple into scalars that are selected one by one, which
unrolled code can share and loops can vectorise.
"""

from __future__ import annotations

from fsmooth import thresholds
from fsmooth.core.subst import refresh
from fsmooth.core.term import (
    Const,
    Delta,
    If,
    Let,
    MakeTuple,
    Prim,
    Term,
    Update,
    Var,
    Vector,
    Zero,
    let,
)
from fsmooth.core.traverse import is_loop, subterms
from fsmooth.core.types import Float
from fsmooth.optimise.rules.totality import cannot_fail
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import rule


@rule(
    "if c then [x, y] else [z, w]"
    " ~> let d = c in [if d then x else z, if d then y else w] where x, y, z, w are small;  "
    "if c then (x, y) else (z, w)"
    " ~> let d = c in (if d then x else z, if d then y else w) where x, y, z, w are small;  "
    "if c then [x, y] else zero 2 ~> let d = c in [if d then x else zero, if d then y else zero] where x, y are small",
    source="fsmooth",
    heads=If,
)
def select_displays(t: Term, facts: Facts) -> Term | None:
    """Both branches are displays or tuples of one size, small, and cannot fail."""
    match t:
        case If(condition, then, otherwise) if not isinstance(condition, Const):
            first, second = _body(then), _body(otherwise)
            if not _matching(first, second) or not (is_small(then, facts) and is_small(otherwise, facts)):
                return None
            bindings: list[tuple[Var, Term]] = []
            first, second = _opened(then, bindings), _opened(otherwise, bindings)
            test = condition
            if not isinstance(condition, Var):
                test = Var("c", condition.type)
                bindings.insert(0, (test, condition))
            return let(bindings, _selected(test, first, second))
    return None


@rule(
    "if c then (let u = x in y u) else z ~> let u = x in if c then y u else z where x, y, z are small",
    source="fsmooth",
    heads=If,
)
def let_out_of_branch(t: Term, facts: Facts) -> Term | None:
    """Real-valued branches, small and unable to fail, neither of them zero (a guard stays where it is)."""
    match t:
        case If(condition, then, otherwise) if isinstance(t.type, Float) and (
            isinstance(then, Let) or isinstance(otherwise, Let)
        ):
            if isinstance(_body(then), Zero) or isinstance(_body(otherwise), Zero):
                return None
            if not (is_small(then, facts) and is_small(otherwise, facts)):
                return None
            bindings: list[tuple[Var, Term]] = []
            first, second = _opened(then, bindings), _opened(otherwise, bindings)
            return let(bindings, If(condition, first, second))
    return None


def _opened(branch: Term, bindings: list[tuple[Var, Term]]) -> Term:
    """The branch without its bindings, which are added, renamed, to `bindings`."""
    fresh = refresh(branch)
    if isinstance(fresh, Let):
        bindings.extend(fresh.bindings)
        return fresh.body
    return fresh


def _body(branch: Term) -> Term:
    return branch.body if isinstance(branch, Let) else branch


def _matching(a: Term, b: Term) -> bool:
    if isinstance(a, MakeTuple) and isinstance(b, MakeTuple):
        return True
    x, y = _elements(a), _elements(b)
    return bool(x) and len(x) == len(y) and not (isinstance(a, Zero) and isinstance(b, Zero))


def _elements(t: Term) -> tuple[Term, ...]:
    """Of a display, or of zeros to be selected in place of one; () of others."""
    match t:
        case Vector(items):
            return items
        case Zero((Const(size),), leaf) if 0 < size <= thresholds.SUMMED_DISPLAY:
            return (Zero((), leaf),) * int(size)
        case _:
            return ()


def _selected(condition: Term, a: Term, b: Term) -> Term:
    if isinstance(a, MakeTuple) and isinstance(b, MakeTuple):
        return MakeTuple(tuple([_selected(condition, x, y) for x, y in zip(a.items, b.items, strict=True)]), a.type)
    if _matching(a, b):
        return Vector(tuple([_selected(condition, x, y) for x, y in zip(_elements(a), _elements(b), strict=True)]))
    return If(condition, a, b)


def is_small(branch: Term, facts: Facts) -> bool:
    """Cheap, without loops, and unable to fail."""
    total = 0.0
    for node in subterms(branch):
        match node:
            case _ if is_loop(node) or isinstance(node, Delta | Update):
                return False
            case Prim(primitive):
                total += primitive.weight
                if total > thresholds.SPECULATION:
                    return False
            case _:
                continue
    return cannot_fail(branch, facts)

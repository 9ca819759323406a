"""Conditional rules (paper 000, Fig. 8d), integer conditions decided by facts, checks and requirements."""

from __future__ import annotations

from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.term import Check, Const, If, Prim, Reduce, Reduction, Require, Term, Var, Zero
from fsmooth.core.traverse import bound_in, children, rebuild
from fsmooth.core.types import INT, Array, Int, Tuple, Type
from fsmooth.optimise.rules.totality import cannot_fail
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import rule


@rule(
    "if true then a else b ~> a;  "
    "if false then a else b ~> b;  "
    "if c then a else b ~> a where c;  "
    "if c then a else b ~> b where !c",
    source="000, Fig. 8d",
    heads=If,
)
def if_known(t: Term, facts: Facts) -> Term | None:
    """The condition is constant, or known at this place: `if c then a else b ~> if c then a[c ↦ true] else …`."""
    match t:
        case If(condition, a, b):
            truth = facts.truth(condition)
            if truth is not None:
                return a if truth else b
    return None


@rule("if c then a else a ~> a", source="000, Fig. 8d", heads=If)
def if_same(t: Term, facts: Facts) -> Term | None:
    """Conditions have no effect (a check inside one vanishes with it)."""
    match t:
        case If(_, a, b) if alpha_equal(a, b):
            return a
    return None


@rule("if c then e c else b c ~> if c then e true else b false", source="000, Fig. 8d", heads=If)
def use_condition(t: Term, facts: Facts) -> Term | None:
    """In each branch the condition is a constant.  The traversals of `rewrite` know it there without this rule.

    A name for `if c then x else y` is a name for x or y there, too (`Facts.chosen`).
    """
    match t:
        case If(condition, a, b) if not isinstance(condition, Const):
            then, otherwise = replaced(a, condition, Const(True)), replaced(b, condition, Const(False))
            return None if then is a and otherwise is b else If(condition, then, otherwise)
    return None


def replaced(t: Term, old: Term, new: Term) -> Term:
    """`t` with every term that is `old` up to alpha replaced, but not where a variable of `old` is bound anew."""
    if not old.free <= t.free:
        return t
    if alpha_equal(t, old):
        return new
    parts = [
        part if not old.free.isdisjoint(bound_in(t, k)) else replaced(part, old, new)
        for k, part in enumerate(children(t))
    ]
    return rebuild(t, parts)


@rule("if !c then x else y ~> if c then y else x;  if c then true else false ~> c", source="fsmooth", heads=If)
def if_not(t: Term, facts: Facts) -> Term | None:
    """Branches in the order of the positive condition.  With arrays in them they stay: the size is that of the first.

    The other may have that size only because it requires it, and so only where it is evaluated.
    """
    match t:
        case If(c, Const(True), Const(False)):
            return c
        case If(Prim(p.logical_not, (c,)), a, b) if not _has_sizes(a.type) and (
            isinstance(a, Zero) or not isinstance(b, Zero)
        ):
            return If(c, b, a)
    return None


def _has_sizes(type_: Type) -> bool:
    return isinstance(type_, Array) or (isinstance(type_, Tuple) and any(map(_has_sizes, type_.items)))


@rule(
    "(if c then 0 else 1) == 0 ~> c;  "
    "(if c then 0 else 1) == 1 ~> !c;  "
    "(if c then 0 else 1) == 2 ~> false;  "
    "(if c then 0 else (if d then 1 else 2)) == 1 ~> if c then false else d",
    source="fsmooth",
    heads=Prim,
    on=(p.equal,),
)
def equal_to_choice(t: Term, facts: Facts) -> Term | None:
    """Which of several numbers was chosen: the conditions say it (tags of values that are of one of several kinds)."""
    match t:
        case Prim(_, (If() as choice, Const(value))) if choice.type == INT:
            return _where_equal(choice, value)
        case Prim(_, (Var() as name, Const(value))) if name.type == INT:
            made = facts.definition(name)
            return _where_equal(made, value) if isinstance(made, If) and _is_simple(made) else None
    return None


def _is_simple(choice: Term) -> bool:
    """Is it asked of names only, so that it may be asked again?"""
    match choice:
        case If(condition, then, otherwise):
            return _is_test(condition) and _is_simple(then) and _is_simple(otherwise)
        case _:
            return True


def _is_test(condition: Term) -> bool:
    match condition:
        case Prim(_, arguments):
            return all([isinstance(a, Var | Const) for a in arguments])
        case _:
            return isinstance(condition, Var)


def _where_equal(choice: Term, value: object) -> Term | None:
    """Where a choice among numbers is this one."""
    match choice:
        case Const(own):
            return Const(own == value)
        case If(condition, then, otherwise):
            first, second = _where_equal(then, value), _where_equal(otherwise, value)
            if first is None or second is None:
                return None
            if isinstance(first, Const) and isinstance(second, Const) and first.value == second.value:
                return first
            if isinstance(first, Const) and not first.value and isinstance(second, Const):
                return Prim(p.logical_not, (condition,))
            return condition if isinstance(second, Const) and isinstance(first, Const) else If(condition, first, second)
        case _:
            return None


@rule(
    "i < j ~> true where j > i;  "
    "i < j ~> false where j <= i;  "
    "i <= j ~> true where i <= j + 0;  "
    "i <= j ~> false where j < i;  "
    "i > j ~> true where j < i;  "
    "i >= j ~> false where i < j;  "
    "i == j ~> false where i < j;  "
    "i <> j ~> true where i < j;  "
    "i == j ~> true where i <= j and j <= i",
    source="fsmooth",
    heads=Prim,
    on=(p.less, p.less_equal, p.greater, p.greater_equal, p.equal, p.not_equal),
)
def decide(t: Term, facts: Facts) -> Term | None:
    """By index ranges, sizes and conditions known at this place."""
    match t:
        case Prim(primitive, (a, b)) if (
            isinstance(a.type, Int) and primitive in _COMPARISONS and not _symbolic(facts, a, b)
        ):
            truth = facts.truth(t)
            return None if truth is None else Const(truth)
    return None


_COMPARISONS = (p.less, p.less_equal, p.greater, p.greater_equal, p.equal, p.not_equal)


def _symbolic(facts: Facts, a: Term, b: Term) -> bool:
    return bool(facts.kept_symbolic) and not facts.kept_symbolic.isdisjoint(a.free | b.free)


@rule(
    "all n (fun i -> true) ~> true where n is total;  any n (fun i -> false) ~> false where n is total",
    source="fsmooth",
    heads=Reduce,
)
def all_known(t: Term, facts: Facts) -> Term | None:
    """What holds of each holds of all; of nothing, too."""
    match t:
        case Reduce(Reduction.ALL, n, _, Const(True) as known) | Reduce(Reduction.ANY, n, _, Const(False) as known):
            return known if cannot_fail(n, facts) else None
    return None


@rule("check i n ~> i where 0 <= i and i < n;  check (check i n) n ~> check i n", source="design §2", heads=Check)
def discharge(t: Term, facts: Facts) -> Term | None:
    """The index is provably in bounds."""
    match t:
        case Check(Check(index, inner) as checked, size) if facts.same(inner, size):
            return checked
        case Check(index, size) if facts.within(index, size):
            return index
        case Check(Var() as var, size):
            definition = facts.definitions.get(var)
            if isinstance(definition, Check) and facts.same(definition.size, size):
                return var
    return None


@rule("require c in a ~> a where c", source="design §2", heads=Require)
def discharge_require(t: Term, facts: Facts) -> Term | None:
    """Only a requirement known to hold goes."""
    match t:
        case Require(condition, body) if facts.truth(condition) is True:
            return body
    return None

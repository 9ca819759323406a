"""r ⊙ᴿ m: what each linear map does in reverse (paper 001, Fig. 5, "laws for reverse-application").

A cotangent that is used twice is bound, so that it is computed once: r ⊙ᴿ (m₁ ∘ m₂) goes through m₁, then m₂.
"""

from __future__ import annotations

from fsmooth.core.build import bind, zero_like
from fsmooth.core.term import MakeTuple, Term
from fsmooth.core.term.linear_maps import (
    AddMaps,
    Apply,
    ApplyReverse,
    Compose,
    HCat,
    ScaleMap,
    Transpose,
    UnitMap,
    VCat,
    ZeroMap,
)
from fsmooth.core.vectors import add, part, scale, total
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import rule

_SOURCE = "001, Fig. 5"


@rule(
    "lmApplyR x (lmCompose f g) ~> lmApplyR (lmApplyR x f) g where f : Vector ⊸ Float and g : Float ⊸ Vector",
    source=_SOURCE,
    heads=ApplyReverse,
)
def reverse_compose(t: Term, facts: Facts) -> Term | None:
    """r ⊙ᴿ (m₁ ∘ m₂) = (r ⊙ᴿ m₁) ⊙ᴿ m₂."""
    match t:
        case ApplyReverse(r, Compose(outer, inner)):
            return ApplyReverse(ApplyReverse(r, outer), inner)
    return None


@rule(
    "lmApplyR a (lmVCat f g) ~> let e = a in lmApplyR (fst e) f + lmApplyR (snd e) g"
    " where f : Float ⊸ Float and g : Float ⊸ Vector and a : (Float, Vector)",
    source=_SOURCE,
    heads=ApplyReverse,
)
def reverse_vcat(t: Term, facts: Facts) -> Term | None:
    """(r₁, r₂) ⊙ᴿ (m₁ × m₂) = (r₁ ⊙ᴿ m₁) + (r₂ ⊙ᴿ m₂)."""
    match t:
        case ApplyReverse(r, VCat(items)):
            return bind(r, lambda a: total([ApplyReverse(part(a, k), m) for k, m in enumerate(items)]), "dr")
    return None


@rule(
    "lmApplyR x (lmHCat f g) ~> let a = x in (lmApplyR a f, lmApplyR a g)"
    " where f : Vector ⊸ Float and g : Float ⊸ Float",
    source=_SOURCE,
    heads=ApplyReverse,
)
def reverse_hcat(t: Term, facts: Facts) -> Term | None:
    """r ⊙ᴿ (m₁ ⋈ m₂) = (r ⊙ᴿ m₁, r ⊙ᴿ m₂)."""
    match t:
        case ApplyReverse(r, HCat(items)):
            return bind(r, lambda a: MakeTuple(tuple([ApplyReverse(a, m) for m in items]), t.type), "dr")
    return None


@rule(
    "lmApplyR x (lmAdd f g) ~> let a = x in lmApplyR a f + lmApplyR a g where f : Float ⊸ Float and g : Float ⊸ Float",
    source=_SOURCE,
    heads=ApplyReverse,
)
def reverse_sum(t: Term, facts: Facts) -> Term | None:
    """r ⊙ᴿ (m₁ ⊕ m₂) = (r ⊙ᴿ m₁) + (r ⊙ᴿ m₂)."""
    match t:
        case ApplyReverse(r, AddMaps(left, right)):
            return bind(r, lambda a: add(ApplyReverse(a, left), ApplyReverse(a, right)), "dr")
    return None


@rule(
    "lmApplyR x (lmZero y x) ~> zero;  lmApplyR x (lmZero v x) ~> zero (length v) where v is a variable",
    source=_SOURCE,
    heads=ApplyReverse,
)
def reverse_zero(t: Term, facts: Facts) -> Term | None:
    """r ⊙ᴿ 0 = 0."""
    match t:
        case ApplyReverse(_, ZeroMap(source)):
            return zero_like(source)
    return None


@rule("lmApplyR y (lmOne x) ~> y;  lmApplyR u (lmOne v) ~> u where u : Vector", source=_SOURCE, heads=ApplyReverse)
def reverse_unit(t: Term, facts: Facts) -> Term | None:
    """r ⊙ᴿ 1 = r."""
    match t:
        case ApplyReverse(r, UnitMap()):
            return r
    return None


@rule(
    "lmApplyR y (lmScale x) ~> let a = x in let b = y in a * b;  "
    "lmApplyR u (lmScale x v) ~> let a = x in let b = u in build (length b) (fun i -> a * b[i]) where u : Vector",
    source=_SOURCE,
    heads=ApplyReverse,
)
def reverse_scale(t: Term, facts: Facts) -> Term | None:
    """r ⊙ᴿ S(k) = k * r."""
    match t:
        case ApplyReverse(r, ScaleMap(factor)):
            return bind(factor, lambda k: bind(r, lambda a: scale(k, a), "dr"), "k")
    return None


@rule("lmApplyR x (lmTranspose f) ~> lmApply f x where f : Float ⊸ Vector", source=_SOURCE, heads=ApplyReverse)
def reverse_transpose(t: Term, facts: Facts) -> Term | None:
    """r ⊙ᴿ mᵀ = m ⊙ r."""
    match t:
        case ApplyReverse(r, Transpose(m)):
            return Apply(m, r)
    return None

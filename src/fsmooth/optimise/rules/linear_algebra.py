"""Linear maps among themselves (paper 001, Fig. 4, "properties"): they make a full Jacobian short.

They write maps twice, so that they are for people who read Jacobians, not for compiling derivatives: those apply
every map (`linear_application`, `linear_reverse`).
"""

from __future__ import annotations

from fsmooth.core import primitives as p
from fsmooth.core.build import zero_like
from fsmooth.core.subst import refresh
from fsmooth.core.term import Let, Prim, Require, Term, scalar_constant
from fsmooth.core.term.linear_maps import (
    AddMaps,
    Apply,
    ApplyReverse,
    Compose,
    HCat,
    ScaleMap,
    UnitMap,
    VCat,
    ZeroMap,
    map_type,
)
from fsmooth.core.types import Float
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import rule

_SOURCE = "001, Fig. 4"
_F = " where f : Float ⊸ Float"
_TWO = " where f : Float ⊸ Float and g : Float ⊸ Float"
_THREE = f"{_TWO} and h : Float ⊸ Float"


@rule(
    f"lmCompose (lmZero x y) f ~> lmZero (lmApplyR zero f) y{_F};  "
    f"lmCompose f (lmZero y x) ~> lmZero y (lmApply f zero){_F}",
    source=_SOURCE,
    heads=Compose,
)
def compose_zero(t: Term, facts: Facts) -> Term | None:
    """0 ∘ m = 0, m ∘ 0 = 0.  The image of zero is a point, which is never evaluated."""
    match t:
        case Compose(ZeroMap(middle, target), ZeroMap(source) | UnitMap(source)):
            return ZeroMap(source, target)
        case Compose(ZeroMap(middle, target), m):
            return ZeroMap(ApplyReverse(zero_like(middle), m), target)
        case Compose(UnitMap(target), ZeroMap(source, _)):
            return ZeroMap(source, target)
        case Compose(m, ZeroMap(source, middle)):
            return ZeroMap(source, Apply(m, zero_like(middle)))
    return None


@rule(f"lmCompose (lmOne x) f ~> f{_F};  lmCompose f (lmOne x) ~> f{_F}", source=_SOURCE, heads=Compose)
def compose_unit(t: Term, facts: Facts) -> Term | None:
    """1 ∘ m = m, m ∘ 1 = m."""
    match t:
        case Compose(UnitMap(), m) | Compose(m, UnitMap()):
            return m
    return None


@rule(f"lmAdd f (lmZero x y) ~> f{_F};  lmAdd (lmZero x y) f ~> f{_F}", source=_SOURCE, heads=AddMaps)
def add_zero_map(t: Term, facts: Facts) -> Term | None:
    """m ⊕ 0 = m, 0 ⊕ m = m."""
    match t:
        case AddMaps(ZeroMap(), m) | AddMaps(m, ZeroMap()):
            return m
    return None


@rule(
    f"lmCompose (lmHCat f g) (lmVCat h f) ~> lmAdd (lmCompose f h) (lmCompose g f){_THREE};  "
    f"lmCompose f (lmHCat g h) ~> lmHCat (lmCompose f g) (lmCompose f h){_THREE};  "
    f"lmCompose (lmVCat f g) h ~> lmVCat (lmCompose f h) (lmCompose g h){_THREE}",
    source=_SOURCE,
    heads=Compose,
    real=True,
)
def compose_cat(t: Term, facts: Facts) -> Term | None:
    """(m₁ ⋈ m₂) ∘ (n₁ × n₂) = (m₁ ∘ n₁) ⊕ (m₂ ∘ n₂), and ∘ into ⋈ on its right and × on its left."""
    match t:
        case Compose(HCat(columns), VCat(rows)):
            products = [Compose(m, n) for m, n in zip(columns, rows, strict=True)]
            result: Term = products[0]
            for each in products[1:]:
                result = AddMaps(result, each)
            return result
        case Compose(m, HCat(items)):
            return HCat(tuple([Compose(m, n) for n in items]), map_type(t).source)
        case Compose(VCat(items), n):
            return VCat(tuple([Compose(m, n) for m in items]), map_type(t).target)
    return None


@rule(
    f"lmAdd (lmHCat f g) (lmHCat h f) ~> lmHCat (lmAdd f h) (lmAdd g f){_THREE};  "
    f"lmAdd (lmVCat f g) (lmVCat h f) ~> lmVCat (lmAdd f h) (lmAdd g f){_THREE}",
    source="fsmooth",
    heads=AddMaps,
)
def add_cat(t: Term, facts: Facts) -> Term | None:
    """Sums of matrices of the same blocks are sums of blocks."""
    match t:
        case AddMaps(HCat(left), HCat(right)):
            return HCat(tuple([AddMaps(m, n) for m, n in zip(left, right, strict=True)]), map_type(t).source)
        case AddMaps(VCat(left), VCat(right)):
            return VCat(tuple([AddMaps(m, n) for m, n in zip(left, right, strict=True)]), map_type(t).target)
    return None


@rule("lmCompose (lmScale x) (lmScale y) ~> lmScale (x * y)", source=_SOURCE, heads=Compose, real=True)
def compose_scales(t: Term, facts: Facts) -> Term | None:
    """S(k₁) ∘ S(k₂) = S(k₁ * k₂)."""
    match t:
        case Compose(ScaleMap(a) as m, ScaleMap(b)):
            return ScaleMap(Prim(p.multiply, (a, b)), m.point)
    return None


@rule(
    "lmAdd (lmScale x) (lmScale y) ~> lmScale (x + y);  "
    "lmAdd (lmOne x) (lmScale y) ~> lmScale (1.0 + y);  "
    "lmAdd (lmScale x) (lmOne y) ~> lmScale (x + 1.0);  "
    "lmAdd (lmOne x) (lmOne y) ~> lmScale (1.0 + 1.0)",
    source=_SOURCE,
    heads=AddMaps,
    real=True,
)
def add_scales(t: Term, facts: Facts) -> Term | None:
    """S(k₁) ⊕ S(k₂) = S(k₁ + k₂), where 1 is S(1)."""
    match t:
        case AddMaps(left, right):
            a, b = _factor(left), _factor(right)
            if a is not None and b is not None:
                point = (
                    left.point if isinstance(left, ScaleMap) else right.point if isinstance(right, ScaleMap) else None
                )
                return ScaleMap(Prim(p.add, (a, b)), point)
    return None


@rule(
    f"lmCompose (let x = a in f x) g ~> let x = a in lmCompose (f x) g{_TWO};  "
    f"lmCompose f (let x = a in g x) ~> let x = a in lmCompose f (g x){_TWO};  "
    f"lmCompose (require c in f) g ~> require c in lmCompose f g{_TWO}",
    source="fsmooth",
    heads=Compose,
)
def compose_inside(t: Term, facts: Facts) -> Term | None:
    """Definitions and requirements go outside."""
    match t:
        case Compose(Let() as m, n):
            inner = refresh(m)
            assert isinstance(inner, Let)
            return Let(inner.bindings, Compose(inner.body, n))
        case Compose(m, Let() as n):
            inner = refresh(n)
            assert isinstance(inner, Let)
            return Let(inner.bindings, Compose(m, inner.body))
        case Compose(Require() as m, n):
            return Require(m.condition, Compose(m.body, n), m.failure, m.numbers, m.site)
    return None


def _factor(m: Term) -> Term | None:
    """The k of which the map is S(k)."""
    match m:
        case ScaleMap(k):
            return k
        case UnitMap():
            space = map_type(m).source
            return scalar_constant(1.0, space) if isinstance(space, Float) else None
        case _:
            return None

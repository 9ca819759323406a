"""The laws of paper 001, Fig. 4 and Fig. 5, on random linear maps between spaces of any shape.

tests/rules tests the rules, with maps of which nothing is known; here both sides have one matrix.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from fsmooth.core import primitives as p
from fsmooth.core.evaluate import evaluate
from fsmooth.core.term import (
    App,
    Build,
    Const,
    Get,
    Lam,
    Length,
    MakeTuple,
    MapTerm,
    Prim,
    Proj,
    Reduce,
    Reduction,
    Term,
    Var,
)
from fsmooth.core.term.linear_maps import (
    AddMaps,
    Apply,
    ApplyReverse,
    Compose,
    HCat,
    HCatArray,
    LambdaMap,
    ScaleMap,
    SumMap,
    Transpose,
    UnitMap,
    VCat,
    VCatArray,
    ZeroMap,
    map_type,
)
from fsmooth.core.traverse import subterms
from fsmooth.core.types import INT
from fsmooth.core.vectors import add, scale
from fsmooth.optimise.linear_maps import ELIMINATE, JACOBIAN
from tests.linear.matrices import flat, matrix
from tests.linear.random_maps import RandomMaps, Space, power, product, random_space


class Case:
    """Spaces r, s, t and u, maps between any of them, and numbers."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.maps = RandomMaps(self.rng, empty=False)
        self.r, self.s, self.t, self.u = [random_space(self.rng, 1, empty=False) for _ in range(4)]
        self.k, self.l = self.maps.number(), self.maps.number()

    def map(self, source: Space, target: Space) -> Term:
        """A random map."""
        return self.maps.between(source, target, 2)

    def array(self, source: Space, target: Space) -> Term:
        """An array of three maps, by a loop or written out."""
        return self.maps.array(3, lambda: self.map(source, target))

    def family(self, source: Space, target: Space) -> Lam:
        """A function from an index to a map."""
        i = Var("i", INT)
        return Lam((i,), self.maps.under(Prim(p.to_float, (i,)), lambda: self.map(source, target)))

    def vector(self, space: Space, name: str) -> Var:
        """A random vector."""
        x = Var(name, space.type)
        self.maps.env[x] = space.vector(self.rng)
        return x


def mapped(maps: Term) -> Term:
    """map (·)ᵀ v."""
    i = Var("i", INT)
    return Build(Length(maps), i, Transpose(Get(maps, i)))


MapLaw = Callable[[Case], tuple[Term, Term, Space]]


def law(left: Callable[..., Term], right: Callable[..., Term], *ends: Callable[[Case], tuple[Space, Space]]) -> MapLaw:
    """Both sides of the same random maps, and the space that they are from."""

    def made(case: Case) -> tuple[Term, Term, Space]:
        maps = [case.map(*end(case)) for end in ends]
        one = left(case, *maps)
        return one, right(case, *maps), ends[0](case)[0] if ends else case.s

    return made


def st(c: Case) -> tuple[Space, Space]:
    return c.s, c.t


def rs(c: Case) -> tuple[Space, Space]:
    return c.r, c.s


def su(c: Case) -> tuple[Space, Space]:
    return c.s, c.u


def ts(c: Case) -> tuple[Space, Space]:
    return c.t, c.s


def us(c: Case) -> tuple[Space, Space]:
    return c.u, c.s


def sr(c: Case) -> tuple[Space, Space]:
    return c.s, c.r


MAP_LAWS: dict[str, Callable[[Case], tuple[Term, Term, Space]]] = {
    # Fig. 4, properties
    "0 ∘ m = 0": law(lambda c, m: Compose(ZeroMap(c.t.zero(), c.u.zero()), m), lambda c, m: ZeroMap(c.s.zero(), c.u.zero()), st),
    "m ∘ 0 = 0": law(lambda c, m: Compose(m, ZeroMap(c.s.zero(), c.s.zero())), lambda c, m: ZeroMap(c.s.zero(), c.t.zero()), st),
    "1 ∘ m = m": law(lambda c, m: Compose(UnitMap(c.t.zero()), m), lambda c, m: m, st),
    "m ∘ 1 = m": law(lambda c, m: Compose(m, UnitMap(c.s.zero())), lambda c, m: m, st),
    "m ⊕ 0 = m": law(lambda c, m: AddMaps(m, ZeroMap(c.s.zero(), c.t.zero())), lambda c, m: m, st),
    "0 ⊕ m = m": law(lambda c, m: AddMaps(ZeroMap(c.s.zero(), c.t.zero()), m), lambda c, m: m, st),
    "(m₁ × m₂) ∘ n = (m₁ ∘ n) × (m₂ ∘ n)": law(
        lambda c, n, m1, m2: Compose(VCat((m1, m2)), n), lambda c, n, m1, m2: VCat((Compose(m1, n), Compose(m2, n))), rs, st, su
    ),
    "(m₁ ⋈ m₂) ∘ (n₁ × n₂) = (m₁ ∘ n₁) ⊕ (m₂ ∘ n₂)": law(
        lambda c, n1, n2, m1, m2: Compose(HCat((m1, m2)), VCat((n1, n2))),
        lambda c, n1, n2, m1, m2: AddMaps(Compose(m1, n1), Compose(m2, n2)),
        st, su, lambda c: (c.t, c.r), lambda c: (c.u, c.r),
    ),
    "S(k₁) ∘ S(k₂) = S(k₁ * k₂)": law(
        lambda c: Compose(ScaleMap(c.k, c.s.zero()), ScaleMap(c.l, c.s.zero())),
        lambda c: ScaleMap(Prim(p.multiply, (c.k, c.l)), c.s.zero()),
    ),
    "S(k₁) ⊕ S(k₂) = S(k₁ + k₂)": law(
        lambda c: AddMaps(ScaleMap(c.k, c.s.zero()), ScaleMap(c.l, c.s.zero())),
        lambda c: ScaleMap(Prim(p.add, (c.k, c.l)), c.s.zero()),
    ),
    # Fig. 5, transposition: the right sides are from the target
    "(mᵀ)ᵀ = m": law(lambda c, m: Transpose(Transpose(m)), lambda c, m: m, st),
    "1ᵀ = 1": law(lambda c: Transpose(UnitMap(c.s.zero())), lambda c: UnitMap(c.s.zero())),
    "S(k)ᵀ = S(k)": law(lambda c: Transpose(ScaleMap(c.k, c.s.zero())), lambda c: ScaleMap(c.k, c.s.zero())),
    "(m₁ ∘ m₂)ᵀ = m₂ᵀ ∘ m₁ᵀ": lambda c: turned(c, lambda m1, m2: Compose(m1, m2), lambda m1, m2: Compose(Transpose(m2), Transpose(m1)), st, rs, c.t),
    "(m₁ × m₂)ᵀ = m₁ᵀ ⋈ m₂ᵀ": lambda c: turned(c, lambda m1, m2: VCat((m1, m2)), lambda m1, m2: HCat((Transpose(m1), Transpose(m2))), st, su, product(c.t, c.u)),
    "(m₁ ⋈ m₂)ᵀ = m₁ᵀ × m₂ᵀ": lambda c: turned(c, lambda m1, m2: HCat((m1, m2)), lambda m1, m2: VCat((Transpose(m1), Transpose(m2))), ts, us, c.s),
    "(m₁ ⊕ m₂)ᵀ = m₁ᵀ ⊕ m₂ᵀ": lambda c: turned(c, lambda m1, m2: AddMaps(m1, m2), lambda m1, m2: AddMaps(Transpose(m1), Transpose(m2)), st, st, c.t),
    "0ᵀ = 0": lambda c: (Transpose(ZeroMap(c.s.zero(), c.t.zero())), ZeroMap(c.t.zero(), c.s.zero()), c.t),
    "𝒱(v)ᵀ = ℋ(map (·)ᵀ v)": lambda c: stacked(c, VCatArray, HCatArray, c.array(c.s, c.t), power(3, c.t)),
    "ℋ(v)ᵀ = 𝒱(map (·)ᵀ v)": lambda c: stacked(c, HCatArray, VCatArray, c.array(c.t, c.s), c.s),
    "m ∘ (n₁ ⋈ n₂) = (m ∘ n₁) ⋈ (m ∘ n₂)": lambda c: spread(c, c.map(c.s, c.t), c.map(c.r, c.s), c.map(c.u, c.s)),
}  # fmt: skip


def turned(
    c: Case, make: Callable[..., Term], right: Callable[..., Term], one, two, space: Space
) -> tuple[Term, Term, Space]:
    """A law about a transpose."""
    m1, m2 = c.map(*one(c)), c.map(*two(c))
    return Transpose(make(m1, m2)), right(m1, m2), space


def stacked(c: Case, outer: type, inner: type, maps: Term, space: Space) -> tuple[Term, Term, Space]:
    return Transpose(outer(maps)), inner(mapped_out(maps)), space


def mapped_out(maps: Term) -> Term:
    """`map (·)ᵀ v` as the matrix interpretation wants it: a loop over maps or a display of them."""
    if isinstance(maps, Build):
        return Build(maps.size, maps.index, Transpose(maps.body))
    return type(maps)(tuple([Transpose(m) for m in maps.items]))  # type: ignore[attr-defined,call-arg]


def spread(c: Case, m: Term, n1: Term, n2: Term) -> tuple[Term, Term, Space]:
    return Compose(m, HCat((n1, n2))), HCat((Compose(m, n1), Compose(m, n2))), product(c.r, c.u)


@pytest.mark.parametrize("name", MAP_LAWS)
def test_law_on_maps(name: str) -> None:
    for seed in range(25):
        case = Case(seed)
        left, right, source = MAP_LAWS[name](case)
        assert left.type == right.type
        vector = source.vector(case.rng)
        one, other = matrix(left, case.maps.env, vector), matrix(right, case.maps.env, vector)
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


def summed(n: Term, element: Callable[[Var], Term]) -> Term:
    i = Var("i", INT)
    return Reduce(Reduction.SUM, n, i, element(i))


def built(n: Term, element: Callable[[Var], Term]) -> Term:
    i = Var("i", INT)
    return Build(n, i, element(i))


N = Const(3)


def semantics(c: Case) -> dict[str, tuple[Term, Term]]:
    """Fig. 4, semantics; Fig. 5, reverse application."""
    m1, m2, n1, n2 = c.map(c.s, c.t), c.map(c.s, c.t), c.map(c.u, c.t), c.map(c.r, c.s)
    maps, family = c.array(c.s, c.t), c.family(c.s, c.t)
    x, y, z, w = c.vector(c.s, "x"), c.vector(c.u, "y"), c.vector(c.t, "z"), c.vector(c.r, "w")
    many, more = c.vector(power(3, c.s), "many"), c.vector(power(3, c.t), "more")
    i = Var("i", INT)
    row, column = Lam((i,), Get(many, i)), Lam((i,), Get(more, i))
    apart = MakeTuple((Proj(p2 := MakeTuple((z, z)), 0), Proj(p2, 1)))
    return {
        "(m₁ ∘ m₂) ⊙ x": (Apply(Compose(m1, n2), w), Apply(m1, Apply(n2, w))),
        "(m₁ × m₂) ⊙ x": (Apply(VCat((m1, m2)), x), MakeTuple((Apply(m1, x), Apply(m2, x)))),
        "(m₁ ⋈ m₂) ⊙ (x₁, x₂)": (Apply(HCat((m1, n1)), MakeTuple((x, y))), add(Apply(m1, x), Apply(n1, y))),
        "(m₁ ⊕ m₂) ⊙ x": (Apply(AddMaps(m1, m2), x), add(Apply(m1, x), Apply(m2, x))),
        "0 ⊙ x": (Apply(ZeroMap(x, z), x), c.t.zero()),
        "1 ⊙ x": (Apply(UnitMap(x), x), x),
        "S(k) ⊙ x": (Apply(ScaleMap(c.k, x), x), scale(c.k, x)),
        "𝒱(m) ⊙ x": (Apply(VCatArray(maps), x), built(N, lambda k: Apply(Get(maps, k), x))),
        "ℋ(m) ⊙ x": (Apply(HCatArray(maps), many), summed(N, lambda k: Apply(Get(maps, k), Get(many, k)))),
        "ℒ(f) ⊙ x": (App(Apply(LambdaMap(N, family), x), (Const(2),)), Apply(App(family, (Const(2),)), x)),
        "ℒ′(f) ⊙ g": (Apply(SumMap(N, family), row), summed(N, lambda k: Apply(App(family, (k,)), Get(many, k)))),
        "r ⊙ᴿ m": (ApplyReverse(z, m1), Apply(Transpose(m1), z)),
        "r ⊙ᴿ (m₁ ∘ m₂)": (ApplyReverse(z, Compose(m1, n2)), ApplyReverse(ApplyReverse(z, m1), n2)),
        "(r₁, r₂) ⊙ᴿ (m₁ × m₂)": (ApplyReverse(apart, VCat((m1, m2))), add(ApplyReverse(z, m1), ApplyReverse(z, m2))),
        "r ⊙ᴿ (m₁ ⋈ m₂)": (ApplyReverse(z, HCat((m1, n1))), MakeTuple((ApplyReverse(z, m1), ApplyReverse(z, n1)))),
        "r ⊙ᴿ (m₁ ⊕ m₂)": (ApplyReverse(z, AddMaps(m1, m2)), add(ApplyReverse(z, m1), ApplyReverse(z, m2))),
        "r ⊙ᴿ 0": (ApplyReverse(z, ZeroMap(x, z)), c.s.zero()),
        "r ⊙ᴿ 1": (ApplyReverse(x, UnitMap(x)), x),
        "r ⊙ᴿ S(k)": (ApplyReverse(x, ScaleMap(c.k, x)), scale(c.k, x)),
        "r ⊙ᴿ mᵀ": (ApplyReverse(x, Transpose(m1)), Apply(m1, x)),
        "r ⊙ᴿ 𝒱(v)": (
            ApplyReverse(more, VCatArray(maps)),
            summed(N, lambda k: ApplyReverse(Get(more, k), Get(maps, k))),
        ),
        "r ⊙ᴿ ℋ(v)": (ApplyReverse(z, HCatArray(maps)), built(N, lambda k: ApplyReverse(z, Get(maps, k)))),
        "ℒ(λi. m)ᵀ": (Apply(Transpose(LambdaMap(N, family)), column), Apply(SumMap(N, transposed(family)), column)),
        "ℒ′(λi. m)ᵀ": (
            App(Apply(Transpose(SumMap(N, family)), z), (Const(1),)),
            App(Apply(LambdaMap(N, transposed(family)), z), (Const(1),)),
        ),
    }


def transposed(family: Lam) -> Lam:
    return Lam(family.parameters, Transpose(family.body))


@pytest.mark.parametrize("name", semantics(Case(0)))
def test_law_of_application(name: str) -> None:
    """Both sides have one value, and the rules bring the left side to a term without maps that has it too."""
    for seed in range(25):
        case = Case(seed)
        left, right = semantics(case)[name]
        env = case.maps.env
        wanted = flat(evaluate(right, env))
        np.testing.assert_allclose(flat(evaluate(left, env)), wanted, rtol=1e-12, atol=1e-12)
        free = tuple(sorted(left.free, key=lambda v: v.id))
        without = ELIMINATE(Lam(free, left))
        assert isinstance(without, Lam)
        assert not [t for t in subterms(without) if isinstance(t, MapTerm)]
        np.testing.assert_allclose(flat(evaluate(without.body, env)), wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("seed", range(60))
def test_what_the_laws_make_of_a_map(seed: int) -> None:
    """Combined by all laws it has the matrix that it had; transposed too."""
    rng = random.Random(seed)
    source, target = random_space(rng, 2, empty=False), random_space(rng, 2, empty=False)
    maps = RandomMaps(rng, empty=False)
    m = maps.between(source, target, 4)
    assert map_type(m).source == source.type
    for made, vector in ((m, source.vector(rng)), (Transpose(m), target.vector(rng))):
        free = tuple(sorted(made.free, key=lambda v: v.id))
        short = JACOBIAN(Lam(free, made))
        assert isinstance(short, Lam)
        x = Var("x", map_type(made).source)
        before = evaluate(Apply(made, x), {**maps.env, x: vector})
        after = evaluate(Apply(short.body, x), {**maps.env, x: vector})
        np.testing.assert_allclose(flat(after), flat(before), rtol=1e-9, atol=1e-9)

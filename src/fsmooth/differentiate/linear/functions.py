"""∂f, its transpose, `fwd$f` and `rev$f` (paper 001, top of Fig. 6, Fig. 7 and Fig. 8).

What is differentiated with respect to one parameter is a function of that; with respect to several, of their tuple.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from fsmooth.core.subst import refresh
from fsmooth.core.term import App, Lam, MakeTuple, Proj, Term, Var, let
from fsmooth.core.term.linear_maps import (
    Apply,
    ApplyReverse,
    Compose,
    HCat,
    Transpose,
    UnitMap,
    VCat,
    ZeroMap,
    map_type,
)
from fsmooth.core.types import Type, tangent
from fsmooth.differentiate.linear.composition import ByComposition
from fsmooth.differentiate.linear.jacobians import point_of
from fsmooth.differentiate.linear.names import named
from fsmooth.differentiate.linear.substitution import BySubstitution
from fsmooth.differentiate.linear.tupling import PolymorphicTupling, Tupling, pair

Jacobian = Callable[[Lam, tuple[int, ...]], Lam]


def by_composition(function: Lam, wrt: tuple[int, ...]) -> Lam:
    """∂f with lets as compositions: the default."""
    parameters, body, chosen = _opened(function, wrt)
    environment = ByComposition(tuple(chosen)).scope(body)
    if len(chosen) == 1:
        environment = Compose(environment, VCat((UnitMap(point_of(chosen[0])),)))
    return Lam(parameters, environment)


def by_substitution(function: Lam, wrt: tuple[int, ...]) -> Lam:
    """∂f(x) = let ∂x = 1 in ∇_S⟦e⟧ (Fig. 6)."""
    parameters, body, chosen = _opened(function, wrt)
    source, maps = sources(chosen)
    names = {x: Var(f"D{x.name}", m.type) for x, m in maps.items()}
    derivative = BySubstitution(source, dict(names)).scope(body)
    return Lam(parameters, let([(names[x], m) for x, m in maps.items()], derivative))


def by_tupling(function: Lam, wrt: tuple[int, ...]) -> Lam:
    """∂̄f(x) = let x̄ = (x, 1) in ∇̄_S⟦e⟧ (Fig. 7): (f(x), ∂f(x))."""
    parameters, body, chosen = _opened(function, wrt)
    source, maps = sources(chosen)
    tupling = Tupling(source, tangent(source.type), {}, {})
    bindings = [(tupling.define(x), pair(x, m)) for x, m in maps.items()]
    return Lam(parameters, let(bindings, tupling.both(body)))


def by_polymorphic_tupling(function: Lam, wrt: tuple[int, ...]) -> Lam:
    """∂̄f (Fig. 8) applied to (x, 1): (f(x), ∂f(x))."""
    own = cast(Lam, refresh(function))
    chosen = [own.parameters[k] for k in wrt]
    source, maps = sources(chosen)
    arguments = tuple([pair(x, maps[x]) if x in maps else x for x in own.parameters])
    return Lam(own.parameters, App(polymorphic(own, wrt, source), arguments))


def polymorphic(function: Lam, wrt: tuple[int, ...], source: Term) -> Lam:
    """∂̄f(x̄) = ∇̄_a⟦e⟧ (Fig. 8), where a is the space of `source`: from (x, a ⊸ S) to (f(x), a ⊸ T)."""
    parameters, body, chosen = _opened(function, wrt)
    tupling = PolymorphicTupling(source, tangent(source.type), {}, {})
    return Lam(tuple([tupling.define(x) if x in chosen else x for x in parameters]), tupling.both(body))


def sources(chosen: list[Var]) -> tuple[Term, dict[Var, Term]]:
    """A point of S, and for each variable the map from S to its tangents."""
    here = [point_of(x) for x in chosen]
    if len(chosen) == 1:
        return here[0], {chosen[0]: UnitMap(here[0])}
    maps: dict[Var, Term] = {
        x: HCat(tuple([UnitMap(p) if k == j else ZeroMap(p, here[k]) for j, p in enumerate(here)]))
        for k, x in enumerate(chosen)
    }
    return MakeTuple(tuple(here)), maps


def _opened(function: Lam, wrt: tuple[int, ...]) -> tuple[tuple[Var, ...], Term, list[Var]]:
    own = cast(Lam, refresh(function))
    return own.parameters, named(own.body), [own.parameters[k] for k in wrt]


# -- derivatives of ∂f : (x…) -> S ⊸ T --------------------------------------------------------------------------------


def transposed(jacobian: Lam) -> Lam:
    """∂ᴿf(x) = (∂f(x))ᵀ."""
    own = cast(Lam, refresh(jacobian))
    return Lam(own.parameters, Transpose(own.body))


def forward(jacobian: Lam) -> Lam:
    """fwd$f(x, dx) = ∂f(x) ⊙ dx."""
    own = cast(Lam, refresh(jacobian))
    dx = Var("dx", map_type(own.body).source)
    return Lam((*own.parameters, dx), Apply(own.body, dx))


def reverse(jacobian: Lam) -> Lam:
    """rev$f(x, dr) = dr ⊙ᴿ ∂f(x)."""
    own = cast(Lam, refresh(jacobian))
    dr = Var("dr", map_type(own.body).target)
    return Lam((*own.parameters, dr), ApplyReverse(dr, own.body))


# -- derivatives of ∂̄f : (x…) -> (T, S ⊸ T) ---------------------------------------------------------------------------


def map_part(tupled: Lam) -> Lam:
    """∂f(x) = π₂(∂̄f(x))."""
    own = cast(Lam, refresh(tupled))
    return Lam(own.parameters, Proj(own.body, 1))


def forward_with_value(tupled: Lam) -> Lam:
    """fwd$f(x, dx) = ∂̄f(x) ⊙ dx: the value and its tangent."""
    return _with_value(tupled, "dx", lambda m: map_type(m).source, Apply)


def reverse_with_value(tupled: Lam) -> Lam:
    """rev$f(x, dr) = dr ⊙ᴿ ∂̄f(x): the value and the cotangent of x."""
    return _with_value(tupled, "dr", lambda m: map_type(m).target, lambda m, dr: ApplyReverse(dr, m))


def _with_value(tupled: Lam, name: str, space: Callable[[Term], Type], applied: Callable[[Term, Term], Term]) -> Lam:
    own = cast(Lam, refresh(tupled))
    both = Var("both", own.body.type)
    along = Var(name, space(Proj(both, 1)))
    result = MakeTuple((Proj(both, 0), applied(Proj(both, 1), along)))
    return Lam((*own.parameters, along), let([(both, own.body)], result))

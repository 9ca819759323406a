"""`deriv` as the macro of paper 000, Fig. 5, which programs in Python and in F̃ text share."""

from __future__ import annotations

from collections.abc import Callable

from fsmooth.core.build import get
from fsmooth.core.shape import shape_of
from fsmooth.core.term import App, Build, Const, Delta, Deriv, Length, MakeTuple, Proj, Term, Var, Verb, Zero
from fsmooth.core.types import INT, Array, Float, Tuple

MOST_RANK = 2
"""Fig. 5 defines the derivative with respect to numbers, vectors and matrices."""


def dual_numbers(value: Term, tangent: Callable[[tuple[Term, ...]], Term], indices: tuple[Term, ...] = ()) -> Term:
    """𝒜⟦value⟧: every real number in it paired with its tangent, a function of its indices; `value` is a path."""
    match value.type:
        case Float():
            return MakeTuple((value, tangent(indices)))
        case Array():
            index = Var("ijklmn"[len(indices) % 6], INT)
            return Build(Length(value), index, dual_numbers(get(value, index), tangent, (*indices, index)))
        case Tuple(items):
            return MakeTuple(
                tuple([dual_numbers(Proj(value, k), tangent, indices) for k in range(len(items))]), value.type
            )
        case _:
            return value


def seeded(function: Term, arguments: list[Term], wrt: int) -> Term:
    """𝒟⟦function⟧ on the arguments, once for each number in argument `wrt`, whose tangent is one there only."""
    along = arguments[wrt]
    sizes = shape_of(along)
    places = tuple([Var("rcs"[axis % 3], INT) for axis in range(len(sizes))])

    def one_hot(indices: tuple[Term, ...]) -> Term:
        seed: Term = Const(1.0)
        for size, place in zip(reversed(sizes), reversed(places), strict=True):
            seed = Delta(size, place, seed)
        return get(seed, *indices)

    duals = [dual_numbers(a, one_hot if k == wrt else lambda _: Zero(())) for k, a in enumerate(arguments)]
    result: Term = App(Deriv(function, (), Verb.DUAL), tuple(duals))
    for size, place in zip(reversed(sizes), reversed(places), strict=True):
        result = Build(size, place, result)
    return result

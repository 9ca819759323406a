"""Paper 003, "Efficient Dual-Numbers Reverse AD via Well-Known Program Transformations": its programs by each of its stages."""

from __future__ import annotations

import math

import pytest

from fsmooth.core import primitives as p
from fsmooth.core.arithmetic import Dual, DualNumber
from fsmooth.core.term import Lam
from fsmooth.core.types import F64
from fsmooth.differentiate.backpropagators.arrays import MutableArrays
from fsmooth.differentiate.backpropagators.cayley import Cayley
from fsmooth.differentiate.backpropagators.contributions import Contributions
from fsmooth.differentiate.backpropagators.naive import Naive
from fsmooth.differentiate.backpropagators.stage import Stage
from fsmooth.differentiate.backpropagators.staged import StagedCalls
from fsmooth.differentiate.backpropagators.tape import Tape
from fsmooth.differentiate.backpropagators.wrap import pulled_back
from fsmooth.library import parse

STAGES = [Naive, StagedCalls, Cayley, MutableArrays, Contributions, Tape]


def program(text: str) -> Lam:
    term = parse(text)
    assert isinstance(term, Lam)
    return term


def doublings(n: int) -> Lam:
    """Fig. 2."""
    lets = " ".join([f"let x{k + 1} = x{k} + x{k} in" for k in range(n)])
    return program(f"fun (x0 : Float) -> {lets} x{n}")


@pytest.mark.parametrize("stage", STAGES)
def test_fig_1(stage: type[Stage]) -> None:
    """x · (x + y): Fig. 1 (c) gives 2x + y and x."""
    found = pulled_back(program("fun (x : Float) (y : Float) -> let z = x + y in x * z"), (3.0, 4.0), 1.0, stage())
    assert found == (21.0, (10.0, 3.0))


@pytest.mark.parametrize("n", [4, 8, 12])
def test_fig_2_by_the_naive_stage_is_exponential(n: int) -> None:
    stage = Naive()
    assert pulled_back(doublings(n), (1.5,), 1.0, stage) == (1.5 * 2**n, (2.0**n,))
    assert stage.calls == 2 ** (n + 1) - 1


@pytest.mark.parametrize("n", [4, 8, 12, 200])
@pytest.mark.parametrize("stage", STAGES[1:])
def test_fig_2_by_the_others_is_linear(stage: type[Stage], n: int) -> None:
    made = stage()
    assert pulled_back(doublings(n), (1.5,), 1.0, made) == (1.5 * 2**n, (2.0**n,))
    # the input has a backpropagator of its own, and an empty list
    assert made.calls == (n if isinstance(made, Contributions) else n + 1)


def test_the_calls_of_section_4() -> None:
    """f₄ calls f₂ and f₃, f₃ calls f₂ and f₁: twice f₂ and five times f₁ by the naive stage, once each by the next."""
    f4 = program("""
        fun (x1 : Float) ->
          let x2 = 2.0 * x1 + 3.0 * x1 in
          let x3 = 4.0 * x2 + 5.0 * x1 in
          x2 + 2.0 * x3""")
    assert pulled_back(f4, (1.0,), 1.0, Naive())[1] == pulled_back(f4, (1.0,), 1.0, StagedCalls())[1] == (55.0,)


def test_fig_10() -> None:
    """The lists after defunctionalisation: [(1, x), (1, y)] for the sum, [(z, x), (x, z)] for the product."""
    tape = Tape()
    pulled_back(program("fun (x : Float) (y : Float) -> let z = x + y in x * z"), (3.0, 4.0), 1.0, tape)
    assert tape.entries == [[], [], [(0, 1.0), (1, 1.0)], [(0, 7.0), (2, 3.0)]]
    contributions = Contributions()
    pulled_back(program("fun (x : Float) (y : Float) -> let z = x + y in x * z"), (3.0, 4.0), 1.0, contributions)
    assert contributions.pairs == 4


@pytest.mark.parametrize("stage", STAGES)
def test_the_first_input_is_not_lost(stage: type[Stage]) -> None:
    """Fig. 12 as printed ends its loop before backpropagator 0 is called: it would give (0, 3)."""
    found = pulled_back(program("fun (x : Float) (y : Float) -> x * y + x"), (3.0, 4.0), 1.0, stage())
    assert found == (15.0, (5.0, 3.0))


@pytest.mark.parametrize("stage", STAGES)
def test_an_input_that_is_the_result(stage: type[Stage]) -> None:
    assert pulled_back(program("fun (x : Float) (y : Float) -> (y, x, 3.0)"), (3.0, 4.0), (5.0, 7.0, 1.0), stage()) == (
        (4.0, 3.0, 3.0),
        (7.0, 5.0),
    )


@pytest.mark.parametrize("stage", STAGES)
def test_what_varies_is_said(stage: type[Stage]) -> None:
    found = pulled_back(program("fun (x : Float) (n : Int) (y : Float) -> x * y"), (3.0, 2, 4.0), 1.0, stage(), (0, 1))
    assert found == (12.0, (4.0, ()))


def test_cotangents_are_in_the_order_that_was_asked_for() -> None:
    found = pulled_back(program("fun (x : Float) (y : Float) -> x * y + x"), (3.0, 4.0), 1.0, Tape(), (1, 0))
    assert found == (15.0, (3.0, 5.0))


@pytest.mark.parametrize("stage", STAGES)
def test_over_dual_numbers_they_give_second_derivatives(stage: type[Stage]) -> None:
    """The Hessian of x sin y, times (1, 2)."""
    made = stage(Dual())
    x, y = made.input(DualNumber(3.0, 1.0)), made.input(DualNumber(0.5, 2.0))
    result = made.apply(p.multiply, (x, made.apply(p.sin, (y,), F64)), F64)
    found = made.pulled([(result, DualNumber(1.0))])  # type: ignore[list-item]
    tangents = [cotangent.tangent for cotangent in found if isinstance(cotangent, DualNumber)]
    assert tangents == pytest.approx([2 * math.cos(0.5), math.cos(0.5) - 6 * math.sin(0.5)])

"""Paper 004, "Demystifying Differentiable Programming: Shift/Reset the Penultimate Backpropagator": its programs, its three ways."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fsmooth.core.array_value import Value
from fsmooth.core.evaluate import OutOfBounds, RequirementFailed
from fsmooth.core.term import Lam
from fsmooth.differentiate.backpropagators.wrap import pulled_back
from fsmooth.differentiate.continuations import evaluate
from fsmooth.differentiate.continuations.refunctionalised import Refunctionalised
from fsmooth.differentiate.continuations.shift_reset import ShiftReset
from fsmooth.library import parse

Gradient = tuple[Value, tuple[Value, ...]]
WAYS: dict[str, Callable[[Lam, tuple[Value, ...]], Gradient]] = {
    "Fig. 9": lambda f, x: pulled_back(f, x, 1.0, ShiftReset()),
    "Fig. 11": lambda f, x: evaluate.pulled_back(f, x, 1.0),
    "Fig. 12": lambda f, x: pulled_back(f, x, 1.0, Refunctionalised()),
}
WHILE = "fun (x : Float) -> while (fun (t : Float) -> t > 1.0) (fun (t : Float) -> t * 0.5) x"


def program(text: str) -> Lam:
    term = parse(text)
    assert isinstance(term, Lam)
    return term


@pytest.mark.parametrize("way", WAYS)
def test_the_running_example(way: str) -> None:
    """2x + x³ (§3.1, Fig. 6 to 8)."""
    assert WAYS[way](program("fun (x : Float) -> 2.0 * x + x * x * x"), (3.0,)) == (33.0, (29.0,))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("x", "value", "slope"), [(3.0, -9.0, -6.0), (-3.0, 9.0, -6.0)])
def test_if(way: str, x: float, value: float, slope: float) -> None:
    """§4.2."""
    assert WAYS[way](program("fun (x : Float) -> if x > 0.0 then -x * x else x * x"), (x,)) == (value, (slope,))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("x", "value", "slope"), [(0.7, 0.7, 1.0), (3.0, 0.75, 0.25), (1000.0, 1000 / 1024, 1 / 1024)])
def test_while(way: str, x: float, value: float, slope: float) -> None:
    """§4.3: one run, of as many steps as there are."""
    assert WAYS[way](program(WHILE), (x,)) == (value, (slope,))


def test_continuations_nest_as_deeply_as_operations_run() -> None:
    chain = program("fun (x : Float) (n : Int) -> ifold (fun (s : Float) (i : Int) -> s * 1.0 + 0.0) x n")
    assert evaluate.pulled_back(chain, (2.0, 5000), 1.0, wrt=(0,)) == (2.0, (1.0,))


def test_functions_continue() -> None:
    """FUN (§4.4): a function of the program takes a continuation; nothing goes back through what has no real numbers."""
    twice = program("fun (x : Float) -> let f = fun (y : Float) -> y * x in f (f x)")
    assert evaluate.pulled_back(twice, (2.0,), 1.0) == (8.0, (12.0,))
    placed = program(
        "fun (x : Float) (v : Array<Float>) -> let f = fun (y : Float) -> y > 1.0 in if f x then v[1] * x else x"
    )
    array = evaluate.ArrayValue((2,), (3.0, 4.0))
    _, (by_x, by_v) = evaluate.pulled_back(placed, (2.0, array), 1.0)
    assert by_x == 4.0
    assert isinstance(by_v, evaluate.ArrayValue)
    assert by_v.items == (0.0, 2.0)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("fun (v : Array<Float>) -> v[check (length v) (length v)]", OutOfBounds),
        ("fun (v : Array<Float>) -> v[0] * vectorDot v [1.0, 2.0, 3.0]", RequirementFailed),
        ("fun (v : Array<Float>) -> [[v[0]], [v[0], v[1]]][0][0]", ValueError),
    ],
)
def test_what_fails_fails(text: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        evaluate.pulled_back(program(text), (evaluate.ArrayValue((2,), (3.0, 4.0)),), 1.0)

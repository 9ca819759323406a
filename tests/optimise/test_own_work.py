"""How the compiler's own work grows with the program: calls of its functions, counted, never time.

A pass that walks a term once for each loop in it shows here.
"""

from __future__ import annotations

import cProfile
import pstats
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from fsmooth.core.term import Lam
from fsmooth.differentiate.remove import remove_derivatives
from fsmooth.driver import _deep
from fsmooth.library import parse
from fsmooth.lower.functions import lower
from fsmooth.optimise.schedules import BEFORE_DERIVATIVE, DEFAULT


def _calls(text: str) -> Counter[str]:
    """How often each function of the stages is called for a program, by the function's file and name."""
    profile = cProfile.Profile()

    def compiled() -> None:
        term = parse(text)
        profile.enable()
        optimised = DEFAULT(remove_derivatives(term, BEFORE_DERIVATIVE))
        assert isinstance(optimised, Lam)
        lower(optimised, "f")
        profile.disable()

    _deep(compiled)
    return _counted(profile)


def _counted(profile: cProfile.Profile) -> Counter[str]:
    found: Counter[str] = Counter()
    for (file, _, name), (_, calls, *_) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        if "fsmooth" in file:
            found[f"{Path(file).stem}.{name}"] += calls
    return found


def _chain(count: int, line: Callable[[int], str]) -> str:
    lines = [f"let v{k} = {line(k)}" for k in range(1, count + 1)]
    return "\n".join(["fun (x: Vector) -> grad (fun (x: Vector) ->", "let v0 = x", *lines, f"sum v{count}) x"])


_CHAINS: dict[str, Callable[[int], str]] = {
    "vectors": lambda k: f"build (length x) (fun i -> v{k - 1}[i] * 0.5 + sum v{k - 1})",
    "products": lambda k: f"build (length x) (fun i -> sin v{k - 1}[i] * v{k // 2}[i])",
    "folds": lambda k: (
        f"""
        ifold (fun v t -> build (length x) (fun i -> sin v[i] * v[0] + x[i])) v{k - 1} 7"""
    ),
}


@pytest.mark.parametrize("name", _CHAINS)
def test_chains(name: str) -> None:
    """Twice as many definitions, each of which reads those before it, are twice the work."""
    few, many = (_calls(_chain(count, _CHAINS[name])) for count in (8, 16))
    assert many.total() < 2.4 * few.total(), (many - few).most_common(5)


def _nest(depth: int) -> str:
    body = " * ".join([f"sin x[i{k}]" for k in range(depth)])
    for k in reversed(range(depth)):
        body = f"sum (length x) (fun i{k} -> {body})"
    return f"fun (x: Vector) -> grad (fun (x: Vector) -> {body}) x"


def test_shapes_of_nested_loops() -> None:
    """A loop that is made is compared with others once, with what is in it, which depends on it."""
    few, many = (_calls(_nest(depth))["shapes._structure"] for depth in (4, 8))
    assert many < 6 * few, (few, many)


def test_names_given_again_end_a_simplification() -> None:
    """What is written in a vector is taken in and named again by each walk: the second changes names only."""
    term = parse(
        "fun (x: Vector) -> let y = x in let w = [y[1] * y[2], y[2] * y[0]] in sum 2 (fun k -> w[k] * w[1 - k])"
    )
    profile = cProfile.Profile()
    profile.enable()
    BEFORE_DERIVATIVE(term)
    profile.disable()
    assert _counted(profile)["occurrences.__init__"] == 2

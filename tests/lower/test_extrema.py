"""The place of an extremum is found by selection: no processor foresees where the next record falls."""

from __future__ import annotations

import pytest

from fsmooth.loops import tree as t
from fsmooth.loops.usage import walk
from fsmooth.lower.functions import lower
from tests.lower.programs import PROGRAMS


def loops_of(name: str) -> list[t.For]:
    """The loops of a program, outermost first."""
    return [s for s in walk(lower(PROGRAMS[name][0], name).kernel.body) if isinstance(s, t.For)]


def assigned(loop: t.For) -> list[str]:
    return [s.name for s in loop.body if isinstance(s, t.Assign)]


@pytest.mark.parametrize("reduction", ["argmax", "argmin"])
@pytest.mark.parametrize(
    ("numbers", "kept"), [("of_rows", ["first_nan"]), ("of_sums", ["first_nan"]), ("of_numbers_in_rows", [])]
)
def test_a_place_is_selected_beside_its_number(reduction: str, numbers: str, kept: list[str]) -> None:
    """Where searches may be short, or numbers take loops."""
    loops = loops_of(f"{reduction}_{numbers}")
    body = next(s for s in loops if assigned(s) != [] and s.kind is t.Kind.SEQUENTIAL).body
    assert not [s for s in walk(body) if isinstance(s, t.If)]
    steps = body[-2 - len(kept) :]  # neighbours: else gcc branches on what they ask
    for s, name in zip(steps, [*kept, "where", "best"], strict=True):
        assert isinstance(s, t.Assign)
        assert s.name == name
        assert isinstance(s.value, t.Conditional)
        assert isinstance(s.value.otherwise, t.Name)
        assert s.value.otherwise.name == name


@pytest.mark.parametrize("reduction", ["argmax", "argmin"])
@pytest.mark.parametrize(("numbers", "looks"), [("of_squares", True), ("of_squares_int", False), ("of_numbers", False)])
def test_numbers_are_computed_before_they_are_searched(reduction: str, numbers: str, looks: bool) -> None:
    blocks, computed, searched, *again = loops_of(f"{reduction}_{numbers}")
    assert [s.kind for s in (blocks, computed, searched)] == [
        t.Kind.SEQUENTIAL,
        t.Kind.PARALLEL,
        t.Kind.REDUCTION,
    ]
    assert searched.extrema[0][1].value == reduction.removeprefix("arg")
    assert bool(searched.reduced) == looks  # are NaNs counted?
    assert [assigned(s) for s in again] == [["where"], ["first_nan"]][: 1 + looks]
    assert not [s for s in blocks.body if s in again]  # only in strips that have a record, or the first NaN

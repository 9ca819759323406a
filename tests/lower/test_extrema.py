"""The place of an extremum is found by selection: no processor foresees where the next record falls."""

from __future__ import annotations

import pytest

from fsmooth.loops import tree as t
from fsmooth.loops.usage import walk
from fsmooth.lower.functions import lower
from tests.lower.programs import PROGRAMS


def loop_of(name: str) -> t.For:
    """The only loop of a program."""
    (loop,) = loops_of(lower(PROGRAMS[name][0], name).kernel.body)
    return loop


def loops_of(body: t.Body) -> list[t.For]:
    return [s for s in walk(body) if isinstance(s, t.For)]


@pytest.mark.parametrize("reduction", ["argmax", "argmin"])
@pytest.mark.parametrize("numbers", ["of_squares", "of_squares_int"])
def test_a_place_is_selected_beside_its_number(reduction: str, numbers: str) -> None:
    body = loop_of(f"{reduction}_{numbers}").body
    assert not [s for s in walk(body) if isinstance(s, t.If)]
    place, best = [s for s in body if isinstance(s, t.Assign)][-2:]
    assert (place.name, best.name) == ("where", "best")
    assert body[-2:] == (place, best)  # neighbours: else gcc branches on what both ask
    for s in (place, best):
        assert isinstance(s.value, t.Conditional)
        assert isinstance(s.value.otherwise, t.Name)
        assert s.value.otherwise.name == s.name


@pytest.mark.parametrize(("numbers", "kept"), [("of_squares", ["first_nan"]), ("of_squares_int", [])])
def test_only_reals_look_for_a_nan(numbers: str, kept: list[str]) -> None:
    assigned = [s.name for s in loop_of(f"argmin_{numbers}").body if isinstance(s, t.Assign)]
    assert assigned == [*kept, "where", "best"]


@pytest.mark.parametrize("reduction", ["argmax", "argmin"])
def test_numbers_are_computed_before_they_are_searched(reduction: str) -> None:
    blocks, computed, searched, again = loops_of(lower(PROGRAMS[f"{reduction}_of_numbers"][0], "searched").kernel.body)
    assert [s.kind for s in (blocks, computed, searched, again)] == [
        t.Kind.SEQUENTIAL,
        t.Kind.PARALLEL,
        t.Kind.REDUCTION,
        t.Kind.SEQUENTIAL,
    ]
    (better,) = [s for s in blocks.body if isinstance(s, t.If)]
    assert again in better.then  # only in strips that have a record
    assert searched.extrema[0][1].value == reduction.removeprefix("arg")


@pytest.mark.parametrize("reduction", ["argmax", "argmin"])
def test_numbers_are_searched_as_they_are_computed_in_loops(reduction: str) -> None:
    outer, inner = loops_of(lower(PROGRAMS[f"{reduction}_of_numbers_in_rows"][0], "searched").kernel.body)
    assert inner in outer.body
    assert [s.name for s in inner.body if isinstance(s, t.Assign)] == ["where", "best"]  # none of them is NaN

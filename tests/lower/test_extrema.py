"""The place of an extremum is found by selection: no processor foresees where the next record falls."""

from __future__ import annotations

import pytest

from fsmooth.loops import tree as t
from fsmooth.loops.usage import walk
from fsmooth.lower.functions import lower
from tests.lower.programs import PROGRAMS


def loop_of(name: str) -> t.For:
    """The only loop of a program."""
    (loop,) = [s for s in walk(lower(PROGRAMS[name][0], name).kernel.body) if isinstance(s, t.For)]
    return loop


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

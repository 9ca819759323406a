"""Frames are reserved before the calls of which they keep frames, and calls go back in the order of these; and which do not."""

from __future__ import annotations

import pytest
from benchmarks.workloads import product_sum

from fsmooth.core.types import F64, INT, Data
from fsmooth.loops import tree as t
from fsmooth.loops.names import Names
from fsmooth.loops.passes.frame_order import frames_in_order
from fsmooth.loops.show import show_body
from fsmooth.loops.usage import walk

FRAME = Data("saved")
C = t.Name("c", F64)
LAYOUT = t.Layout(FRAME, 0, (t.Slot(F64), t.Slot(FRAME), t.Slot(F64), t.Slot(FRAME)))
ZERO = t.Literal(0, INT)


def back(slot: int, given: t.Expression = C, array: str = "x", added: bool = True) -> t.Invoke:
    """A call that goes back with the frame in that slot, gives d and changes an array."""
    results = (f"d{slot}", t.Place(array, ZERO, F64))
    return t.Invoke("back", (t.Name(f"s{slot}", FRAME), given), results, (False, added))


def slots(*statements: t.Statement) -> list[int]:
    """The slots of the frames that calls are given, in the order in which the pass leaves the calls."""
    saved = t.Name("saved", FRAME)
    read = [t.Unpack("s1", LAYOUT, 1, saved), t.Unpack("s3", LAYOUT, 3, saved)]
    made = frames_in_order(t.Function("g", (), (*read, *statements)), Names())
    return [int(s.arguments[0].name[1:]) for s in made.body if isinstance(s, t.Invoke)]  # type: ignore[union-attr]


def test_calls_go_back_in_the_order_of_their_frames() -> None:
    assert slots(back(3), back(1)) == [1, 3]
    assert slots(back(1), back(3)) == [1, 3]
    assert slots(back(3), t.Declare("y", F64, t.Load("z", ZERO, F64)), back(1)) == [1, 3]
    assert slots(back(3), t.Store("x", ZERO, C, accumulate=True), back(1)) == [1, 3]


@pytest.mark.parametrize(
    "others",
    [
        [back(1, given=t.Name("d3", F64))],
        [t.Declare("y", F64, t.Name("d3", F64)), back(1)],
        [t.Store("x", ZERO, C), back(1)],
        [t.Declare("y", F64, t.Load("x", ZERO, F64)), back(1)],
        [t.Assign("c", t.Literal(0.0, F64)), back(1)],
        [back(1, array="x", added=False)],
        [t.If(t.Name("b", INT), ()), back(1)],
    ],
    ids=["argument", "number", "set", "read", "changed", "filled", "branch"],
)
def test_what_needs_a_call_stays_behind_it(others: list[t.Statement]) -> None:
    assert slots(back(3), *others) == [3, 1]


def test_memory_for_a_frame_is_there_before_the_calls() -> None:
    tree = product_sum.generate(8)
    loops = product_sum.gradient.compiled(tree, 0.3, 0.4).loops
    forward = next(f for f in loops.definitions if f.name.endswith("_forward"))
    kinds = [type(s) for s in walk(forward.body) if isinstance(s, t.Reserve | t.Invoke | t.Pack)]
    assert kinds == [t.Reserve, t.Invoke, t.Invoke, t.Pack]


def test_a_frame_that_keeps_no_frame_is_made_where_it_is_filled() -> None:
    pack = t.Pack("s", t.Layout(FRAME, 0, (t.Slot(F64),)), (C,))
    function = t.Function("g", (), (t.Invoke("f", (), ("y",), (False,)), pack))
    assert frames_in_order(function, Names()) is function


def test_nodes_are_visited_from_the_left_on_both_ways() -> None:
    tree = product_sum.generate(8)
    loops = [f.compiled(tree, 0.3, 0.4).loops for f in (product_sum.primal, product_sum.gradient)]
    for function in [f for made in loops for f in made.definitions if f.name.endswith(("total", "forward"))]:
        rows = [show_body([s]) for s in walk(function.body) if isinstance(s, t.Invoke)]
        assert ["left" in row.split("(", 1)[1].split(",")[0] for row in rows] == [True, False]

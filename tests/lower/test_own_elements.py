"""Loops whose iterations touch only elements of their own are marked for vectors; others are not."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from fsmooth.core import primitives as p
from fsmooth.core.types import F64, INT
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import integer, minus, plus, times
from fsmooth.loops.passes.own_elements import OwnElements
from fsmooth.loops.passes.vectorise import marked

i, n, m, k = (t.Name(name, INT) for name in ("i", "n", "m", "k"))
VALUE = t.Load("x", i, F64)


def loop(*stores: t.Expression, size: t.Expression = n, value: t.Expression = VALUE) -> t.For:
    body = [t.Store("a", index, value, accumulate=True) for index in stores]
    return t.For("i", size, tuple(body), t.Kind.REDUCTION)


THREE_PIECES = (plus(times(integer(3), n), i), plus(n, i), i)
OWN = [
    loop(i),
    loop(plus(times(k, m), i)),
    loop(*THREE_PIECES),
    loop(plus(times(k, n), i), plus(times(k, n), plus(n, i))),
    loop(i, plus(i, integer(8)), size=integer(8)),
    loop(i, minus(i, n)),
    loop(i, value=t.Load("a", plus(n, i), F64)),
    loop(plus(i, t.Load("starts", k, INT))),
]
SHARED = [
    loop(i, plus(i, integer(1))),
    loop(i, plus(m, i)),
    loop(i, plus(i, integer(7)), size=integer(8)),
    loop(times(integer(2), i)),
    loop(k),
    loop(t.Load("table", i, INT)),
    loop(i, value=t.Load("a", plus(i, integer(1)), F64)),
    loop(i, value=t.Load("a", integer(0), F64)),
    loop(*THREE_PIECES, size=plus(n, integer(1))),
    loop(i, plus(times(integer(2), n), i), size=times(integer(3), n)),
]


@pytest.mark.parametrize("each", OWN)
def test_own_elements(each: t.For) -> None:
    assert OwnElements(each).all()
    assert marked(each).simd


@pytest.mark.parametrize("each", SHARED)
def test_elements_that_another_iteration_touches(each: t.For) -> None:
    assert not OwnElements(each).all()
    assert not marked(each).simd


def test_names_of_indices_are_looked_up() -> None:
    each = loop(t.Name("at", INT), i)
    assert OwnElements(_after(t.Declare("at", INT, plus(n, i)), each)).all()
    assert not OwnElements(_after(t.Declare("at", INT, plus(integer(1), i)), each)).all()


def test_an_offset_that_changes_in_the_loop_is_not_one() -> None:
    each = loop(plus(i, t.Name("offset", INT)))
    assert not OwnElements(_after(t.Declare("offset", INT, t.Operation(p.modulo, (i, k), INT)), each)).all()


THREE = integer(3)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (0, 0, 1, 2)])
def test_whole_rows_of_their_own(order: tuple[int, ...]) -> None:
    """As the coordinates of a point, from any point on."""
    each = loop(*[plus(times(THREE, plus(i, k)), integer(c)) for c in order])
    assert not OwnElements(each).all()
    assert OwnElements(each).all_in_rows(4)
    assert marked(each).simd


@pytest.mark.parametrize(
    "each",
    [
        loop(times(THREE, i), plus(times(THREE, i), integer(1))),
        loop(*[plus(times(THREE, i), integer(c)) for c in (0, 1, 5, 6)]),
        loop(*[plus(times(integer(5), i), integer(c)) for c in range(5)]),
        loop(*[plus(times(THREE, i), integer(c)) for c in range(3)], plus(times(integer(2), i), n)),
        loop(*[plus(times(n, i), integer(c)) for c in range(3)]),
        loop(*[minus(integer(c), times(THREE, i)) for c in range(3)]),
        loop(
            *[plus(times(THREE, i), integer(c)) for c in range(3)], value=t.Load("a", plus(times(THREE, i), THREE), F64)
        ),
    ],
    ids=["not whole", "two rows", "five", "another stride", "unknown stride", "downwards", "the next row is read"],
)
def test_rows_that_are_not(each: t.For) -> None:
    assert not OwnElements(each).all_in_rows(4)
    assert not marked(each).simd


def _after(s: t.Statement, each: t.For) -> t.For:
    return replace(each, body=(s, *each.body))

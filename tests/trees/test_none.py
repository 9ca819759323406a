"""None beside a single other class is -1, and the nodes of that class are their rows; beside several it has a tag as they have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import fsmooth as fs


@dataclass
class Cell:
    head: float
    tail: Cell | None


@dataclass
class Fork:
    """A tree without leaves of their own."""

    left: Fork | None
    value: float
    right: Fork | None


@dataclass
class Many:
    value: float
    below: list[Many | None]


@dataclass
class Ended:
    value: float
    rest: Ended | Other | None


@dataclass
class Other:
    rest: Ended | Other | None


def squares(c):
    return 0.0 if c is None else c.head * c.head + squares(c.tail)


def squares_by_while(c):
    total = 0.0
    while c:
        total += c.head * c.head
        c = c.tail
    return total


def squares_by_match(c):
    match c:
        case None:
            return 0.0
        case Cell(head, tail):
            return head**2 + squares_by_match(tail)


def doubled(c):
    return Cell(2.0 * c.head, doubled(c.tail)) if isinstance(c, Cell) else None


def sums(t):
    return 0.0 if t is None else t.value * (1.0 + sums(t.left)) + 0.5 * sums(t.right) * t.value


def ended(c):
    if c is None:
        return 1.0
    return c.value * ended(c.rest) if isinstance(c, Ended) else ended(c.rest) + 1.0


def many(t):
    return 1.0 if t is None else t.value * sum([many(c) for c in t.below])


def cells(*heads: float) -> Cell | None:
    made = None
    for head in reversed(heads):
        made = Cell(head, made)
    return made


LIST = cells(0.5, -2.0, 3.0)


def test_the_nodes() -> None:
    for kinds in (Cell | None, None | Cell):
        assert fs.references(kinds, Cell, [0, 3]).tolist() == [0, 3]
        assert fs.references(kinds, type(None), [0, 3]).tolist() == [-1, -1]
    assert fs.pack(LIST).columns["Cell.tail"].tolist() == [1, 2, -1]
    assert fs.references(Ended | Other | None, type(None), 0) not in (-1, fs.references(Ended | Other | None, Other, 0))


@pytest.mark.parametrize("form", [squares, squares_by_while, squares_by_match])
@pytest.mark.parametrize("method", ["forward", "reverse", "tape"])
def test_lists(form: Any, method: str) -> None:
    f, gradient = fs.function(form), fs.grad(form, method=method)
    for heads in ((), (1.5,), (0.5, -2.0, 3.0)):
        given = fs.pack(cells(*heads), Cell | None)
        assert f(given) == pytest.approx(np.sum(np.square(heads)))
        found = gradient(given)
        assert found.columns["Cell.head"].tolist() == [2.0 * h for h in heads]
        assert given.unpack() == cells(*heads)
    assert " & 1" not in f.c_source(given)
    assert ">> 1" not in f.c_source(given)


def test_lists_that_programs_make() -> None:
    f = fs.function(doubled)
    assert f(LIST) == cells(1.0, -4.0, 6.0)
    assert f(cells()) is None
    made = fs.function(lambda x: Cell(x, Cell(x * x, None)))
    assert made(3.0) == cells(3.0, 9.0)
    joined = fs.function(lambda c, flag: squares(doubled(c) if flag else c))
    assert joined(LIST, True) == pytest.approx(4.0 * joined(LIST, False)) == pytest.approx(4.0 * squares(LIST))


def test_trees() -> None:
    tree = Fork(Fork(None, 2.0, Fork(None, 3.0, None)), 1.5, None)
    assert fs.function(sums)(tree) == pytest.approx(sums(tree))
    right = fs.grad(sums, method="forward")(tree)
    assert fs.grad(sums, method="reverse")(tree) == right
    assert right == Fork(Fork(None, 1.5 * 2.5, Fork(None, 1.5, None)), 6.0, None)


def test_children() -> None:
    tree = Many(2.0, [None, Many(3.0, [None, None]), None])
    assert fs.function(many)(tree) == many(tree) == 16.0
    assert fs.grad(many, method="reverse")(tree) == Many(8.0, [None, Many(4.0, [None, None]), None])


def test_forests() -> None:
    forest = fs.pack([LIST, None, cells(4.0)], Cell | None)
    assert fs.function(lambda trees: sum([squares(c) for c in trees]))(forest) == pytest.approx(13.25 + 16.0)
    assert forest.unpack() == [LIST, None, cells(4.0)]


def test_none_beside_several_classes() -> None:
    given = Ended(2.0, Other(Ended(3.0, None)))
    assert fs.function(ended)(given) == ended(given) == 8.0
    assert fs.grad(ended, method="reverse")(given) == Ended(4.0, Other(Ended(2.0, None)))


def columns(tail: list[int]) -> dict[str, dict[str, Any]]:
    return {"Cell": {"head": np.ones(len(tail)), "tail": np.array(tail)}}


def test_columns_of_callers_are_checked() -> None:
    assert fs.function(squares)(fs.Packed.of(Cell | None, columns([1, -1]), 0)) == 2.0
    assert fs.function(squares)(fs.Packed.of(Cell | None, columns([1, -1]), -1)) == 0.0
    for tail in ([1, 2], [1, -2], [-(2**63), -1]):
        with pytest.raises(fs.ArgumentError, match="no node of"):
            fs.Packed.of(Cell | None, columns(tail), 0)
    for root in (2, -2):
        with pytest.raises(fs.ArgumentError, match="no node of"):
            fs.Packed.of(Cell | None, columns([1, -1]), root)
    with pytest.raises(fs.ArgumentError, match="reached from itself"):
        fs.Packed.of(Cell | None, columns([1, 0]), 0)

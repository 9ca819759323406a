"""`type(x)`, `x.__class__` and `x or y` of nodes and of values of one of several kinds."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import pytest

import fsmooth as fs


@dataclass
class Number:
    value: float


@dataclass
class Plus:
    left: Number | Plus | Times
    right: Number | Plus | Times


@dataclass
class Times(Plus):
    pass


@dataclass
class Cell:
    head: float
    tail: Cell | None = None


@dataclass
class Circle:
    radius: float


def by_type(e):
    """A Times is a Plus, but not of its class."""
    if type(e) is Number:
        return e.value
    if type(e) == Plus:  # noqa: E721
        return by_type(e.left) + by_type(e.right)
    return by_type(e.left) * by_type(e.right)


def by_class(e):
    if e.__class__ is Number:
        return e.value
    if e.__class__ is not Times:
        return by_class(e.left) + by_class(e.right)
    return by_class(e.left) * by_class(e.right)


def by_name(e):
    cls = type(e)
    if cls in (Number, Circle):
        return e.value
    if cls.__name__ == "Plus":
        return by_name(e.left) + by_name(e.right)
    return by_name(e.left) * by_name(e.right)


WEIGHTS = {Number: 2.0, Plus: 3.0, Times: 5.0}


def by_table(e):
    own = WEIGHTS[type(e)]
    return own * e.value if type(e) is Number else own + by_table(e.left) * by_table(e.right)


def turned(e):
    return e if type(e) is Number else type(e)(turned(e.right), turned(e.left))


def made_of_its_class(e):
    return by_table(turned(e).left) + by_type(turned(e))


def total(c):
    return 0.0 if type(c) is type(None) else c.head + total(c.tail)


def cells(c):
    return total(c) + (1.0 if type(c.tail) is Cell else 2.0)


def kind(x):
    shape = Circle(x) if x > 1.0 else Number(3.0 * x)
    return shape.radius if type(shape) is Circle else shape.value * (type(shape) is Number)


def second_or_none(c):
    return (c.tail and c.tail.head) or 0.5


def tail_or_itself(c):
    return (c.tail or c).head + (0.25 if (c.tail and c.tail.tail) is None else 3.0)


E = Plus(Number(2.0), Times(Plus(Number(3.0), Number(0.5)), Number(4.0)))


@pytest.mark.parametrize(
    ("program", "argument"),
    [
        *[(f, E) for f in (by_type, by_class, by_name, by_table, made_of_its_class)],
        (cells, Cell(1.0, Cell(2.0))),
        (cells, Cell(1.0)),
        *[
            (f, c)
            for f in (second_or_none, tail_or_itself)
            for c in (Cell(1.0), Cell(1.0, Cell(2.0)), Cell(1.0, Cell(0.0)))
        ],
        (tail_or_itself, Cell(1.0, Cell(2.0, Cell(4.0)))),
        (kind, 2.0),
        (kind, 0.5),
    ],
)
def test_values_are_those_of_python(program, argument):
    assert fs.function(program)(argument) == pytest.approx(program(argument), rel=1e-14)


def test_derivatives():
    assert fs.grad(by_type)(E) == Plus(Number(1.0), Times(Plus(Number(4.0), Number(4.0)), Number(3.5)))


@functools.singledispatch
def evaluated(e):
    raise TypeError(e)


def test_what_is_dispatched_is_refused():
    with pytest.raises(fs.ArgumentError, match=r"evaluated is a functools\.singledispatch"):
        fs.function(evaluated)

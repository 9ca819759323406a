"""Programs with values of one of several kinds; each runs in Python as it is."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tests.functions.programs import tried, x

# -- None, texts, records --------------------------------------------------------------------------------------------


@tried((x,), (x[:0],), (-x,))
def largest_so_far(x):
    best = None
    for v in x:
        if best is None or v > best:
            best = v
    return 0.0 if best is None else best * best


@tried((x, 1.0), (x, 9.0))
def place_of_the_first(x, c):
    place = None
    for i in range(len(x)):
        if x[i] > c:
            place = i
            break
    if place is None:
        return 0.0
    return x[place] ** 2


def positive(x):
    if x < 0.0:
        return None
    return x * x


@tried((2.0,), (-2.0,))
def result_that_may_be_none(x):
    y = positive(x)
    if y is not None:
        return y + 1.0
    return -x


@tried((2.0, 1.0), (2.0, -1.0))
def value_or_another(x, c):
    w = x if c > 0.0 else None
    return (w or 3.0) * x


@tried((2.0, 1.0), (2.0, -1.0))
def of_a_mode(x, c):
    mode = "square" if c > 0.0 else "double"
    if mode == "square":
        return x * x
    return 2.0 * x


@dataclass
class Circle:
    radius: float

    def area(self):
        return math.pi * self.radius**2


@dataclass
class Rectangle:
    width: float
    height: float

    def area(self):
        return self.width * self.height


@tried((2.0, 1.0), (2.0, -1.0))
def area_of_a_shape(x, c):
    if c > 0.0:
        shape = Circle(x)
    else:
        shape = Rectangle(x, x + 1.0)
    return shape.area()


@tried((2.0, 1.0), (2.0, -1.0))
def matched_shape(x, c):
    shape = Circle(x) if c > 0.0 else Rectangle(x, 3.0)
    match shape:
        case Circle(r):
            return r * r
        case Rectangle(w, h) if w > 10.0:
            return h
        case Rectangle(w, h):
            return w * h - shape.area() / 2.0


@tried((x,), (x[:1],), (x[:0],))
def sum_of_areas(x):
    shapes = []
    for v in x:
        shapes.append(Circle(v) if v > 0.0 else Rectangle(v, v * v))
    total = 0.0
    for shape in shapes:
        total += shape.area()
        if isinstance(shape, Rectangle):
            total += shape.height
    return total


@dataclass
class Point:
    x: float
    label: float | None


@tried((2.0, 1.0), (2.0, -1.0))
def field_that_may_be_none(x, c):
    p = Point(x, None) if c > 0.0 else Point(2.0 * x, x)
    if p.label is None:
        return p.x
    return p.x * p.label


@dataclass
class Cell:
    head: float
    tail: Cell | None


LIST = Cell(1.0, Cell(3.0, Cell(2.0, None)))


@tried((1.5, LIST), (9.0, LIST), (0.5, None))
def largest_cell(x, cells):
    best = None
    while cells is not None:
        if best is None or cells.head > best.head:
            best = cells
        cells = cells.tail
    return x if best is None else best.head * x


@tried((2.0, LIST), (-2.0, LIST))
def tail_or_none(x, cells):
    rest = cells.tail if x > 0.0 else None
    return x if rest is None else rest.head * x


def first_above(cells, c):
    if cells is None:
        return None
    if cells.head > c:
        return cells.head * c
    return first_above(cells.tail, c)


@tried((1.5, LIST), (9.0, LIST))
def found_by_a_function_that_calls_itself(c, cells):
    found = first_above(cells, c)
    return -c if found is None else found * found


def summed(f, cells):
    return 0.0 if cells is None else f(cells.head) + summed(f, cells.tail)


@tried((2.0, LIST, 1.0), (2.0, LIST, -1.0))
def handed_to_a_function_that_calls_itself(x, cells, c):
    return summed((lambda y: x * y) if c > 0.0 else (lambda y: y * y * x), cells)


# -- questions -------------------------------------------------------------------------------------------------------


@tried((2.0, 1.0, 1.0), (2.0, -1.0, 1.0), (2.0, -1.0, -1.0), (3.0, -1.0, -1.0))
def equality_of_kinds(y, c, d):
    m = "a" if c > 0 else "b"
    n = "b" if d > 0 else "a"
    v = None if c > 0 else y
    return (1.0 if m == n else 2.0) * (y if v == 5.0 else 3.0) + (y if y == v else 4.0) + (5.0 if m != "a" else y)  # noqa: SIM300


@tried((2.0, 1.0, -1), (3.0, -1.0, 1), (2.0, -1.0, 2))
def membership_of_kinds(y, c, k):
    m = "a" if c > 0 else "b"
    v = None if c > 0 else y
    i = None if k < 0 else k
    s = y if m in ("a", "z") else 2.0
    s += y * y if v in (None, 9.0) else 3.0 * y
    return s * y if i in (1, 2) else s


@tried((x, 10.0), (x, 1.0), (x, -10.0))
def none_in_a_loop_that_returns(x, c):
    for v in x:
        best = None if v > c else v
        if best is not None:
            if v > 0:
                return best * 2.0
    return x[0] * 3.0


@tried((x, 1.0), (x, 10.0))
def place_that_a_function_finds(x, c):
    def pick(i):
        if x[i] > c:
            return i
        return None

    for i in range(len(x)):
        k = pick(i)
        if k is not None:
            return x[k] * x[k]
    return x[0]


@tried((x, 1.0), (x, 100.0))
def named_in_the_test_of_a_return(x, c):
    for v in x:
        if (k := v * v) > c:
            return k * v
    return x[0]


@tried((2.0, 1.0), (2.0, 0.5), (2.0, -1.0), (2.0, 3.0))
def two_that_may_be_none(y, c):
    a = None if c > 0 else y
    b = None if c > 1 else y * 2
    if a is not None and b is not None:
        return a * b
    return a or b or 7.0 * y


@tried((2.0, 1.0), (2.0, -1.0))
def matched_kinds(y, c):
    v = None if c > 0 else y
    mode = "square" if c > 0 else "double"
    match v:
        case None:
            s = y
        case _:
            s = v * 2
    match mode:
        case "square":
            return s * y * y
        case "double":
            return 2 * y * s

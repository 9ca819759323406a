"""Nodes that programs make: lists that are mapped, filtered, joined and folded, trees that are rewritten."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core.arithmetic import Counting
from fsmooth.core.evaluate import evaluate
from fsmooth.core.values import value_of


@dataclass
class Cell:
    head: float
    tail: Cell | None = None

    def sum(self):
        """Named like what arrays have."""
        return self.head + (0.0 if self.tail is None else self.tail.sum())

    def push(self, x):
        return Cell(x, self)


@dataclass
class Number:
    value: float


@dataclass
class Constant:
    """With the field of a number, but not in expressions."""

    value: float


@dataclass
class X:
    pass


@dataclass
class Binary:
    name: Literal["+", "*"]
    left: Number | X | Binary
    right: Number | X | Binary


class Rose(NamedTuple):
    weight: float
    row: np.ndarray
    children: list[Rose]


@dataclass
class Held:
    """Holds cells, which hold none of it."""

    cells: Cell | None
    scale: float


@dataclass
class Zipper:
    left: Cell | None
    head: float
    right: Cell | None


@dataclass
class Chain:
    rest: Cell | Chain
    value: float


@dataclass
class Bag:
    lists: list[Cell]
    scale: float


def cells(numbers):
    result = None
    for x in reversed(numbers):
        result = Cell(x, result)
    return result


def upto(n, x):
    result = None
    for i in range(n):
        result = Cell(x * i, result)
    return result


def total(c):
    return 0.0 if c is None else c.head * c.head + total(c.tail)


def mapped(f, c):
    return None if c is None else Cell(f(c.head), mapped(f, c.tail))


def selected(c, least):
    if c is None:
        return None
    rest = selected(c.tail, least)
    return Cell(c.head, rest) if c.head > least else rest


def joined(a, b):
    return b if a is None else Cell(a.head, joined(a.tail, b))


def reversed_cells(c):
    result = None
    while c is not None:
        result, c = Cell(c.head, result), c.tail
    return result


def length(c):
    return 0 if c is None else 1 + length(c.tail)


def turned(c, result):
    """Reversed, by a tail call."""
    return result if c is None else turned(c.tail, Cell(c.head, result))


def inserted(c, x):
    if c is not None and c.head < x:
        return Cell(c.head, inserted(c.tail, x))
    return Cell(x, c)


def of_a_loop(n, x):
    return total(upto(n, x))


def of_a_map(c, x):
    return total(mapped(lambda h: np.sin(h * x), c))


def of_a_filter(c, x):
    return total(selected(mapped(lambda h: h * x, c), 0.1))


def of_lists_that_are_joined(c, x):
    return total(joined(c, Cell(x, c)))


def of_reversed_cells(c, x):
    found, result, k = reversed_cells(c), 0.0, x
    while found is not None:
        result, k, found = result + k * found.head, k * 2.0, found.tail
    return result


def of_cells_that_are_turned(c, x):
    return total(turned(mapped(lambda h: h * x, c), None))


def of_a_mean(c, x):
    found = mapped(lambda h: np.exp(h * x), c)
    return total(found) / length(found)


def of_sorted_cells(c, x):
    """By insertion."""
    found = None
    while c is not None:
        found, c = inserted(found, np.sin(c.head * x)), c.tail
    return found.head + total(found)


def of_lengths(c, x):
    found, result = mapped(lambda h: h * x, c), 0.0
    while length(found) > 1:
        result, found = result + found.head * length(found), found.tail
    return result


def by_methods(c, x):
    return c.push(x).push(2.0 * x).sum() * x + Cell(x, Cell(x)).sum()


def first_beyond(c, least):
    """A node that is given, or None, both by `return`."""
    if c is None:
        return None
    if c.head > least:
        return c
    found = first_beyond(c.tail, least)
    return None if found is None else found


def of_one_that_is_found(c, x):
    found, none = first_beyond(c, 0.4), first_beyond(c, 9.0)
    return (0.0 if found is None else found.head * x) + (x if none is None else 0.0)


def of_the_largest(c, x):
    best = None
    while c is not None:
        if best is None or c.head > best.head:
            best = c
        c = c.tail
    return best.head * x


def of_a_child_or_none(c, x):
    return total(Cell(x, c.tail if x > 0.5 else None)) + total(Cell(x, None if x > 0.5 else c))


def derived(e):
    """The derivative of an expression, as an expression."""
    match e:
        case Number():
            return Number(0.0)
        case X():
            return Number(1.0)
        case Binary("+", a, b):
            return Binary("+", derived(a), derived(b))
        case Binary(_, a, b):
            return Binary("+", Binary("*", derived(a), b), Binary("*", a, derived(b)))


def at(e, x):
    match e:
        case Number(value):
            return value
        case X():
            return x
        case Binary(name, a, b):
            return at(a, x) + at(b, x) if name == "+" else at(a, x) * at(b, x)


def of_an_expression_that_is_differentiated(e, x):
    return at(derived(e), x)


def grown(t, x):
    if len(t.children) == 0:
        return Rose(t.weight * x, t.row * x, [])
    return Rose(t.weight * x, t.row * x, [grown(c, x) for c in t.children])


def by_children(t, x):
    match t.children:
        case []:
            return t.weight * x
        case [one, other]:
            return by_children(one, x) * by_children(other, x * 2.0)
        case [first, *_]:
            return by_children(first, x)
        case _:
            return 0.0


def of_two_children(t, x):
    match grown(t, x):
        case Rose(w, _, [Rose(u, _, []), other]):
            return w * u * other.weight
        case _:
            return x


def sum_of_rose(t):
    result = t.weight * np.sum(t.row**2)
    for c in t.children:
        result += sum_of_rose(c)
    return result


def of_rows(t, x):
    return sum_of_rose(grown(t, x))


def either(e, x, k):
    """A node that is given, or one that the program makes of one class."""
    return Number(0.5 * x) if k > 0 else e


def in_a_branch(e, x):
    return at(either(e, x, 1), x) + at(either(e, x, 0), x)


def in_a_loop(e, x):
    best = Number(x)
    for k in range(3):
        if at(best, x) < k:
            best = e
    return at(best, x) * x


def simpler(e):
    """Without sums of numbers; the rest is as it was."""
    match e:
        case Binary("+", a, b):
            left, right = simpler(a), simpler(b)
            if isinstance(left, Number) and isinstance(right, Number):
                return Number(left.value + right.value)
            return Binary("+", left, right)
        case _:
            return e


def of_an_expression_that_is_made_simpler(e, x):
    return at(simpler(Binary("+", e, Binary("+", Number(2.0), Number(x)))), x)


def with_another(e, y):
    """Y for x."""
    match e:
        case X():
            return y
        case Binary(name, a, b):
            return Binary(name, with_another(a, y), with_another(b, y))
    return e


def of_an_expression_in_an_expression(e, x):
    return at(with_another(e, Number(2.0 * x)), x) + at(with_another(e, e), x) + at(with_another(e, X()), x)


def to_the_right(z):
    return z if z.right is None else Zipper(Cell(z.head, z.left), z.right.head, z.right.tail)


def of_a_zipper(c, x):
    z = to_the_right(to_the_right(Zipper(None, c.head * x, c.tail)))
    return z.head * total(z.left) + x * total(z.right)


def of_what_is_held(c, x):
    found = Held(c, 0.0)
    while found.cells is not None:
        found = Held(found.cells.tail, found.scale + found.cells.head * x)
    return found.scale * total(Held(Cell(x, c), x).cells)


def sum_of_chain(h):
    return total(h) if isinstance(h, Cell) else h.value + sum_of_chain(h.rest)


def of_a_chain(c, x):
    first = Chain(c, x)
    return sum_of_chain(Chain(first, 2.0 * x)) + total(Cell(x, first.rest))


def of_a_bag(c, x):
    bag = Bag([c, Cell(x), upto(3, x)], x)
    return sum(total(t) * bag.scale for t in bag.lists)


def with_other_fields(e, x):
    match e:
        case Number(value):
            return replace(e, value=value * x)
        case X():
            return e
    return replace(e, name="+", left=with_other_fields(e.left, x), right=with_other_fields(e.right, 2.0 * x))


def of_other_fields(e, x):
    return at(with_other_fields(e, x), x) + at(replace(with_other_fields(e, x).left, name="*"), x)


def of_a_rose_with_other_fields(t, x):
    heavier = t._replace(weight=x, children=[c._replace(weight=c.weight * x) for c in t.children])
    return sum_of_rose(heavier) + sum_of_rose(heavier._replace(row=t.row * x))


def of_a_head_that_is_replaced(c, x):
    return total(replace(c.tail, head=x)) * replace(Cell(x, c), head=2.0 * x).head


_CELLS = cells([0.3, -0.2, 0.5, 0.1])
_E = Binary("*", Binary("+", X(), Number(2.0)), Binary("*", X(), Number(-1.5)))
_ROSE = Rose(0.5, np.array([1.0, -2.0]), [Rose(2.0, np.array([0.5]), []), Rose(1.0, np.array([9.0]), [])])
PROGRAMS: dict[Callable[..., float], tuple[object, ...]] = {
    of_a_loop: (5, 0.7),
    of_a_map: (_CELLS, 0.7),
    of_a_filter: (_CELLS, 0.7),
    of_lists_that_are_joined: (_CELLS, 0.7),
    of_reversed_cells: (_CELLS, 0.7),
    of_cells_that_are_turned: (_CELLS, 0.7),
    of_a_mean: (_CELLS, 0.7),
    by_methods: (_CELLS, 0.7),
    of_one_that_is_found: (_CELLS, 0.7),
    of_the_largest: (_CELLS, 0.7),
    of_a_child_or_none: (_CELLS, 0.7),
    of_sorted_cells: (_CELLS, 0.7),
    of_lengths: (_CELLS, 0.7),
    of_an_expression_that_is_differentiated: (_E, 0.7),
    of_rows: (_ROSE, 0.7),
    by_children: (_ROSE, 0.7),
    of_two_children: (_ROSE, 0.7),
    in_a_branch: (_E, 0.7),
    in_a_loop: (_E, 0.7),
    of_an_expression_that_is_made_simpler: (_E, 0.7),
    of_an_expression_in_an_expression: (_E, 0.7),
    of_other_fields: (_E, 0.7),
    of_a_rose_with_other_fields: (_ROSE, 0.7),
    of_a_head_that_is_replaced: (_CELLS, 0.7),
    of_a_zipper: (_CELLS, 0.7),
    of_what_is_held: (_CELLS, 0.7),
    of_a_chain: (_CELLS, 0.7),
    of_a_bag: (_CELLS, 0.7),
}
_EACH = pytest.mark.parametrize("program", [pytest.param(f, id=f.__name__) for f in PROGRAMS])


@_EACH
def test_the_value_is_that_of_python(program):
    arguments = PROGRAMS[program]
    expected = program(*arguments)
    for schedule in ("NONE", "DEFAULT"):
        assert fs.function(program, schedule=schedule)(*arguments) == pytest.approx(expected, rel=1e-13)


@_EACH
def test_derivatives_in_forward_mode_and_by_a_tape(program):
    arguments = PROGRAMS[program]
    step = 1e-5
    *first, x = arguments
    slope = (program(*first, x + step) - program(*first, x - step)) / (2 * step)
    for method in ("forward", "tape", "auto"):
        assert fs.grad(program, wrt=1, method=method)(*arguments) == pytest.approx(slope, rel=1e-8)


@pytest.mark.parametrize("program", [of_a_map, of_a_filter, of_lists_that_are_joined, of_reversed_cells])
def test_derivatives_by_a_list_that_is_given(program):
    forward = fs.grad(program, method="forward")(_CELLS, 0.7)
    taped = fs.grad(program, method="tape")(_CELLS, 0.7)
    step, here = 1e-5, [0.3, -0.2, 0.5, 0.1]
    for k in range(4):
        ends = [program(cells([h + s * (i == k) for i, h in enumerate(here)]), 0.7) for s in (step, -step)]
        assert forward.head == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-8)
        assert taped.head == pytest.approx(forward.head, rel=1e-13)
        forward, taped = forward.tail, taped.tail


@_EACH
def test_pullbacks(program):
    """By a tape where reverse mode has none."""
    arguments = PROGRAMS[program]
    value, pullback = fs.vjp(program, wrt="x")(*arguments)
    assert value == pytest.approx(program(*arguments), rel=1e-13)
    slope = fs.grad(program, wrt="x")(*arguments)
    for cotangent in (1.0, -0.5):
        assert pullback(cotangent) == pytest.approx(cotangent * slope, rel=1e-12)


def test_a_pullback_says_that_it_is_by_a_tape():
    by_cells = fs.vjp(of_a_map, wrt="x")
    by_cells(_CELLS, 0.7)
    assert "vjp: tape, there is no reverse derivative of nodes that a program makes" in by_cells.explain()
    with pytest.raises(fs.NotDifferentiableError, match="no reverse derivative of nodes that a program makes"):
        fs.vjp(of_a_map, wrt="x", method="reverse")(_CELLS, 0.7)


def test_second_derivatives():
    value = fs.hvp(of_a_map, wrt="x")(_CELLS, 0.7, 1.0)
    step = 1e-5
    slopes = [fs.grad(of_a_map, wrt="x")(_CELLS, 0.7 + s) for s in (step, -step)]
    assert value == pytest.approx((slopes[0] - slopes[1]) / (2 * step), rel=1e-8)
    assert fs.hessian(of_a_map, wrt="x")(_CELLS, 0.7) == pytest.approx(value, rel=1e-12)


def test_auto_takes_the_tape_where_reverse_mode_has_no_derivative():
    by_cells = fs.grad(of_a_map)
    by_cells(_CELLS, 0.7)
    assert "grad: tape, there is no reverse derivative of nodes that a program makes" in by_cells.explain()


def test_reverse_mode_says_that_it_has_none():
    with pytest.raises(fs.NotDifferentiableError, match="no reverse derivative of"):
        fs.grad(of_a_map, method="reverse")(_CELLS, 0.7)


def stored(program, method, n):
    """The numbers that a gradient by x stores, for a list of n numbers."""
    term = fs.grad(program, wrt="x", method=method).compiled(_CELLS, 0.7).terms["optimised"]
    columns = (0, [0.1 * k % 1.0 for k in range(n)], [*range(1, n), -1])
    counting = Counting()
    given = [value_of(x, p.type) for x, p in zip((columns, 0.7), term.parameters, strict=True)]
    evaluate(term.body, dict(zip(term.parameters, given, strict=True)), counting)
    return counting.stores


@pytest.mark.parametrize("method", ["forward", "tape"])
@pytest.mark.parametrize("program", [of_a_filter, of_cells_that_are_turned, of_a_mean, of_lengths])
def test_nodes_are_not_made_once_more_for_each_question(program, method):
    """What is asked of lists in each step of a loop is asked of those that the derivative has."""
    few, many = stored(program, method, 50), stored(program, method, 100)
    assert few > 100
    assert many < 2.2 * few


def test_a_long_list():
    assert fs.function(of_a_loop)(100_000, 1e-3) == pytest.approx(sum([(1e-3 * i) ** 2 for i in range(100_000)]))


def test_a_wrong_class_is_an_error_at_the_line():
    with pytest.raises(fs.TypeMismatchError, match=r"Cell\.tail holds Cell or None"):
        fs.function(lambda x: total(Cell(x, x)))(1.0)


def test_results_are_objects():
    assert fs.function(upto)(3, 2.0) == upto(3, 2.0)
    assert fs.function(upto)(0, 2.0) is None
    assert fs.function(derived)(_E) == derived(_E)
    both = fs.function(lambda c, x: (joined(c, c), total(c) * x))
    found, number = both(_CELLS, 2.0)
    assert found == joined(_CELLS, _CELLS)
    assert number == pytest.approx(2.0 * total(_CELLS), rel=1e-14)


def test_results_are_of_their_classes():
    def one_of_two(x):
        return (Number(x) if x > 0 else Constant(x), [Number(x), Constant(x)], X())

    for x in (1.0, -1.0):
        assert fs.function(one_of_two)(x) == one_of_two(x)


def test_tangents_of_results_are_trees():
    def scaled(c, x):
        return mapped(lambda h: h * x * x, c)

    value, tangent = fs.jvp(scaled, wrt="x")(_CELLS, 0.5, 1.0)
    assert value == cells([0.25 * h for h in (0.3, -0.2, 0.5, 0.1)])
    assert tangent == cells([2 * 0.5 * h for h in (0.3, -0.2, 0.5, 0.1)])


def test_nodes_with_arrays_are_no_results():
    with pytest.raises(fs.UnsupportedError, match="a Rose as a result, whose row is an array, cannot be used"):
        fs.function(grown)(_ROSE, 1.0)


def test_each_node_is_written_into_its_row():
    """No call zeroes or copies a column, but the last one, which begins with zeros."""
    made = fs.function(upto)
    made(3, 2.0)
    body = made.c_source()
    body = body[body.index(" upto_write(") :]
    body = body[: body.index("int32_t upto_inside(")]
    assert body.count("memset") == 2
    assert "memcpy" not in body
    assert "fs_take" not in body


def test_results_that_hold_trees_of_other_data_types():
    c = cells([1.0, 2.0, 3.0])
    given = Held(c, 2.0)
    for program, arguments in [
        (lambda c: to_the_right(Zipper(None, c.head, c.tail)), (c,)),
        (lambda h: Held(Cell(1.0, h.cells), h.scale), (given,)),
        (lambda c, x: Chain(Chain(c, x), 2.0 * x), (c, 3.0)),
        (lambda h, x: Cell(x) if x > 5.0 else h.cells, (given, 3.0)),
    ]:
        assert fs.function(program)(*arguments) == program(*arguments)


def test_a_node_of_a_class_that_a_field_does_not_hold():
    put = fs.function(lambda h, x: total(Cell(x, h.rest)))
    assert put(Chain(Cell(2.0), 1.0), 3.0) == 13.0
    with pytest.raises(fs.RaisedError, match=r"this is Chain, not Cell \| None"):
        put(Chain(Chain(Cell(2.0), 1.0), 1.0), 3.0)


def test_what_holds_a_list_does_not_make_it_anew():
    def walked(n, x):
        z = Zipper(None, x, upto(n, x))
        for _ in range(n):
            z = to_the_right(z)
        return total(z.left)

    terms = fs.function(walked).compiled(5, 1.0).terms["definition"]
    assert "made" not in str(terms)
    assert fs.function(walked)(5, 0.5) == walked(5, 0.5)

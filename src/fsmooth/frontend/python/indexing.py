"""Elements and slices of arrays, and arrays with an element replaced; every index is checked (design §2)."""

from __future__ import annotations

import ast

from fsmooth.core import primitives as p
from fsmooth.core.build import build, minus, plus, times
from fsmooth.core.term import Build, Check, Const, Get, Length, Prim, Site, Term, Update, Var
from fsmooth.core.types import F64, INT, Array, Bool, Float, Int, array_of, rank_of
from fsmooth.core.weak import is_weak
from fsmooth.errors import ConstantIndexError, RankError, TypeMismatchError
from fsmooth.frontend.python.conversion import convert
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.kinds import describe, identical, join_types
from fsmooth.frontend.python.signs import never_negative
from fsmooth.frontend.python.sizes import alike, length_of


def checked(frame: Frame, index: Term, size: Term, node: ast.AST, what: str) -> Term:
    """`index`, checked against `size`; a constant negative one counts from the end."""
    if isinstance(index.type, Bool) or not isinstance(index.type, Int):
        frame.fail(TypeMismatchError, node, f"an index is an integer, not {describe(index.type)}", "use int(…)")
    given = index.value if isinstance(index, Const) else ""
    if isinstance(index, Const) and index.value < 0:
        index = plus(size, index) if isinstance(size, Const) else minus(size, Const(-int(index.value)))
    if (
        isinstance(index, Const)
        and isinstance(size, Const)
        and not frame.conditional
        and not 0 <= index.value < size.value
    ):
        message = f"index {given} is out of bounds for {what}, which has size {size.value}"
        frame.fail(ConstantIndexError, node, message, "indices go from 0 to size - 1, or from -size to -1")
    return Check(index, size, frame.site(node, what))


def subscript(frame: Frame, array: Term, indices: list[Term | slice], node: ast.Subscript) -> Term:
    """array[i, j, …], where each index is a number or a slice of terms."""
    if len(indices) > rank_of(array.type):
        frame.fail(
            RankError,
            node,
            f"{len(indices)} indices for {describe(array.type)}",
            "give at most one index for each dimension",
        )
    what = frame.source.segment(node.value)
    first, *rest = indices
    array = frame.bind(array, "a")
    if isinstance(first, Term):
        element: Term = Get(array, checked(frame, first, length_of(frame, array, node), node, what))
        return subscript(frame, element, rest, node) if rest else element
    lower, size, step = slice_bounds(frame, first, length_of(frame, array, node), node, what)
    index = Var("i", INT, frame.site(node))

    def body() -> Term:
        at = plus(lower, times(Const(step), index)) if step != 1 else plus(lower, index)
        element = Get(array, Check(at, length_of(frame, array, node), frame.site(node, what)))
        return subscript(frame, element, rest, node) if rest else element

    result = Build(size, index, frame.inside(body))
    frame.shared.views.remember(result, array)
    return result


def slice_bounds(frame: Frame, part: slice, n: Term, node: ast.AST, what: str) -> tuple[Term, Term, int]:
    """First index, number of elements and step of a slice of an array of n elements."""
    step = 1 if part.step is None else int(part.step.value) if isinstance(part.step, Const) else 0
    if step == 0:
        frame.unsupported(node, "a slice with a computed step", "use a constant step, or a comprehension")

    def place(bound: Term | None, default: Term) -> Term:
        if bound is None:
            return default
        if not isinstance(bound.type, Int):
            frame.fail(
                TypeMismatchError, node, f"a slice bound is an integer, not {describe(bound.type)}", "use int(…)"
            )
        if isinstance(bound, Const) and bound.value < 0:
            return plus(n, bound) if isinstance(n, Const) else minus(n, Const(-int(bound.value)))
        return bound

    if step < 0:
        if part.start is not None or part.stop is not None:
            frame.unsupported(node, "a backward slice with bounds", "slice first, then reverse with [::-1]")
        count = n if step == -1 else Prim(p.floor_divide, (plus(n, Const(-step - 1)), Const(-step)))
        return minus(n, Const(1)), count, step
    lower, upper = place(part.start, Const(0)), place(part.stop, n)
    if isinstance(lower, Const) and isinstance(upper, Const) and isinstance(n, Const):
        lower, upper = Const(min(int(lower.value), int(n.value))), Const(min(int(upper.value), int(n.value)))
    if part.stop is not None and not never_negative(upper, frame.shared.counters):
        upper = Check(upper, plus(n, Const(1)), frame.site(node, f"slices of {what}"))
    size = minus(upper, lower)
    if step != 1:
        size = Prim(p.floor_divide, (plus(size, Const(step - 1)), Const(step)))
    if isinstance(size, Const):
        size = Const(max(int(size.value), 0))
    return lower, size, step


def updated(frame: Frame, array: Term, indices: list[Term], value: Term, node: ast.AST, what: str) -> Term:
    """The array with one element replaced."""
    if not isinstance(array.type, Array):
        frame.fail(
            RankError,
            node,
            f"too many indices: {what} is not {describe(Array(F64))}",
            "give one index for each dimension",
        )
    first, *rest = indices
    array = frame.bind(giving_way(frame, array, len(indices), value, node), "a")
    assert isinstance(array.type, Array)
    wanted = array.type.element
    at = frame.bind(checked(frame, first, length_of(frame, array, node), node, what), "at")
    if rest:
        return Update(array, at, updated(frame, Get(array, at), rest, value, node, what))
    if isinstance(value.type, Float) and isinstance(wanted, Int):
        frame.fail(
            TypeMismatchError,
            node,
            f"{what} holds integers, so a real number cannot be put into it",
            f"make {what} an array of real numbers: start it with 0.0, or dtype=float",
        )
    new = convert(frame, value, wanted, node)
    return Update(array, at, alike(frame, new, Get(array, at), node, f"an element of {what}"))


def giving_way(frame: Frame, array: Term, depth: int, value: Term, node: ast.AST) -> Term:
    """An array of weak numbers at the width of a value that is put into it, `depth` axes inside; others as they are."""
    element = array.type
    for _ in range(depth):
        element = element.element if isinstance(element, Array) else element
    joined = join_types(element, value.type)
    if not is_weak(element) or joined is None or identical(joined, element):
        return array
    return convert(frame, array, array_of(joined, depth), node)


def transpose(array: Term, site: Site) -> Term:
    """The transpose of a matrix."""
    return build(Length(array, 1), lambda i: build(Length(array, 0), lambda j: Get(Get(array, j), i), "j"), "i", site)

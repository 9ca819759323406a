"""List comprehensions as arrays."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.build import both, times
from fsmooth.core.signs import at_least_zero
from fsmooth.core.term import Collect, Const, Get, If, Prim, Reduce, Reduction, Term, Var
from fsmooth.core.types import INT
from fsmooth.frontend.python.displays import display, display_element, list_of
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.iterables import iterable, loop_index
from fsmooth.frontend.python.logic import condition
from fsmooth.frontend.python.row_lengths import as_long_as_first, is_uneven
from fsmooth.frontend.python.sizes import constant_size, require_rectangular, stacked
from fsmooth.frontend.python.targets import assign_target
from fsmooth.frontend.python.values import Sequence, Uneven, Unrolled, Value


def comprehension(frame: Frame, node: ast.ListComp) -> Value:
    """A list comprehension: an array, or over a list of unlike parts such a list."""
    before = len(frame.assigned_inside)
    saved = dict(frame.names)
    try:
        return as_list(frame, node, node.generators)
    finally:
        frame.names.clear()
        frame.names.update(saved)
        frame.forget_assigned(before)


def as_list(frame: Frame, node: ast.ListComp, generators: list[ast.comprehension]) -> Value:
    """A list comprehension that is not in the scope of another one."""
    first = generators[0]
    if len(generators) == 1 and not first.ifs:
        source = iterable(frame, first.iter)
        if isinstance(source, Unrolled):
            return list_of(frame, tuple(unrolled_values(frame, source, first, node.elt)), source, node)
        index = loop_index(frame, first.target, first.target, source.size)

        def body() -> Term:
            assign_target(frame, first.target, source.element(index), first.target)
            return frame.as_part(frame.expression(node.elt), node.elt)

        element = frame.inside(body)
        count = constant_size(frame, source.size)
        if count is not None and 0 < count <= thresholds.UNEVEN and is_uneven(element, index):
            few = Unrolled(tuple([source.element(Const(k)) for k in range(count)]))
            return Uneven(tuple(unrolled_values(frame, few, first, node.elt)))
        element = as_long_as_first(frame, element, index, source.size, node)
        return frame.as_list(stacked(frame, element, index, source.size, node))
    if not any([g.ifs for g in generators]) and len(generators) == 2:
        flat = flattened(frame, node, generators)
        if flat is not None:
            return frame.as_list(flat)
    return frame.as_list(collected(frame, node, generators))


def unrolled_values(frame: Frame, source: Unrolled, generator: ast.comprehension, element: ast.expr) -> Iterator[Value]:
    """The elements of a comprehension over a container, those that are run-time values with names."""
    for value in source.items:
        assign_target(frame, generator.target, value, generator.target)
        made = display_element(frame, element)
        yield frame.bind(made, "item") if isinstance(made, Term) else made


def unrolled_elements(frame: Frame, source: Unrolled, generator: ast.comprehension, element: ast.expr) -> list[Term]:
    """The elements of a comprehension over a container."""
    items = []
    for value in source.items:
        assign_target(frame, generator.target, value, generator.target)
        items.append(frame.bind(frame.value(element), "item"))
    return items


def flattened(frame: Frame, node: ast.ListComp, generators: list[ast.comprehension]) -> Term | None:
    """Two generators of independent sizes: one array over the product."""
    outer, inner = generators
    first = iterable(frame, outer.iter)
    if isinstance(first, Unrolled):
        return None
    probe = Var("probe", INT)
    before = len(frame.scope)
    assign_target(frame, outer.target, first.element(probe), outer.target)
    second = iterable(frame, inner.iter)
    bound = [term for _, term in frame.scope[before:]]
    if isinstance(second, Unrolled) or any([probe in term.free for term in (second.size, *bound)]):
        del frame.scope[before:]
        return None
    count = frame.bind(second.size, "n")
    index = Var("k", INT, frame.site(node))

    def body() -> Term:
        row, column = Prim(p.floor_divide, (index, count)), Prim(p.modulo, (index, count))
        assign_target(frame, outer.target, first.element(frame.bind(row, "row")), outer.target)
        again = iterable(frame, inner.iter)
        assert isinstance(again, Sequence)
        assign_target(frame, inner.target, again.element(frame.bind(column, "column")), inner.target)
        return frame.value(node.elt)

    size = times(at_least_zero(first.size), at_least_zero(count))
    element = as_long_as_first(frame, frame.inside(body), index, size, node)
    return stacked(frame, element, index, size, node)


def collected(frame: Frame, node: ast.ListComp, generators: list[ast.comprehension]) -> Term:
    """A filtered comprehension as a value: its count is a size of its own."""
    indices = [loop_index(frame, g.target, g.target) for g in generators]
    conditions = [test for g in generators for test in g.ifs]

    def enter(count: int) -> None:
        """The names of the first generators stand for their elements."""
        for generator, index in zip(generators[:count], indices, strict=False):
            source = as_sequence(frame, iterable(frame, generator.iter), generator.iter)
            assign_target(frame, generator.target, source.element(index), generator.target)

    def size(k: int) -> Term:
        enter(k)
        return as_sequence(frame, iterable(frame, generators[k].iter), generators[k].iter).size

    def guard() -> Term:
        enter(len(generators))
        result: Term = Const(True)
        for test in conditions:
            one = condition(frame, test)
            result = one if isinstance(result, Const) else both(result, one)
        return result

    def body() -> Term:
        enter(len(generators))
        for test in conditions:
            if any([isinstance(part, ast.NamedExpr) for part in ast.walk(test)]):
                condition(frame, test)
        return frame.value(node.elt)

    sizes = [inside(frame, lambda k=k: size(k)) for k in range(len(generators))]  # type: ignore[misc]
    test, element = inside(frame, guard), inside(frame, body)
    count: Term = If(inside(frame, guard), Const(1), Const(0))
    for n, index in zip(reversed(sizes), reversed(indices), strict=True):
        count = Reduce(Reduction.SUM, n, index, count)
    made = tuple(zip(sizes, indices, strict=True))
    result = Collect(frame.bind(count, "count"), made, test, element)
    require_rectangular(frame, result, node)
    return result


def inside(frame: Frame, make: Callable[[], Term]) -> Term:
    """What `make` gives where names have values of their own, perhaps never evaluated."""
    saved = dict(frame.names)
    try:
        return frame.inside(make, conditional=True)
    finally:
        frame.names.clear()
        frame.names.update(saved)


def as_sequence(frame: Frame, source: Sequence | Unrolled, node: ast.AST) -> Sequence:
    """A container of values of one type as an array to loop over."""
    if isinstance(source, Sequence):
        return source
    array = frame.bind(display(frame, [frame.term(x, node) for x in source.items], node), "a")
    return Sequence(Const(len(source.items)), lambda i: Get(array, i))

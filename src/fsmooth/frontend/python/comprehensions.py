"""List comprehensions as arrays."""

from __future__ import annotations

import ast

from fsmooth.core import primitives as p
from fsmooth.core.build import both, times
from fsmooth.core.term import Collect, Const, If, Prim, Reduce, Reduction, Term, Var
from fsmooth.core.types import INT
from fsmooth.frontend.python.conversion import truth
from fsmooth.frontend.python.displays import display
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.iterables import iterable, loop_index
from fsmooth.frontend.python.sizes import require_rectangular, stacked
from fsmooth.frontend.python.targets import assign_all, assign_target
from fsmooth.frontend.python.values import Sequence, Unrolled, Value


def comprehension(frame: Frame, node: ast.ListComp) -> Term:
    saved = dict(frame.names)
    try:
        return as_array(frame, node, node.generators)
    finally:
        frame.names.clear()
        frame.names.update(saved)


def as_array(frame: Frame, node: ast.ListComp, generators: list[ast.comprehension]) -> Term:
    """A list comprehension as an array."""
    first = generators[0]
    if len(generators) == 1 and not first.ifs:
        source = iterable(frame, first.iter)
        if isinstance(source, Unrolled):
            return display(frame, unrolled_elements(frame, source, first, node.elt), node)
        index = loop_index(frame, first.target, first.target)

        def body() -> Term:
            assign_target(frame, first.target, source.element(index), first.target)
            return frame.value(node.elt)

        element = frame.inside(body)
        return stacked(frame, element, index, source.size, node)
    if not any([g.ifs for g in generators]) and len(generators) == 2:
        flat = flattened(frame, node, generators)
        if flat is not None:
            return flat
    return collected(frame, node, generators)


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
    if isinstance(second, Unrolled) or probe in second.size.free or len(frame.scope) != before:
        del frame.scope[before:]
        return None
    count = frame.bind(second.size, "n")
    index = Var("k", INT, frame.source.site(node))

    def body() -> Term:
        row, column = Prim(p.floor_divide, (index, count)), Prim(p.modulo, (index, count))
        assign_target(frame, outer.target, first.element(frame.bind(row, "row")), outer.target)
        again = iterable(frame, inner.iter)
        assert isinstance(again, Sequence)
        assign_target(frame, inner.target, again.element(frame.bind(column, "column")), inner.target)
        return frame.value(node.elt)

    return stacked(frame, frame.inside(body), index, times(first.size, count), node)


def collected(frame: Frame, node: ast.ListComp, generators: list[ast.comprehension]) -> Term:
    """A filtered comprehension as a value: its count is a size of its own."""
    made: list[tuple[Term, Var]] = []
    conditions: list[ast.expr] = []
    elements: list[tuple[ast.expr, Value]] = []
    for generator in generators:
        before = len(frame.scope)
        source = iterable(frame, generator.iter)
        if isinstance(source, Unrolled):
            frame.unsupported(generator.iter, "a filter over a container", "iterate over an array or a range")
        if made and len(frame.scope) != before:
            frame.unsupported(generator.iter, "a computed iterable here", "bind it to a name before the comprehension")
        index = loop_index(frame, generator.target, generator.target)
        made.append((source.size, index))
        elements.append((generator.target, source.element(index)))
        assign_target(frame, generator.target, source.element(index), generator.target)
        conditions.extend(generator.ifs)

    def guard() -> Term:
        assign_all(frame, elements)
        result: Term = Const(True)
        for test in conditions:
            one = truth(frame, frame.value(test), test)
            result = one if isinstance(result, Const) else both(result, one)
        return result

    def body() -> Term:
        assign_all(frame, elements)
        return frame.value(node.elt)

    test = frame.inside(guard, conditional=True)
    element = frame.inside(body, conditional=True)
    count: Term = If(frame.inside(guard, conditional=True), Const(1), Const(0))
    for size, index in reversed(made):
        count = Reduce(Reduction.SUM, size, index, count)
    result = Collect(frame.bind(count, "count"), tuple(made), test, element)
    require_rectangular(frame, result, node)
    return result

"""`sum(… for …)`, `any`, `all` and products."""

from __future__ import annotations

import ast

from fsmooth.core.term import Const, If, Reduce, Reduction, Term
from fsmooth.core.types import rank_of
from fsmooth.frontend.python.extrema import extremum
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.iterables import iterable, loop_index
from fsmooth.frontend.python.logic import condition
from fsmooth.frontend.python.reducible import combined, neutral, reducible
from fsmooth.frontend.python.sizes import length_of
from fsmooth.frontend.python.targets import assign_target
from fsmooth.frontend.python.unreturned import Unreturned
from fsmooth.frontend.python.values import Unrolled


def reduce_generator(
    frame: Frame, reduction: Reduction, node: ast.GeneratorExp | ast.ListComp, default: Term | None = None
) -> Term:
    """sum(… for …), any(…), all(…), max(…), min(…); the last two may have a default."""
    before = len(frame.assigned_inside)
    saved = dict(frame.names)
    try:
        if reduction in (Reduction.MAX, Reduction.MIN):
            return extremum(frame, reduction, node, default)
        return reduced(frame, reduction, node, list(node.generators))
    finally:
        frame.names.clear()
        frame.names.update(saved)
        frame.forget_assigned(before)


def reduced(
    frame: Frame, reduction: Reduction, node: ast.GeneratorExp | ast.ListComp, generators: list[ast.comprehension]
) -> Term:
    if not generators:
        return reducible(frame, reduction, frame.value(node.elt), node.elt)
    first, *rest = generators
    source = iterable(frame, first.iter)
    if isinstance(source, Unrolled):
        return unrolled_reduction(frame, reduction, node, source, first, rest)
    index = loop_index(frame, first.target, first.target, source.size)

    def body() -> Term:
        assign_target(frame, first.target, source.element(index), first.target)
        return filtered(frame, reduction, node, list(first.ifs), rest)

    try:
        element = frame.inside(body)
    except Unreturned:
        return of_nothing(reduction)
    result = Reduce(reduction, source.size, index, element)
    for axis in range(rank_of(result.type)):
        length_of(frame, result, node, axis)
    return result


def filtered(
    frame: Frame,
    reduction: Reduction,
    node: ast.GeneratorExp | ast.ListComp,
    tests: list[ast.expr],
    rest: list[ast.comprehension],
) -> Term:
    """The element where all tests hold, else what changes nothing."""
    if not tests:
        return reduced(frame, reduction, node, rest)
    holds = condition(frame, tests[0])
    value = frame.inside(lambda: filtered(frame, reduction, node, tests[1:], rest), conditional=True)
    return If(holds, value, neutral(frame, reduction, value, node))


def unrolled_reduction(
    frame: Frame,
    reduction: Reduction,
    node: ast.GeneratorExp | ast.ListComp,
    source: Unrolled,
    first: ast.comprehension,
    rest: list[ast.comprehension],
) -> Term:
    """A reduction over a container, at compile time."""
    total: Term | None = None
    for value in source.items:
        assign_target(frame, first.target, value, first.target)
        one = filtered(frame, reduction, node, list(first.ifs), rest)
        total = one if total is None else combined(frame, reduction, total, one, node)
    return of_nothing(reduction) if total is None else total


def of_nothing(reduction: Reduction) -> Const:
    """The reduction of no elements; that of elements whose type is not known yet, too, for there may be none."""
    return {Reduction.SUM: Const(0), Reduction.PRODUCT: Const(1)}.get(reduction, Const(reduction is Reduction.ALL))

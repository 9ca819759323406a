"""`max` and `min` of generators, which are errors when there is nothing to choose from."""

from __future__ import annotations

import ast

from fsmooth.core import primitives as p
from fsmooth.core.build import number, project
from fsmooth.core.term import (
    Const,
    Failure,
    If,
    IFold,
    MakeTuple,
    Prim,
    Proj,
    Reduce,
    Reduction,
    Require,
    Term,
    Var,
)
from fsmooth.core.types import INT
from fsmooth.errors import ConstantEmptyError
from fsmooth.frontend.python.comprehensions import as_sequence, unrolled_elements
from fsmooth.frontend.python.conversion import convert
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.iterables import iterable, loop_index
from fsmooth.frontend.python.joins import branch
from fsmooth.frontend.python.logic import condition
from fsmooth.frontend.python.reducible import combined, reducible
from fsmooth.frontend.python.targets import assign_target
from fsmooth.frontend.python.values import Unrolled


def extremum(
    frame: Frame, reduction: Reduction, node: ast.GeneratorExp | ast.ListComp, default: Term | None = None
) -> Term:
    """Max or min of a generator; that of nothing is `default`, or an error at run time."""
    simple = len(node.generators) == 1 and not node.generators[0].ifs
    if simple:
        only = node.generators[0]
        source = iterable(frame, only.iter)
        if isinstance(source, Unrolled):
            return extremum_of_items(frame, reduction, unrolled_elements(frame, source, only, node.elt), default, node)
        index = loop_index(frame, only.target, only.target, source.size)
        size = source.size

        def body() -> Term:
            assign_target(frame, only.target, source.element(index), only.target)
            return reducible(frame, reduction, frame.value(node.elt), node.elt)

        value: Term = Reduce(reduction, size, index, frame.inside(body))
        return nonempty(frame, Prim(p.less, (Const(0), size)), value, default, node)
    return filtered_extremum(frame, reduction, node, default)


def extremum_of_items(
    frame: Frame, reduction: Reduction, items: list[Term], default: Term | None, node: ast.AST
) -> Term:
    """Max or min of values whose number is known at compile time."""
    if not items and default is None:
        frame.fail(
            ConstantEmptyError, node, f"the {reduction.value} of nothing", "give default=…, or check the size first"
        )
    if not items and default is not None:
        return default
    total, *rest = items
    for item in rest:
        total = combined(frame, reduction, total, item, node)
    return total


def nonempty(frame: Frame, found: Term, value: Term, default: Term | None, node: ast.AST) -> Term:
    """`value`, which exists only if anything was `found`, else the default."""
    if default is not None:
        return branch(frame, found, value, default, node)
    return Require(found, value, Failure.EMPTY, (), frame.site(node, frame.source.segment(node)))


def filtered_extremum(
    frame: Frame, reduction: Reduction, node: ast.GeneratorExp | ast.ListComp, default: Term | None
) -> Term:
    """A loop that carries whether anything was found, and the best so far."""
    best = p.maximum if reduction is Reduction.MAX else p.minimum
    probe = frame.inside(lambda: first_element(frame, node, list(node.generators)))
    type_ = probe.type
    init = MakeTuple((Const(False), number(0, type_)))

    def run(state: Term, generators: list[ast.comprehension]) -> Term:
        if not generators:
            value = frame.bind(convert(frame, frame.value(node.elt), type_, node), "value")
            found, so_far = project(state, 0), project(state, 1)
            return MakeTuple((Const(True), If(found, Prim(best, (so_far, value)), value)))
        first, *rest = generators
        source = as_sequence(frame, iterable(frame, first.iter), first.iter)
        index = loop_index(frame, first.target, first.target, source.size)
        inner = Var("best", init.type)

        def body() -> Term:
            assign_target(frame, first.target, source.element(index), first.target)
            return tested(list(first.ifs), inner, rest)

        return IFold(source.size, state, inner, index, frame.inside(body))

    def tested(tests: list[ast.expr], state: Term, rest: list[ast.comprehension]) -> Term:
        if not tests:
            return run(state, rest)
        holds = condition(frame, tests[0])
        return If(holds, frame.inside(lambda: tested(tests[1:], state, rest), conditional=True), state)

    result = frame.bind(run(init, list(node.generators)), "best")
    return nonempty(frame, Proj(result, 0), Proj(result, 1), default, node)


def first_element(frame: Frame, node: ast.GeneratorExp | ast.ListComp, generators: list[ast.comprehension]) -> Term:
    """The element, for its type only."""
    for generator in generators:
        source = as_sequence(frame, iterable(frame, generator.iter), generator.iter)
        assign_target(frame, generator.target, source.element(Var("i", INT)), generator.target)
    return reducible(frame, Reduction.MAX, frame.value(node.elt), node.elt)

"""The operators on linear maps as text writes them, under the names of the notes' prototype (paper 001, Fig. 3, §9)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from fsmooth.core.term import Term
from fsmooth.core.term.linear_maps import (
    MAP_NAMES,
    AddMaps,
    Apply,
    ApplyReverse,
    Compose,
    FoldMap,
    HCat,
    HCatArray,
    LambdaMap,
    ScaleMap,
    SumMap,
    Transpose,
    UnitMap,
    VCat,
    VCatArray,
    ZeroMap,
)
from fsmooth.core.types import INT, Function, Type
from fsmooth.frontend.text import tree
from fsmooth.frontend.text.values import Scope, Value

if TYPE_CHECKING:
    from fsmooth.frontend.text.elaborate import Elaborator

Form = Callable[["Elaborator", tree.Apply, Scope], Value | None]


def _operator(make: Callable[..., Term], least: int, most: int | None) -> Form:
    """An operator on `least` to `most` terms; any number if there is no most."""

    def form(elaborator: Elaborator, node: tree.Apply, scope: Scope) -> Term:
        count = len(node.arguments)
        if count < least or (most is not None and count > most):
            wanted = f"{least} or more" if most is None else str(least) if least == most else f"{least} or {most}"
            raise elaborator.fail(f"{_name(node)} takes {wanted} argument{'s' * (wanted != '1')}, not {count}", node)
        return make(*[elaborator.term(argument, scope) for argument in node.arguments])

    return form


def _indexed(make: Callable[[Term, Term], Term]) -> Form:
    """A form of a size and a function of an index."""

    def form(elaborator: Elaborator, node: tree.Apply, scope: Scope) -> Term:
        if len(node.arguments) != 2:
            raise elaborator.fail(f"{_name(node)} takes 2 arguments, not {len(node.arguments)}", node)
        size, function = node.arguments
        return make(elaborator.term(size, scope, INT), _function(elaborator, function, scope, (INT,)))

    return form


def _fold(elaborator: Elaborator, node: tree.Apply, scope: Scope) -> Term:
    """`lmFold step slope init n`; parameters without types are the state and the index."""
    if len(node.arguments) != 4:
        raise elaborator.fail(f"lmFold takes 4 arguments, not {len(node.arguments)}", node)
    step, slope, init, size = node.arguments
    start = elaborator.term(init, scope)
    types = (start.type, INT)
    functions = [_function(elaborator, function, scope, types) for function in (step, slope)]
    return FoldMap(functions[0], functions[1], start, elaborator.term(size, scope, INT))


def _function(elaborator: Elaborator, node: tree.Node, scope: Scope, types: tuple[Type, ...]) -> Term:
    if isinstance(node, tree.Fun):
        return elaborator.lam(elaborator.matching(node, len(types), node), scope, types)
    found = elaborator.term(node, scope)
    if not isinstance(found.type, Function) or found.type.parameters != types:
        raise elaborator.fail(f"a function of {', '.join(map(repr, types))} is wanted here", node)
    return found


def _name(node: tree.Apply) -> str:
    assert isinstance(node.function, tree.Name)
    return node.function.name


_OPERATORS: dict[type[Term], Form] = {
    Apply: _operator(Apply, 2, 2),
    ApplyReverse: _operator(ApplyReverse, 2, 2),
    Compose: _operator(Compose, 2, 2),
    AddMaps: _operator(AddMaps, 2, 2),
    ZeroMap: _operator(ZeroMap, 2, 2),
    UnitMap: _operator(UnitMap, 1, 1),
    ScaleMap: _operator(ScaleMap, 1, 2),
    VCat: _operator(lambda *maps: VCat(maps), 1, None),
    HCat: _operator(lambda *maps: HCat(maps), 1, None),
    VCatArray: _operator(VCatArray, 1, 1),
    HCatArray: _operator(HCatArray, 1, 1),
    Transpose: _operator(Transpose, 1, 1),
    LambdaMap: _indexed(LambdaMap),
    SumMap: _indexed(SumMap),
    FoldMap: _fold,
}

FORMS: dict[str, Form] = {name: _OPERATORS[operator] for operator, name in MAP_NAMES.items()}
"""Forms by name."""

"""The forms of the core language that text writes as applications: `build n (fun i -> e)`, `length a`, ….

A form is given the application as it was written and makes the term, or returns None if it is written
otherwise (`max v` is no reduction over a range but a library function).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from fsmooth.core.subst import substitute1
from fsmooth.core.term import (
    Build,
    Check,
    Delta,
    Get,
    IFold,
    Length,
    MakeTuple,
    Plus,
    Proj,
    Reduce,
    Reduction,
    Term,
    Update,
    Var,
    While,
    Zero,
    let,
)
from fsmooth.core.types import F64, INT, Array, Bool, Tuple, Type, is_numeric
from fsmooth.frontend.agreement import Fold, Steps
from fsmooth.frontend.text import derivatives, linear_maps, tree
from fsmooth.frontend.text.joins import converted, joined
from fsmooth.frontend.text.types import NAMES, a
from fsmooth.frontend.text.values import Scope, Value, is_path

if TYPE_CHECKING:
    from fsmooth.frontend.text.elaborate import Elaborator

Form = Callable[["Elaborator", tree.Apply, Scope], Value | None]


def _count(elaborator: Elaborator, node: tree.Apply, *wanted: int) -> None:
    if len(node.arguments) not in wanted:
        name = node.function.name if isinstance(node.function, tree.Name) else "this"
        number = " or ".join([str(w) for w in wanted])
        raise elaborator.fail(f"{name} takes {number} argument{'s' * (number != '1')}, not {len(node.arguments)}", node)


def _under(
    elaborator: Elaborator, function: tree.Node, scope: Scope, types: tuple[Type, ...], names: tuple[str, ...]
) -> tuple[tuple[Var, ...], Term]:
    """Fresh variables for the parameters of `function`, and its body in terms of them."""
    if isinstance(function, tree.Fun):
        elaborator.matching(function, len(types), function)
        variables = tuple([Var(q.name, t) for q, t in zip(function.parameters, types, strict=True)])
        return variables, elaborator.body(function, scope, variables)
    variables = tuple([Var(n, t) for n, t in zip(names, types, strict=True)])
    return variables, elaborator.call(elaborator.value(function, scope), list(variables), function)


def _build(elaborator: Elaborator, node: tree.Apply, scope: Scope) -> Term:
    _count(elaborator, node, 2)
    size = elaborator.size(node.arguments[0], scope)
    (index,), body = _under(elaborator, node.arguments[1], scope, (INT,), ("i",))
    return elaborator.rectangular(Build(size, index, body), node)


def _ifold(elaborator: Elaborator, node: tree.Apply, scope: Scope) -> Term:
    """The state has the type of `z` joined with that of the step, so that `0` can begin a real sum."""
    _count(elaborator, node, 3)
    function = node.arguments[0]
    size = elaborator.term(node.arguments[2], scope, INT)
    init = elaborator.term(node.arguments[1], scope)
    for _ in range(2):
        (state, index), body = _under(elaborator, function, scope, (init.type, INT), ("s", "i"))
        fitted = converted(body, init.type)
        if fitted is not None:
            return _steady(elaborator, Fold([init], state, fitted, size, index), function)
        common = joined(init.type, body.type)
        start = converted(init, common) if common is not None else None
        if start is None:
            break
        init = start
    raise elaborator.fail(f"the state is {a(init.type)}, but each step makes {a(body.type)}", function)


def _steady(elaborator: Elaborator, fold: Fold, node: tree.Node) -> Term:
    """The fold, if no array in its state changes its size.  A count that is asked for twice gets a name."""
    init, step = elaborator.steady(fold, node)
    if init is fold.inits[0] or is_path(fold.count):
        return IFold(fold.count, init, fold.state, fold.index, step)
    bound: list[tuple[Var, Term]] = []
    count = elaborator.bound("steps", fold.count, bound)
    return let(bound, _steady(elaborator, replace(fold, count=count), node))


def _while(elaborator: Elaborator, node: tree.Apply, scope: Scope) -> Term:
    """`while (fun s -> c) (fun s -> e) z`; the state has the type of `z` joined with that of the step."""
    _count(elaborator, node, 3)
    condition, function, first = node.arguments
    init = elaborator.term(first, scope)
    for _ in range(2):
        (state,), body = _under(elaborator, function, scope, (init.type,), ("s",))
        fitted = converted(body, init.type)
        if fitted is not None:
            (other,), test = _under(elaborator, condition, scope, (init.type,), ("s",))
            if not isinstance(test.type, Bool):
                raise elaborator.fail(f"a condition is a Bool, not {a(test.type)}", condition)
            init, step = elaborator.steady(Steps([init], state, fitted), function)
            return While(init, state, substitute1(test, other, state), step)
        common = joined(init.type, body.type)
        start = converted(init, common) if common is not None else None
        if start is None:
            break
        init = start
    raise elaborator.fail(f"the state is {a(init.type)}, but each step makes {a(body.type)}", function)


def _reduction(reduction: Reduction) -> Form:
    def form(elaborator: Elaborator, node: tree.Apply, scope: Scope) -> Term | None:
        if len(node.arguments) != 2:
            return None
        if not isinstance(node.arguments[1], tree.Fun):
            value = elaborator.value(node.arguments[1], scope)
            if isinstance(value, Term) and is_numeric(value.type):
                return None
        size = elaborator.size(node.arguments[0], scope)
        (index,), body = _under(elaborator, node.arguments[1], scope, (INT,), ("i",))
        return elaborator.rectangular(Reduce(reduction, size, index, body), node)

    return form


def _length(elaborator: Elaborator, node: tree.Apply, scope: Scope) -> Term:
    _count(elaborator, node, 1, 2)
    array = elaborator.term(node.arguments[0], scope)
    axis = 0
    if len(node.arguments) == 2:
        written = node.arguments[1]
        if not isinstance(written, tree.Number) or not isinstance(written.value, int):
            raise elaborator.fail("the axis is a number", written)
        axis = written.value
    return elaborator.length(array, axis)


def _get(elaborator: Elaborator, node: tree.Apply, scope: Scope) -> Term:
    _count(elaborator, node, 2)
    array, index = node.arguments
    return _element(elaborator, node, elaborator.term(array, scope), elaborator.term(index, scope, INT))


def _element(elaborator: Elaborator, node: tree.Node, array: Term, index: Term) -> Term:
    return Get(array, elaborator.within(index, Length(array)))


def _component(position: int) -> Form:
    def form(elaborator: Elaborator, node: tree.Apply, scope: Scope) -> Term:
        _count(elaborator, node, 1)
        inner = elaborator.term(node.arguments[0], scope)
        if not isinstance(inner.type, Tuple) or len(inner.type.items) <= position:
            raise elaborator.fail(f"{a(inner.type)} has no component number {position}", node)
        return Proj(inner, position)

    return form


def _pair(elaborator: Elaborator, node: tree.Apply, scope: Scope) -> Term:
    _count(elaborator, node, 2)
    return MakeTuple(tuple([elaborator.term(a, scope) for a in node.arguments]))


def _delta(elaborator: Elaborator, node: tree.Apply, scope: Scope) -> Term:
    _count(elaborator, node, 3)
    size, index, value = node.arguments
    place = elaborator.term(index, scope, INT)
    return _one_hot(elaborator, node, elaborator.size(size, scope), place, elaborator.term(value, scope))


def _one_hot(elaborator: Elaborator, node: tree.Node, size: Term, index: Term, value: Term) -> Term:
    return Delta(size, elaborator.within(index, size), value)


def _zero(elaborator: Elaborator, node: tree.Apply, scope: Scope) -> Term:
    """`zero n m`, or with the type of its numbers `zero Int n m`; likewise `unread`, a zero that nothing reads."""
    leaf: Type = F64
    sizes = node.arguments
    if sizes and isinstance(sizes[0], tree.Name) and sizes[0].name in ("Float", "Float32", "Int"):
        leaf, sizes = NAMES[sizes[0].name], sizes[1:]
    if len(sizes) == 1 and isinstance(sizes[0], tree.MakeTuple) and not sizes[0].items:
        sizes = ()
    return Zero(tuple([elaborator.size(s, scope) for s in sizes]), leaf)


def _update(elaborator: Elaborator, node: tree.Apply, scope: Scope) -> Term:
    _count(elaborator, node, 3)
    array = elaborator.term(node.arguments[0], scope)
    if not isinstance(array.type, Array):
        raise elaborator.fail(f"{a(array.type)} cannot be updated", node)
    index = elaborator.term(node.arguments[1], scope, INT)
    return _updated(elaborator, node, array, index, elaborator.term(node.arguments[2], scope, array.type.element))


def _updated(elaborator: Elaborator, node: tree.Node, array: Term, index: Term, value: Term) -> Term:
    if isinstance(array.type, Array) and value.type == array.type.element:
        value = elaborator.alike(value, Get(array, index), node, "an element of an array")
    return Update(array, elaborator.within(index, Length(array)), value)


def _plus(elaborator: Elaborator, node: tree.Apply, scope: Scope) -> Term:
    if len(node.arguments) < 2:
        raise elaborator.fail("plus adds two arrays or more", node)
    items = tuple([elaborator.term(a, scope) for a in node.arguments])
    if not isinstance(items[0].type, Array) or any([item.type != items[0].type for item in items]):
        raise elaborator.fail(f"plus adds arrays of one type, not {' and '.join([a(i.type) for i in items])}", node)
    first, *rest = items
    others = zip(rest, node.arguments[1:], strict=True)
    return Plus((first, *[elaborator.alike(item, first, place, "arrays that are added") for item, place in others]))


def _check(elaborator: Elaborator, node: tree.Apply, scope: Scope) -> Term:
    _count(elaborator, node, 2)
    index, size = [elaborator.term(a, scope, INT) for a in node.arguments]
    return Check(index, size, elaborator.site)


FORMS: dict[str, Form] = {
    "build": _build,
    "ifold": _ifold,
    "while": _while,
    **{reduction.value: _reduction(reduction) for reduction in Reduction},
    "length": _length,
    "get": _get,
    "pair": _pair,
    "fst": _component(0),
    "snd": _component(1),
    "delta": _delta,
    "zero": _zero,
    "unread": _zero,
    "update": _update,
    "plus": _plus,
    "check": _check,
    **derivatives.FORMS,
    **linear_maps.FORMS,
}
"""Forms by name."""

ON_TERMS: dict[str, Callable[..., Term]] = {
    "pair": lambda elaborator, node, a, b: MakeTuple((a, b)),
    "fst": lambda elaborator, node, a: Proj(a, 0),
    "snd": lambda elaborator, node, a: Proj(a, 1),
    "get": _element,
    "length": lambda elaborator, node, array: Length(array),
    "delta": _one_hot,
    "update": _updated,
}
"""What the forms that are functions do when they are passed as one: `vectorMap2 u v pair`."""

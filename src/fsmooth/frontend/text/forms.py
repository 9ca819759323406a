"""What each form of expression means, except functions and their calls (`functions`).

A form is given the type that its place wants, if that is known; it need not meet it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from fsmooth.core.term import (
    Collect,
    Const,
    Failure,
    Get,
    If,
    Length,
    MakeTuple,
    Proj,
    Require,
    Term,
    Var,
    Vector,
    Zero,
    let,
)
from fsmooth.core.types import BOOL, F32, INT, Array, Tuple, Type
from fsmooth.frontend.text import tree
from fsmooth.frontend.text.joins import together
from fsmooth.frontend.text.types import a, type_of
from fsmooth.frontend.text.values import Closure, Operator, Scope, Value, is_path

if TYPE_CHECKING:
    from fsmooth.frontend.text.elaborate import Elaborator


def name(elaborator: Elaborator, node: tree.Name, scope: Scope, expected: Type | None) -> Value:
    """A variable, a constant, or a function known by its name."""
    found = elaborator.lookup(node.name, scope)
    if found is None:
        raise elaborator.fail(f"`{node.name}` is not defined", node)
    return Zero(()) if isinstance(found, Operator) and found.name == "zero" else found


def number(elaborator: Elaborator, node: tree.Number, scope: Scope, expected: Type | None) -> Term:
    """A literal."""
    return Const(node.value, F32) if node.single else Const(node.value)


def section(elaborator: Elaborator, node: tree.Section, scope: Scope, expected: Type | None) -> Value:
    """An operator in brackets."""
    return Operator(node.operator)


# -- scopes ----------------------------------------------------------------------------------------------------------


def binding(elaborator: Elaborator, node: tree.Binding, scope: Scope, expected: Type | None) -> Term:
    """A chain of lets, as one scope."""
    inner, bound = dict(scope), list[tuple[Var, Term]]()
    here: tree.Node = node
    while isinstance(here, tree.Binding):
        wanted = type_of(here.type, elaborator.text) if here.type is not None else None
        if wanted is None and len(here.names) == 1:
            value = elaborator.definition(here, inner)
        else:
            value = elaborator.term(here.value, inner, wanted)
        _bind(elaborator, here, value, inner, bound)
        here = here.body
    return let(bound, elaborator.term(here, inner, expected))


def _bind(
    elaborator: Elaborator, node: tree.Binding, value: Value, scope: Scope, bound: list[tuple[Var, Term]]
) -> None:
    """Give the names of one let their value, in `scope` and, if it is a term, among the bindings."""
    if not isinstance(value, Term):
        name = node.names[0]
        scope[name] = Closure(value.function, value.scope, value.text, name) if isinstance(value, Closure) else value
    elif len(node.names) == 1:
        variable = elaborator.bound(node.names[0], value, bound)
        scope[variable.name] = variable
    else:
        if not isinstance(value.type, Tuple) or len(value.type.items) != len(node.names):
            raise elaborator.fail(f"{len(node.names)} names for {a(value.type)}", node.value)
        if not is_path(value):
            value = elaborator.bound("_".join(node.names), value, bound)
        for k, name in enumerate(node.names):
            scope[name] = Proj(value, k)


# -- conditions ------------------------------------------------------------------------------------------------------


def conditional(elaborator: Elaborator, node: tree.Conditional, scope: Scope, expected: Type | None) -> Term:
    """`if`; an Int branch follows a Float one, and arrays have the sizes of those of the first."""
    condition = elaborator.term(node.condition, scope, BOOL)
    then = elaborator.term(node.then, scope, expected)
    otherwise = elaborator.term(node.otherwise, scope, expected)
    branches = together([then, otherwise])
    if branches is None:
        raise elaborator.fail(f"the branches are {a(then.type)} and {a(otherwise.type)}", node)
    return If(condition, branches[0], elaborator.alike(branches[1], branches[0], node, "the two branches"))


def requirement(elaborator: Elaborator, node: tree.Requirement, scope: Scope, expected: Type | None) -> Term:
    """`require c, numbers… in e`."""
    condition = elaborator.term(node.condition, scope, BOOL)
    numbers = tuple([elaborator.term(n, scope, INT) for n in node.numbers])
    elaborator.required.append(condition)
    body = elaborator.term(node.body, scope, expected)
    elaborator.required.pop()
    return Require(condition, body, Failure[node.kind.upper()], numbers, elaborator.site)


# -- arrays and tuples -----------------------------------------------------------------------------------------------


def collect(elaborator: Elaborator, node: tree.Collect, scope: Scope, expected: Type | None) -> Term:
    """`collect count [i in n, …] guard body`."""
    inner, generators = dict(scope), list[tuple[Term, Var]]()
    for name, written in node.generators:
        size = elaborator.size(written, inner)
        index = Var(name, INT)
        generators.append((size, index))
        inner[name] = index
    count = elaborator.size(node.count, scope)
    guard = elaborator.term(node.guard, inner, BOOL)
    made = Collect(count, tuple(generators), guard, elaborator.term(node.body, inner))
    return elaborator.rectangular(made, node)


def operation(elaborator: Elaborator, node: tree.Operation, scope: Scope, expected: Type | None) -> Term:
    """An operator between or before its operands."""
    wanted = BOOL if node.operator in ("&&", "||") else None
    return elaborator.operate(node.operator, [elaborator.term(o, scope, wanted) for o in node.operands], node)


def index(elaborator: Elaborator, node: tree.Index, scope: Scope, expected: Type | None) -> Term:
    """`a[i]`, `a[i, j]`."""
    result = elaborator.term(node.array, scope)
    for written in node.indices:
        if not isinstance(result.type, Array):
            raise elaborator.fail(f"{a(result.type)} cannot be indexed", node)
        result = Get(result, elaborator.within(elaborator.term(written, scope, INT), Length(result)))
    return result


def project(elaborator: Elaborator, node: tree.Project, scope: Scope, expected: Type | None) -> Term:
    """`e.0`, `e.name`."""
    inner = elaborator.term(node.tuple, scope)
    if not isinstance(inner.type, Tuple):
        raise elaborator.fail(f"{a(inner.type)} has no components", node)
    position = node.position
    if isinstance(position, str):
        names = inner.type.names or ()
        if position not in names:
            raise elaborator.fail(f"{a(inner.type)} has no component `{position}`", node)
        position = names.index(position)
    if position >= len(inner.type.items):
        raise elaborator.fail(f"{a(inner.type)} has {len(inner.type.items)} components, counted from 0", node)
    return Proj(inner, position)


def make_tuple(elaborator: Elaborator, node: tree.MakeTuple, scope: Scope, expected: Type | None) -> Term:
    """A tuple or a record."""
    wanted: Iterable[Type | None] = [None] * len(node.items)
    if isinstance(expected, Tuple) and len(expected.items) == len(node.items):
        wanted = expected.items
    items = tuple([elaborator.term(item, scope, w) for item, w in zip(node.items, wanted, strict=True)])
    if node.names is None:
        return MakeTuple(items)
    return MakeTuple(items, Tuple(tuple([i.type for i in items]), node.names))


def display(elaborator: Elaborator, node: tree.Display, scope: Scope, expected: Type | None) -> Term:
    """`[a, b]`; arrays among them have the sizes of the first."""
    wanted = expected.element if isinstance(expected, Array) else None
    items = [elaborator.term(item, scope, wanted) for item in node.items]
    same = together(items)
    if same is None:
        raise elaborator.fail(f"the elements are of types {', '.join([repr(i.type) for i in items])}", node)
    first, *rest = same
    others = zip(rest, node.items[1:], strict=True)
    return Vector((first, *[elaborator.alike(item, first, place, "elements of one array") for item, place in others]))

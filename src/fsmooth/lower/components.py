"""Components of what a loop gives, by name: then each can have a place of its own (`lower.accumulators`).

(ifold (fun a i -> …) (0, zero n) n).1     is   let a = ifold … in a.1
let t = x.1 in (x.0, t.1)                  is   (x.0, x.1.1)
(y, x) where x is a tuple                  is   (y, (x.0, x.1))
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile

from fsmooth.core.alpha import alpha_equal
from fsmooth.core.build import components, named_part, part_of, whole_of
from fsmooth.core.hints import Hint
from fsmooth.core.shape import Ragged, size_of
from fsmooth.core.subst import substitute
from fsmooth.core.term import (
    Build,
    Carrying,
    Const,
    Get,
    IFold,
    Let,
    MakeTuple,
    Proj,
    Reduce,
    Reduction,
    Term,
    Var,
    Zero,
    let,
)
from fsmooth.core.traverse import subterms
from fsmooth.core.types import Array, Tuple
from fsmooth.lower.placement.fold_roles import Role, roles_of


def with_named_tuple(term: Proj) -> Let | None:
    """A component of what a loop gives, with a name for all of it; None if it is something else."""
    root, path = whole_of(term)
    match root:
        case Carrying(state=state):
            hint = Hint.of(state)
        case Reduce():
            hint = Hint(root.reduction.value)
        case _:
            return None
    var = hint.var(root.type)
    wanted: Term = var
    for k in path:
        wanted = Proj(wanted, k)
    return Let(((var, root),), wanted)


def is_part(term: Build) -> bool:
    """Is it a component of each element of an array?"""
    body: Term = term
    while isinstance(body, Build):
        body = body.body
    return isinstance(body, Proj)


def by_component(scope: Let) -> Term:
    """The scope without second names for components of what it binds, and with tuples of its result written out."""
    bound = {var for var, _ in scope.bindings}
    second: dict[Var, Term] = {}
    bindings: list[tuple[Var, Term]] = []
    for var, value in scope.bindings:
        if second and not value.free.isdisjoint(second):
            value = substitute(value, second)
        if isinstance(value, Proj) and isinstance(value.type, Array | Tuple) and _root(value) in bound:
            second[var] = value
        else:
            bindings.append((var, value))
    body = scope.body
    if second and not body.free.isdisjoint(second):
        body = substitute(body, second)
    body = _written_out(body, bound)
    return scope if not second and body is scope.body else let(bindings, body)


def _root(term: Term) -> Term:
    while isinstance(term, Proj):
        term = term.tuple
    return term


def _written_out(term: Term, bound: set[Var]) -> Term:
    if isinstance(term, MakeTuple):
        items = [_written_out(item, bound) for item in term.items]
        same = all([a is b for a, b in zip(items, term.items, strict=True)])
        return term if same else MakeTuple(tuple(items), term.type)
    if isinstance(term, Proj | Var) and isinstance(term.type, Tuple) and _root(term) in bound:
        return MakeTuple(tuple([_written_out(x, bound) for x in components(term)]), term.type)
    return term


def component_of_elements(term: Build, definitions: Mapping[Var, Term]) -> tuple[Var, tuple[int, ...]] | None:
    """`build n (fun i -> x[i].k)` for an array x of n tuples, of any rank."""
    nest: list[Build] = []
    element: Term = term
    while isinstance(element, Build):
        nest.append(element)
        element = element.body
    element, path = whole_of(element)
    for level in reversed(nest):
        if not isinstance(element, Get) or element.index is not level.index:
            return None
        element = element.array
    root = named_part(element)
    if not path or root is None or root[0] not in definitions:
        return None
    value = definitions[root[0]]
    value = part_of(value, root[1])
    value = let(tuple(takewhile(lambda binding: binding[0] is not root[0], definitions.items())), value)
    try:
        fits = all([alpha_equal(size_of(value, axis), level.size) for axis, level in enumerate(nest)])
    except Ragged:
        return None
    return (root[0], (*root[1], *path)) if fits else None


def only_adds(value: Term) -> bool:
    """Is it a sum without sequential loops?  Then it only adds to where its components go, whatever else is added there."""
    if not isinstance(value, Reduce) or value.reduction is not Reduction.SUM:
        return False
    return not any([isinstance(t, Carrying) for t in subterms(value.body)])


def only_added_to(value: Term, component: tuple[int, ...]) -> bool:
    """Is the component of what a loop gives a sum, that no step of the loop reads?"""
    return isinstance(value, Reduce) or (isinstance(value, IFold) and roles_of(value).get(component) is Role.SUM)


def nothing_like(term: Term) -> Zero:
    """A zero that stands for what was added already; only added itself, so its sizes do not matter."""
    type_ = term.type
    rank = 0
    while isinstance(type_, Array):
        type_, rank = type_.element, rank + 1
    return Zero((Const(0),) * rank) if isinstance(type_, Tuple) else Zero((Const(0),) * rank, type_)

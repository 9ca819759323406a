"""Components of arrays of tuples: each computed by itself, and read where the array was (optimise/unzipping.py)."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from fsmooth.core.build import get, whole_of
from fsmooth.core.subst import refresh
from fsmooth.core.term import (
    Build,
    Const,
    Get,
    If,
    Let,
    MakeTuple,
    Proj,
    Reduce,
    Reduction,
    Term,
    Var,
    Vector,
    Zero,
    let,
)
from fsmooth.core.traverse import children, subterms, transform
from fsmooth.core.types import Array, Tuple
from fsmooth.optimise.regions import Definitions, component, needed_for


class Whole(Exception):
    """The array cannot be taken apart."""


def opened(scope: Term, count: int) -> tuple[Definitions, Term]:
    """The definitions of a scope, of which there were `count`, and what follows them."""
    if isinstance(scope, Let) and count:
        return list(scope.bindings), scope.body
    return [], scope


def is_constant(t: Term) -> bool:
    """Is it an array whose elements are numbers that are written out, cheaper to write again than to load?"""
    match t:
        case Build(_, _, body):
            return is_constant(body)
        case Vector(items):
            return all([is_constant(item) for item in items])
        case _:
            return isinstance(t, Const | Zero)


def element_of_constant(t: Term, at: tuple[Term, ...]) -> Term:
    """`t[at]`, the number itself if it is known and the indices need no check."""
    match t:
        case Build(_, _, body) if isinstance(at[0], Const | Var):
            return element_of_constant(body, at[1:])
        case Vector(items) if isinstance(at[0], Const) and 0 <= at[0].value < len(items):
            return element_of_constant(items[int(at[0].value)], at[1:])
        case Zero(_, leaf) if all([isinstance(index, Const | Var) for index in at]):
            return Zero((), leaf)
        case _:
            return get(t, *at)


def in_components(t: Term) -> Term:
    """`t` with each component of a tuple that has a name, and is used in no other way, computed by itself."""
    whole: set[Term] = {whole_of(t)[0]}
    named: set[Term] = set()
    for x in subterms(t):
        if not isinstance(x, Proj):
            whole.update([whole_of(child)[0] for child in children(x) if isinstance(child.type, Tuple)])
        if isinstance(x, Let):
            named.update([var for var, _ in x.bindings if isinstance(var.type, Tuple)])
    named -= whole
    parts: dict[Term, dict[tuple[int, ...], Var]] = {}

    def change(x: Term) -> Term:
        match x:
            case Proj() if not isinstance(x.type, Tuple):
                var, path = whole_of(x)
                if var not in named:
                    return x
                assert isinstance(var, Var)
                return parts.setdefault(var, {}).setdefault(path, Var(var.name, x.type, var.site))
            case Let(bindings, body):
                done: Definitions = []
                for var, value in bindings:
                    if var not in named:
                        done.append((var, value))
                        continue
                    for path, part in parts.get(var, {}).items():
                        done.append((part, refresh(reduce(_component, path, value))))
                return let(needed_for(body, done), body)
            case _:
                return x

    return transform(t, change)


def _component(value: Term, position: int) -> Term:
    """Component `position` of a tuple, also of a sum of tuples."""
    match value:
        case Reduce(Reduction.SUM, size, index, body):
            return Reduce(Reduction.SUM, size, index, _component(body, position))
        case _:
            return component(value, position)


def array_component(t: Term, k: int) -> Term:
    """An array of tuples with only component `k` of each."""
    match t:
        case MakeTuple(items):
            return items[k]
        case Build(size, index, body):
            return Build(size, index, array_component(body, k))
        case Vector(items):
            return Vector(tuple([array_component(item, k) for item in items]))
        case Reduce(Reduction.SUM, size, index, body):
            return Reduce(Reduction.SUM, size, index, array_component(body, k))
        case If(condition, then, otherwise):
            return If(condition, array_component(then, k), array_component(otherwise, k))
        case Let(bindings, body):
            own = array_component(body, k)
            return let(needed_for(own, list(bindings)), own)
        case Get() | Var() if isinstance(t.type, Tuple):
            return Proj(t, k)
        case _:
            raise Whole


def reading(scope: Term, array: Var, read: Callable[[int, tuple[Term, ...]], Term]) -> Term:
    """`scope` with `read(k, indices)` for component `k` of an element; rows that have names are read through them.

    Raises:
        Whole: if the array is used in another way.

    """
    names: dict[Var, Term] = {array: array}
    for t in subterms(scope):
        if isinstance(t, Let):
            names.update([(var, value) for var, value in t.bindings if _root(value) in names and array is not value])

    def resolved(t: Term) -> Term:
        root = _root(t)
        if root is array or root not in names:
            return t
        return resolved(transform(t, lambda x: names[root] if x is root else x))

    assert isinstance(array.type, Array)
    depth = array.type.rank

    def change(t: Term) -> Term:
        match t:
            case Let(bindings, body) if any([var in names for var, _ in bindings]):
                return let([(var, value) for var, value in bindings if var not in names], body)
            case Proj(element, k):
                at = _indices(resolved(element), array)
                return t if at is None or len(at) != depth else read(k, at)
            case _:
                return t

    def whole(t: Term) -> Term:
        if not isinstance(t, Get | Var) or not isinstance(t.type, Tuple):
            return t
        at = _indices(resolved(t), array)
        return (
            t if at is None or len(at) != depth else MakeTuple(tuple([read(k, at) for k in range(len(t.type.items))]))
        )

    new = transform(scope, change)
    if not new.free.isdisjoint(names):
        new = transform(new, whole)
    if not new.free.isdisjoint(names):
        raise Whole
    return new


def _root(t: Term) -> Term:
    while isinstance(t, Get):
        t = t.array
    return t


def _indices(t: Term, array: Var) -> tuple[Term, ...] | None:
    """The indices of an element of the array; None of anything else."""
    found: list[Term] = []
    while isinstance(t, Get):
        found.append(t.index)
        t = t.array
    return tuple(found[::-1]) if t is array else None

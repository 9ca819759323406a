"""Terms written with Python lambdas for binders, and taken apart; the arithmetic of constants folded in sizes.

The smart constructors here simplify nothing but integer constants; laws live in `optimise/rules`.

>>> from fsmooth.core.term import Get, Length
>>> from fsmooth.core.types import F64, INT, Array
>>> v = Var("v", Array(F64))
>>> build(Length(v), lambda i: Get(v, i), "i")
build (length v) (fun i -> v[i])
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from fsmooth.core import primitives as p
from fsmooth.core.shape import shape_of
from fsmooth.core.term import (
    NOWHERE,
    Build,
    Const,
    Get,
    If,
    IFold,
    Inject,
    Lam,
    Let,
    MakeTuple,
    Null,
    Prim,
    Proj,
    Reduce,
    Reduction,
    Site,
    Term,
    Var,
    Zero,
    scalar_constant,
)
from fsmooth.core.types import INT, Array, Bool, Data, Float, Int, Tuple, Type, leaf_of


def build(size: Term, body: Callable[[Var], Term], name: str = "i", site: Site = NOWHERE) -> Build:
    """`build size (fun i -> body(i))`."""
    index = Var(name, INT, site)
    return Build(size, index, body(index))


def nested_build(sizes: tuple[Term, ...], body: Callable[[tuple[Var, ...]], Term], name: str = "i") -> Term:
    """Builds around `body`, one for each size, outermost first."""
    indices = tuple([Var(f"{name}{k}", INT) for k in range(len(sizes))])
    result = body(indices)
    for size, index in zip(reversed(sizes), reversed(indices), strict=True):
        result = Build(size, index, result)
    return result


def reduce(
    reduction: Reduction, size: Term, body: Callable[[Var], Term], name: str = "i", site: Site = NOWHERE
) -> Reduce:
    """A reduction over 0 … size-1."""
    index = Var(name, INT, site)
    return Reduce(reduction, size, index, body(index))


def sum_(size: Term, body: Callable[[Var], Term], name: str = "i") -> Reduce:
    """`sum size (fun i -> body(i))`."""
    return reduce(Reduction.SUM, size, body, name)


def ifold(size: Term, init: Term, step: Callable[[Var, Var], Term], state: str = "s", index: str = "i") -> IFold:
    """`ifold (fun s i -> step(s, i)) init size`."""
    s, i = Var(state, init.type), Var(index, INT)
    return IFold(size, init, s, i, step(s, i))


def lam(parameters: tuple[tuple[str, Type], ...], body: Callable[..., Term]) -> Lam:
    """`fun x … -> body(x, …)`."""
    variables = tuple([Var(name, type_) for name, type_ in parameters])
    return Lam(variables, body(*variables))


def bind(value: Term, body: Callable[[Term], Term], name: str = "t") -> Term:
    """`let t = value in body(t)`; a variable or constant is passed on without a binding."""
    if isinstance(value, Var | Const):
        return body(value)
    var = Var(name, value.type)
    inner = body(var)
    return Let(((var, value),), inner)


def get(array: Term, *indices: Term) -> Term:
    """`array[i][j]…`"""
    for index in indices:
        array = Get(array, index)
    return array


def prim(primitive: p.Primitive, *arguments: Term) -> Prim:
    """A primitive applied to its arguments."""
    return Prim(primitive, arguments)


def plus(a: Term, b: Term) -> Term:
    """A + b; integer constants are folded."""
    if isinstance(a.type, Int):
        if isinstance(a, Const) and isinstance(b, Const):
            return Const(int(a.value) + int(b.value))
        if isinstance(a, Const) and a.value == 0:
            return b
        if isinstance(b, Const) and b.value == 0:
            return a
    return Prim(p.add, (a, b))


def minus(a: Term, b: Term) -> Term:
    """A - b; integer constants are folded."""
    if isinstance(a.type, Int):
        if isinstance(a, Const) and isinstance(b, Const):
            return Const(int(a.value) - int(b.value))
        if isinstance(b, Const) and b.value == 0:
            return a
    return Prim(p.subtract, (a, b))


def times(a: Term, b: Term) -> Term:
    """A * b; integer constants are folded."""
    if isinstance(a.type, Int):
        if isinstance(a, Const) and isinstance(b, Const):
            return Const(int(a.value) * int(b.value))
        if isinstance(a, Const) and a.value == 1:
            return b
        if isinstance(b, Const) and b.value == 1:
            return a
    return Prim(p.multiply, (a, b))


def quotient(a: Term, b: Term) -> Term:
    """A // b of integers, of which b is not zero; constants are folded."""
    if isinstance(a, Const) and isinstance(b, Const):
        return Const(int(a.value) // int(b.value))
    return Prim(p.floor_divide, (a, b))


def equals(a: Term, b: Term) -> Term:
    """A == b."""
    return Prim(p.equal, (a, b))


def both(a: Term, b: Term) -> Term:
    """A && b (b is evaluated only if a holds)."""
    return If(a, b, Const(False))


def either(a: Term, b: Term) -> Term:
    """A || b (b is evaluated only if a does not hold)."""
    return If(a, Const(True), b)


def number(value: float, like: Type) -> Const:
    """A constant of the given scalar type."""
    return scalar_constant(value, like)


def flat_scope(term: Term) -> tuple[list[tuple[Var, Term]], Term]:
    """The definitions with which a term begins, through scopes that are the bodies of scopes, and what follows them."""
    bindings: list[tuple[Var, Term]] = []
    while isinstance(term, Let):
        bindings.extend(term.bindings)
        term = term.body
    return bindings, term


def project(term: Term, k: int) -> Term:
    """Component k of a tuple term."""
    return term.items[k] if isinstance(term, MakeTuple) else Proj(term, k)


def whole_of(term: Term) -> tuple[Term, tuple[int, ...]]:
    """What `x.0.1` is a component of, x, and its positions, (0, 1)."""
    path: list[int] = []
    while isinstance(term, Proj):
        path.append(term.position)
        term = term.tuple
    return term, tuple(reversed(path))


def named_part(term: Term) -> tuple[Var, tuple[int, ...]] | None:
    """Variable and positions of `x`, `x.0`, `x.0.1`, …; None if it is no component of a variable."""
    whole, path = whole_of(term)
    return (whole, path) if isinstance(whole, Var) else None


def part_of(term: Term, path: tuple[int, ...]) -> Term:
    """The component at these positions."""
    for k in path:
        term = term.items[k] if isinstance(term, MakeTuple) else Proj(term, k)
    return term


def components(term: Term) -> tuple[Term, ...]:
    """The components of a tuple term."""
    if isinstance(term, MakeTuple):
        return term.items
    assert isinstance(term.type, Tuple)
    return tuple([Proj(term, k) for k in range(len(term.type.items))])


def parts_written(term: Term) -> Iterator[Term]:
    """The parts of a tuple of tuples that are written out, left to right."""
    if isinstance(term, MakeTuple):
        for item in term.items:
            yield from parts_written(item)
    else:
        yield term


def zero_like(term: Term) -> Term:
    """The zero tangent of `term`: `zero` for reals, () for Int and Bool, inside arrays and tuples likewise."""
    return _zero(term, term.type)


def tuple_of(items: Sequence[Term]) -> Term:
    """A tuple; of one thing, that itself."""
    return items[0] if len(items) == 1 else MakeTuple(tuple(items))


def blank_of(type_: Type) -> Term:
    """A value that nobody reads."""
    if isinstance(type_, Tuple):
        return MakeTuple(tuple([blank_of(item) for item in type_.items]), type_)
    if isinstance(type_, Bool):
        return Const(False)
    if isinstance(type_, Data):
        return _blank_data(type_)
    if isinstance(type_, Array) and not isinstance(leaf_of(type_), Float):
        return nested_build(shape_of(Var("blank", type_)), lambda _: blank_of(leaf_of(type_)))
    return Const(0) if isinstance(type_, Int) else zero_like(Var("blank", type_))


def _blank_data(type_: Data) -> Term:
    """Of data that may be made anew a constructor without data in it, since making them anew reads them."""
    if type_.is_remade:
        for k, fields in enumerate(type_.constructors):
            if not any([isinstance(field, Data) for field in fields]):
                return Inject(type_, k, tuple([_without_elements(field) for field in fields]))
    return Null(type_)


def _without_elements(type_: Type) -> Term:
    if not isinstance(type_, Array):
        return blank_of(type_)
    return build(
        Const(0), lambda i: Null(type_.element) if isinstance(type_.element, Data) else _without_elements(type_.element)
    )


def _zero(term: Term, type_: Type) -> Term:
    match type_:
        case Float():
            return Zero((), type_)
        case Array():
            sizes = shape_of(term)
            leaf: Type = type_
            for _ in sizes:
                assert isinstance(leaf, Array)
                leaf = leaf.element
            if isinstance(leaf, Float):
                return Zero(sizes, leaf)
            return nested_build(sizes, lambda indices: _zero(get(term, *indices), leaf))
        case Tuple(items):
            return MakeTuple(tuple([_zero(Proj(term, k), item) for k, item in enumerate(items)]), type_)
        case _:
            return MakeTuple(())

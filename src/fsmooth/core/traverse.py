"""Children of a term, rebuilding it from new ones, iteration.

`children(t)` lists the immediate subterms in evaluation order; `rebuild(t, new)` makes the same construct
from new ones and returns `t` itself if nothing changed.  `bound_in(t, k)` names the variables that `t` binds
in child number k.  Together they are all that a generic pass needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter, is_
from typing import assert_never, cast

from fsmooth.core.term import (
    AnyTerm,
    App,
    Build,
    Check,
    Collect,
    Const,
    Custom,
    Delta,
    Deriv,
    Get,
    If,
    IFold,
    Lam,
    Length,
    Let,
    MakeTuple,
    MapTerm,
    Plus,
    Prim,
    Proj,
    Reduce,
    Require,
    Term,
    Unread,
    Update,
    Var,
    Vector,
    While,
    Zero,
)

_NONE: tuple[Var, ...] = ()


def children(term: Term) -> tuple[Term, ...]:
    """The immediate subterms, in evaluation order.

    >>> from fsmooth.core.types import INT
    >>> n, i = Var("n", INT), Var("i", INT)
    >>> children(Build(n, i, i)) == (n, i)
    True
    """
    return _CHILDREN.get(type(term), _parts)(term)


def _parts(t: MapTerm) -> tuple[Term, ...]:
    return t.parts


def _let_children(t: Let) -> tuple[Term, ...]:
    return (*[value for _, value in t.bindings], t.body)


_CHILDREN: dict[type, Callable[..., tuple[Term, ...]]] = {
    Const: lambda t: (),
    Var: lambda t: (),
    Let: _let_children,
    Lam: lambda t: (t.body,),
    App: lambda t: (t.function, *t.arguments),
    If: attrgetter("condition", "then", "otherwise"),
    Build: attrgetter("size", "body"),
    Vector: attrgetter("items"),
    IFold: attrgetter("size", "init", "body"),
    While: attrgetter("init", "condition", "body"),
    Reduce: attrgetter("size", "body"),
    Collect: lambda t: (t.count, *[size for size, _ in t.generators], t.guard, t.body),
    Get: attrgetter("array", "index"),
    Length: lambda t: (t.array,),
    MakeTuple: attrgetter("items"),
    Proj: lambda t: (t.tuple,),
    Prim: attrgetter("arguments"),
    Zero: attrgetter("sizes"),
    Unread: attrgetter("sizes"),
    Delta: attrgetter("size", "index", "value"),
    Update: attrgetter("array", "index", "value"),
    Plus: attrgetter("items"),
    Check: attrgetter("index", "size"),
    Require: lambda t: (t.condition, *t.numbers, t.body),
    Custom: lambda t: tuple([part for part in (t.function, t.jvp, t.vjp) if part is not None]),
    Deriv: lambda t: (t.function,),
}


def rebuild(term: Term, new: Sequence[Term]) -> Term:
    """`term` with its children replaced, binders unchanged; `term` itself if every child is the same object."""
    old = children(term)
    if len(old) == len(new) and all(map(is_, old, new)):
        return term
    t = cast(AnyTerm, term)
    match t:
        case Prim():
            return Prim(t.primitive, tuple(new))
        case Get():
            return Get(new[0], new[1])
        case Proj():
            return Proj(new[0], t.position)
        case Let(bindings):
            return Let(tuple([(var, v) for (var, _), v in zip(bindings, new[:-1], strict=True)]), new[-1])
        case Lam(parameters):
            return Lam(parameters, new[0])
        case App():
            return App(new[0], tuple(new[1:]))
        case If():
            return If(new[0], new[1], new[2])
        case Build():
            return Build(new[0], t.index, new[1])
        case Vector():
            return Vector(tuple(new))
        case IFold():
            return IFold(new[0], new[1], t.state, t.index, new[2])
        case While():
            return While(new[0], t.state, new[1], new[2])
        case Reduce():
            return Reduce(t.reduction, new[0], t.index, new[1])
        case Collect(_, generators):
            sizes = tuple([(s, i) for s, (_, i) in zip(new[1:-2], generators, strict=True)])
            return Collect(new[0], sizes, new[-2], new[-1])
        case Length():
            return Length(new[0], t.axis)
        case MakeTuple():
            return MakeTuple(tuple(new), t.type)
        case Zero():
            return Zero(tuple(new), t.leaf)
        case Delta():
            return Delta(new[0], new[1], new[2])
        case Update():
            return Update(new[0], new[1], new[2])
        case Plus():
            return Plus(tuple(new))
        case Check():
            return Check(new[0], new[1], t.site)
        case Require():
            return Require(new[0], new[-1], t.failure, tuple(new[1:-1]), t.site)
        case Custom():
            return t.with_parts(tuple(new))
        case Deriv():
            return Deriv(new[0], t.wrt, t.verb, t.method, t.single, t.checkpoint)
        case MapTerm():
            return t.with_parts(new)
        case Const() | Var():
            return term
        case _:
            assert_never(t)


def bound_in(term: Term, child: int) -> tuple[Var, ...]:
    """The variables that `term` itself binds in its child number `child`, in scope order."""
    match term:
        case Let(bindings):
            return tuple([var for var, _ in bindings[:child]])
        case Lam():
            return term.parameters
        case Build() | Reduce():
            return (term.index,) if child == 1 else _NONE
        case IFold():
            return (term.state, term.index) if child == 2 else _NONE
        case While():
            return (term.state,) if child > 0 else _NONE
        case Collect(_, generators):
            if child == 0:
                return _NONE
            return tuple([index for _, index in generators[: child - 1]])
        case _:
            return _NONE


def binds(term: Term) -> bool:
    """Does this construct bind variables?"""
    return type(term) in _BINDERS


_BINDERS = frozenset((Let, Lam, Build, Reduce, IFold, While, Collect))


def opens_region(node: Term, child: int) -> bool:
    """Is child number `child` evaluated under its own conditions: a loop body, a branch, a function body?"""
    match node:
        case Build() | Reduce():
            return child == 1
        case IFold():
            return child == 2
        case While():
            return child > 0
        case Collect():
            return child > 1
        case Lam():
            return True
        case If():
            return child > 0
        case Require():
            return child == len(children(node)) - 1
        case _:
            return False


def size_of_tree(term: Term) -> int:
    """The number of nodes of the term as a tree (shared subterms count each time); cached, without recursion."""
    stack = [term]
    while stack:
        t = stack[-1]
        if t._size:
            stack.pop()
            continue
        parts = children(t)
        missing = [c for c in parts if not c._size]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        t._size = 1 + sum([c._size for c in parts])
    return term._size


def subterms(term: Term) -> Iterator[Term]:
    """Every distinct node of the term (shared ones once), each before its children."""
    seen: set[int] = set()
    stack = [term]
    while stack:
        t = stack.pop()
        if id(t) in seen:
            continue
        seen.add(id(t))
        yield t
        stack.extend(reversed(children(t)))


def transform(term: Term, change: Callable[[Term], Term]) -> Term:
    """Bottom-up: rebuild each node from its transformed children, then apply `change` to it.

    Nodes shared inside `term` are transformed once.  No recursion.
    """
    done: dict[int, Term] = {}
    keep: list[Term] = []
    stack: list[tuple[Term, bool]] = [(term, False)]
    while stack:
        t, ready = stack.pop()
        if id(t) in done:
            continue
        parts = children(t)
        if ready or not parts:
            done[id(t)] = change(rebuild(t, [done[id(c)] for c in parts]))
            keep.append(t)
        else:
            stack.append((t, True))
            stack.extend([(c, False) for c in parts if id(c) not in done])
    return done[id(term)]

"""What conditions say of values where they hold: of which class a node is, of which kind a value.

Inside `if`, and behind an `if` that leaves, its condition is assumed (`Shared.assuming`): a test of a tag then tells which
tags a value may have there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from fsmooth.core import primitives as p
from fsmooth.core.term import Const, Field, Get, If, MakeTuple, Prim, Proj, Term, Var
from fsmooth.frontend.python.frame import Frame

Asked = Callable[[Term], int | None]
"""Which tag a test asks for of the value that is looked at; None where it asks for something else."""


def is_possible(frame: Frame, asked: Asked, tag: int) -> bool:
    """May a value have this tag here?"""
    return all([_holds(frame, test, asked, tag) in (None, truth) for test, truth in frame.shared.assumed])


def has_one_of(has: Callable[[int], Term], possible: Collection[int], wanted: Collection[int]) -> Term:
    """Is the tag, for which `has` tests, one of these?  Known while compiling where all of the possible ones are, or none."""
    inside = sorted([k for k in possible if k in wanted])
    outside = sorted([k for k in possible if k not in wanted])
    if not inside or not outside:
        return Const(not outside)
    if len(outside) < len(inside):
        return negated(_is_one_of(has, outside))
    return _is_one_of(has, inside)


def negated(test: Term) -> Term:
    """The opposite of a test."""
    match test:
        case Prim(p.logical_not, (inner,)):
            return inner
        case _:
            return Prim(p.logical_not, (test,))


def _is_one_of(has: Callable[[int], Term], tags: list[int]) -> Term:
    first, *rest = tags
    test = has(first)
    return If(test, Const(True), _is_one_of(has, rest)) if rest else test


def _holds(frame: Frame, test: Term, asked: Asked, tag: int) -> bool | None:
    """Does a condition hold if the value has this tag?  None if that does not tell."""
    match definition_of(frame, test):
        case Const(value):
            return bool(value)
        case Prim(p.logical_not, (inner,)):
            holds = _holds(frame, inner, asked, tag)
            return None if holds is None else not holds
        case If(condition, then, otherwise):
            holds = _holds(frame, condition, asked, tag)
            if holds is not None:
                return _holds(frame, then if holds else otherwise, asked, tag)
            either = (_holds(frame, then, asked, tag), _holds(frame, otherwise, asked, tag))
            return either[0] if either[0] is either[1] else None
        case Prim(p.equal, (chosen, Const() as value)):
            found = definition_of(frame, chosen)
            if isinstance(found, If) and isinstance(found.then, Const) and isinstance(found.otherwise, Const):
                ways = [Const(way.value == value.value) for way in (found.then, found.otherwise)]
                return _holds(frame, If(found.condition, *ways), asked, tag)
            wanted = asked(Prim(p.equal, (found, value)))
            return None if wanted is None else tag == wanted
        case other:
            wanted = asked(other)
            return None if wanted is None else tag == wanted


def definition_of(frame: Frame, term: Term) -> Term:
    """What a name stands for, and a component of what is put together."""
    while True:
        match term:
            case Var() if term in frame.shared.definitions:
                term = frame.shared.definitions[term]
            case Proj(whole, k):
                made = definition_of(frame, whole)
                if not isinstance(made, MakeTuple):
                    return Proj(made, k) if isinstance(made, Var | Proj) and made is not whole else term
                term = made.items[k]
            case _:
                return term


def is_same(frame: Frame, one: Term, other: Term) -> bool:
    """Do two paths lead to the same?"""
    if one is other:
        return True
    match definition_of(frame, one), definition_of(frame, other):
        case a, b if a is b:
            return True
        case Proj(x, i), Proj(y, j):
            return i == j and is_same(frame, x, y)
        case Field(x, i, k), Field(y, j, l):
            return (i, k) == (j, l) and is_same(frame, x, y)
        case Get(x, i), Get(y, j):
            return is_same(frame, x, y) and is_same(frame, i, j)
        case Prim(f, xs), Prim(g, ys) if f is g:
            return all([is_same(frame, x, y) for x, y in zip(xs, ys, strict=True)])
        case Const(x), Const(y):
            return bool(x == y)
        case _:
            return False

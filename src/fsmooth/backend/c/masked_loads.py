"""Loops of which gcc must make no vectors: it permutes elements that are read under a mask, and forgets to (PR 114375).

Where a loop reads several elements of one array side by side, `a[2 * i + 1]` and `a[2 * i]`, and stores or sums several, gcc
before 11.5, 12.4, 13.3 and 14 may turn a condition in its body into masks, and then reads the elements in the order in which
they lie instead of that of their use.  The result is wrong.  These loops are run one iteration at a time by those compilers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from fsmooth.core import primitives as p
from fsmooth.core.types import INT
from fsmooth.loops import tree as t
from fsmooth.loops.affine import slope
from fsmooth.loops.arithmetic import inside, replace, same, times
from fsmooth.loops.usage import expressions_of, names_in, walk

_UNROLLED = 64
"""Loops of so many iterations may have been unrolled when gcc makes vectors of the loop around them."""


def may_permute_masked_loads(loop: t.For, known: Collection[str]) -> bool:
    """Is there a condition, several reads of one array that lie side by side, and several places that are written?

    `known`: the integers that gcc may know (`known_integers`).
    """
    if not _is_innermost(loop, known):
        return False
    if not any([_has_condition(s) for s in walk(loop.body)]):
        return False
    return _writes_several(loop) and _reads_side_by_side(loop)


def known_integers(body: Sequence[t.Statement]) -> set[str]:
    """The names of integers that gcc may know as numbers: what is compared with a number, or made of such integers."""
    made: list[tuple[set[str], set[str]]] = []
    for s in walk(body):
        match s:
            case t.Declare(name, _, t.Expression() as value) if s.type == INT and not s.mutable:
                if not any([isinstance(e, t.Load) for e in inside(value)]):
                    made.append(({name}, _names([value])))
            case t.Demand(condition=condition) | t.If(condition=condition):
                for e in inside(condition):
                    if isinstance(e, t.Operation) and e.primitive in (p.equal, p.not_equal):
                        left, right = _names(e.arguments[:1]), _names(e.arguments[1:])
                        made += [(left, right), (right, left)]
            case _:
                pass
    known: set[str] = set()
    before = -1
    while len(known) > before:
        before = len(known)
        for names, of in made:
            if of <= known:
                known |= names
    return known


def _is_innermost(loop: t.For, known: Collection[str]) -> bool:
    """Are loops inside it, if there are any, short ones of a length that gcc knows, which it unrolls?"""
    for s in walk(loop.body):
        match s:
            case t.For(size=t.Literal(value)) if value <= _UNROLLED:
                pass
            case t.For(size=size) if not isinstance(size, t.Literal) and _names([size]) <= set(known):
                pass
            case t.Declare() | t.Assign() | t.Store() | t.If() | t.Fill() | t.Copy() | t.LocalArray() | t.Choose():
                pass
            case _:
                return False
    return True


def _has_condition(s: t.Statement) -> bool:
    return isinstance(s, t.If) or any([isinstance(e, t.Conditional) for e in inside(*expressions_of(s))])


def _writes_several(loop: t.For) -> bool:
    """Does an iteration write more than one element or sum of a kind?"""
    written: dict[str, t.Expression] = {}
    sums: set[str] = set()
    inner = False
    for s in walk(loop.body):
        match s:
            case t.For():
                inner = True
            case t.Store():
                if inner or not same(written.setdefault(s.buffer, s.index), s.index):
                    return True
            case t.Assign(name=name):
                sums.add(name)
                if inner or len(sums) > 1:
                    return True
            case _:
                pass
    return False


def _reads_side_by_side(loop: t.For) -> bool:
    """Does an iteration read two elements of an array, and the next one those that are two or more further on?"""
    moving: dict[str, t.Expression] = {}
    inner: set[str] = set()
    pointers: set[str] = set()
    first: dict[str, t.Expression] = {}
    for s in walk(loop.body):
        for e in inside(*expressions_of(s)):
            if not isinstance(e, t.Load):
                continue
            at = _in_terms_of_index(e.index, moving)
            if e.buffer not in pointers and not _strides(at, loop.index):
                continue
            if _mentions(e.index, inner) or not same(first.setdefault(e.buffer, e.index), e.index):
                return True
        match s:
            case t.For(index=index):
                inner.add(index)
            case t.Choose(pointer=pointer):
                pointers.add(pointer)
            case t.Declare(name=name, value=t.Expression() as value) if s.type == INT:
                at = _in_terms_of_index(value, moving)
                moving[name] = at if _is_gathered(at) else times(slope(at, loop.index), t.Name(loop.index, INT))
            case _:
                pass
    return False


def _strides(at: t.Expression, index: str) -> bool:
    """Does a place move by two elements or more, or by we do not know how many, with each iteration?"""
    if _is_gathered(at):
        return False
    by = slope(at, index)
    return not (isinstance(by, t.Literal) and abs(by.value) <= 1)


def _is_gathered(at: t.Expression) -> bool:
    """Is it read or chosen, so that no two such places are known to lie side by side?"""
    return any([isinstance(e, t.Load | t.Conditional) for e in inside(at)])


def _in_terms_of_index(e: t.Expression, moving: dict[str, t.Expression]) -> t.Expression:
    """The expression with the variables of the body that it reads replaced by what grows with the index as they do."""
    for x in list(inside(e)):
        if isinstance(x, t.Name) and x.name in moving:
            e = replace(e, x.name, moving[x.name])
    return e


def _mentions(e: t.Expression, names: set[str]) -> bool:
    return any([isinstance(x, t.Name) and x.name in names for x in inside(e)])


def _names(expressions: Iterable[t.Expression]) -> set[str]:
    found: set[str] = set()
    for e in expressions:
        names_in(e, found)
    return found

"""Names that have a value only if a branch was taken, or a loop has steps: reading one asks whether it has.

Python gives such a name no value before; here it is of one of two kinds, the first of which is `UNASSIGNED`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import Enum
from typing import NoReturn

from fsmooth.core import primitives as p
from fsmooth.core.alternatives import kinds_of, one_of
from fsmooth.core.build import minus, project
from fsmooth.core.term import Const, Failure, If, MakeTuple, Prim, Require, Term, Var
from fsmooth.core.trees import Constant
from fsmooth.core.types import Tuple, Type
from fsmooth.errors import UndefinedNameError
from fsmooth.frontend.python.alternatives import is_of, is_of_kinds, possible_kinds
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.liveness import live_at
from fsmooth.frontend.python.parts import seen
from fsmooth.frontend.python.unreturned import Unassigned
from fsmooth.frontend.python.values import Static, Value


class Nothing(Enum):
    """What a name stands for that has no value yet."""

    UNASSIGNED = "no value"

    def __repr__(self) -> str:
        return "no value"


UNASSIGNED = Nothing.UNASSIGNED


def is_live(frame: Frame, node: ast.AST, name: str) -> bool:
    """May the value be read that a name has where a loop begins, or behind another statement?"""
    return name in live_at(frame.source.node, node)


def before_steps(frame: Frame, node: ast.AST, names: Iterable[str]) -> None:
    """The names that only a loop assigns, and that are read behind it, or in a step before they are assigned."""
    for name in names:
        if name not in frame.names and is_live(frame, node, name):
            frame.names[name] = Static(UNASSIGNED)


def assigned(frame: Frame, name: str, value: Value, node: ast.AST) -> Value:
    """The value of a name that is read, which is required to have one."""
    if _has_none(value):
        _fail(frame, name, node)
    if not (isinstance(value, Term) and is_of_kinds(value)):
        return value
    kinds = kinds_of(value.type)
    place = next((k for k, kind in enumerate(kinds) if _is_unassigned(kind)), None)
    if place is None:
        return value
    value = value if isinstance(value, Var) else frame.bind(value, name)
    possible = possible_kinds(frame, value)
    others = [k for k in possible if k != place]
    if not others:
        _fail(frame, name, node)
    made = _without(value, place, others)
    if place not in possible:
        return seen(made)
    site = frame.site(node, f"UnboundLocalError: {name} has no value")
    at = Var(name, made.type)
    frame.scope.append((at, Require(is_of(frame, value, others), made, Failure.RAISED, (), site)))
    return seen(at)


def _is_unassigned(kind: Type) -> bool:
    return isinstance(kind, Tuple) and isinstance(kind.record, Constant) and kind.record.value is UNASSIGNED


def _fail(frame: Frame, name: str, node: ast.AST) -> NoReturn:
    if name in frame.settling:
        frame.settling[name] = node
        raise Unassigned(name, node)
    frame.fail(UndefinedNameError, node, f"{name} has no value here", f"assign {name} before")


@contextmanager
def settling(frame: Frame, names: Iterable[str]) -> Iterator[list[str]]:
    """Steps of a loop are read that may assign names before a later one reads them: so reading them is no mistake yet.

    Gives those of the names that have no value before the loop.
    """
    outside = frame.settling
    own = [n for n in names if _has_none(frame.names.get(n))]
    frame.settling = {**outside, **dict.fromkeys(own)}
    try:
        yield own
    finally:
        frame.settling = {n: where if n in own else frame.settling[n] for n, where in outside.items()}


def next_round(frame: Frame, names: Iterable[str]) -> None:
    """The steps are read anew, with what is known by now."""
    frame.settling.update(dict.fromkeys(names))


def require_assigned(frame: Frame, names: Iterable[str]) -> None:
    """Report a name that is read though no step assigns it before."""
    for name in names:
        where = frame.settling[name]
        if where is not None:
            hint = f"assign {name} before the loop"
            frame.fail(UndefinedNameError, where, f"{name} has no value in the first step", hint)


def _has_none(value: Value | None) -> bool:
    return isinstance(value, Static) and value.value is UNASSIGNED


def _without(value: Term, place: int, others: list[int]) -> Term:
    """The value as one of the other kinds."""
    if len(others) == 1:
        return project(value, 1 + others[0])
    kinds = kinds_of(value.type)
    left = [k for k in range(len(kinds)) if k != place]
    tag = project(value, 0)
    moved = If(Prim(p.less, (Const(place), tag)), minus(tag, Const(1)), tag)
    return MakeTuple((moved, *[project(value, 1 + k) for k in left]), one_of(tuple([kinds[k] for k in left])))

"""`if`: branches that return, and branches that join the names they assign."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeVar

from fsmooth.core.build import project
from fsmooth.core.term import Const, If, Let, MakeTuple, Term, Var
from fsmooth.core.types import Type
from fsmooth.errors import UnsupportedError
from fsmooth.frontend.python.alternatives import narrowed
from fsmooth.frontend.python.claims import Raised, not_raised
from fsmooth.frontend.python.conversion import Model, convert, join_kinds_of
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.function_values import returned
from fsmooth.frontend.python.joins import branch, model_in
from fsmooth.frontend.python.list_branches import Either, either
from fsmooth.frontend.python.logic import condition, negated
from fsmooth.frontend.python.parts import is_part, seen
from fsmooth.frontend.python.sizes import alike
from fsmooth.frontend.python.syntax import assigned_names
from fsmooth.frontend.python.unassigned import UNASSIGNED, is_live
from fsmooth.frontend.python.unreturned import Unreturned, either_known
from fsmooth.frontend.python.values import Growing, Missing, Static, Value

_T = TypeVar("_T")


def returning_branch(
    frame: Frame, node: ast.If, test: ast.expr, then: list[ast.stmt], otherwise: list[ast.stmt], rest: list[ast.stmt]
) -> Value | None:
    """A branch that returns: what follows belongs to the branches that go on."""
    holds = condition(frame, test)
    if isinstance(holds, Const):
        return frame.block([*(then if holds.value else otherwise), *rest])
    first, second = either_known(
        lambda: where(frame, holds, True, lambda: block_or_raise(frame, [*then, *rest], node)),
        lambda: where(frame, holds, False, lambda: block_or_raise(frame, [*otherwise, *rest], node)),
    )
    match first, second:
        case (Raised(), None) | (None, Raised()):
            raise Unreturned(node)
        case (Term() as known, None) | (None, Term() as known):
            return known
        case Raised(), Raised():
            raise first
        case Raised(), Term():
            return not_raised(frame, first.node, negated(holds), second)
        case Term(), Raised():
            return not_raised(frame, second.node, holds, first)
        case Term(), Term():
            return branch(frame, holds, first, second, node)
    return None


def where(frame: Frame, condition: Term, holds: bool, read: Callable[[], _T]) -> _T:
    """What `read` reads where a condition holds, or where it does not."""
    with frame.shared.assuming(condition, holds):
        return read()


def block_or_raise(frame: Frame, body: list[ast.stmt], node: ast.AST) -> Term | Raised:
    """The value that a block returns, or the raise that it ends with."""
    try:
        return closed_block(frame, body, node)
    except Raised as raised:
        return raised


def closed_block(frame: Frame, body: list[ast.stmt], node: ast.AST) -> Term:
    """The value that a block returns, with names of its own."""
    return closed(frame, lambda: frame.block(body), node)


def closed(frame: Frame, make: Callable[[], Value | None], node: ast.AST) -> Term:
    """The value that `make` returns, with names of its own."""
    saved = dict(frame.names)

    def run() -> Term:
        result = make()
        if result is None:
            frame.fail(UnsupportedError, node, "the function returns only if a branch is taken", "end it with return")
        return returned(frame, result, node)

    try:
        return frame.inside(run, conditional=True)
    finally:
        frame.names.clear()
        frame.names.update(saved)


def branch_statement(
    frame: Frame, test: ast.expr, then: list[ast.stmt], otherwise: list[ast.stmt], node: ast.AST
) -> None:
    """if: the names that the branches assign are joined."""
    holds = condition(frame, test)
    if isinstance(holds, Const):
        for statement in then if holds.value else otherwise:
            frame.statement(statement)
        return
    holds = frame.bind(holds, "c")
    before = dict(frame.names)
    one, other = either_known(
        lambda: where(frame, holds, True, lambda: run_branch(frame, then)),
        lambda: where(frame, holds, False, lambda: run_branch(frame, otherwise)),
    )
    if one is None or other is None:
        for statement in then if other is None else otherwise:
            frame.statement(statement)
        return
    (first_scope, first), (second_scope, second) = one, other
    assigned = [n for n in assigned_names([*then, *otherwise]) if n in first or n in second]
    joined: list[str] = []
    lists: dict[str, Either] = {}
    for name in assigned:
        a, b = first.get(name), second.get(name)
        if a is b:
            if a is not None:
                frame.names[name] = a
            continue
        only = b if a is None else a
        if (a is None or b is None) and joins_nothing(only) and is_live(frame, node, name):
            first[name], second[name] = a, b = [Static(UNASSIGNED) if v is None else v for v in (a, b)]
        if a is None or b is None or isinstance(a, Missing) or isinstance(b, Missing):
            why = f"{name} has a value only if the branch on line {frame.site(node).line} is taken"
            frame.names[name] = Missing(why, f"assign {name} before the if, or in both branches")
            continue
        list_of_both = either(frame, a, b, node)
        if list_of_both is not None:
            lists[name] = list_of_both
        elif isinstance(a, Growing) or isinstance(b, Growing):
            why = f"{name} is a list that grows in one branch on line {frame.site(node).line}, and another in the other"
            frame.names[name] = Missing(why, "append to it, or give the new list another name")
            continue
        elif not (is_part(a) and is_part(b)) and not (isinstance(a, Term | Static) and isinstance(b, Term | Static)):
            frame.names[name] = Missing(f"{name} is another iterator in each branch", "use it inside the branches")
            continue
        joined.append(name)
    for name, value in before.items():
        if name not in assigned:
            lost = [b[name] for b in (first, second) if isinstance(b.get(name), Missing)]
            frame.names[name] = lost[0] if lost else value
    if not joined:
        return
    pairs = [
        (lists[n].first, lists[n].second)
        if n in lists
        else (frame.as_part(first[n], node), frame.as_part(second[n], node))
        for n in joined
    ]
    types = [
        join_kinds_of(frame, a.type, b.type, node, f"the values of {n} in the two branches")
        for n, (a, b) in zip(joined, pairs, strict=True)
    ]
    own = [[var for var, _ in scope] for scope in (first_scope, second_scope)]
    models = [[model_in(b, own[1]) for _, b in pairs], [model_in(a, own[0]) for a, _ in pairs]]
    then_term = close_branch(frame, first_scope, [a for a, _ in pairs], types, models[0], node)
    else_term = close_branch(frame, second_scope, [b for _, b in pairs], types, models[1], node)
    result = If(holds, then_term, alike(frame, else_term, then_term, node, "the two branches"))
    whole = frame.bind(result, joined[0] if len(joined) == 1 else "branch")
    for k, name in enumerate(joined):
        part = whole
        if len(joined) > 1:
            part = frame.bind(project(whole, k), name)
            frame.shared.views.remember(part, pairs[k][0], pairs[k][1])
        if name in lists:
            frame.names[name] = lists[name].joined(frame, name, part)
        else:
            frame.names[name] = seen(part)


def joins_nothing(value: Value | None) -> bool:
    """Can a name have this value in one branch and none in the other?"""
    return value is not None and is_part(value) and not isinstance(value, Growing)


def run_branch(frame: Frame, body: list[ast.stmt]) -> tuple[list[tuple[Var, Term]], dict[str, Value]]:
    """Run the statements of a branch in a scope and names of its own."""
    saved = dict(frame.names)
    outer, frame.scope = frame.scope, []
    frame.conditional += 1
    try:
        for statement in body:
            frame.statement(statement)
        return frame.scope, {name: narrowed(frame, value) for name, value in frame.names.items()}
    finally:
        frame.conditional -= 1
        frame.scope = outer
        frame.names.clear()
        frame.names.update(saved)


def close_branch(
    frame: Frame,
    scope: list[tuple[Var, Term]],
    values: list[Term],
    types: list[Type],
    models: list[Model],
    node: ast.AST,
) -> Term:
    """The tuple of a branch's values, at the joined types, with its bindings; `models` are those of the other branch."""
    outer, frame.scope = frame.scope, scope
    made = [convert(frame, v, t, node, [m]) for v, t, m in zip(values, types, models, strict=True)]
    frame.scope = outer
    body = made[0] if len(made) == 1 else MakeTuple(tuple(made))
    return Let(tuple(scope), body) if scope else body

"""Two values as one, of which a condition says which is taken: at their common type, with their common sizes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection

from fsmooth.core.term import Call, If, Let, MakeTuple, Proj, Require, Term, Var
from fsmooth.core.types import Type
from fsmooth.frontend.python.conversion import Model, convert, join_kinds_of
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.kinds import identical
from fsmooth.frontend.python.parts import seen
from fsmooth.frontend.python.sizes import alike
from fsmooth.frontend.python.unreturned import either_known
from fsmooth.frontend.python.values import Value


def either_way(
    frame: Frame, test: Term, then: Callable[[], Value], otherwise: Callable[[], Value], node: ast.AST
) -> Value:
    """What one of two gives: `then` where the test holds, which it may assume, and `otherwise` where it does not."""

    def read(make: Callable[[], Value], holds: bool) -> Term:
        with frame.shared.assuming(test, holds):
            return frame.inside(lambda: frame.as_part(make(), node), conditional=True)

    first, second = either_known(lambda: read(then, True), lambda: read(otherwise, False))
    if first is None or second is None:
        known = first if second is None else second
        assert known is not None
        return seen(known)
    return seen(branch(frame, test, first, second, node))


def branch(frame: Frame, condition: Term, then: Term, otherwise: Term, node: ast.AST) -> Term:
    """A conditional value, at the common type and with the common sizes of its branches."""
    wanted = join_kinds_of(frame, then.type, otherwise.type, node, "the two branches")
    first = _of_branch(frame, then, wanted, node, otherwise)
    second = _of_branch(frame, otherwise, wanted, node, then)
    return If(condition, first, alike(frame, second, first, node, "the two branches"))


def _of_branch(frame: Frame, value: Term, wanted: Type, node: ast.AST, other: Term) -> Term:
    """The value of a branch at the common type; what it takes to convert it is done in the branch."""
    if identical(value.type, wanted):
        return convert(frame, value, wanted, node)
    bindings, inner = (value.bindings, value.body) if isinstance(value, Let) else ((), value)
    own, rest = ([v for v, _ in other.bindings], other.body) if isinstance(other, Let) else ([], other)
    made = frame.inside(lambda: convert(frame, inner, wanted, node, [model_in(rest, own)]))
    return Let(bindings, made) if bindings else made


def model_in(value: Term, own: Collection[Var]) -> Model:
    """What the other branch gives: outside is known what is made of none of its `own` names."""
    return Model(value, lambda part: _known_outside(part, (), own))


def _known_outside(term: Term, path: tuple[int, ...], own: Collection[Var]) -> Term | None:
    """A component of a value that has it whatever the conditions in the value are: nothing is called for it."""
    match term:
        case Proj(inner, position):
            return _known_outside(inner, (position, *path), own)
        case MakeTuple(items) if path:
            return _known_outside(items[path[0]], path[1:], own)
        case If(_, then, otherwise):
            found = _known_outside(then, path, own)
            return _known_outside(otherwise, path, own) if found is None else found
        case Let(bindings, body):
            return _known_outside(body, path, {*own, *[var for var, _ in bindings]})
        case Require(_, body):
            return _known_outside(body, path, own)
    if not term.free.isdisjoint(own) or Call in term.kinds:
        return None
    for position in path:
        term = Proj(term, position)
    return term

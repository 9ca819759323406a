"""`for`: a fold over the names that the body changes."""

from __future__ import annotations

import ast

from fsmooth.core.term import Const, IFold, Let, MakeTuple, Proj, Term, Var
from fsmooth.core.types import Array, Tuple, Type
from fsmooth.errors import TypeMismatchError
from fsmooth.frontend.agreement import Fold, steady
from fsmooth.frontend.python.aliases import element_assigned
from fsmooth.frontend.python.conversion import convert, project
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.iterables import iterable, loop_index
from fsmooth.frontend.python.jumps import flag_of, without_jumps
from fsmooth.frontend.python.kinds import describe, identical, join_types
from fsmooth.frontend.python.names import look_up
from fsmooth.frontend.python.sizes import FrameSizes
from fsmooth.frontend.python.syntax import assigned_names, returns, target_names
from fsmooth.frontend.python.targets import assign_target
from fsmooth.frontend.python.values import Missing, Sequence, Unrolled, Value


def loop(frame: Frame, node: ast.For) -> None:
    """for: a fold over the tuple of the names that the body changes."""
    if node.orelse:
        frame.unsupported(node, "else on a for loop", "carry a flag and use if after the loop")
    if returns(node.body):
        frame.unsupported(
            node, "return inside a for loop", "carry the result in a variable and return it after the loop"
        )
    flag = flag_of(node)
    node = ast.copy_location(ast.For(node.target, node.iter, without_jumps(node), []), node)
    if flag is not None:
        frame.names[flag] = Const(False)
    source = iterable(frame, node.iter)
    if isinstance(source, Unrolled):
        live = changes_what_it_reads(frame, node)
        for k in range(len(source.items)):
            current = iterable(frame, node.iter) if live else source
            assert isinstance(current, Unrolled)
            assign_target(frame, node.target, current.items[k], node)
            for statement in node.body:
                frame.statement(statement)
        return
    assigned = assigned_names(node.body)
    targets = target_names(node.target)
    carried = [n for n in assigned if n in frame.names and not isinstance(frame.names[n], Missing) and n not in targets]
    local = [n for n in [*assigned, *targets] if n not in carried]
    inits = [frame.term(frame.names[n], node) for n in carried]
    types = [t.type for t in inits]
    index = loop_index(frame, node.target, node)
    live = changes_what_it_reads(frame, node)
    for name in element_assigned(node.body):
        array = frame.names.get(name)
        if isinstance(array, Term) and isinstance(array.type, Array) and name in carried:
            frame.changed(name, array, node)
    carried_still = [n for n in carried if not isinstance(frame.names[n], Missing)]
    if carried_still != carried:
        lost = next(n for n in carried if n not in carried_still)
        look_up(frame, lost, node)
    while True:  # each time a type grows, or a name loses its value
        attempt = loop_body(frame, node, None if live else source, carried, types, index)
        new = [join_types(a, b) for a, b in zip(types, attempt[1], strict=True)]
        for name, old, made, joined in zip(carried, types, attempt[1], new, strict=True):
            if joined is None:
                frame.fail(
                    TypeMismatchError,
                    node,
                    f"{name} is {describe(old)} before the loop and {describe(made)} after one step",
                    f"start {name} with a value of the type that the loop gives it",
                )
        joined_types = [t for t in new if t is not None]
        if all([identical(a, b) for a, b in zip(joined_types, types, strict=True)]) and not attempt[3]:
            break
        types = joined_types
        frame.names.update(attempt[3])
    body, _, state, _ = attempt
    init_terms = [frame.bind(convert(frame, t, w, node), n) for t, w, n in zip(inits, types, carried, strict=True)]
    init_terms, body = steady(FrameSizes(frame, node), Fold(source.size, init_terms, state, index, body))
    for name in local:
        frame.names[name] = Missing(
            f"{name} is assigned inside the loop on line {frame.site(node).line} only",
            f"assign {name} before the loop to use its last value after it",
        )
    if not carried:
        return
    if len(carried) == 1:
        result = frame.bind(IFold(source.size, init_terms[0], state, index, body), carried[0])
        frame.names[carried[0]] = result
        return
    whole = frame.bind(IFold(source.size, MakeTuple(tuple(init_terms)), state, index, body), "loop")
    for k, name in enumerate(carried):
        frame.names[name] = frame.bind(project(whole, k), name)


def changes_what_it_reads(frame: Frame, node: ast.For) -> bool:
    """Does the body assign elements of the array that the loop goes over?  Then each step reads what is there by then."""
    views = frame.shared.views
    arrays = {n: frame.names.get(n) for n in iterated(node.iter)}
    read = {place for a in arrays.values() if isinstance(a, Term) for place in views.within(a)}
    changed = {n: frame.names.get(n) for n in element_assigned(node.body)}
    is_shared = any([isinstance(a, Term) and not read.isdisjoint(views.within(a)) for a in changed.values()])
    if not is_shared and arrays.keys().isdisjoint(changed):
        return False
    for part in [part for statement in node.body for part in ast.walk(statement)]:
        if isinstance(part, ast.Assign) and any([isinstance(t, ast.Name) and t.id in arrays for t in part.targets]):
            frame.unsupported(part, "a new value for an array that a loop goes over", "go over a .copy() of it")
    return True


def iterated(node: ast.expr) -> set[str]:
    """The names of the arrays whose elements a loop over `node` reads in each step."""
    match node:
        case ast.Name(name):
            return {name}
        case ast.Subscript(value) | ast.Attribute(value, "T"):
            return iterated(value)
        case ast.Call(ast.Name("enumerate" | "zip" | "reversed" | "map"), arguments):
            return {name for a in arguments for name in iterated(a)}
        case _:
            return set()


def loop_body(
    frame: Frame, node: ast.For, source: Sequence | None, carried: list[str], types: list[Type], index: Var
) -> tuple[Term, list[Type], Var, dict[str, Value]]:
    """One step of a loop at the given types: its term, the types it gives, the state, the names that lose their value."""
    state_type: Type = types[0] if len(types) == 1 else Tuple(tuple(types))
    state = Var(carried[0] if len(carried) == 1 else "state", state_type, frame.site(node))
    saved = dict(frame.names)
    outer, frame.scope = frame.scope, []
    frame.conditional += 1
    try:
        for k, name in enumerate(carried):
            frame.names[name] = state if len(carried) == 1 else Proj(state, k)
        current = iterable(frame, node.iter) if source is None else source
        assert isinstance(current, Sequence)
        assign_target(frame, node.target, current.element(index), node)
        for statement in node.body:
            frame.statement(statement)
        values = [frame.term(frame.names[n], node) for n in carried]
        given = [v.type for v in values]
        wanted = [join_types(a, b) or a for a, b in zip(types, given, strict=True)]
        if wanted == types and all([join_types(a, b) is not None for a, b in zip(types, given, strict=True)]):
            values = [convert(frame, v, t, node) for v, t in zip(values, types, strict=True)]
        body = values[0] if len(values) == 1 else MakeTuple(tuple(values))
        scope = frame.scope
        lost: dict[str, Value] = {
            name: value
            for name, value in frame.names.items()
            if isinstance(value, Missing) and name in saved and not isinstance(saved[name], Missing)
        }
        return (Let(tuple(scope), body) if scope else body), given, state, lost
    finally:
        frame.conditional -= 1
        frame.scope = outer
        frame.names.clear()
        frame.names.update(saved)

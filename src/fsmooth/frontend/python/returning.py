"""`return` inside a loop: the loop looks for the step that returns, which is then run once more, after it.

    for v in x: s += v; if s > 1.0: return s * v          returned, step = False, 0
    return 0.0                                      ~>    for v in x: step += 1; s += v; if s > 1.0: returned = True; break
                                                          if returned: v = x[step]; s += v; return s * v
                                                          return 0.0

A step that returns leaves the names as they were before it (loops.py), so that what it returns needs no place in the state
of the loop: it may have any type, and arrays of any size.
"""

from __future__ import annotations

import ast
from typing import TypeVar

from fsmooth.core.term import Const
from fsmooth.frontend.python.branches import closed
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.iterables import iterable
from fsmooth.frontend.python.joins import branch
from fsmooth.frontend.python.jumps import flag_of, returned_flag, without_jumps
from fsmooth.frontend.python.loops import changes_what_it_reads, held, loop_over
from fsmooth.frontend.python.syntax import Held, Returning, returns
from fsmooth.frontend.python.targets import assign_target
from fsmooth.frontend.python.unreturned import either_known
from fsmooth.frontend.python.values import Sequence, Unrolled, Value
from fsmooth.frontend.python.whiles import while_loop

Loop = ast.For | ast.While
Made = TypeVar("Made", bound=ast.stmt)


def returning_loop(frame: Frame, node: Loop, rest: list[ast.stmt] | None) -> Value | None:
    """A loop some steps of which may return, and what follows it; None where it is known that one returns."""
    if isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and node.test.value and not flag_of(node):
        rest = None
    source = iterable(frame, node.iter) if isinstance(node, ast.For) else None
    if isinstance(node, ast.For) and isinstance(source, Unrolled):
        steps = step_by_step(frame, node, source)
        return frame.block(certain(steps) if rest is None else [*steps, *rest])
    live = isinstance(node, ast.For) and changes_what_it_reads(frame, node)
    flag, counted = returned_flag(node), f"_step_{node.lineno}_{node.col_offset}"
    frame.names[flag], frame.names[counted] = Const(False), Const(0)
    look_for_it(frame, node, source, flag, counted)
    returned, step = frame.term(frame.names[flag], node), frame.term(frame.names[counted], node)

    def found() -> Value | None:
        if isinstance(node, ast.For):
            current = iterable(frame, node.iter) if live else source
            assert isinstance(current, Sequence)
            assign_target(frame, node.target, current.element(step), node)
        return frame.block(certain(without_jumps(node)))

    if rest is None:
        return found()
    if isinstance(returned, Const):
        return found() if returned.value else frame.block(rest)
    first, second = either_known(
        lambda: closed(frame, found, node), lambda: closed(frame, lambda: frame.block(rest), node)
    )
    if first is None or second is None:
        return first if second is None else second
    return branch(frame, returned, first, second, node)


def look_for_it(frame: Frame, node: Loop, source: Sequence | Unrolled | None, flag: str, counted: str) -> None:
    """Run the loop up to the step that returns."""
    step = ast.AugAssign(ast.Name(counted, ast.Store()), ast.Add(), ast.Constant(1))
    body = [step, *without_returns(node.body, flag)]
    if isinstance(node, ast.While):
        while_loop(frame, located(ast.While(node.test, body, []), node))
        return
    assert source is not None
    loop_over(frame, located(ast.For(node.target, node.iter, body, []), node), source)


def without_returns(body: list[ast.stmt], flag: str) -> list[ast.stmt]:
    """Statements that set a flag and leave the loop where they would return."""
    found: list[ast.stmt] = []
    for statement in body:
        if not returns([statement]):
            found.append(statement)
            continue
        match statement:
            case ast.If(test, then, otherwise):
                parts = without_returns(then, flag), without_returns(otherwise, flag)
                found.append(located(ast.If(test, *parts), statement))
            case ast.For(target, over, inner):
                found.append(located(ast.For(target, over, without_returns(inner, flag), []), statement))
                found.append(located(ast.If(ast.Name(flag, ast.Load()), [ast.Break()], []), statement))
            case ast.While(test, inner):
                found.append(located(ast.While(test, without_returns(inner, flag), []), statement))
                found.append(located(ast.If(ast.Name(flag, ast.Load()), [ast.Break()], []), statement))
            case _:
                found.append(located(ast.Assign([ast.Name(flag, ast.Store())], ast.Constant(True)), statement))
                found.append(located(ast.Break(), statement))
    return found


def certain(body: list[ast.stmt]) -> list[ast.stmt]:
    """Statements of which it is known that they return: nothing stands behind them, and the last tests are known to hold."""
    last = max([k for k, statement in enumerate(body) if returns([statement])])
    before, statement = body[:last], body[last]
    match statement:
        case ast.If(test, then, otherwise) if returns(then) and returns(otherwise):
            return [*before, located(ast.If(test, certain(then), certain(otherwise)), statement)]
        case ast.If(test, then, otherwise):
            taken = returns(then)
            return [*before, located(Held(test, taken), statement), *certain(then if taken else otherwise)]
        case ast.For() | ast.While():
            return [*before, located(Returning(statement), statement)]
        case _:
            return [*before, statement]


def step_by_step(frame: Frame, node: ast.For, source: Unrolled) -> list[ast.stmt]:
    """The steps of a loop over what is known at compile time, one after the other."""
    if changes_what_it_reads(frame, node):
        frame.unsupported(node, "return inside a loop that changes what it goes over", "go over copies")
    flag, body = flag_of(node), without_jumps(node)
    steps: list[ast.stmt] = []
    if flag is not None:
        steps.append(located(ast.Assign([ast.Name(flag, ast.Store())], ast.Constant(False)), node))
    for name in held(frame, node, source):
        steps.append(located(ast.Assign([node.target], ast.Name(name, ast.Load())), node))
        steps.extend(body)
    return steps


def located(made: Made, node: ast.stmt) -> Made:
    """Made nodes are where the statement is that they are made of."""
    return ast.fix_missing_locations(ast.copy_location(made, node))

"""`while`: steps on the names that the body changes, as long as its condition holds."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from fsmooth.core import primitives as p
from fsmooth.core.build import both
from fsmooth.core.term import Const, Prim, Term, Var, While
from fsmooth.core.types import INT
from fsmooth.errors import UnsupportedError
from fsmooth.frontend.agreement import Steps, steady
from fsmooth.frontend.python.alternatives import is_of_kinds
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.growth import Growth, are_bounded, opened, placed, tallied
from fsmooth.frontend.python.jumps import flag_of, without_jumps
from fsmooth.frontend.python.logic import condition
from fsmooth.frontend.python.loops import (
    Carried,
    carried_state,
    enter,
    finish,
    followed,
    forget_views,
    initial,
    settled,
    unless_unknown,
)
from fsmooth.frontend.python.nodes import declaration_of_node
from fsmooth.frontend.python.sizes import FrameSizes
from fsmooth.frontend.python.syntax import assigned_names
from fsmooth.frontend.python.unassigned import before_steps


def while_loop(frame: Frame, node: ast.While) -> None:
    """while: the number of steps depends on the data."""
    if any([isinstance(part, ast.NamedExpr) for part in ast.walk(node.test)]):
        condition(frame, node.test)  # which gives the names that it assigns a value before the loop
        node = tested_inside(node)
    first = frame.inside(lambda: condition(frame, node.test), conditional=True)
    if isinstance(first, Const) and not first.value:
        return  # whatever its steps would do
    before_steps(frame, node, assigned_names(node.body))
    flag = flag_of(node)
    node = ast.copy_location(ast.While(node.test, without_jumps(node), []), node)
    if flag is not None:
        frame.names[flag] = Const(False)
    mark = Var("mark", INT).id

    def read(growth: Growth) -> None:
        followed(frame, node, carried_state(frame, node, [], growth), lambda: None)

    def run(growth: Growth) -> None:
        state = carried_state(frame, node, [], growth)
        if not state.names:
            endless(frame, node)
        forget_views(frame, node, state.names)
        with assuming_test(frame, node) as begin:
            body, var = settled(frame, node, state, begin)
        test = condition_of(frame, node, flag, state, var)
        if isinstance(test, Const) and not test.value:
            return
        if var not in test.free:
            endless(frame, node)
        if not are_bounded(frame, growth, None):
            tallied(frame, growth, run)
        body = placed(frame, state, body, None, node)
        inits = initial(frame, node, state, body, var, None)
        inits, body = steady(FrameSizes(frame, node), Steps(inits, var, body))
        finish(frame, node, state, lambda init: While(init, var, test, body), inits)

    unless_unknown(frame, lambda: run(opened(frame, node, mark, None, read)))


@contextmanager
def assuming_test(frame: Frame, node: ast.While) -> Iterator[Callable[[], None]]:
    """What is to be done where a step begins: there the condition of the loop holds, which says of what class nodes are."""
    before = len(frame.shared.assumed)

    def begin() -> None:
        del frame.shared.assumed[before:]
        if any([declaration_of_node(v) is not None or is_of_kinds(v) for v in frame.names.values()]):
            frame.shared.assumed.append((frame.inside(lambda: condition(frame, node.test), conditional=True), True))

    try:
        yield begin
    finally:
        del frame.shared.assumed[before:]


def tested_inside(node: ast.While) -> ast.While:
    """A loop whose condition assigns names: `while True`, and a break where the condition does not hold."""
    over = ast.If(ast.UnaryOp(ast.Not(), node.test), [ast.Break()], [])
    made = ast.copy_location(ast.While(ast.Constant(True), [over, *node.body], []), node)
    for part in (over, over.test, over.body[0], made.test):
        ast.copy_location(part, node.test)
    return made


def condition_of(frame: Frame, node: ast.While, flag: str | None, state: Carried, var: Var) -> Term:
    """Whether there is another step, told from the state; after a `break` the condition is not evaluated."""
    saved = dict(frame.names)

    def run() -> Term:
        test = condition(frame, node.test)
        if flag is None:
            return test
        stopped = frame.term(frame.names[flag], node)
        return both(Prim(p.logical_not, (stopped,)), test)

    try:
        enter(frame, state, var)
        return frame.inside(run, conditional=True)
    finally:
        frame.names.clear()
        frame.names.update(saved)


def endless(frame: Frame, node: ast.While) -> None:
    """A loop whose condition cannot become false."""
    frame.fail(
        UnsupportedError,
        node.test,
        "this loop has no end: nothing that its condition reads changes in it",
        "assign in the loop what the condition reads, or leave it with break",
    )

"""`while`: steps on the names that the body changes, as long as its condition holds."""

from __future__ import annotations

import ast

from fsmooth.core import primitives as p
from fsmooth.core.build import both
from fsmooth.core.term import Const, Prim, Term, Var, While
from fsmooth.errors import UnsupportedError
from fsmooth.frontend.agreement import Steps, steady
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.jumps import flag_of, without_jumps
from fsmooth.frontend.python.logic import condition
from fsmooth.frontend.python.loops import Carried, carried_state, enter, finish, forget_views, initial, settled
from fsmooth.frontend.python.sizes import FrameSizes
from fsmooth.frontend.python.syntax import returns


def while_loop(frame: Frame, node: ast.While) -> None:
    """while: the number of steps depends on the data."""
    if node.orelse:
        frame.unsupported(node, "else on a while loop", "carry a flag and use if after the loop")
    if returns(node.body):
        frame.unsupported(
            node, "return inside a while loop", "carry the result in a variable and return it after the loop"
        )
    flag = flag_of(node)
    node = ast.copy_location(ast.While(node.test, without_jumps(node), []), node)
    if flag is not None:
        frame.names[flag] = Const(False)
    state = carried_state(frame, node, [])
    if not state.names:
        endless(frame, node)
    forget_views(frame, node, state.names)
    body, var = settled(frame, node, state, lambda: None)
    test = condition_of(frame, node, flag, state, var)
    if isinstance(test, Const) and not test.value:
        return
    if var not in test.free:
        endless(frame, node)
    inits = initial(frame, node, state)
    inits, body = steady(FrameSizes(frame, node), Steps(inits, var, body))
    finish(frame, node, state, lambda init: While(init, var, test, body), inits)


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

"""`assert c, "text"` and `raise E("text")`: what a program claims is required before what follows it.

In the body of a function what follows is evaluated only if the claim holds.  In loops, and in branches that do not return,
a number is carried that exists only if all claims hold, and the result of the function exists only if that number does.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from fsmooth.core.build import equals
from fsmooth.core.term import Const, Failure, Require, Term
from fsmooth.errors import UnsupportedError
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.logic import condition
from fsmooth.frontend.python.syntax import CLAIMED
from fsmooth.frontend.python.values import Static, Value


class Raised(Exception):  # noqa: N818  (a statement of the user's was read, which is no mistake)
    """The statements end with `raise`."""

    def __init__(self, node: ast.Raise) -> None:
        self.node = node


def asserted(frame: Frame, node: ast.Assert, rest: Callable[[], Value | None]) -> Value | None:
    """What follows an `assert`."""
    holds = condition(frame, node.test)
    if isinstance(holds, Const) and holds.value:
        return rest()
    site = frame.site(node, assertion_text(frame, node))
    return under(frame, Require(holds, Const(0), Failure.ASSERTION, (), site), node, rest)


def under(frame: Frame, claimed: Require, node: ast.AST, rest: Callable[[], Value | None]) -> Value | None:
    """What follows a claim, which is a requirement of 0."""
    if not frame.conditional and claimed.condition.free <= frame.entry:
        frame.requirements.append(claimed)
        return rest()
    holds = frame.bind(claimed.condition, "holds")
    saved = dict(frame.names)

    def run() -> Term:
        with frame.shared.assuming(holds, True):
            result = rest()
        if result is None:
            frame.fail(UnsupportedError, node, "nothing is returned after this", "end the function with return")
        return frame.term(result, node)

    try:
        return Require(holds, frame.inside(run, conditional=True), claimed.failure, claimed.numbers, claimed.site)
    finally:
        frame.names.clear()
        frame.names.update(saved)


def claim(frame: Frame, holds: Term, failure: Failure, text: str, node: ast.AST) -> None:
    """A claim in a loop or in a branch that does not return."""
    if isinstance(holds, Const) and holds.value:
        return
    before = frame.names.get(CLAIMED, Const(0))
    assert isinstance(before, Term)
    frame.names[CLAIMED] = frame.bind(Require(holds, before, failure, (), frame.site(node, text)), "claimed")


def claim_asserted(frame: Frame, node: ast.Assert) -> None:
    """`assert` in a loop or in a branch that does not return."""
    claim(frame, condition(frame, node.test), Failure.ASSERTION, assertion_text(frame, node), node)


def claim_raised(frame: Frame, node: ast.Raise, holds: Term) -> None:
    """`raise` in a loop or in a branch that does not return, where something does not hold."""
    claim(frame, holds, Failure.RAISED, raised_text(frame, node), node)


def not_raised(frame: Frame, node: ast.Raise, holds: Term, result: Term) -> Term:
    """The result of the branch that does not raise."""
    return Require(holds, result, Failure.RAISED, (), frame.site(node, raised_text(frame, node)))


def refuse_raise(frame: Frame, node: ast.Raise) -> None:
    """A `raise` that every call gets to is a mistake that shows while compiling."""
    frame.fail(UnsupportedError, node, raised_text(frame, node), "every call with arguments like these gets here")


def with_claims(frame: Frame, result: Value, node: ast.AST) -> Value:
    """What a function returns, which exists only if what was claimed in its loops and branches holds."""
    claimed = frame.names.get(CLAIMED)
    if claimed is None or isinstance(claimed, Const) or not isinstance(claimed, Term):
        return result
    return Require(
        equals(claimed, Const(0)), frame.term(result, node), Failure.ASSERTION, (), frame.site(node, "claims")
    )


# -- texts -----------------------------------------------------------------------------------------------------------


def assertion_text(frame: Frame, node: ast.Assert) -> str:
    """What an assertion says, or what it asserts."""
    return text_of(frame, node.msg) if node.msg is not None else frame.source.segment(node.test)


def raised_text(frame: Frame, node: ast.Raise) -> str:
    """The name of the exception, and what it says."""
    match node.exc:
        case ast.Call(function, [text, *_]):
            return f"{frame.source.segment(function)}: {text_of(frame, text)}"
        case ast.Call(function, []):
            return f"{frame.source.segment(function)}: "
        case None:
            return "RuntimeError: "
        case raised:
            return f"{frame.source.segment(raised)}: "


def text_of(frame: Frame, node: ast.expr) -> str:
    """A text that is shown if a claim does not hold; of what is known only at run time, how it is written."""
    match node:
        case ast.Constant(str() as text):
            return text
        case ast.JoinedStr(parts):
            return "".join([text_of(frame, part) for part in parts])
        case ast.FormattedValue(value):
            known = frame.expression(value)
            return str(known.value) if isinstance(known, Const | Static) else f"{{{frame.source.segment(value)}}}"
        case _:
            known = frame.expression(node)
            return str(known.value) if isinstance(known, Const | Static) else frame.source.segment(node)

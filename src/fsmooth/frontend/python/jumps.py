"""`continue` and `break` as branches: what follows a jump is under the condition that it was not taken.

A loop with `break` carries a flag.  When it is set, the loop ends; in a `for` of few steps, and in one that is unrolled, the
remaining steps change nothing.
"""

from __future__ import annotations

import ast
from functools import lru_cache


def flag_of(node: ast.For | ast.While) -> str | None:
    """The name of the flag of a loop with `break`."""
    return stopped_flag(node) if any([has_jump(s, ast.Break) for s in node.body]) else None


def stopped_flag(node: ast.For | ast.While) -> str:
    """The name of the flag that says that a loop has ended; no name of the user's starts like it."""
    return f"_stopped_{node.lineno}_{node.col_offset}"


def returned_flag(node: ast.For | ast.While) -> str:
    """The name of the flag that says that a step of a loop returns."""
    return f"_returned_{node.lineno}_{node.col_offset}"


def without_jumps(node: ast.For | ast.While) -> list[ast.stmt]:
    """The body of a loop without `continue` and `break`; the condition of a `while` has to ask for the flag."""
    return list(_without_jumps(node))


@lru_cache(1024)
def _without_jumps(node: ast.For | ast.While) -> tuple[ast.stmt, ...]:
    """Rewritten once: what is known of its statements is kept (frontend/python/syntax.py)."""
    flag = flag_of(node)
    body = _rewritten(node.body, flag)
    if flag is not None and isinstance(node, ast.For):
        going_on = ast.UnaryOp(ast.Not(), ast.Name(flag, ast.Load()))
        body = [ast.If(going_on, body, [])]
    return tuple([_placed(statement, node) for statement in body])


def has_jump(statement: ast.stmt, kind: type[ast.stmt] | tuple[type[ast.stmt], ...]) -> bool:
    """Does a statement have a jump of the loop that it is in?"""
    if isinstance(statement, kind):
        return True
    return isinstance(statement, ast.If) and any([has_jump(s, kind) for s in (*statement.body, *statement.orelse)])


def _rewritten(body: list[ast.stmt], flag: str | None) -> list[ast.stmt]:
    result: list[ast.stmt] = []
    for k, statement in enumerate(body):
        match statement:
            case ast.Continue():
                return result or [ast.Pass()]
            case ast.Break():
                assert flag is not None
                stop = ast.Assign([ast.Name(flag, ast.Store())], ast.Constant(True))
                return [*result, ast.copy_location(stop, statement)]
            case ast.If(test, then, otherwise) if has_jump(statement, (ast.Continue, ast.Break)):
                rest = body[k + 1 :]
                first, second = _rewritten([*then, *rest], flag), _rewritten([*otherwise, *rest], flag)
                return [*result, ast.copy_location(ast.If(test, first, second), statement)]
            case _:
                result.append(statement)
    return result or [ast.Pass()]


def _placed(statement: ast.stmt, node: ast.For | ast.While) -> ast.stmt:
    """Made nodes are where the loop is; those of the user keep their places."""
    if not hasattr(statement, "lineno"):
        ast.copy_location(statement, node)
    return ast.fix_missing_locations(statement)

"""Statements that say in other words what others say: `else` after a loop, `match` on constants, `with np.errstate(…)`.

Before: the body of a function as it is written.  After: without them, but for patterns and contexts that have no other
words here.
"""

from __future__ import annotations

import ast
from functools import lru_cache, reduce

from fsmooth.frontend.python.jumps import flag_of
from fsmooth.frontend.python.syntax import Entered

IGNORED = "errstate"
"""The context that changes nothing: floating-point errors are not reported here."""


def reworded(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements, and those inside them, in the words of others."""
    return [new for statement in body for new in _one(statement)]


@lru_cache(4096)
def _one(statement: ast.stmt) -> tuple[ast.stmt, ...]:
    """Reworded once: what is known of statements is kept (frontend/python/syntax.py)."""
    return tuple(_reworded(statement))


def _reworded(statement: ast.stmt) -> list[ast.stmt]:
    match statement:
        case ast.If(test, then, otherwise):
            return [ast.copy_location(ast.If(test, reworded(then), reworded(otherwise)), statement)]
        case ast.For(target, over, body, otherwise):
            return _with_else(ast.copy_location(ast.For(target, over, reworded(body), []), statement), otherwise)
        case ast.While(test, body, otherwise):
            return _with_else(ast.copy_location(ast.While(test, reworded(body), []), statement), otherwise)
        case ast.With([ast.withitem(ast.Call(func) as context, None)], body) if _last_name(func) == IGNORED:
            return [ast.copy_location(Entered(context), statement), *reworded(body)]
        case ast.Match(subject, cases):
            return _match(statement, subject, cases)
        case _:
            return [statement]


def _last_name(function: ast.expr) -> str:
    return getattr(function, "attr", getattr(function, "id", ""))


def _with_else(loop: ast.For | ast.While, otherwise: list[ast.stmt]) -> list[ast.stmt]:
    """`else` is what follows a loop that no `break` ended."""
    flag = flag_of(loop)
    after = reworded(otherwise)
    if flag is not None and after:
        ended = ast.UnaryOp(ast.Not(), ast.Name(flag, ast.Load()))
        after = [_placed(ast.If(ended, after, []), loop)]
    return [loop, *after]


# -- match -----------------------------------------------------------------------------------------------------------


def _match(statement: ast.Match, subject: ast.expr, cases: list[ast.match_case]) -> list[ast.stmt]:
    """A chain of branches on a name for the subject; the statement itself if a pattern takes something apart."""
    name = f"_subject_{statement.lineno}_{statement.col_offset}"
    if not all([_is_plain(case.pattern) for case in cases]):
        return [statement]
    chain: list[ast.stmt] = []
    for case in reversed(cases):
        chain = _case(case, name, chain, statement)
    return [_placed(ast.Assign([ast.Name(name, ast.Store())], subject), statement), *chain]


def _is_plain(pattern: ast.pattern) -> bool:
    match pattern:
        case ast.MatchValue() | ast.MatchSingleton(None):
            return True
        case ast.MatchOr(patterns):
            return all([_is_plain(part) and _captured(part) is None for part in patterns])
        case ast.MatchAs(inner):
            return inner is None or _is_plain(inner)
        case _:
            return False


def _captured(pattern: ast.pattern) -> str | None:
    return pattern.name if isinstance(pattern, ast.MatchAs) else None


def _case(case: ast.match_case, subject: str, rest: list[ast.stmt], statement: ast.Match) -> list[ast.stmt]:
    """The statements of a case, and, where it does not apply, those of the rest."""
    body = reworded(case.body)
    if case.guard is not None:
        body = [_placed(ast.If(case.guard, body, rest), case.guard)]
    name = _captured(case.pattern)
    if name is not None:
        named = ast.Assign([ast.Name(name, ast.Store())], ast.Name(subject, ast.Load()))
        body = [_placed(named, case.pattern), *body]
    test = _test(case.pattern, subject)
    return body if test is None else [_placed(ast.If(test, body, rest), case.pattern)]


def _test(pattern: ast.pattern, subject: str) -> ast.expr | None:
    """Does the subject fit the pattern?  None if any does."""
    name = ast.Name(subject, ast.Load())
    match pattern:
        case ast.MatchValue(value):
            return ast.Compare(name, [ast.Eq()], [value])
        case ast.MatchSingleton(constant):
            return ast.Compare(name, [ast.Is()], [ast.Constant(constant)])
        case ast.MatchOr(patterns):
            tests = [_test(part, subject) for part in patterns]
            known = [test for test in tests if test is not None]
            return reduce(_either, known) if len(known) == len(tests) else None
        case ast.MatchAs(inner) if inner is not None:
            return _test(inner, subject)
        case _:
            return None


def _either(first: ast.expr, second: ast.expr) -> ast.expr:
    return ast.BoolOp(ast.Or(), [first, second])


def _placed(made: ast.stmt, where: ast.stmt | ast.expr | ast.pattern) -> ast.stmt:
    """Made nodes are where they come from; those of the user keep their places."""
    return ast.fix_missing_locations(ast.copy_location(made, where))

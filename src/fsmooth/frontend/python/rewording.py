"""Statements that say in other words what others say: `else` after a loop, `match`, `with np.errstate(…)`.

Before: the body of a function as it is written.  After: without them, but for patterns and contexts that have no other
words here.
"""

from __future__ import annotations

import ast
import copy
from functools import lru_cache, reduce

from fsmooth.frontend.python.jumps import flag_of
from fsmooth.frontend.python.syntax import Entered, OfLength, Positional, Unmatched, returns

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
    """A chain of branches on a name for the subject."""
    cases = [one for case in cases for one in _one_by_one(case)]
    name = ast.Name(f"_subject_{statement.lineno}_{statement.col_offset}", ast.Load())
    try:
        tests = [_test(case.pattern, name) for case in cases]
    except _WithoutWordsError:
        return [statement]
    chain: list[ast.stmt] = []
    if any([isinstance(part, ast.MatchClass) for case in cases for part in ast.walk(case.pattern)]):
        is_returned = any([returns(reworded(case.body)) for case in cases])
        tried = [cls for case in cases for cls in _classes(case.pattern)]
        chain = [_placed(Unmatched(name, tried, is_returned), statement)]
    try:
        for case, test in reversed(list(zip(cases, tests, strict=True))):
            chain = _case(case, test, name, chain)
    except _WithoutWordsError:
        return [statement]
    return [_placed(ast.Assign([ast.Name(name.id, ast.Store())], subject), statement), *chain]


def _classes(pattern: ast.pattern) -> list[ast.expr]:
    """The classes that a pattern is for."""
    match pattern:
        case ast.MatchClass(cls):
            return [cls]
        case ast.MatchAs(ast.pattern() as inner):
            return _classes(inner)
        case ast.MatchOr(patterns):
            return [cls for part in patterns for cls in _classes(part)]
        case _:
            return []


def _one_by_one(case: ast.match_case) -> list[ast.match_case]:
    """The alternatives of a pattern as cases, where they give names; a guard is asked of the first that fits alone."""
    match case.pattern:
        case ast.MatchOr(patterns) if case.guard is None and any([_names(p, ast.Constant(0)) for p in patterns]):
            return [ast.match_case(part, None, case.body) for part in patterns]
        case _:
            return [case]


class _WithoutWordsError(Exception):
    """A pattern that cannot be said otherwise."""


def _case(case: ast.match_case, test: ast.expr | None, subject: ast.Name, rest: list[ast.stmt]) -> list[ast.stmt]:
    """The statements of a case, and, where it does not apply, those of the rest."""
    names = _names(case.pattern, subject)
    named = [_placed(ast.Assign([ast.Name(name, ast.Store())], value), case.pattern) for name, value in names]
    body = [*named, *reworded(case.body)]
    if case.guard is not None and any([isinstance(part, ast.NamedExpr) for part in ast.walk(case.guard)]):
        body = [*named, _placed(ast.If(case.guard, reworded(case.body), rest), case.guard)]
    elif case.guard is not None:
        guard = _without_names(case.guard, dict(names))
        test = guard if test is None else _all([test, guard])
    return body if test is None else [_placed(ast.If(test, body, rest), case.pattern)]


def _without_names(guard: ast.expr, names: dict[str, ast.expr]) -> ast.expr:
    """A guard in terms of the subject: it is asked before the names are given, so that what follows is there once.

    Raises:
        _WithoutWordsError: where it gives names of its own, which may be the same.

    """
    if not names:
        return guard
    parts = list(ast.walk(guard))
    given = {part.arg for part in parts if isinstance(part, ast.arg)}
    given |= {part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    if given & set(names):
        raise _WithoutWordsError
    return _Replacing(names).visit(copy.deepcopy(guard))  # type: ignore[no-any-return]


class _Replacing(ast.NodeTransformer):
    """What a pattern would give names to, in the place of the names."""

    def __init__(self, names: dict[str, ast.expr]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A name of the pattern's, or another."""
        return self.names.get(node.id, node) if isinstance(node.ctx, ast.Load) else node


def _test(pattern: ast.pattern, subject: ast.expr) -> ast.expr | None:
    """Does the subject fit the pattern?  None if any does."""
    match pattern:
        case ast.MatchValue(value):
            return ast.Compare(subject, [ast.Eq()], [value])
        case ast.MatchSingleton(None):
            return ast.Compare(subject, [ast.Is()], [ast.Constant(None)])
        case ast.MatchOr(patterns):
            if any([_names(part, subject) for part in patterns]):
                raise _WithoutWordsError
            tests = [_test(part, subject) for part in patterns]
            known = [test for test in tests if test is not None]
            return reduce(_either, known) if len(known) == len(tests) else None
        case ast.MatchAs(inner):
            return None if inner is None else _test(inner, subject)
        case ast.MatchClass(cls):
            own = ast.Call(ast.Name("isinstance", ast.Load()), [subject, cls], [])
            return _all([own, *_tests(_parts(pattern, subject))])
        case ast.MatchSequence(patterns):
            stars = [k for k, part in enumerate(patterns) if isinstance(part, ast.MatchStar)]
            length = OfLength(subject, len(patterns) - len(stars), bool(stars))
            return _all([length, *_tests(_parts(pattern, subject))])
        case _:
            raise _WithoutWordsError


def _names(pattern: ast.pattern, subject: ast.expr) -> list[tuple[str, ast.expr]]:
    """The names that a pattern gives, and what to."""
    match pattern:
        case ast.MatchAs(inner, name):
            own = [] if name is None else [(name, subject)]
            return [*own, *([] if inner is None else _names(inner, subject))]
        case ast.MatchClass() | ast.MatchSequence():
            return [found for part, value in _parts(pattern, subject) for found in _names(part, value)]
        case ast.MatchStar(name):
            return [] if name is None else [(name, subject)]
        case _:
            return []


def _parts(pattern: ast.MatchClass | ast.MatchSequence, subject: ast.expr) -> list[tuple[ast.pattern, ast.expr]]:
    """The patterns in a pattern, and what of the subject they are for."""
    if isinstance(pattern, ast.MatchClass):
        given = [(part, Positional(subject, pattern.cls, k)) for k, part in enumerate(pattern.patterns)]
        named = zip(pattern.kwd_patterns, pattern.kwd_attrs, strict=True)
        return [*given, *[(part, ast.Attribute(subject, name, ast.Load())) for part, name in named]]
    count = len(pattern.patterns)
    star = next((k for k, part in enumerate(pattern.patterns) if isinstance(part, ast.MatchStar)), count)
    result: list[tuple[ast.pattern, ast.expr]] = []
    for k, part in enumerate(pattern.patterns):
        at: ast.expr = ast.Constant(k if k < star else k - count)
        if k == star:
            at = ast.Slice(ast.Constant(k), ast.Constant(k + 1 - count) if k + 1 < count else None)
        result.append((part, ast.Subscript(subject, at, ast.Load())))
    return result


def _tests(parts: list[tuple[ast.pattern, ast.expr]]) -> list[ast.expr]:
    found = [_test(part, value) for part, value in parts if not isinstance(part, ast.MatchStar)]
    return [test for test in found if test is not None]


def _all(tests: list[ast.expr]) -> ast.expr:
    return tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)


def _either(first: ast.expr, second: ast.expr) -> ast.expr:
    return ast.BoolOp(ast.Or(), [first, second])


def _placed(made: ast.stmt, where: ast.stmt | ast.expr | ast.pattern) -> ast.stmt:
    """Made nodes are where they come from; those of the user keep their places."""
    return ast.fix_missing_locations(ast.copy_location(made, where))

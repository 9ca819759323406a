"""Statements with other statements inside them; what does not change stays the same object."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from fsmooth.loops import tree as t


def same_or(old: t.Body, new: Sequence[t.Statement]) -> t.Body:
    """`new`; `old` itself if they are the same statements."""
    if len(old) == len(new) and all([a is b for a, b in zip(old, new, strict=True)]):
        return old
    return tuple(new)


def with_bodies(s: t.Statement, change: Callable[[t.Body], t.Body]) -> t.Statement:
    """`s` with what is nested in it changed, checks of all iterations apart."""
    match s:
        case t.For() | t.Parallel() | t.Outlined():
            body = change(s.body)
            return s if body is s.body else replace(s, body=body)
        case t.While():
            test, body = change(s.test), change(s.body)
            return s if test is s.test and body is s.body else replace(s, test=test, body=body)
        case t.If():
            then, otherwise = change(s.then), change(s.otherwise)
            same = then is s.then and otherwise is s.otherwise
            return s if same else replace(s, then=then, otherwise=otherwise)
        case t.Block():
            body, vector_body = change(s.body), change(s.vector_body)
            rows = tuple([_with_body(r, change(r.body)) for r in s.rows])
            same = body is s.body and vector_body is s.vector_body
            same = same and all([a is b for a, b in zip(rows, s.rows, strict=True)])
            return s if same else replace(s, body=body, vector_body=vector_body, rows=rows)
        case _:
            return s


def _with_body(rows: t.BlockRows, body: t.Body) -> t.BlockRows:
    return rows if body is rows.body else replace(rows, body=body)


def with_body(function: t.Function, body: t.Body) -> t.Function:
    """The function with another body; the function itself if it has this one."""
    return function if body is function.body else replace(function, body=body)


def each_loop(function: t.Function, change: Callable[[t.For], Sequence[t.Statement]]) -> t.Function:
    """The function with other statements in place of each loop, the loops inside it first."""

    def changed(body: t.Body) -> t.Body:
        found: list[t.Statement] = []
        for s in body:
            new = with_bodies(s, changed)
            if isinstance(new, t.For):
                found.extend(change(new))
            else:
                found.append(new)
        return same_or(body, found)

    return with_body(function, changed(function.body))

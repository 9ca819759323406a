"""A function as notebooks show it: its signature, what a call costs, and the C behind a fold."""

from __future__ import annotations

from html import escape

from fsmooth.callables import Function
from fsmooth.errors import ArgumentError


def html_of(function: Function) -> str:
    """The function as HTML; of what has not been called, the signature.

    >>> import fsmooth as fs
    >>> html_of(fs.function(lambda x: x < 1.0))
    '<div><code>anonymous(x)</code><br>not compiled yet: it is compiled when it is called</div>'
    """
    program = function.program
    title = f"<code>{escape(f'{program.name}{program.signature}')}</code>"
    try:
        cost, source = function.cost(), function.c_source()
    except ArgumentError:
        return f"<div>{title}<br>not compiled yet: it is compiled when it is called</div>"
    folded = f"<details><summary>C, {source.count(chr(10))} lines</summary><pre>{escape(source)}</pre></details>"
    return f"<div>{title}<br>a call costs {escape(cost)}{folded}</div>"

"""The Futhark text of a program that was compiled: its optimised term, before it is lowered to loops."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fsmooth.backend.futhark.entry import Definition, definition, futhark
from fsmooth.core.term import NOWHERE, Lam, Site, Term


def text_of(name: str, optimised: Term, static: Mapping[tuple[int, int], int], function: Callable[..., object]) -> str:
    """The text of an optimised term; `function` is the user's own, whose line is shown where no better is known.

    Raises:
        UnsupportedError: for what Futhark has no word for.
        RaggedError: for an array whose rows differ in length.

    """
    assert isinstance(optimised, Lam)
    return futhark(optimised, name, static, _first_line(function))


def parts_of(name: str, optimised: Term, function: Callable[..., object]) -> Definition:
    """The same, in parts, for all sizes."""
    assert isinstance(optimised, Lam)
    return definition(optimised, name, {}, _first_line(function))


def _first_line(function: Callable[..., object]) -> Site:
    code = getattr(function, "__code__", None)
    if code is None:
        return NOWHERE
    return Site(getattr(function, "__name__", ""), code.co_filename, code.co_firstlineno, 0, code.co_firstlineno + 1)

"""Lengths of what a scope defines, told from the definitions: no array is kept, or computed again, for its length."""

from __future__ import annotations

from collections.abc import Callable

from fsmooth import thresholds
from fsmooth.core.shape import Ragged, size_of
from fsmooth.core.subst import substitute
from fsmooth.core.term import Const, Get, Length, Let, Prim, Proj, Require, Term, Var
from fsmooth.core.traverse import size_of_tree, subterms, transform


def with_sizes(term: Term, definition: Callable[[Var], Term | None]) -> Term:
    """`term` with lengths of defined variables, and of parts of them, written without these variables where possible."""
    return _with_sizes(term, definition, lambda size: size)


def with_room_sizes(term: Term, definition: Callable[[Var], Term | None]) -> Term:
    """Likewise, for room that is taken: what lengths require is required again by what fills it, and left out."""
    return _with_sizes(term, definition, as_required)


def _with_sizes(term: Term, definition: Callable[[Var], Term | None], as_room: Callable[[Term], Term]) -> Term:
    def change(t: Term) -> Term:
        for _ in range(thresholds.DEFINITIONS):
            if not isinstance(t, Length):
                return t
            root = root_of(t.array)
            if not isinstance(root, Var):
                return t
            source = definition(root)
            if source is None:
                return t
            try:
                size = as_room(size_of(substitute(t.array, {root: source}), t.axis))
            except Ragged:
                return t
            if not is_simple(size):
                return t
            t = size
        return t

    return transform(term, change)


def as_required(size: Term) -> Term:
    """What a size is where all that it requires holds; without names, unless it became long."""

    def change(t: Term) -> Term:
        if isinstance(t, Require):
            return t.body
        if not isinstance(t, Let):
            return t
        written = t.body
        for var, value in reversed(t.bindings):
            written = substitute(written, {var: value})
            if size_of_tree(written) > thresholds.SIZE_NODES:
                return t
        return written

    return transform(size, change)


def is_simple(size: Term) -> bool:
    """Is nothing computed to know it, but integers from lengths and variables?"""
    return all(
        [
            isinstance(t, Var | Const | Prim | Proj) or (isinstance(t, Length) and _is_part(t.array))
            for t in subterms(size)
        ]
    )


def _is_part(array: Term) -> bool:
    while isinstance(array, Proj):
        array = array.tuple
    return isinstance(array, Var)


def root_of(path: Term) -> Term:
    """The variable that a path starts at."""
    while isinstance(path, Get | Proj):
        path = path.array if isinstance(path, Get) else path.tuple
    return path

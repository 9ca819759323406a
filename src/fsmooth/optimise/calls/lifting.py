"""Branches with a call in them are moved outwards, with what becomes of their values in each, so that the call is at an end.

    x + (if c then y else f z)    ~>    if c then x + y else (let r = f z in x + r)

So one function in another, as mutual recursion is read, or a value that only some branches get by a call, can become a loop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from fsmooth.core.subst import refresh
from fsmooth.core.term import Call, Header, If, Lam, Let, Prim, Require, Term, Var, let
from fsmooth.core.traverse import children

_COPIES = 16
"""So often what becomes of a value is written down, at most."""


class _NotLifted(Exception):  # noqa: N818  (no error: there is another way)
    pass


def lifted(body: Term, header: Header) -> Term | None:
    """The body of a function with its calls of itself at its ends; None if they are elsewhere than in operands and branches."""
    try:
        return _Lifting(header).out(body, lambda value: value)
    except _NotLifted:
        return None


class _Lifting:
    def __init__(self, header: Header) -> None:
        self.header = header
        self.copies = 0
        self.known: dict[Term, bool] = {}

    def holds(self, term: Term) -> bool:
        """Is there a call in it?"""
        found = self.known.get(term)
        if found is None:
            is_call = isinstance(term, Call) and term.header is self.header
            found = self.known[term] = is_call or any(map(self.holds, children(term)))
        return found

    def out(self, term: Term, becomes: Callable[[Term], Term]) -> Term:
        """What becomes of a term, inside of its branches."""
        if not self.holds(term):
            return becomes(term)
        match term:
            case If(condition, then, otherwise) if not self.holds(condition):
                return If(condition, self.copy(then, becomes), self.copy(otherwise, becomes))
            case Require(condition, body) if not self.holds(condition):
                return Require(condition, self.out(body, becomes), term.failure, term.numbers, term.site)
            case Let(bindings, body):
                held = [k for k, (_, v) in enumerate(bindings) if not isinstance(v, Call) and self.holds(v)]
                if not held:
                    return let(bindings, self.out(body, becomes))
                before, after = bindings[: held[0]], bindings[held[0] + 1 :]
                var, value = bindings[held[0]]
                made = self.out(value, lambda found: self.out(let([(var, found), *after], body), becomes))
                return let(before, made) if before else made
            case Prim(primitive, operands):
                place = next(k for k, operand in enumerate(operands) if self.holds(operand))
                left, right = operands[:place], operands[place + 1 :]
                return self.out(
                    operands[place], lambda found: self.out(Prim(primitive, (*left, found, *right)), becomes)
                )
            case Call(header, arguments) if header is self.header and not any(map(self.holds, arguments)):
                result = Var(header.name, header.result)
                return let(((result, term),), becomes(result))
            case _:
                raise _NotLifted

    def copy(self, term: Term, becomes: Callable[[Term], Term]) -> Term:
        """The same for one branch, with names of its own."""
        self.copies += 1
        if self.copies > _COPIES:
            raise _NotLifted
        return cast(Lam, refresh(Lam((), self.out(term, becomes)))).body

"""Functions that end in the call of themselves become loops, before anything is differentiated.

    f x = if c x then e x else f (g x)    ~>    e (while (fun x -> ! c x) (fun x -> g x) x)

If the condition is dear, or there is more before it, the loop also carries whether it goes on, and the value once it does
not.  Arguments that each call hands on stay outside.  Loops take no stack, and have derivatives in all modes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from fsmooth import thresholds
from fsmooth.core.build import zero_like
from fsmooth.core.definitions import called, reachable, with_calls
from fsmooth.core.subst import refresh
from fsmooth.core.term import Call, Const, Header, If, Lam, Let, MakeTuple, Proj, Require, Term, Var, While, let
from fsmooth.core.traverse import is_loop, size_of_tree, subterms
from fsmooth.core.types import BOOL, Array, Bool, Int, Tuple, Type


def tail_calls_as_loops(term: Term) -> Callable[[Term], Term]:
    """What puts a loop in place of each definition that only ends in the call of itself, in the term and its parts."""
    headers = reachable(term)
    loops = {h: loop for h in headers if (loop := _loop(h)) is not None}
    if not loops:
        return lambda part: part
    others = {h: h.renewed() for h in headers if h not in loops}

    def change(call: Call) -> Term:
        if call.header in others:
            return Call(others[call.header], call.arguments)
        loop = cast(Lam, refresh(with_calls(loops[call.header], change)))
        return let(tuple(zip(loop.parameters, call.arguments, strict=True)), loop.body)

    for h, new in others.items():
        new.define(cast(Lam, with_calls(h.definition, change)))
    return lambda part: with_calls(part, change)


def _loop(header: Header) -> Lam | None:
    """The function as a loop; None if it does something with the value of its call, or carries arrays."""
    function = cast(Lam, refresh(header.definition))
    if header not in called(function):
        return None
    tree = _Tree(header, function.parameters)
    whole = tree.of(function.body)
    if whole is None or header in reachable(whole):
        return None
    if any([_has_array(q.type) for q in tree.carried]) or _has_array(header.result):
        return None
    return Lam(function.parameters, tree.looped(function.body))


_NEVER = Var("never", Tuple(()))
"""The end of a body that is not reached: a condition that was tested before leads to another."""


@dataclass
class _Leaf:
    """What stands at the ends of a body: for a call its arguments, for a value that."""

    call: Callable[[Sequence[Term]], Term]
    value: Callable[[Term], Term]


class _Tree:
    """A body whose ends are calls of the function itself, and values."""

    def __init__(self, header: Header, parameters: tuple[Var, ...]) -> None:
        self.header = header
        self.parameters = parameters
        self.carried: tuple[Var, ...] = ()

    def of(self, body: Term) -> Term | None:
        """The body without its calls of itself, if those are at its ends; `carried` is what they change."""
        changed = set[Var]()

        def call(arguments: Sequence[Term]) -> Term:
            changed.update([q for q, a in zip(self.parameters, arguments, strict=True) if a is not q])
            return _blank(self.header.result)

        made = self._with(body, _Leaf(call, lambda value: value))
        self.carried = tuple([q for q in self.parameters if q in changed])
        return None if made is None or self.header in called(made) else made

    def looped(self, body: Term) -> Term:
        """The loop."""
        goes_on = _decided(self._ends(body, lambda _: Const(True), lambda _: Const(False)))
        if size_of_tree(goes_on) <= thresholds.TAIL_CONDITION and not any(map(is_loop, subterms(goes_on))):
            return self._tested(body, goes_on)
        return self._flagged(body)

    def _tested(self, body: Term, goes_on: Term) -> Term:
        """While it goes on the arguments change; the value is that of the last ones."""
        following = self._ends(body, self._next, lambda _: _NEVER)
        last = self._ends(body, lambda _: _NEVER, lambda value: value)
        state = Var("arguments", self._tuple(self.carried).type)
        there = self._named(state)
        loop = While(self._tuple(self.carried), state, let(there, goes_on), let(there, following))
        after = Var("arguments", loop.type)
        return cast(Lam, refresh(Lam((), let(((after, loop), *self._named(after)), last)))).body

    def _flagged(self, body: Term) -> Term:
        """Each step evaluates the body once."""
        given = self._tuple(self.carried)
        blank = _blank(self.header.result)
        step = self._ends(
            body,
            lambda arguments: MakeTuple((Const(True), self._next(arguments), blank)),
            lambda value: MakeTuple((Const(False), given, value)),
        )
        state = Var("state", Tuple((BOOL, given.type, self.header.result)))
        init = MakeTuple((Const(True), given, blank))
        there = self._named(Proj(state, 1))
        return Proj(While(init, state, Proj(state, 0), let(there, step)), 2)

    def _next(self, arguments: Sequence[Term]) -> Term:
        return self._tuple([a for q, a in zip(self.parameters, arguments, strict=True) if q in self.carried])

    def _tuple(self, terms: Sequence[Term]) -> Term:
        return terms[0] if len(terms) == 1 else MakeTuple(tuple(terms))

    def _named(self, state: Term) -> tuple[tuple[Var, Term], ...]:
        """The parameters, as what the state holds."""
        if len(self.carried) == 1:
            return ((self.carried[0], state),)
        return tuple([(q, Proj(state, k)) for k, q in enumerate(self.carried)])

    def _ends(self, body: Term, call: Callable[[Sequence[Term]], Term], value: Callable[[Term], Term]) -> Term:
        made = self._with(body, _Leaf(call, value))
        assert made is not None
        return made

    def _with(self, term: Term, leaf: _Leaf) -> Term | None:
        """The term with other ends; None if a call of itself is in a condition."""
        match term:
            case Let(bindings, body) if body is bindings[-1][0]:
                before, last = bindings[:-1], bindings[-1][1]
                return self._with(let(before, last) if before else last, leaf)
            case Let(bindings, body):
                inner = self._with(body, leaf)
                return inner if inner is None or inner is _NEVER else let(bindings, inner)
            case If(condition, then, otherwise):
                first, second = self._with(then, leaf), self._with(otherwise, leaf)
                if first is None or second is None:
                    return None
                if first is _NEVER or second is _NEVER:
                    return second if first is _NEVER else first
                return If(condition, first, second)
            case Require(condition, body):
                inner = self._with(body, leaf)
                if inner is None or inner is _NEVER:
                    return inner
                return Require(condition, inner, term.failure, term.numbers, term.site)
            case Call(header, arguments) if header is self.header:
                return leaf.call(arguments)
            case _:
                return leaf.value(term)


def _decided(goes_on: Term) -> Term:
    """The condition without what it does not depend on."""
    match goes_on:
        case If(condition, then, otherwise):
            first, second = _decided(then), _decided(otherwise)
            if isinstance(first, Const) and isinstance(second, Const) and first.value == second.value:
                return first
            return If(condition, first, second)
        case Let(bindings, body):
            inner = _decided(body)
            return inner if isinstance(inner, Const) else let(bindings, inner)
        case Require(condition, body):
            inner = _decided(body)
            if isinstance(inner, Const):
                return inner
            return Require(condition, inner, goes_on.failure, goes_on.numbers, goes_on.site)
        case _:
            return goes_on


def _blank(type_: Type) -> Term:
    """A value that nobody reads."""
    if isinstance(type_, Tuple):
        return MakeTuple(tuple([_blank(item) for item in type_.items]), type_)
    if isinstance(type_, Bool):
        return Const(False)
    return Const(0) if isinstance(type_, Int) else zero_like(Var("blank", type_))


def _has_array(type_: Type) -> bool:
    if isinstance(type_, Tuple):
        return any([_has_array(item) for item in type_.items])
    return isinstance(type_, Array)

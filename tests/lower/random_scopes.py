"""Random scopes of arrays and arrays of pairs, whose results are added up, are the next state, or are kept in rows.

What is bound to a name is computed where it goes, if that can be: the hardest case for lower/accumulators.py.
"""

from __future__ import annotations

import random
from enum import Enum

from fsmooth.core.term import Lam, Let, Require, Term, let
from fsmooth.core.traverse import transform
from fsmooth.library import parse

_SIZE = "(length v)"


class Kind(Enum):
    """What a name is bound to: the text of the first of it."""

    NUMBER = "0.0"
    ARRAY = f"(zero Float {_SIZE})"
    PAIRS = f"(build {_SIZE} (fun j -> (v[j], 1.0)))"
    ROWS = f"(zero Float n {_SIZE})"


Scope = list[tuple[str, Kind]]


class Scopes:
    """One random function of an array v and an Int n, as text: a sum, a sequential loop, or neither."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)

    def function(self) -> Lam:
        """With its scopes as one, and without the tests of sizes, which agree: as the optimiser leaves a program."""
        term = parse(f"fun (v: Vector) (n: Index) -> {self.r.choice((self.sum, self.once, self.fold, self.fold))()}")
        plain = transform(term, _plain)
        assert isinstance(plain, Lam)
        return plain

    def sum(self) -> str:
        return f"sum n (fun i -> {self.block([], self.kinds((Kind.NUMBER, Kind.ARRAY, Kind.PAIRS)))})"

    def once(self) -> str:
        return f"let i = 2 in {self.block([], self.kinds((Kind.NUMBER, Kind.ARRAY, Kind.PAIRS)))}"

    def fold(self) -> str:
        kinds = [*self.kinds(tuple(Kind)), Kind.ROWS]
        state: Scope = [(f"s{k}", kind) for k, kind in enumerate(kinds)]
        names = "".join([f"let s{k} = s.{k} in " for k in range(len(kinds))])
        scope, definitions = self.definitions(state)
        step = _tuple([self.following(name, kind, scope) for name, kind in state])
        return f"ifold (fun s i -> {names}{definitions}{step}) {_tuple([kind.value for kind in kinds])} n"

    def kinds(self, choice: tuple[Kind, ...]) -> list[Kind]:
        return [*[self.r.choice(choice) for _ in range(self.r.randrange(3))], Kind.ARRAY]

    def block(self, scope: Scope, kinds: list[Kind]) -> str:
        inner, definitions = self.definitions(scope)
        return definitions + _tuple([self.value(kind, inner) for kind in kinds])

    def definitions(self, scope: Scope) -> tuple[Scope, str]:
        found, text = list(scope), ""
        for _ in range(self.r.randrange(2, 5)):
            name, kind = f"x{len(found)}", self.r.choice((Kind.ARRAY, Kind.PAIRS))
            text += f"let {name} = {self.value(kind, found)} in "
            found.append((name, kind))
        return found, text

    def following(self, name: str, kind: Kind, scope: Scope) -> str:
        """The next value of a part of the state."""
        how, row = self.r.randrange(3), self.r.choice(("i", "i", "((i * i) % n)"))
        match kind, how:
            case Kind.ARRAY, 0:
                return f"(plus {name} {self.named(scope)})"
            case Kind.ARRAY, 1:
                return f"(update {name} {self.index('i % ' + _SIZE)} {self.number('0', scope)})"
            case Kind.ROWS, 0:
                return f"(plus {name} (delta n {row} {self.named(scope)}))"
            case Kind.ROWS, _:
                return f"(update {name} {row} {self.named(scope)})"
        return self.value(kind, scope)

    def named(self, scope: Scope) -> str:
        """An array, mostly one that the step gave a name."""
        names = [name for name, kind in scope if kind is Kind.ARRAY and name.startswith("x")]
        return self.r.choice(names) if names and self.r.randrange(4) else self.array(scope)

    def value(self, kind: Kind, scope: Scope, depth: int = 2) -> str:
        match kind:
            case Kind.NUMBER:
                return self.number("0", scope)
            case Kind.PAIRS:
                return self.pairs(scope, depth)
            case _:
                return self.array(scope, depth)

    def number(self, at: str, scope: Scope) -> str:
        """A number at an index."""
        found = [f"v[{at}]", f"(v[{at}] * to_float {at})", "(to_float (i + 1))", "2.0"]
        for name, kind in scope:
            if kind is Kind.ARRAY:
                found.append(f"{name}[{at}]")
            elif kind is Kind.PAIRS:
                found.extend([f"{name}[{at}].0", f"{name}[{at}].1"])
            elif kind is Kind.ROWS:
                found.extend([f"{name}[{row}][{at}]" for row in ("i", "0", "(i * i) % n")])
        a, b = self.r.choice(found), self.r.choice(found)
        return self.r.choice((a, f"({a} + {b})", f"({a} * {b})", f"(sin ({a}))"))

    def index(self, at: str) -> str:
        return self.r.choice((f"({at})", f"(({at}) * ({at}) % {_SIZE})", f"({_SIZE} - 1 - ({at}))"))

    def pairs(self, scope: Scope, depth: int) -> str:
        element = f"({self.number('j', scope)}, {self.number('j', scope)})"
        return self.elements(Kind.PAIRS, element, scope, depth)

    def array(self, scope: Scope, depth: int = 2) -> str:
        wide = [name for name, kind in scope if kind is Kind.PAIRS]
        how = self.r.randrange(8)
        if how < 2 and wide:
            return f"(build {_SIZE} (fun j -> {self.r.choice(wide)}[j].{self.r.randrange(2)}))"
        if how == 2 and depth > 0:
            return f"(plus {self.array(scope, depth - 1)} {self.array(scope, depth - 1)})"
        if how == 3 and depth > 0:
            step = f"update a {self.index('j')} {self.number('j', scope)}"
            return f"(ifold (fun a j -> {step}) {self.array(scope, depth - 1)} {_SIZE})"
        return self.elements(Kind.ARRAY, self.number("j", scope), scope, depth)

    def elements(self, kind: Kind, element: str, scope: Scope, depth: int) -> str:
        same = [name for name, found in scope if found is kind]
        how = self.r.randrange(8)
        if how == 0 and same:
            return self.r.choice(same)
        if how == 1 and depth > 0:
            ways = [self.value(kind, scope, depth - 1) for _ in range(2)]
            return f"(if v[{self.r.randrange(2)}] > 0.0 then {ways[0]} else {ways[1]})"
        if how < 5:
            return f"(sum {_SIZE} (fun j -> delta {_SIZE} {self.index('j')} {element}))"
        return f"(build {_SIZE} (fun j -> {element}))"


def _plain(term: Term) -> Term:
    match term:
        case Let(bindings, body):
            return let(bindings, body)
        case Require():
            return term.body
        case _:
            return term


def _tuple(items: list[str]) -> str:
    return f"({', '.join(items)})" if len(items) > 1 else items[0]

"""The left side of a law as a pattern, and what a match makes of its right side.

A metavariable applied to distinct variables that the pattern binds stands for any term that mentions no others of them
(Miller, *A logic programming language with lambda-abstraction, function variables, and simple unification*, 1991); so a match
is unique.  Where it is applied to anything else, what it stands for has been found elsewhere in the pattern, and must give the
term that is there.  What matches by its structure is compared with the left side as it is read with the terms that were found:
so no type, and no datum of a term, can be overlooked.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from fsmooth.core.alpha import alpha_equal
from fsmooth.core.subst import refresh, substitute
from fsmooth.core.term import App, IllTyped, Let, Term, Var, let
from fsmooth.core.traverse import steps
from fsmooth.core.types import F32, F64, Float, Type
from fsmooth.errors import LawError
from fsmooth.frontend.text import TextError
from fsmooth.frontend.text.exact import Exact
from fsmooth.frontend.text.parse import body_of
from fsmooth.frontend.text.parser import parse_tree
from fsmooth.frontend.text.tree import Node
from fsmooth.frontend.text.values import Native, Value
from fsmooth.laws.equations import Equation, Kind
from fsmooth.laws.instances import BY_NAME, Holes, Opaque, Types, assignments
from fsmooth.optimise.rules.speculation import is_small
from fsmooth.optimise.rules.totality import cannot_fail
from fsmooth.rewrite.facts import Facts

Found = dict[str, tuple[Holes, Term]]


class Pattern:
    """One equation, from left to right.

    Raises:
        LawError: for an equation whose left side does not determine what its right side needs.

    """

    def __init__(self, equation: Equation) -> None:
        self.equation = equation
        if Kind.STRICT in equation.kinds.values():
            name = next(name for name, kind in equation.kinds.items() if kind is Kind.STRICT)
            raise LawError(f"no text matches every operation {name}\n  hint: write the law as a function, with @fs.law")
        self._left, self._right = (body_of(parse_tree(text)) for text in (equation.left, equation.right))
        self._known = [body_of(parse_tree(text)) for text in equation.known]
        self._patterns = self._distinct(assignments(equation, (Term,)))
        self.heads = tuple({type(pattern) for pattern in self._patterns})

    @property
    def patterns(self) -> Sequence[Term]:
        """The left side, in which each metavariable is a function applied to its arguments; one for each form that it has."""
        return self._patterns

    def __call__(self, term: Term, facts: Facts) -> Term | None:
        """The right side with what the left side's metavariables stand for in `term`; None where it does not match."""
        for pattern in self._patterns:
            if type(pattern) is type(term):
                match = _Match(self.equation)
                if match.everything(pattern, term):
                    result = self._result(match.found, term, facts)
                    if result is not None:
                        return result
        return None

    def _result(self, found: Found, term: Term, facts: Facts) -> Term | None:
        if not all([self._is(kind, found[name][1], facts) for name, kind in self.equation.kinds.items()]):
            return None
        left, right = self._read(self._left, self.equation.left, found), None
        if left is not None and alpha_equal(left, term):
            known = [self._read(node, text, found) for node, text in zip(self._known, self.equation.known, strict=True)]
            if all([condition is not None and facts.truth(condition) is True for condition in known]):
                right = self._read(self._right, self.equation.right, found)
        return right if right is not None and right.type == term.type else None

    @staticmethod
    def _is(kind: Kind, term: Term, facts: Facts) -> bool:
        match kind:
            case Kind.VARIABLE:
                return isinstance(term, Var)
            case Kind.TOTAL:
                return cannot_fail(term, facts)
            case Kind.SMALL:
                return is_small(term, facts)
            case Kind.STRICT:
                raise AssertionError

    @staticmethod
    def _read(node: Node, text: str, found: Found) -> Term | None:
        """A side with what its metavariables stand for; None if that has no type, or is not what is written."""

        def find(name: str) -> Value | None:
            if name not in found:
                return None
            holes, body = found[name]
            return Native(lambda values: _applied(holes, body, values), name) if holes else refresh(body)

        try:
            return Exact(text, find).term(node, {})
        except (TextError, IllTyped, IndexError):
            return None

    def _distinct(self, types: Sequence[Types]) -> list[Term]:
        """One pattern for all types that give the same form."""
        if not types:
            raise LawError(f"{self.equation} has no type\n  hint: {_LETTERS}")
        found: dict[object, Term] = {}
        for chosen in types:
            pattern = self._pattern(chosen)
            if pattern is not None:
                found.setdefault(_form(pattern, {}), pattern)
        patterns = list(found.values())
        for pattern in patterns:
            if _is_metavariable(pattern, self.equation):
                raise LawError(f"{self.equation.left} is every term\n  hint: a law's left side is an operation")
            determined = set(_determined(pattern, self.equation, frozenset()))
            for name in self.equation.arity:
                if name not in determined:
                    raise LawError(_UNDETERMINED.format(left=self.equation.left, name=name))
        return patterns

    def _pattern(self, types: Types) -> Term | None:
        """The left side with metavariables of these types, if it has a type then."""
        metavariables = _Plain(self.equation, types, (Term,), random.Random(0))
        try:
            return Exact(self.equation.left, metavariables.find).term(self._left, {})
        except (TextError, IllTyped):
            return None


_LETTERS = "i to n are Ints, c and d Bools, x and y real numbers, v is a vector; `where e : Array<Int>` says of others"
_UNDETERMINED = """{left} does not say what {name} is
  hint: it must stand on the left side, applied to nothing but distinct variables that are bound there"""


class _Plain(Opaque):
    """Metavariables as functions, whatever `where` says of them."""

    def make_kind(self, kind: Kind, name: str, holes: Holes) -> Term:
        return self.make(name, holes)


class _Match:
    """The terms that metavariables stand for, found by walking over a pattern and a term side by side."""

    def __init__(self, equation: Equation) -> None:
        self.equation = equation
        self.found: Found = {}
        self.bound: dict[Var, Var] = {}
        self.later: list[tuple[App, Term]] = []

    def everything(self, pattern: Term, term: Term) -> bool:
        """Does the term match, the arguments that are no variables too?"""
        return self.one(pattern, term) and all([self.agrees(use, there) for use, there in self.later])

    def one(self, pattern: Term, term: Term) -> bool:
        """Does a part of the term match its part of the pattern?"""
        if isinstance(pattern, Var):
            return self.bound.get(pattern) is term
        if _is_metavariable(pattern, self.equation):
            assert isinstance(pattern, App)
            return self.metavariable(pattern, term)
        if isinstance(pattern, Let) and isinstance(term, Let):
            pattern, term = _first(pattern), _first(term)
        if type(pattern) is not type(term) or not _same_data(pattern, term):
            return False
        mine, theirs = steps(pattern), steps(term)
        if len(mine) != len(theirs):
            return False
        for wanted, given in zip(mine, theirs, strict=True):
            if wanted.var is not None:
                if given.var is None:
                    return False
                self.bound[wanted.var] = given.var
            elif given.var is not None or not self.one(wanted.term, given.term):
                return False
        return True

    def metavariable(self, use: App, term: Term) -> bool:
        """Does a metavariable, applied as it is here, stand for the term?"""
        assert isinstance(use.function, Var)
        name = use.function.name
        if not _may_be(name, self.equation, term.type):
            return False
        arguments = [self.bound.get(a) if isinstance(a, Var) else None for a in use.arguments]
        known = [a for a in arguments if a is not None]
        if len(known) < len(arguments) or len(set(known)) < len(known):
            self.later.append((use, term))
            return True
        if not term.free.isdisjoint(set(self.bound.values()).difference(known)):
            return False
        if name in self.found:
            holes, body = self.found[name]
            return alpha_equal(substitute(refresh(body), dict(zip(holes, known, strict=True))), term)
        holes = tuple([a.renamed() for a in known])
        self.found[name] = holes, substitute(refresh(term), dict(zip(known, holes, strict=True)))
        return True

    def agrees(self, use: App, term: Term) -> bool:
        """Where a metavariable is applied to more than variables: has what it stands for been found?  The left side, as it is
        read with that, says whether it is this.
        """
        assert isinstance(use.function, Var)
        return use.function.name in self.found


def _applied(holes: Holes, body: Term, values: Sequence[Value]) -> Term:
    terms = [v for v in values if isinstance(v, Term)]
    if [t.type for t in terms] != [h.type for h in holes]:
        raise IllTyped("a metavariable of other arguments")
    return substitute(refresh(body), dict(zip(holes, terms, strict=True)))


def _first(scope: Let) -> Let:
    """A scope of one definition, with the others in it."""
    first, *others = scope.bindings
    return Let((first,), let(tuple(others), scope.body)) if others else scope


def _is_metavariable(pattern: Term, equation: Equation) -> bool:
    return isinstance(pattern, App) and isinstance(pattern.function, Var) and pattern.function.name in equation.arity


def _may_be(name: str, equation: Equation, type_: Type) -> bool:
    """Can a metavariable of this name stand for a term of this type?  Real numbers are of either precision."""
    wanted = equation.types.get(name, BY_NAME.get(name))
    if wanted is None or wanted == type_:
        return True
    return name in BY_NAME and name not in equation.types and isinstance(wanted, Float) and type_ in (F32, F64)


def _same_data(pattern: Term, term: Term) -> bool:
    """Are two terms of one constructor alike but for parts and types?"""
    mine, theirs = pattern.declared.data(pattern), term.declared.data(term)
    return len(mine) == len(theirs) and all([_is_type(a) or a == b for a, b in zip(mine, theirs, strict=True)])


def _is_type(datum: object) -> bool:
    return isinstance(datum, Type) or (
        isinstance(datum, tuple) and bool(datum) and all([isinstance(x, Type) for x in datum])
    )


def _determined(pattern: Term, equation: Equation, bound: frozenset[Var]) -> list[str]:
    """The metavariables that a pattern determines."""
    if _is_metavariable(pattern, equation):
        assert isinstance(pattern, App)
        assert isinstance(pattern.function, Var)
        arguments = [a for a in pattern.arguments if isinstance(a, Var) and a in bound]
        is_determined = len(set(arguments)) == len(pattern.arguments)
        return [pattern.function.name] if is_determined else []
    names: list[str] = []
    for step in steps(pattern):
        if step.var is not None:
            bound |= {step.var}
        else:
            names += _determined(step.term, equation, bound)
    return names


def _form(pattern: Term, bound: dict[Var, int]) -> object:
    """What a pattern is, types apart."""
    if isinstance(pattern, Var):
        return bound.get(pattern, pattern.name)
    data = tuple([d for d in pattern.declared.data(pattern) if not _is_type(d)])
    parts: list[object] = [type(pattern), data]
    for step in steps(pattern):
        if step.var is not None:
            bound = {**bound, step.var: len(bound)}
            parts.append("binds")
        else:
            parts.append(_form(step.term, bound))
    return tuple(parts)

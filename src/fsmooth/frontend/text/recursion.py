"""`letrec f (x : A) : B = … and … in e`: functions that call themselves and one another, as definitions of the core.

What they mention around them must be bound in the text, and is handed to them (core/definitions.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsmooth.core.definitions import called, extension
from fsmooth.core.shape import Ragged
from fsmooth.core.term import Call, Header, If, Lam, Let, Require, Term, Var, let
from fsmooth.core.types import Tuple, Type, has_array
from fsmooth.frontend.text import tree
from fsmooth.frontend.text.joins import converted
from fsmooth.frontend.text.types import a, type_of
from fsmooth.frontend.text.values import Native, Scope, Value

if TYPE_CHECKING:
    from fsmooth.frontend.text.elaborate import Elaborator


def letrec(elaborator: Elaborator, node: tree.Recursion, scope: Scope, expected: Type | None) -> Term:
    """The body, in which the names of the clauses are definitions."""
    inner = dict(scope)
    headers: list[Header] = []
    for clause in node.clauses:
        types = []
        for q in clause.parameters:
            if q.type is None:
                raise elaborator.fail(f"{q.name} needs a type: {clause.name} may call itself", q)
            types.append(type_of(q.type, elaborator.text))
        header = Header(clause.name, tuple(types), type_of(clause.type, elaborator.text))
        headers.append(header)
        inner[clause.name] = _as_value(header)
    for header, clause in zip(headers, node.clauses, strict=True):
        if has_array(header.result):
            function = _function(elaborator, clause, header, inner)
            model = _without_calls(function.body, headers)
            if model is None:
                raise elaborator.fail(f"{clause.name} gives an array of a size that is known nowhere", clause)
            header.model = Lam(function.parameters, model)
    for header, clause in zip(headers, node.clauses, strict=True):
        header.define(_function(elaborator, clause, header, inner))
    body = elaborator.term(node.body, inner, expected)
    try:
        return extension(body)(body)
    except Ragged as error:
        raise elaborator.fail(str(error), node) from None


def _function(elaborator: Elaborator, clause: tree.Clause, header: Header, scope: Scope) -> Lam:
    """What a clause says, as far as the models of what it calls are known."""
    parameters = tuple([Var(q.name, t) for q, t in zip(clause.parameters, header.parameters, strict=True)])
    own = {**scope, **{q.name: q for q in parameters}}
    return Lam(parameters, elaborator.term(clause.value, own, header.result))


def _as_value(header: Header) -> Native:
    def apply(values: list[Value]) -> Term:
        if not header.parameters and len(values) == 1 and isinstance(values[0], Term) and values[0].type == Tuple(()):
            values = []
        if len(values) != len(header.parameters):
            raise TypeError(f"{len(values)} arguments for {header!r}")
        terms = []
        for value, wanted in zip(values, header.parameters, strict=True):
            fitted = converted(value, wanted) if isinstance(value, Term) else None
            if fitted is None:
                given = a(value.type) if isinstance(value, Term) else "a function"
                raise TypeError(f"{header.name} wants {a(wanted)}, not {given}")
            terms.append(fitted)
        return Call(header, tuple(terms))

    return Native(apply, header.name)


def _without_calls(term: Term, headers: list[Header]) -> Term | None:
    """A branch of the value that calls none of them; None if there is none."""
    if not any([h in headers for h in called(term)]):
        return term
    match term:
        case If(_, then, otherwise):
            first = _without_calls(then, headers)
            return _without_calls(otherwise, headers) if first is None else first
        case Let(bindings, body):
            inner = _without_calls(body, headers)
            if inner is None:
                return None
            needed: list[tuple[Var, Term]] = []
            free = set(inner.free)
            for var, value in reversed(bindings):
                if var in free:
                    made = _without_calls(value, headers)
                    if made is None:
                        return None
                    needed.insert(0, (var, made))
                    free |= made.free
            return let(needed, inner)
        case Require(_, body):
            return _without_calls(body, headers)
        case _:
            return None

"""Definitions that a term calls, by headers (core/term/calls.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from fsmooth.core.alpha import alpha_equal
from fsmooth.core.term import Call, Deriv, Header, Lam, Term, Var
from fsmooth.core.traverse import steps, subterms, transform
from fsmooth.core.types import Array, Data, Tuple


def has_calls(term: Term) -> bool:
    """Are there calls of definitions in the term?"""
    return Call in term.kinds


def has_derivative(term: Term) -> bool:
    """Is there a `Deriv` in the term, or in what it calls?"""
    parts = [term, *[header.definition for header in reachable(term)]]
    return any([isinstance(t, Deriv) for part in parts for t in subterms(part)])


def called(term: Term) -> list[Header]:
    """The headers that a term calls itself, each once, in the order in which they are met."""
    if not has_calls(term):
        return []
    return list(dict.fromkeys([t.header for t in subterms(term) if isinstance(t, Call)]))


def reachable(term: Term, definition: Callable[[Header], Term] = lambda header: header.definition) -> list[Header]:
    """The headers that a term calls, and those that their definitions call."""
    found = dict.fromkeys(called(term))
    pending = list(found)
    while pending:
        try:
            body = definition(pending.pop())
        except LookupError:  # it is being made
            continue
        for header in called(body):
            if header not in found:
                found[header] = None
                pending.append(header)
    return list(found)


def with_calls(term: Term, change: Callable[[Call], Term]) -> Term:
    """The term with each of its calls changed."""
    return transform(term, lambda t: change(t) if isinstance(t, Call) else t)


def redefined(term: Term, change: Callable[[Lam], Lam], renewed: Callable[[Header], Header] = Header.renewed) -> Term:
    """The term where each definition that it calls, or that these call, is changed."""
    headers = reachable(term)
    new = {h: renewed(h) for h in headers}

    def renamed(term: Term) -> Term:
        return with_calls(term, lambda call: Call(new[call.header], call.arguments))

    for h in headers:
        new[h].define(cast(Lam, renamed(change(h.definition))))
    return renamed(term) if headers else term


def equal_with_definitions(left: Term, right: Term) -> bool:
    """Are the terms alpha-equal, if those definitions are one that are, and stand in one order?

    So are the data types that only the definitions have, as those of what calls save.
    """
    if alpha_equal(left, right):
        return True
    mine, others = reachable(left), reachable(right)
    if not mine or len(mine) != len(others):
        return False
    same: dict[object, object] = dict(zip(mine, others, strict=True))
    types = [((*h.parameters, h.result), (*k.parameters, k.result)) for h, k in zip(mine, others, strict=True)]
    pairs = [(left, right), *[(h.definition, k.definition) for h, k in zip(mine, others, strict=True)]]
    return all([_alike(one, other, same) for one, other in types]) and all([_same(*pair, same) for pair in pairs])


_Scope = list[tuple[dict[Var, Var], Var, Var | None]]
"""What variables that are bound in a term stood for before."""


def _same(left: Term, right: Term, same: dict[object, object]) -> bool:
    """Are the terms alpha-equal, if each header and data type on the left is the one on the right that it is paired with?"""
    bound: dict[Var, Var] = {}
    back: dict[Var, Var] = {}
    pending: list[tuple[Term, Var | None, Term, Var | None, _Scope] | _Scope] = [(left, None, right, None, [])]
    while pending:
        item = pending.pop()
        if isinstance(item, list):
            for names, name, before in reversed(item):
                if before is None:
                    del names[name]
                else:
                    names[name] = before
            continue
        one, var, other, its, scope = item
        if var is not None and its is not None:
            if not _alike(var.type, its.type, same):
                return False
            scope += [(bound, var, bound.get(var)), (back, its, back.get(its))]
            bound[var], back[its] = its, var
        elif var is not its or type(one) is not type(other):
            return False
        elif isinstance(one, Var) and isinstance(other, Var):
            if bound.get(one, one) is not other or back.get(other, other) is not one:
                return False
        elif not _alike(tuple(one.declared.data(one)), tuple(other.declared.data(other)), same):
            return False
        else:
            mine, others, inner = steps(one), steps(other), _Scope()
            if len(mine) != len(others):
                return False
            pending.append(inner)
            pending += [(x.term, x.var, y.term, y.var, inner) for x, y in zip(mine[::-1], others[::-1], strict=True)]
    return True


def _alike(left: object, right: object, same: dict[object, object]) -> bool:
    """Likewise for what a term has beside terms: types, headers, numbers.  Data types that are met first are paired."""
    match left, right:
        case Data(), Data():
            if left in same or right in same.values():
                return same.get(left) is right
            same[left] = right
            return left is right or _alike(left.constructors, right.constructors, same)
        case (Array(one), Array(other)):
            return _alike(one, other, same)
        case (Tuple(items, names, _), Tuple(others, other_names, _)):
            return names == other_names and _alike(items, others, same)
        case (tuple(), tuple()):
            return len(left) == len(right) and all([_alike(a, b, same) for a, b in zip(left, right, strict=True)])
        case (Term(), Term()):
            return _same(left, right, same)
        case _:
            return bool(same.get(left, left) == right)


def extension(term: Term) -> Callable[[Term], Term]:
    """What makes definitions mention nothing around them, in the term and its parts: it is handed to them with each call.

    This is lambda lifting: the variables that a definition mentions, and those that the definitions it calls are handed,
    become parameters of it (T. Johnsson, "Lambda lifting", FPCA 1985).
    """
    headers = reachable(term)
    handed = {h: tuple(sorted(h.definition.free | _of_model(h), key=lambda x: x.id)) for h in headers}
    if not any(handed.values()):
        return lambda part: part
    while True:
        new = {h: _handing(h, handed[h]) for h in headers}

        def lengthened(call: Call, new: dict[Header, Header] = new) -> Term:
            return Call(new[call.header], (*call.arguments, *handed[call.header]))

        steady = True
        for h in headers:
            made = cast(Lam, with_calls(h.definition, lengthened))
            function = Lam((*made.parameters, *handed[h]), made.body)
            if function.free:
                handed[h] = (*handed[h], *sorted(function.free, key=lambda x: x.id))
                steady = False
            elif steady:
                new[h].define(function)
        if steady:
            return lambda part: with_calls(part, lengthened)


def _of_model(header: Header) -> frozenset[Var]:
    return frozenset() if header.model is None else header.model.free


def _handing(header: Header, handed: tuple[Var, ...]) -> Header:
    """A header that takes more."""
    model = header.model if header.model is None else Lam((*header.model.parameters, *handed), header.model.body)
    return Header(
        header.name, (*header.parameters, *[x.type for x in handed]), header.result, header.site, model, header.running
    )

"""Why indices are in bounds, in words: what the proofs of rewrite.facts rest on at each check of a program as it was written."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fsmooth.core.alpha import alpha_equal
from fsmooth.core.pretty import show
from fsmooth.core.shape import Ragged, size_of
from fsmooth.core.subst import substitute
from fsmooth.core.term import App, Check, Deriv, Get, If, Lam, Length, Site, Term, Var, let
from fsmooth.core.traverse import children, subterms
from fsmooth.core.types import Tuple
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import Strategy
from fsmooth.rewrite.traversal import all_

SIZES = "sizes"


def reasons(program: Term) -> Iterator[tuple[Site, str]]:
    """For each index that is checked in a program, why it is in bounds, if that shows where it is written.

    The sizes of arrays that are made in it are what they are made of.  Of what is proved only when loops are fused, or by what
    they carry, nothing is said.
    """
    found: list[tuple[Site, str]] = []

    def visit(term: Term, facts: Facts) -> Term | None:
        proving = (
            [s for s in _sizes(term.size, facts) if facts.within(term.index, s)] if isinstance(term, Check) else []
        )
        if isinstance(term, Check) and proving:
            found.append((term.site, _reason(term.index, proving[0], facts, conditions)))
        called = _called(term)
        if called is not None:
            visit(called, facts)
        elif isinstance(term, If):
            conditions.append(term)
            below.apply(term, facts)
            conditions.pop()
        elif children(term):
            below.apply(term, facts)
        return term

    conditions: list[If] = []
    below = all_(Strategy("reasons", visit))
    visit(program, Facts())
    yield from found


def _sizes(size: Term, facts: Facts) -> Iterator[Term]:
    """A size as it is written, and what it is by the definitions of the array that it is the size of."""
    yield size
    while isinstance(size, Length):
        try:
            found = size_of(facts.definition(size.array), size.axis)
        except Ragged:
            return
        if alpha_equal(found, size):
            return
        size = found
        yield size


def _reason(index: Term, size: Term, facts: Facts, around: list[If]) -> str:
    parts = []
    within = list(_definitions(index, facts.definition))
    ranges = dict.fromkeys([t.name for t in within if isinstance(t, Var) and t in facts.ranges])
    if ranges:
        parts.append(f"range of {', '.join(ranges)}")
    arrays = dict.fromkeys([_name(t, facts) for t in within if isinstance(t, Get) and facts.is_index(t)])
    if arrays:
        parts.append(f"annotation of {', '.join(arrays)}")
    about = [t for t in within if isinstance(t, Var)] or size.free
    asked = [c.condition for c in around if not c.condition.free.isdisjoint(about)]
    parts += [f"condition {show(c)}" for c in dict.fromkeys(asked)]
    return " and ".join(parts) or SIZES


def _called(term: Term) -> Term | None:
    """The body of a function, or of one that is differentiated, with what it is called with under the names it has there."""
    if not isinstance(term, App):
        return None
    function = term.function.function if isinstance(term.function, Deriv) else term.function
    if not isinstance(function, Lam) or len(function.parameters) > len(term.arguments):
        return None
    given = list(zip(function.parameters, term.arguments, strict=False))
    own = {q: a for q, a in given if isinstance(a, Var)}
    return let([(q, a) for q, a in given if q not in own], substitute(function.body, own))


def _name(element: Get, facts: Facts) -> str:
    """What the array is called that this is an element of: `idx`, `data.idx`."""
    part = facts.whole(element)
    assert part is not None
    whole, *path = part
    assert isinstance(whole, Var)
    name, type_ = whole.name, whole.type
    for k in path:
        assert isinstance(k, int)
        assert isinstance(type_, Tuple)
        name, type_ = f"{name}.{type_.names[k] if type_.names else k}", type_.items[k]
    return name


def _definitions(term: Term, define: Callable[[Term], Term]) -> Iterator[Term]:
    """The parts of a term, and those of the definitions of its variables."""
    for part in subterms(term):
        yield part
        if isinstance(part, Var):
            made = define(part)
            if made is not part and not isinstance(made, Var):
                yield from _definitions(made, define)

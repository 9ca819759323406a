"""What a scope of a program mentions several times as one object: it is bound and differentiated once."""

from __future__ import annotations

from fsmooth.core.term import (
    Const,
    Custom,
    Get,
    Lam,
    Proj,
    Term,
    Var,
    Zero,
)
from fsmooth.core.traverse import children, opens_region, subterms
from fsmooth.core.types import dual


def is_atomic(term: Term) -> bool:
    while isinstance(term, Get | Proj):
        if isinstance(term, Get):
            if not isinstance(term.index, Var | Const):
                return False
            term = term.array
        else:
            term = term.tuple
    return isinstance(term, Var | Const | Zero)


def shared_terms(root: Term) -> frozenset[Term]:
    """The subterms with a tangent that occur more than once as one object, and are worth a name."""
    seen: set[Term] = set()
    found: set[Term] = set()
    for term in subterms(root):
        for child in children(term):
            if (
                child in seen
                and not is_atomic(child)
                and not isinstance(child, Lam | Custom)
                and dual(child.type) != child.type
            ):
                found.add(child)
            seen.add(child)
    return frozenset(found)


def crossing_terms(root: Term, shared: frozenset[Term]) -> tuple[Term, ...]:
    """The shared subterms, innermost first, that the scope `root` evaluates itself and that a scope inside mentions too."""
    if not shared:
        return ()
    direct: list[Term] = []
    seen: set[Term] = set()
    inner: list[Term] = []
    stack: list[tuple[Term, bool]] = [(root, False)]
    while stack:
        term, ready = stack.pop()
        if ready:
            direct.append(term)
        elif term not in seen:
            seen.add(term)
            if term in shared:
                stack.append((term, True))
            for k, child in enumerate(children(term)):
                if opens_region(term, k):
                    inner.append(child)
                else:
                    stack.append((child, False))
    mentioned = {t for term in inner for t in subterms(term)} if direct else set()
    return tuple([term for term in direct if term in mentioned])

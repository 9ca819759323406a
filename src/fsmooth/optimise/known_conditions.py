"""Which conditions hold wherever a node is evaluated: of the branches that it stands in, and that a loop around it runs."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_key
from fsmooth.core.subst import substitute
from fsmooth.core.term import Build, Const, Get, If, IFold, Prim, Reduce, Term, Var
from fsmooth.core.traverse import children, size_of_tree


def known_conditions(order: list[Term], definitions: Mapping[Var, Term]) -> dict[Term, frozenset[Hashable]]:
    """The keys of these conditions; `order` has every node after its parts."""
    known: dict[Term, frozenset[Hashable]] = {}
    for node in reversed(order):
        here = known.setdefault(node, frozenset())
        for k, child in enumerate(children(node)):
            there = here
            match node:
                case If(condition) if k > 0:
                    there |= keys_of(condition if k == 1 else Prim(p.logical_not, (condition,)), definitions)
                case Build(size, _, body) | Reduce(_, size, _, body) | IFold(size, _, _, _, body) if child is body:
                    there |= keys_of(Prim(p.less, (Const(0), size)), definitions)
            known[child] = there & known[child] if child in known else there
    return known


def keys_of(condition: Term, definitions: Mapping[Var, Term]) -> frozenset[Hashable]:
    """Of the conditions that it joins, by what their names are defined as."""
    match condition:
        case If(a, b, Const(False)):
            return keys_of(a, definitions) | keys_of(b, definitions)
        case _:
            return frozenset((alpha_key(_written_out(condition, definitions)),))


def _written_out(term: Term, definitions: Mapping[Var, Term]) -> Term:
    """A condition on numbers, with what their names stand for, as far as it stays small."""
    while size_of_tree(term) <= thresholds.COPIED_CONDITION:
        named = {var: definitions[var] for var in term.free if isinstance(definitions.get(var), Prim | Get)}
        if not named:
            break
        term = substitute(term, named)
    return term

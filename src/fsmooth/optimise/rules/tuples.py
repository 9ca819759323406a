"""Tuple normalisation (paper 000, Fig. 8f)."""

from __future__ import annotations

from fsmooth.core.term import If, Let, MakeTuple, Proj, Term, Var
from fsmooth.core.types import Tuple, Type
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import rule


@rule("fst (a, b) ~> a;  snd (a, b) ~> b", source="000, Fig. 8f", heads=Proj)
def project_tuple(t: Term, facts: Facts) -> Term | None:
    """Also through a name bound to a tuple of variables."""
    match t:
        case Proj(MakeTuple(items), k):
            return items[k]
        case Proj(Var() as var, k):
            definition = facts.definition(var)
            if isinstance(definition, MakeTuple):
                return definition.items[k]
    return None


@rule(
    "fst (if c then (a, b) else e) ~> if c then fst (a, b) else fst e;  "
    "snd (if c then e else (a, b)) ~> if c then snd e else snd (a, b)",
    source="000, Fig. 8d",
    heads=Proj,
)
def project_if(t: Term, facts: Facts) -> Term | None:
    """Only where a tuple that a branch ends in makes one of the projections vanish."""
    match t:
        case Proj(If(c, a, b), k) if _ends_in_display(a) or _ends_in_display(b):
            return If(c, Proj(a, k), Proj(b, k))
    return None


def _ends_in_display(branch: Term) -> bool:
    while isinstance(branch, Let):
        branch = branch.body
    return isinstance(branch, MakeTuple)


@rule("(fst a, snd a) ~> a where a is a variable", source="fsmooth", heads=MakeTuple)
def eta_tuple(t: Term, facts: Facts) -> Term | None:
    """A tuple of all the projections of a variable is that variable; not a record of another class."""
    match t:
        case MakeTuple((Proj(Var() as var, 0), *rest)) if _same_class(var.type, t.type):
            for k, item in enumerate(rest, 1):
                match item:
                    case Proj(other, j) if other is var and j == k:
                        continue
                return None
            return var
    return None


def _same_class(a: Type, b: Type) -> bool:
    return a == b and isinstance(a, Tuple) and isinstance(b, Tuple) and a.record == b.record

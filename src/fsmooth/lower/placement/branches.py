"""A branch that makes several parts of a fold's state at once (design §6, in place).

    let t = if c then (update a i x, y) else (a, z) in (fst t, update b i (snd t))
    is  if c then (update a i x, update b i y) else (a, update b i z)

so that each part is changed in place in the branch taken.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsmooth import thresholds
from fsmooth.core.build import named_part
from fsmooth.core.subst import substitute1
from fsmooth.core.term import (
    If,
    Lam,
    Let,
    MakeTuple,
    Proj,
    Require,
    Term,
    Update,
    Var,
    let,
)
from fsmooth.core.traverse import children, is_loop, size_of_tree, subterms, transform
from fsmooth.core.types import Array, Tuple, has_array
from fsmooth.lower.cardinality import is_path


def with_rest_in_branches(term: Let) -> Term | None:
    """The scope with what follows its last branch of several arrays done in that branch; None if there is no such."""
    for k in range(len(term.bindings) - 1, -1, -1):
        var, value = term.bindings[k]
        if isinstance(value, If) and isinstance(value.type, Tuple) and has_array(value.type):
            rest = let(term.bindings[k + 1 :], term.body)
            if size_of_tree(rest) > thresholds.REST_OF_BRANCHES:
                return None
            before, value = _with_updates(term.bindings[:k], value, rest)
            then, otherwise = _continued(value.then, var, rest), _continued(value.otherwise, var, rest)
            if then is None or otherwise is None:
                return None
            return let(before, If(value.condition, then, otherwise))
    return None


def _with_updates(bindings: Sequence[tuple[Var, Term]], branch: If, rest: Term) -> tuple[list[tuple[Var, Term]], If]:
    """The branch with updates that each of its sides mentions once, and nothing else does, made where they are used."""
    kept: list[tuple[Var, Term]] = []
    for var, value in reversed(bindings):
        sides = (branch.then, branch.otherwise)
        elsewhere = [rest, branch.condition, *[other for _, other in kept]]
        if (
            isinstance(value, Update)
            and not any([var in other.free for other in elsewhere])
            and all([_mentions(side, var) <= 1 for side in sides])
        ):
            branch = If(branch.condition, *[substitute1(side, var, value) for side in sides])
        else:
            kept.append((var, value))
    kept.reverse()
    return kept, branch


def _mentions(term: Term, var: Var) -> int:
    """How often a variable is mentioned; often if that is in a loop."""
    if var not in term.free:
        return 0
    if term is var:
        return 1
    inner = sum([_mentions(child, var) for child in children(term)])
    return 2 * inner if isinstance(term, Lam) or is_loop(term) else inner


def _uses(term: Term, var: Var, path: tuple[int, ...]) -> int:
    """How often the component is mentioned."""
    mentioned = [term, *[child for t in subterms(term) for child in children(t)]]
    return sum([named_part(t) == (var, path) for t in mentioned])


def _continued(branch: Term, var: Var, rest: Term) -> Term | None:
    """`let var = branch in rest`, the components of a display put where they are used."""
    match branch:
        case Let(bindings, body):
            inner = _continued(body, var, rest)
            return None if inner is None else let(bindings, inner)
        case Require(condition, body):
            inner = _continued(body, var, rest)
            return None if inner is None else Require(condition, inner, branch.failure, branch.numbers, branch.site)
        case If(condition, then, otherwise):
            first, second = _continued(then, var, rest), _continued(otherwise, var, rest)
            return None if first is None or second is None else If(condition, first, second)
        case MakeTuple():
            kept: list[tuple[Var, Term]] = []
            displays: set[Term] = set()

            def named(item: Term, path: tuple[int, ...]) -> Term:
                if isinstance(item, MakeTuple):
                    whole = MakeTuple(tuple([named(x, (*path, k)) for k, x in enumerate(item.items)]), item.type)
                    displays.add(whole)
                    return whole
                if is_path(item) or (isinstance(item.type, Array) and _uses(rest, var, path) == 1):
                    return item
                own = Var(var.name, item.type)
                kept.append((own, item))
                return own

            whole = named(branch, ())

            def change(t: Term) -> Term:
                if isinstance(t, Proj) and isinstance(t.tuple, MakeTuple) and t.tuple in displays:
                    return t.tuple.items[t.position]
                return t

            return let(kept, transform(substitute1(rest, var, whole), change))
        case _:
            return None

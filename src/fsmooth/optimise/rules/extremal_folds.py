"""Loops that look for the smallest or the largest of something are reductions, which have no state.

    best = inf
    for i in range(n):
        d = distance(i)
        if d < best:
            best, which = d, i

Such a loop would go from one iteration to the next, and on its way back through all of them again, with what was the best so
far in each.  As reductions they run in vectors, and what was found depends on one iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.build import bind, number
from fsmooth.core.subst import refresh, substitute1
from fsmooth.core.term import Const, If, IFold, Let, MakeTuple, Prim, Proj, Reduce, Reduction, Term, Var, let
from fsmooth.core.traverse import is_loop_free
from fsmooth.core.types import INT, Float
from fsmooth.optimise.rules.loop_normalisation import calls
from fsmooth.optimise.rules.sum_fission import needed_by, opened
from fsmooth.optimise.rules.totality import cannot_fail_below
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import rule

_EXTREMA: Mapping[p.Primitive, Reduction] = {p.minimum: Reduction.MIN, p.maximum: Reduction.MAX}


@rule(
    "ifold (fun a i -> minimum a (x i)) y n"
    " ~> let m = n in let b = y in if 0 < m then minimum b (min m (fun i -> x i)) else b;  "
    "ifold (fun a i -> let z = x i in maximum a (e i z)) y n"
    " ~> let m = n in let b = y in if 0 < m then maximum b (max m (fun i -> let z = x i in e i z)) else b",
    source="fsmooth",
    heads=IFold,
)
def fold_to_extremum(t: Term, facts: Facts) -> Term | None:
    """Of equal numbers the first counts, in the loop and in the reduction; not if the state comes second."""
    if not isinstance(t, IFold):
        return None
    bindings, result = opened(t.body)
    match result:
        case Prim(primitive, (before, e)) if primitive in _EXTREMA and before is t.state:
            each, reduction, index = let(bindings, e), _EXTREMA[primitive], t.index
        case _:
            return None
    if t.state in each.free or calls(each):
        return None

    def reduced(size: Term, init: Term) -> Term:
        return Prim(primitive, (init, Reduce(reduction, size, index, each)))

    return _if_it_runs(t, reduced)


@rule(
    "ifold (fun a i -> if x i < a then x i else a) y n ~> let m = n in let b = y in"
    " if 0 < m then (let k = argmin m (fun i -> let z = x i in if isnan z then inf else z) in"
    " let z = x k in if z < b then z else b) else b;  "
    "ifold (fun a i -> if fst a < x i then (x i, i) else a) (y, k) n ~> let m = n in let b = (y, k) in"
    " if 0 < m then (let j = argmax m (fun i -> let z = x i in if isnan z then -inf else z) in"
    " let z = (x j, j) in if fst b < fst z then z else b) else b",
    source="fsmooth",
    heads=IFold,
)
def fold_to_place(t: Term, facts: Facts) -> Term | None:
    """A comparison with a NaN does not hold, so the loop passes over them; what is found first stays.

    What is found is computed twice, so this is for programs of which a derivative is taken: that is then one of what is found.
    """
    return _sought(t, facts)


@rule(
    "ifold (fun a i -> if to_float i < a then to_float i else a) y n ~> let m = n in let b = y in"
    " if 0 < m then (let k = argmin m (fun i -> let z = to_float i in if isnan z then inf else z) in"
    " let z = to_float k in if z < b then z else b) else b",
    source="fsmooth",
    heads=IFold,
)
def fold_to_place_of_number(t: Term, facts: Facts) -> Term | None:
    """The same of numbers that are computed without loops: these are searched in vectors.  Not inside loops, where searches are
    often too short for that.
    """
    return _sought(t, facts) if isinstance(t, IFold) and is_loop_free(t.body) and not facts.ranges else None


def _sought(t: Term, facts: Facts) -> Term | None:
    """The search that a loop is, if it takes the number that it compares with its state, and what else it takes cannot fail: of
    the other iterations with a better one, nothing else is computed then.
    """
    if not isinstance(t, IFold):
        return None
    state, index = t.state, t.index
    bindings, result = opened(t.body)
    match result:
        case If(Prim(p.less | p.greater as how, (left, right)), then, otherwise) if otherwise is state:
            found = _compared(left, right, then, state)
        case _:
            return None
    whole = let(bindings, then)
    if found is None or state in whole.free or calls(whole):
        return None
    element, part = found
    each = needed_by(bindings, element)
    in_each = {var for var, _ in opened(each)[0]}
    besides = [value for var, value in bindings if var not in in_each]
    if isinstance(then, MakeTuple):
        besides += [item for item in then.items if not alpha_equal(item, element)]
    if not cannot_fail_below({index: t.size}, besides, facts):
        return None
    smallest = (how is p.less) == (element is left)

    def sought(size: Term, init: Term) -> Term:
        place = Reduce(Reduction.ARGMIN if smallest else Reduction.ARGMAX, size, index, _without_nan(each, smallest))
        at = Var("place", INT, index.site)

        def better(new: Term) -> Term:
            parts = (part(new), part(init)) if element is left else (part(init), part(new))
            return If(Prim(how, parts), new, init)

        return Let(((at, place),), bind(refresh(substitute1(whole, index, at)), better, state.name))

    return _if_it_runs(t, sought)


def _compared(left: Term, right: Term, then: Term, state: Var) -> tuple[Term, Callable[[Term], Term]] | None:
    """What is compared with the state, or with a part of it, and takes its place; and how that part is read."""
    for element, before in ((left, right), (right, left)):
        match before:
            case Var() if before is state and alpha_equal(element, then):
                return element, lambda whole: whole
            case Proj(whole, k) if (
                whole is state and isinstance(then, MakeTuple) and alpha_equal(element, then.items[k])
            ):
                return element, lambda whole, k=k: Proj(whole, k)
    return None


def _without_nan(each: Term, smallest: bool) -> Term:
    """The same number, but not NaN: such is never found."""
    if not isinstance(each.type, Float):
        return each
    instead = number(float("inf") if smallest else float("-inf"), each.type)
    return bind(refresh(each), lambda x: If(Prim(p.is_nan, (x,)), instead, x), "x")


def _if_it_runs(loop: IFold, made: Callable[[Term, Term], Term]) -> Term:
    """What is made of the size and the first state of a loop if it runs, else that state."""

    def chosen(size: Term, init: Term) -> Term:
        return If(Prim(p.less, (Const(0), size)), made(size, init), init)

    return bind(loop.size, lambda size: bind(loop.init, lambda init: chosen(size, init), "first"), "n")

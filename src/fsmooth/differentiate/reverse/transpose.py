"""The transpose of each construct: how the cotangent of a step is passed on (paper 001, Fig. 2 and Fig. 5).

r ⊙ᴿ S(k) = k * r        r ⊙ᴿ (m ⋈ n) = (r ⊙ᴿ m, r ⊙ᴿ n)        r ⊙ᴿ V(m) = Σᵢ r[i] ⊙ᴿ m[i]

r ⊙ᴿ H(m) = build (i. r ⊙ᴿ m[i])

r ⊙ᴿ ∇(A B) = (r Bᵀ, Aᵀ r)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.build import tuple_of, zero_like
from fsmooth.core.matrix_products import matrix_by_vector, matrix_product
from fsmooth.core.subst import refresh, substitute
from fsmooth.core.term import (
    App,
    Build,
    Call,
    Const,
    Custom,
    Delta,
    Flow,
    Get,
    Header,
    If,
    IFold,
    MakeTuple,
    Plus,
    Prim,
    Proj,
    Reduce,
    Reduction,
    Require,
    Term,
    Update,
    Var,
    Vector,
    Zero,
    let,
)
from fsmooth.core.term.custom import differentiable
from fsmooth.core.types import Float, Function, is_scalar
from fsmooth.differentiate.custom import refuse_active, vjp_of
from fsmooth.differentiate.derivatives import ROWS, underived
from fsmooth.differentiate.reverse.calls import Saves, at_once, nothing_saved, parts_of, transpose_call
from fsmooth.differentiate.reverse.cotangents import Key, component, place_of, same_key, settled
from fsmooth.differentiate.reverse.folds import transpose_fold
from fsmooth.differentiate.reverse.matrix_products import passed_on
from fsmooth.differentiate.reverse.names import beside
from fsmooth.differentiate.reverse.region import Region, Reverser, Tail, scope
from fsmooth.differentiate.reverse.residuals import kept, plan, recomputing, saving, without_data
from fsmooth.differentiate.reverse.saved import pair_of
from fsmooth.differentiate.reverse.sizes import with_sizes
from fsmooth.differentiate.reverse.steps import Item, Step, Steps

Leaving = Mapping[Key, Term]


def transpose(walk: Reverser, step: Step, r: Term) -> Sequence[Item] | None:
    """Pass `r`, the cotangent of the step's variable, on."""
    match step.term:
        case Prim():
            _scalar(walk, step.term, step.var, r)
        case Get() | Proj():
            walk.contribute(step.term, r)
        case Vector(items):
            for k, item in enumerate(items):
                walk.contribute(item, Get(r, Const(k)))
        case Plus(items):
            for item in items:
                walk.contribute(item, r)
        case Delta(_, index, value):
            walk.contribute(value, Get(r, index))
        case Update(array, index, value):
            walk.contribute(value, Get(r, index))
            walk.contribute(array, Update(r, index, with_sizes(zero_like(value), walk.definitions.get)))
        case If():
            return _branch(walk, step, step.term, r)
        case Build():
            return _build(walk, step, step.term, r)
        case Reduce(Reduction.SUM):
            return _sum(walk, step, step.term, r)
        case IFold():
            return transpose_fold(walk, step, step.term, r)
        case App(Custom() as custom, arguments):
            return _by_rule(walk, step, custom, arguments, r)
        case Call():
            return _call(walk, step, step.term, r)
        case _:
            raise underived(step.term, "reverse derivative")
    return None


def _scalar(walk: Reverser, term: Prim, result: Var, r: Term) -> None:
    """One argument at a time: the rows are linear in the tangents, and a number is its own transpose."""
    for k, argument in enumerate(term.arguments):
        if not isinstance(argument.type, Float) or not walk.steps.is_active(argument):
            continue
        if term.primitive in (p.to_float, p.to_float32):
            walk.contribute(argument, Prim(p.conversion_to(argument.type), (r,)))
            continue
        tangents: list[Term] = []
        for j, other in enumerate(term.arguments):
            zero = Zero((), other.type) if isinstance(other.type, Float) else MakeTuple(())
            tangents.append(r if j == k else zero)
        walk.contribute(argument, ROWS[term.primitive](term.arguments, result, tuple(tangents)))


def _call(walk: Reverser, step: Step, term: Call, r: Term) -> Sequence[Item] | None:
    """r ⊙ᴿ ∇⟦h ē⟧.  Frames are for the scopes that this transposes itself, to the end."""
    how = walk.transpose
    if how is not transpose:
        return transpose_call(walk, step, term, r, how, nothing_saved)
    return transpose_call(walk, step, term, r, how, _saving)


def _saving(header: Header, active: tuple[bool, ...]) -> Saves | None:
    return pair_of(header, active, transpose)


def transpose_in_halves(walk: Reverser, step: Step, r: Term) -> Sequence[Item] | None:
    """Pass a cotangent on where the way back may run when the memory of the way forward is gone: no frame is handed over."""
    if isinstance(step.term, Call):
        return transpose_call(walk, step, step.term, r, transpose, nothing_saved)
    return transpose(walk, step, r)


def transpose_anew(walk: Reverser, step: Step, r: Term) -> Sequence[Item] | None:
    """Pass a cotangent on where nothing is to be saved by calls, since what saves is to be differentiated itself."""
    return transpose(walk, step, r)


def _share_out(walk: Reverser, var: Var, keys: Sequence[Key], value: Term) -> None:
    """Bind the cotangents of several places, and contribute them."""
    whole = beside(var, Flow.LEAVING, value.type)
    walk.run_back(whole, value)
    for key, part in zip(keys, parts_of(whole, len(keys)), strict=True):
        walk.contribute(*settled(key, part))


# -- functions with rules of their own -----------------------------------------------------------------------------------


def _by_rule(walk: Reverser, step: Step, custom: Custom, arguments: Sequence[Term], r: Term) -> Sequence[Item] | None:
    """The user's vjp.  What it computes without the cotangent belongs to the way forwards."""
    refuse_active(custom, [x for x in custom.free if walk.steps.is_active(x)])
    rule = vjp_of(custom, walk.transpose)
    along = [arguments[k] for k in differentiable(cast(Function, custom.type))]
    given = dict(zip(rule.parameters, (*arguments, r), strict=True))
    late = {x for x in r.free if walk.is_late(x)}
    steps = Steps(frozenset(late), {})
    cotangents = steps.value(substitute(rule.body, given))
    forward: list[Step] = []
    if any([isinstance(item, Require) for item in steps.items]):
        whole = beside(step.var, Flow.LEAVING, cotangents.type)
        walk.run_back(whole, refresh(scope(steps.items, cotangents)))
        cotangents = whole
    else:
        for item in steps.items:
            assert isinstance(item, Step)
            if late.isdisjoint(item.term.free):
                forward.append(item)
                walk.definitions[item.var] = item.term
            else:
                late.add(item.var)
                walk.run_back(item.var, item.term)
    for k, place in enumerate(along):
        walk.contribute(place, component(cotangents, k))
    return [step, *forward] if walk.is_live(step.var) else forward


# -- loops -------------------------------------------------------------------------------------------------------------


def _build(walk: Reverser, step: Step, term: Build, r: Term) -> Sequence[Item] | None:
    """r ⊙ᴿ V(m) = Σᵢ r[i] ⊙ᴿ m[i]."""
    if _product(walk, step, term, r):
        return None
    live = walk.is_live(step.var)
    region = walk.inner(term.body, Get(r, term.index), wanted=live, at_once=not live)
    leaving = region.leaving(term.index)
    if not leaving:
        return None
    if not live:
        _loop_back(walk, step, term, region, leaving, recomputing(region, list(leaving.values())))
        return None
    saved, whole, position = _saved(walk, step, term, region, leaving)
    _loop_back(walk, step, term, region, leaving, saved)
    if whole is None:
        return None
    return [whole, Step(step.var, Build(term.size, term.index, position), active=True)]


def _product(walk: Reverser, step: Step, term: Build, r: Term) -> bool:
    """r ⊙ᴿ ∇(A B) = (r Bᵀ, Aᵀ r), if the array is a product, B perhaps a vector, and the active ones of the two have names."""
    product = matrix_product(term) or matrix_by_vector(term)
    received = None if product is None else passed_on(product, r, walk.steps.is_active)
    for place, cotangent in received or ():
        whole = beside(step.var, Flow.LEAVING, cotangent.type)
        walk.run_back(whole, cotangent)
        walk.contribute(place, whole)
    return received is not None


def _sum(walk: Reverser, step: Step, term: Reduce, r: Term) -> Sequence[Item] | None:
    """r ⊙ᴿ Σᵢ m(i) = Σᵢ r ⊙ᴿ m(i).

    If r is known before the sum, value and cotangents are computed in one loop.
    """
    live = walk.is_live(step.var)
    first = walk.before(step.var, r) if live else None
    region = walk.inner(term.body, r, wanted=live, at_once=not live or first is not None)
    leaving = region.leaving(term.index)
    if not leaving:
        return None if not first else [*first, step]
    if not live:
        _loop_back(walk, step, term, region, leaving, recomputing(region, list(leaving.values())))
        return None
    if first is not None:
        both = MakeTuple((region.value, *leaving.values()))
        loop = Reduce(Reduction.SUM, term.size, term.index, scope(region.forward, let(region.backward, both)))
        parts, instead = at_once(walk, step, loop, first)
        for key, part in zip(leaving, parts, strict=True):
            walk.contribute(*settled(key, part))
        return instead
    if not is_scalar(term.type):  # the summands are arrays, and never all there at once
        _loop_back(walk, step, term, region, leaving, recomputing(region, list(leaving.values())))
        return None
    saved, stored, position = _saved(walk, step, term, region, leaving)
    _loop_back(walk, step, term, region, leaving, saved)
    if stored is None:
        return None
    return [stored, Step(step.var, Reduce(Reduction.SUM, term.size, term.index, position), active=True)]


def _saved(
    walk: Reverser, step: Step, term: Build | Reduce, region: Region, leaving: Leaving
) -> tuple[Sequence[Item], Step | None, Term]:
    """The steps to recompute, reading what was saved; the loop that saves, if it is not the original one; its value."""
    chosen = plan(region, list(leaving.values()), walk.costs, frozenset((term.index,)), {}, thresholds.SAVED)
    if not chosen.stored:
        return chosen.recomputed, None, region.value
    names = [x for x, _ in chosen.stored]
    parts = list(names) if region.value in names else [region.value, *names]
    loop = Build(term.size, term.index, scope(region.forward, tuple_of(parts)))
    whole = beside(step.var, Flow.SAVED, loop.type)
    walk.definitions[whole] = loop
    read = dict(zip(parts, parts_of(Get(whole, term.index), len(parts)), strict=True))
    items: list[Item] = [Step(x, read[x], active=False) for x in names]
    return [*items, *chosen.recomputed], Step(whole, loop, active=False), read[region.value]


def _loop_back(
    walk: Reverser, step: Step, term: Build | Reduce, region: Region, leaving: Leaving, first: Sequence[Item]
) -> None:
    """The loop that sums the cotangents of all iterations."""
    body = scope(first, let(region.backward, tuple_of(list(leaving.values()))))
    loop = Reduce(Reduction.SUM, term.size, term.index, body)
    _share_out(walk, step.var, list(leaving), loop)


# -- branches ----------------------------------------------------------------------------------------------------------


def _branch(walk: Reverser, step: Step, term: If, r: Term) -> Sequence[Item] | None:
    """The cotangents of the branch taken; zero for what only the other branch mentions.

    If r is known before the branch, value and cotangents are computed in one.
    """
    states = frozenset([x for x in walk.steps.states if x in term.free])
    live = walk.is_live(step.var) or bool(states)
    first = walk.before(step.var, r) if live and walk.at_once and not states else None
    together = not live or first is not None
    tail = walk.tail if live and first is None and walk.value is step.var else None
    branches = [walk.inner(body, r, wanted=live, at_once=together, tail=tail) for body in (term.then, term.otherwise)]
    each = [region.leaving() for region in branches]
    keys = _union(each)
    if not keys:
        return None if not first else [*first, step]
    cotangents = [[_at(leaving, key) for key in keys] for leaving in each]
    if first is not None:
        then, otherwise = [
            scope(region.forward, let(region.backward, MakeTuple((region.value, *values))))
            for region, values in zip(branches, cotangents, strict=True)
        ]
        parts, instead = at_once(walk, step, If(term.condition, then, otherwise), first)
        for key, part in zip(keys, parts, strict=True):
            walk.contribute(*settled(key, part))
        return instead
    if not live:
        again = [recomputing(region, c) for region, c in zip(branches, cotangents, strict=True)]
        _branch_back(walk, step, term, branches, keys, cotangents, again)
        return None
    if tail is not None:
        return _last_branch(walk, step, term, branches, keys, cotangents, tail)
    plans = [
        plan(region, c, walk.costs, frozenset(), {}, thresholds.SAVED_IN_BRANCHES, arrays=states)
        for region, c in zip(branches, cotangents, strict=True)
    ]
    stored = [x for chosen in plans for x, _ in chosen.stored]
    blanks = [without_data(blank) for chosen in plans for _, blank in chosen.stored]
    if not stored:
        _branch_back(walk, step, term, branches, keys, cotangents, [chosen.recomputed for chosen in plans])
        return None
    made = []
    for chosen, region in zip(plans, branches, strict=True):
        own = {x for x, _ in chosen.stored}
        saved = [x if x in own else blank for x, blank in zip(stored, blanks, strict=True)]
        made.append(scope(region.forward, MakeTuple((region.value, *saved))))
    both = If(term.condition, made[0], made[1])
    whole = beside(step.var, Flow.SAVED, both.type)
    walk.definitions[whole] = both
    read = {x: Step(x, Proj(whole, k + 1), active=False) for k, x in enumerate(stored)}
    first_items = [[*[read[x] for x, _ in chosen.stored], *chosen.recomputed] for chosen in plans]
    _branch_back(walk, step, term, branches, keys, cotangents, first_items)
    return [Step(whole, both, active=False), Step(step.var, Proj(whole, 0), active=True)]


def _last_branch(
    walk: Reverser,
    step: Step,
    term: If,
    branches: Sequence[Region],
    keys: Sequence[Key],
    cotangents: Sequence[Sequence[Term]],
    tail: Tail,
) -> Sequence[Item] | None:
    """The cotangents of the branch taken, at the end of a definition: each saves by a constructor of its own."""
    made, first = [], []
    for region, c in zip(branches, cotangents, strict=True):
        terms = [*[value for _, value in region.backward], *c]
        chosen = kept(region, terms, walk.costs, thresholds.SAVED_IN_BRANCHES, (tail.data,))
        tail.of_calls = tail.of_calls or chosen.of_calls
        made.append((region, chosen.stored))
        first.append(chosen.recomputed)
    if not any([stored for _, stored in made]):
        _branch_back(walk, step, term, branches, keys, cotangents, first)
        return None
    values: list[Term] = []
    saved = Var(f"{step.var.name}_saved", tail.data)
    for k, (region, stored) in enumerate(made):
        own, read = saving(tail.data, stored, saved)
        values.append(scope(region.forward, MakeTuple((region.value, own))))
        first[k] = (*read, *first[k])
    both = If(term.condition, values[0], values[1])
    whole = beside(step.var, Flow.SAVED, both.type)
    walk.definitions[whole] = both
    walk.definitions[saved] = Proj(whole, 1)
    _branch_back(walk, step, term, branches, keys, cotangents, first)
    return [
        Step(whole, both, active=False),
        Step(step.var, Proj(whole, 0), active=True),
        Step(saved, Proj(whole, 1), active=False),
    ]


def _branch_back(
    walk: Reverser,
    step: Step,
    term: If,
    branches: Sequence[Region],
    keys: Sequence[Key],
    cotangents: Sequence[Sequence[Term]],
    first: Sequence[Sequence[Item]],
) -> None:
    sides = [
        scope(items, let(region.backward, tuple_of(values)))
        for items, region, values in zip(first, branches, cotangents, strict=True)
    ]
    _share_out(walk, step.var, keys, If(term.condition, sides[0], sides[1]))


def _union(each: Sequence[Leaving]) -> list[Key]:
    """All paths that receive something, each once."""
    found: list[Key] = []
    for leaving in each:
        found.extend([key for key in leaving if not any([same_key(key, other) for other in found])])
    return found


def _at(leaving: Leaving, key: Key) -> Term:
    for other, cotangent in leaving.items():
        if same_key(key, other):
            return cotangent
    return zero_like(place_of(key))

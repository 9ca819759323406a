"""Arrays of tuples are taken apart in a loop if a component is the same in each iteration (paper 000, §5.1 "data layout").

    build n (fun r -> let x = build m (fun i -> (f i, g r i)) in c x[k].0 x[k].1)
    ~>
    build n (fun r -> let x0 = build m (fun i -> f i) in let x1 = build m (fun i -> g r i) in c x0[k] x1[k])

and so for arrays that a sequential loop fills, a row in each step: what the values of other rows are is read from the array of
values, which is complete before the loop over the others begins.  x0 then leaves the loop over r (optimise/motion.py): so the
values of a chain of transformations are computed once for all directions of a Jacobian.  Only in loops that run for
certain and evaluate the array in each iteration, since what can fail leaves no others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.build import get
from fsmooth.core.cost import Costs
from fsmooth.core.subst import refresh
from fsmooth.core.term import (
    Build,
    Const,
    If,
    IFold,
    Let,
    Prim,
    Reduce,
    Require,
    Term,
    Update,
    Var,
    let,
)
from fsmooth.core.traverse import bound_in, children, opens_region, rebuild, subterms
from fsmooth.core.types import Array, Tuple, Type, leaf_of
from fsmooth.optimise.components import (
    Whole,
    array_component,
    element_of_constant,
    in_components,
    is_constant,
    opened,
    reading,
)
from fsmooth.optimise.failing import StaticSizes, is_certain
from fsmooth.optimise.regions import Definitions
from fsmooth.rewrite.trace import Trace


def unzip(term: Term, trace: Trace, static_sizes: StaticSizes) -> Term:
    """The term with arrays of tuples taken apart where that lets a component leave a loop."""
    parts = list(subterms(term))
    if not any([_runs_for_certain(t) for t in parts]):
        return term
    if not any([isinstance(t, Let) and any([_tuples(var.type) for var, _ in t.bindings]) for t in parts]):
        return term
    own = refresh(term)
    new = _Unzipping(trace).rewritten(own, _Around())
    return term if new is own else refresh(new)


def _runs_for_certain(t: Term) -> bool:
    """Is it a loop that is known to run?"""
    return isinstance(t, Build | Reduce) and is_certain(t.size)


def _tuples(type_: Type) -> int:
    """Of how many components are the tuples in an array?  0 of anything else."""
    leaf = leaf_of(type_)
    return len(leaf.items) if isinstance(type_, Array) and isinstance(leaf, Tuple) else 0


class _Around(NamedTuple):
    """What the loops around a place bind, or what depends on that, and how often the innermost runs.

    Only loops that run for certain, and evaluate the place in each iteration: what is the same there leaves them.
    """

    varying: frozenset[Var] = frozenset()
    trips: int = 1

    def inside(self, t: Term, k: int) -> _Around:
        """Around child `k` of `t`."""
        match t:
            case Build(Const(size)) | Reduce(_, Const(size)) if k == 1 and _runs_for_certain(t):
                return _Around(self.varying.union(bound_in(t, k)), int(size))
            case Require():
                return self
            case _:
                return _Around() if opens_region(t, k) else self


class _Unzipping:
    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    def rewritten(self, t: Term, around: _Around) -> Term:
        """The term, which stands `around` there."""
        if isinstance(t, Let):
            return self._scope(t, around)
        parts = [self.rewritten(child, around.inside(t, k)) for k, child in enumerate(children(t))]
        return rebuild(t, parts) if any([a is not b for a, b in zip(parts, children(t), strict=True)]) else t

    def _scope(self, t: Let, around: _Around) -> Term:
        pending, rest = list(t.bindings), t.body
        done: Definitions = []
        changed = False
        while pending:
            var, value = pending.pop(0)
            if _tuples(var.type) and not around.varying.isdisjoint(value.free):
                try:
                    parts = _parted(var, value, around)
                    following = reading(let(pending, rest), var, _element(parts))
                except Whole:
                    pass
                else:
                    self.trace.record("arrays of tuples taken apart")
                    changed = True
                    pending, rest = opened(following, len(pending))
                    pending = [*parts.values(), *pending]
                    continue
            new = self.rewritten(value, around)
            changed = changed or new is not value
            done.append((var, new))
            if not around.varying.isdisjoint(new.free):
                around = around._replace(varying=around.varying | {var})
        body = self.rewritten(rest, around)
        return let(done, body) if changed or body is not rest else t


def _element(parts: Mapping[int, tuple[Var, Term]]) -> Callable[[int, tuple[Term, ...]], Term]:
    return lambda k, at: get(parts[k][0], *at)


def _parted(var: Var, value: Term, around: _Around) -> dict[int, tuple[Var, Term]]:
    """For each component of the array's tuples, the array of it: first those that are the same in each iteration.

    Raises:
        Whole: if there are none, or all are, or the components share work, or the array cannot be taken apart.

    """
    count = _tuples(value.type)
    if isinstance(value, IFold):
        return _fold_parted(value, around.varying)
    parts = [refresh(in_components(array_component(value, k))) for k in range(count)]
    steady = [k for k in range(count) if around.varying.isdisjoint(parts[k].free)]
    if not steady or len(steady) == count:
        raise Whole
    costs = Costs()
    work = sum([costs.of(part).at() * (1 if k in steady else around.trips) for k, part in enumerate(parts)])
    if work > thresholds.TAKEN_APART * around.trips * costs.of(value).at():
        raise Whole
    order = [*steady, *[k for k in range(count) if k not in steady]]
    return {k: (Var(var.name, parts[k].type, var.site), parts[k]) for k in order}


def _fold_parted(fold: IFold, varying: frozenset[Var]) -> dict[int, tuple[Var, Term]]:
    """The loops that fill the array of the first component, and that of the second."""
    bindings, result = (fold.body.bindings, fold.body.body) if isinstance(fold.body, Let) else ((), fold.body)
    if _tuples(fold.type) != 2 or not isinstance(result, Update):
        raise Whole
    if result.array is not fold.state or result.index is not fold.index:
        raise Whole
    row = let(bindings, result.value)
    starts = [array_component(fold.init, k) for k in (0, 1)]
    rows = [in_components(array_component(row, 0)), array_component(row, 1)]
    if not is_constant(starts[0]):
        raise Whole

    def loop(k: int, others: Mapping[int, Term]) -> tuple[Var, Term]:
        state = Var(fold.state.name, starts[k].type, fold.state.site)

        def read(j: int, at: tuple[Term, ...]) -> Term:
            if j == k:
                return get(state, *at)
            if j not in others:
                raise Whole
            is_made = Prim(p.less, (at[0], fold.index))
            return If(is_made, get(others[j], *at), element_of_constant(starts[j], at))

        own = reading(rows[k], fold.state, read)
        new = refresh(IFold(fold.size, starts[k], state, fold.index, Update(state, fold.index, own)))
        return Var(fold.state.name, new.type, fold.state.site), new

    values = loop(0, {})
    if not varying.isdisjoint(values[1].free):
        raise Whole
    return {0: values, 1: loop(1, {0: values[0]})}

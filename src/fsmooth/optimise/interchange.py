"""Loop interchange: a sequential loop inside a `build` runs once for all elements, and not once for each.

    build n (fun i -> c i (ifold (fun s k -> (f (fst s) k, g s i k)) (x, y i) m))
    ~>
    let t = ifold (fun s k -> (f (fst s) k, build n (fun i -> g (fst s, (snd s)[i]) i k)))
                  (x, build n (fun i -> y i)) m in
    build n (fun i -> c i (fst t, (snd t)[i]))                                    where 1 <= n

A Jacobian by forward mode is such a `build` over the seeds: the values of a recurrence do not depend on the seed, its
tangents do.  Which components of the state depend on i is the least fixpoint of core/dependence.py; those that do
become arrays over i.  A loop inside the body of such a loop, which has both kinds of components too, is treated
alike.  What the loops need of definitions that depend on i is stored in arrays before them, or computed where
it is needed if that is cheap.

The loop is evaluated by the `build` whatever i is, so at least once if 1 <= n.  Where n may be 0 and something could
fail, all of it stands under `if 0 < n`; what cannot fail need not, so that other loops can be merged with it.
"""

from __future__ import annotations

from fsmooth import thresholds
from fsmooth.core.cost import Costs
from fsmooth.core.dependence import Dependence
from fsmooth.core.subst import refresh
from fsmooth.core.term import (
    Build,
    Get,
    IFold,
    Let,
    MakeTuple,
    Prim,
    Proj,
    Reduce,
    Reduction,
    Term,
    Var,
    Zero,
    let,
)
from fsmooth.core.traverse import binds, children, size_of_tree, subterms, transform
from fsmooth.core.types import Array, Bool, Float, Int, Tuple
from fsmooth.optimise.accesses import Accesses
from fsmooth.optimise.empty_loops import if_it_runs, may_fail
from fsmooth.optimise.failing import StaticSizes, is_certain, postorder
from fsmooth.optimise.regions import Definitions, component, flattened, loops_evaluated_in, needed_for, read
from fsmooth.optimise.tuples_of_arrays import chosen, is_written_out
from fsmooth.rewrite.trace import Trace


class Stuck(Exception):
    """The loop cannot be taken apart."""


def interchange(term: Term, trace: Trace, static_sizes: StaticSizes) -> Term:
    """The term in which sequential loops that a `build` evaluates for each element run once, where that pays."""
    accesses: list[Accesses] = []  # at most one, made when it is needed

    def change(t: Term) -> Term:
        if not isinstance(t, Build) or not any([t.index in f.free for f in loops_evaluated_in(t.body)]):
            return t
        new = _interchanged(t)
        if new is None:
            return t
        if not is_certain(t.size):
            if not accesses:
                accesses.append(Accesses(term, postorder(term), static_sizes))
            if may_fail(t, accesses[0]):
                guarded = if_it_runs(t, new)
                if guarded is None:
                    return t
                new = guarded
        trace.record("loop interchange")
        return new

    return transform(term, change)


def _interchanged(loop: Build) -> Term | None:
    """`loop` with the sequential loops that its body evaluates outside; None where that is impossible or does not pay."""
    if size_of_tree(loop.size) > thresholds.COPIED_SIZE:
        return None
    own = refresh(loop)
    assert isinstance(own, Build)
    result = _shared(own)
    if result is None:
        parted = _with_sums_apart(own)
        result = None if parted is own else _shared(parted)
    return None if result is None else refresh(result)


def _shared(loop: Build) -> Term | None:
    try:
        return _Elements(loop.size, loop.index, flattened(loop.body)).shared()
    except Stuck:
        return None


def _with_sums_apart(loop: Build) -> Build:
    """The loop with each sum of tuples as a tuple of sums: some of them may be the same for all elements."""

    def change(t: Term) -> Term:
        match t:
            case Reduce(Reduction.SUM, size, index, body) if isinstance(t.type, Tuple) and is_written_out(body):
                parts = [Reduce(Reduction.SUM, size, index, chosen(body, (k,))) for k in range(len(t.type.items))]
                return MakeTuple(tuple([refresh(part) for part in parts]), t.type)
            case _:
                return t

    new = transform(loop, change)
    assert isinstance(new, Build)
    return new


class _Elements:
    """The elements of one `build`: what is computed for each of them, and what is the same for all.

    `outer` and `inner` say what a tuple that has components of both kinds is outside of the `build` and in it.  What
    is not there outside is written as if it were, and mentions one of the `varying` variables.
    """

    def __init__(self, size: Term, index: Var, body: Let) -> None:
        self.size = size
        self.index = index
        self.body = body
        self.dependence = Dependence(body, [index], lambda type_: True)
        self.costs = Costs()
        self.varying = {index}
        self.outer: dict[Var, Term] = {}
        self.inner: dict[Var, Term] = {}
        self.gain = 0.0

    def shared(self) -> Term | None:
        """The loops once, and the `build` after them; None if nothing is gained."""
        steady, moving, result = self._apart(self.body, [])
        if self.gain <= 0:
            return None
        return let(steady, self._each(moving, result))

    def _apart(self, region: Term, around: Definitions) -> tuple[Definitions, Definitions, Term]:
        """What a region defines for all elements, what it defines for each, and its result."""
        definitions, result = (region.bindings, region.body) if isinstance(region, Let) else ((), region)
        steady: Definitions = []
        moving = list(around)
        for var, value in definitions:
            if not self.dependence.is_dependent(value):
                steady.append((var, self._for_all(value)))
            elif isinstance(value, IFold) and self._may_be_shared(value):
                self._share(var, value, steady, moving)
            else:
                self._define(var, value, steady)
                moving.append((var, value))
        return steady, moving, result

    def _define(self, var: Var, value: Term, steady: Definitions) -> None:
        """A definition that differs from element to element, but perhaps not in every component."""
        self.varying.add(var)
        flow = self.dependence.of(value)
        if not isinstance(flow, tuple) or isinstance(value, IFold):
            return
        parts: list[Term] = []
        for k, part in enumerate(flow):
            parts.append(Proj(var, k))
            if not self.dependence.depends(part):
                own = read(component(value, k), self.outer)
                if self.varying.isdisjoint(own.free):
                    name = Var(var.name, own.type, var.site)
                    steady.append((name, own))
                    parts[k] = name
        self.outer[var] = MakeTuple(tuple(parts))

    def _for_all(self, value: Term) -> Term:
        """`value`, which is the same for all elements, outside of them."""
        new = read(value, self.outer)
        if not self.varying.isdisjoint(new.free):
            raise Stuck
        return new

    def _each(self, moving: Definitions, result: Term) -> Build:
        """`build` of `result`, with the definitions it needs."""
        views = {**self.outer, **self.inner}
        body = read(result, views)
        definitions = [(var, read(value, views)) for var, value in moving]
        return Build(self.size, self.index, let(needed_for(body, definitions), body))

    def _parts(self, loop: IFold) -> tuple[list[int], list[int]]:
        """The components of the state that are the same for all elements, and those that are not."""
        flow = self.dependence.of(loop.state)
        flows = flow if isinstance(flow, tuple) else (flow,)
        same = [k for k, part in enumerate(flows) if not self.dependence.depends(part)]
        return same, [k for k in range(len(flows)) if k not in same]

    def _may_be_shared(self, loop: IFold) -> bool:
        """As often for all elements, with numbers for each, or arrays that are computed anew in each iteration."""
        if self.dependence.is_dependent(loop.size):
            return False
        result = loop.body.body if isinstance(loop.body, Let) else loop.body
        for k in self._parts(loop)[1]:
            part = component(result, k) if isinstance(loop.type, Tuple) else result
            if not isinstance(part.type, Float | Int | Bool) and not isinstance(part, Build | Zero):
                return False
        return True

    def _share(self, var: Var, loop: IFold, steady: Definitions, moving: Definitions) -> None:
        """The loop once for all elements."""
        same, own = self._parts(loop)

        def part(value: Term, k: int) -> Term:
            return component(value, k) if isinstance(loop.type, Tuple) else value

        def packed(value: Term, around: Definitions) -> Term:
            cells = [part(value, k) for k in own]
            each = self._each(around, cells[0] if len(cells) == 1 else MakeTuple(tuple(cells)))
            return MakeTuple((*[self._for_all(part(value, k)) for k in same], each)) if same else each

        def see(old: Var, whole: Term) -> None:
            self.varying.add(old)
            array = Proj(whole, len(same)) if same else whole
            cell = Get(array, self.index)
            there: dict[int, Term] = {k: Proj(whole, j) for j, k in enumerate(same)}
            cells: dict[int, Term] = {k: Proj(cell, j) if len(own) > 1 else cell for j, k in enumerate(own)}
            if not isinstance(old.type, Tuple):
                self.inner[old] = cells[0]
                return
            count = range(len(old.type.items))
            self.outer[old] = MakeTuple(tuple([there[k] if k in there else Proj(old, k) for k in count]), old.type)
            self.inner[old] = MakeTuple(tuple([there[k] if k in there else cells[k] for k in count]), old.type)

        init = packed(loop.init, moving)
        state = Var(loop.state.name, init.type, loop.state.site)
        see(loop.state, state)
        around = self._available(loop.body, steady, moving)
        inside, each, result = self._apart(loop.body, around)
        self._count_gain(loop, own)
        body = let(inside, packed(result, each))
        shared = IFold(self._for_all(loop.size), init, state, loop.index, body)
        whole = Var(var.name, shared.type, var.site)
        steady.append((whole, shared))
        see(var, whole)

    def _available(self, body: Term, steady: Definitions, moving: Definitions) -> Definitions:
        """The definitions that a loop's body needs of those before it: the cheap ones, the others being stored first."""
        wanted = needed_for(body, moving)
        if all([self._is_cheap(value) for _, value in wanted]):
            return wanted
        for var, value in [(var, value) for var, value in wanted if var in body.free]:
            if not isinstance(value.type, Float | Int | Bool):
                raise Stuck
            stored = self._each(moving, var)
            name = Var(var.name, stored.type, var.site)
            steady.append((name, stored))
            self.inner[var] = Get(name, self.index)
        return []

    def _is_cheap(self, value: Term) -> bool:
        return isinstance(value.type, Float | Int | Bool) and self.costs.of(value).at() <= thresholds.RECOMPUTED

    def _count_gain(self, loop: IFold, own: list[int]) -> None:
        """What one iteration computes once for all elements, less what it stores and loads for each.

        What does not depend on the iteration either leaves the loop in any case (optimise/motion.py) and does not count.
        """
        changing = {loop.state, loop.index}
        for t in subterms(loop.body):
            if isinstance(t, Let):
                changing |= {var for var, value in t.bindings if not changing.isdisjoint(value.free)}
        seen: set[Term] = set()
        pending = [loop.body]
        while pending:
            t = pending.pop()
            if t in seen or (isinstance(t, IFold) and self.dependence.is_dependent(t)):
                continue
            seen.add(t)
            if not self.dependence.is_dependent(t):
                if changing.isdisjoint(t.free):
                    continue
                if binds(t) and not isinstance(t, Let):
                    self.gain += self.costs.of(t).at()
                    continue
                self.gain += t.primitive.weight if isinstance(t, Prim) else 0
            pending.extend(children(t))
        types = loop.type.items if isinstance(loop.type, Tuple) else (loop.type,)
        self.gain -= sum(
            [thresholds.STATE_ARRAY if isinstance(types[k], Array) else thresholds.STATE_NUMBER for k in own]
        )

"""Sequential loops of one size that share work become one loop (horizontal fusion).

    let s = ifold (fun a i -> (f (fst a) i, g a i)) (x, y) n in let t = ifold (fun b i -> (f (fst b) i, h b i)) (x, z) n in c s t
    ~>
    let r = ifold (fun a i -> (f a.0 i, g (a.0, a.1) i, h (a.0, a.2) i)) (x, y, z) n in c (r.0, r.1) (r.0, r.2)

The derivatives of a recurrence in several variables are such loops: each has the values, and tangents of its own.
Components are the same if they start the same and if one step keeps them the same: the coarsest partition of the
components of both states with this property is found by refinement, as states of automata are minimised
(Hopcroft and Moore), so components that depend on each other are found too.  What the steps of both loops compute from
components that are the same is shared afterwards by optimise/sharing.py.

Both loops are in one region, so both run whenever one does; the second must not need the first.
"""

from __future__ import annotations

from collections.abc import Hashable

from fsmooth import thresholds
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.build import components
from fsmooth.core.cost import Costs
from fsmooth.core.subst import refresh
from fsmooth.core.term import IFold, Let, MakeTuple, Proj, Term, Var, let
from fsmooth.core.traverse import children, opens_region, rebuild, subterms, transform
from fsmooth.core.types import INT, Tuple
from fsmooth.optimise.failing import StaticSizes
from fsmooth.optimise.regions import Definitions, component, flattened, loops_evaluated_in, needed_for, read
from fsmooth.optimise.rules.loop_fission import narrowed
from fsmooth.optimise.sharing import Graph
from fsmooth.rewrite.trace import Trace


def merge_loops(term: Term, trace: Trace, static_sizes: StaticSizes) -> Term:
    """The term in which loops of one region and size that share work are one."""
    if sum([isinstance(t, IFold) for t in subterms(term)]) < 2:
        return term
    known: dict[Term, Term] = {}

    def inside(t: Term) -> Term:
        found = known.get(t)
        if found is None:
            parts = [region(c) if opens_region(t, k) else inside(c) for k, c in enumerate(children(t))]
            found = known[t] = rebuild(t, parts)
        return found

    def region(t: Term) -> Term:
        return inside(_merged(t, trace))

    return region(term)


def _merged(region: Term, trace: Trace) -> Term:
    """The region with its own loops merged."""
    graph = Graph()
    if not _alike(list(loops_evaluated_in(region)), graph):
        return region
    flat = flattened(refresh(region))
    definitions, result, changed = list(flat.bindings), flat.body, False
    earlier: dict[Hashable, list[Var]] = {}
    position = 0
    while position < len(definitions):
        var, loop = definitions[position]
        if not isinstance(loop, IFold):
            position += 1
            continue
        keys = _keys(loop, graph)
        candidates = {v: None for key in keys for v in earlier.get(key, ())}
        places = {v: k for k, (v, _) in enumerate(definitions[:position]) if v in candidates} if candidates else {}
        for k in sorted(places.values(), reverse=True)[: thresholds.MERGING_TRIES]:
            new = _joined(definitions, k, position)
            if new is not None:
                definitions, var, seen = new
                result = read(result, seen)
                keys |= {key for key, found in earlier.items() if not seen.keys().isdisjoint(found)}
                trace.record("loops merged")
                changed = True
                break
        else:
            position += 1
        for key in keys:
            earlier.setdefault(key, []).append(var)
    return let(definitions, result) if changed else region


def _keys(loop: IFold, graph: Graph) -> set[Hashable]:
    """Loops that have none of these in common share nothing: the size together with how a component starts."""
    size = graph.of(loop.size)
    return {(size, graph.of(x), repr(x.type)) for x in _initial(loop)}


def _alike(loops: list[IFold], graph: Graph) -> bool:
    """Could some of them share anything?"""
    met: set[Hashable] = set()
    for loop in loops:
        own = _keys(loop, graph)
        if not met.isdisjoint(own):
            return True
        met |= own
    return False


def _joined(definitions: Definitions, k: int, j: int) -> tuple[Definitions, Var, dict[Var, Term]] | None:
    """The definitions with the loops at k < j in one, its name, and what the names of the two stand for."""
    (first, a), (second, b) = definitions[k], definitions[j]
    if not isinstance(a, IFold) or not isinstance(b, IFold) or not alpha_equal(a.size, b.size):
        return None
    before = {var for var, _ in needed_for(b, definitions[:j])}
    if first in before:
        return None
    classes = _partition(a, b)
    if classes is None:
        return None
    loop = _joint(a, b, classes)
    whole = Var(first.name, loop.type, first.site)
    split = len(_initial(a))
    seen = {first: _view(a, whole, classes[:split], classes), second: _view(b, whole, classes[split:], classes)}
    between = definitions[k + 1 : j]
    moved = [(var, value) for var, value in between if var in before]
    rest = [(var, value) for var, value in between if var not in before] + definitions[j + 1 :]
    return [*definitions[:k], *moved, (whole, loop), *[(var, read(value, seen)) for var, value in rest]], whole, seen


def _joint(a: IFold, b: IFold, classes: list[int]) -> IFold:
    """One loop for both, with one component for each class."""
    initial = [*_initial(a), *_initial(b)]
    wanted = sorted(set(classes))
    state = Var(a.state.name, _packed([initial[k] for k in wanted]).type, a.state.site)
    index = Var(a.index.name, INT, a.index.site)
    definitions: Definitions = []
    steps: list[Term] = []
    for loop in (a, b):
        own = classes[len(steps) : len(steps) + len(_initial(loop))]
        views = {loop.state: _view(loop, state, own, classes), loop.index: index}
        bindings, result = (loop.body.bindings, loop.body.body) if isinstance(loop.body, Let) else ((), loop.body)
        definitions += [(var, read(value, views)) for var, value in bindings]
        steps += [read(step, views) for step in _components(result)]
    new = _packed([steps[k] for k in wanted])
    return IFold(a.size, _packed([initial[k] for k in wanted]), state, index, let(needed_for(new, definitions), new))


def _view(loop: IFold, whole: Var, own: list[int], classes: list[int]) -> Term:
    """The state of one loop, whose components have the classes `own`, in terms of the joint state."""
    wanted = sorted(set(classes))
    parts = [Proj(whole, wanted.index(k)) if len(wanted) > 1 else whole for k in own]
    return MakeTuple(tuple(parts), loop.type) if isinstance(loop.type, Tuple) else parts[0]


def _packed(parts: list[Term]) -> Term:
    return MakeTuple(tuple(parts)) if len(parts) > 1 else parts[0]


def _components(value: Term) -> list[Term]:
    """The components of a tuple; of anything else, itself."""
    if not isinstance(value.type, Tuple):
        return [value]
    return [component(value, k) for k in range(len(value.type.items))]


def _initial(loop: IFold) -> list[Term]:
    return _components(loop.init)


# -- which components are the same -------------------------------------------------------------------------------------


def _partition(a: IFold, b: IFold) -> list[int] | None:
    """For each component of both states the first one that is the same; None if nothing that costs anything is."""
    initial = [*_initial(a), *_initial(b)]
    split = len(_initial(a))
    state, index = Var("both", MakeTuple(tuple(initial)).type), Var("i", INT)
    steps = [*_Plain(a, state, 0, index).steps(), *_Plain(b, state, split, index).steps()]
    graph = Graph(without_definitions=True)
    classes = _first_of_each([(graph.of(x), repr(x.type)) for x in initial])
    for _ in range(thresholds.MERGING_ROUNDS):
        if all([k >= split for k in classes[split:]]):
            return None
        nodes = _nodes(steps, state, classes, graph)
        finer = _first_of_each(list(zip(classes, nodes, strict=True)))
        if finer == classes:
            costs = Costs()
            worth = any([costs.of(steps[k]).at() > 0 for k in classes[split:] if k < split])
            return classes if worth else None
        classes = finer
    return None


def _nodes(steps: list[Term], state: Var, classes: list[int], graph: Graph) -> list[Term]:
    def change(t: Term) -> Term:
        match t:
            case Proj(Var() as var, k) if var is state and classes[k] != k:
                return Proj(state, classes[k])
            case _:
                return t

    whole = transform(MakeTuple(tuple(steps)), change)
    return [graph.of(step) for step in components(whole)]


def _first_of_each(keys: list[Hashable]) -> list[int]:
    places: dict[Hashable, int] = {}
    return [places.setdefault(key, k) for k, key in enumerate(keys)]


class _Plain:
    """One step of a loop without definitions, as a graph, with loops inside that carry only what is wanted of them."""

    def __init__(self, loop: IFold, state: Var, offset: int, index: Var) -> None:
        parts = [Proj(state, offset + k) for k in range(len(_initial(loop)))]
        view = MakeTuple(tuple(parts), loop.type) if isinstance(loop.type, Tuple) else parts[0]
        self.body = loop.body
        self.environment: dict[Var, Term] = {loop.state: view, loop.index: index}
        self.known: dict[Term, Term] = {}

    def steps(self) -> list[Term]:
        return _components(self.of(self.body))

    def of(self, term: Term) -> Term:
        if isinstance(term, Var):
            return self.environment.get(term, term)
        found = self.known.get(term)
        if found is None:
            found = self.known[term] = self._of(term)
        return found

    def _of(self, term: Term) -> Term:
        match term:
            case Let(bindings, body):
                for var, value in bindings:
                    self.environment[var] = self.of(value)
                return self.of(body)
            case Proj(inner, k):
                return self._component(self.of(inner), k)
            case _:
                return rebuild(term, [self.of(c) for c in children(term)])

    def _component(self, value: Term, k: int) -> Term:
        if isinstance(value, IFold):
            narrow = narrowed(value, {k})
            if narrow is not None:
                loop, kept = narrow
                return loop if len(kept) == 1 else Proj(loop, kept.index(k))
        return component(value, k)

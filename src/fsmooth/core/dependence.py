"""Dependence: which components of a value depend on chosen variables, in one walk over the program.

The dependence of a term is a set of sources for each component of its type (tuples of any nesting; arrays as a
whole).  Sets are written as integers, a bit for each source; bit 0 stands for the chosen variables.

A component of a loop's state depends on what its initial value depends on and, from the second iteration on, on
what the body makes of the components before.  Its dependence is the least fixpoint of

    d(k)  =  init(k)  u  outer(k)  u  union of d(j) over the components j that component k of the body reads.

So the body is walked once, with a source of its own for each component of the state, and the fixpoint is taken over the
components and not over the body: nested loops cost no more than others.  Inside the body, the sources of a loop
stay symbols; when the walk is over they are resolved from the outermost loop inwards.  Binders must be distinct.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from fsmooth.core.primitives import Primitive
from fsmooth.core.term import (
    App,
    If,
    IFold,
    Lam,
    Let,
    MakeTuple,
    Prim,
    Proj,
    Reduce,
    Reduction,
    Require,
    Retained,
    Taped,
    Term,
    Var,
    While,
)
from fsmooth.core.term.fields import State
from fsmooth.core.traverse import binds, children, steps
from fsmooth.core.types import Function, Tuple, Type

Flow = int | tuple["Flow", ...]
"""A set of sources, or one for each component of a tuple."""

_CHOSEN = 1


class Dependence:
    """What in `root` depends on the `chosen` variables.  `carries` says of a type whether dependence shows in it, and
    `ends` are primitives of which the results depend on nothing.
    """

    def __init__(
        self, root: Term, chosen: Iterable[Var], carries: Callable[[Type], bool], ends: Collection[Primitive] = ()
    ) -> None:
        self._carries = carries
        self._ends = ends
        self._flows: dict[Var, Flow] = {var: self._spread(var.type, _CHOSEN) for var in chosen}
        self._known: dict[Term, Flow] = {}
        self._loops: list[tuple[list[int], list[int]]] = []
        self._sources = 1
        self._of(root)
        self._resolved = _CHOSEN
        for symbols, results in reversed(self._loops):
            for symbol, result in zip(symbols, results, strict=True):
                if result & self._resolved:
                    self._resolved |= symbol

    def of(self, term: Term) -> Flow:
        """The dependence of a subterm of the root; nothing is in it but what `depends` asks for."""
        return self._of(term)

    def depends(self, flow: Flow) -> bool:
        """Does any component depend on a chosen variable?"""
        return bool(_flat(flow) & self._resolved)

    def is_dependent(self, term: Term) -> bool:
        """Does a subterm of the root depend on a chosen variable in any component?"""
        return self.depends(self._of(term))

    # -- the walk --------------------------------------------------------------------------------------------------

    def _of(self, term: Term) -> Flow:
        if isinstance(term, Var):
            return self._flows.get(term, _NOTHING) if not isinstance(term.type, Tuple) else self._variable(term)
        if self._flows.keys().isdisjoint(term.free):
            return self._spread(term.type, 0)
        found = self._known.get(term)
        if found is None:
            found = self._known[term] = self._term(term)
        return found

    def _variable(self, var: Var) -> Flow:
        flow = self._flows.get(var)
        return self._spread(var.type, 0) if flow is None else flow

    def _term(self, term: Term) -> Flow:
        match term:
            case Let(bindings, body):
                for var, value in bindings:
                    self._define(var, value)
                return self._of(body)
            case App(Lam(parameters, body), arguments):
                for parameter, argument in zip(parameters, arguments, strict=True):
                    self._define(parameter, argument)
                return self._of(body)
            case Lam(parameters, body):
                sources = self._all(term.free)
                for parameter in parameters:
                    self._flows[parameter] = self._spread(parameter.type, _CHOSEN)
                self._of(body)
                return sources
            case Prim(primitive, arguments) if primitive in self._ends:
                for argument in arguments:
                    self._of(argument)
                return _NOTHING
            case MakeTuple(items):
                return tuple([self._of(item) for item in items])
            case Proj(whole, position):
                flow = self._of(whole)
                return flow[position] if isinstance(flow, tuple) else flow
            case If(condition, then, otherwise):
                chosen = self._spread(term.type, _flat(self._of(condition)))
                return _join(chosen, _join(self._of(then), self._of(otherwise)))
            case Require(_, body):
                *before, _ = children(term)
                required = self._spread(term.type, _union([_flat(self._of(part)) for part in before]))
                return _join(required, self._of(body))
            case Reduce(Reduction.SUM, size, _, body):
                return _join(self._spread(term.type, _flat(self._of(size))), self._of(body))
            case Taped() | Retained():  # ids carry no dependence, but the slopes with them do
                return self._spread(term.type, self._all(term.free))
            case IFold():
                return self._loop(term.init, term.state, term.size, term.body)
            case While():
                return self._loop(term.init, term.state, term.condition, term.body)
            case _:
                if binds(term):
                    self._carry(term)
                return self._spread(term.type, _union([_flat(self._of(part)) for part in children(term)]))

    def _carry(self, term: Term) -> None:
        """The states of a loop of which nothing else is said depend on all that the loop does."""
        for step in steps(term):
            if step.var is not None and isinstance(step.field, State):
                self._flows[step.var] = self._spread(step.var.type, self._all(term.free))

    def _define(self, var: Var, value: Term) -> None:
        flow = self._of(value)
        if _flat(flow):
            self._flows[var] = flow

    def _all(self, variables: Iterable[Var]) -> int:
        return _union([_flat(self._flows.get(var, _NOTHING)) for var in variables])

    def _loop(self, init: Term, variable: Var, trips: Term, body: Term) -> Flow:
        """The state of a loop; `trips`, a size or a condition on the state, decides how many steps there are."""
        first = self._of(init)
        state = self._own_sources(variable.type)
        if _flat(state):
            self._flows[variable] = state
        symbols = _leaves(state)
        own = _union(symbols)
        chosen = _flat(self._of(trips))
        step = [flow | chosen for flow in _leaves(self._of(body))]
        results = [a | ((b | chosen) & ~own) for a, b in zip(_leaves(first), step, strict=True)]
        results = [r if symbol else 0 for r, symbol in zip(results, symbols, strict=True)]
        readers = [(k, j) for k, b in enumerate(step) if symbols[k] for j, s in enumerate(symbols) if b & s and j != k]
        changing = True
        while changing:
            changing = False
            for k, j in readers:
                new = results[k] | results[j]
                if new != results[k]:
                    results[k] = new
                    changing = True
        self._loops.append((symbols, results))
        return _with_leaves(state, iter(results))

    def _own_sources(self, type_: Type) -> Flow:
        if isinstance(type_, Tuple):
            return tuple([self._own_sources(t) for t in type_.items])
        if not self._carries(type_):
            return _NOTHING
        self._sources <<= 1
        return self._sources

    def _spread(self, type_: Type, sources: int) -> Flow:
        """The same sources for every component that carries dependence."""
        if isinstance(type_, Tuple):
            return tuple([self._spread(t, sources) for t in type_.items])
        return sources if sources and (isinstance(type_, Function) or self._carries(type_)) else _NOTHING


_NOTHING = 0


def _flat(flow: Flow) -> int:
    return flow if isinstance(flow, int) else _union([_flat(part) for part in flow])


def _union(sets: Iterable[int]) -> int:
    total = 0
    for each in sets:
        total |= each
    return total


def _join(a: Flow, b: Flow) -> Flow:
    if isinstance(a, tuple) and isinstance(b, tuple):
        return tuple([_join(x, y) for x, y in zip(a, b, strict=True)])
    return _flat(a) | _flat(b)


def _leaves(flow: Flow) -> list[int]:
    return [flow] if isinstance(flow, int) else [leaf for part in flow for leaf in _leaves(part)]


def _with_leaves(like: Flow, leaves: Iterable[int]) -> Flow:
    source = iter(leaves)
    return next(source) if isinstance(like, int) else tuple([_with_leaves(part, source) for part in like])

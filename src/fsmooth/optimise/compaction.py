"""Compaction: a table that is read only through gathers is made for the rows that are read.

    let V = build n (fun v -> f v) in build m (fun i -> c i V[check g[i] n])
    ~>
    let s = (where each row of V is stored, the rows that are stored, their number), found in one pass over g in
    let V = build s.2 (fun k -> f s.1[k]) in build m (fun i -> c i V[s.0[check g[i] n]])

A hand model has ten thousand vertices, of which the points that are measured touch a few hundred.  It is done if m < n,
which is tested at run time; otherwise each row is stored where it was.  It costs one visit of what is read, which is less than n,
and of each row, so rows must be worth a loop.  Indices that the rows check are checked with it.  All of this leaves the
loops in which it is the same, by a step of code motion of its own, since the pass over g may fail.
"""

from __future__ import annotations

from functools import reduce

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_key
from fsmooth.core.build import build, get, ifold, prim
from fsmooth.core.subst import refresh, substitute1
from fsmooth.core.term import (
    Build,
    Const,
    Get,
    If,
    IFold,
    Let,
    MakeTuple,
    Proj,
    Reduce,
    Reduction,
    Term,
    Update,
    Var,
    let,
)
from fsmooth.core.traverse import bound_in, children, opens_region, rebuild, size_of_tree, subterms, transform
from fsmooth.core.types import INT
from fsmooth.optimise.accesses import Accesses
from fsmooth.optimise.failing import StaticSizes, is_certain, postorder, sizes_of_parameters
from fsmooth.optimise.readings import Reading, Scattered, checks_in, readings_of
from fsmooth.rewrite.trace import Trace

_STOP_EARLY = (Reduction.ALL, Reduction.ANY)

Definitions = list[tuple[Var, Term]]


def compact_tables(term: Term, trace: Trace, static_sizes: StaticSizes) -> Term:
    """The term with its gathered tables made for the rows that are read."""
    worth = _Worth()
    tables = {var for t in subterms(term) if isinstance(t, Let) for var, value in t.bindings if worth.of(value)}
    if not tables or not any([isinstance(t, Get) and t.array in tables for t in subterms(term)]):
        return term
    own = refresh(term)
    known = sizes_of_parameters(static_sizes, term, own)
    new, prelude = _Compaction(Accesses(own, postorder(own), known), trace).rewritten(own)
    return term if new is own else let(prelude, new)


class _Worth:
    """Which arrays have rows that take a loop, as often as is only known at run time, to make."""

    def __init__(self) -> None:
        self.loops: dict[Term, bool] = {}

    def of(self, value: Term) -> bool:
        return (
            isinstance(value, Build)
            and size_of_tree(value.size) <= thresholds.COPIED_SIZE
            and self.has_loop(value.body)
        )

    def has_loop(self, t: Term) -> bool:
        found = self.loops.get(t)
        if found is None:
            own = isinstance(t, Reduce | IFold) and not isinstance(t.size, Const)
            found = self.loops[t] = own or any([self.has_loop(c) for c in children(t)])
        return found


class _Compaction:
    def __init__(self, accesses: Accesses, trace: Trace) -> None:
        self.accesses = accesses
        self.trace = trace
        self.worth = _Worth()

    def rewritten(self, t: Term) -> tuple[Term, Definitions]:
        """The term, and what must be before it, as far out as it may stand."""
        if isinstance(t, Let):
            return self._scope(t)
        prelude: Definitions = []
        parts = []
        for k, child in enumerate(children(t)):
            new, inner = self.rewritten(child)
            if not opens_region(t, k):
                prelude.extend(inner)
            elif inner:
                stay, leave = _parted(inner, frozenset(bound_in(t, k))) if _always_runs(t) else (inner, [])
                new = let(stay, new)
                prelude.extend(leave)
            parts.append(new)
        return (rebuild(t, parts) if any([a is not b for a, b in zip(parts, children(t), strict=True)]) else t), prelude

    def _scope(self, t: Let) -> tuple[Term, Definitions]:
        pending, rest = list(t.bindings), t.body
        bindings: Definitions = []
        outside: Definitions = []
        changed = False

        def add(prelude: Definitions) -> None:
            stay, leave = _parted(prelude, frozenset([var for var, _ in bindings]))
            bindings.extend(stay)
            outside.extend(leave)

        while pending:
            var, value = pending.pop(0)
            compacted = self._compacted(var, value, let(pending, rest)) if self.worth.of(value) else None
            if compacted is not None:
                value, following, prelude = compacted
                pending, rest = _opened(following, len(pending))
                add(prelude)
                changed = True
            new, inner = self.rewritten(value)
            changed = changed or new is not value
            add(inner)
            bindings.append((var, new))
        body, inner = self.rewritten(rest)
        changed = changed or body is not rest
        add(inner)
        return (let(bindings, body) if changed else t), outside

    def _compacted(self, var: Var, value: Term, following: Term) -> tuple[Term, Term, Definitions] | None:
        """The table of `var`, what follows it, and what both need; None if that is not possible."""
        assert isinstance(value, Build)
        try:
            found = readings_of(var, following, value.size, self.accesses)
        except Scattered:
            return None
        if not found:
            return None
        self.trace.record("compaction")
        places = _places(value.size, found)
        stored = Var(f"{var.name}_rows", places.type)
        k = Var("k", INT)
        prelude, body = _with_checks_before(value, k, stored)
        row = let([(value.index, get(Proj(stored, 1), k))], body)

        def read(t: Term) -> Term:
            match t:
                case Get(array, index) if array is var:
                    return Get(var, Get(Proj(stored, 0), index))
                case _:
                    return t

        return Build(Proj(stored, 2), k, row), transform(following, read), [(stored, places), *prelude]


def _with_checks_before(table: Build, k: Var, stored: Var) -> tuple[Definitions, Term]:
    """Arrays of the indices that each row checks, and the row of `k` that reads them: they may leave more loops than it."""
    arrays: dict[object, tuple[Var, Term]] = {}
    entries: dict[Term, Term] = {}
    for node, check, loops in checks_in(table):
        indices: Term = check
        for loop in reversed(loops):
            indices = Build(loop.size, loop.index, indices)
        at = Var("k", INT)
        value = refresh(Build(Proj(stored, 2), at, let([(table.index, get(Proj(stored, 1), at))], indices)))
        var, _ = arrays.setdefault(alpha_key(value), (Var("checked", value.type), value))
        entries[node] = get(var, k, *[loop.index for loop in loops])

    body = transform(table.body, lambda t: entries.get(t, t))
    return list(arrays.values()), body


def _places(size: Term, readings: list[Reading]) -> Term:
    """Where each row is stored (-1: not at all), the rows that are stored, and their number."""
    total = reduce(lambda a, b: prim(p.add, a, b), [reading.size for reading in readings])
    few = prim(p.less, total, size)

    def step(state: Var, j: Var) -> Term:
        offset: Term = Const(0)
        cases = []
        for reading in readings:
            cases.append((prim(p.subtract, j, offset), reading))
            offset = prim(p.add, offset, reading.size)
        row = substitute1(cases[-1][1].row, cases[-1][1].index, cases[-1][0])
        for at, reading in reversed(cases[:-1]):
            mine = substitute1(reading.row, reading.index, at)
            row = If(prim(p.less, at, reading.size), mine, row)
        read, place, slot = Var("row", row.type), Var("place", row.type), Var("slot", row.type)
        is_new = prim(p.less, place, Const(0))
        count = Proj(state, 2)
        definitions = [(read, row), (place, get(Proj(state, 0), read)), (slot, If(is_new, count, place))]
        changed = (
            Update(Proj(state, 0), read, slot),
            Update(Proj(state, 1), slot, read),
            prim(p.add, count, If(is_new, Const(1), Const(0))),
        )
        return let(definitions, MakeTuple(changed))

    nowhere = build(size, lambda v: If(few, Const(-1), v))
    rows = build(If(few, total, size), lambda k: k)
    return ifold(If(few, total, Const(0)), MakeTuple((nowhere, rows, If(few, Const(0), size))), step, index="j")


def _always_runs(t: Term) -> bool:
    """Is a loop certain to run, so that what it always evaluates may be evaluated before it?"""
    match t:
        case Build(size) | IFold(size):
            return is_certain(size)
        case Reduce(reduction, size):
            return is_certain(size) and reduction not in _STOP_EARLY
        case _:
            return False


def _parted(prelude: Definitions, bound: frozenset[Var]) -> tuple[Definitions, Definitions]:
    """What must stay where these variables are known, and what may leave."""
    stay: Definitions = []
    leave: Definitions = []
    for var, value in prelude:
        if value.free.isdisjoint(bound):
            leave.append((var, value))
        else:
            stay.append((var, value))
            bound |= {var}
    return stay, leave


def _opened(term: Term, count: int) -> tuple[list[tuple[Var, Term]], Term]:
    """The first `count` definitions of a scope, and what follows them."""
    if not count:
        return [], term
    assert isinstance(term, Let)
    return list(term.bindings), term.body

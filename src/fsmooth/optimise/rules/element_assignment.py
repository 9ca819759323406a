"""Loops that set every element of an array are that array: `for i in range(n): a[i] = e(i)` (design §2, §5)."""

from __future__ import annotations

from fsmooth.core.build import components, get
from fsmooth.core.shape import Ragged, size_of
from fsmooth.core.term import Build, Get, IFold, Let, MakeTuple, Proj, Term, Update, Var, let
from fsmooth.core.traverse import children, rebuild
from fsmooth.core.types import Array, Tuple
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import rule


@rule(
    "ifold (fun a i -> update a i (e i)) u (length u) ~> build (length u) (fun i -> e i) where u is a variable;  "
    "ifold (fun a i -> update a i (a[i] + e i)) u (length u) ~> build (length u) (fun i -> u[i] + e i) where u is a variable",
    source="design §5",
    heads=IFold,
)
def fold_to_build(t: Term, facts: Facts) -> Term | None:
    """Where a step reads of the arrays only what it replaces; several arrays at once, each in its turn."""
    match t:
        case IFold(size, init):
            return _Assignments(t, facts).array() if _is_candidate(init, size, facts) else None
    return None


def _is_candidate(init: Term, size: Term, facts: Facts) -> bool:
    parts = components(init) if isinstance(init.type, Tuple) else (init,)
    if not parts or not all([isinstance(x.type, Array) for x in parts]):
        return False
    try:
        return all([facts.same(size_of(x), size) for x in parts])
    except Ragged:
        return False


class _NotElementwise(Exception):
    """The step reads more of the state than the element it sets."""


class _Assignments:
    def __init__(self, fold: IFold, facts: Facts) -> None:
        self.fold = fold
        self.initial = components(fold.init) if isinstance(fold.init.type, Tuple) else (fold.init,)
        self.elements: dict[int, Term] = {}
        self.updated: dict[Var, int] = {}
        self.memo: dict[Term, Term] = {}

    def array(self) -> Term | None:
        """The array, or the arrays, that the loop makes."""
        fold = self.fold
        bindings, result = (fold.body.bindings, fold.body.body) if isinstance(fold.body, Let) else ((), fold.body)
        kept: list[tuple[Var, Term]] = []
        try:
            for var, value in bindings:
                position = self._part(value.array) if isinstance(value, Update) else None
                if isinstance(value, Update) and position is not None:
                    self._set(position, value, kept, named=True)
                    self.updated[var] = position
                else:
                    kept.append((var, self._read(value)))
            items = components(result) if isinstance(fold.type, Tuple) else (result,)
            for k, item in enumerate(items):
                if isinstance(item, Var) and self.updated.get(item) == k:
                    continue
                if not isinstance(item, Update) or self._part(item.array) != k:
                    return None
                self._set(k, item, kept, named=False)
        except _NotElementwise:
            return None
        values = [self.elements[k] for k in range(len(items))]
        if not isinstance(fold.type, Tuple):
            return Build(fold.size, fold.index, let(kept, values[0]))
        whole = Build(fold.size, fold.index, let(kept, MakeTuple(tuple(values))))
        name = Var("rows", whole.type)
        parts: list[Term] = []
        for k in range(len(items)):
            index = fold.index.renamed()
            parts.append(Build(fold.size, index, Proj(get(name, index), k)))
        return Let(((name, whole),), MakeTuple(tuple(parts), fold.type))

    def _set(self, position: int, update: Update, kept: list[tuple[Var, Term]], *, named: bool) -> None:
        """Element `index` of an array is set, for the first time in this step."""
        if update.index is not self.fold.index or position in self.elements:
            raise _NotElementwise
        value = self._read(update.value)
        if named and not isinstance(value, Var):
            var = Var("element", value.type)
            kept.append((var, value))
            value = var
        self.elements[position] = value

    def _part(self, term: Term) -> int | None:
        """Which array of the state this is, as it was when the step began."""
        if term is self.fold.state and not isinstance(self.fold.type, Tuple):
            return 0
        if isinstance(term, Proj) and term.tuple is self.fold.state:
            return term.position
        return None

    def _read(self, term: Term) -> Term:
        """`term` with what it reads of the state taken from where that is known."""
        if self.fold.state not in term.free and self.updated.keys().isdisjoint(term.free):
            return term
        found = self.memo.get(term)
        if found is not None:
            return found
        result = self._changed(term)
        self.memo[term] = result
        return result

    def _changed(self, term: Term) -> Term:
        match term:
            case Get(array, index) if index is self.fold.index:
                if isinstance(array, Var) and array in self.updated:
                    return self.elements[self.updated[array]]
                position = self._part(array)
                if position is not None:
                    return Get(self.initial[position], index)
            case Var():
                raise _NotElementwise
        return rebuild(term, [self._read(c) for c in children(term)])

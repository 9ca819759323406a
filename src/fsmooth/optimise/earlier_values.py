"""What an assignment to a part of an array reads of the array as it was is read before: then the array changes in place.

    ifold (fun a k -> … ifold (fun s i -> update s (f i) (e (a[g i]))) a n …) …
    ~>
    ifold (fun a k -> … let t = build n (fun i -> a[g i]) in ifold (fun s i -> update s (f i) (e t[i])) a n …) …

`A[k + 1:, k + 1:] -= outer(A[k + 1:, k], A[k, k + 1:])` is such a loop: fused with its right side it reads the array that it
starts from, so every step of the loop around it would copy all of it.  What is read at fewer indices than the loops
have is kept by itself, here a row and a column; if more than one element is read for each that is assigned, what is
computed from them.  Only where the
array is the state of a loop around: elsewhere it is copied once.  Reverse mode sees the loops so too: what they read of the
array is then not an array of cotangents that is added to that of the array in every step.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from fsmooth.core.build import get, whole_of
from fsmooth.core.subst import substitute
from fsmooth.core.term import Build, Carrying, Get, If, IFold, Length, Let, Proj, Require, Term, Update, Var, While, let
from fsmooth.core.traverse import bound_in, children, transform
from fsmooth.core.types import is_scalar
from fsmooth.optimise.failing import StaticSizes
from fsmooth.rewrite.trace import Trace


def keep_earlier_values(term: Term, trace: Trace, static_sizes: StaticSizes) -> Term:
    """The term in which loops that assign do not read what they started from."""
    changing = set(states_in(term))

    def change(t: Term) -> Term:
        if not isinstance(t, IFold):
            return t
        root = origin(t.init)
        if root is None or root not in changing or root not in t.body.free:
            return t
        new = _Nest(t, root).without_reads()
        if new is None:
            return t
        trace.record("earlier values kept")
        return new

    return transform(term, change)


def states_in(term: Term) -> Iterator[Var]:
    """The states of loops, and names for what becomes of them in a step."""
    found: set[Var] = set()
    seen: set[Term] = set()
    stack = [term]
    while stack:
        t = stack.pop()
        if t in seen:
            continue
        seen.add(t)
        if isinstance(t, Carrying):
            found.add(t.state)
            yield t.state
        if isinstance(t, Let):
            for var, value in t.bindings:
                if origin(value) in found:
                    found.add(var)
                    yield var
        stack.extend(reversed(children(t)))


def origin(term: Term) -> Var | None:
    """The variable of which a term is a component, or that with other elements."""
    while True:
        match term:
            case Update(inner) | IFold(_, inner) | Require(_, inner) | Let(_, inner):
                term = inner
            case _:
                whole, _ = whole_of(term)
                return whole if isinstance(whole, Var) else None


class _Stuck(Exception):
    """Something is read that cannot be read before."""


class _Read(Struct, frozen=True):
    """What is to be kept: where it stands, and what it is in terms of the indices of the loops."""

    place: Term
    value: Term


class _Nest:
    """Loops one inside the other, each over the state of the one around it."""

    def __init__(self, fold: IFold, root: Var) -> None:
        self.fold = fold
        self.root = root
        self.folds = [fold]
        self.definitions: dict[Var, Term] = {}
        body = fold.body
        while True:
            if isinstance(body, Let):
                self.definitions.update(body.bindings)
                body = body.body
            elif isinstance(body, IFold) and body.init is self.folds[-1].state:
                self.folds.append(body)
                body = body.body
            else:
                break
        self.indices = [f.index for f in self.folds]
        self.states = {f.state for f in self.folds}

    def without_reads(self) -> Term | None:
        """The loops, after what they read of `root`; None if that cannot be."""
        try:
            kept = list(self._reads(self.fold.body, frozenset()))
            names = [self._table(read) for read in kept]
        except _Stuck:
            return None
        at = {read.place: element for read, (_, _, element) in zip(kept, names, strict=True)}
        body = transform(self.fold.body, lambda t: at.get(t, t))
        new = IFold(self.fold.size, self.fold.init, self.fold.state, self.fold.index, body)
        return let([(var, value) for var, value, _ in names], new)

    def _reads(self, term: Term, inner: frozenset[Var]) -> Iterator[_Read]:
        """The largest parts of a term that are evaluated in each step and depend on indices and `root` only."""
        if self.root not in term.free or (isinstance(term, Length) and whole_of(term.array)[0] is self.root):
            return
        value = self._written_out(term) if is_scalar(term.type) else term
        if is_scalar(term.type) and self.states.isdisjoint(value.free) and inner.isdisjoint(value.free):
            paths = [_Read(path, self._written_out(path)) for path in self._paths(term)]
            if sum([not self._has_few_indices(read.value) for read in paths]) <= 1:
                yield from paths
            else:
                yield _Read(term, value)
            return
        if isinstance(term, Var | If | While):
            raise _Stuck
        for k, child in enumerate(children(term)):
            bound = frozenset(bound_in(term, k)) - self.states - set(self.indices) - self.definitions.keys()
            yield from self._reads(child, inner | bound)

    def _has_few_indices(self, value: Term) -> bool:
        """Does it depend on fewer indices than there are loops?"""
        return sum([index in value.free for index in self.indices]) < len(self.indices)

    def _paths(self, term: Term) -> Iterator[Term]:
        """The elements of `root` in a term that is evaluated; none if something else of it is read."""
        if self.root not in term.free:
            return
        if isinstance(term, Get) and is_element(term, self.root):
            yield term
            return
        if not all([not bound_in(term, k) for k in range(len(children(term)))]) or isinstance(term, Var | If):
            yield term
            return
        for child in children(term):
            yield from self._paths(child)

    def _written_out(self, term: Term) -> Term:
        """`term` without the names that the loops give."""
        for var, value in reversed(self.definitions.items()):
            if var in term.free:
                term = substitute(term, {var: value})
        return term

    def _table(self, read: _Read) -> tuple[Var, Term, Term]:
        """A name for what is kept, its value, and its element for the indices of the loops."""
        used = [f for f in self.folds if f.index in read.value.free]
        if any([not f.size.free.isdisjoint([*self.indices, *self.definitions, *self.states]) for f in used]):
            raise _Stuck
        own = {f.index: f.index.renamed() for f in used}
        value = substitute(read.value, dict(own)) if own else read.value
        for f in reversed(used):
            value = Build(f.size, own[f.index], value)
        name = Var("before", value.type)
        return name, value, get(name, *[f.index for f in used])


def is_element(path: Term, root: Var) -> bool:
    """Is it an element of an array in `root`, at indices that read nothing of it?"""
    while isinstance(path, Get):
        if root in path.index.free:
            return False
        path = path.array
    while isinstance(path, Proj):
        path = path.tuple
    return path is root

"""Where a fold keeps what its steps save: a row for each step, or rows of lengths of their own, one after the other.

    ifold (fun x i -> let t = build (ptr[i + 1] - ptr[i]) (fun p -> x[idx[ptr[i] + p]]) in …) x n

saves t in an array of as many numbers as all rows have; row i begins at starts[i], the sum of the lengths before it.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.build import nested_build, parts_written, plus
from fsmooth.core.subst import substitute
from fsmooth.core.term import Build, Const, Get, If, IFold, MakeTuple, Prim, Proj, Require, Term, Update, Var, Zero, let
from fsmooth.core.traverse import subterms
from fsmooth.core.types import INT, Int
from fsmooth.differentiate.reverse.steps import Item, Step


class Rows(Struct, frozen=True):
    """Rows of `blank`'s shape, one for each step."""

    blank: Term
    index: Var

    def empty(self, count: Term) -> Term:
        """Room for `count` of them."""
        return blank_rows(self.blank, count)

    def with_row(self, rows: Term, row: Term) -> Term:
        """The rows with that of this step."""
        return Update(rows, self.index, row)

    def row(self, rows: Term) -> Term:
        """The row of this step."""
        return Get(rows, self.index)


class RowAfterRow(Struct, frozen=True):
    """Rows of lengths of their own, `total` together: row i begins at `starts[i]`, and is as long as `blank` in that step."""

    blank: Zero
    index: Var
    starts: Term
    total: Term

    def empty(self, _: Term) -> Term:
        """Room for all of them."""
        return Zero((self.total, *self.blank.sizes[1:]), self.blank.leaf)

    def with_row(self, rows: Term, row: Term) -> Term:
        """The rows with that of this step."""
        state, k = Var("rows", rows.type), Var("k", INT)
        return IFold(self.blank.sizes[0], rows, state, k, Update(state, self._place(k), Get(row, k)))

    def row(self, rows: Term) -> Term:
        """The row of this step."""
        k = Var("k", INT)
        return Build(self.blank.sizes[0], k, Get(rows, self._place(k)))

    def _place(self, k: Term) -> Term:
        return plus(Get(self.starts, self.index), k)


def rooms(stored: Sequence[tuple[Var, Term]], index: Var, count: Term) -> tuple[list[Rows | RowAfterRow], list[Item]]:
    """Room for each, and the steps before the loop that find where rows begin."""
    made: list[Rows | RowAfterRow] = []
    before: list[Item] = []
    known: list[tuple[Term, Var]] = []
    for _, blank in stored:
        if index not in blank.free:
            made.append(Rows(blank, index))
            continue
        assert isinstance(blank, Zero)
        length = blank.sizes[0]
        both = next((var for size, var in known if alpha_equal(size, length)), None)
        if both is None:
            begins = _begins(length, index, count)
            both = Var("begins", begins.type)
            known.append((length, both))
            before.append(Step(both, begins, active=False))
        made.append(RowAfterRow(blank, index, Proj(both, 1), Proj(both, 0)))
    return made, before


def _begins(length: Term, index: Var, count: Term) -> Term:
    """How long all rows are together, and where each begins."""
    first = MakeTuple((Const(0), Zero((count,), INT)))
    state, i, at = Var("begins", first.type), index.renamed(), Var("at", INT)
    own = Prim(p.maximum, (substitute(length, {index: i}), Const(0)))
    body = let(((at, Proj(state, 0)),), MakeTuple((plus(at, own), Update(Proj(state, 1), i, at))))
    return IFold(count, first, state, i, body)


def has_own_lengths(blank: Term, index: Var, hidden: frozenset[Var], forward: Sequence[Item]) -> bool:
    """Are these rows that can be kept one after the other?

    Lengths are known before the loop, and may be much less than an array has: they are read, chosen, or cut off.  (Half of a
    square is not worth it.)
    """
    if any([isinstance(item, Require) for item in forward]):
        return False
    ragged = [leaf for leaf in parts_written(blank) if index in leaf.free]
    return bool(ragged) and all(
        [
            isinstance(leaf, Zero)
            and leaf.sizes[0].free.isdisjoint(hidden - {index})
            and not any([index in size.free for size in leaf.sizes[1:]])
            and any([_is_short(t) for t in subterms(leaf.sizes[0])])
            for leaf in ragged
        ]
    )


def _is_short(t: Term) -> bool:
    return isinstance(t, Get | If) or (isinstance(t, Prim) and t.primitive is p.minimum)


def blank_rows(blank: Term, count: Term) -> Term:
    """An array of `count` of them."""
    if isinstance(blank, Zero):
        return Zero((count, *blank.sizes), blank.leaf)
    if isinstance(blank, Const) and isinstance(blank.type, Int):
        return Zero((count,), blank.type)
    return nested_build((count,), lambda _: blank)

"""The arguments of functions of batches: what is the same for all, and arrays with their batch as the first axis."""

from __future__ import annotations

import ast

from msgspec import Struct

from fsmooth.core.build import project
from fsmooth.core.nodes.declaration import Nodes
from fsmooth.core.term import Get, MakeTuple, Term
from fsmooth.core.types import Array, Tuple, rank_of
from fsmooth.errors import ArgumentMismatchError, RankError
from fsmooth.frontend.batches import Axes
from fsmooth.frontend.python.arrays.axes import permuted
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.kinds import describe
from fsmooth.frontend.python.values import Closure, Derived, Static, Value


class Same(Struct, frozen=True, eq=False):
    """An argument that is the same for all."""

    value: Value

    def at(self, index: Term) -> Value:  # noqa: ARG002
        """What the function is given for one element of the batch."""
        return self.value

    def batches(self) -> list[Batch]:
        """The arrays in it that are batches."""
        return []


class Batch(Struct, frozen=True, eq=False):
    """An array whose first axis is the batch."""

    name: str
    array: Term

    def at(self, index: Term) -> Value:
        """Its element."""
        return Get(self.array, index)

    def batches(self) -> list[Batch]:
        """Itself."""
        return [self]


class Parts(Struct, frozen=True, eq=False):
    """A tuple, part by part."""

    parts: tuple[Argument, ...]
    type: Tuple

    def at(self, index: Term) -> Value:
        """The tuple of what the parts give."""
        items = [part.at(index) for part in self.parts]
        assert all([isinstance(item, Term) for item in items])
        terms = tuple([item for item in items if isinstance(item, Term)])
        return MakeTuple(terms, Tuple(tuple([t.type for t in terms]), self.type.names, self.type.record))

    def batches(self) -> list[Batch]:
        """Those of the parts."""
        return [batch for part in self.parts for batch in part.batches()]


Argument = Same | Batch | Parts
"""An argument of a function of batches."""


def argument_of(frame: Frame, value: Value, axes: Axes, name: str, node: ast.AST) -> Argument:
    """An argument with its batch, if it is one: what is known at compile time only (a function, a text) is not."""
    is_known = isinstance(value, Static) and (
        value.value is None or callable(value.value) or isinstance(value.value, str)
    )
    if axes is None or is_known or isinstance(value, Closure | Derived):
        return Same(value)
    term = frame.bind(frame.term(value, node), name)
    if isinstance(term.type, Tuple):
        if isinstance(term.type.record, Nodes):
            hint = "write a loop, [f(t) for t in forest], or give None in in_axes if the tree is the same for all"
            frame.unsupported(node, f"fs.vmap over {name}, {describe(term.type)},", hint)
        count = len(term.type.items)
        each = axes if isinstance(axes, tuple) else (axes,) * count
        if len(each) != count:
            what = f"in_axes has {len(each)} axes for {name}, a tuple of {count}"
            frame.fail(ArgumentMismatchError, node, what, "give an integer or None for each part")
        parts = [argument_of(frame, project(term, k), one, name, node) for k, one in enumerate(each)]
        return Parts(tuple(parts), term.type)
    rank = rank_of(term.type) if isinstance(term.type, Array) else 0
    if rank == 0:
        hint = "pass an array, or give None in in_axes, if it is the same for all"
        frame.fail(RankError, node, f"{name} is {describe(term.type)}, not a batch", hint)
    if isinstance(axes, tuple):
        what = f"in_axes has {len(axes)} axes for {name}, which is {describe(term.type)}"
        frame.fail(ArgumentMismatchError, node, what, "give one integer, or None")
    axis = axis_of_batch(frame, axes, rank, f"in_axes: {name} has no axis {axes}", node)
    order = [axis, *[k for k in range(rank) if k != axis]]
    return Batch(name, frame.bind(permuted(frame, term, order, node), name))


def axis_of_batch(frame: Frame, given: int, rank: int, what: str, node: ast.AST) -> int:
    """An axis of an array of this rank; `what` is wrong if it has none of this number."""
    if not -rank <= given < rank:
        hint = f"its axes are 0 to {rank - 1}" if rank > 1 else "its only axis is 0"
        frame.fail(ArgumentMismatchError, node, what, hint)
    return given % rank

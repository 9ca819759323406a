"""Which elements exist wherever their indices do: by the ranges of loops and what the whole program requires.

An access without a check is in bounds where it stands (core/term), perhaps only because of a condition, a
requirement or a loop around it.  Code motion may take it away from those only if its place is proved without them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fsmooth.core import primitives as p
from fsmooth.core.shape import Ragged, size_of
from fsmooth.core.term import (
    Check,
    Const,
    Delta,
    Failure,
    Get,
    Lam,
    Length,
    Prim,
    Reduce,
    Reduction,
    Require,
    Term,
    Update,
    Var,
)
from fsmooth.core.term.fields import Generators, Index
from fsmooth.core.traverse import binds, steps, subterms
from fsmooth.core.types import Float, Int
from fsmooth.rewrite.facts import Facts


class Accesses:
    """What is known in all of a program whose nodes are `order`."""

    def __init__(self, root: Term, order: Iterable[Term], static_sizes: Mapping[tuple[Var, int], int]) -> None:
        self.facts = Facts()
        self.facts.static_sizes = static_sizes
        self.learn(order)
        self._assume_what_is_required(root)

    def learn(self, order: Iterable[Term]) -> None:
        """The ranges of the loops among these nodes, too."""
        for node in order:
            if binds(node):
                self._learn_variables(node)
            match node:
                case Prim(primitive, (a, b)) if primitive is p.minimum and isinstance(node.type, Int):
                    for bound in (a, b):
                        self.facts.assume(Prim(p.less_equal, (node, bound)), value=True)

    def _learn_variables(self, node: Term) -> None:
        for step in steps(node):
            if step.var is not None and step.given is not None:
                if isinstance(step.field, Index | Generators):
                    self.facts.ranges[step.var] = step.given
                else:
                    self.facts.carry(step.var)

    def proved(self, access: Get | Update | Delta) -> bool:
        """Is it in bounds wherever the variables of its index have values, and its checks hold?"""
        index = access.index
        length = access.size if isinstance(access, Delta) else self._length(access.array)
        if length is None:
            return False
        if isinstance(index, Check):
            return self.facts.less_or_equal(index.size, length)
        if is_at_extremum(access):
            assert isinstance(index, Reduce)
            return self.facts.less_or_equal(index.size, length)
        if any([isinstance(t, Reduce) and t.reduction in _PLACES for t in subterms(index)]):
            return False  # the place of an extremum is below the size only if the loop runs
        return self.facts.within(index, length)

    def _length(self, array: Term) -> Term | None:
        try:
            length = size_of(array)
        except Ragged:
            return None
        match length:
            case Length(Var() as var, axis) if (var, axis) in self.facts.static_sizes:
                return Const(self.facts.static_sizes[var, axis])
            case _:
                return length

    def _assume_what_is_required(self, root: Term) -> None:
        """What is required before anything else; not what is required after a condition that reads elements, unless that only
        says that they are indices, which arguments are found to be before the program begins.
        """
        node = root.body if isinstance(root, Lam) else root
        while isinstance(node, Require):
            if node.failure not in _OF_ARGUMENTS and any(
                [isinstance(t, Get) for part in (node.condition, *node.numbers) for t in subterms(part)]
            ):
                return
            self.facts.assume(node.condition, value=True)
            node = node.body


_OF_ARGUMENTS = (Failure.ELEMENT, Failure.DECREASING)
_PLACES = (Reduction.ARGMAX, Reduction.ARGMIN)


def is_at_extremum(node: Term) -> bool:
    """Is this a number a[argmax n f]?  If a has n elements, it is in bounds if n > 0."""
    match node:
        case Get(_, Reduce(Reduction.ARGMAX | Reduction.ARGMIN)):
            return isinstance(node.type, Float | Int)
        case _:
            return False

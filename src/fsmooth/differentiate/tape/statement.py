"""A statement: an expression of primitives, as the slopes of its value by what it is made of.

What a tape would keep as an entry for each operation is one entry for all of them (local preaccumulation): the value is
computed as it is written, then its slopes in reverse mode from the value, whose cotangent is 1, through the rows of
differentiate/derivatives.py, which are linear in the tangent and so take a cotangent as well.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct, field

from fsmooth.core import primitives as p
from fsmooth.core.term import Const, Get, Length, MakeTuple, Prim, Proj, Term, Var, Zero, scalar_constant
from fsmooth.core.types import Float
from fsmooth.differentiate.derivatives import RESULT_IS_REUSED, ROWS
from fsmooth.differentiate.leaves import in_width

Named = Callable[[str, Term], Term]
"""A name for a term in the current scope."""


class Operation(Struct, eq=False):
    """A primitive of a statement, with its arguments where they are and what each of these is made of."""

    primitive: p.Primitive
    arguments: tuple[Term, ...]
    made_of: tuple[Part | None, ...]
    result: Term


class Leaf(Struct, frozen=True):
    """A number that has an entry of its own, or is an input."""

    id: Term


Part = Operation | Leaf


def operation(
    primitive: p.Primitive, arguments: tuple[Term, ...], made_of: tuple[Part | None, ...], name: str, named: Named
) -> Operation:
    """A primitive applied to arguments that have names; None among `made_of` stands for what does not vary."""
    result: Term = Prim(primitive, arguments)
    if primitive in RESULT_IS_REUSED:
        result = named(name, result)
    return Operation(primitive, arguments, made_of, result)


def slopes_of(whole: Part, type_: Float, named: Named) -> list[tuple[Term, Term]]:
    """The ids of the leaves, each with the slope of the whole by it."""
    return _Slopes(named).of(whole, scalar_constant(1.0, type_))


class _Slopes(Struct):
    named: Named
    found: dict[object, tuple[Term, list[Term]]] = field(default_factory=dict)

    def of(self, whole: Part, one: Term) -> list[tuple[Term, Term]]:
        cotangents: dict[Operation, list[Term]] = {}
        self.contribute(whole, one, cotangents)
        for x in reversed(_operations(whole)):
            given = cotangents.get(x)
            if given is None:
                continue
            cotangent = self.named("slope", _total(given))
            for k, part in enumerate(x.made_of):
                if part is not None:
                    self.contribute(part, self.through(x, k, cotangent), cotangents)
        return [(id_, _total(slopes)) for id_, slopes in self.found.values()]

    def contribute(self, part: Part, slope: Term, cotangents: dict[Operation, list[Term]]) -> None:
        if isinstance(slope, Zero):
            return
        if isinstance(part, Leaf):
            self.found.setdefault(_place(part.id), (part.id, []))[1].append(slope)
        else:
            cotangents.setdefault(part, []).append(slope)

    def through(self, x: Operation, position: int, cotangent: Term) -> Term:
        """What the argument at a position gets of the cotangent of the result."""
        own = x.arguments[position].type
        if isinstance(own, Float) and own != cotangent.type:
            return in_width(cotangent, own)  # the argument is the result in another width
        tangents = [_nothing(a) for a in x.arguments]
        tangents[position] = cotangent
        return ROWS[x.primitive](x.arguments, x.result, tuple(tangents))


def _place(id_: Term) -> object:
    """Equal for ids that are read at the same place."""
    if isinstance(id_, Prim):
        return (id_.primitive, *[_place(x) for x in id_.arguments])
    if isinstance(id_, Length):
        return ("length", id_.axis, _place(id_.array))
    if isinstance(id_, Const):
        return ("at", id_.value)
    steps: list[object] = []
    while isinstance(id_, Get | Proj):
        if isinstance(id_, Proj):
            steps.append(id_.position)
            id_ = id_.tuple
        elif isinstance(id_.index, Var | Const):
            steps.append(id_.index if isinstance(id_.index, Var) else ("at", id_.index.value))
            id_ = id_.array
        else:
            break
    return (id_, *steps)


def _nothing(argument: Term) -> Term:
    return Zero((), argument.type) if isinstance(argument.type, Float) else MakeTuple(())


def _operations(whole: Part) -> list[Operation]:
    """The operations of a statement, each after those that it is made of."""
    order: list[Operation] = []
    seen: set[Operation] = set()
    stack: list[tuple[Part, bool]] = [(whole, False)]
    while stack:
        part, ready = stack.pop()
        if not isinstance(part, Operation):
            continue
        if ready:
            order.append(part)
        elif part not in seen:
            seen.add(part)
            stack.append((part, True))
            stack.extend([(inner, False) for inner in part.made_of if inner is not None])
    return order


def _total(terms: list[Term]) -> Term:
    whole = terms[0]
    for term in terms[1:]:
        whole = Prim(p.add, (whole, term))
    return whole


def is_one(slope: Term) -> bool:
    """Is it known to be 1?"""
    return isinstance(slope, Const) and slope.value == 1.0

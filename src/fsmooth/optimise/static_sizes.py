"""Which sizes of parameters are worth compiling for (design §2, "Static and symbolic sizes").

A dimension is static if it is annotated as a number, which the program requires first, or if it is indexed only by
constants and by indices of loops over constant sizes.  A camera of 9 numbers is; a million points are not.  Loops over
the seeds of a derivative do not count, since they are not there yet: the analysis looks at the program before its
derivatives are removed, following arguments into the functions they are given to.
"""

from __future__ import annotations

from msgspec import Struct

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.term import (
    App,
    Build,
    Check,
    Collect,
    Const,
    Custom,
    Deriv,
    Get,
    IFold,
    Lam,
    Length,
    Let,
    Prim,
    Reduce,
    Require,
    Term,
    Var,
)
from fsmooth.core.traverse import children
from fsmooth.core.types import Array, Int, rank_of


class _Place(Struct, frozen=True):
    """A part of parameter number `parameter`, after `axis` of its axes are indexed."""

    parameter: int
    axis: int


def static_dimensions(term: Lam) -> frozenset[tuple[int, int]]:
    """The (parameter position, axis) pairs that should be constants."""
    analysis = _Analysis()
    for k, parameter in enumerate(term.parameters):
        if isinstance(parameter.type, Array):
            analysis.places[parameter] = _Place(k, 0)
    analysis.visit(term.body)
    candidates = {(k, axis) for k, parameter in enumerate(term.parameters) for axis in range(rank_of(parameter.type))}
    found = frozenset([c for c in candidates if c in analysis.indexed and c not in analysis.dynamic])
    return found | (_required(term) & candidates)


def _required(term: Lam) -> frozenset[tuple[int, int]]:
    """The dimensions that a program first requires to be numbers."""
    found = set()
    body = term.body
    while isinstance(body, Require):
        match body.condition:
            case Prim(primitive, (Const(), Length(Var() as array, axis))) if primitive is p.equal:
                if array in term.parameters:
                    found.add((term.parameters.index(array), axis))
        body = body.body
    return frozenset(found)


class _Analysis:
    def __init__(self) -> None:
        self.places: dict[Var, _Place] = {}
        self.static: set[Var] = set()
        self.limits: dict[Var, int] = {}
        self.indexed: set[tuple[int, int]] = set()
        self.dynamic: set[tuple[int, int]] = set()

    def place(self, term: Term) -> _Place | None:
        """The part of a parameter that a path denotes."""
        match term:
            case Var():
                return self.places.get(term)
            case Get(array, _):
                inner = self.place(array)
                return None if inner is None else _Place(inner.parameter, inner.axis + 1)
            case _:
                return None

    def escape(self, term: Term, place: _Place) -> None:
        """A part used whole: its remaining axes are of any size."""
        for axis in range(rank_of(term.type)):
            self.dynamic.add((place.parameter, place.axis + axis))

    def visit(self, term: Term) -> None:
        match term:
            case Var():
                place = self.place(term)
                if place is not None:
                    self.escape(term, place)
            case Get():
                self.path(term)
                place = self.place(term)
                if place is not None and isinstance(term.type, Array):
                    self.escape(term, place)
            case Let(bindings, body):
                for var, value in bindings:
                    self.define(var, value)
                self.visit(body)
            case App(Lam(parameters, body), arguments):
                for parameter, argument in zip(parameters, arguments, strict=True):
                    self.define(parameter, argument)
                self.visit(body)
            case App(Deriv() as deriv, arguments):
                self.derivative(deriv, arguments)
            case App(Custom() as custom, arguments):
                for own in children(custom):
                    given = zip(own.parameters if isinstance(own, Lam) else (), arguments, strict=False)
                    for parameter, argument in given:
                        self.define(parameter, argument)
                    self.visit(own.body if isinstance(own, Lam) else own)
            case Build(size, index, body) | Reduce(_, size, index, body):
                self.loop(size, index)
                self.visit(body)
            case IFold(size, init, _, index, body):
                self.visit(init)
                self.loop(size, index)
                self.visit(body)
            case Collect(_, generators, guard, body):
                for size, index in generators:
                    self.loop(size, index)
                self.visit(guard)
                self.visit(body)
            case Length(array):
                place = self.place(array)
                if place is None:
                    self.visit_unless_place(array)
            case Check(index, size):
                self.visit(index)
                if not isinstance(size, Length):
                    self.visit(size)
            case Require(_, body):
                self.visit(body)
            case _:
                for child in children(term):
                    self.visit(child)

    def visit_unless_place(self, term: Term) -> None:
        """A shape is not a use of elements."""
        for child in children(term):
            self.visit(child)

    def path(self, term: Term) -> None:
        """The indices of a path, each static or not."""
        while isinstance(term, Get):
            self.visit(term.index)
            inner = self.place(term.array)
            if inner is not None:
                key = (inner.parameter, inner.axis)
                self.indexed.add(key)
                if not self.is_static(term.index):
                    self.dynamic.add(key)
            term = term.array
        if self.place(term) is None and not isinstance(term, Var):
            self.visit(term)

    def is_static(self, index: Term) -> bool:
        match index:
            case Const():
                return True
            case Var():
                return index in self.static
            case Check(inner, _):
                return self.is_static(inner)
            case Length():
                return True
            case Prim(_, arguments):
                return all([self.is_static(a) for a in arguments])
            case _:
                return False

    def define(self, var: Var, value: Term) -> None:
        place = self.place(value)
        if place is not None:
            if isinstance(value, Get):
                self.path(value)
            self.places[var] = place
            return
        if isinstance(value.type, Int) and self.is_static(value):
            self.static.add(var)
        limit = self.limit(value) if isinstance(value.type, Int) else None
        if limit is not None:
            self.limits[var] = limit
        self.visit(value)

    def loop(self, size: Term, index: Var) -> None:
        if isinstance(size, Length):
            place = self.place(size.array)
            if place is not None:
                self.dynamic.add((place.parameter, place.axis + size.axis))
            return
        limit = self.limit(size)
        if limit is not None and limit <= thresholds.UNROLLED:
            self.static.add(index)
        else:
            self.lengths(size)
            self.visit(size)

    def limit(self, size: Term) -> int | None:
        """A number that a size is not above, if one is known: the slice x[3:6] has at most three elements."""
        match size:
            case Const(value):
                return int(value)
            case Var():
                return self.limits.get(size)
            case Prim(p.minimum, (a, b)):
                return min([n for n in (self.limit(a), self.limit(b)) if n is not None], default=None)
            case Prim(p.subtract, (a, Const(value))):
                limit = self.limit(a)
                return None if limit is None else limit - int(value)
            case _:
                return None

    def lengths(self, size: Term) -> None:
        """A loop over a size computed from a length is over a length of any size."""
        match size:
            case Length(array, axis):
                place = self.place(array)
                if place is not None:
                    self.dynamic.add((place.parameter, place.axis + axis))
            case _:
                for child in children(size):
                    self.lengths(child)

    def derivative(self, deriv: Deriv, arguments: tuple[Term, ...]) -> None:
        function = deriv.function
        if not isinstance(function, Lam):
            for argument in arguments:
                self.visit(argument)
            return
        count = len(function.parameters)
        for parameter, argument in zip(function.parameters, arguments[:count], strict=True):
            self.define(parameter, argument)
        for direction in arguments[count:]:
            place = self.place(direction)
            if place is None:
                self.visit(direction)
        self.visit(function.body)

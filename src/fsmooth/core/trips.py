"""Trip counts as polynomials: what a size is in terms of the sizes of arguments (design §5).

`a - b` is a polynomial if it is positive where every size is 1000 and every loop index at the middle of its range: so
`n - 1` and, for i below n, `n - i`; of two unrelated sizes a and b the difference is a size of its own.
`a // k` counts as a / k.

>>> from fsmooth.core import build as b
>>> from fsmooth.core.types import INT
>>> n = Var("n", INT)
>>> Trips().of(b.minus(b.times(n, n), Const(1)))
n² - 1
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.polynomial import NOTHING, Polynomial, Size
from fsmooth.core.shape import Ragged, size_of
from fsmooth.core.subst import substitute1
from fsmooth.core.term import App, Check, Const, Custom, Get, If, Lam, Length, Let, Prim, Proj, Require, Term, Var
from fsmooth.core.term.fields import Definitions, Generators, Index, State
from fsmooth.core.traverse import binds, steps

_DEEPEST = 100
"""How many definitions are looked through; what lies deeper is a size of its own."""


class Trips:
    """Sizes, given what is known of variables: their definitions, their shapes, the ranges of indices.

    A variable with two definitions (a function called twice, a binder used twice) is treated as unknown.
    """

    def __init__(self, static_sizes: Mapping[tuple[Var, int], int] | None = None) -> None:
        """`static_sizes` gives lengths that are known numbers, by variable and axis."""
        self._static = {} if static_sizes is None else static_sizes
        self._values: dict[Var, Term | None] = {}
        self._shapes: dict[Var, Term | None] = {}
        self._ranges: dict[Var, Term | None] = {}
        self._known: dict[Term, Polynomial] = {}
        self._depth = 0

    def enter(self, term: Term) -> None:
        """Learn what `term` says of the variables it binds."""
        if isinstance(term, App):
            called = self.definition(term.function)
            called = called.function if isinstance(called, Custom) else called
            if isinstance(called, Lam):
                for parameter, argument in zip(called.parameters, term.arguments, strict=True):
                    _learn(self._values, parameter, argument)
        if not binds(term):
            return
        for step in steps(term):
            if step.var is not None and step.given is not None:
                match step.field:
                    case Definitions():
                        _learn(self._values, step.var, step.given)
                    case Index() | Generators():
                        _learn(self._ranges, step.var, step.given)
                    case State():
                        _learn(self._shapes, step.var, step.given)

    def definition(self, term: Term) -> Term:
        """What a variable is bound to, or the term itself."""
        return (self._values.get(term) or term) if isinstance(term, Var) else term

    def of(self, size: Term) -> Polynomial:
        """The number of trips of a loop over `size`."""
        polynomial = self._of(size)
        number = polynomial.number
        return NOTHING if number is not None and number < 0 else polynomial

    def _of(self, size: Term) -> Polynomial:
        found = self._known.get(size)
        if found is None:
            self._depth += 1
            known = self._polynomial(size) if self._depth <= _DEEPEST else None
            self._depth -= 1
            found = self._known[size] = Polynomial.of(size) if known is None else known
        return found

    def _polynomial(self, size: Term) -> Polynomial | None:
        """The polynomial of a size that is built from others; None if it stands for itself."""
        match size:
            case Const(value):
                return Polynomial.constant(int(value))
            case Var():
                definition = self._values.get(size)
                return None if definition is None or self._opaque(definition) else self._of(definition)
            case Length(Var() as array, axis) if (array, axis) in self._static:
                return Polynomial.constant(self._static[array, axis])
            case Length(array, axis):
                return self._length(array, axis)
            case Check(inner) | Require(_, inner) | Let(_, inner):
                return self._of(inner)
            case If(_, a, b):
                return self._of(a).dearer(self._of(b))
            case Prim(primitive, (a, b)) if primitive is p.add:
                return self._of(a) + self._of(b)
            case Prim(primitive, (a, b)) if primitive is p.multiply:
                return self._of(a) * self._of(b)
            case Prim(primitive, (a, b)) if primitive is p.minimum:
                return self._of(a).cheaper(self._of(b))
            case Prim(primitive, (a, b)) if primitive is p.maximum:
                return self._of(a).dearer(self._of(b))
            case Prim(primitive, (a, Const(k))) if primitive is p.floor_divide and k > 0:
                return self._of(a) * Fraction(1, int(k))
            case Prim(primitive, (a, b)) if primitive is p.subtract:
                difference = self._of(a) - self._of(b)
                likely = difference.number is not None or self._typical(difference) > 0
                return difference if likely else None
            case _:
                return None

    def _length(self, array: Term, axis: int) -> Polynomial | None:
        """The length of an array through what is known of the variable it is a path of."""
        root: Term = array
        while isinstance(root, Get | Proj):
            root = root.array if isinstance(root, Get) else root.tuple
        known = (self._values.get(root) or self._shapes.get(root)) if isinstance(root, Var) else None
        if known is not None and isinstance(root, Var):
            array = substitute1(array, root, known)
        elif isinstance(array, Var):
            return None
        try:
            size = size_of(array, axis)
        except Ragged:
            return None
        if isinstance(size, Length) and size.array is array:
            return None if known is None else Polynomial.of(size)
        return self._of(size)

    def _opaque(self, definition: Term) -> bool:
        """Does the definition say no more than its name?"""
        return self._of(definition).terms == {(Size(definition),): 1} and not isinstance(definition, Var | Length)

    def _typical(self, polynomial: Polynomial) -> float:
        sizes = {s for monomial in polynomial.terms for s in monomial}
        return polynomial.at({s: self._middle(s) for s in sizes})

    def _middle(self, size: Size) -> float:
        limit = self._ranges.get(size.term) if isinstance(size.term, Var) else None
        return thresholds.TRIPS if limit is None else self._typical(self.of(limit)) / 2


def _learn(known: dict[Var, Term | None], var: Var, value: Term) -> None:
    """A second value, or one that mentions another variable that is the same object, makes it unknown."""
    known[var] = value if known.get(var, value) is value and var not in value.free else None

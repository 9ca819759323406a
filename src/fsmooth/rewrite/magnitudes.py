"""Which integers C computes as they are: of what may have wrapped around, a comparison says nothing about the sum itself.

    if n >= 0 and k[j] + 5 < length x then x[k[j]] …

k[j] may be 2**63 - 3: then k[j] + 5 is negative in C.  Lengths, indices of loops and arguments are far from 2**63, as are
sums of them; elements of arrays, what loops carry, and numbers that were rounded can be any.  One of these by itself is
what it is.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.build import named_part
from fsmooth.core.integers import FARTHEST, FITS, LIMIT, LONGEST
from fsmooth.core.term import Check, Const, Get, If, Length, Prim, Proj, Reduce, Reduction, Term, Var
from fsmooth.core.types import rank_of
from fsmooth.rewrite.polynomials import Monomial, Polynomial


class Magnitudes:
    """How far from zero terms are, where `poly` gives them as polynomials, `define` and `upper` what is known of variables
    and of elements of arrays; `carried` are states of loops.
    """

    def __init__(
        self,
        poly: Callable[[Term], Polynomial],
        define: Callable[[Var], Term | None],
        upper: Callable[[Term], Term | None],
    ) -> None:
        self.poly = poly
        self.define = define
        self.upper = upper
        self.carried: set[Var] = set()
        self.fitting: list[Monomial] = []
        """Products that are known to fit: at most FITS, computed with real numbers."""
        self._sums: dict[tuple[Term, int], int] = {}
        """While one question is answered: what sums are at most, by the depth at which they are asked for."""

    def fits(self, condition: Term) -> Monomial | None:
        """The product of integers that is at most FITS if this condition holds; None for another condition."""
        match condition:
            case Prim(p.less_equal, (Prim(p.multiply) as product, Const(limit))) if limit == FITS:
                factors = self.poly(Const(1))
                pending: list[Term] = [product]
                while pending:
                    match pending.pop():
                        case Prim(p.multiply, arguments):
                            pending.extend(arguments)
                        case Prim(p.to_float, (Length() as size,)):
                            factors = factors.times(self.poly(size))
                        case _:
                            return None
                (monomial,) = factors.coefficients
                return monomial
            case _:
                return None

    def is_exact(self, term: Term) -> bool:
        """Is what C computes for the term the integer itself, not that modulo 2**64?"""
        if isinstance(term, Const | Length):
            return True
        poly = self.poly(term)
        match list(poly.coefficients.items()):
            case [] | [((), _)] | [((_,), 1)]:
                return True
            case _:
                self._sums.clear()  # what is known may have changed
                return self._farthest(poly, 0) < LIMIT

    def _farthest(self, poly: Polynomial, depth: int) -> int:
        return sum(
            [
                abs(c) * (int(2 * FITS) if self._fits(m, poly) else self._product([poly.atoms[a] for a in m], depth))
                for m, c in poly.coefficients.items()
            ]
        )

    def _fits(self, monomial: Monomial, poly: Polynomial) -> bool:
        """Is it a product that fits, or one of indices that are below the factors of such a one?"""
        if not self.fitting:
            return False
        sizes = self.poly(Const(1))
        for atom in monomial:
            sizes = sizes.times(self.poly(self._outermost(poly.atoms[atom])))
        return any([sizes.coefficients == {product: 1} for product in self.fitting])

    def _outermost(self, term: Term) -> Term:
        """Of an index below an index … below a size, that size."""
        for _ in range(thresholds.MAGNITUDE_DEPTH):
            below = self.upper(term)
            if not isinstance(below, Var | Length):
                break
            term = below
        return term

    def _product(self, factors: list[Term], depth: int) -> int:
        """A product is no farther from zero than this; that of all sizes of an argument is how many elements it has."""
        for whole in factors if len(factors) > 1 else []:
            if isinstance(whole, Length) and self._is_given(whole.array):
                axes = [f for f in factors if isinstance(f, Length) and f.array is whole.array]
                if sorted([f.axis for f in axes]) == list(range(rank_of(whole.array.type))):
                    rest = [f for f in factors if f not in axes]
                    return LONGEST * self._product(rest, depth)
        return prod([self._of(factor, depth + 1) for factor in factors])

    def _is_given(self, array: Term) -> bool:
        return isinstance(array, Var) and array not in self.carried and self.define(array) is None

    def _of(self, term: Term, depth: int) -> int:
        """The term is no farther from zero than this."""
        if depth > thresholds.MAGNITUDE_DEPTH:
            return LIMIT
        match term:
            case Length():
                return LONGEST
            case Check(_, size) | Reduce(Reduction.ARGMAX | Reduction.ARGMIN, size) | Prim(p.modulo, (_, size)):
                return self._sum(size, depth)
            case Prim(p.floor_divide, (a, Const())):
                return self._sum(a, depth)
            case Prim(p.minimum | p.maximum, (a, b)) | If(_, a, b):
                return max(self._sum(a, depth), self._sum(b, depth))
            case Var():
                known = self.upper(term) or self.define(term)
                return self._argument(term) if known is None else self._sum(known, depth)
            case Get() | Proj() if (below := self.upper(term)) is not None:
                return self._sum(below, depth)
            case Proj():
                return self._argument(term)
            case _:
                return LIMIT

    def _sum(self, term: Term, depth: int) -> int:
        found = self._sums.get((term, depth))
        if found is None:
            found = self._sums[term, depth] = min(LIMIT, self._farthest(self.poly(term), depth + 1))
        return found

    def _argument(self, term: Term) -> int:
        """Of an argument, the runtime says how far it may be."""
        part = named_part(term)
        is_argument = part is not None and part[0] not in self.carried and self.define(part[0]) is None
        return FARTHEST if is_argument else LIMIT

"""Integer terms as polynomials, and proofs that one is never negative.

Sizes and indices are compared here: `2*i + 1 < n` is proved by writing n - 1 - (2*i + 1) as a polynomial in
its atoms and replacing each ranged atom by the bound that makes it smallest.  Proofs are sound and incomplete.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import cast

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_key
from fsmooth.core.term import Check, Const, Get, If, Length, Prim, Proj, Reduce, Reduction, Term, Var
from fsmooth.rewrite.gaps import is_natural
from fsmooth.rewrite.polynomials import Monomial, Polynomial, constant
from fsmooth.rewrite.remainders import without_remainders


def polynomial(
    term: Term,
    define: Callable[[Var], Term | None] = lambda v: None,
    depth: int = 0,
    known: dict[Var, Polynomial] | None = None,
) -> Polynomial:
    """`term` (an Int) as a polynomial; `define` gives the definition of a let-bound variable, if known."""
    known = {} if known is None else known
    match term:
        case Const(value):
            return constant(int(value))
        case Check(index, _):
            return polynomial(index, define, depth + 1, known)
        case Prim(primitive, arguments) if primitive in _ARITHMETIC and depth < 40:
            parts = [polynomial(a, define, depth + 1, known) for a in arguments]
            if primitive is p.negate:
                return constant(0).plus(parts[0], -1)
            if primitive is p.multiply:
                if len(parts[0].coefficients) * len(parts[1].coefficients) <= thresholds.PRODUCT_TERMS:
                    return parts[0].times(parts[1])
            else:
                return parts[0].plus(parts[1], 1 if primitive is p.add else -1)
        case Var() if depth < 40:
            definition = define(term)
            if isinstance(definition, Const | Check | Length) or (
                isinstance(definition, Prim) and definition.primitive in _ARITHMETIC
            ):
                if term not in known:
                    known[term] = polynomial(definition, define, depth + 1, known)
                return known[term]
    key = alpha_key(term)
    return Polynomial({(key,): 1}, {key: term})


_ARITHMETIC = (p.add, p.subtract, p.multiply, p.negate)


def _is_count(term: Term | None) -> bool:
    """Is it a sum of numbers that are 0 or 1, how many of which hold what is asked?"""
    while isinstance(term, Reduce) and term.reduction is Reduction.SUM:
        term = term.body
    return isinstance(term, If) and all(
        [isinstance(x, Const) and x.value in (0, 1) for x in (term.then, term.otherwise)]
    )


def _may_help(fact: Polynomial, poly: Polynomial) -> bool:
    """Does the fact have a part of `poly` in it, so that taking it away leaves less to prove?"""
    coefficients = poly.coefficients
    for monomial, c in fact.coefficients.items():
        if monomial and coefficients.get(monomial, 0) * c > 0:
            return True
    return False


def _times(fact: Polynomial, poly: Polynomial) -> int:
    """How often can the fact be taken away until no part of `poly` that it has is left?"""
    return max([poly.coefficients.get(m, 0) // c for m, c in fact.coefficients.items() if m], default=0)


def _mentions(poly: Polynomial, atom: Hashable) -> bool:
    return any([atom in monomial for monomial in poly.coefficients])


class Bounds:
    """What is known about integer atoms: `upper` gives a term that an atom with 0 <= atom < upper stays below, `exact` says
    whether what C computes for a term has not wrapped around.  A sum of numbers that are below a size is right modulo 2**64
    whatever its parts are; a quotient of it, or the larger of it and another number, is not.
    """

    def __init__(
        self,
        upper: Callable[[Term], Term | None],
        define: Callable[[Var], Term | None],
        exact: Callable[[Term], bool],
    ) -> None:
        self.upper = upper
        self.define = define
        self.exact = exact
        self.known: list[Polynomial] = []
        self.equal: dict[Hashable, Term] = {}
        self._canonical: dict[Polynomial, Polynomial] = {}
        self._asked: set[Hashable] = set()
        self._uppers: dict[Term, Term | None] = {}
        self._questions = 0

    def nonnegative(self, poly: Polynomial) -> bool:
        """Is the polynomial provably >= 0?"""
        self._questions += 1
        try:
            return self._proved(poly)
        finally:
            self._questions -= 1
            if not self._questions:
                self._uppers.clear()  # what is known may change before the next question

    def _proved(self, poly: Polynomial) -> bool:
        poly = self.canonical(poly)
        if self._by_facts(poly) or self._by_gaps(poly):
            return True
        whole = without_remainders(poly, self._remainder, self._quotient)
        return whole is not None and self._by_facts(whole)

    def _by_facts(self, poly: Polynomial) -> bool:
        """By cases, after one of the things that are known was taken away."""
        if self._by_cases(poly, thresholds.CASES):
            return True
        for known in self.known[-16:]:
            fact = self._fact(known)
            if _may_help(fact, poly) and self._by_cases(poly.plus(fact, -1), thresholds.CASES):
                return True
        return False

    def _by_gaps(self, poly: Polynomial) -> bool:
        """Of quotients of products, which may stand for what is known to be equal to one: i * (i + 1) // 2 + j in a triangle."""
        facts = [known for known in self.known[-16:] if _may_help(known, poly)]
        for given in (poly, *[poly.plus(known, -1) for known in facts]):
            rest: Polynomial | None = given
            while rest is not None and any(
                [self._divides_products(rest.atoms[a]) for m in rest.coefficients for a in m]
            ):
                rest = self._without_quotient(rest)
                if rest is not None and any(
                    [is_natural(rest, limit, self._atom_nonnegative) for limit in (self._limit, self._closer_limit)]
                ):
                    return True
        return False

    def _closer_limit(self, atom: Term) -> Polynomial | None:
        """What an index is at most by another one that it was compared with: of c < r, c is at most r - 1."""
        own = alpha_key(atom)
        for known in self.known[-16:]:
            fact = self._fact(known)
            match [(m, c) for m, c in fact.coefficients.items() if m and m != (own,)]:
                case [((_,), 1)] if fact.coefficients.get((own,)) == -1:
                    return fact.plus(Polynomial({(own,): 1}, {own: atom}))
        return self._limit(atom)

    def _divides_products(self, atom: Term) -> bool:
        """Is it a quotient of products?"""
        quotient = self._quotient(atom)
        return quotient is not None and any([len(monomial) > 1 for monomial in quotient[0].coefficients])

    def _limit(self, atom: Term) -> Polynomial | None:
        """What an index is at most, or a quotient by a number of what is at most one."""
        bound = self.upper_bound(atom)
        if bound is not None:
            return self.canonical(polynomial(bound, self.define)).plus(constant(-1))
        quotient = self._quotient(atom)
        most = None if quotient is None else self._most(quotient[0])
        return None if quotient is None or most is None else constant(most // quotient[1])

    def _most(self, poly: Polynomial) -> int | None:
        """A number that the polynomial is at most, by ranges or by one thing that is known."""
        facts = [self._fact(known) for known in self.known[-16:]]
        sums = [self._largest(poly.plus(fact)) for fact in (constant(0), *facts)]
        return min([found for found in sums if found is not None], default=None)

    def _largest(self, poly: Polynomial) -> int | None:
        """What a sum of indices is at most, if each is below a number."""
        total = 0
        for monomial, c in poly.coefficients.items():
            bound = self.upper_bound(poly.atoms[monomial[0]]) if len(monomial) == 1 and c > 0 else None
            most = None if bound is None else self.canonical(polynomial(bound, self.define)).number()
            if monomial and most is None:
                return None
            total += c * (most - 1) if monomial and most is not None else c
        return total

    def _fact(self, known: Polynomial) -> Polynomial:
        """What is known, with one atom for all that are known to be equal."""
        found = self._canonical.get(known)
        if found is None:
            found = self._canonical[known] = self.canonical(known)
        return found

    def _by_cases(self, poly: Polynomial, most: int) -> bool:
        """By ranges, and by what the maxima and minima in it are."""
        least, bad = self._least(poly)
        if not bad:
            return True
        if not most:
            return False
        multiple = self._without_quotient(least)
        if multiple is not None:
            return self._in_a_case(multiple, most - 1) or self._by_multiples(multiple)
        return self._by_sides(poly, most) or (least is not poly and self._by_sides(least, most))

    def _by_sides(self, poly: Polynomial, most: int) -> bool:
        """A maximum is at least each of the two that it is of, and is one of them; a minimum likewise."""
        for monomial, c in poly.coefficients.items():
            for atom in monomial:
                extremum = self._extremum(poly.atoms[atom])
                if extremum is None or any([other.count(atom) > 1 for other in poly.coefficients]):
                    continue
                if not all([self.exact(side) for side in extremum.arguments]):
                    continue
                sides = [
                    poly.replace(atom, self.canonical(polynomial(side, self.define))) for side in extremum.arguments
                ]
                is_alone = sum([atom in other for other in poly.coefficients]) == len(monomial) == 1
                enough = any if is_alone and (c > 0) is (extremum.primitive is p.maximum) else all
                return enough([self._in_a_case(side, most - 1) for side in sides])
        return False

    def _in_a_case(self, poly: Polynomial, most: int) -> bool:
        """By cases, or by ranges and one thing that is known, of which the whole has less than the case."""
        if self._by_cases(poly, most):
            return True
        facts = [self._fact(known) for known in self.known[-16:]]
        return any([_may_help(fact, poly) and not self._least(poly.plus(fact, -1))[1] for fact in facts])

    def _by_multiples(self, poly: Polynomial) -> bool:
        """By one thing that is known, as often as the whole has it: d * a - d * b is not negative where a - b is not."""
        for known in self.known[-16:]:
            fact = self._fact(known)
            times = _times(fact, poly)
            if times > 1 and not self._least(poly.plus(fact, -times))[1]:
                return True
        return False

    def _without_quotient(self, poly: Polynomial) -> Polynomial | None:
        """Of P with a quotient a // d in it, the least that d * P + d - 1 can be, as d * (a // d) is from a - (d - 1) to a.

        If that is not negative, P is more than -1, and P is an integer.
        """
        for monomial, c in poly.coefficients.items():
            if len(monomial) == 1:
                quotient = self._quotient(poly.atoms[monomial[0]])
                if quotient is not None and sum([monomial[0] in other for other in poly.coefficients]) == 1:
                    dividend, divisor = quotient
                    rest = poly.plus(Polynomial({monomial: c}, poly.atoms), -1)
                    least = dividend if c < 0 else dividend.plus(constant(1 - divisor))
                    return constant(divisor - 1).plus(rest, divisor).plus(least, c)
        return None

    def _quotient(self, atom: Term) -> tuple[Polynomial, int] | None:
        """Dividend and divisor of the quotient by a positive number that an atom is, or is a name for."""
        return self._division(atom, p.floor_divide)

    def _remainder(self, atom: Term) -> tuple[Polynomial, int] | None:
        """Those of the remainder that an atom is, or is a name for."""
        return self._division(atom, p.modulo)

    def _division(self, atom: Term, by: p.Primitive) -> tuple[Polynomial, int] | None:
        match self.define(atom) if isinstance(atom, Var) else atom:
            case Prim(primitive, (dividend, Const(divisor))) if (
                primitive is by and divisor > 0 and self.exact(dividend)
            ):
                return self.canonical(polynomial(dividend, self.define)), int(divisor)
            case _:
                return None

    def _extremum(self, atom: Term) -> Prim | None:
        """The maximum or minimum that an atom is, or is a name for."""
        term = self.define(atom) if isinstance(atom, Var) else atom
        is_extremum = isinstance(term, Prim) and term.primitive in (p.maximum, p.minimum)
        return cast(Prim, term) if is_extremum else None

    def above_floor(self, fact: Polynomial) -> Polynomial | None:
        """What max(a, 0) >= c says of a, where c is more than 0."""
        match list(fact.coefficients.items()):
            case [((atom,), 1), ((), number)] | [((), number), ((atom,), 1)] if number < 0:
                extremum = self._extremum(fact.atoms[atom])
                if (
                    extremum is not None
                    and extremum.primitive is p.maximum
                    and all(map(self.exact, extremum.arguments))
                ):
                    for side, floor in (extremum.arguments, extremum.arguments[::-1]):
                        if isinstance(floor, Const) and floor.value == 0:
                            return polynomial(side, self.define).plus(constant(number))
        return None

    def equate(self, gap: Polynomial) -> Hashable | None:
        """Know that `gap` is 0, where it is the difference of two atoms: from here on one stands for the other.

        Gives the atom that is not used any more, None if that is nothing new or another kind of equality.
        """
        gap = self.canonical(gap)
        match list(gap.coefficients.items()):
            case [((first,), 1 | -1 as c), ((second,), d)] if c == -d:
                for atom, other in ((second, first), (first, second)):
                    if self._says_less(gap.atoms[atom], gap.atoms[other]):
                        self.equal[atom] = gap.atoms[other]
                        self._canonical.clear()
                        return atom
        return None

    def separate(self, atom: Hashable) -> None:
        """Undo `equate`, which gave this atom."""
        del self.equal[atom]
        self._canonical.clear()

    def _says_less(self, atom: Term, other: Term) -> bool:
        """Is nothing known about an atom by itself that is not known about the other?"""
        if self.upper_bound(atom) is not None:
            return False
        return not isinstance(atom, Length) or self._atom_nonnegative(other)

    def representative(self, term: Term) -> Term:
        """The atom that stands for this one."""
        while self.equal:
            found = self.equal.get(alpha_key(term))
            if found is None:
                break
            term = found
        return term

    def canonical(self, poly: Polynomial) -> Polynomial:
        """The polynomial with one atom for all that are known to be equal."""
        if self.equal.keys().isdisjoint(poly.atoms):
            return poly
        roots = {atom: self._root(atom, term) for atom, term in poly.atoms.items()}
        result: dict[Monomial, int] = {}
        for monomial, c in poly.coefficients.items():
            renamed = tuple(sorted([roots[atom][0] for atom in monomial], key=id))
            result[renamed] = result.get(renamed, 0) + c
        return Polynomial({m: c for m, c in result.items() if c}, dict(roots.values()))

    def _root(self, atom: Hashable, term: Term) -> tuple[Hashable, Term]:
        while atom in self.equal:
            term = self.equal[atom]
            atom = alpha_key(term)
        return atom, term

    def _bad(self, poly: Polynomial) -> list[Monomial]:
        """The monomials that may be negative."""
        return [m for m, c in poly.coefficients.items() if c < 0 or not self._all_nonnegative(m, poly)]

    def _least(self, poly: Polynomial) -> tuple[Polynomial, list[Monomial]]:
        """What `poly` is at least, ranged atoms replaced by the bounds that make it smallest; what may be negative there."""
        for _ in range(8):
            bad = self._bad(poly)
            smaller = self._smaller(poly, bad)
            if smaller is None:
                return poly, bad
            poly = smaller
        return poly, self._bad(poly)

    def _smaller(self, poly: Polynomial, bad: list[Monomial]) -> Polynomial | None:
        """One atom of a negative monomial replaced by the largest that it can be; `bad` are the monomials that may be so."""
        negative = [(m, atom) for m in bad if poly.coefficients[m] < 0 for atom in m if m.count(atom) == 1]
        if len(negative) > 1:  # how far a loop goes may be said by elements and states, and not the other way round
            negative.sort(key=lambda pair: isinstance(poly.atoms[pair[1]], Get | Proj))
        limits = [(m, atom, self._limit(poly.atoms[atom])) for m, atom in negative]
        others = [limit for _, _, limit in limits if limit is not None]
        if len(others) > 1:  # of i and j < n - i first j, whose limit says of i what it takes away
            limits.sort(key=lambda found: any([_mentions(limit, found[1]) for limit in others]))
        for monomial, atom, limit in limits:
            if limit is not None and all([self._atom_nonnegative(poly.atoms[a]) for a in monomial if a is not atom]):
                single = Polynomial({monomial: poly.coefficients[monomial]}, poly.atoms)
                return poly.plus(single, -1).plus(single.replace(atom, limit))
        return None

    def _all_nonnegative(self, monomial: Monomial, poly: Polynomial) -> bool:
        return all(self._atom_nonnegative(poly.atoms[a]) for a in monomial)

    def _atom_nonnegative(self, atom: Term) -> bool:
        if isinstance(atom, Length) or self.upper_bound(atom) is not None:
            return True
        if _is_count(self.define(atom) if isinstance(atom, Var) else atom) or self._is_known(alpha_key(atom)):
            return True
        quotient = self._quotient(atom)
        if quotient is not None:
            return self._once(alpha_key(atom), lambda: not self._bad(quotient[0]) or self._is_left(quotient[0]))
        extremum = self._extremum(atom)
        if extremum is None:
            return False
        known = [isinstance(a, Length) or (isinstance(a, Const) and a.value >= 0) for a in extremum.arguments]
        return any(known) if extremum.primitive is p.maximum else all(known)

    def _is_left(self, poly: Polynomial) -> bool:
        """Is nothing negative in it if one thing that is known is taken away?"""
        facts = [self._fact(known) for known in self.known[-16:]]
        return any([_may_help(fact, poly) and not self._bad(poly.plus(fact, -1)) for fact in facts])

    def _is_known(self, atom: Hashable) -> bool:
        """Is it known to be at least a number that is not negative?"""
        for known in self.known[-16:]:
            fact = self._fact(known).coefficients
            if fact.get((atom,)) == 1 and len(fact) <= 2 and fact.keys() <= {(atom,), ()} and fact.get((), 0) <= 0:
                return True
        return False

    def upper_bound(self, atom: Term) -> Term | None:
        """A term that `atom` is below, if `atom` is known to lie in 0 … bound-1."""
        match atom:
            case Reduce(reduction, size) if reduction in (Reduction.ARGMAX, Reduction.ARGMIN):
                return size if self._positive(size, alpha_key(atom)) else None
            case Prim(primitive, (_, divisor)) if primitive is p.modulo:
                return divisor if self._positive(divisor, alpha_key(atom)) else None
            case Var():
                found = self._upper(atom)
                if found is not None:
                    return found
                definition = self.define(atom)
                return None if definition is None or isinstance(definition, Var) else self.upper_bound(definition)
            case Check(_, size):
                return size
            case _:
                return self._upper(atom)

    def _upper(self, atom: Term) -> Term | None:
        """What `upper` says, asked once while one question is answered."""
        if not self._questions:
            return self.upper(atom)
        if atom not in self._uppers:
            self._uppers[atom] = self.upper(atom)
        return self._uppers[atom]

    def _positive(self, divisor: Term, asker: Hashable) -> bool:
        """Is the divisor of a modulo provably > 0?"""
        return self._once(asker, lambda: self.nonnegative(polynomial(divisor, self.define).plus(constant(-1))))

    def _once(self, asker: Hashable, question: Callable[[], bool]) -> bool:
        """What is known may mention the quotient or remainder of which something is asked: it is not asked again for that."""
        if asker in self._asked:
            return False
        self._asked.add(asker)
        try:
            return question()
        finally:
            self._asked.discard(asker)

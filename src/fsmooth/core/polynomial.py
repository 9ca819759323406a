"""Polynomials in sizes, with rational coefficients: what `core.cost` computes with (design §5).

An indeterminate is a `Size`: an Int term that stands for itself, such as the length of an argument.  Alpha-equivalent
terms are one size, all others are different sizes.

>>> from fsmooth.core.term import Var
>>> from fsmooth.core.types import INT
>>> n = Polynomial.of(Var("n", INT))
>>> n * n + 2 * n
n² + 2·n
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import comb, prod

from fsmooth import thresholds
from fsmooth.core.alpha import Key, alpha_key
from fsmooth.core.pretty import show
from fsmooth.core.term import Get, Lam, Length, Proj, Term, Var
from fsmooth.core.traverse import size_of_tree

Number = int | Fraction

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_WIDEST = 24


class Size:
    """A size that is not known before the call.  A `Lam` is a size that depends on a loop index: its mean over the loop."""

    __slots__ = ("key", "term")

    def __init__(self, term: Term) -> None:
        self.term = term
        self.key: Key = alpha_key(term)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Size) and self.key is other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        """The text of the term if it is short, else `m`."""
        term = self.term.body if isinstance(self.term, Lam) else self.term
        if isinstance(term, Var):
            return term.name
        if size_of_tree(term) > _WIDEST:
            return "m"
        if isinstance(term, Length):
            return f"n{term.axis or ''}({show(term.array)})"
        text = show(term)
        if len(text) > _WIDEST or "\n" in text:
            return "m"
        return text if isinstance(term, Get | Proj) else f"({text})"


Monomial = tuple[Size, ...]


class Polynomial:
    """Coefficients by monomial; a monomial lists the sizes that it multiplies, in a fixed order.  Immutable."""

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[Monomial, Number]) -> None:
        """`terms` must have no coefficient 0."""
        self.terms = terms

    @staticmethod
    def of(size: Term) -> Polynomial:
        """The polynomial of one size."""
        return Polynomial({(Size(size),): 1})

    @staticmethod
    def constant(value: Number) -> Polynomial:
        """A number."""
        return Polynomial({(): value} if value else {})

    @staticmethod
    def total(parts: Iterable[Polynomial]) -> Polynomial:
        """The sum of all parts, in time linear in their sizes."""
        some = [part for part in parts if part.terms]
        if len(some) <= 1:
            return some[0] if some else NOTHING
        terms = dict(some[0].terms)
        for part in some[1:]:
            for monomial, weight in part.terms.items():
                terms[monomial] = terms.get(monomial, 0) + weight
        return Polynomial(_without_zeros(terms))

    def __add__(self, other: Polynomial | Number) -> Polynomial:
        return Polynomial.total((self, _lift(other)))

    def __sub__(self, other: Polynomial | Number) -> Polynomial:
        return Polynomial.total((self, _lift(other) * -1))

    def __mul__(self, other: Polynomial | Number) -> Polynomial:
        if not isinstance(other, Polynomial):
            return Polynomial({m: w * other for m, w in self.terms.items()} if other else {})
        result: dict[Monomial, Number] = {}
        for m1, w1 in self.terms.items():
            for m2, w2 in other.terms.items():
                monomial = tuple(sorted(m1 + m2, key=_place)) if m1 and m2 else m1 or m2
                result[monomial] = result.get(monomial, 0) + w1 * w2
        return Polynomial(_without_zeros(result))

    __radd__, __rmul__ = __add__, __mul__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Polynomial) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    @property
    def number(self) -> Number | None:
        """The value of a constant polynomial, else None."""
        if not self.terms:
            return 0
        return self.terms.get(()) if len(self.terms) == 1 else None

    @property
    def growth(self) -> int:
        """The degree."""
        return max(map(len, self.terms), default=0)

    def at(self, sizes: Mapping[Size, float] | None = None) -> float:
        """The value where each size is as given, and 1000 where nothing is given."""
        if sizes is None:
            return sum([float(w) * thresholds.TRIPS ** len(m) for m, w in self.terms.items()])
        return sum([float(w) * prod([sizes.get(s, thresholds.TRIPS) for s in m]) for m, w in self.terms.items()])

    @property
    def order(self) -> tuple[int, float]:
        """The documented order of costs: by growth first, at 1000 for every size second (design §5)."""
        return self.growth, self.at()

    def dearer(self, other: Polynomial) -> Polynomial:
        """The greater of two by `order`; self if they are equal."""
        return other if self.terms != other.terms and other.order > self.order else self

    def cheaper(self, other: Polynomial) -> Polynomial:
        """The smaller of two by `order`; self if they are equal."""
        return other if self.terms != other.terms and other.order < self.order else self

    def summed(self, index: Var, count: Polynomial) -> Polynomial:
        """The sum for index = 0 … count-1, exact in the index itself; a size that depends on it becomes its mean."""
        if not any([index in size.term.free for monomial in self.terms for size in monomial]):
            return self * count
        parts = []
        for monomial, weight in self.terms.items():
            power = sum([size.term is index for size in monomial])
            rest = tuple([_mean(size, index) for size in monomial if size.term is not index])
            parts.append(Polynomial({tuple(sorted(rest, key=_place)): weight}) * _power_sum(power, count))
        return Polynomial.total(parts)

    def where(self, index: Var, value: Polynomial) -> Polynomial:
        """The polynomial with `value` for the index; a size that depends on it otherwise becomes its mean."""
        parts = []
        for monomial, weight in self.terms.items():
            part = Polynomial(
                {tuple(sorted([_mean(s, index) for s in monomial if s.term is not index], key=_place)): weight}
            )
            for _ in range(sum([size.term is index for size in monomial])):
                part = part * value
            parts.append(part)
        return Polynomial.total(parts)

    def big_o(self) -> str:
        """The fastest growing monomials: `O(n·m)`."""
        names = _names(self)
        top = sorted([_product(m, names) for m in self.terms if len(m) == self.growth]) if self.growth else ["1"]
        text = " + ".join(top)
        return f"O{text}" if len(top) == self.growth == 1 and text.startswith("(") else f"O({text})"

    def __repr__(self) -> str:
        names = _names(self)
        text = ""
        for monomial, weight in sorted(self.terms.items(), key=lambda mw: (-len(mw[0]), _product(mw[0], names))):
            factors = [str(abs(weight))] if abs(weight) != 1 or not monomial else []
            sign = (" - " if weight < 0 else " + ") if text else ("-" if weight < 0 else "")
            text += sign + "·".join([*factors, *([_product(monomial, names)] if monomial else [])])
        return text or "0"


NOTHING = Polynomial({})


def _without_zeros(terms: dict[Monomial, Number]) -> dict[Monomial, Number]:
    return terms if all(terms.values()) else {m: w for m, w in terms.items() if w}


def _lift(value: Polynomial | Number) -> Polynomial:
    return value if isinstance(value, Polynomial) else Polynomial.constant(value)


def _place(size: Size) -> int:
    return size.key.number


def _mean(size: Size, index: Var) -> Size:
    return Size(Lam((index,), size.term)) if index in size.term.free else size


def _power_sum(power: int, count: Polynomial) -> Polynomial:
    """Sum of i**power for i = 0 … count-1, from the telescoping sum of (i+1)**(power+1) - i**(power+1)."""
    sums: list[Polynomial] = []
    raised = count
    for k in range(power + 1):
        rest = Polynomial.total([s * comb(k + 1, j) for j, s in enumerate(sums)])
        sums.append((raised - rest) * Fraction(1, k + 1))
        raised = raised * count
    return sums[power]


def _names(polynomial: Polynomial) -> dict[Size, str]:
    """A different text for every size."""
    names: dict[Size, str] = {}
    taken: set[str] = set()
    for size in sorted({s for m in polynomial.terms for s in m}, key=lambda s: (repr(s), _place(s))):
        text, suffix = repr(size), 1
        while text in taken:
            suffix += 1
            text = f"{size!r}#{suffix}"
        taken.add(text)
        names[size] = text
    return names


def _product(monomial: Monomial, names: Mapping[Size, str]) -> str:
    powers: dict[str, int] = {}
    for size in monomial:
        powers[names[size]] = powers.get(names[size], 0) + 1
    return "·".join([t + (str(k).translate(_SUPERSCRIPTS) if k > 1 else "") for t, k in sorted(powers.items())])

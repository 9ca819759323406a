"""Cost polynomials: the weight of evaluating a term once, as a polynomial in the sizes (design §5).

Weights: add, multiply, load, store 1; divide, sqrt 5; exp, log, sin 15; pow, lgamma 40; a branch costs its dearer
side; a trip count that is not built from sizes is a size of its own.

>>> from fsmooth.core import build as b
>>> from fsmooth.core.types import Array, F64
>>> v = Var("v", Array(F64))
>>> str(cost(b.sum_(Length(v), lambda i: Get(v, i))))
'2·n(v)'
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from fsmooth.core import primitives as p
from fsmooth.core.term import (
    App,
    Build,
    Check,
    Collect,
    Const,
    Delta,
    Get,
    If,
    IFold,
    Lam,
    Length,
    Let,
    Prim,
    Reduce,
    Term,
    Update,
    Var,
    Vector,
    Zero,
)
from fsmooth.core.traverse import children
from fsmooth.core.types import Array, Int

Monomial = tuple[str, ...]


@dataclass(frozen=True)
class Cost:
    """Non-negative weights by monomial; a monomial is the sorted tuple of the sizes it multiplies."""

    terms: dict[Monomial, float]

    def __add__(self, other: Cost) -> Cost:
        total = Counter(self.terms)
        for monomial, weight in other.terms.items():
            total[monomial] += weight  # type: ignore[assignment]
        return Cost(dict(total))

    def __mul__(self, other: Cost) -> Cost:
        result: dict[Monomial, float] = {}
        for m1, w1 in self.terms.items():
            for m2, w2 in other.terms.items():
                monomial = tuple(sorted(m1 + m2))
                result[monomial] = result.get(monomial, 0.0) + w1 * w2
        return Cost(result)

    def dearer(self, other: Cost) -> Cost:
        """An upper bound of both."""
        keys = self.terms.keys() | other.terms.keys()
        return Cost({k: max(self.terms.get(k, 0.0), other.terms.get(k, 0.0)) for k in keys})

    @property
    def growth(self) -> int:
        """The degree of the polynomial."""
        return max([len(m) for m, w in self.terms.items() if w], default=0)

    def at(self, size: float = 1000.0) -> float:
        """The weight where every size is `size`."""
        return sum([w * size ** len(m) for m, w in self.terms.items()])

    def cheaper_than(self, other: Cost) -> bool:
        """By growth first, then at 1000 for every size."""
        return (self.growth, self.at()) < (other.growth, other.at())

    def big_o(self) -> str:
        """The fastest growing monomials: `O(n·m)`."""
        top = [m for m, w in self.terms.items() if w and len(m) == self.growth]
        return "O(" + (" + ".join(sorted(["·".join(m) for m in top])) if self.growth else "1") + ")"

    def __str__(self) -> str:
        parts = []
        for monomial, weight in sorted(self.terms.items(), key=lambda kv: (-len(kv[0]), kv[0])):
            if weight:
                factor = "" if weight == 1 and monomial else f"{weight:g}"
                parts.append("·".join([*([factor] if factor else []), *monomial]))
        return " + ".join(parts) or "0"


_NOTHING = Cost({})


def _constant(weight: float) -> Cost:
    return Cost({(): weight}) if weight else _NOTHING


def cost(term: Term) -> Cost:
    """The cost of evaluating `term` once (of a function: of its body)."""
    return _Costs().of(term)


class _Costs:
    def __init__(self) -> None:
        self.known: dict[int, Cost] = {}
        self.definitions: dict[Var, Term] = {}

    def of(self, term: Term) -> Cost:
        found = self.known.get(id(term))
        if found is None:
            found = self.known[id(term)] = self.compute(term)
        return found

    def parts(self, term: Term) -> Cost:
        total = _NOTHING
        for child in children(term):
            total = total + self.of(child)
        return total

    def compute(self, term: Term) -> Cost:
        match term:
            case Const() | Var() | Length():
                return _NOTHING
            case Lam(_, body):
                return self.of(body)
            case App(Lam(parameters, body), arguments):
                self.definitions.update(zip(parameters, arguments, strict=True))
                return self.of(body) + self.all(arguments)
            case Let(bindings, body):
                total = _NOTHING
                for var, value in bindings:
                    self.definitions[var] = value
                    total = total + self.of(value)
                return total + self.of(body)
            case Prim(primitive):
                own = 0.0 if isinstance(term.type, Int) else float(primitive.weight)
                return _constant(own) + self.parts(term)
            case Get():
                return _constant(0.0 if isinstance(term.type, Array) else 1.0) + self.parts(term)
            case Build(size, _, body):
                return self.size(size) * (self.of(body) + self.store(body))
            case Reduce(_, size, _, body):
                return self.size(size) * (self.of(body) + _constant(1.0))
            case IFold(size, init, _, _, body):
                return self.of(init) + self.size(size) * self.of(body)
            case Collect(count, generators, guard, body):
                trips = _constant(1.0)
                for size, _ in generators:
                    trips = trips * self.size(size)
                return self.of(count) + trips * (self.of(guard) + self.of(body) + self.store(body))
            case If(condition, then, otherwise):
                return self.of(condition) + self.of(then).dearer(self.of(otherwise))
            case Vector(items):
                return self.all(items) + _constant(float(len(items)) if not isinstance(items[0].type, Array) else 0.0)
            case Zero(sizes):
                total = _constant(1.0 if sizes else 0.0)
                for size in sizes:
                    total = total * self.size(size)
                return total
            case Delta(size, _, value):
                return self.size(size) + self.of(value)
            case Update() | Check():
                return _constant(1.0) + self.parts(term)
            case _:
                return self.parts(term)

    def all(self, terms: tuple[Term, ...]) -> Cost:
        total = _NOTHING
        for term in terms:
            total = total + self.of(term)
        return total

    def store(self, body: Term) -> Cost:
        return _constant(0.0 if isinstance(body.type, Array) else 1.0)

    def size(self, size: Term) -> Cost:
        """A size as a polynomial in named sizes."""
        match size:
            case Const(value):
                return _constant(max(float(value), 0.0))
            case Length(Var() as array, axis):
                return Cost({(f"n({array.name})" if axis == 0 else f"n{axis}({array.name})",): 1.0})
            case Var() if size in self.definitions:
                return self.size(self.definitions[size])
            case Var():
                return Cost({(size.name,): 1.0})
            case Prim(primitive, (a, b)) if primitive is p.multiply:
                return self.size(a) * self.size(b)
            case Prim(primitive, (a, b)) if primitive is p.add:
                return self.size(a) + self.size(b)
            case Prim(primitive, (a, Const())) if primitive in (p.subtract, p.floor_divide):
                return self.size(a)
            case _:
                text = repr(size)
                return Cost({(text if len(text) <= 24 else "m",): 1.0})

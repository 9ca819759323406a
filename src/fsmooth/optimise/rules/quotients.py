"""Products and quotients of real numbers (paper 000, Fig. 8b: the field behind the ring).

None of these is exact in floating point, so they are for the schedule of real numbers.  With them the gradient of a
matrix factorisation loses its inner divisions: the sum over j of v[j] / (u v[j]) - v[j] (A[j] / (u v[j])) / (u v[j]) becomes
n / u - (the sum of A[j] / v[j]) / (u u).
"""

from __future__ import annotations

from collections.abc import Iterable

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.build import number
from fsmooth.core.term import Prim, Reduce, Reduction, Term, Var
from fsmooth.core.types import Float, Type
from fsmooth.optimise.rules.totality import cannot_fail, runs
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import rule


@rule(
    "x / y / z ~> x / (y * z);  x / (y / z) ~> x * z / y;  x * (y / z) ~> x * y / z;  y / z * x ~> y * x / z",
    source="000, Fig. 8b",
    heads=Prim,
    real=True,
    on=(p.multiply, p.divide),
)
def single_fraction(t: Term, facts: Facts) -> Term | None:
    """A product of quotients as one quotient of products."""
    match t:
        case Prim(outer, (Prim(inner, (x, y)), z)) if outer is p.divide and inner is p.divide:
            return _over(x, Prim(p.multiply, (y, z)))
        case Prim(outer, (x, Prim(inner, (y, z)))) if outer is p.divide and inner is p.divide:
            return _over(Prim(p.multiply, (x, z)), y)
        case Prim(outer, (x, Prim(inner, (y, z)))) if outer is p.multiply and inner is p.divide:
            return _over(Prim(p.multiply, (x, y)), z)
        case Prim(outer, (Prim(inner, (y, z)), x)) if outer is p.multiply and inner is p.divide:
            return _over(Prim(p.multiply, (y, x)), z)
    return None


@rule(
    "x * y / (x * z) ~> y / z;  x / (x * z) ~> 1.0 / z;  x * y / x ~> y",
    source="000, Fig. 8b",
    heads=Prim,
    real=True,
    on=(p.divide,),
)
def cancel_factor(t: Term, facts: Facts) -> Term | None:
    """Not where x is 0, infinite or NaN.  Factors are found through the names of products."""
    match t:
        case Prim(primitive, (above, below)) if primitive is p.divide:
            upper, lower = _factors(above, facts), _factors(below, facts)
            if len(upper) + len(lower) > thresholds.FACTORS:
                return None
            for j, x in enumerate(upper):
                for k, y in enumerate(lower):
                    if alpha_equal(x, y):
                        return _quotient(upper[:j] + upper[j + 1 :], lower[:k] + lower[k + 1 :], t.type)
    return None


@rule(
    "(y / (x * z) + z / (x * y)) * x ~> y / z + z / y;  x * (y / (x * z) - z / (x * y)) ~> y / z - z / y",
    source="000, Fig. 8b",
    heads=Prim,
    real=True,
    on=(p.multiply,),
)
def distribute_to_cancel(t: Term, facts: Facts) -> Term | None:
    """Only a factor that divides both fractions, so that it vanishes from both."""
    match t:
        case Prim(_, (a, b)):
            for total, factor in ((a, b), (b, a)):
                if isinstance(total, Prim) and total.primitive in (p.add, p.subtract):
                    parts = [_without_divisor(x, factor, facts) for x in total.arguments]
                    if all([x is not None for x in parts]):
                        return Prim(total.primitive, tuple([x for x in parts if x is not None]))
    return None


def _without_divisor(fraction: Term, factor: Term, facts: Facts) -> Term | None:
    """The fraction times a factor of its divisor; None if it is none."""
    if not isinstance(fraction, Prim) or fraction.primitive is not p.divide:
        return None
    above, below = fraction.arguments
    lower = _factors(below, facts)
    for k, y in enumerate(lower):
        if facts.same(factor, y):
            rest = lower[:k] + lower[k + 1 :]
            return Prim(p.divide, (above, _product(rest, fraction.type))) if rest else above
    return None


@rule(
    "examples: sum n (fun i -> x + e i) ~> to_float n * x + sum n (fun i -> e i), and with differences",
    source="000, Fig. 8b",
    heads=Reduce,
    real=True,
)
def sum_of_invariant(t: Term, facts: Facts) -> Term | None:
    """A summand that does not depend on the index, n times; n is a size, and not negative."""
    match t:
        case Reduce(Reduction.SUM, size, index, Prim(primitive, (a, b))) if (
            t.type == Float(64) and primitive in (p.add, p.subtract) and (index not in a.free or index not in b.free)
        ):
            steady = [x for x in (a, b) if index not in x.free]
            if not facts.truth(Prim(p.less_equal, (number(0, size.type), size))) or not _may_leave(steady, size, facts):
                return None
            parts = [
                Prim(p.multiply, (Prim(p.to_float, (size,)), x))
                if index not in x.free
                else Reduce(Reduction.SUM, size, index, x)
                for x in (a, b)
            ]
            return Prim(primitive, tuple(parts))
    return None


@rule(
    "sum n (fun i -> x * e i) ~> x * sum n (fun i -> e i) where x is total;  "
    "sum n (fun i -> e i / x) ~> sum n (fun i -> e i) / x where x is total;  "
    "sum n (fun i -> e i / (x * a i)) ~> sum n (fun i -> e i / a i) / x where x is total",
    source="000, Fig. 8b",
    heads=Reduce,
    real=True,
)
def factor_out_of_sum(t: Term, facts: Facts) -> Term | None:
    """Factors and divisors that do not depend on the index."""
    match t:
        case Reduce(Reduction.SUM, size, index, Prim(primitive, (a, b)) as body) if isinstance(
            t.type, Float
        ) and primitive in (p.multiply, p.divide):
            upper = _factors(a if primitive is p.divide else body, facts)
            lower = _factors(b, facts) if primitive is p.divide else []
            if len(upper) + len(lower) > thresholds.FACTORS:
                return None
            outside = [[x for x in part if index not in x.free] for part in (upper, lower)]
            inside = [[x for x in part if index in x.free] for part in (upper, lower)]
            if not any(outside) or not any(inside) or not _may_leave([*outside[0], *outside[1]], size, facts):
                return None
            summand = _quotient(inside[0], inside[1], t.type)
            total = Reduce(Reduction.SUM, size, index, summand)
            above = Prim(p.multiply, (_product(outside[0], t.type), total)) if outside[0] else total
            return _over(above, _product(outside[1], t.type)) if outside[1] else above
    return None


def _may_leave(terms: list[Term], size: Term, facts: Facts) -> bool:
    """May these be evaluated though the loop over `size` does not run?"""
    return runs(size, facts) or all([cannot_fail(x, facts) for x in terms])


def _factors(term: Term, facts: Facts) -> list[Term]:
    """The factors of a product, also of one that has a name."""
    found: list[Term] = []
    pending = [term]
    while pending:
        x = pending.pop()
        whole = facts.definition(x) if isinstance(x, Var) else x
        if (
            isinstance(whole, Prim)
            and whole.primitive is p.multiply
            and len(found) + len(pending) <= thresholds.FACTORS
        ):
            pending.extend(reversed(whole.arguments))
        else:
            found.append(x)
    return found


def _product(factors: Iterable[Term], type_: Type) -> Term:
    result: Term | None = None
    for x in factors:
        result = x if result is None else Prim(p.multiply, (result, x))
    return number(1, type_) if result is None else result


def _quotient(upper: list[Term], lower: list[Term], type_: Type) -> Term:
    return _over(_product(upper, type_), _product(lower, type_)) if lower else _product(upper, type_)


def _over(above: Term, below: Term) -> Term:
    return Prim(p.divide, (above, below))

"""The derivative of every primitive, one row each.

A row sees the arguments, the *result* (exp, tanh, 1/x reuse it) and the tangents of the arguments, and gives
the tangent of the result.  Tangents obey the laws of the structural zero at construction, so what does not
depend on an active argument is never emitted.

Conventions where there is no derivative: sign, floor and ceil have derivative 0 everywhere, |x| has sign(x)
(0 at 0), hypot and atan2 have 0 at the origin, min and max take that of the argument that is the result (the first at a
tie, the first NaN); d(x**y)/dy is 0 at x = 0 and d(x**y)/dx is 0 at y = 0; fmod(x, y) is x - n * y with a constant n.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from fsmooth.core import primitives as p
from fsmooth.core.build import bind, both
from fsmooth.core.primitives import Primitive
from fsmooth.core.term import Const, Field, If, Inject, Null, Prim, Tag, Taped, Term, Zero, scalar_constant
from fsmooth.core.types import Float, Type

Row = Callable[[tuple[Term, ...], Term, tuple[Term, ...]], Term]


class NoDerivative(ValueError):
    """A primitive that has no derivative rule was differentiated."""


class OfSaved(NoDerivative):
    """A derivative is wanted of what calls save for another one: that has to be made without."""


def underived(term: Term, kind: str = "derivative") -> NoDerivative:
    """What to say of a construct that has no derivative of a kind."""
    if isinstance(term, Taped):
        hint = "fs.hvp and fs.hessian run a tape over forward mode; or make the inner derivative without a tape"
        return NoDerivative(f"a derivative by a tape has no {kind}\n  hint: {hint}")
    if isinstance(term, Inject | Field | Tag | Null):
        return NoDerivative(f"no {kind} of nodes that a program makes")
    return NoDerivative(f"no {kind} of {type(term).__name__}")


# -- tangent arithmetic: the exact laws of zero ----------------------------------------------------------------------


def plus(a: Term, b: Term) -> Term:
    """A + b, where zero + b is b."""
    return b if isinstance(a, Zero) else a if isinstance(b, Zero) else Prim(p.add, (a, b))


def minus(a: Term, b: Term) -> Term:
    """A - b, where a - zero is a."""
    return a if isinstance(b, Zero) else negative(b) if isinstance(a, Zero) else Prim(p.subtract, (a, b))


def negative(a: Term) -> Term:
    """-a, where -zero is zero."""
    return a if isinstance(a, Zero) else Prim(p.negate, (a,))


def scaled(tangent: Term, by: Callable[[], Term]) -> Term:
    """Tangent * by, where zero * e is zero and e is not even built."""
    if isinstance(tangent, Zero):
        return tangent
    return Prim(p.multiply, (tangent, by()))


def divided(tangent: Term, by: Term) -> Term:
    """Tangent / by, where zero / e is zero."""
    return tangent if isinstance(tangent, Zero) else Prim(p.divide, (tangent, by))


def _n(value: float, like: Term) -> Term:
    return scalar_constant(value, like.type)


def _f(primitive: Primitive, *arguments: Term) -> Term:
    return Prim(primitive, arguments)


# -- rows --------------------------------------------------------------------------------------------------------------


def _unary(coefficient: Callable[[Term, Term], Term]) -> Row:
    return lambda x, r, t: scaled(t[0], lambda: coefficient(x[0], r))


def _nothing(x: tuple[Term, ...], r: Term, t: tuple[Term, ...]) -> Term:
    assert isinstance(r.type, Float)
    return Zero((), r.type)


def _multiply(x: tuple[Term, ...], r: Term, t: tuple[Term, ...]) -> Term:
    return plus(scaled(t[0], lambda: x[1]), scaled(t[1], lambda: x[0]))


def _divide(x: tuple[Term, ...], r: Term, t: tuple[Term, ...]) -> Term:
    return divided(minus(t[0], scaled(t[1], lambda: r)), x[1])


def _fmod(x: tuple[Term, ...], r: Term, t: tuple[Term, ...]) -> Term:
    """The result is x - n * y exactly; n is (x - result) / y, rounded because that division is."""

    def quotient() -> Term:
        near = _f(p.divide, _f(p.subtract, x[0], r), x[1])
        return _f(p.floor, _f(p.add, near, _n(0.5, r)))

    return minus(t[0], scaled(t[1], quotient))


def _power(x: tuple[Term, ...], r: Term, t: tuple[Term, ...]) -> Term:
    """A constant exponent emits no logarithm, and its power 0 has no tangent at all: x**0 is 1, whatever x is."""
    base, exponent = x
    zero, one = _n(0.0, base), _n(1.0, base)
    if isinstance(exponent, Const):
        return _constant_power(base, exponent, t[0])

    def by_base() -> Term:
        slope = _f(p.multiply, exponent, _f(p.power, base, _f(p.subtract, exponent, one)))
        return _finite_if(_f(p.equal, exponent, zero), slope)

    def by_exponent() -> Term:
        return _f(p.select, _f(p.equal, base, zero), zero, _f(p.multiply, r, _f(p.log, base)))

    if isinstance(t[0], Zero) or isinstance(t[1], Zero):
        return plus(scaled(t[0], by_base), scaled(t[1], by_exponent))
    return plus(_unless_zero(t[0], by_base()), _unless_zero(t[1], by_exponent()))


def _constant_power(base: Term, exponent: Const, tangent: Term) -> Term:
    match exponent.value:
        case 0.0:
            return Zero((), base.type)
        case 1.0:
            return tangent
        case 2.0:
            return scaled(tangent, lambda: _f(p.multiply, exponent, base))
        case value:
            lowered = _n(value - 1.0, base)
            return scaled(tangent, lambda: _f(p.multiply, exponent, _f(p.power, base, lowered)))


def _unless_zero(tangent: Term, by: Term) -> Term:
    """Tangent * by, where a tangent that is 0 at run time gives 0 even if `by` is infinite or NaN."""
    return bind(tangent, lambda t: _f(p.multiply, t, _finite_if(_f(p.equal, t, _n(0.0, t)), by)))


def _finite_if(condition: Term, value: Term) -> Term:
    """`value`, or 0 where `condition` holds and it is infinite or NaN.

    Where it is finite it is what it was, so that its own derivative is right where `condition` holds too.
    """

    def chosen(v: Term) -> Term:
        undefined = _f(p.is_nan, _f(p.subtract, v, v))
        return _f(p.select, condition, _f(p.select, undefined, _n(0.0, v), v), v)

    return bind(value, chosen)


def _atan2(x: tuple[Term, ...], r: Term, t: tuple[Term, ...]) -> Term:
    """By the hypotenuse twice, since its square may overflow or underflow; 0 at the origin, as for hypot."""
    length, zero = _f(p.hypot, x[0], x[1]), _n(0.0, r)

    def share(a: Term) -> Callable[[], Term]:
        slope = _f(p.divide, _f(p.divide, a, length), length)
        return lambda: _f(p.select, _f(p.equal, length, zero), zero, slope)

    return minus(scaled(t[0], share(x[1])), scaled(t[1], share(x[0])))


def _hypot(x: tuple[Term, ...], r: Term, t: tuple[Term, ...]) -> Term:
    def share(a: Term) -> Callable[[], Term]:
        return lambda: _f(p.select, _f(p.equal, r, _n(0.0, r)), _n(0.0, r), _f(p.divide, a, r))

    return plus(scaled(t[0], share(x[0])), scaled(t[1], share(x[1])))


def _extremum(first_wins: Primitive, second_wins: Primitive) -> Row:
    """The tangent of the argument that is the result: the first of equal ones, the first NaN."""

    def row(x: tuple[Term, ...], r: Term, t: tuple[Term, ...]) -> Term:
        if isinstance(t[0], Zero) and isinstance(t[1], Zero):
            return t[0]
        if _is_number(x[1]):
            return If(_f(second_wins, x[1], x[0]), t[1], t[0])
        second: Term = _f(p.logical_not, _f(first_wins, x[0], x[1]))
        if not _is_number(x[0]):
            # of -x: a program's own question is of x, and says that numbers may be none (optimise/infinite.py)
            second = both(second, _f(p.logical_not, _f(p.is_nan, _f(p.negate, x[0]))))
        return If(second, t[1], t[0])

    return row


def _is_number(x: Term) -> bool:
    """A constant that is not NaN."""
    return isinstance(x, Const) and x.value == x.value


def _select(x: tuple[Term, ...], r: Term, t: tuple[Term, ...]) -> Term:
    if isinstance(t[1], Zero) and isinstance(t[2], Zero):
        return t[1]
    return If(x[0], t[1], t[2])


def _convert(target: Type) -> Row:
    def row(x: tuple[Term, ...], r: Term, t: tuple[Term, ...]) -> Term:
        assert isinstance(target, Float)
        if isinstance(t[0], Zero) or not isinstance(x[0].type, Float):
            return Zero((), target)
        return _f(p.conversion_to(target), t[0])

    return row


def _missing(name: str) -> Row:
    def row(x: tuple[Term, ...], r: Term, t: tuple[Term, ...]) -> Term:
        raise NoDerivative(f"{name} has no derivative here")

    return row


def _one_minus_square(x: Term) -> Term:
    one = _n(1.0, x)
    return _f(p.multiply, _f(p.subtract, one, x), _f(p.add, one, x))


def _inverse_root(x: Term) -> Term:
    return _f(p.divide, _n(1.0, x), _f(p.sqrt, _one_minus_square(x)))


def _gauss(x: Term) -> Term:
    return _f(p.multiply, _n(2.0 / math.sqrt(math.pi), x), _f(p.exp, _f(p.negate, _f(p.multiply, x, x))))


ROWS: dict[Primitive, Row] = {
    p.add: lambda x, r, t: plus(t[0], t[1]),
    p.subtract: lambda x, r, t: minus(t[0], t[1]),
    p.multiply: _multiply,
    p.divide: _divide,
    p.fmod: _fmod,
    p.power: _power,
    p.negate: lambda x, r, t: negative(t[0]),
    p.absolute: _unary(lambda x, r: _f(p.sign, x)),
    p.sign: _nothing,
    **dict.fromkeys(p.UNFOLLOWED, _nothing),
    p.floor: _nothing,
    p.ceil: _nothing,
    p.minimum: _extremum(p.less_equal, p.less),
    p.maximum: _extremum(p.greater_equal, p.greater),
    p.sqrt: _unary(lambda x, r: _f(p.divide, _n(0.5, x), r)),
    p.sin: _unary(lambda x, r: _f(p.cos, x)),
    p.cos: _unary(lambda x, r: _f(p.negate, _f(p.sin, x))),
    p.tan: _unary(lambda x, r: _f(p.add, _n(1.0, x), _f(p.multiply, r, r))),
    p.asin: _unary(lambda x, r: _inverse_root(x)),
    p.acos: _unary(lambda x, r: _f(p.negate, _inverse_root(x))),
    p.atan: _unary(lambda x, r: _f(p.divide, _n(1.0, x), _f(p.add, _n(1.0, x), _f(p.multiply, x, x)))),
    p.atan2: _atan2,
    p.sinh: _unary(lambda x, r: _f(p.cosh, x)),
    p.cosh: _unary(lambda x, r: _f(p.sinh, x)),
    p.tanh: _unary(lambda x, r: _one_minus_square(r)),
    p.exp: _unary(lambda x, r: r),
    p.expm1: _unary(lambda x, r: _f(p.add, r, _n(1.0, x))),
    p.exp2: _unary(lambda x, r: _f(p.multiply, r, _n(math.log(2.0), x))),
    p.log: lambda x, r, t: divided(t[0], x[0]),
    p.log2: lambda x, r, t: divided(t[0], _f(p.multiply, x[0], _n(math.log(2.0), x[0]))),
    p.log10: lambda x, r, t: divided(t[0], _f(p.multiply, x[0], _n(math.log(10.0), x[0]))),
    p.cbrt: _unary(lambda x, r: _f(p.divide, _n(1.0 / 3.0, x), _f(p.multiply, r, r))),
    p.log1p: lambda x, r, t: divided(t[0], _f(p.add, _n(1.0, x[0]), x[0])),
    p.hypot: _hypot,
    p.erf: _unary(lambda x, r: _gauss(x)),
    p.erfc: _unary(lambda x, r: _f(p.negate, _gauss(x))),
    p.lgamma: _unary(lambda x, r: _f(p.digamma, x)),
    p.digamma: _unary(lambda x, r: _f(p.trigamma, x)),
    p.trigamma: _missing("trigamma (the second derivative of digamma)"),
    p.sigmoid: _unary(lambda x, r: _f(p.multiply, r, _f(p.subtract, _n(1.0, x), r))),
    p.select: _select,
    p.to_float: lambda x, r, t: _convert(r.type)(x, r, t),
    p.to_float32: lambda x, r, t: _convert(r.type)(x, r, t),
}

CONSTANT = frozenset(primitive for primitive, row in ROWS.items() if row is _nothing)
"""Steps, which are constant but for jumps, and what is not to be differentiated: nothing flows through them."""

RESULT_IS_REUSED = frozenset(
    {p.divide, p.fmod, p.sqrt, p.tan, p.tanh, p.exp, p.expm1, p.exp2, p.cbrt, p.sigmoid, p.power, p.hypot}
)

"""Ring-structure rules (paper 000, Fig. 8b) and folding of constants.

On Int every law is exact.  On reals, those that -0.0, NaN or infinity would break are marked `real`.
The structural zero obeys all of them exactly (rules/sparsity.py).
"""

from __future__ import annotations

from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.term import Const, Prim, Term, Zero, scalar_constant
from fsmooth.core.types import Float, Int
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import rule

_INEXACT = frozenset({"to_float32"})


def is_number(t: Term, value: float) -> bool:
    """Is the term the constant `value`?"""
    return isinstance(t, Const) and not isinstance(t.value, bool) and t.value == value


@rule("examples: op c d ~> the constant op(c, d)", source="000, §3 (partial evaluation)", heads=Prim)
def fold_constants(t: Term, facts: Facts) -> Term | None:
    """All arguments constant.  Single precision is folded only where the result is exact in both widths."""
    match t:
        case Prim(primitive, arguments) if all([isinstance(a, Const) for a in arguments]):
            if any([isinstance(a.type, Float) and a.type.width == 32 for a in arguments]):
                return None
            if primitive.name in _INEXACT:
                return None
            value = primitive.evaluate(*[a.value for a in arguments if isinstance(a, Const)])
            return scalar_constant(value, t.type)
    return None


@rule("n + 0 ~> n;  0 + n ~> n;  n - 0 ~> n", source="000, Fig. 8b", heads=Prim, on=(p.add, p.subtract))
def add_zero_integer(t: Term, facts: Facts) -> Term | None:
    """On Int, where it is exact; and e - 0 ~> e."""
    match t:
        case Prim(primitive, (a, b)) if isinstance(t.type, Int):
            if primitive is p.add:
                return b if is_number(a, 0) else a if is_number(b, 0) else None
            if primitive is p.subtract and is_number(b, 0):
                return a
    return None


@rule(
    "x + 0.0 ~> x;  0.0 + x ~> x;  x - 0.0 ~> x", source="000, Fig. 8b", heads=Prim, on=(p.add, p.subtract), real=True
)
def add_zero(t: Term, facts: Facts) -> Term | None:
    """Not exact at e = -0.0.  e - 0.0 ~> e is exact."""
    match t:
        case Prim(primitive, (a, b)) if isinstance(t.type, Float) and primitive is p.add:
            return b if is_number(a, 0) else a if is_number(b, 0) else None
        case Prim(primitive, (a, b)) if isinstance(t.type, Float) and primitive is p.subtract and is_number(b, 0):
            return a
    return None


@rule(
    "x * 1.0 ~> x;  1.0 * x ~> x;  x / 1.0 ~> x;  n * 1 ~> n;  1 * n ~> n",
    source="000, Fig. 8b",
    heads=Prim,
    on=(p.multiply, p.divide),
)
def multiply_one(t: Term, facts: Facts) -> Term | None:
    """Exact in IEEE arithmetic."""
    match t:
        case Prim(primitive, (a, b)) if primitive is p.multiply:
            return b if is_number(a, 1) else a if is_number(b, 1) else None
        case Prim(primitive, (a, b)) if primitive is p.divide and is_number(b, 1):
            return a
    return None


@rule("n * 0 ~> 0;  0 * n ~> 0", source="000, Fig. 8b", heads=Prim, on=(p.multiply,))
def multiply_zero_integer(t: Term, facts: Facts) -> Term | None:
    """On Int, where it is exact."""
    match t:
        case Prim(primitive, (a, b)) if primitive is p.multiply and isinstance(t.type, Int):
            return Const(0) if is_number(a, 0) or is_number(b, 0) else None
    return None


@rule("x * 0.0 ~> 0.0;  0.0 * x ~> 0.0", source="000, Fig. 8b", heads=Prim, on=(p.multiply,), real=True)
def multiply_zero(t: Term, facts: Facts) -> Term | None:
    """Not exact for infinite, NaN or negative e."""
    match t:
        case Prim(primitive, (a, b)) if primitive is p.multiply and isinstance(t.type, Float):
            return scalar_constant(0.0, t.type) if is_number(a, 0) or is_number(b, 0) else None
    return None


@rule("x + -x ~> 0.0;  x - x ~> 0.0", source="000, Fig. 8b", heads=Prim, on=(p.add, p.subtract), real=True)
def cancel(t: Term, facts: Facts) -> Term | None:
    """Not exact for infinite or NaN e."""
    match t:
        case Prim(primitive, (a, b)) if primitive is p.subtract and alpha_equal(a, b):
            return scalar_constant(0, t.type)
        case Prim(primitive, (a, Prim(inner, (b,)))) if primitive is p.add and inner is p.negate and alpha_equal(a, b):
            return scalar_constant(0, t.type)
    return None


@rule(
    "x * y + x * z ~> x * (y + z);  "
    "y * x + x * z ~> x * (y + z);  "
    "x * y + z * x ~> x * (y + z);  "
    "y * x + z * x ~> x * (y + z)",
    source="000, Fig. 8b",
    heads=Prim,
    on=(p.add,),
    real=True,
)
def factor(t: Term, facts: Facts) -> Term | None:
    """Rounds differently, and differs where b or c is infinite."""
    match t:
        case Prim(outer, (Prim(left, (a, b)), Prim(right, (c, d)))) if (
            outer is p.add and left is p.multiply and right is p.multiply
        ):
            for x, y in ((a, b), (b, a)):
                for u, v in ((c, d), (d, c)):
                    if alpha_equal(x, u):
                        return Prim(p.multiply, (x, Prim(p.add, (y, v))))
    return None


@rule(
    "-(-x) ~> x;  x + -y ~> x - y;  x - -y ~> x + y;  -x + y ~> y - x",
    source="fsmooth",
    heads=Prim,
    on=(p.negate, p.add, p.subtract),
)
def signs(t: Term, facts: Facts) -> Term | None:
    """Exact in IEEE arithmetic."""
    match t:
        case Prim(outer, (Prim(inner, (a,)),)) if outer is p.negate and inner is p.negate:
            return a
        case Prim(outer, (a, Prim(inner, (b,)))) if inner is p.negate and outer in (p.add, p.subtract):
            return Prim(p.subtract if outer is p.add else p.add, (a, b))
        case Prim(outer, (Prim(inner, (a,)), b)) if inner is p.negate and outer is p.add:
            return Prim(p.subtract, (b, a))
    return None


@rule(
    "x * -y ~> -(x * y);  "
    "-x * y ~> -(x * y);  "
    "-x / y ~> -(x / y);  "
    "x / -y ~> -(x / y);  "
    "x * -1.0 ~> -x;  "
    "-1.0 * x ~> -x;  "
    "x / -1.0 ~> -x;  "
    "2.0 * -x ~> -2.0 * x;  "
    "-x / 2.0 ~> x / -2.0",
    source="fsmooth",
    heads=Prim,
    on=(p.multiply, p.divide),
)
def sign_out(t: Term, facts: Facts) -> Term | None:
    """Exact in IEEE arithmetic; constants take the sign in."""
    match t:
        case Prim(outer, (a, b)) if outer in (p.multiply, p.divide) and isinstance(t.type, Float):
            match a, b:
                case Const(value), Prim(inner, (x,)) if inner is p.negate:
                    return Prim(outer, (scalar_constant(-value, t.type), x))
                case Prim(inner, (x,)), Const(value) if inner is p.negate:
                    return Prim(outer, (x, scalar_constant(-value, t.type)))
                case Prim(inner, (x,)), _ if inner is p.negate:
                    return Prim(p.negate, (Prim(outer, (x, b)),))
                case _, Prim(inner, (x,)) if inner is p.negate:
                    return Prim(p.negate, (Prim(outer, (a, x)),))
                case Const(-1.0), _ if outer is p.multiply:
                    return Prim(p.negate, (b,))
                case _, Const(-1.0):
                    return Prim(p.negate, (a,))
    return None


@rule(
    "n + 2 + 3 ~> n + 5;  "
    "n + 2 - 3 ~> n - 1;  "
    "n - 2 + 2 ~> n;  "
    "n - n ~> 0;  "
    "m + n - m ~> n;  "
    "m + n - n ~> m;  "
    "m - n + n ~> m;  "
    "m - (m - n) ~> n;  "
    "2 + n ~> n + 2;  "
    "to_int n ~> n;  "
    "to_float x ~> x",
    source="fsmooth",
    heads=Prim,
    on=(p.add, p.subtract, p.to_int, p.to_float, p.to_float32),
)
def integer_arithmetic(t: Term, facts: Facts) -> Term | None:
    """Sums and differences of integers in which something cancels or constants meet."""
    match t:
        case Prim(outer, (Prim(inner, (a, Const() as c)), Const() as d)) if (
            isinstance(t.type, Int) and outer in (p.add, p.subtract) and inner in (p.add, p.subtract)
        ):
            total = (c.value if inner is p.add else -c.value) + (d.value if outer is p.add else -d.value)
            if total == 0:
                return a
            if abs(total) >= 2**63:
                return None
            if total > 0:
                return Prim(p.add, (a, Const(int(total))))
            return Prim(p.subtract, (a, Const(int(-total))))
        case Prim(outer, (a, b)) if isinstance(t.type, Int) and outer is p.subtract and alpha_equal(a, b):
            return Const(0)
        case Prim(outer, (Prim(inner, (a, b)), c)) if (
            isinstance(t.type, Int) and outer is p.subtract and inner is p.add
        ):
            return b if alpha_equal(a, c) else a if alpha_equal(b, c) else None
        case Prim(outer, (Prim(inner, (a, b)), c)) if (
            isinstance(t.type, Int) and outer is p.add and inner is p.subtract and alpha_equal(b, c)
        ):
            return a
        case Prim(outer, (a, Prim(inner, (b, c)))) if (
            isinstance(t.type, Int) and outer is p.subtract and inner is p.subtract and alpha_equal(a, b)
        ):
            return c
        case Prim(outer, (Const() as c, a)) if isinstance(t.type, Int) and outer is p.add and not isinstance(a, Const):
            return Prim(p.add, (a, c))
        case Prim(outer, (a,)) if outer is p.to_int and isinstance(a.type, Int):
            return a
        case Prim(outer, (a,)) if outer in (p.to_float, p.to_float32) and a.type == t.type:
            return a
    return None


@rule("zero + x ~> 0.0 + x;  maximum x zero ~> maximum x 0.0", source="fsmooth", heads=Prim)
def zero_as_number(t: Term, facts: Facts) -> Term | None:
    """Where no law on the structural zero applies it is the number 0 (used after rules/sparsity.py)."""
    match t:
        case Prim(primitive, arguments) if any([isinstance(a, Zero) for a in arguments]):
            new = [scalar_constant(0, a.leaf) if isinstance(a, Zero) else a for a in arguments]
            return Prim(primitive, tuple(new))
    return None

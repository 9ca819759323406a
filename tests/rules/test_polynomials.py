"""Integer terms as polynomials (rewrite/linear.py): through definitions, each of which is read once."""

from __future__ import annotations

from fsmooth.core import primitives as p
from fsmooth.core.build import minus, plus, prim, times
from fsmooth.core.term import Check, Const, Term, Var
from fsmooth.core.types import INT
from fsmooth.rewrite.linear import polynomial
from tests.calls import calls_of

I, N = Var("i", INT), Var("n", INT)


def test_equal_terms_have_equal_polynomials() -> None:
    left = times(plus(I, Const(2)), minus(N, I))
    right = plus(minus(times(I, N), times(I, I)), times(Const(2), minus(N, I)))
    assert polynomial(left).plus(polynomial(right), -1).is_zero()
    assert not polynomial(left).plus(polynomial(plus(right, Const(1))), -1).is_zero()
    assert polynomial(Check(I, N)).plus(polynomial(I), -1).is_zero()


def test_definitions_that_double_are_read_once() -> None:
    """q1 = i + i, q2 = q1 + q1, …"""

    def doubled(times_: int) -> tuple[Term, dict[Var, Term]]:
        definitions: dict[Var, Term] = {}
        last = I
        for k in range(times_):
            var = Var(f"q{k}", INT)
            definitions[var] = prim(p.add, last, last)
            last = var
        return last, definitions

    few, many = doubled(10), doubled(20)
    assert list(polynomial(few[0], few[1].get).coefficients.values()) == [2**10]
    assert list(polynomial(many[0], many[1].get).coefficients.values()) == [2**20]
    work = [calls_of(lambda q=q: polynomial(q[0], q[1].get)) for q in (few, many)]
    assert work[1] < 2.2 * work[0]

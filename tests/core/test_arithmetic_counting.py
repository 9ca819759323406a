"""Counted work is the design's: add, multiply, load, store 1; divide 5; exp 15; indices free."""

from __future__ import annotations

import pytest

from fsmooth.core import build as b
from fsmooth.core import primitives as p
from fsmooth.core.arithmetic import Counting
from fsmooth.core.evaluate import evaluate
from fsmooth.core.term import Const, Delta, Get, If, Length, Reduce, Reduction, Term, Update, Var, Vector, Zero
from fsmooth.core.types import F64, INT, Array
from fsmooth.core.values import value_of

u, A = Var("u", Array(F64)), Var("A", Array(Array(F64)))
x, i = Var("x", F64), Var("i", INT)


@pytest.mark.parametrize(
    ("term", "operations", "loads", "stores"),
    [
        (b.sum_(Length(u), lambda k: b.times(Get(u, k), Get(u, k))), 4 + 3, 8, 0),
        (b.build(Length(u), lambda k: b.prim(p.exp, Get(u, k))), 4 * 15, 4, 4),
        (b.build(Length(A), lambda k: b.build(Length(A, 1), lambda j: b.get(A, k, j))), 0, 6, 6),
        (Reduce(Reduction.PRODUCT, Length(u), i, Get(u, i)), 4, 4, 0),
        (b.prim(p.divide, x, x), 5, 0, 0),
        (If(b.prim(p.less, x, Const(1.0)), b.prim(p.exp, x), b.prim(p.sin, b.prim(p.sin, x))), 1 + 30, 0, 0),
        (Get(u, b.plus(b.times(Length(u), Const(1)), Const(-1))), 0, 1, 0),
        (Update(u, Const(0), b.times(x, x)), 1, 0, 1),
        (Zero((Const(3), Const(2))), 0, 0, 6),
        (Delta(Const(3), Const(1), x), 0, 0, 3),
        (Vector((x, x)), 0, 0, 2),
        (b.sum_(Const(3), lambda k: k), 0, 0, 0),
    ],
    ids=repr,
)
def test_counts(term: Term, operations: int, loads: int, stores: int) -> None:
    counting = Counting()
    arguments = {
        u: value_of([1.0, 2.0, 3.0, 4.0], u.type),
        A: value_of([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], A.type),
        x: 2.0,
    }
    evaluate(term, arguments, counting)
    assert (counting.operations, counting.loads, counting.stores) == (operations, loads, stores)
    assert counting.total == operations + loads + stores

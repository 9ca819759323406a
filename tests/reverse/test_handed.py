"""The first half of a derivative hands over the parts that the second half reads, and lengths as numbers."""

from __future__ import annotations

import re

import numpy as np

import fsmooth as fs
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.build import plus
from fsmooth.core.term import Build, Const, Get, Length, Let, Proj, Term, Var
from fsmooth.core.types import F64, INT, Array, Tuple
from fsmooth.differentiate.reverse.handed import handed

V = Array(F64)
X = Var("x", Tuple((V, Tuple((V, F64)))))
Y = Var("y", V)
I = Var("i", INT)


def given(second: Term) -> list[Term]:
    found = handed(second, (Y, X))
    assert found.second.free <= {*found.names, I}
    assert [name.type for name in found.names] == [term.type for term in found.terms]
    return list(found.terms)


def test_parts_that_are_read() -> None:
    inner = Proj(X, 1)
    found = given(plus(Get(Proj(inner, 0), I), Get(Y, I)))
    assert [alpha_equal(a, b) for a, b in zip(found, [Y, Proj(inner, 0)], strict=True)] == [True, True]


def test_a_part_goes_with_the_tuple_that_is_read_whole() -> None:
    inner = Proj(X, 1)
    z = Var("z", inner.type)
    [whole] = given(Let(((z, inner),), plus(Proj(z, 1), Proj(inner, 1))))
    assert alpha_equal(whole, inner)


def test_lengths_are_numbers_where_nothing_else_is_read() -> None:
    [size] = given(Build(Length(Proj(X, 0)), I, Const(1.0)))
    assert alpha_equal(size, Length(Proj(X, 0)))
    [whole] = given(Build(Length(Y), I, Get(Y, I)))
    assert whole is Y


def test_nothing_else() -> None:
    assert given(Const(1.0)) == []


def test_saved_states_are_computed_where_they_are_handed_over() -> None:
    def states(x, steps):
        y = [a for a in x]
        for _ in range(steps):
            y = [y[i] + 0.1 * x[i] * y[len(x) - 1 - i] * y[i] for i in range(len(x))]
        return y

    pull = fs.vjp(states, wrt="x")
    x = np.array([0.3, -0.7, 1.1])
    source = pull.c_source(x, 3)
    assert "fs_take" not in source[source.index("int32_t vjp_states") : source.index("int32_t vjp_states_shape")]
    assert set(re.findall(r"result_1\w*", source)) == {"result_1_0"}

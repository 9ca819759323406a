"""The pullback of functions with any result: cotangents of tuples and arrays, of arguments that are not used, of records."""

from __future__ import annotations

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core import primitives as p
from fsmooth.core.term import Get, Lam, Length, Let, Prim, Proj, Reduce, Reduction, Term, Var, Zero
from fsmooth.core.types import F64, INT, Tuple, Type, tangent
from fsmooth.laws.random_terms.scope import V
from tests.accuracy.judge import bounded, excess, outcome, within
from tests.accuracy.slopes import by_duals
from tests.frontend.python.test_programs import elaborated
from tests.reverse.routes import pulled, result, vector
from tests.strategies import FLOATS, random_program

X, A = np.array([0.7, -0.4, 1.3]), np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]])


def pull(function, arguments: tuple[object, ...], wrt: tuple[int, ...], cotangent: object) -> object:
    """The value and the cotangents of the arguments `wrt`."""
    return result(pulled(elaborated(function, *arguments).term, wrt), *arguments, cotangent)


def test_an_array_result() -> None:
    def image(m, x):
        return [sum(m[i, j] * x[j] for j in range(len(x))) for i in range(len(m))]

    r = np.array([2.0, -3.0])
    value, (m, x) = pull(image, (A, X), (0, 1), r)
    np.testing.assert_allclose(value, A @ X, rtol=1e-12)
    np.testing.assert_allclose(m, np.outer(r, X), rtol=1e-15)
    np.testing.assert_allclose(x, A.T @ r, rtol=1e-15)


def test_a_tuple_result() -> None:
    def both(x, y):
        return fs.sin(x[0]) * y, [a * y for a in x], 3

    value, (x, y) = pull(both, (X, 2.0), (0, 1), (5.0, np.array([1.0, 10.0, 100.0]), ()))
    assert value[2] == 3
    np.testing.assert_allclose(x, [5.0 * np.cos(0.7) * 2.0 + 2.0, 20.0, 200.0], rtol=1e-15)
    np.testing.assert_allclose(y, 5.0 * np.sin(0.7) + X @ [1.0, 10.0, 100.0], rtol=1e-15)


def test_the_argument_itself() -> None:
    value, (x,) = pull(lambda x: x, (X,), (0,), np.array([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(value, X)
    np.testing.assert_array_equal(x, [1.0, 2.0, 3.0])


def test_a_part_of_the_argument() -> None:
    value, (m,) = pull(lambda m: m[1], (A,), (0,), np.array([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(value, A[1])
    np.testing.assert_array_equal(m, [[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]])


@pytest.mark.parametrize("unused", [2.0, X, A, np.zeros((2, 0, 3)), (1.0, X), ((X, 1.0), A)], ids=repr)
def test_zeros_of_the_shape_of_what_is_not_used(unused: object) -> None:
    (_, (zeros, x)) = pull(lambda unused, x: x * x, (unused, 3.0), (0, 1), 1.0)

    def check(zero: object, like: object) -> None:
        if isinstance(like, tuple):
            assert isinstance(zero, tuple)
            for one, other in zip(zero, like, strict=True):
                check(one, other)
        else:
            np.testing.assert_array_equal(zero, np.zeros(np.shape(like)))

    check(zeros, unused)
    assert x == 6.0


def weighed(program: Lam) -> Lam:
    """⟨r, f x⟩ as a function of the arguments and r."""
    r, y = Var("r", tangent(program.body.type)), Var("y", program.body.type)
    i = Var("i", INT)
    if isinstance(y.type, Tuple):
        number: Term = Prim(p.multiply, (Proj(r, 0), Proj(y, 0)))
        array, along = Proj(y, 1), Proj(r, 1)
    else:
        number, array, along = Zero(()), y, r
    total = Reduce(Reduction.SUM, Length(array), i, Prim(p.multiply, (Get(along, i), Get(array, i))))
    return Lam((*program.parameters, r), Let(((y, program.body),), Prim(p.add, (number, total))))


@pytest.mark.parametrize("type_", [V, Tuple((F64, V))], ids=repr)
def test_random_programs(type_: Type) -> None:
    """The pullback of r is the gradient of ⟨r, f⟩."""
    judged = 0
    for seed in range(330_000, 330_060):
        program, arguments = random_program(seed, 4, type_)
        if isinstance(outcome(program, arguments), str) or not bounded(program, arguments).is_sure:
            continue
        value = result(program, *arguments)
        r = (0.75, np.cos(np.arange(len(value[1])))) if isinstance(value, tuple) else np.cos(np.arange(len(value)))
        found = bounded(pulled(program, FLOATS), [*arguments, r])
        exact = by_duals(weighed(program), [*arguments, r], FLOATS)
        if not found.is_sure or not exact.is_sure:
            continue
        count = vector(value).size
        bound = found.bound[count:] + exact.bound
        assert within(found.value[count:], exact.value, bound, 1e-10), f"seed {seed}: " + excess(
            found.value[count:], exact.value, bound
        )
        judged += 1
    assert judged > 30


def test_an_array_that_is_changed_a_hundred_thousand_times() -> None:
    """p[i] = p[i-1] + x[i]: neither direction copies it."""

    def sums(x):
        p = x.copy()
        for i in range(1, len(p)):
            p[i] = p[i - 1] + p[i]
        return sum(a for a in p)

    n = 100_000
    np.testing.assert_array_equal(fs.grad(sums, method="reverse")(np.ones(n)), np.arange(n, 0, -1.0))

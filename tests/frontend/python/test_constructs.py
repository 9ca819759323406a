"""fs.deriv, fs.hessian and the combinators inside programs."""

from __future__ import annotations

import math

import numpy as np
import pytest

import fsmooth as fs
from fsmooth import combinators

X = np.array([0.5, 1.5, 2.0])


def cube(v):
    return sum(a**3 for a in v)


def test_deriv_of_a_number_is_a_pair() -> None:
    f = fs.function(lambda x, y: fs.deriv(math.sin(x) * y, x))
    assert f(0.5, 2.0) == pytest.approx((2 * math.sin(0.5), 2 * math.cos(0.5)))


def test_deriv_of_a_vector_is_an_array_of_pairs() -> None:
    value, slope = fs.function(lambda v: fs.deriv(cube(v), v))(X)
    np.testing.assert_allclose(value, np.full(3, cube(X)))
    np.testing.assert_allclose(slope, 3 * X**2)
    picked = fs.function(lambda v: [pair[1] for pair in fs.deriv(cube(v), v)])(X)
    np.testing.assert_allclose(picked, 3 * X**2)


def test_deriv_of_a_matrix() -> None:
    A = np.arange(6.0).reshape(2, 3)
    _, slope = fs.function(lambda M: fs.deriv(sum(a * a for row in M for a in row), M))(A)
    np.testing.assert_allclose(slope, 2 * A)


def test_deriv_nests_without_confusion() -> None:
    """Example 4 of paper 000: d/dx (x * d/dy (x + y)) is 1."""
    f = fs.function(lambda x, y: fs.deriv(x * fs.deriv(x + y, y)[1], x)[1])
    assert f(3.0, 4.0) == 1.0


def test_deriv_takes_other_variables_as_constants() -> None:
    def f(x, n):
        total = 0.0
        for i in range(n):
            total += fs.deriv(x**3 * i, x)[1]
        return total

    assert fs.function(f)(2.0, 3) == pytest.approx(36.0)


def test_deriv_of_what_was_computed_before_is_refused() -> None:
    def f(x):
        y = x * x
        return fs.deriv(y + x, x)

    with pytest.raises(fs.NotDifferentiableError, match="y was computed from x before") as caught:
        fs.function(f)(1.0)
    assert "^^^^^" in str(caught.value)
    assert "hint: write its definition inside the expression" in str(caught.value)


@pytest.mark.parametrize(
    ("f", "arguments", "said"),
    [
        (lambda x: fs.deriv(x * x, 2 * x), (1.0,), "the name of a variable"),
        (lambda n: fs.deriv(n * 1.0, n), (3,), "n is an integer"),
        (lambda x: fs.deriv(x * x, x), (np.float32(1.0),), "n"),
        (lambda T: fs.deriv(T[0, 0, 0], T), (np.ones((1, 1, 1)),), "a number, vector or matrix"),
    ],
)
def test_deriv_of_other_things_is_refused(f, arguments, said) -> None:
    with pytest.raises(fs.Error, match=said):
        fs.function(f)(*arguments)


def test_deriv_outside_a_program_is_refused() -> None:
    with pytest.raises(fs.UnsupportedError, match="inside a program"):
        fs.deriv(1.0, 2.0)


def test_hessian_inside_a_program() -> None:
    f = fs.function(lambda v, w: [[h * w for h in row] for row in fs.hessian(cube)(v)])
    np.testing.assert_allclose(f(X, 0.5), np.diag(3 * X))


def test_hessian_for_two_arguments() -> None:
    def g(a, b):
        return a * a * b

    f = fs.function(lambda a, b: fs.hessian(g, wrt=("a", "b"))(a, b))
    (aa, ab), (ba, bb) = f(2.0, 3.0)
    assert (aa, ab, ba, bb) == (6.0, 4.0, 4.0, 0.0)


@pytest.mark.parametrize("verb", ["grad", "value_and_grad", "jacobian", "hessian", "diff", "vdiff", "mdiff", "mgrad"])
def test_methods_are_named_where_they_do_not_exist(verb) -> None:
    make = getattr(fs, verb)
    with pytest.raises(fs.UnknownMethodError, match="'auto', 'forward', 'reverse', 'tape' or 'continuations'"):
        make(cube, method="sideways")
    with pytest.raises(fs.UnknownMethodError, match="no differentiation method 'sideways'") as caught:
        fs.function(lambda v: make(cube, method="sideways")(v))(X)
    assert "use 'auto', 'forward', 'reverse', 'tape' or 'continuations'" in str(caught.value)


def test_methods_that_exist_agree() -> None:
    for method in ("auto", "forward", "reverse"):
        np.testing.assert_allclose(fs.grad(cube, method=method)(X), 3 * X**2)
    np.testing.assert_allclose(fs.function(lambda v: fs.grad(cube, method="auto")(v))(X), 3 * X**2)
    np.testing.assert_allclose(fs.function(lambda v: fs.grad(cube, method="forward")(v))(X), 3 * X**2)


PROGRAMS = [
    (lambda v: fs.build(len(v), lambda i: v[i] * i), (X,)),
    (lambda n: fs.build(n, lambda i: fs.build(n, lambda j: i * 10.0 + j)), (3,)),
    (lambda v: fs.ifold(lambda s, i: s * 0.5 + v[i], 0.0, len(v)), (X,)),
    (lambda v: fs.ifold(lambda s, i: (s[1], s[0] + v[i]), (0.0, 1.0), len(v)), (X,)),
    (lambda v: fs.fold(lambda s, x: s * 0.5 + x, 0.0, v), (X,)),
    (lambda v: (fs.sum(len(v), lambda i: v[i] ** 2), fs.sum(v)), (X,)),
    (lambda x: fs.cond(x > 0, lambda: math.log(x), lambda: 0.0), (2.0,)),
    (lambda x: fs.cond(x > 0, lambda: math.log(x), lambda: 0.0), (-2.0,)),
]


@pytest.mark.parametrize(("f", "arguments"), PROGRAMS)
def test_combinators_are_what_they_are_outside(f, arguments) -> None:
    found, expected = fs.function(f)(*arguments), f(*arguments)
    for a, b in zip(np.atleast_1d(found), np.atleast_1d(expected), strict=True):
        np.testing.assert_allclose(a, b)


def test_reductions_of_fsmooth_take_generators() -> None:
    f = fs.function(lambda v: (fs.sum(x * x for x in v), fs.max(x for x in v if x < 2.0), fs.min(-x for x in v)))
    assert f(np.array([1.0, 2.0, 3.0])) == (14.0, 1.0, -3.0)
    g = fs.function(lambda v: (fs.any(x > 2.0 for x in v), fs.all(x > 2.0 for x in v)))
    assert g(np.array([1.0, 2.0, 3.0])) == (True, False)


def test_combinators_have_derivatives() -> None:
    np.testing.assert_allclose(fs.grad(lambda v: fs.ifold(lambda s, i: s * v[i], 1.0, len(v)))(X), [3.0, 1.0, 0.75])
    assert fs.grad(lambda x: fs.cond(x > 0, lambda: math.log(x), lambda: 0.0))(2.0) == 0.5


def test_mistakes_in_combinators_are_shown_where_they_are_called() -> None:
    def f(v):
        return fs.ifold(lambda s, i: v, 0.0, len(v))

    with pytest.raises(fs.TypeMismatchError) as caught:
        fs.function(f)(X)
    shown = str(caught.value)
    assert "return fs.ifold(lambda s, i: v, 0.0, len(v))" in shown
    assert combinators.__file__ not in shown
    with pytest.raises(fs.IndexOutOfBoundsError, match="test_constructs.py"):
        fs.function(lambda v: fs.build(4, lambda i: v[i]))(X)

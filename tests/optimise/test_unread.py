"""Components that nobody reads are not computed (optimise/unread.py): the C of derivatives of derivatives, and its numbers."""

from __future__ import annotations

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core.cost import cost
from fsmooth.core.term import Lam
from fsmooth.library import parse
from fsmooth.optimise.schedules import DEFAULT

RNG = np.random.default_rng(7)
X, V, A = RNG.random(4), RNG.random(4), RNG.random((5, 4))


def nest(x, A):  # type: ignore[no-untyped-def]
    return sum(sum(A[i, j] * x[j] for j in range(len(x))) ** 2 for i in range(len(A)))


def body(f: fs.Function, name: str, *arguments: object, **keywords: object) -> str:
    source = f.c_source(*arguments, **keywords)
    start = source.index(") {", source.index(f"int32_t {name}("))
    lines = source[start : source.index("\n}\n", start)].splitlines()
    return "\n".join([line for line in lines if not line.lstrip().startswith(("/*", "(void)"))])


def test_the_tangent_of_a_gradient_does_without_the_gradient() -> None:
    f = fs.hvp(nest)
    np.testing.assert_allclose(f(X, A, tangent=V), 2 * A.T @ (A @ V), rtol=1e-13)
    made = body(f, "hvp_nest", X, A, tangent=V)
    assert "fs_take" not in made
    assert "x[" not in made  # a quadratic form's Hessian does not depend on the point


def test_the_gradient_of_a_product_with_a_gradient_does_without_that_product() -> None:
    def product(x, v, A):  # type: ignore[no-untyped-def]
        return fs.grad(lambda y: fs.dot(fs.grad(nest)(y, A), v))(x)

    f = fs.function(product)
    np.testing.assert_allclose(f(X, V, A), 2 * A.T @ (A @ V), rtol=1e-13)
    made = body(f, "product", X, V, A)
    assert "fs_take" not in made
    assert "x[" not in made


@pytest.mark.parametrize("method", ["forward", "reverse"])
def test_a_hessian_by_either_mode_costs_the_same_growth(method: str) -> None:
    f = fs.jacobian(fs.grad(nest, method="reverse"), method=method)
    np.testing.assert_allclose(f(X, A), 2 * A.T @ A, rtol=1e-13)
    found = f.compiled(X, A).terms["optimised"]
    assert isinstance(found, Lam)
    assert cost(found).growth == 3
    assert cost(found).at() < 7e9  # a factor of a product is counted with each of its terms, and computed once
    assert "fs_product_f64(" in f.c_source(X, A)


SUMS = {
    "a sum of pairs": ("let p = sum (length v) (fun i -> (exp v[i], v[i])) in snd p + snd p", "2·n(v) + 1"),
    "a sum of arrays of pairs": (
        """let p = sum (length v) (fun i -> build (length v) (fun j -> (exp v[i], v[i] * v[j]))) in
           sum (length v) (fun k -> snd p[k] * snd p[k])""",
        None,
    ),
    "deltas of pairs": (
        """let p = sum (length v) (fun i -> delta (length v) (i // 2) (exp v[i], v[i])) in
           sum (length v) (fun k -> snd p[k] * snd p[k])""",
        None,
    ),
}


@pytest.mark.parametrize("name", SUMS)
def test_what_is_not_read_of_a_sum_is_not_evaluated(name: str) -> None:
    text, expected = SUMS[name]
    optimised = DEFAULT(parse(f"fun (v: Vector) -> {text}"))
    assert "exp" not in repr(optimised)
    if expected is not None:
        assert repr(cost(optimised)) == expected


def test_what_is_read_whole_stays_whole() -> None:
    text = """fun (v: Vector) -> let p = sum (length v) (fun i -> delta (length v) (i // 2) (exp v[i], v[i])) in
              (p, sum (length v) (fun k -> snd p[k]))"""
    assert repr(DEFAULT(parse(text))).count("exp") == 1

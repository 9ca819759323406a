"""`fs.vmap`: a function of batches is a comprehension of its calls, in values, derivatives and cost."""

from __future__ import annotations

import copy
import pickle
import re
from typing import NamedTuple

import numpy as np
import pytest

import fsmooth as fs
from tests.runtime.test_readings import is_found, read  # noqa: F401  (a fixture)
from tests.verbs.parts import assert_same

RANDOM = np.random.default_rng(3)
X, W = RANDOM.normal(size=(5, 3)), RANDOM.normal(size=3)


def unit(x, w):  # type: ignore[no-untyped-def]
    return fs.tanh(sum(x[i] * w[i] for i in range(len(x))))


def cubes(x):  # type: ignore[no-untyped-def]
    return sum(a**3 for a in x)


class Pair(NamedTuple):
    a: float
    b: float


of_units = fs.vmap(unit, in_axes=(0, None))


def test_values() -> None:
    assert_same(of_units(X, W), np.tanh(X @ W), 1e-15)
    assert_same(fs.vmap(unit)(X, 2.0 * X), np.tanh(2.0 * np.sum(X * X, axis=1)), 1e-15)
    assert fs.vmap(unit)(X[:0], X[:0]).shape == (0,)
    assert of_units.__name__ == "vmap_unit"


def test_axes() -> None:
    assert_same(fs.vmap(unit, in_axes=(1, None))(np.ascontiguousarray(X.T), W), np.tanh(X @ W), 1e-15)
    assert_same(fs.vmap(unit, in_axes=-1)(np.ascontiguousarray(X.T), X.T), np.tanh(np.sum(X * X, axis=1)), 1e-15)
    squares = fs.vmap(lambda x: [a * a for a in x], in_axes=1, out_axes=-1)
    assert_same(squares(X), X * X, 0.0)
    cube = RANDOM.normal(size=(2, 3, 4))
    assert_same(fs.vmap(lambda m: [[2.0 * a for a in r] for r in m], 2, 1)(cube), 2.0 * np.moveaxis(cube, 2, 1), 0.0)
    assert_same(fs.vmap(fs.vmap(lambda a, b: a * b, in_axes=(None, 0)), in_axes=(0, None))(W, X[0]), np.outer(W, X[0]))


def test_derivatives_of_each() -> None:
    slopes = (1.0 - np.tanh(X @ W) ** 2)[:, None]
    assert_same(fs.vmap(fs.grad(unit), in_axes=(0, None))(X, W), slopes * W, 1e-14)
    assert_same(fs.vmap(fs.grad(unit, wrt="w"), in_axes=(0, None))(X, W), slopes * X, 1e-14)
    assert_same(fs.vmap(fs.hvp(cubes))(X, tangent=2.0 * X), 12.0 * X * X, 1e-14)
    values, gradients = fs.vmap(fs.value_and_grad(cubes))(X)
    assert_same(values, np.sum(X**3, axis=1), 1e-14)
    assert_same(gradients, 3.0 * X * X, 1e-14)


@pytest.mark.parametrize("method", ["forward", "reverse"])
def test_derivatives_of_batches(method: str) -> None:
    found = fs.jacobian(of_units, wrt="w", method=method)(X, W)
    assert_same(found, (1.0 - np.tanh(X @ W) ** 2)[:, None] * X, 1e-14)
    loss = fs.grad(lambda w: fs.sum(fs.vmap(unit, in_axes=(0, None))(X, w)), method=method)
    assert_same(loss(W), (1.0 - np.tanh(X @ W) ** 2) @ X, 1e-14)


def test_second_derivatives_and_all_routes() -> None:
    assert fs.check_derivative(lambda X, w: fs.sum(fs.vmap(unit, (0, None))(X, w)), X, W, wrt=("X", "w"))
    t = np.tanh(X @ W)
    wanted = np.einsum("n,ni,nj->ij", -2.0 * t * (1.0 - t * t), X, X)
    assert_same(fs.hessian(lambda w: fs.sum(of_units(X, w)))(W), wanted, 1e-13)


def test_several_results_and_records() -> None:
    first, (second, third) = fs.vmap(lambda x: (cubes(x), (x[0], [x[1], x[2]])), out_axes=(0, (0, 1)))(X)
    assert_same(first, np.sum(X**3, axis=1), 1e-14)
    assert_same(second, X[:, 0], 0.0)
    assert_same(third, X[:, 1:].T, 0.0)

    def scaled(pair, s):  # type: ignore[no-untyped-def]
        return Pair(pair.a * s, pair.b + s)

    both = fs.vmap(scaled, in_axes=(0, None))(Pair(W, 2.0 * W), 3.0)
    assert isinstance(both, Pair)
    assert_same(both.b, 2.0 * W + 3.0, 0.0)
    part = fs.vmap(scaled, in_axes=((0, None), 0))(Pair(W, 5.0), W)
    assert_same(part.a, W * W, 0.0)
    assert_same(part.b, 5.0 + W, 0.0)


def test_defaults_are_no_batches() -> None:
    def scaled(x, by=W, *, times=2):  # type: ignore[no-untyped-def]
        return x * times * sum(by)

    f = fs.vmap(scaled)
    assert_same(f(W), W * 2 * W.sum(), 1e-15)
    assert_same(f(W, times=np.array([1, 2, 3])), W * [1, 2, 3] * W.sum(), 1e-15)
    assert_same(f(W, X.T.copy()), W * 2 * X.sum(axis=0), 1e-14)
    assert_same(fs.function(lambda x: fs.vmap(scaled)(x, times=x))(W), W * W * W.sum(), 1e-15)


def test_functions_of_all_kinds() -> None:
    assert_same(fs.vmap(np.sin)(W), np.sin(W), 1e-15)
    assert_same(fs.vmap(fs.function(cubes))(X), np.sum(X**3, axis=1), 1e-14)
    assert_same(fs.vmap(lambda x, g: g(x))(W, lambda t: 2.0 * t), 2.0 * W, 0.0)
    softplus = fs.custom_derivative(lambda x: fs.log(1.0 + fs.exp(x)), jvp=lambda x, dx: dx / (1.0 + fs.exp(-x)))
    assert_same(np.diag(fs.jacobian(fs.vmap(softplus))(W)), 1.0 / (1.0 + np.exp(-W)), 1e-14)


def test_what_an_element_changes_is_its_own() -> None:
    def first_set(x):  # type: ignore[no-untyped-def]
        y = x.copy()
        y[0] = 7.0
        return y

    wanted = X.copy()
    wanted[:, 0] = 7.0
    assert_same(fs.vmap(first_set)(X), wanted, 0.0)


@pytest.mark.parametrize(
    ("mapped", "written"),
    [
        (lambda X, w: of_units(X, w), lambda X, w: [unit(x, w) for x in X]),
        (lambda X, w: fs.vmap(fs.grad(unit), (0, None))(X, w), lambda X, w: [fs.grad(unit)(x, w) for x in X]),
        (lambda X, w: fs.sum(of_units(X, w)), lambda X, w: sum(unit(x, w) for x in X)),
    ],
    ids=["values", "gradients", "sum"],
)
def test_it_costs_what_the_comprehension_costs(mapped, written) -> None:  # type: ignore[no-untyped-def]
    first, second = fs.function(mapped), fs.function(written)
    assert first.cost(X, W) == second.cost(X, W)
    assert "fs_take" not in first.c_source()


def test_what_results_share_is_computed_once() -> None:
    both = fs.vmap(fs.value_and_grad(unit), in_axes=(0, None))
    source = both.c_source(X, W)
    body = source[source.index("int32_t vmap_value_and_grad_unit(") : source.index("_shape(")]
    assert len(re.findall(r"= (?:fs_)?tanh\(", body)) == 1
    assert "fs_take" not in source


def test_it_is_pickled_and_found_by_the_next_process(read) -> None:  # type: ignore[no-untyped-def]  # noqa: F811
    for again in (pickle.loads(pickle.dumps(of_units)), copy.deepcopy(of_units)):
        assert_same(again(X, W), np.tanh(X @ W), 1e-15)
    text = "import fsmooth as fs\ndef g(x): return x * {k}\nf = fs.vmap(g)\ngiven = ([1.0, 2.0],)\n"
    assert not is_found(read(text.format(k=2.0)))
    assert is_found(read(text.format(k=2.0)))
    assert not is_found(read(text.format(k=3.0)))
    assert not is_found(read(text.format(k=2.0).replace("vmap(g)", "vmap(g, out_axes=-1)")))


HEAD = '\n  File "<fsmooth: lambda x, w: vmap_unit(x, w)>", line 1\n    lambda x, w: vmap_unit(x, w)\n                 '
MARK = HEAD + "^" * 15


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fs.vmap(unit)(X, X[:4]), f"sizes 5 and 4 differ{MARK}\n  hint: give arrays of equal size"),
        (
            lambda: fs.vmap(unit)(X, 2.0),
            f"w is a number, not a batch{MARK}\n  hint: pass an array, or give None in in_axes, if it is the same for all",
        ),
        (lambda: fs.vmap(unit, in_axes=2)(X, X), f"in_axes: x has no axis 2{MARK}\n  hint: its axes are 0 to 1"),
        (
            lambda: fs.vmap(unit, in_axes=None)(X, X),
            f"no argument is a batch{MARK}\n  hint: give one of them an axis in in_axes",
        ),
        (
            lambda: fs.vmap(unit, in_axes=((0, 0), 0))(X, X),
            f"in_axes has 2 axes for x, which is a 2-dimensional array of numbers{MARK}\n  hint: give one integer, or None",
        ),
        (
            lambda: fs.vmap(unit, in_axes=((0,), 0))((X, X), X),
            f"in_axes has 1 axes for x, a tuple of 2{MARK}\n  hint: give an integer or None for each part",
        ),
        (
            lambda: fs.vmap(unit, out_axes=1)(X, X),
            f"out_axes: the result has no axis 1{MARK}\n  hint: its only axis is 0",
        ),
        (
            lambda: fs.vmap(unit, out_axes=(0, 0))(X, X),
            f"out_axes=(0, 0), and there is one result{MARK}\n  hint: give one integer",
        ),
        (
            lambda: fs.vmap(unit, in_axes=(0,)),
            "in_axes=(0,) of a function of x, w\n  hint: give an integer or None for each of x, w",
        ),
        (
            lambda: fs.vmap(unit, in_axes=True),
            "in_axes=True of a function of x, w\n  hint: give an integer or None for each of x, w",
        ),
        (
            lambda: fs.vmap(unit, out_axes=None),
            "out_axes=None\n  hint: give an integer, or a tuple of them for a tuple of results",
        ),
        (
            lambda: fs.vmap(lambda *x: x[0]),
            "vmap of a function with the parameter *x\n  hint: name its parameters: lambda x: f(x)",
        ),
        (lambda: fs.vmap(3), "3 is not a function\n  hint: give a Python function or a lambda"),
        (
            lambda: fs.vmap(lambda x, s=1.0: x * s, in_axes=(0,))(W, W),
            'in_axes says nothing of s\n  File "<fsmooth: lambda x, s=None: vmap_f(x, s)>", line 1\n'
            "    lambda x, s=None: vmap_f(x, s)\n                      ^^^^^^^^^^^^\n"
            "  hint: give an integer or None for each argument",
        ),
        (
            lambda: fs.vmap(fs.vjp(cubes))(X),
            'there are no batches of pullbacks\n  File "<fsmooth: lambda x: vmap_vjp_cubes(x)>", line 1\n'
            "    lambda x: vmap_vjp_cubes(x)\n              ^^^^^^^^^^^^^^^^^\n"
            "  hint: call the pullback for each: lambda x, c: fs.vjp(f)(x)[1](c)",
        ),
    ],
)
def test_mistakes(call, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(fs.Error) as caught:
        call()
    assert str(caught.value) == message


def test_the_hint_for_pullbacks_works() -> None:
    found = fs.vmap(lambda x, c: fs.vjp(cubes)(x)[1](c))(X, np.ones(5))
    assert_same(found, 3.0 * X * X, 1e-14)


@pytest.mark.parametrize(
    ("program", "message", "marked"),
    [
        (lambda X: fs.vmap(unit)(X, X[1:]), "sizes 5 and 4 differ", "fs.vmap(unit)(X, X[1:])"),
        (lambda X: fs.vmap(3)(X), "fs.vmap wants a function", "fs.vmap(3)"),
        (lambda X: fs.vmap()(X), "fs.vmap takes a function and axes", "fs.vmap()"),
        (
            lambda X: fs.vmap(cubes, (0, 1))(X),
            "in_axes=(0, 1) of a function of x",
            "fs.vmap(cubes, (0, 1))",
        ),
        (
            lambda X: fs.vmap(cubes, schedule="NONE")(X),
            "fs.vmap has no argument schedule in a program",
            'fs.vmap(cubes, schedule="NONE")',
        ),
        (lambda X: fs.vmap(cubes)(2.0), "x is a number, not a batch", "fs.vmap(cubes)(2.0)"),
    ],
)
def test_mistakes_in_programs(program, message: str, marked: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(fs.Error) as caught:
        fs.function(program)(X)
    first, _, line, marks, *_ = str(caught.value).split("\n")
    assert first == message
    assert line[marks.index("^") : marks.rindex("^") + 1] == marked
    assert "\n  hint: " in str(caught.value)

"""The demonstration of the notes (paper 001, §9) for programs, derivatives of them and the command line."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.term import Lam, MapTerm
from fsmooth.core.traverse import subterms
from fsmooth.differentiate.linear.demonstration import Demonstration
from fsmooth.frontend.text import parse
from tests.accuracy.judge import run
from tests.linear.definitions import plain
from tests.linear.test_demonstration import TEXTS

BACK, AHEAD = "Reverse-mode derivative (CSE'd)", "Forward-mode derivative (CSE'd)"
SCALE = 3.0


class Pair(NamedTuple):
    a: float
    b: float


def f2(x):
    y = x * x
    z = x + y
    return y * z


def weighted(n, v: fs.Array[3], x):
    return sum(v[i] * x for i in range(n)) * SCALE


def recurrence(v, x):
    s = 1.0
    for i in range(len(v)):
        s = fs.sin(s * v[i]) + x
    return s


def assigned(v, x):
    u = v * 2.0
    u[0] = x * v[1]
    return np.sum(u * u) + max(u)


def of_a_pair(p: Pair, v):
    return p.a * fs.logsumexp(v) + p.b / p.a


def until(v, x):
    while x < 10.0:
        x = x * v[0] + 1.0
    return x * v[1]


def slope_inside(v, x):
    return fs.grad(recurrence, wrt="x")(v, x) * x


V = np.array([1.5, 0.25, -0.5])
PROGRAMS = [
    (recurrence, (V, 0.5), "v"),
    (recurrence, (V, 0.5), "x"),
    (assigned, (V, 2.0), "v"),
    (of_a_pair, (Pair(2.0, 0.5), V), "p"),
    (of_a_pair, (Pair(2.0, 0.5), V), "v"),
    (until, (V, 1.0), ("v", "x")),
    (slope_inside, (V, 0.5), "v"),
    (weighted, (3, V, 0.5), ("x", "v")),
]


def value(made: Demonstration, title: str, arguments: tuple[object, ...]) -> object:
    function = made.terms[title]
    assert isinstance(function, Lam)
    assert not [t for t in subterms(function) if isinstance(t, MapTerm)]
    return run(function, list(arguments))


def array(value: object) -> np.ndarray:
    found = plain(value)
    return np.concatenate([array(x) for x in found]) if isinstance(found, tuple) else np.ravel(found)


def test_f2_of_the_notes() -> None:
    """A Python function shows what the notes show for it."""
    stages = fs.function(f2).compiled(2.0).demonstration().terms
    assert list(stages) == [title for title, _ in TEXTS]
    for title, text in TEXTS:
        assert alpha_equal(stages[title], parse(text)), title


@pytest.mark.parametrize(("program", "arguments", "wrt"), PROGRAMS)
def test_reverse_derivatives(program, arguments, wrt) -> None:
    """Against the compiled gradient in forward mode; a captured number is a parameter."""
    made = fs.function(program).compiled(*arguments).demonstration(wrt)
    extra = (SCALE,) if program is weighted else ()
    found = value(made, BACK, (*arguments, *extra, 1.0))
    wanted = fs.grad(program, wrt=wrt, method="forward")(*arguments)
    np.testing.assert_allclose(array(found), array(wanted), rtol=1e-12)


def test_forward_derivatives() -> None:
    made = fs.function(recurrence).compiled(V, 0.5).demonstration("v")
    along = np.array([1.0, -2.0, 0.5])
    _, wanted = fs.jvp(recurrence)(V, 0.5, tangent=along)
    assert value(made, AHEAD, (V, 0.5, along)) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("verb", [fs.grad, fs.value_and_grad, fs.jacobian, fs.vjp])
def test_a_derivative_shows_what_is_differentiated(verb) -> None:
    """By the same arguments."""
    stages = verb(recurrence, wrt="x").compiled(V, 0.5)
    own = fs.function(recurrence).compiled(V, 0.5).demonstration("x")
    for title, term in stages.demonstration().terms.items():
        assert alpha_equal(term, own.terms[title])


def test_a_second_derivative_shows_the_first() -> None:
    made = fs.hessian(f2).compiled(2.0).demonstration()
    assert value(made, "Original definition", (2.0,)) == fs.grad(f2)(2.0)
    assert value(made, BACK, (2.0, 1.0)) == fs.hessian(f2)(2.0) == 60.0


def test_explanations() -> None:
    f = fs.function(f2)
    plainly, all_of_it = f.explain(2.0), f.explain(2.0, linear_maps=True)
    assert "linear maps" not in plainly
    assert all_of_it.count("-" * 29) == 2 * len(TEXTS)
    assert f"linear maps (paper 001, §9):\n\n{f.stages.demonstration()}" in all_of_it
    f(2.0)
    assert f.explain(linear_maps=True).endswith("((x + y) * t + y * (1.0 + t)) * dr")
    assert fs.vjp(f2).explain(2.0, linear_maps=True).endswith("((x + y) * t + y * (1.0 + t)) * dr")


def test_a_parameter_of_that_name_comes_first() -> None:
    f = fs.function(lambda linear_maps: linear_maps * 2.0)
    assert "-" * 29 not in f.explain(linear_maps=2.0)
    assert fs.vjp(f).explain(linear_maps=2.0)


def test_what_cannot_be_shown() -> None:
    single = fs.function(lambda x: fs.sin(x) * np.float64(2.0)).compiled(np.float32(1.0))
    with pytest.raises(fs.NotDifferentiableError, match="linear maps between real numbers of different widths"):
        single.demonstration()
    stages = fs.function(recurrence).compiled(V, 0.5)
    message = "wrt='y' of a function of v, x\n  hint: those with real numbers are v, x"
    with pytest.raises(fs.ArgumentError) as error:
        stages.demonstration("y")
    assert str(error.value) == message
    with pytest.raises(fs.ArgumentError, match="none of its arguments has real numbers"):
        fs.function(lambda n: n + 1).compiled(3).demonstration()
    with pytest.raises(fs.ArgumentError, match="without arguments has no derivative: none of its arguments has real"):
        fs.function(lambda: 3.0).compiled().demonstration()


def growing(x, n):
    return x if n <= 1 else growing(x, n - 1) + x * growing(x, n - 2)


def test_what_calls_itself_is_not_shown() -> None:
    told = r"^the derivative of a function that calls itself is not shown as linear maps\n  hint: explain"
    with pytest.raises(fs.NotDifferentiableError, match=told):
        fs.grad(growing).compiled(1.5, 3).demonstration()
    with pytest.raises(fs.NotDifferentiableError, match="a derivative by a tape is not shown as linear maps"):
        fs.function(lambda x: fs.grad(growing, method="tape")(x, 3) * x).compiled(1.5).demonstration()

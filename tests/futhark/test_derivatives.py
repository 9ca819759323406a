"""Derivatives that Futhark takes itself: the text, and what the reader finds by differences of it against our derivatives."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.runtime.arrays import infer_type
from tests.futhark.harness import Read, agree, flat

FOLDER = Path(__file__).parent / "golden"
WEIGHTS = np.array([0.5, -1.0, 2.0])


class Pair(NamedTuple):
    at: float
    rate: float


def loss(u: fs.Array[n], v: fs.Array[n]):  # noqa: F821
    return sum(np.tanh(u[i] * v[i]) + np.exp(-u[i]) * WEIGHTS[0] for i in range(len(u)))


def recurrence(W, h, steps):
    for _ in range(steps):
        h = np.tanh(W @ h)
    return np.sum(h**2)


def moved(pair, t):
    return pair.at * np.exp(pair.rate * t), pair.at * t


def states(x, dt):
    """Changed in place."""
    found = np.zeros(len(x))
    found[0] = x[0]
    for i in range(1, len(x)):
        found[i] = found[i - 1] * (1.0 + dt) + np.sin(x[i])
    return found


U, V = np.array([0.5, -1.0, 2.0]), np.array([1.5, 0.25, -0.5])
W = np.array([[0.5, -0.3], [0.2, 0.9]])
CASES = {
    "grad": (fs.grad(loss), (U, V), {}),
    "grad_of_both": (fs.grad(loss, wrt=("v", "u")), (U, V), {}),
    "value_and_grad": (fs.value_and_grad(loss, wrt="v"), (U, V), {}),
    "value_and_grad_of_both": (fs.value_and_grad(loss, wrt=("u", "v")), (U, V), {}),
    "jvp": (fs.jvp(loss), (U, V), {"tangent": V}),
    "jvp_of_both": (fs.jvp(states, wrt=("x", "dt")), (U, 0.5), {"tangent": (V, 2.0)}),
    "hvp": (fs.hvp(loss), (U, V), {"tangent": V}),
    "hvp_of_both": (fs.hvp(loss, wrt=("u", "v")), (U, V), {"tangent": (V, U)}),
    "a_loop": (fs.grad(recurrence), (W, np.array([1.0, -2.0]), 3), {}),
    "a_record": (fs.jvp(moved), (Pair(1.5, -0.5), 0.25), {"tangent": Pair(1.0, 2.0)}),
}


@pytest.mark.parametrize("name", CASES)
def test_their_derivative_is_ours(name):
    f, arguments, tangent = CASES[name]
    read = Read(f.futhark(*arguments, **tangent, ad="futhark"))
    ours = Read(f.futhark(*arguments, **tangent))
    kinds = [[re.sub(r"\w+]", "]", str(t)) for t in x.types[x.entry].parameters] for x in (read, ours)]
    assert kinds[0] == kinds[1]
    entry, values = f._entry(arguments, tangent)
    inputs = entry.inputs(values)
    given = [y for x, q in zip(inputs, entry.interface.inputs, strict=True) for y in flat(x, q.type)]
    wanted = f(*arguments, **tangent)
    agree(read.run(given), list(flat(wanted, infer_type(wanted, "result"))), 1e-6)


@pytest.mark.parametrize("name", ["grad_of_both", "value_and_grad_of_both", "jvp_of_both", "hvp"])
def test_reads_as_it_should(name):
    f, arguments, tangent = CASES[name]
    text = f.futhark(*arguments, **tangent, ad="futhark")
    path = FOLDER / f"by_futhark_{name}.fut"
    if os.environ.get("FSMOOTH_GOLDEN") == "write":
        path.write_text(text)
    assert text == path.read_text()


@fs.custom_derivative(jvp=lambda x, dx: np.cos(x) * dx)
def with_a_rule(x):
    return np.sin(x)


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (
            lambda: fs.function(loss).futhark(U, V, ad="futhark"),
            fs.ArgumentError,
            'loss is no derivative\n  hint: fs.grad(f).futhark(…, ad="futhark")',
        ),
        (
            lambda: fs.grad(loss).futhark(U, V, ad="jax"),
            fs.ArgumentError,
            'ad=\'jax\'\n  hint: who differentiates, "fsmooth" or "futhark"',
        ),
        (
            lambda: fs.jacobian(states).futhark(U, 0.5, ad="futhark"),
            fs.UnsupportedError,
            "Futhark is not asked for the jacobian\n"
            "  hint: fs.grad, fs.value_and_grad, fs.jvp, fs.hvp of a program, or leave ad out",
        ),
        (
            lambda: fs.grad(fs.grad(lambda x: x**3)).futhark(1.0, ad="futhark"),
            fs.UnsupportedError,
            "Futhark is not asked for the grad of a grad\n"
            "  hint: fs.grad, fs.value_and_grad, fs.jvp, fs.hvp of a program, or leave ad out",
        ),
        (
            lambda: fs.grad(lambda x: with_a_rule(x)).futhark(1.0, ad="futhark"),
            fs.UnsupportedError,
            "anonymous calls a function that has a derivative of its own, and Futhark does not know of it\n"
            "  hint: leave ad out",
        ),
        (
            lambda: fs.grad(lambda x: x * fs.stop_gradient(x)).futhark(1.0, ad="futhark"),
            fs.UnsupportedError,
            "anonymous says what is not to be differentiated (fs.stop_gradient, and linear algebra does so inside), and Futhark"
            " does not know of it\n  hint: leave ad out",
        ),
        (
            lambda: fs.grad(lambda x: x[0] * x[1]).futhark((1.0, 2), ad="futhark"),
            fs.UnsupportedError,
            "Futhark's own derivative by a i64 is another than ours\n"
            "  hint: leave ad out, or separate real numbers from others",
        ),
        (
            lambda: fs.jvp(lambda x: [y for y in x if y > 0.0]).futhark(U, tangent=U, ad="futhark"),
            fs.UnsupportedError,
            "Futhark takes no derivative of a function whose result has a size that is computed inside\n  hint: leave ad out",
        ),
    ],
)
def test_what_is_refused(make, error, said):
    with pytest.raises(error) as found:
        make()
    assert str(found.value) == said


def test_a_parameter_of_that_name():
    def f(x, ad):
        return x * ad

    assert "(ad: f64)" in fs.grad(f).futhark(1.0, ad=2.0)

"""Arrays of a few elements are numbers in registers, also in derivatives of what branches."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core import primitives as p
from fsmooth.core.term import If, Prim, Vector
from fsmooth.core.traverse import subterms
from fsmooth.driver import Stages
from fsmooth.library import parse
from fsmooth.loops import tree as t
from fsmooth.loops.usage import walk
from fsmooth.optimise.schedules import DEFAULT

RANDOM = np.random.default_rng(3)


def turned(r, x):
    """x turned by the length of r, and some more; a branch makes an array of two."""
    squared = r[0] * r[0] + r[1] * r[1]
    if squared == 0.0:
        return [x[0] + r[1] * x[1], x[1] - r[0] * x[0]]
    angle = math.sqrt(squared)
    return [x[k] * math.cos(angle) + r[k] * math.sin(angle) / angle for k in range(2)]


def product(r, x):
    y = turned(r, x)
    return y[0] * y[1] * y[1]


@fs.function
def slopes(rs: fs.Array["n", 2], x: fs.Array["n", 2]):  # noqa: F821, UP037
    return [fs.grad(product, method="reverse")(rs[i], x[i]) for i in range(len(x))]


def made(stages: Stages) -> list[t.Statement]:
    """The statements that make arrays, or go through them."""
    assert stages.loops is not None
    body = stages.loops.kernel.body
    return [s for s in walk(body) if isinstance(s, t.Allocate | t.LocalArray | t.Fill | t.Copy | t.For | t.Block)]


def by_complex_step(r: np.ndarray, x: np.ndarray) -> list[float]:
    def value(r: list[complex]) -> complex:
        angle = cmath.sqrt(r[0] * r[0] + r[1] * r[1])
        y = [x[k] * cmath.cos(angle) + r[k] * cmath.sin(angle) / angle for k in range(2)]
        return y[0] * y[1] * y[1]

    return [value([r[0] + 1e-30j * (k == 0), r[1] + 1e-30j * (k == 1)]).imag / 1e-30 for k in range(2)]


def test_a_gradient_through_a_branch_needs_no_array() -> None:
    rs, x = RANDOM.random((7, 2)) + 0.1, RANDOM.random((7, 2))
    assert [type(s) for s in made(slopes.compiled(rs, x))] == [t.Block]
    np.testing.assert_allclose(slopes(rs, x), [by_complex_step(*pair) for pair in zip(rs, x, strict=True)], rtol=1e-13)


def test_the_branch_taken_decides() -> None:
    """At r = 0 the angle has no derivative: nothing of that branch is in the result."""
    x = np.array([[0.5, 2.0]])
    wanted = [-x[0, 0] * 2.0 * x[0, 0] * x[0, 1], x[0, 1] ** 3]  # of (a + q b) (b - p a)² at p = q = 0
    np.testing.assert_array_equal(slopes(np.zeros((1, 2)), x), [wanted])


def test_sums_of_displays_are_added_in_registers() -> None:
    @fs.function
    def moments(v):
        return fs.sum(len(v), lambda i: [v[i], v[i] * v[i], 1.0])

    v = RANDOM.random(50)
    assert [type(s) for s in made(moments.compiled(v))] == [t.For]
    np.testing.assert_allclose(moments(v), [v.sum(), (v * v).sum(), 50.0], rtol=1e-14)
    np.testing.assert_array_equal(moments(v[:0]), np.zeros(3))


@pytest.mark.parametrize(("condition", "choices"), [("c", 1), ("d", 2)])
def test_a_name_for_a_choice_is_the_chosen_where_that_is_known(condition: str, choices: int) -> None:
    """The second choice, by the same condition, needs none of the first; by another it does."""
    term = parse(
        "fun (c: Bool) (d: Bool) (x: Double) -> "
        f"let y = if c then 2.0 else x in if {condition} then x else sin y * y + exp y"
    )
    found = [
        s for s in subterms(DEFAULT(term)) if isinstance(s, If) or (isinstance(s, Prim) and s.primitive is p.select)
    ]
    assert len(found) == choices


def test_what_only_names_elements_is_not_written_out() -> None:
    """An array of elements of others is read through, however long; one of a few is a display."""
    term = parse(
        "fun (v: Vector) (k: Index) -> let w = build 26 (fun i -> (v[check i (length v)], v[check i (length v)])) in (fst w[check k 26])"
    )
    assert not [s for s in subterms(DEFAULT(term)) if isinstance(s, Vector)]

"""Checks report the first offending index, wherever they were moved to."""

from __future__ import annotations

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core import build as b
from fsmooth.core import primitives as p
from fsmooth.core.term import Check, Const, Failure, Get, If, Lam, Length, Reduction, Require
from fsmooth.core.types import F64, INT, Array
from fsmooth.loops import tree as t
from fsmooth.loops.usage import walk
from fsmooth.lower.functions import lower
from tests.lower.harness import Failed, compile_all

V, IV = Array(F64), Array(INT)
VG = (("v", V), ("g", IV))

affine = b.lam(
    VG,
    lambda v, g: b.build(Length(g), lambda i: Get(v, Check(b.plus(b.times(Const(2), i), Const(1)), Length(v)))),
)
gather = b.lam(VG, lambda v, g: b.build(Length(g), lambda i: Get(v, Check(Get(g, i), Length(v)))))
two_levels = b.lam(
    VG,
    lambda v, g: b.build(
        Length(g),
        lambda i: b.sum_(Length(g), lambda j: Get(v, Check(Get(g, Check(b.plus(j, Const(1)), Length(g))), Length(v)))),
    ),
)
guarded = b.lam(
    VG,
    lambda v, g: b.build(
        Length(g),
        lambda i: If(b.prim(p.less, Get(g, i), Const(3)), Get(v, Check(Get(g, i), Length(v))), Const(0.0)),
    ),
)
early = b.lam(
    VG,
    lambda v, g: b.reduce(
        Reduction.ANY, Length(g), lambda i: b.prim(p.less, Get(v, Check(Get(g, i), Length(v))), Const(0.0))
    ),
)
same_size = b.lam(
    VG,
    lambda v, g: b.build(
        Length(v),
        lambda i: Require(b.equals(Length(v), Length(g)), Get(v, i), Failure.SIZE, (Length(v), Length(g))),
    ),
)
CASES = {
    "affine": affine,
    "gather": gather,
    "two_levels": two_levels,
    "guarded": guarded,
    "early": early,
    "same": same_size,
}


@pytest.fixture(scope="module")
def compiled():
    return dict(zip(CASES, compile_all(list(CASES.values())), strict=True))


v = np.array([1.0, 2.0, -3.0, 4.0])


@pytest.mark.parametrize(
    ("name", "g", "numbers"),
    [
        ("affine", [0, 0], None),
        ("affine", [0, 0, 0], (5, 4)),
        ("affine", [0, 0, 0, 0, 0], (5, 4)),
        ("affine", [], None),
        ("gather", [0, 3, 1], None),
        ("gather", [0, 3, 9, -1], (9, 4)),
        ("gather", [-1, 3, 9, -1], (-1, 4)),
        ("two_levels", [0, 1], (2, 2)),
        ("two_levels", [], None),
        ("guarded", [0, 2, 7], None),
        ("guarded", [0, 2, -7, -8], (-7, 4)),
        ("early", [0, 2, 9], None),
        ("early", [0, 1, 9], (9, 4)),
        ("same", [0, 1, 9, 3], None),
        ("same", [0, 1, 9], (4, 3)),
    ],
)
def test_first_offender(compiled, name: str, g: list[int], numbers: tuple[int, int] | None) -> None:
    if numbers is None:
        compiled[name](v, np.array(g, np.int64))
        return
    with pytest.raises(Failed) as caught:
        compiled[name](v, np.array(g, np.int64))
    assert caught.value.args[1] == numbers


@pytest.mark.parametrize("name", ["affine", "gather", "same"])
def test_main_loop_is_free_of_checks(name: str) -> None:
    body = lower(CASES[name], "f").kernel.body
    loops = [s for s in walk(body) if isinstance(s, t.For)]
    assert loops or [s for s in walk(body) if isinstance(s, t.Copy)]
    assert not [s for loop in loops for s in walk(loop.body) if isinstance(s, t.Check | t.Demand)]


def test_guarded_check_stays() -> None:
    [loop] = [s for s in walk(lower(guarded, "f").kernel.body) if isinstance(s, t.For)]
    assert [s for s in walk(loop.body) if isinstance(s, t.Check)]


def test_lam_is_lam() -> None:
    assert all(isinstance(term, Lam) for term in CASES.values())


def test_what_a_check_needs_is_defined_before_it() -> None:
    """The way back defines where it is once for each of its loops, under the same name."""

    def added(x, y, idx, m, n, q, a):
        r = np.zeros((130, 130))
        s = 0.0
        t = 0
        while t < m:
            for i in range(n):
                for k in range(q):
                    r[t + i, t] += y[idx[t], i] * np.sin(x[t + k])
            for k in range(q):
                for i in range(n):
                    r[i + k, k] += x[t + i] * a
            t += 1
        total = s
        for i in range(130):
            for k in range(130):
                total += np.sin(0.1 * r[i, k]) * (i + 0.3 * k)
        return total

    rng = np.random.default_rng(3)
    given = rng.random(40), rng.random((12, 9)), rng.integers(0, 12, 40), 20, 9, 8, 0.7
    _, found = fs.value_and_grad(added, wrt=("x", "y"), method="reverse")(*given)
    wanted = fs.grad(added, wrt=("x", "y"), method="tape")(*given)
    for a, b_ in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b_, rtol=1e-11)

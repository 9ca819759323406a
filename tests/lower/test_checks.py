"""Checks report the first offending index, wherever they were moved to."""

from __future__ import annotations

import numpy as np
import pytest

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

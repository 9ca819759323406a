"""What loops add to the same place in each iteration is added up in registers."""

from __future__ import annotations

import re

import numpy as np
import pytest
from msgspec.structs import replace

import fsmooth as fs
from fsmooth.core.types import F64, INT
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import integer, plus, times
from fsmooth.loops.names import Names
from fsmooth.loops.passes.fixed_places import sums_at_fixed_places

I, J, N, K = (t.Name(name, INT) for name in ("i", "j", "n", "k"))
VALUE = t.Load("x", J, F64)
FIXED = t.Store("a", I, VALUE, accumulate=True)
OWN = t.Store("a", J, VALUE, accumulate=True)


def after(*body: t.Statement, kind: t.Kind = t.Kind.REDUCTION, before: t.Body = ()) -> t.Body:
    loop = t.For("j", N, body, kind)
    return sums_at_fixed_places(t.Function("f", (), (*before, loop)), Names()).body


def test_a_sum_and_then_its_place() -> None:
    declare, loop, store = after(FIXED, OWN, replace(FIXED, value=t.Load("y", J, F64)))
    assert isinstance(declare, t.Declare) and isinstance(loop, t.For) and isinstance(store, t.If)
    assert [type(s) for s in loop.body] == [t.Assign, t.Store, t.Assign]  # one sum for one place
    assert loop.reduced == (declare.name,)
    (last,) = store.then
    assert isinstance(last, t.Store)
    assert (last.buffer, last.index, last.accumulate) == ("a", I, True)


def test_loops_that_run_in_order_stay_so() -> None:
    _, loop, _ = after(FIXED, t.Store("b", integer(0), VALUE), kind=t.Kind.SEQUENTIAL)
    assert isinstance(loop, t.For)
    assert (loop.kind, loop.reduced, loop.simd) == (t.Kind.SEQUENTIAL, (), False)


@pytest.mark.parametrize(
    "body",
    [
        (replace(FIXED, accumulate=False),),
        (replace(FIXED, index=plus(I, J)),),
        (t.Declare("k", INT, times(J, I)), replace(FIXED, index=K)),
        (FIXED, t.Store("b", J, t.Load("a", J, F64))),
        (FIXED, t.Store("a", integer(0), VALUE)),
        (replace(FIXED, value=t.Load("a", K, F64)),),
        (replace(FIXED, index=t.Load("a", K, INT)),),
        (replace(FIXED, value=J),),
        tuple([replace(FIXED, index=plus(I, integer(k))) for k in range(17)]),
    ],
    ids=["stored", "varies", "by a name", "read", "stored, too", "in its value", "in its index", "integers", "many"],
)
def test_others_stay(body: t.Body) -> None:
    assert len(after(*body)) == 1


def test_a_pointer_to_it_that_is_read() -> None:
    pointer = t.Choose("b", F64, "a", integer(0), None, None, None)
    assert len(after(replace(FIXED, value=t.Load("b", J, F64)), before=(pointer,))) == 2
    assert len(after(FIXED, before=(pointer,))) == 4


def energy(x):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            total += 1.0 / (0.1 + sum((x[i, c] - x[j, c]) ** 2 for c in range(3)))
    return total


@pytest.mark.parametrize("n", [0, 1, 2, 3, 9, 40])
def test_forces(n: int) -> None:
    x = np.random.default_rng(n).normal(size=(n, 3))
    d = x[:, None] - x[None]
    expected = (-2.0 * d / (0.1 + (d**2).sum(2))[..., None] ** 2).sum(1)
    for verb in (fs.grad, lambda f: lambda x: fs.value_and_grad(f)(x)[1]):
        np.testing.assert_allclose(verb(energy)(x), expected, rtol=1e-12, atol=1e-12)


def test_the_loop_over_pairs_runs_in_vectors() -> None:
    text = fs.value_and_grad(energy).c_source(np.ones((4, 3)))
    kernel = text[text.index("int32_t value_and_grad_energy(") :]
    (pairs,) = re.findall(r"#pragma omp simd reduction\(\+:([^)]*)\)", kernel)
    assert pairs.count(",") == 3  # the energy and three coordinates
    assert "fs_failed" not in kernel  # range(i + 1, len(x)) is in bounds

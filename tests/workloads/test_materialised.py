"""No derivative of a workload makes an array only to add it to another, or takes memory inside a loop (design §6).

Only the loops are made, no C is compiled.  All sizes are above what is unrolled, built in or kept on the stack.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable

import numpy as np
import pytest
from benchmarks.workloads import (
    ba,
    gmm,
    hand,
    hello,
    ht,
    kmeans,
    llsq,
    lse,
    lstm,
    nnmf,
    ode,
    particle,
    saddle,
    scalar_recurrence,
    tanh_recurrence,
)

import fsmooth as fs
from fsmooth.core.types import F64, INT
from fsmooth.driver import Stages
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import ZERO
from tests.reverse.nests import NESTS
from tests.workloads.materialised import in_rooms, only_passed_on, taken_in_loops

LONG = 40
RANDOM = np.random.default_rng(0)
MIXTURE = (*gmm.generate(LONG, LONG, 50), 1.0)
POINTS = kmeans.generate(60, LONG + 1, LONG)
DIRECTION = np.ones((LONG + 1, LONG))
STEPS = ode.generate(LONG), 10
ROWS = llsq.generate(LONG), 50


def saddle_search() -> Stages:
    """The outer search, which differentiates through the inner one."""
    best = inspect.getclosurevars(saddle.search("rr")).nonlocals["best"]
    return best.compiled(np.ones(2))


WORKLOADS: dict[str, Callable[[], Stages]] = {
    "hello": lambda: hello.double.compiled(2.0),
    "gmm": lambda: gmm.gradient.compiled(*MIXTURE),
    "gmm, hvp": lambda: fs.hvp(gmm.log_posterior, wrt="mu").compiled(*MIXTURE, tangent=MIXTURE[1]),
    "ba": lambda: ba.blocks.compiled(*ba.made(2, 10, 10)),
    "ht": lambda: ht.complicated_columns.compiled(*hand.complicated(800, hand.BIG)),
    "lstm": lambda: lstm.gradient.compiled(*[RANDOM.random(s) for s in ((80, 160), (3, 40), (80, 40), (50, 40))]),
    "kmeans": lambda: kmeans.direction.compiled(*POINTS),
    "kmeans, hvp": lambda: fs.hvp(kmeans.total_cost, wrt="centroids").compiled(*POINTS, tangent=DIRECTION),
    "ode": lambda: ode.gradient.compiled(*STEPS),
    "ode, hvp": lambda: fs.hvp(ode.last, wrt="x").compiled(*STEPS, tangent=STEPS[0]),
    "llsq": lambda: llsq.gradient.compiled(*ROWS),
    "llsq, hvp": lambda: fs.hvp(llsq.half_sum_of_squares, wrt="x").compiled(*ROWS, tangent=ROWS[0]),
    "lse": lambda: lse.gradient.compiled(lse.generate(LONG)),
    "lse, hvp": lambda: fs.hvp(lse.logsumexp).compiled(lse.generate(LONG), tangent=lse.generate(LONG)),
    "nnmf": lambda: nnmf.gradient.compiled(*nnmf.generate(LONG)),
    "tanh": lambda: tanh_recurrence.gradient.compiled(*tanh_recurrence.generate(50, LONG)),
    "scalar": lambda: scalar_recurrence.gradient.compiled(0.5, 0.25, 50),
    "particle": lambda: particle.search("rr").compiled(0.0),
    "saddle": saddle_search,
}

ADDED_AFTERWARDS = {
    "sum_in_fold_in_fold": "one loop adds to all of a result, and to a row of it that is not known to be apart",
}
"""Programs that still make such arrays, and why."""
IN_ROOMS = {"particle": "how many steps of the search inside the other one are saved is known when it has ended"}
"""Workloads with arrays whose sizes are not known before the loops in which they are made, and why."""


def loops_of(stages: Stages) -> list[t.Statement]:
    assert stages.loops is not None
    return stages.loops.kernel.body


@pytest.mark.parametrize("name", WORKLOADS)
def test_workloads(name: str) -> None:
    """An exception that is none any more fails, too."""
    body = loops_of(WORKLOADS[name]())
    assert bool(only_passed_on(body)) == (name in ADDED_AFTERWARDS), only_passed_on(body)
    assert bool(in_rooms(body)) == (name in IN_ROOMS), in_rooms(body)
    assert taken_in_loops(body) == []


def derivatives_of(nest: Callable[..., object]) -> list[Stages]:
    """Gradient, and product of the Hessian with a vector."""
    made = {"x": RANDOM.random(LONG), "w": RANDOM.random((LONG, LONG))}
    names = tuple(inspect.signature(nest).parameters)
    given = [made[name] for name in names]
    gradient = fs.grad(nest, wrt=names, method="reverse").compiled(*given)
    return [gradient, fs.hvp(nest, wrt=names[0]).compiled(*given, tangent=given[0])]


@pytest.mark.parametrize("nest", NESTS, ids=lambda f: f.__name__)
def test_nests(nest: Callable[..., object]) -> None:
    """Neither gradients nor products of Hessians with vectors; an exception that is none any more fails, too."""
    bodies = [loops_of(stages) for stages in derivatives_of(nest)]
    found = [array for body in bodies for array in only_passed_on(body)]
    assert bool(found) == (nest.__name__ in ADDED_AFTERWARDS), found
    assert [array for body in bodies for array in (*taken_in_loops(body), *in_rooms(body))] == []


def test_such_arrays_are_seen() -> None:
    """In loops written here: an array of zeros, added to in a loop, then added to another one or copied."""
    n, i = t.Name("n", INT), t.Name("i", INT)
    fill = t.Fill("a", ZERO, n, F64)
    add = t.For("i", n, (t.Store("a", i, t.Literal(1.0, F64), accumulate=True),), t.Kind.PARALLEL)
    onward = t.For("i", n, (t.Store("b", i, t.Load("a", i, F64), accumulate=True),), t.Kind.PARALLEL)
    copy = t.Copy("b", ZERO, "a", ZERO, n, F64)
    one_hot = t.Store("a", ZERO, t.Literal(1.0, F64))
    for body in ([fill, add, onward], [fill, add, copy], [fill, one_hot, onward], [fill, one_hot, copy]):
        assert only_passed_on([t.Allocate("a", F64, n), *body]) == ["a"]
    read = t.Declare("x", F64, t.Load("a", ZERO, F64))
    assert only_passed_on([t.Allocate("a", F64, n), fill, add, read, onward]) == []
    assert taken_in_loops([t.For("i", n, (t.Allocate("a", F64, n),), t.Kind.PARALLEL)]) == ["a"]
    in_room = t.For("i", n, (t.Allocate("a", F64, n, "r"),), t.Kind.PARALLEL)
    assert (taken_in_loops([in_room]), in_rooms([in_room])) == ([], ["a"])

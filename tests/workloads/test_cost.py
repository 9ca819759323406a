"""Derivatives of the workloads by reverse mode: ≤ 5 × the workload + 10 × (input + output elements), weighed as they run.

Of real functions the gradient with the value is weighed, of others the cotangents of the arguments for one cotangent of the result.
"""

from __future__ import annotations

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
from benchmarks.workloads.descent import minimiser

import fsmooth as fs
from fsmooth.core.term import Lam, Verb
from fsmooth.optimise.schedules import DEFAULT
from tests.frontend.python.test_programs import elaborated
from tests.reverse.routes import made, pulled, result, reversed_
from tests.reverse.weighing import size, weight

Case = tuple[Callable[..., object], tuple[object, ...], tuple[str, ...]]
RANDOM = np.random.default_rng(5)


def landing(w):
    """Where the particle lands, by a potential differentiated in reverse."""
    return particle.landing(w, "reverse")


def saddle_from(x, start):
    """The largest height over y, by a search that differentiates in reverse."""
    return saddle.height(x, minimiser(lambda y: -saddle.height(x, y), start, "reverse", fs.norm))


def small_hand() -> tuple[ht.Hand, np.ndarray]:
    """A hand of few vertices and its triangles."""
    whole, triangles = hand.mesh(*hand.SMALL)
    few = whole._replace(
        base_positions=whole.base_positions[:9], bones_of=whole.bones_of[:9], weights=whole.weights[:9], mirrored=True
    )
    return few, triangles[:5] % 9


def of_hand() -> dict[str, Case]:
    few, triangles = small_hand()
    theta, u, points = RANDOM.random(26), RANDOM.random((4, 2)), RANDOM.random((4, 3))
    where = np.array([0, 3, 1, 3])
    return {
        "ht simple": (ht.simple_errors, (theta, few, where, points), ("theta",)),
        "ht complicated": (ht.complicated_errors, (theta, u, few, triangles, where, points), ("theta", "u")),
    }


WORKLOADS: dict[str, Case] = {
    "hello": (hello.squared, (2.0,), ("x",)),
    "gmm": (gmm.log_posterior, (*gmm.generate(4, 3, 8), 1.0), ("alpha", "mu", "q", "l")),
    "lstm": (lstm.loss, tuple([RANDOM.random(s) for s in ((4, 20), (3, 5), (4, 5), (6, 5))]), ("main", "extra")),
    "kmeans": (kmeans.total_cost, kmeans.generate(12, 4, 3), ("centroids",)),
    "ode": (ode.last, (ode.generate(9), 4), ("x",)),
    "llsq": (llsq.half_sum_of_squares, (llsq.generate(6), 9), ("x",)),
    "lse": (lse.logsumexp, (lse.generate(20),), ("x",)),
    "nnmf": (nnmf.cost, nnmf.generate(7), ("u", "v")),
    "tanh": (tanh_recurrence.loss, tanh_recurrence.generate(5, 4), ("W", "U", "b")),
    "scalar": (scalar_recurrence.last, (0.5, 0.25, 12), ("x", "a")),
    "particle": (landing, (0.3,), ("w",)),
    "saddle": (saddle_from, (np.array([0.5, -0.25]), np.array([1.0, 1.0])), ("x",)),
    "ba": (ba.objective.__wrapped__, ba.made(2, 10, 10), ("cams", "X", "w")),
    **of_hand(),
}


@pytest.mark.parametrize("name", WORKLOADS)
def test_derivatives(name: str) -> None:
    function, arguments, wrt = WORKLOADS[name]
    program = elaborated(function, *arguments)
    given = [*arguments, *[q.fetch() for q in program.parameters if q.fetch is not None]]
    names = [q.name for q in program.parameters]
    term, along = program.term, tuple([names.index(x) for x in wrt])
    primal = DEFAULT(made(term))
    assert isinstance(primal, Lam)
    value = result(primal, *given)
    if isinstance(value, tuple | np.ndarray):
        derivative, needed = DEFAULT(pulled(term, along)), [*given, value]
    else:
        derivative, needed = DEFAULT(reversed_(term, along, Verb.VALUE_AND_GRAD)), given
    assert isinstance(derivative, Lam)
    elements = size(tuple(needed)) + size(result(derivative, *needed))
    own, found = weight(primal, given), weight(derivative, needed)
    assert found <= 5 * own + 10 * elements, f"{name}: {found} where the program costs {own}, {elements} elements"

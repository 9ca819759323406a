"""Small instances of the workloads of the field, and derivatives of them, with arguments."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.workloads import (
    ba,
    det,
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
    scalar_recurrence,
)
from benchmarks.workloads import tanh_recurrence as tanh

import fsmooth as fs

_MIXTURE = gmm.generate(2, 3, 5)
_NETWORK = lstm.made(2, 4, 3)
_FACTORS = nnmf.generate(4)
_SEQUENCE = tanh.generate(4, 3)
_ADJUSTMENT = ba.made(2, 4, 5)
_POINTS = kmeans.generate(12, 3, 2)
_HAND = hand.simple(4)

WORKLOADS: dict[str, tuple[fs.Function, tuple[object, ...]]] = {
    "hello": (hello.square, (3.0,)),
    "hello_grad": (hello.double, (3.0,)),
    "gmm": (gmm.objective, (*_MIXTURE, 1.0)),
    "gmm_grad": (gmm.gradient, (*_MIXTURE, 1.0)),
    "lstm": (lstm.objective, tuple(_NETWORK)),
    "lstm_grad": (lstm.gradient, tuple(_NETWORK)),
    "ba": (ba.objective, tuple(_ADJUSTMENT)),
    "ba_blocks": (ba.blocks, tuple(_ADJUSTMENT)),
    "kmeans": (kmeans.cost, tuple(_POINTS)),
    "kmeans_direction": (kmeans.direction, tuple(_POINTS)),
    "llsq": (llsq.primal, (llsq.generate(5), 7)),
    "llsq_grad": (llsq.gradient, (llsq.generate(5), 7)),
    "lse": (lse.primal, (lse.generate(9),)),
    "lse_grad": (lse.gradient, (lse.generate(9),)),
    "nnmf": (nnmf.primal, tuple(_FACTORS)),
    "nnmf_grad": (nnmf.gradient, tuple(_FACTORS)),
    "ode": (ode.primal, (ode.generate(4), 3)),
    "ode_grad": (ode.gradient, (ode.generate(4), 3)),
    "recurrence": (scalar_recurrence.primal, (0.3, 1.2, 5)),
    "recurrence_grad": (scalar_recurrence.gradient, (0.3, 1.2, 5)),
    "hand": (ht.simple, (_HAND.theta, _HAND.hand, _HAND.vertex_of, _HAND.points)),
    "tanh": (tanh.primal, tuple(_SEQUENCE)),
    "tanh_grad": (tanh.gradient, tuple(_SEQUENCE)),
}
"""Those that need no recursion."""

RECURSIVE: dict[str, tuple[fs.Function, Callable[[], tuple[object, ...]]]] = {
    "det": (det.primal, lambda: (det.generate(3),)),
}
"""Those that Futhark has no word for."""

"""The modules of GradBench that fsmooth takes part in: how a message's input becomes a call, and a result JSON.

Each function takes the input and gives two things: the call to be timed, and what turns its result into the output.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import fsmooth as fs
from benchmarks.workloads import ba, det, gmm, hello, ht, kmeans, llsq, lse, lstm, ode, particle, saddle

Input = Mapping[str, Any]
Prepared = tuple[Callable[[], Any], Callable[[Any], Any]]


def _array(values: Any, *shape: int) -> np.ndarray:
    return np.array(values, dtype=float).reshape(shape) if shape else np.array(values, dtype=float)


def _as_list(result: Any) -> Any:
    return np.asarray(result).tolist()


def _call(function: Callable[..., Any], *arguments: Any, finish: Callable[[Any], Any] = _as_list) -> Prepared:
    return lambda: function(*arguments), finish


# -- gmm ----------------------------------------------------------------------------------------------------------


def _mixture(given: Input) -> tuple[Any, ...]:
    K, d, n = given["k"], given["d"], given["n"]
    below = d * (d - 1) // 2
    mu, q, l = (_array(given[name], K, size) for name, size in (("mu", d), ("q", d), ("l", below)))
    x, gamma = _array(given["x"], n, d), float(given["gamma"])
    return _array(given["alpha"]), mu, q, l, x, gamma, int(given["m"]), gmm.GRADBENCH


def _named(result: Any) -> Any:
    _, gradients = result
    return {name: _as_list(part) for name, part in zip(("alpha", "mu", "q", "l"), gradients, strict=True)}


# -- ba -----------------------------------------------------------------------------------------------------------


def _bundle(given: Input) -> ba.Instance:
    return ba.replicate(*[given[name] for name in ("n", "m", "p", "cam", "x", "w", "feat")])


def _ba_objective(given: Input) -> Prepared:
    def finish(result: Any) -> Any:
        errors, of_weights = result
        return {
            "reproj_error": {"elements": _as_list(errors[0]), "repeated": len(errors)},
            "w_err": {"element": float(of_weights[0]), "repeated": len(of_weights)},
        }

    return _call(ba.objective, *_bundle(given), finish=finish)


def _ba_jacobian(given: Input) -> Prepared:
    problem = _bundle(given)

    def finish(result: Any) -> Any:
        parts = ba.compressed_rows(problem, *result)
        first = [[*part[:30].tolist(), part[-1].item()] for part in parts]
        return dict(zip(("rows", "cols", "vals"), first, strict=True))

    return _call(ba.blocks, *problem, finish=finish)


# -- ht -----------------------------------------------------------------------------------------------------------


def _hand(given: Input) -> ht.Simple | ht.Complicated:
    data, model = given["data"], given["data"]["model"]
    hand = ht.Hand(
        np.array(model["parents"], dtype=np.int64),
        _array(model["base_relatives"]),
        _array(model["inverse_base_absolutes"]),
        _array(model["base_positions"]),
        *ht.bones_and_weights(_array(model["weights"])),
        mirrored=bool(model["is_mirrored"]),
    )
    theta, points = _array(given["theta"]), _array(data["points"], -1, 3)
    of = np.array(data["correspondences"], dtype=np.int64)
    if not given["us"]:
        return ht.Simple(theta, hand, of, points)
    return ht.Complicated(theta, _array(given["us"]), hand, np.array(model["triangles"], dtype=np.int64), of, points)


def _ht_objective(given: Input) -> Prepared:
    return _hand(given).errors, lambda errors: _as_list(errors.ravel())


def _ht_jacobian(given: Input) -> Prepared:
    return _hand(given).jacobian, lambda J: _as_list(J.reshape(-1, J.shape[2]))


# -- the others -----------------------------------------------------------------------------------------------------


def _network(given: Input) -> list[np.ndarray]:
    return [_array(given[name]) for name in ("main_params", "extra_params", "state", "sequence")]


def _flat(result: Any) -> list[float]:
    _, gradients = result
    return [v for part in gradients for v in part.ravel().tolist()]


def _search(search: Callable[[str], fs.Function], argument: str) -> dict[str, Callable[[Input], Prepared]]:
    made = functools.cache(search)

    def function(modes: str, given: Input) -> Prepared:
        start = given[argument]
        return _call(made(modes), _array(start) if isinstance(start, list) else float(start))

    return {modes: functools.partial(function, modes) for modes in ("ff", "fr", "rf", "rr")}


MODULES: dict[str, dict[str, Callable[[Any], Prepared]]] = {
    "hello": {
        "square": lambda x: _call(hello.square, float(x)),
        "double": lambda x: _call(hello.double, float(x)),
    },
    "gmm": {
        "objective": lambda given: _call(gmm.objective, *_mixture(given)),
        "jacobian": lambda given: _call(gmm.gradient, *_mixture(given), finish=_named),
    },
    "ba": {"objective": _ba_objective, "jacobian": _ba_jacobian},
    "ht": {"objective": _ht_objective, "jacobian": _ht_jacobian},
    "lstm": {
        "objective": lambda given: _call(lstm.objective, *_network(given)),
        "jacobian": lambda given: _call(lstm.gradient, *_network(given), finish=_flat),
    },
    "kmeans": {
        "cost": lambda given: _call(kmeans.cost, _array(given["points"]), _array(given["centroids"])),
        "dir": lambda given: _call(kmeans.direction, _array(given["points"]), _array(given["centroids"])),
    },
    "ode": {
        "primal": lambda given: _call(ode.primal, _array(given["x"]), int(given["s"])),
        "gradient": lambda given: _call(ode.gradient, _array(given["x"]), int(given["s"])),
    },
    "llsq": {
        "primal": lambda given: _call(llsq.primal, _array(given["x"]), int(given["n"])),
        "gradient": lambda given: _call(llsq.gradient, _array(given["x"]), int(given["n"])),
    },
    "lse": {
        "primal": lambda given: _call(lse.primal, _array(given["x"])),
        "gradient": lambda given: _call(lse.gradient, _array(given["x"])),
    },
    "det": {
        "primal": lambda given: _call(det.primal, _array(given["A"], given["ell"], given["ell"])),
        "gradient": lambda given: _call(
            det.gradient, _array(given["A"], given["ell"], given["ell"]), finish=lambda found: np.ravel(found).tolist()
        ),
    },
    "particle": _search(particle.search, "w"),
    "saddle": _search(saddle.search, "start"),
}
"""The functions of each module by name."""

"""A session of GradBench with `benchmarks.gradbench` in a process of its own: one line out for each line in, as the protocol wants it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from benchmarks.gradbench import answer
from benchmarks.gradbench_modules import MODULES
from benchmarks.workloads import ba, gmm, hand, ht, in_numpy, kmeans, lstm

ROOT = Path(__file__).parents[2]
RUNS = {"min_runs": 2, "min_seconds": 0.0}


def _hand_of(problem: ht.Complicated) -> dict:
    hand = problem.hand
    dense = np.zeros((len(hand.weights), len(hand.parents)))
    np.put_along_axis(dense, hand.bones_of, hand.weights, axis=1)
    model = {
        "bone_count": len(hand.parents),
        "bone_names": [f"bone {k}" for k in range(len(hand.parents))],
        "parents": hand.parents.tolist(),
        "base_relatives": hand.base_relatives.tolist(),
        "inverse_base_absolutes": hand.inverse_base_absolutes.tolist(),
        "base_positions": hand.base_positions.tolist(),
        "weights": dense.tolist(),
        "triangles": problem.triangles.tolist(),
        "is_mirrored": bool(hand.mirrored),
    }
    data = {"model": model, "correspondences": problem.triangle_of.tolist(), "points": problem.points.tolist()}
    return {"theta": problem.theta.tolist(), "data": data, "us": problem.u.tolist(), **RUNS}


def _inputs() -> dict[str, object]:
    """A small input of each module, as GradBench sends it."""
    mixture = gmm.generate(2, 3, 1)
    names = ("alpha", "mu", "q", "l", "x", "gamma", "m")
    network = lstm.Instance(*[np.random.default_rng(0).random(s) for s in ((2, 8), (3, 2), (2, 2), (5, 2))])
    centroids = kmeans.generate(20, 3, 2)
    ba_file = dict(zip(("n", "m", "p"), (2, 3, 12), strict=True))
    one = ba.made(1, 1, 1)
    return {
        "hello": 3.0,
        "gmm": {
            **{n: np.asarray(v).tolist() for n, v in zip(names, mixture, strict=True)},
            "d": 2,
            "k": 3,
            "n": 1,
            **RUNS,
        },
        "ba": {
            **ba_file,
            "cam": one.cams[0].tolist(),
            "x": one.X[0].tolist(),
            "w": float(one.w[0]),
            "feat": one.feats[0].tolist(),
            **RUNS,
        },
        "ht": _hand_of(hand.complicated(2)),
        "lstm": {
            n: v.tolist() for n, v in zip(("main_params", "extra_params", "state", "sequence"), network, strict=True)
        }
        | RUNS,
        "kmeans": {"points": centroids.points.tolist(), "centroids": centroids.centroids.tolist(), **RUNS},
        "ode": {"x": [0.5, 0.25, 0.75], "s": 10, **RUNS},
        "llsq": {"x": [0.5, 0.25, 0.75], "n": 16, **RUNS},
        "lse": {"x": [0.5, 0.25, 0.75], **RUNS},
        "det": {"A": [2.0, 1.0, 3.0, 5.0], "ell": 2, **RUNS},
        "particle": {"w": 0.0, **RUNS},
        "saddle": {"start": [1.0, 1.0], **RUNS},
    }


INPUTS = _inputs()


def _shape(value: object) -> object:
    """Numbers as 0, lists as the shape of what they hold, objects by field."""
    if isinstance(value, dict):
        return {name: _shape(part) for name, part in value.items()}
    return np.shape(value)


SHAPES = {
    ("hello", "square"): (),
    ("hello", "double"): (),
    ("gmm", "objective"): (),
    ("gmm", "jacobian"): {"alpha": (3,), "mu": (3, 2), "q": (3, 2), "l": (3, 1)},
    ("ba", "objective"): {
        "reproj_error": {"elements": (2,), "repeated": ()},
        "w_err": {"element": (), "repeated": ()},
    },
    ("ba", "jacobian"): {"rows": (31,), "cols": (31,), "vals": (31,)},
    ("ht", "objective"): (6,),
    ("ht", "jacobian"): (6, 28),
    ("lstm", "objective"): (),
    ("lstm", "jacobian"): (22,),
    ("kmeans", "cost"): (),
    ("kmeans", "dir"): (3, 2),
    ("ode", "primal"): (3,),
    ("ode", "gradient"): (3,),
    ("llsq", "primal"): (),
    ("llsq", "gradient"): (3,),
    ("lse", "primal"): (),
    ("lse", "gradient"): (3,),
    ("det", "primal"): (),
    ("det", "gradient"): (4,),
    ("particle", "ff"): (),
    ("saddle", "ff"): (4,),
}


def _session(messages: list[dict]) -> list[dict]:
    text = "".join(json.dumps(m) + "\n" for m in messages)
    made = subprocess.run(
        [sys.executable, "-m", "benchmarks.gradbench"],
        input=text,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ,
        timeout=300,
        check=True,
    )
    return [json.loads(line) for line in made.stdout.splitlines()]


def test_a_session() -> None:
    messages: list[dict] = [{"kind": "start", "eval": "all"}]
    messages += [{"kind": "define", "module": module} for module in [*INPUTS, "sorting"]]
    asked = [(m, f) for m in INPUTS for f in MODULES[m] if f not in ("fr", "rf", "rr")]
    messages += [
        {"kind": "evaluate", "module": m, "function": f, "input": INPUTS[m], "description": "small"} for m, f in asked
    ]
    messages += [{"kind": "analysis", "of": 0, "valid": True}, {"kind": "not known"}]
    messages = [{"id": k, **m} for k, m in enumerate(messages)]
    responses = _session(messages)
    assert [r["id"] for r in responses] == list(range(len(messages)))
    assert responses[0] == {"id": 0, "tool": "fsmooth"}
    defined = responses[1 : 2 + len(INPUTS)]
    assert all(set(r) == {"id", "success"} and r["success"] for r in defined[:-1])
    assert defined[-1] == {"id": 1 + len(INPUTS), "success": False, "error": "fsmooth has no module sorting"}
    evaluated = responses[2 + len(INPUTS) : -2]
    assert set(asked) == set(SHAPES)
    for pair, response in zip(asked, evaluated, strict=True):
        assert response["success"], (pair, response)
        assert set(response) == {"id", "success", "output", "timings"}
        assert _shape(response["output"]) == SHAPES[pair], pair
        runs = [t for t in response["timings"] if t["name"] == "evaluate"]
        assert len(runs) == (1 if pair[0] == "hello" else 2)
        assert all(set(t) == {"name", "nanoseconds"} and type(t["nanoseconds"]) is int for t in response["timings"])
    assert responses[-2:] == [{"id": len(messages) - 2}, {"id": len(messages) - 1}]


def _output(module: str, function: str) -> object:
    response = answer({"id": 1, "kind": "evaluate", "module": module, "function": function, "input": INPUTS[module]})
    assert response["success"], response
    return response["output"]


def test_gmm_has_the_sign_of_gradbench() -> None:
    value, parts = in_numpy.mixture(gmm.generate(2, 3, 1), gmm.GRADBENCH)
    np.testing.assert_allclose(_output("gmm", "objective"), value, rtol=1e-12)
    gradient = _output("gmm", "jacobian")
    found = gmm.in_order_of_adbench(*[np.array(gradient[name]) for name in ("alpha", "mu", "q", "l")])
    np.testing.assert_allclose(found, gmm.in_order_of_adbench(*parts), rtol=1e-10)


def test_ba_is_that_of_the_first_observation_and_the_last_weight() -> None:
    one = ba.made(1, 1, 1)
    errors, J = in_numpy.adjustment(one)
    objective, sparse = _output("ba", "objective"), _output("ba", "jacobian")
    np.testing.assert_allclose(objective["reproj_error"]["elements"], errors[0], rtol=1e-10)
    assert objective["reproj_error"]["repeated"] == objective["w_err"]["repeated"] == 12
    np.testing.assert_allclose(objective["w_err"]["element"], 1.0 - one.w[0] ** 2, rtol=1e-12)
    np.testing.assert_allclose(sparse["vals"], [*np.ravel(J), -2.0 * one.w[0]], rtol=1e-9)
    assert sparse["cols"] == [*range(11), *range(22, 25), 31, *range(11), *range(22, 25), 31, 42]
    assert sparse["rows"] == [*range(0, 361, 15), *range(361, 366), 372]


def test_ht_is_row_by_row() -> None:
    errors, J = in_numpy.hand_errors(hand.complicated(2))
    np.testing.assert_allclose(_output("ht", "objective"), errors.ravel(), rtol=1e-10)
    np.testing.assert_allclose(_output("ht", "jacobian"), J.reshape(6, 28), rtol=1e-8, atol=1e-15)


def test_lstm_is_the_main_parameters_then_the_others() -> None:
    problem = lstm.made(2, 20, 14)
    fields = ("main_params", "extra_params", "state", "sequence")
    given = {field: part.tolist() for field, part in zip(fields, problem, strict=True)}
    response = answer({"id": 1, "kind": "evaluate", "module": "lstm", "function": "jacobian", "input": given})
    np.testing.assert_allclose(response["output"], in_numpy.network(problem)[1], rtol=1e-8)


def test_the_others_are_their_closed_forms() -> None:
    x = np.array(INPUTS["lse"]["x"])
    weights = np.exp(x)
    np.testing.assert_allclose(_output("lse", "primal"), np.log(weights.sum()), rtol=1e-12)
    np.testing.assert_allclose(_output("lse", "gradient"), weights / weights.sum(), rtol=1e-12)
    y = np.cumprod(2.0 * x / [1, 2, 3])
    np.testing.assert_allclose(_output("ode", "primal"), y, rtol=1e-12)
    np.testing.assert_allclose(_output("ode", "gradient"), y[-1] / x, rtol=1e-12)
    t = np.linspace(-1.0, 1.0, 16)
    residual = np.sign(t) - np.vander(t, 3, increasing=True) @ x
    np.testing.assert_allclose(_output("llsq", "primal"), 0.5 * residual @ residual, rtol=1e-12)
    np.testing.assert_allclose(_output("llsq", "gradient"), -np.vander(t, 3, increasing=True).T @ residual, rtol=1e-12)
    points, centroids = (np.array(INPUTS["kmeans"][name]) for name in ("points", "centroids"))
    squared = ((points[:, None] - centroids) ** 2).sum(axis=2)
    means = np.array([points[squared.argmin(axis=1) == k].mean(axis=0) for k in range(3)])
    np.testing.assert_allclose(_output("kmeans", "cost"), squared.min(axis=1).sum(), rtol=1e-12)
    np.testing.assert_allclose(_output("kmeans", "dir"), centroids - means, atol=1e-14)
    assert (_output("hello", "square"), _output("hello", "double")) == (9.0, 6.0)


@pytest.mark.parametrize(
    ("message", "error"),
    [
        ({"module": "sorting", "function": "primal", "input": {}}, "fsmooth has no module sorting"),
        ({"module": "lse", "function": "hessian", "input": {}}, "module lse has no function hessian"),
        ({"module": "lse", "function": "primal", "input": {}}, "KeyError: 'x'"),
        ({"module": "lse", "function": "primal"}, "TypeError: "),
        ({"module": "lse", "function": ["primal"], "input": {}}, "module lse has no function ['primal']"),
        ({"module": "lse", "input": {}}, "module lse has no function None"),
        ({"module": ["lse"], "function": "primal", "input": {}}, "fsmooth has no module ['lse']"),
        ({}, "fsmooth has no module None"),
        ({"module": "lse", "function": "primal", "input": {"x": []}}, "EmptyError: "),
    ],
)
def test_what_cannot_be_answered(message: dict, error: str) -> None:
    response = answer({"id": 7, "kind": "evaluate", **message})
    assert set(response) == {"id", "success", "error"}
    assert response["success"] is False
    assert response["error"].startswith(error)


@pytest.mark.parametrize("named", [{}, {"module": ["lse"]}, {"module": "LSE"}])
def test_what_cannot_be_defined(named: dict) -> None:
    response = answer({"id": 7, "kind": "define", **named})
    assert response == {"id": 7, "success": False, "error": f"fsmooth has no module {named.get('module')}"}


def test_every_mode_of_the_searches_gives_the_published_number() -> None:
    """Within what GradBench allows, |a - b| / max(1, |a| + |b|) <= 1e-4, and much less."""
    for modes in ("ff", "fr", "rf", "rr"):
        assert _output("particle", modes) == pytest.approx(0.2071918746486116, rel=1e-12)
        assert _output("saddle", modes) == pytest.approx([8.246324826140356e-06] * 4, rel=1e-12)


def test_a_result_that_is_not_json_is_an_error() -> None:
    response = answer(
        {"id": 1, "kind": "evaluate", "module": "llsq", "function": "primal", "input": {"x": [1.0], "n": 1}}
    )
    assert response["success"] is False
    assert "JSON" in response["error"]


def test_every_run_is_counted_until_there_are_enough_and_they_took_long_enough() -> None:
    given = {"x": [1.0, 2.0], "min_runs": 3, "min_seconds": 0.01}
    response = answer({"id": 1, "kind": "evaluate", "module": "lse", "function": "primal", "input": given})
    times = [t["nanoseconds"] for t in response["timings"] if t["name"] == "evaluate"]
    assert sum(times) >= 1e7
    assert sum(times[:-1]) < 1e7
    assert len(times) >= 3

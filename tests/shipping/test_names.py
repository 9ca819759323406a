"""What results are called in C, and the header as it should read (`FSMOOTH_GOLDEN=write pytest tests/shipping` writes it anew)."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from benchmarks.workloads import product_sum

import fsmooth as fs


class Pose(NamedTuple):
    at: float
    angle: float


def step(x, u, dt):
    """The state a moment later."""
    x_next = np.array([x[i] + dt * u[i % len(u)] for i in range(len(x))])
    return x_next


def loss(W, b):
    return np.sum((W @ b) ** 2)


def lengths(points: fs.Array[n, 3]):  # noqa: F821
    """Of points in space."""
    return [np.linalg.norm(p) for p in points]


def both(x):
    return np.sin(x), np.sum(x)


def moved(pose: Pose, d):
    return Pose(pose.at + d * np.cos(pose.angle), pose.angle)


M, V = np.ones((2, 2)), np.ones(2)
NAMES = {
    "x_next": (fs.function(step), (V, V, 0.1)),
    "dx_next_du": (fs.jacobian(step, wrt="u"), (V, V, 0.1)),
    "dx_next_dx dx_next_du": (fs.jacobian(step, wrt=("x", "u")), (V, V, 0.1)),
    "value": (fs.function(loss), (M, V)),
    "result": (fs.function(lambda x: x * 2.0), (V,)),
    "dW": (fs.grad(loss), (M, V)),
    "dW db": (fs.grad(loss, wrt=("W", "b")), (M, V)),
    "value dW": (fs.value_and_grad(loss), (M, V)),
    "ddW_dW": (fs.hessian(loss), (M, V)),
    "value dvalue": (fs.jvp(loss), (M, V)),
    "product": (fs.hvp(loss), (M, V)),
    "result_0 result_1": (fs.function(both), (V,)),
    "dboth_0_dx dboth_1_dx": (fs.jacobian(both), (V,)),
    "at angle": (fs.function(moved), (Pose(0.0, 1.0), 0.5)),
    "dt_0": (fs.grad(lambda t: t[0] * t[1]), ((1.0, 2),)),
    "dpose_at dpose_angle": (fs.grad(lambda pose: pose.at * np.sin(pose.angle)), (Pose(0.0, 1.0),)),
    "dmoved_at_dpose_at dmoved_at_dpose_angle dmoved_angle_dpose_at dmoved_angle_dpose_angle": (
        fs.jacobian(moved),
        (Pose(0.0, 1.0), 0.5),
    ),
}


def test_of_gradients_by_trees(tmp_path):
    given = product_sum.Node(product_sum.Leaf(2.0), product_sum.Leaf(3.0), 4.0), product_sum.A, product_sum.B
    _, header = fs.library("l", f=fs.grad(product_sum.total)).save(tmp_path / "l", example=given)
    results = re.findall(r"gives (\w+)", header.read_text())
    assert results == ["dt_node", "dt_Leaf_value", "dt_Node_left", "dt_Node_right", "dt_Node_value"]


@pytest.mark.parametrize("names", NAMES)
def test_of_results(names, tmp_path):
    f, example = NAMES[names]
    if f.program.name in ("jvp_loss", "hvp_loss"):
        example = (example[0], M, example[1])
    _, header = fs.library("l", f=f, memory="caller").save(tmp_path / "l", example=example)
    prototype = re.search(r"int32_t l_f\(([^;]*)\);", header.read_text())
    assert prototype is not None
    parts = [" ".join(part.split()) for part in prototype[1].split(",")]
    results = [part.split("*")[1] for part in parts[:-3] if "*" in part and "const" not in part]
    assert results == names.split()


def test_words_of_cpp_and_own_names(tmp_path):
    def f(new, work, size, template, value):
        return new * work * size * template * value

    _, header = fs.library("l", f, memory="caller").save(tmp_path / "l", example=(1.0,) * 5)
    text = " ".join(header.read_text().split())
    inputs = "double new_, double work, double size, double template_, double value, double *value_"
    assert f"int32_t l_f({inputs}, void *work_, size_t size_, fs_error *error);" in text.replace("( ", "(")


def test_the_header_reads_as_it_should(tmp_path):
    slope = fs.grad(loss)
    shipped = fs.library("robot", step, fs.jacobian(step, wrt="u"), lengths, memory="caller", slope=slope)
    state = (np.ones(4), np.ones(3), 0.1)
    examples = {"step": state, "jacobian_step": state, "slope": (M, V), "lengths": (np.ones((4, 3)),)}
    _, header = shipped.save(tmp_path / "robot", example=examples)
    text = header.read_text().replace(f"fsmooth {fs.__version__}", "fsmooth VERSION")
    golden = Path(__file__).parent / "golden" / "robot.h"
    if os.environ.get("FSMOOTH_GOLDEN") == "write":
        golden.write_text(text)
    assert text == golden.read_text()

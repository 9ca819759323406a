"""Outside cases over trees, lists and sums as programs over classes (tests/cases has them over arrays)."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.demo.data import folder
from tests.trees.objects import reals
from tests.trees.programs import Cell, cells


def checks(name: str) -> list[Any]:
    """The checks of a case; skipped by its name where its file is not here."""
    path = (folder() or Path("no folder")) / "cases" / f"{name}.json"
    if not path.is_file():
        reason = f"not here: cases/{name}.json (set FSMOOTH_DATA)"
        return [pytest.param(None, id=name, marks=pytest.mark.skip(reason=reason))]
    return [pytest.param(c, id=f"{name}-{k}") for k, c in enumerate(json.loads(path.read_text())["checks"])]


METHODS = pytest.mark.parametrize("method", ["forward", "reverse"])


@dataclass
class Empty:
    pass


@dataclass
class Branch:
    left: Empty | Branch
    data: float
    right: Empty | Branch


def value(t, at_leaf):
    """The closure that Lantern's test hands down is an argument here."""
    match t:
        case Empty():
            return at_leaf()
        case Branch(l, data, r):
            return value(l, at_leaf) * value(r, at_leaf) * data


def tree_of(data: list[float], left: list[int], right: list[int], at: int = 0) -> Empty | Branch:
    """As objects."""
    if at < 0:
        return Empty()
    return Branch(tree_of(data, left, right, left[at]), data[at], tree_of(data, left, right, right[at]))


def tree_recursion(t, x, para):
    return value_with(t, x, para)


def value_with(t, x, para):
    match t:
        case Empty():
            return x
        case Branch(l, data, r):
            return value_with(l, x, para) * value_with(r, x, para) * data * para


def tree_closure(t, x):
    return value(t, lambda: x)


@METHODS
@pytest.mark.parametrize("check", checks("lan_tree_recursion"))
def test_tree_recursion(check: Any, method: str) -> None:
    given = check["inputs"]
    tree = tree_of(given["data"], given["lch"], given["rch"])
    found = fs.grad(tree_recursion, wrt=("x", "para"), method=method)(tree, given["x"], given["para"])
    assert found == pytest.approx(check["expected"], rel=check["tol"])
    if given["para"] == 1.0:
        assert fs.grad(tree_closure, wrt="x", method=method)(tree, given["x"]) == pytest.approx(check["expected"][0])


def head(c):
    return 2.0 if c is None else c.head + 3.0


def alternating(c, is_odd):
    """Two constructors in turn in the case; here what is done with them."""
    match c:
        case None:
            return 0.0
        case Cell(x, rest) if is_odd:
            return x + alternating(rest, False)
        case Cell(head=x, tail=rest):
            return alternating(rest, True) + x


@METHODS
@pytest.mark.parametrize("check", checks("dr_list_length_dependent"))
def test_list(check: Any, method: str) -> None:
    given = check["inputs"]
    cell = cells(*given["l"])
    if given["kind"] == "head":
        gradient = fs.grad(head, method=method)(cell)
    else:
        gradient = fs.grad(alternating, wrt="c", method=method)(cell, True)
    assert reals(gradient) == pytest.approx(check["expected"], rel=check["tol"])


@dataclass
class Wall:
    normal: fs.Array[3]
    offset: float


@dataclass
class Sphere:
    centre: fs.Array[3]
    radius: float


@dataclass
class Block:
    centre: fs.Array[3]
    half: fs.Array[3]
    angle: float


@dataclass
class Scene:
    """Shapes, of which the nearest counts."""

    shape: Wall | Sphere | Block
    others: Scene | None = None


def norm(v):
    return math.sqrt(np.sum(v * v))


def distance_to(shape, p):
    match shape:
        case Wall(n, offset):
            return offset + n @ p
        case Sphere(centre, radius):
            return max(norm(p - centre) - radius, 0.0)
        case Block(centre, half, angle):
            q = p - centre
            c, s = math.cos(angle), math.sin(angle)
            r = np.array([c * q[0] - s * q[2], q[1], s * q[0] + c * q[2]])
            return norm(np.maximum(np.abs(r) - half, 0.0))


def distance(scene, p):
    here = distance_to(scene.shape, p)
    return here if scene.others is None else min(here, distance(scene.others, p))


SHAPES: list[Wall | Sphere | Block] = [
    Wall(np.array([1.0, 0.0, 0.0]), 2.0),
    Sphere(np.array([-1.0, -1.2, 0.2]), 0.8),
    Block(np.array([1.0, -1.6, 1.2]), np.array([0.6, 0.8, 0.6]), -0.5),
]


@METHODS
@pytest.mark.parametrize("check", checks("fut_sum_type_sdf"))
def test_sum_type(check: Any, method: str) -> None:
    shape = SHAPES[check["inputs"]["kind"]]
    p = np.array(check["inputs"]["p"])
    for scene in (Scene(shape), Scene(Wall(np.array([0.0, 0.0, 0.0]), 1e3), Scene(shape))):
        found = fs.grad(distance, wrt="p", method=method)(scene, p)
        np.testing.assert_allclose(found, check["expected"], rtol=check["tol"], atol=check["tol"])
    found = fs.grad(distance_to, wrt="p", method=method)(shape, p)  # a record: its class is known while compiling
    np.testing.assert_allclose(found, check["expected"], rtol=check["tol"], atol=check["tol"])


def test_shapes_of_our_own() -> None:
    scene = Scene(SHAPES[0], Scene(SHAPES[1], Scene(SHAPES[2])))
    for p in (np.array([0.3, -1.5, 1.0]), np.array([-1.9, 0.3, 0.1]), np.array([2.0, 1.5, 3.0])):
        assert fs.function(distance)(scene, p) == pytest.approx(distance(scene, p), rel=1e-12)
        assert fs.check_derivative(distance, scene, p, wrt=("scene", "p"))

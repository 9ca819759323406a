"""The main job: the Ladybug problem and the made one, from start to end, and the solver on a small problem."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from fsmooth.demo import data
from fsmooth.demo import problem as problems
from fsmooth.demo.adjustment import Problem, read
from fsmooth.demo.bundle_adjustment import main
from fsmooth.demo.problem import LADYBUG, load
from fsmooth.demo.scene import blocks, made, seen
from fsmooth.demo.solver import levenberg_marquardt

published = pytest.mark.skipif(data.here(LADYBUG) is None, reason=f"not here: {LADYBUG.path} (set FSMOOTH_DATA)")


def _turned(r: np.ndarray, x: np.ndarray) -> np.ndarray:
    angle = np.sqrt((r * r).sum(-1))[:, None]
    w = r / angle
    along = (w * x).sum(-1)[:, None]
    return x * np.cos(angle) + np.cross(w, x) * np.sin(angle) + w * along * (1 - np.cos(angle))


def _seen(camera: np.ndarray, x: np.ndarray) -> np.ndarray:
    P = _turned(camera[:, :3], x) + camera[:, 3:6]
    u = -P[:, :2] / P[:, 2:]
    n = (u * u).sum(-1)[:, None]
    return camera[:, 6:7] * (1 + camera[:, 7:8] * n + camera[:, 8:9] * n * n) * u


@published
def test_the_ladybug_problem_is_read_and_starts_at_the_known_cost():
    problem = load()
    assert problem.name.startswith("the Ladybug problem (")
    assert problem.cameras.shape == (49, 9)
    assert problem.points.shape == (7776, 3)
    assert problem.observed.shape == (31843, 2)
    r = _seen(problem.cameras[problem.camera_of], problem.points[problem.point_of]) - problem.observed
    np.testing.assert_allclose(0.5 * np.vdot(r, r), 8.509124606808e05, rtol=1e-11)


def test_without_the_ladybug_problem_a_scene_is_made_and_solved_to_its_minimum(tmp_path, capsys, monkeypatch):
    def missing(file: data.Published) -> data.Found:
        raise data.Missing(f"{file.path} cannot be had")

    monkeypatch.setattr(problems, "find", missing)
    assert main(["--png", str(tmp_path / "x.png")]) == 0
    out, error = capsys.readouterr()
    assert error == f"{LADYBUG.path} cannot be had\na scene is made instead\n"
    assert out.startswith("a made scene (seed 0)\n49 cameras, 7776 points, 31843 observations;")
    found = re.search(r"^its minimum is (\S+): .*\nfinal cost (\S+) after \d+ iterations in .*\n\Z", out, re.MULTILINE)
    assert found is not None
    assert [float(x) for x in found.groups()] == pytest.approx([made().start.minimum] * 2, rel=1e-6)
    assert (tmp_path / "x.png").stat().st_size > 10_000


def test_the_true_cameras_of_a_made_scene_are_a_minimum():
    """The errors are orthogonal to the Jacobian there; where a solver starts the cost is far above."""
    start, true = made(1)
    assert (len(true.cameras), len(true.points), len(true.observed)) == (49, 7776, 31843)
    assert len(set(zip(true.camera_of, true.point_of, strict=True))) == 31843  # no camera sees a point twice
    assert np.bincount(true.point_of).min() >= 3
    errors = _seen(true.cameras[true.camera_of], true.points[true.point_of]) - true.observed
    assert 0.5 * np.vdot(errors, errors) == pytest.approx(true.minimum, rel=1e-12)
    by_camera, by_point = _blocks(true, true.cameras, true.points)
    of_cameras, of_points = np.zeros((2, 49, 9)), np.zeros((2, 7776, 3))
    for k, (e, c, x) in enumerate([(errors, by_camera, by_point), (abs(errors), abs(by_camera), abs(by_point))]):
        np.add.at(of_cameras[k], true.camera_of, np.einsum("pij,pi->pj", c, e))
        np.add.at(of_points[k], true.point_of, np.einsum("pij,pi->pj", x, e))
    assert np.all(abs(of_cameras[0]) < 1e-9 * of_cameras[1])
    assert np.all(abs(of_points[0]) < 1e-9 * of_points[1])
    far = _seen(start.cameras[start.camera_of], start.points[start.point_of]) - start.observed
    assert np.vdot(far, far) > 100 * np.vdot(errors, errors)
    lengths = np.hypot(*errors.T)
    assert np.percentile(lengths, 99.9) > 10 > 1 > np.median(lengths) > 0.3  # noise, and outliers


def test_what_a_made_scene_sees_and_its_derivatives_are_the_model():
    scene = made(2).true
    given = scene.cameras[scene.camera_of], scene.points[scene.point_of]
    np.testing.assert_allclose(seen(*given), _seen(*given), rtol=1e-12)
    for found, wanted in zip(blocks(scene), _blocks(scene, scene.cameras, scene.points), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)


def test_a_ladybug_problem_that_is_another_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    (tmp_path / "bal").mkdir()
    (tmp_path / LADYBUG.path).write_bytes(b"0 0 0")
    monkeypatch.setenv("FSMOOTH_DATA", str(tmp_path))
    assert main([]) == 1
    said = capsys.readouterr().err
    assert said.startswith(
        f"the Ladybug problem cannot be read as a problem: {tmp_path / LADYBUG.path} is not the file of "
    )


@pytest.mark.parametrize("content", [b"", b"1 1", b"1 1 1 0 0 2.5"])
def test_a_file_that_is_no_problem(content, tmp_path: Path, capsys):
    path = tmp_path / "x.txt"
    path.write_bytes(content)
    assert main([str(path)]) == 1
    assert re.match(f"{path} cannot be read as a problem: .*numbers", capsys.readouterr().err)
    with pytest.raises(ValueError, match="numbers"):
        read(content, "x")


def _small() -> tuple[Problem, Problem]:
    rng = np.random.default_rng(0)
    n, m = 4, 30
    cameras = np.zeros((n, 9))
    cameras[:, :3] = rng.normal(size=(n, 3)) * 0.2
    cameras[:, 3:6] = rng.normal(size=(n, 3)) * 0.2 + [0, 0, -5]
    cameras[:, 6] = 500.0
    points = rng.normal(size=(m, 3))
    camera_of, point_of = np.repeat(np.arange(n), m), np.tile(np.arange(m), n)
    observed = _seen(cameras[camera_of], points[point_of])
    moved = cameras + rng.normal(size=cameras.shape) * 0.01 * np.r_[[1.0] * 6, 10.0, 0.1, 0.1]
    start = Problem(moved, points + rng.normal(size=points.shape) * 0.02, camera_of, point_of, observed)
    return start, Problem(cameras, points, camera_of, point_of, observed)


def _blocks(problem: Problem, cameras: np.ndarray, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    c, x = cameras[problem.camera_of].astype(complex), points[problem.point_of].astype(complex)
    step = 1e-30j
    jc = np.stack([_seen(c + step * np.eye(9)[k], x).imag / 1e-30 for k in range(9)], axis=-1)
    jp = np.stack([_seen(c, x + step * np.eye(3)[k]).imag / 1e-30 for k in range(3)], axis=-1)
    return jc, jp


def test_a_small_problem_without_noise_is_solved_to_zero():
    start, _ = _small()

    def model(cameras: np.ndarray, points: np.ndarray) -> np.ndarray:
        return _seen(cameras[start.camera_of], points[start.point_of]) - start.observed

    _, _, steps = levenberg_marquardt(start, model, lambda c, x: _blocks(start, c, x), 40)
    taken = [s.cost for s in steps if s.accepted]
    assert taken == sorted(taken, reverse=True)
    assert steps[-1].cost < 1e-8 * steps[0].cost


def test_a_point_behind_all_damping_is_refused_and_the_cost_never_rises():
    start, _ = _small()
    calls = []

    def model(cameras: np.ndarray, points: np.ndarray) -> np.ndarray:
        calls.append(1)
        r = _seen(cameras[start.camera_of], points[start.point_of]) - start.observed
        return r * np.nan if len(calls) == 2 else r

    _, _, steps = levenberg_marquardt(start, model, lambda c, x: _blocks(start, c, x), 5)
    assert not steps[1].accepted
    assert steps[-1].cost < steps[0].cost

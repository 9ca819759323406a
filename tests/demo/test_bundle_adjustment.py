"""The main job: the loader, the cost at the start, and the solver on a small problem."""

from __future__ import annotations

import numpy as np

from fsmooth.demo.problem import Problem, load
from fsmooth.demo.solver import levenberg_marquardt


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


def test_the_problem_is_read_and_starts_at_the_known_cost():
    problem = load()
    assert problem.cameras.shape == (49, 9)
    assert problem.points.shape == (7776, 3)
    assert problem.observed.shape == (31843, 2)
    r = _seen(problem.cameras[problem.camera_of], problem.points[problem.point_of]) - problem.observed
    np.testing.assert_allclose(0.5 * np.vdot(r, r), 8.509124606808e05, rtol=1e-11)


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

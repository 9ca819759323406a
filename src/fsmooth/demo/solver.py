"""Levenberg–Marquardt with a Schur complement: points are eliminated, a dense system for the cameras is solved.

The normal equations (JᵀJ + λ D) δ = -Jᵀr have the block form [[U, W], [Wᵀ, V]] with V block-diagonal (3 × 3, one
for each point), so that S = U - W V⁻¹ Wᵀ is all that has to be factorised (Triggs et al. 1999, §6).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from fsmooth.demo.adjustment import Floats, Ints, Problem

Model = Callable[[Floats, Floats], Floats]
Blocks = Callable[[Floats, Floats], tuple[Floats, Floats]]


@dataclass(frozen=True)
class Step:
    """One iteration: its number, the cost (½ Σ r²) after it, the damping, and whether the step was taken."""

    iteration: int
    cost: float
    damping: float
    gain: float
    accepted: bool


class System:
    """The normal equations of a problem; the structure of the sparse matrices is made once."""

    def __init__(self, problem: Problem) -> None:
        self.n, self.m, self.p = len(problem.cameras), len(problem.points), len(problem.observed)
        self.camera_of, self.point_of = problem.camera_of, problem.point_of
        ones, rows = np.ones(self.p), np.arange(self.p)
        self.by_camera = sp.csr_matrix((ones, (problem.camera_of, rows)), (self.n, self.p))
        self.by_point = sp.csr_matrix((ones, (problem.point_of, rows)), (self.m, self.p))
        self.in_cameras = _Pattern(problem.camera_of, problem.point_of, self.n)
        self.in_points = _Pattern(problem.point_of, problem.camera_of, self.m)

    def assemble(self, jc: Floats, jp: Floats, r: Floats) -> None:
        """JᵀJ by blocks, and Jᵀr."""
        jct, jpt = jc.transpose(0, 2, 1), jp.transpose(0, 2, 1)
        self.u = (self.by_camera @ (jct @ jc).reshape(self.p, 81)).reshape(self.n, 9, 9)
        self.v = (self.by_point @ (jpt @ jp).reshape(self.p, 9)).reshape(self.m, 3, 3)
        self.w = jct @ jp
        self.gc = self.by_camera @ (jct @ r[:, :, None])[:, :, 0]
        self.gp = self.by_point @ (jpt @ r[:, :, None])[:, :, 0]

    def solve(self, damping: float) -> tuple[Floats, Floats]:
        """The step for cameras (n, 9) and points (m, 3) with damping on the diagonal."""
        u, v = _damped(self.u, damping), _damped(self.v, damping)
        vinv = np.linalg.inv(v)
        wv = self.w @ vinv[self.point_of]
        reduced = scipy.linalg.block_diag(*u) - self._outer(wv)
        right = self.gc - self.by_camera @ (wv @ self.gp[self.point_of][:, :, None])[:, :, 0]
        with threadpool_limits(1):  # a system this small is solved faster by one thread
            factor = scipy.linalg.cho_factor(reduced, check_finite=False)
            dc = -scipy.linalg.cho_solve(factor, right.ravel()).reshape(self.n, 9)
        wd = self.by_point @ (self.w.transpose(0, 2, 1) @ dc[self.camera_of][:, :, None])[:, :, 0]
        dp = -(vinv @ (self.gp + wd)[:, :, None])[:, :, 0]
        return dc, dp

    def _outer(self, wv: Floats) -> Floats:
        """Σ over points of W V⁻¹ Wᵀ, as a product of sparse matrices of 9 × 3 blocks."""
        left = self.in_cameras.matrix(wv, (9 * self.n, 3 * self.m))
        right = self.in_points.matrix(self.w.transpose(0, 2, 1), (3 * self.m, 9 * self.n))
        return np.asarray((left @ right).toarray())

    def predicted(self, dc: Floats, dp: Floats, damping: float) -> float:
        """The decrease of the cost that the quadratic model promises."""
        diagonal_c = np.einsum("nii->ni", self.u)
        diagonal_p = np.einsum("mii->mi", self.v)
        scaled = damping * (np.vdot(dc, diagonal_c * dc) + np.vdot(dp, diagonal_p * dp))
        return float(0.5 * (scaled - np.vdot(dc, self.gc) - np.vdot(dp, self.gp)))


class _Pattern:
    """Where the blocks of a sparse matrix are: made once, filled often."""

    def __init__(self, rows: Ints, columns: Ints, count: int) -> None:
        self.order = np.lexsort((columns, rows))
        self.columns = columns[self.order]
        self.pointers = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=count))])

    def matrix(self, blocks: Floats, shape: tuple[int, int]) -> sp.bsr_matrix:
        """The matrix with these blocks, one for each observation."""
        return sp.bsr_matrix((np.ascontiguousarray(blocks[self.order]), self.columns, self.pointers), shape)


def _damped(blocks: Floats, damping: float) -> Floats:
    result = blocks.copy()
    k = np.arange(blocks.shape[1])
    result[:, k, k] *= 1.0 + damping
    return result


def levenberg_marquardt(
    problem: Problem,
    model: Model,
    blocks: Blocks,
    iterations: int = 30,
    report: Callable[[Step], None] = lambda step: None,
    tolerance: float = 1e-6,
) -> tuple[Floats, Floats, list[Step]]:
    """Minimise ½ Σ |model(cameras, points)|².

    Gives cameras, points and the steps.  Damping falls after a step that kept its promise, stays after one that
    half did, and grows ever faster while steps are refused.  It ends when a step
    taken lowers the cost by less than `tolerance` times the cost, or after `iterations`.
    """
    cameras, points = problem.cameras.copy(), problem.points.copy()
    system = System(problem)
    r = model(cameras, points)
    cost = 0.5 * float(np.vdot(r, r))
    steps = [Step(0, cost, 1e-4, 0.0, accepted=True)]
    report(steps[0])
    damping, growth = 1e-4, 2.0
    stale = True
    for k in range(1, iterations + 1):
        if stale:
            jc, jp = blocks(cameras, points)
            system.assemble(jc, jp, r)
        dc, dp = system.solve(damping)
        trial = model(cameras + dc, points + dp)
        new = 0.5 * float(np.vdot(trial, trial))
        gain = (cost - new) / system.predicted(dc, dp, damping)
        stale = bool(np.isfinite(new) and gain > 1e-4)
        used = damping
        if stale:
            cameras, points, r = cameras + dc, points + dp, trial
            decrease, cost = cost - new, new
            damping = max(damping * (0.4 if gain > 0.75 else 1.0 if gain > 0.25 else 3.0), 1e-12)
            growth = 2.0
        else:
            damping, growth = damping * growth, growth * 2.0
        steps.append(Step(k, cost, used, gain, stale))
        report(steps[-1])
        if stale and decrease <= tolerance * cost:
            break
    return cameras, points, steps

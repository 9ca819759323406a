"""The workloads of ADBench once more, in NumPy: their right derivatives by closed forms and complex steps, without fsmooth."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.workloads.ht import Complicated, Hand, Simple

if TYPE_CHECKING:
    from benchmarks.workloads import ba, gmm, lstm

_STEP = 1e-30


def by_complex_steps(f: Callable[[np.ndarray], np.ndarray], x: np.ndarray) -> np.ndarray:
    """The Jacobian of a function of a vector, its columns along the last axis."""
    units = np.eye(len(x))
    return np.stack([np.imag(f(x + 1j * _STEP * unit)) / _STEP for unit in units], axis=-1)


def mixture(problem: gmm.Instance, sign: float) -> tuple[float, tuple[np.ndarray, ...]]:
    """The log-posterior and its gradients by alpha, mu, q and l, from each point's share in each Gaussian."""
    alpha, mu, q, l, x, gamma, m = problem
    (n, d), K = x.shape, len(alpha)
    columns, rows = np.triu_indices(d, 1)  # below the diagonal, column by column
    Q = np.zeros((K, d, d))
    Q[:, range(d), range(d)] = np.exp(q)
    Q[:, rows, columns] = l
    centred = x - mu[:, None]
    z = centred @ Q.transpose(0, 2, 1)
    terms = alpha[:, None] + q.sum(axis=1)[:, None] - 0.5 * (z**2).sum(axis=2)
    top = terms.max(axis=0)
    powers = np.exp(terms - top)
    share, weights = powers / powers.sum(axis=0), np.exp(alpha - alpha.max())
    N = d + m + 1
    log_gamma = 0.25 * d * (d - 1) * math.log(math.pi) + sum([math.lgamma(0.5 * (N - j)) for j in range(d)])
    constant = N * d * (math.log(gamma) - 0.5 * math.log(2.0)) - log_gamma
    prior = 0.5 * gamma**2 * (np.exp(2.0 * q).sum() + (l**2).sum()) - m * q.sum() - K * constant
    likelihood = (top + np.log(powers.sum(axis=0))).sum() - n * (alpha.max() + math.log(weights.sum()))
    value = likelihood - 0.5 * n * d * math.log(2.0 * math.pi) + sign * prior
    by_Q = -np.einsum("ki,kir,kic->krc", share, z, centred)
    by_alpha = share.sum(axis=1) - n * weights / weights.sum()
    by_mu = np.einsum("ki,kir,krc->kc", share, z, Q)
    by_q = share.sum(axis=1)[:, None] + np.einsum("krr->kr", by_Q) * np.exp(q)
    by_q = by_q + sign * (gamma**2 * np.exp(2.0 * q) - m)
    return float(value), (by_alpha, by_mu, by_q, by_Q[:, rows, columns] + sign * gamma**2 * l)


def network(problem: lstm.Instance) -> tuple[float, np.ndarray]:
    """The loss and its gradient by `main` and `extra`, one after the other: all complex steps at once."""
    main, extra, state, sequence = problem
    size = main.size + extra.size
    moved = np.concatenate([main.ravel(), extra.ravel()]) + 1j * _STEP * np.eye(size)
    mains, extras = np.split(moved, [main.size], axis=1)
    loss = _loss(mains.reshape(size, *main.shape), extras.reshape(size, *extra.shape), state, sequence)
    return float(loss[0].real), loss.imag / _STEP


def _loss(main: np.ndarray, extra: np.ndarray, state: np.ndarray, sequence: np.ndarray) -> np.ndarray:
    """Of many networks: main (s, 2l, 4b) and extra (s, 3, b)."""
    layers, b = len(state) // 2, state.shape[1]
    weights, biases = main[:, 0::2].reshape(-1, layers, 4, b), main[:, 1::2].reshape(-1, layers, 4, b)
    hidden, cell = list(state[0::2]), list(state[1::2])
    total = np.zeros(len(main), dtype=main.dtype)
    for seen, after in pairwise(sequence):
        x = seen * extra[:, 0]
        for i in range(layers):
            forget, ingate, outgate, change = [
                given * weights[:, i, k] + biases[:, i, k] for k, given in enumerate((x, hidden[i], x, hidden[i]))
            ]
            cell[i] = cell[i] * _sigmoid(forget) + _sigmoid(ingate) * np.tanh(change)
            x = hidden[i] = _sigmoid(outgate) * np.tanh(cell[i])
        y = x * extra[:, 1] + extra[:, 2]
        total += (after * (y - np.log(2.0 + np.exp(y).sum(axis=1))[:, None])).sum(axis=1)
    return -total / (b * (len(sequence) - 1))


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-x))


def reprojections(problem: ba.Instance) -> np.ndarray:
    """Where the points are seen: (p, 2)."""
    return _reprojected(problem.cams[problem.cam_of].T, problem.X[problem.point_of].T).T


def adjustment(problem: ba.Instance) -> tuple[np.ndarray, np.ndarray]:
    """The reprojection errors (p, 2) and their blocks (p, 2, 15), by camera, point and weight."""
    parts = problem.cams[problem.cam_of], problem.X[problem.point_of], problem.w[:, None]
    given = np.concatenate(parts, axis=1).T

    def errors(x: np.ndarray) -> np.ndarray:
        return x[14] * (_reprojected(x[:11], x[11:14]) - problem.feats.T)

    steps = 1j * _STEP * np.eye(15)[:, :, None]
    blocks = np.array([errors(given + step).imag / _STEP for step in steps])
    return errors(given).T, blocks.transpose(2, 1, 0)


def _reprojected(cam: np.ndarray, X: np.ndarray) -> np.ndarray:
    """Where cameras (11, p) see points (3, p): (2, p)."""
    r, y = cam[:3], X - cam[3:6]
    angle = np.sqrt((r * r).sum(axis=0))
    v = r / angle
    along = v * (v * y).sum(axis=0) * (1.0 - np.cos(angle))
    P = y * np.cos(angle) + np.cross(v, y, axis=0) * np.sin(angle) + along
    u = P[:2] / P[2]
    squared = (u * u).sum(axis=0)
    return cam[6] * (1.0 + cam[9] * squared + cam[10] * squared**2) * u + cam[7:9]


def hand_positions(theta: np.ndarray, hand: Hand) -> np.ndarray:
    """Where the vertices are in a pose: (M, 3)."""
    absolute = np.zeros((len(hand.parents), 4, 4), dtype=theta.dtype)
    for i, parent in enumerate(hand.parents):
        turned = np.eye(4, dtype=theta.dtype)
        finger, joint = divmod(i - 1, 4)
        if 0 <= finger < 5 and joint > 0:
            angles = theta[6 + 4 * finger : 10 + 4 * finger]
            turned[:3, :3] = (
                rotation(2, angles[1]) @ rotation(0, angles[0]) if joint == 1 else rotation(0, angles[joint])
            )
        relative = hand.base_relatives[i] @ turned
        absolute[i] = relative if parent == -1 else absolute[parent] @ relative
    moved = absolute @ hand.inverse_base_absolutes
    places = np.einsum("vb,vbrc,vc->vr", hand.weights, moved[hand.bones_of], hand.base_positions)[:, :3]
    if hand.mirrored:
        places = places * [-1.0, 1.0, 1.0]
    r = theta[:3]
    angle = np.sqrt((r * r).sum())
    x, y, z = r / angle
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return places @ (np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K).T + theta[3:6]


def rotation(axis: int, angle: complex) -> np.ndarray:
    """The rotation about a coordinate axis."""
    j, k = (axis + 1) % 3, (axis + 2) % 3
    turned = np.eye(3, dtype=np.result_type(angle))
    turned[j, j] = turned[k, k] = np.cos(angle)
    turned[j, k], turned[k, j] = -np.sin(angle), np.sin(angle)
    return turned


def hand_errors(problem: Simple | Complicated) -> tuple[np.ndarray, np.ndarray]:
    """The errors (N, 3), and their Jacobian (N, 3, 26) or (N, 3, 28): by u if there is one, then by the pose."""

    def errors(theta: np.ndarray) -> np.ndarray:
        return problem.points - reached(hand_positions(theta, problem.hand))

    def reached(places: np.ndarray) -> np.ndarray:
        if isinstance(problem, Simple):
            return places[problem.vertex_of]
        shares = np.column_stack([problem.u, 1.0 - problem.u.sum(axis=1)])
        return np.einsum("nck,nc->nk", places[problem.triangles[problem.triangle_of]], shares)

    found, by_pose = errors(problem.theta), by_complex_steps(errors, problem.theta)
    if isinstance(problem, Simple):
        return found, by_pose
    corners = hand_positions(problem.theta, problem.hand)[problem.triangles[problem.triangle_of]]
    by_u = np.stack([corners[:, 2] - corners[:, k] for k in range(2)], axis=2)
    return found, np.concatenate([by_u, by_pose], axis=2)

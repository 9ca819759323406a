"""The workloads in JAX, as its users write them: vectorised, `jit`, 64-bit numbers, loops by `scan`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import gammaln, logsumexp

from benchmarks.peer_jax import kernel

__all__ = [
    "ba",
    "gmm",
    "ht",
    "kernel",
    "kmeans",
    "llsq",
    "lse",
    "lstm",
    "nnmf",
    "ode",
    "ode_total",
    "scalar_recurrence",
    "tanh_recurrence",
]


@jax.jit
@partial(jax.value_and_grad, argnums=(0, 1, 2, 3))
def gmm(alpha, mu, q, l, x, gamma, m, sign):
    n, d = x.shape
    columns, rows = np.triu_indices(d, 1)
    lower = jnp.zeros((len(alpha), d, d)).at[:, rows, columns].set(l)
    centred = x[:, None, :] - mu
    y = jnp.exp(q) * centred + jnp.einsum("krc,nkc->nkr", lower, centred)
    terms = alpha + jnp.sum(q, 1) - 0.5 * jnp.sum(y**2, 2)
    likelihood = jnp.sum(logsumexp(terms, 1)) - 0.5 * n * d * jnp.log(2 * jnp.pi) - n * logsumexp(alpha)
    prior = jnp.sum(0.5 * gamma**2 * (jnp.sum(jnp.exp(2 * q), 1) + jnp.sum(l**2, 1)) - m * jnp.sum(q, 1))
    N = d + m + 1
    log_gamma = 0.25 * d * (d - 1) * jnp.log(jnp.pi) + jnp.sum(gammaln(0.5 * (N - jnp.arange(d))))
    constant = N * d * (jnp.log(gamma) - 0.5 * jnp.log(2.0)) - log_gamma
    return likelihood + sign * (prior - len(alpha) * constant)


@jax.jit
@partial(jax.value_and_grad, argnums=(0, 1))
def lstm(main, extra, state, sequence):
    layers, b = len(state) // 2, extra.shape[1]
    weights, biases = main[0::2].reshape(layers, 4, b), main[1::2].reshape(layers, 4, b)

    def step(carried, pair):
        hidden, cell = carried
        now, following = pair
        x, hiddens, cells = now * extra[0], [], []
        for i in range(layers):
            (wf, wi, wo, wc), (bf, bi, bo, bc) = weights[i], biases[i]
            kept, taken = jax.nn.sigmoid(x * wf + bf), jax.nn.sigmoid(hidden[i] * wi + bi)
            out, change = jax.nn.sigmoid(x * wo + bo), jnp.tanh(hidden[i] * wc + bc)
            cells.append(cell[i] * kept + taken * change)
            x = out * jnp.tanh(cells[i])
            hiddens.append(x)
        y = x * extra[1] + extra[2]
        score = jnp.sum(following * (y - jnp.log(2.0 + jnp.sum(jnp.exp(y)))))
        return (jnp.stack(hiddens), jnp.stack(cells)), score

    _, scores = jax.lax.scan(step, (state[0::2], state[1::2]), (sequence[:-1], sequence[1:]))
    return -jnp.sum(scores) / (b * (len(sequence) - 1))


def _residual(cam, X, w, feat):
    r, x = cam[:3], X - cam[3:6]
    square = r @ r
    angle = jnp.sqrt(jnp.where(square == 0, 1.0, square))
    v = r / angle
    turned = x * jnp.cos(angle) + jnp.cross(v, x) * jnp.sin(angle) + v * (v @ x) * (1 - jnp.cos(angle))
    P = jnp.where(square == 0, x + jnp.cross(r, x), turned)
    u = P[:2] / P[2]
    n = u @ u
    return w * (cam[6] * (1 + cam[9] * n + cam[10] * n * n) * u + cam[7:9] - feat)


@jax.jit
def ba(cams, X, w, feats, cam_of, point_of):
    """Reverse mode is the faster here: two rows."""
    parts = jax.vmap(jax.jacrev(_residual, (0, 1, 2)))(cams[cam_of], X[point_of], w, feats)
    return jnp.concatenate([parts[0], parts[1], parts[2][:, :, None]], 2), jax.vmap(jax.grad(lambda v: 1 - v**2))(w)


def _rotations(x, z):
    """Rz(z) Rx(x) of each bone."""
    cx, sx, cz, sz, zero = jnp.cos(x), jnp.sin(x), jnp.cos(z), jnp.sin(z), jnp.zeros_like(x)
    rows = [[cz, -cx * sz, sx * sz], [sz, cx * cz, -sx * cz], [zero, sx, cx]]
    return jnp.moveaxis(jnp.array(rows), 2, 0)


def _rotation_by_axis(r):
    angle = jnp.sqrt(r @ r)
    x, y, z = r / angle
    K = jnp.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    v = r / angle
    return jnp.cos(angle) * jnp.eye(3) + jnp.sin(angle) * K + (1 - jnp.cos(angle)) * jnp.outer(v, v)


def ht(parents: np.ndarray) -> Callable[..., object]:
    """The columns of the Jacobian by u and by theta, for bones with these parents; the hand is not mirrored.

    The weights are a matrix (M, bones): as one product of matrices this is several times faster than by gathering the bones.
    """
    joints = np.arange(20) % 4
    first = 6 + 4 * (np.arange(20) // 4)
    at_x, at_z = first + np.maximum(joints, 1) - (joints == 1), first + 1

    def positions(theta, relatives, inverses, base, weights):
        x = jnp.zeros(len(parents)).at[1:21].set(jnp.where(joints > 0, theta[at_x], 0.0))
        z = jnp.zeros(len(parents)).at[1:21].set(jnp.where(joints == 1, theta[at_z], 0.0))
        relative = relatives.at[:, :, :3].set(relatives[:, :, :3] @ _rotations(x, z))
        absolute = []
        for i, parent in enumerate(parents):
            absolute.append(relative[i] if parent == -1 else absolute[parent] @ relative[i])
        T = jnp.stack(absolute) @ inverses
        weighted = (weights[:, :, None] * base[:, None, :]).reshape(len(base), -1)
        moved = weighted @ jnp.moveaxis(T[:, :3], 1, 2).reshape(-1, 3)
        return moved @ _rotation_by_axis(theta[:3]).T + theta[3:6]

    def errors(u, V, triangles, triangle_of, points):
        corners = V[triangles[triangle_of]]
        shares = jnp.stack([u[:, 0], u[:, 1], 1.0 - u[:, 0] - u[:, 1]], 1)
        return points - jnp.einsum("nc,nck->nk", shares, corners)

    @jax.jit
    def columns(theta, u, relatives, inverses, base, weights, triangles, triangle_of, points):
        hand, rest = (relatives, inverses, base, weights), (triangles, triangle_of, points)
        V = positions(theta, *hand)

        def by_u(r):
            return jax.jvp(lambda u: errors(u, V, *rest), (u,), (jnp.zeros_like(u).at[:, r].set(1.0),))[1]

        by_theta = jax.jacfwd(lambda theta: errors(u, positions(theta, *hand), *rest))(theta)
        return jnp.stack([by_u(0), by_u(1)]), jnp.moveaxis(by_theta, 2, 0)

    return columns


def _cost(points, centroids):
    distances = jnp.sum(points**2, 1)[:, None] + jnp.sum(centroids**2, 1) - 2 * points @ centroids.T
    return jnp.sum(jnp.min(distances, 1))


@jax.jit
def kmeans(points, centroids):
    slope, diagonal = jax.jvp(jax.grad(partial(_cost, points)), (centroids,), (jnp.ones_like(centroids),))
    return slope / diagonal


def solved(x, s):
    h = 2.0 / s

    def slope(y):
        return x * jnp.concatenate([jnp.ones(1), y[:-1]])

    def step(y, _):
        k1 = slope(y)
        k2 = slope(y + h / 2 * k1)
        k3 = slope(y + h / 2 * k2)
        return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + slope(y + h * k3)), None

    return jax.lax.scan(step, jnp.zeros_like(x), None, s)[0]


ode = jax.jit(jax.grad(lambda x, s: solved(x, s)[-1]), static_argnums=1)
ode_total = jax.jit(jax.grad(lambda x, s: jnp.sum(solved(x, s))), static_argnums=1)


@partial(jax.jit, static_argnums=1)
@jax.grad
def llsq(x, n):
    t = -1 + 2 * jnp.arange(n) / (n - 1)
    return 0.5 * jnp.sum((jnp.sign(t) - jnp.vander(t, len(x), increasing=True) @ x) ** 2)


lse = jax.jit(jax.grad(logsumexp))


@jax.jit
@partial(jax.grad, argnums=(0, 1, 2))
def tanh_recurrence(W, U, b, inputs):
    last, _ = jax.lax.scan(lambda s, x: (jnp.tanh(W @ s + U @ x + b), None), jnp.zeros_like(b), inputs)
    return last @ last


@partial(jax.jit, static_argnums=2)
@partial(jax.jacfwd, argnums=(0, 1))
def scalar_recurrence(x, a, steps):
    """Forward mode is the faster here: two directions, nothing stored."""
    return jax.lax.fori_loop(0, steps, lambda _, x: jnp.sin(x) + a, x)


@jax.jit
@partial(jax.grad, argnums=(0, 1))
def nnmf(u, v, A):
    M = jnp.outer(u, v)
    return jnp.sum(jnp.log(M) + A / M)

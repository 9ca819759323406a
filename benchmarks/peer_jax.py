"""The measured programs in JAX, as its users write them: vectorised, `jit`, 64-bit numbers."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)

grad_dot = jax.jit(jax.grad(lambda a, b: jnp.dot(a, b)))
grad_max = jax.jit(jax.grad(jnp.max))
jacobian_add = jax.jit(jax.jacfwd(lambda a, b: a + b))
jacobian_scale = jax.jit(jax.jacfwd(lambda v, s: v * s, argnums=1))


@jax.jit
@jax.grad
def nnmf(u, v, A):
    M = jnp.outer(u, v)
    return jnp.sum(jnp.log(M) + A / M)


def _rotate(r, x):
    angle = jnp.sqrt(r @ r)
    w = r / angle
    return x * jnp.cos(angle) + jnp.cross(w, x) * jnp.sin(angle) + w * (w @ x) * (1 - jnp.cos(angle))


def _project(camera, x):
    P = _rotate(camera[:3], x - camera[3:6])
    u = P[:2] / P[2]
    n = u @ u
    return camera[6] * (1 + camera[9] * n + camera[10] * n * n) * u + camera[7:9]


project = jax.jit(jax.vmap(jax.jacfwd(_project), (None, 0)))


def _rotate_or_not(r, x):
    square = r @ r
    safe = jnp.where(square < 1e-30, 1.0, square)
    angle = jnp.sqrt(safe)
    w = r / angle
    turned = x * jnp.cos(angle) + jnp.cross(w, x) * jnp.sin(angle) + w * (w @ x) * (1 - jnp.cos(angle))
    return jnp.where(square < 1e-30, x + jnp.cross(r, x), turned)


def _reproject(camera, x):
    P = _rotate_or_not(camera[:3], x) + camera[3:6]
    u = -P[:2] / P[2]
    n = u @ u
    return camera[6] * (1 + camera[7] * n + camera[8] * n * n) * u


@jax.jit
def blocks(cameras, points, camera_of, point_of):
    return jax.vmap(jax.jacfwd(_reproject, (0, 1)))(cameras[camera_of], points[point_of])


def kernel(function: Callable[..., object], *arguments: object) -> Callable[[], object]:
    """A call without arguments that waits for the result; the arguments already belong to JAX."""
    held = [jnp.asarray(a) for a in arguments]
    return lambda: jax.block_until_ready(function(*held))

"""The same in JAX, compiled, with `scan` for loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)
Made = Callable[[], Any]


def attention(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> Made:
    def value(q: jax.Array, k: jax.Array, v: jax.Array) -> jax.Array:
        return jnp.sum((jax.nn.softmax(q @ k.T / np.sqrt(q.shape[1]).astype(q.dtype), axis=1) @ v) ** 2)

    return _called(jax.grad(value, argnums=(0, 1, 2)), q, k, v)


def rnn(p: dict[str, np.ndarray], x: np.ndarray, labels: np.ndarray) -> Made:
    def step(p: Any, h: jax.Array, x: jax.Array) -> tuple[jax.Array, jax.Array]:
        h = jnp.tanh(x @ p["w"] + h @ p["u"] + p["b"])
        return h, h

    return _recurrent(step, lambda zeros: zeros, p, x, labels)


def lstm(p: dict[str, np.ndarray], x: np.ndarray, labels: np.ndarray) -> Made:
    def step(p: Any, state: Any, x: jax.Array) -> tuple[Any, jax.Array]:
        h, cell = state
        i, f, g, o = jnp.split(x @ p["w"] + h @ p["u"] + p["b"], 4, axis=1)
        cell = jax.nn.sigmoid(f) * cell + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(cell)
        return (h, cell), h

    return _recurrent(step, lambda zeros: (zeros, zeros), p, x, labels)


def _recurrent(step: Any, start: Any, p: dict[str, np.ndarray], x: np.ndarray, labels: np.ndarray) -> Made:
    def loss(p: Any, x: jax.Array, labels: jax.Array) -> jax.Array:
        def one(state: Any, given: tuple[jax.Array, jax.Array]) -> tuple[Any, jax.Array]:
            state, h = step(p, state, given[0])
            z = h @ p["v"] + p["c"]
            own = jnp.take_along_axis(z, given[1][:, None], axis=1)[:, 0]
            return state, jnp.sum(jax.nn.logsumexp(z, axis=1) - own)

        zeros = jnp.zeros((x.shape[1], len(p["u"])), x.dtype)
        return jnp.sum(jax.lax.scan(one, start(zeros), (x, labels))[1]) / x.shape[1]

    call = _called(jax.grad(loss), p, x, labels)

    def gradient() -> Any:
        found = call()
        return [found[name] for name in p]

    return gradient


def _called(f: Any, *arguments: Any) -> Made:
    compiled = jax.jit(f)
    given = jax.tree.map(jnp.asarray, arguments)
    return lambda: jax.block_until_ready(compiled(*given))

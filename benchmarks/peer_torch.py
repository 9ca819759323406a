"""The measured programs in PyTorch (eager), as its users write them, on one thread."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch.func import grad, jacfwd, vmap

torch.set_num_threads(1)

grad_dot = grad(lambda a, b: torch.dot(a, b))
grad_max = grad(torch.max)
jacobian_add = jacfwd(lambda a, b: a + b)
jacobian_scale = jacfwd(lambda v, s: v * s, argnums=1)


@grad
def nnmf(u, v, A):
    M = torch.outer(u, v)
    return torch.sum(torch.log(M) + A / M)


def _project(camera, x):
    r = camera[:3]
    angle = torch.sqrt(r @ r)
    w, y = r / angle, x - camera[3:6]
    P = y * torch.cos(angle) + torch.linalg.cross(w, y) * torch.sin(angle) + w * (w @ y) * (1 - torch.cos(angle))
    u = P[:2] / P[2]
    n = u @ u
    return camera[6] * (1 + camera[9] * n + camera[10] * n * n) * u + camera[7:9]


project = vmap(jacfwd(_project), (None, 0))


def kernel(function: Callable[..., object], *arguments: object) -> Callable[[], object]:
    """A call without arguments on tensors made before."""
    held = [torch.as_tensor(a, dtype=torch.float64) for a in arguments]
    return lambda: function(*held)

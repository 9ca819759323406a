"""The TreeLSTM in PyTorch (eager), as its users write it: a module that calls itself on the children, on one thread."""

from __future__ import annotations

import numpy as np
import torch

import fsmooth as fs
from benchmarks.workloads.tree_lstm import Leaf, Node

torch.set_num_threads(1)
Parameters = dict[str, torch.Tensor]


def tree_lstm(
    trees: fs.Forest, labels: np.ndarray, parameters: dict[str, np.ndarray]
) -> tuple[Parameters, list[Leaf | Node], torch.Tensor]:
    """What `gradient` takes: tensors, objects, labels."""
    p = {name: torch.tensor(a, requires_grad=True) for name, a in parameters.items()}
    return p, [tree.unpack() for tree in trees], torch.tensor(labels)


def gradient(p: Parameters, trees: list[Leaf | Node], labels: torch.Tensor) -> list[np.ndarray]:
    """The derivatives of the loss by the parameters."""
    total = torch.zeros((), dtype=torch.float64)
    for tree, label in zip(trees, labels, strict=True):
        z = p["out"] @ _state(tree, p)[0]
        total = total + torch.nn.functional.cross_entropy(z[None], label[None])
    return [d.numpy() for d in torch.autograd.grad(total, list(p.values()))]


def _state(t: Leaf | Node, p: Parameters) -> tuple[torch.Tensor, torch.Tensor]:
    if isinstance(t, Leaf):
        z, kept = torch.addmv(p["leaf_bias"], p["leaf"], p["words"][t.word]), None
    else:
        (hl, cl), (hr, cr) = _state(t.left, p), _state(t.right, p)
        below = torch.cat([hl, hr])
        fl, fr = torch.sigmoid(torch.addmv(p["forget_bias"], p["forget"], below)).chunk(2)
        z, kept = torch.addmv(p["node_bias"], p["node"], below), fl * cl + fr * cr
    i, o, u = z.chunk(3)
    cell = torch.sigmoid(i) * torch.tanh(u)
    if kept is not None:
        cell = cell + kept
    return torch.sigmoid(o) * torch.tanh(cell), cell

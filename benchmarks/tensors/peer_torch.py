"""The same in PyTorch, by its own modules and functions, on one thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

torch.set_num_threads(1)
Arrays = tuple[np.ndarray, ...]
Made = Callable[[], Any]


def convolution(w: np.ndarray, x: np.ndarray) -> Made:
    weights, picture = torch.tensor(w), torch.tensor(x)[None]
    return lambda: torch.nn.functional.conv2d(picture, weights)[0].numpy()


def convolved(w: np.ndarray, x: np.ndarray) -> Made:
    weights, picture = torch.tensor(w, requires_grad=True), torch.tensor(x, requires_grad=True)

    def gradient() -> Arrays:
        total = (torch.nn.functional.conv2d(picture[None], weights) ** 2).sum()
        return tuple([d.numpy() for d in torch.autograd.grad(total, (weights, picture))])

    return gradient


def rnn(p: dict[str, np.ndarray], x: np.ndarray, labels: np.ndarray) -> Made:
    return _recurrent(torch.nn.RNN, p, x, labels)


def lstm(p: dict[str, np.ndarray], x: np.ndarray, labels: np.ndarray) -> Made:
    return _recurrent(torch.nn.LSTM, p, x, labels)


def _recurrent(module: type[torch.nn.Module], p: dict[str, np.ndarray], x: np.ndarray, labels: np.ndarray) -> Made:
    inputs, hidden = x.shape[2], len(p["u"])
    network, out = module(inputs, hidden), torch.nn.Linear(hidden, p["v"].shape[1])
    bias = torch.zeros(len(p["b"]), dtype=torch.tensor(x).dtype)
    given = [torch.tensor(p[name].T.copy(), requires_grad=True) for name in ("w", "u", "b")]
    for name, value in zip(("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"), (*given, bias), strict=True):
        setattr(network, name, torch.nn.Parameter(value.detach(), requires_grad=name != "bias_hh_l0"))
    out.weight, out.bias = [torch.nn.Parameter(torch.tensor(p[name].T.copy())) for name in ("v", "c")]
    parameters = [network.weight_ih_l0, network.weight_hh_l0, network.bias_ih_l0, out.weight, out.bias]
    steps, answers = torch.tensor(x), torch.tensor(labels).reshape(-1)

    def gradient() -> Arrays:
        z = out(network(steps)[0])
        loss = torch.nn.functional.cross_entropy(z.reshape(len(answers), -1), answers, reduction="sum") / x.shape[1]
        return tuple([d.numpy().T for d in torch.autograd.grad(loss, parameters)])

    return gradient

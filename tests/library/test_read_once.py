"""Functions with rules of their own are read once for equal types at one place: rules of rules call the same ones."""

from __future__ import annotations

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.frontend.python import custom


def two_systems(a, b, y):
    first = np.linalg.solve(a, y)
    second = np.linalg.solve(b, first)
    return np.sum(first * second)


def weighted(t, a, y):
    return np.sum(np.linalg.solve(t * a, y) * y)


def twice(a, y):
    return sum([np.linalg.solve(k * a, y)[0] for k in (1.0, 2.0)])


def test_nothing_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    keys: list[object] = []
    made = custom._ruled

    def counted(frame, program, given, parameters, node):
        keys.append(custom._key(frame, program, given, parameters, node))
        return made(frame, program, given, parameters, node)

    monkeypatch.setattr(custom, "_ruled", counted)
    a, y = np.eye(3) + 0.1, np.arange(3.0)
    inverse = np.linalg.solve(a, y) @ y
    assert fs.grad(fs.grad(weighted))(2.0, a, y) == pytest.approx(2.0 * inverse / 2.0**3, rel=1e-12)
    assert keys
    assert None not in keys
    assert len(keys) == len(set(keys))


def test_each_call_fails_where_it_is() -> None:
    y, regular, singular = np.arange(1.0, 3.0), np.eye(2), np.ones((2, 2))
    gradient = fs.grad(two_systems, wrt="y")
    a, b = regular + 0.1, regular - 0.2
    both = np.linalg.inv(b) + np.linalg.inv(b).T
    assert gradient(a, b, y) == pytest.approx(np.linalg.solve(a, y) @ both @ np.linalg.inv(a), rel=1e-12)
    for arguments, line in (((singular, regular), "first = "), ((regular, singular), "second = ")):
        with pytest.raises(np.linalg.LinAlgError, match=line):
            gradient(*arguments, y)


def test_each_call_has_variables_of_its_own() -> None:
    a, y = np.eye(2) + 0.5, np.array([1.0, 2.0])
    assert fs.grad(twice, wrt="y")(a, y) == pytest.approx(1.5 * np.linalg.inv(a)[0], rel=1e-12)

"""Programs over trees: values are Python's, derivatives those of differences, of objects and packed trees alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core.nodes.packed import taken_apart
from tests.trees.objects import differences, is_alike, reals
from tests.trees.programs import PROGRAMS

BY_NAME = [pytest.param(f, id=f.__name__) for f in PROGRAMS]


def packed(value: Any) -> Any:
    """Trees packed, everything else as it is; trees in containers too."""
    if isinstance(value, dict):
        return {k: packed(v) for k, v in value.items()}
    if type(value) is tuple:
        return tuple([packed(v) for v in value])
    return value if taken_apart(value) is None else fs.pack(value)


def unpacked(value: Any) -> Any:
    """As objects again."""
    if isinstance(value, fs.Packed | fs.Forest):
        return value.unpack()
    if isinstance(value, dict):
        return {k: unpacked(v) for k, v in value.items()}
    return tuple([unpacked(v) for v in value]) if type(value) is tuple and value else value


@pytest.mark.parametrize("program", BY_NAME)
def test_values(program: Callable[..., Any]) -> None:
    arguments = PROGRAMS[program]
    wanted = pytest.approx(program(*arguments), rel=1e-12, abs=1e-12)
    assert fs.function(program)(*arguments) == wanted
    assert fs.function(program)(*map(packed, arguments)) == wanted
    assert fs.function(program, schedule="NONE")(*arguments) == wanted


@pytest.mark.parametrize("method", ["forward", "reverse"])
@pytest.mark.parametrize("program", BY_NAME)
def test_gradients(program: Callable[..., Any], method: str) -> None:
    arguments = PROGRAMS[program]
    for k in range(len(arguments)):
        wanted = differences(program, arguments, k)
        if not wanted:
            continue
        scale = 1e-7 * max(1.0, float(np.max(np.abs(wanted))))
        value, found = fs.value_and_grad(program, wrt=k, method=method)(*arguments)
        assert value == pytest.approx(program(*arguments), rel=1e-12)
        np.testing.assert_allclose(reals(found), wanted, rtol=1e-6, atol=scale)
        assert is_alike(found, arguments[k])
        again = unpacked(fs.grad(program, wrt=k, method=method)(*map(packed, arguments)))
        np.testing.assert_allclose(reals(again), reals(found), rtol=1e-12, atol=1e-13)
        assert is_alike(again, arguments[k])
        plain = fs.grad(program, wrt=k, method=method, schedule="NONE")(*arguments)
        np.testing.assert_allclose(reals(plain), reals(found), rtol=1e-10, atol=1e-12)

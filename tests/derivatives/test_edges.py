"""Derivatives where a formula overflows, or where a partial derivative does not exist."""

from __future__ import annotations

import math

import numpy as np
import pytest

import fsmooth as fs


def angle(v):
    return math.atan2(v[0], v[1])


def power(v):
    return v[0] ** v[1]


@pytest.mark.parametrize("scale", [1e200, 1.0, 1e-200])
def test_atan2_at_any_scale(scale):
    np.testing.assert_allclose(fs.grad(angle)(np.array([scale, scale])), [0.5 / scale, -0.5 / scale], rtol=1e-14)


def test_atan2_at_the_origin_is_zero():
    assert not fs.grad(angle)(np.zeros(2)).any()


def test_power_of_a_negative_base_keeps_the_derivative_that_exists():
    assert fs.grad(power)(np.array([-2.0, 2.0]))[0] == -4.0


def test_power_at_zero_has_no_slope_in_its_exponent():
    assert fs.grad(power)(np.array([0.0, 0.5]))[1] == 0.0

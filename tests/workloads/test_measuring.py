"""The benchmarks call our kernels as they call those written by hand."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks import own
from benchmarks.mechanisms.moved import moved
from benchmarks.reference import Reference

import fsmooth as fs


def squares(x, a):
    return a * x * x, np.sum(x)


def test_a_kernel_is_called_on_prepared_arguments() -> None:
    x = np.arange(5.0)
    kernel = own.kernel(Reference(), fs.function(squares), x, 3.0)
    table, total = kernel()
    np.testing.assert_array_equal(table, 3.0 * x * x)
    assert total == 10.0
    kernel.repeated(3)


def test_a_kernel_that_fails_is_told() -> None:
    with pytest.raises((RuntimeError, fs.RunError)):
        own.kernel(Reference(), fs.function(lambda x, k: x[k]), np.arange(5.0), 7)


def test_which_programs_have_other_c() -> None:
    before = {"same": "a;\nb;", "other": "a;\nb;", "gone": "a;"}
    after = {"same": "a;\nb;", "other": "a;\nc;\nd;", "new": "a;"}
    assert list(moved(before, after)) == [("other", 1, 2), ("gone", 1, 0), ("new", 0, 1)]

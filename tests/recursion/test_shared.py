"""What no call changes is in one struct; what some call changes is handed over."""

from __future__ import annotations

import re

import numpy as np
import pytest

import fsmooth as fs
from tests.recursion.test_calls import TREE, functions_of, product


def signatures(compiled: fs.Function) -> dict[str, str]:
    """What each function of the C takes."""
    assert compiled.stages.code is not None
    found = re.findall(
        r"^static (?:int32_t|int64_t|double|void|fs_double_\w+) (\w+)\(\s*([^{;]*)\) {",
        compiled.stages.code.source,
        re.MULTILINE,
    )
    return {name: taken for name, taken in found if not name.startswith(("fs_", "__"))}


def test_only_what_changes_is_handed_over():
    compiled = fs.grad(product, wrt="value", method="reverse")
    assert np.allclose(compiled(*TREE), np.prod(TREE[2]) / TREE[2])
    taken = signatures(compiled)
    for name, parameters in taken.items():
        assert not re.search(r"\b(left|right|value|value_n0)\b", parameters), name
        assert bool(re.search(r"\bt\b", parameters)) is not name.endswith("_back"), "only the program calls that"
    assert all(["fs_own->left" in body for body in functions_of(compiled).values()])


def test_what_is_exchanged_is_handed_over():
    def turns(a, b, c, k):
        if k == 0:
            return a[0] * b[1] + c[2]
        return turns(b, a, c, k - 1) * turns(a, b, c, k - 1 if k < 2 else k - 2) + a[k % 3]

    x, y, z = np.array([0.5, 0.6, 0.7]), np.array([1.1, 1.2, 1.3]), np.array([2.1, 2.2, 2.3])
    compiled = fs.function(turns)
    for k in range(6):
        assert compiled(x, y, z, k) == pytest.approx(turns(x, y, z, k), rel=1e-13)
    (taken,) = signatures(compiled).values()
    assert re.search(r"\ba\b", taken)
    assert re.search(r"\bb\b", taken)
    assert not re.search(r"\bc\b", taken)
    for wrt in "abc":
        forward = fs.jacobian(turns, wrt=wrt, method="forward")(x, y, z, 5)
        assert np.allclose(fs.grad(turns, wrt=wrt, method="reverse")(x, y, z, 5), forward, rtol=1e-12)


def test_two_calls_of_the_program_with_other_arrays():
    """Each sets what is shared anew; one of them is in a loop."""

    def scaled(v, factor, k):
        return v[k] * factor if k < 2 else scaled(v, factor, k - 1) * scaled(v, factor, k - 2) + v[k]

    def program(v, w, n):
        first = scaled(v, 0.5, n)
        total = sum([scaled(w, 0.1 * j, n) for j in range(3)])
        return first * total + scaled(v, 2.0, n - 1)

    v, w = np.linspace(0.2, 1.1, 8), np.linspace(1.3, 0.4, 8)
    assert fs.function(program)(v, w, 6) == pytest.approx(program(v, w, 6), rel=1e-13)
    for wrt in "vw":
        forward = fs.jacobian(program, wrt=wrt, method="forward")(v, w, 6)
        assert np.allclose(fs.grad(program, wrt=wrt, method="reverse")(v, w, 6), forward, rtol=1e-12)

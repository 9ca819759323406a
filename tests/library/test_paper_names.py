"""Every function of Fig. 4 of paper 000, and those that the paper uses elsewhere, against NumPy."""

from collections.abc import Callable

import numpy as np
import pytest

from fsmooth.core.evaluate import evaluate
from fsmooth.core.term import Const, Term, Var
from fsmooth.core.types import F64, array_of
from fsmooth.core.values import plain, value_of
from fsmooth.library import expand, names

_RANDOM = np.random.default_rng(8)
v, w = _RANDOM.normal(size=(2, 4))
m, m2, k, sq = (
    _RANDOM.normal(size=(3, 4)),
    _RANDOM.normal(size=(3, 4)),
    _RANDOM.normal(size=(4, 2)),
    _RANDOM.normal(size=(3, 3)),
)
x, y = _RANDOM.normal(size=(2, 3))
VALUES = {"v": v, "w": w, "m": m, "m2": m2, "k": k, "sq": sq, "x": x, "y": y, "s": 1.7}
VARIABLES = {name: Var(name, array_of(F64, np.ndim(value))) for name, value in VALUES.items()}
ENVIRONMENT = {VARIABLES[name]: value_of(value, VARIABLES[name].type) for name, value in VALUES.items()}


def twice(a: Term) -> Term:
    return expand("add", (a, a))


def times(a: Term, b: Term) -> Term:
    return expand("multiply", (a, b))


CASES: list[tuple[str, list[str | int | float | Callable[..., Term]], object]] = [
    ("vectorRange", [3], np.arange(3)),
    ("vectorFill", [3, "s"], np.full(3, 1.7)),
    ("vectorHot", [3, 1], np.eye(3)[1]),
    ("vectorMap", ["v", twice], 2 * v),
    ("vectorMap2", ["v", "w", times], v * w),
    ("vectorAdd", ["v", "w"], v + w),
    ("vectorSub", ["v", "w"], v - w),
    ("vectorEMul", ["v", "w"], v * w),
    ("vectorSMul", ["v", "s"], v * 1.7),
    ("vectorSum", ["v"], v.sum()),
    ("vectorDot", ["v", "w"], v @ w),
    ("vectorNorm", ["v"], np.linalg.norm(v)),
    ("vectorSlice", ["v", 1, 2], v[1:3]),
    ("vectorToMatrix", ["v"], v[None]),
    ("vectorOutProd", ["v", "x"], np.outer(v, x)),
    ("vectorZeros", [2], np.zeros(2)),
    ("vectorCross", ["x", "y"], np.cross(x, y)),
    ("matrixRows", ["m"], 3),
    ("matrixCols", ["m"], 4),
    ("matrixZeros", [2, 3], np.zeros((2, 3))),
    ("matrixOnes", [2, 3], np.ones((2, 3))),
    ("matrixEye", [3], np.eye(3)),
    ("matrixHot", [2, 3, 1, 2], np.eye(6)[5].reshape(2, 3)),
    ("matrixMap", ["m", lambda row: expand("vectorSum", (row,))], m.sum(axis=1)),
    ("matrixMap2", ["m", "m2", lambda r, q: expand("vectorDot", (r, q))], (m * m2).sum(axis=1)),
    ("matrixAdd", ["m", "m2"], m + m2),
    ("matrixTranspose", ["m"], m.T),
    ("matrixMul", ["m", "k"], m @ k),
    ("matrixMult", ["m", "k"], m @ k),
    ("matrixTrace", ["sq"], np.trace(sq)),
]


@pytest.mark.parametrize(("name", "arguments", "expected"), CASES, ids=[c[0] for c in CASES])
def test_values(name: str, arguments: list[str | int | float | Callable[..., Term]], expected: object) -> None:
    given = [VARIABLES[a] if isinstance(a, str) else Const(a) if isinstance(a, int | float) else a for a in arguments]
    term = expand(name, given)
    result = np.asarray(plain(evaluate(term, ENVIRONMENT), term.type))
    assert result.shape == np.shape(expected)
    np.testing.assert_allclose(result, expected, rtol=1e-14, atol=1e-14)


def test_zips_pair_elements() -> None:
    term = expand("matrixZip", (VARIABLES["m"], VARIABLES["m2"]))
    assert repr(term.type) == "Array<Array<(Float, Float)>>"
    assert repr(expand("vectorZip", (VARIABLES["v"], VARIABLES["w"])).type) == "Array<(Float, Float)>"


def test_nothing_of_figure_4_is_missing() -> None:
    assert {c[0] for c in CASES} | {"vectorZip", "matrixZip"} <= names()

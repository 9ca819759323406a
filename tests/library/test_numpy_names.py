"""Library functions under NumPy's names against NumPy and SciPy, in the interpreter."""

import math
from collections.abc import Callable

import numpy as np
import pytest
import scipy.special as special

from fsmooth.core.evaluate import evaluate
from fsmooth.core.term import Const, MakeTuple, Term, Var, Vector
from fsmooth.core.types import BOOL, F64, INT, Type, array_of
from fsmooth.core.values import plain, value_of
from fsmooth.library import WrongArguments, expand, names

_RANDOM = np.random.default_rng(7)
v, w = _RANDOM.normal(size=(2, 4))
a, b = _RANDOM.normal(size=(2, 3))
m, m2 = _RANDOM.normal(size=(2, 3, 4))
k, sq, t = _RANDOM.normal(size=(4, 2)), _RANDOM.normal(size=(3, 3)), _RANDOM.normal(size=(2, 3, 4))
s, n, e = 1.7, 3, np.zeros(0)
flags = v > 0
VALUES = {
    "v": v,
    "w": w,
    "a": a,
    "b": b,
    "m": m,
    "m2": m2,
    "k": k,
    "sq": sq,
    "t": t,
    "s": s,
    "n": n,
    "e": e,
    "f": flags,
}


def _type(value: object) -> Type:
    if isinstance(value, np.ndarray):
        return array_of(BOOL if value.dtype == bool else F64, value.ndim)
    return F64 if isinstance(value, float) else INT


VARIABLES = {name: Var(name, _type(value)) for name, value in VALUES.items()}
ENVIRONMENT = {VARIABLES[name]: value_of(value, VARIABLES[name].type) for name, value in VALUES.items()}
SHAPE = MakeTuple((Const(2), VARIABLES["n"]))
GREATER = expand("greater", (VARIABLES["v"], VARIABLES["w"]))

Argument = str | float | int | Term | Callable[..., Term]
CASES: list[tuple[str, list[Argument], object]] = [
    ("dot", ["v", "w"], v @ w),
    ("dot", ["m", "v"], m @ v),
    ("dot", ["m", "k"], m @ k),
    ("dot", ["a", "m"], a @ m),
    ("dot", ["v", "s"], v * s),
    ("matmul", ["m", "k"], m @ k),
    ("inner", ["m", "m2"], np.inner(m, m2)),
    ("outer", ["v", "a"], np.outer(v, a)),
    ("cross", ["a", "b"], np.cross(a, b)),
    ("trace", ["m"], np.trace(m)),
    ("transpose", ["m"], m.T),
    ("transpose", ["t"], t.T),
    ("transpose", ["v"], v),
    ("logsumexp", ["v"], special.logsumexp(v)),
    ("softmax", ["v"], special.softmax(v)),
    ("log_softmax", ["v"], special.log_softmax(v)),
    ("diag", ["v"], np.diag(v)),
    ("diag", ["m"], np.diag(m)),
    ("cumsum", ["v"], np.cumsum(v)),
    ("cumsum", ["e"], e),
    ("diff", ["v"], np.diff(v)),
    ("roll", ["v", 1], np.roll(v, 1)),
    ("roll", ["v", -5], np.roll(v, -5)),
    ("tril", ["m"], np.tril(m)),
    ("triu", ["m"], np.triu(m)),
    ("sum", ["t"], t.sum()),
    ("sum", ["e"], 0.0),
    ("prod", ["m"], m.prod()),
    ("max", ["t"], t.max()),
    ("min", ["m"], m.min()),
    ("argmax", ["t"], t.argmax()),
    ("argmin", ["v"], v.argmin()),
    ("any", ["f"], flags.any()),
    ("all", ["f"], flags.all()),
    ("mean", ["t"], t.mean()),
    ("var", ["m"], m.var()),
    ("std", ["v"], v.std()),
    ("ravel", ["t"], t.ravel()),
    ("vdot", ["m", "m2"], np.vdot(m, m2)),
    ("zeros", ["n"], np.zeros(3)),
    ("zeros", [SHAPE], np.zeros((2, 3))),
    ("ones", ["n"], np.ones(3)),
    ("full", [SHAPE, "s"], np.full((2, 3), s)),
    ("zeros_like", ["m"], np.zeros_like(m)),
    ("ones_like", ["m"], np.ones_like(m)),
    ("full_like", ["m", "s"], np.full_like(m, s)),
    ("eye", ["n"], np.eye(3)),
    ("eye", ["n", 5], np.eye(3, 5)),
    ("eye", ["n", 2], np.eye(3, 2)),
    ("arange", [5], np.arange(5)),
    ("arange", [2, 5], np.arange(2, 5)),
    ("arange", [2, 11, 3], np.arange(2, 11, 3)),
    ("arange", [11, 2, -2], np.arange(11, 2, -2)),
    ("arange", [2, 11, -3], np.arange(2, 11, -3)),
    ("arange", [0.5, "s", 0.25], np.arange(0.5, s, 0.25)),
    ("linspace", [0.0, "s", 7], np.linspace(0, s, 7)),
    ("linspace", [0, 1, 1], np.linspace(0, 1, 1)),
    ("linspace", [1.0, 2.0], np.linspace(1, 2)),
    ("norm", ["v"], np.linalg.norm(v)),
    ("norm", ["m"], np.linalg.norm(m)),
    ("norm", ["e"], 0.0),
    ("norm", [Vector((Const(3e200), Const(4e200)))], 5e200),
    ("norm", [Vector((Const(3e-200), Const(4e-200)))], 5e-200),
    ("norm", [Vector((Const(0.0), Const(0.0)))], 0.0),
    ("norm", [Vector((Const(math.inf), Const(0.0)))], math.inf),
    ("norm", [Vector((Const(math.nan), Const(0.0)))], math.nan),
    ("concatenate", ["v", "a"], np.concatenate([v, a])),
    ("concatenate", ["m", "m2"], np.concatenate([m, m2])),
    ("stack", ["v", "w"], np.stack([v, w])),
    ("flip", ["v"], v[::-1]),
    ("add", ["t", "s"], t + s),
    ("multiply", ["m", "m2"], m * m2),
    ("exp", ["m"], np.exp(m)),
    ("arctan2", ["v", "w"], np.arctan2(v, w)),
    ("clip", ["v", 0.0, 1.0], v.clip(0, 1)),
    ("abs", ["t"], abs(t)),
    ("power", ["m", 2], m**2),
    ("square", ["v"], v * v),
    ("log10", ["s"], math.log10(s)),
    ("log2", ["s"], math.log2(s)),
    ("exp2", ["v"], np.exp2(v)),
    ("log1p", ["s"], math.log1p(s)),
    ("logaddexp", ["v", "w"], np.logaddexp(v, w)),
    ("softplus", ["v"], np.log1p(np.exp(v))),
    ("log_sigmoid", ["v"], np.log(special.expit(v))),
    ("expit", ["m"], special.expit(m)),
    ("relu", ["v"], np.maximum(v, 0)),
    ("sinc", ["v"], np.sinc(v)),
    ("heaviside", ["v", "s"], np.heaviside(v, s)),
    ("sign", ["v"], np.sign(v)),
    ("maximum", ["v", 0.0], np.maximum(v, 0)),
    ("greater", ["v", 0.0], v > 0),
    ("logical_not", ["f"], ~flags),
    ("logical_and", ["f", "f"], flags),
    ("logical_xor", ["f", "f"], flags ^ flags),
    ("trunc", ["v"], np.trunc(v)),
    ("fabs", ["v"], abs(v)),
    ("reciprocal", ["v"], 1 / v),
    ("degrees", ["v"], np.degrees(v)),
    ("radians", ["v"], np.radians(v)),
    ("cbrt", ["v"], np.cbrt(v)),
    ("negative", ["v"], -v),
    ("mod", ["n", 2], 1),
    ("isinf", ["v"], np.isinf(v)),
    ("isfinite", ["v"], np.isfinite(v)),
    ("where", [GREATER, "v", "w"], np.where(v > w, v, w)),
    ("where", [GREATER, "v", 0], np.where(v > w, v, 0)),
    ("where", [Const(True), "s", 0], s),
    ("sum", ["m", 0], m.sum(axis=0)),
    ("sum", ["t", 1], t.sum(axis=1)),
    ("mean", ["t", -1], t.mean(axis=-1)),
    ("max", ["t", 0], t.max(axis=0)),
    ("argmin", ["m", 1], m.argmin(axis=1)),
    ("std", ["m", 0], m.std(axis=0)),
    ("logsumexp", ["m", 1], special.logsumexp(m, axis=1)),
    ("softmax", ["m", 1], special.softmax(m, axis=1)),
    ("cumsum", ["m", -1], np.cumsum(m, axis=-1)),
]


def argument(given: Argument) -> Term | Callable[..., Term]:
    if isinstance(given, str):
        return VARIABLES[given]
    return Const(given) if isinstance(given, int | float) else given


@pytest.mark.parametrize(("name", "arguments", "expected"), CASES, ids=[f"{c[0]}-{i}" for i, c in enumerate(CASES)])
def test_values(name: str, arguments: list[Argument], expected: object) -> None:
    term = expand(name, [argument(x) for x in arguments])
    result = np.asarray(plain(evaluate(term, ENVIRONMENT), term.type))
    assert result.shape == np.shape(expected)
    np.testing.assert_allclose(result, expected, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("matmul", ["s", "m"], "matmul of arrays of rank 0 and 2; it is defined for ranks"),
        ("sum", ["v", "w"], "sum takes 1 argument, not 2"),
        ("sum", ["m", 2], "sum along axis 2 of an array of rank 2"),
        ("sum", ["m", "n"], "the axis of sum must be a constant"),
        ("softmax", ["m", 0], "softmax goes along the last axis only"),
        ("flip", ["m"], "flip of arrays of rank 2"),
        ("concatenate", ["m", "v"], "different ranks"),
        ("sin", ["v", "w"], "`sin` of Float, Float"),
        ("frobnicate", [], "frobnicate is not in the library"),
        ("cross", [Vector((Const(1.0), Const(2.0))), "a"], "sizes 2 and 3 do not agree"),
        ("vectorAdd", ["v"], "vectorAdd takes 2 arguments, not 1"),
    ],
)
def test_what_it_refuses(name: str, arguments: list[Argument], message: str) -> None:
    with pytest.raises(WrongArguments) as raised:
        expand(name, [argument(x) for x in arguments])
    assert message in str(raised.value)


def test_every_name_has_a_meaning() -> None:
    """Each name either works on some arguments or refuses them; nothing else is raised."""
    tried = [
        ["v"],
        ["m"],
        ["v", "w"],
        ["n"],
        ["n", "n"],
        ["m", "m"],
        ["m", "k"],
        ["m", "v"],
        ["a", "m"],
        ["v", "s"],
        ["v", "n"],
        ["f"],
        ["f", "f"],
        ["m", "s"],
        ["v", 1, 2],
        [3, 4, 1, 2],
        [3, 4, 2],
        ["f", "v", "w"],
    ]
    for name in sorted(names()):
        accepted = False
        for arguments in tried:
            try:
                expand(name, [argument(x) for x in arguments])
            except WrongArguments:
                continue
            accepted = True
        assert accepted or name in ("vectorMap", "vectorMap2", "matrixMap", "matrixMap2"), name

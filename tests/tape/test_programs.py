"""Programs as users write them: the tape gives what reverse mode gives, and never silently something else."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import fsmooth as fs
from tests.recursion.programs import PROGRAMS, REAL


def numbers(value: object) -> list[np.ndarray]:
    """All arrays and numbers of a value."""
    if isinstance(value, tuple | list):
        return [x for part in value for x in numbers(part)]
    return [np.asarray(value, dtype=float)]


def agree(found: object, wanted: object, tolerance: float = 1e-11) -> None:
    for a, b in zip(numbers(found), numbers(wanted), strict=True):
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("f", REAL, ids=lambda f: f.__name__)
def test_recursion(f: Callable[..., object]) -> None:
    arguments = PROGRAMS[f]
    agree(fs.jacobian(f, method="tape")(*arguments), fs.jacobian(f, method="reverse")(*arguments))


V, M = np.array([0.5, -1.5, 2.0]), np.array([[1.0, 2.0, -1.0], [0.5, -0.25, 3.0], [2.0, 1.0, 4.0]])
T = [("a", 1.0), ("b", 2.0)]


def windowed(v):
    out = np.zeros(len(v))
    for i in range(1, len(v)):
        out[i] = out[i - 1] * v[i] + v[0]
    return out


def halving(x):
    while x > 1.0:
        x = 0.5 * x
    return x


def branches(x, v):
    if x > 0.0:
        y = fs.exp(x) * v[0]
    else:
        y = v[1]
    return y * y + 2.0


def unrelated(v):
    return 3.0 if v[0] > 1.0 else 4.0


NUMBERS: dict[str, tuple[Callable[..., object], tuple[object, ...]]] = {
    "constant": (lambda x: 2.0, (1.0,)),
    "itself": (lambda x: x, (1.5,)),
    "shared": (lambda x: (x * x) * (x * x) + x, (1.5,)),
    "doublings": (lambda x: sum([x, x, x]) * x, (1.5,)),
    "dot": (lambda a, b: sum(a[i] * b[i] for i in range(len(a))), (V, 2.0 * V)),
    "nested sums": (lambda m, v: sum(sum(m[i, j] * v[j] for j in range(len(v))) for i in range(len(m))), (M, V)),
    "products": (lambda v: fs.prod(v) + fs.prod(v[1:]), (V,)),
    "a zero factor": (lambda v: fs.prod(v), (np.array([2.0, 0.0, 3.0]),)),
    "largest": (lambda v: fs.max(v) * fs.min(v), (V,)),
    "matrix": (lambda m, v: fs.sum(fs.tanh(m @ v)), (M, V)),
    "norm": (lambda v: fs.norm(v) / (1.0 + fs.norm(v)), (V,)),
    "logsumexp": (lambda v: fs.logsumexp(v), (V,)),
    "solved": (lambda m, v: sum(np.linalg.solve(m, v)), (M, V)),
    "determined": (lambda m: np.linalg.det(m), (M,)),
    "assigned": (lambda v: sum(windowed(v)), (V,)),
    "while": (halving, (37.0,)),
    "taken": (branches, (0.3, V)),
    "not taken": (branches, (-0.3, V)),
    "depends only by a test": (unrelated, (V,)),
    "sorted": (lambda v: np.sort(v)[1] ** 2, (V,)),
    "cumulated": (lambda v: np.cumsum(v) @ v, (V,)),
    "record": (lambda p: p["a"] * sum(p["b"]), ({"a": 2.0, "b": V},)),
    "powers": (lambda x, y: x**y + x**3.0 + 2.0**y, (1.5, 2.5)),
    "empty": (lambda v: sum(x * x for x in v) + 1.0, (np.zeros(0),)),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_gradients(name: str) -> None:
    f, arguments = NUMBERS[name]
    wrt = tuple(range(len(arguments)))
    value, found = fs.value_and_grad(f, wrt=wrt, method="tape")(*arguments)
    wanted, by = fs.value_and_grad(f, wrt=wrt, method="reverse")(*arguments)
    agree(value, wanted)
    if name != "record":
        agree(found, by)
    else:
        agree([found[0]["a"], found[0]["b"]], [by[0]["a"], by[0]["b"]])
    tangents = tuple([np.ones_like(x) if isinstance(x, np.ndarray) else 1.0 for x in arguments])
    if name != "record":
        tangent = tangents[0] if len(arguments) == 1 else tangents
        along = fs.hvp(f, wrt=wrt, method="tape")(*arguments, tangent=tangents)
        agree(along, fs.hvp(f, wrt=wrt, method="reverse")(*arguments, tangent=tangents), 1e-9)
        del tangent


ARRAYS: dict[str, tuple[Callable[..., object], tuple[object, ...]]] = {
    "matrix times vector": (lambda v, m: (m @ v, fs.sum(m)), (V, M)),
    "assigned": (windowed, (V,)),
    "outer": (lambda v, x: fs.outer(v, v) * x, (V, 2.0)),
    "list": (lambda v: [v[0] * v[1], v[0] + v[1]], (V,)),
    "inverse": (lambda m: np.linalg.inv(m), (M,)),
    "twice": (lambda x: (x, x), (2.0,)),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_jacobians(name: str) -> None:
    f, arguments = ARRAYS[name]
    wrt = tuple(range(len(arguments)))
    agree(
        fs.jacobian(f, wrt=wrt, method="tape")(*arguments), fs.jacobian(f, wrt=wrt, method="reverse")(*arguments), 1e-9
    )


def test_hessian() -> None:
    f = lambda v: fs.sum(fs.sin(v)) * v[0] * v[1]  # noqa: E731
    agree(fs.hessian(f, method="tape")(V), fs.hessian(f, method="reverse")(V))


def test_single_precision() -> None:
    v = V.astype(np.float32)
    f = lambda v: sum(fs.sin(x) * x for x in v)  # noqa: E731
    found = fs.grad(f, method="tape")(v)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, fs.grad(f, method="reverse")(v), rtol=1e-6)


def test_a_tape_in_a_loop_and_in_a_tape() -> None:
    def inner(x, t):
        return fs.sin(x * t)

    def outer(x, v):
        slopes = [fs.grad(inner, method="tape")(0.5, t) for t in v]
        return x * sum(slopes) + x * x

    found = fs.value_and_grad(outer, method="tape")(1.5, V)
    wanted = sum([t * np.cos(0.5 * t) for t in V])
    agree(found, (1.5 * wanted + 2.25, wanted + 3.0))


def test_a_tape_is_not_differentiated() -> None:
    gradient = fs.grad(lambda v: sum(x * x * x for x in v), method="tape")
    for derivative in (
        lambda: fs.jvp(gradient)(V, tangent=V),
        lambda: fs.vjp(gradient)(V),
        lambda: fs.jacobian(gradient, method="forward")(V),
        lambda: fs.jacobian(gradient, method="reverse")(V),
        lambda: fs.jacobian(gradient, method="tape")(V),
        lambda: fs.grad(lambda v: sum(gradient(v)))(V),
    ):
        with pytest.raises(fs.NotDifferentiableError, match="tape"):
            derivative()


def test_what_has_no_tape() -> None:
    with pytest.raises(fs.UnsupportedError, match="the pullback of a vjp does not keep a tape yet"):
        fs.vjp(lambda x: x, method="tape")
    with pytest.raises(fs.UnknownMethodError, match="a jvp is made in forward mode"):
        fs.jvp(lambda x: x, method="tape")
    with pytest.raises(fs.ArgumentError, match="a tape has an entry for everything"):
        fs.grad(lambda x: x, method="tape", checkpoint=True)


def test_it_says_so() -> None:
    gradient = fs.grad(lambda x: x * x, method="tape")
    assert gradient(3.0) == 6.0
    assert "grad: tape, as asked" in gradient.explain()

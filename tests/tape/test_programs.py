"""Programs as users write them: the tape gives what reverse mode gives, and never silently something else."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import fsmooth as fs
from tests.recursion.programs import PROGRAMS, REAL
from tests.tape.programs import ARRAYS, GRADIENTS, M, V, nested


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


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name: str) -> None:
    f, arguments = GRADIENTS[name]
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
        along = fs.hvp(f, wrt=wrt, method="tape")(*arguments, tangent=tangents)
        agree(along, fs.hvp(f, wrt=wrt, method="reverse")(*arguments, tangent=tangents), 1e-9)


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


def test_rows() -> None:
    found = fs.vmap(fs.grad(lambda v: fs.prod(v), method="tape"))(M)
    agree(found, np.array([fs.grad(lambda v: fs.prod(v), method="reverse")(row) for row in M]))


def test_single_precision() -> None:
    v = V.astype(np.float32)
    f = lambda v: sum(fs.sin(x) * x for x in v)  # noqa: E731
    found = fs.grad(f, method="tape")(v)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, fs.grad(f, method="reverse")(v), rtol=1e-6)


def narrowed(v, w):
    """Numbers of two widths in one statement."""
    a = np.zeros(len(v), dtype=np.float32)
    for i in range(len(v)):
        a[i] = v[i] * 1.5 * w
    return np.sum((v * w).astype(np.float32) * v) + np.sum(a * a)


def test_two_precisions() -> None:
    found = fs.grad(narrowed, wrt=("v", "w"), method="tape")(V, 2.0)
    wanted = fs.grad(narrowed, wrt=("v", "w"), method="reverse")(V, 2.0)
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)
    np.testing.assert_allclose(found[0], 4.0 * V + 18.0 * V, rtol=1e-6)


def test_a_tape_in_a_loop_and_in_a_tape() -> None:
    found = fs.value_and_grad(nested, method="tape")(1.5, V)
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
    with pytest.raises(fs.ArgumentMismatchError, match="a tape has an entry for everything"):
        fs.function(lambda x: fs.grad(lambda y: y * y, method="tape", checkpoint=True)(x))(1.0)
    with pytest.raises(fs.UnknownMethodError, match="a jvp is made in forward mode"):
        fs.jvp(lambda x: x, method="tape")
    with pytest.raises(fs.ArgumentError, match="a tape has an entry for everything"):
        fs.grad(lambda x: x, method="tape", checkpoint=True)


def test_it_says_so() -> None:
    gradient = fs.grad(lambda x: x * x, method="tape")
    assert gradient(3.0) == 6.0
    assert "grad: tape, as asked" in gradient.explain()

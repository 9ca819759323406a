"""Programs as users write them: continuations give what reverse mode gives, and never silently something else."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import fsmooth as fs
from tests.continuations.programs import ON_TREES, W, balanced, comb, on_tree, product, weighted
from tests.recursion.programs import LOOPS, PROGRAMS, REAL
from tests.tape.test_programs import agree

ON_RECORDS = "fs_record"
"""What the C has where something runs on records."""


def code(f: fs.Function, *arguments: object, **named: object) -> str:
    """The C of a derivative."""
    made = f.compiled(*arguments, **named).code
    assert made is not None
    return made.source


@pytest.mark.parametrize("f", REAL, ids=lambda f: f.__name__)
def test_recursion(f: Callable[..., object]) -> None:
    arguments = PROGRAMS[f]
    by = fs.jacobian(f, method="continuations")
    agree(by(*arguments), fs.jacobian(f, method="reverse")(*arguments), 1e-13)
    assert (ON_RECORDS in code(by, *arguments)) is (f not in LOOPS)


@pytest.mark.parametrize("links", [comb(1), comb(9), balanced(5)], ids=["three", "comb", "balanced"])
@pytest.mark.parametrize("f", ON_TREES, ids=lambda f: f.__name__)
def test_trees(f: Callable[..., object], links: tuple[np.ndarray, np.ndarray]) -> None:
    arguments = (ON_TREES[f], *on_tree(links))
    by = fs.value_and_grad(f, wrt=(0, 1), method="continuations")
    agree(by(*arguments), fs.value_and_grad(f, wrt=(0, 1), method="reverse")(*arguments), 1e-13)
    assert ON_RECORDS in code(by, *arguments)


@pytest.mark.parametrize("f", ON_TREES, ids=lambda f: f.__name__)
def test_second_derivatives(f: Callable[..., object]) -> None:
    arguments = (ON_TREES[f], *on_tree(comb(4)))
    along = (0.5 * np.asarray(ON_TREES[f]) if f is weighted else 0.5, arguments[1] - 1.0)
    found = fs.hvp(f, wrt=(0, 1), method="continuations")
    wanted = fs.hvp(f, wrt=(0, 1), method="reverse")(*arguments, tangent=along)
    agree(found(*arguments, tangent=along), wanted, 1e-13)
    assert ON_RECORDS in code(found, *arguments, tangent=along)
    agree(fs.hessian(f, method="continuations")(*arguments), fs.hessian(f, method="reverse")(*arguments), 1e-12)


def test_continuations_of_continuations_and_a_tape_around_them() -> None:
    arguments = on_tree(comb(4))

    def slope(x, value, left, right, root):
        return fs.grad(product, method="continuations")(x, value, left, right, root)

    wanted = fs.hessian(product)(1.2, *arguments)
    for method in ("forward", "reverse", "continuations", "tape"):
        agree(fs.grad(slope, method=method)(1.2, *arguments), wanted, 1e-12)


def test_jacobian_of_several() -> None:
    def several(w, value, left, right, root):
        return np.array([product(w[0, 0], value, left, right, root), weighted(w, value, left, right, root)])

    arguments = (W, *on_tree(balanced(3)))
    by = [fs.jacobian(several, wrt=(0, 1), method=m)(*arguments) for m in ("continuations", "reverse")]
    agree(by[0], by[1], 1e-14)


def of_step(x, k):
    """Named as another function with a suffix."""
    return x if k < 2 else of_step(x, k - 1) * x + of_step(0.5 * x, k - 2)


def of(x, k):
    return x if k < 2 else of(x, k - 1) * of_step(x, k - 2) + x * of(0.5 * x, k - 2)


def test_names() -> None:
    agree(fs.grad(of, method="continuations")(1.3, 6), fs.grad(of, method="reverse")(1.3, 6), 1e-13)


def test_single_precision() -> None:
    value, left, right, root = on_tree(balanced(4))
    by = [
        fs.grad(product, wrt="value", method=m)(np.float32(1.01), value.astype(np.float32), left, right, root)
        for m in ("continuations", "reverse")
    ]
    assert by[0].dtype == np.float32
    np.testing.assert_array_equal(*by)


def test_checkpoints() -> None:
    arguments = (1.1, *on_tree(comb(5)))
    found = fs.grad(product, method="continuations", checkpoint=True)(*arguments)
    agree(found, fs.grad(product, method="reverse")(*arguments), 1e-14)


def test_errors_on_the_way() -> None:
    value, left, right, root = on_tree(comb(50))
    left = left.copy()
    left[40] = 1000
    with pytest.raises(fs.IndexOutOfBoundsError) as caught:
        fs.grad(product, method="continuations")(1.1, value, left, right, root)
    with pytest.raises(fs.IndexOutOfBoundsError) as wanted:
        fs.grad(product, method="reverse")(1.1, value, left, right, root)
    assert str(caught.value) == str(wanted.value)


def test_check_derivative_has_them_as_routes() -> None:
    report = fs.check_derivative(product, 1.1, *on_tree(comb(3)), wrt=(0, 1))
    found = {route.name: route for route in report.routes}
    assert found["Jacobian by continuations"].values
    assert found["gradient by continuations"].values


def test_what_is_not_taken_is_refused() -> None:
    with pytest.raises(fs.UnsupportedError, match="pullback of a vjp does not keep continuations yet"):
        fs.vjp(product, method="continuations")
    with pytest.raises(fs.UnknownMethodError, match="a jvp is made in forward mode"):
        fs.jvp(product, method="continuations")
    with pytest.raises(fs.UnknownMethodError, match="'tape' or 'continuations'"):
        fs.grad(product, method="continuation")

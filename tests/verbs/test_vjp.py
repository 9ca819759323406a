"""`fs.vjp`: the pullback against the Jacobian, what it keeps, what it refuses, threads, the cache."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core.term import Prim, Term
from fsmooth.core.traverse import subterms
from tests.verbs.parts import assert_same
from tests.verbs.test_jacobian import CASES, V, W


class Pair(NamedTuple):
    a: Any
    b: Any


@dataclasses.dataclass(frozen=True)
class Camera:
    focal: float
    centre: Any


def rows_times(cotangent: np.ndarray[Any, Any], jacobian: Any) -> Any:
    """cotangentᵀ J, over all indices of the output."""
    return np.tensordot(cotangent, jacobian, axes=np.ndim(cotangent))


def calls(term: Term) -> list[str]:
    """The functions that are dear in a term."""
    return sorted([t.primitive.name for t in subterms(term) if isinstance(t, Prim) and t.primitive.weight >= 15])


@pytest.mark.parametrize("name", [n for n in CASES if "tuple" not in n])
def test_as_the_jacobian(name: str) -> None:
    f, arguments, wrt = CASES[name]
    value, pullback = fs.vjp(f, wrt)(*arguments)
    assert_same(value, fs.function(f)(*arguments))
    jacobian = fs.jacobian(f, wrt, method="forward")(*arguments)
    rng = np.random.default_rng(1)
    for _ in range(3):
        cotangent = rng.normal(size=np.shape(value))
        found = pullback(cotangent if np.ndim(value) else float(cotangent))
        if isinstance(wrt, tuple):
            assert_same(found, tuple([rows_times(cotangent, j) for j in jacobian]))
        else:
            assert_same(found, rows_times(cotangent, jacobian))


def test_values_with_structure() -> None:
    """Integers have no cotangent: what stands for one is not looked at.  Arrays of tuples are tuples of arrays."""

    def f(x, v):  # type: ignore[no-untyped-def]
        return x * x, len(v), [(y, y * x) for y in v]

    value, pullback = fs.vjp(f, wrt=("x", "v"))(3.0, V)
    assert value[1] == 4
    for nothing in (value[1], None, ()):
        dx, dv = pullback((2.0, nothing, (V, 2.0 * V)))
        assert dx == pytest.approx(12.0 + 2.0 * float(np.sum(V * V)))
        assert_same(dv, V + 6.0 * V)


def test_records() -> None:
    def project(camera, p):  # type: ignore[no-untyped-def]
        return Pair(camera.focal * p[0] + camera.centre[0], camera.focal * p[1] + camera.centre[1])

    value, pullback = fs.vjp(project)(Camera(2.0, np.zeros(2)), np.array([3.0, 4.0]))
    assert type(value) is Pair
    found = pullback(Pair(1.0, 10.0))
    assert type(found) is Camera
    assert found.focal == 43.0
    assert_same(found.centre, np.array([1.0, 10.0]))


def test_the_caller_may_change_arguments_and_value_afterwards() -> None:
    v, w = V.copy(), V.copy()
    value, pullback = fs.vjp(lambda v, w: [fs.exp(x * y) for x, y in zip(v, w, strict=True)], wrt=("v", "w"))(v, w)
    expected = pullback(np.ones(4))
    v[:], w[:], value[:] = 0.0, 0.0, 0.0
    assert_same(pullback(np.ones(4)), expected, 0.0)
    assert_same(expected[0], np.exp(V * V) * V)


def test_read_only_arguments_are_not_copied() -> None:
    frozen = V.copy()
    frozen.flags.writeable = False
    _, pullback = fs.vjp(lambda v: sum(x * x for x in v))(frozen)
    assert any(np.may_share_memory(kept, frozen) for kept in pullback._kept)
    view = V.copy()[:]
    view.flags.writeable = False
    _, pullback = fs.vjp(lambda v: sum(x * x for x in v))(view)
    assert not any(kept is view for kept in pullback._kept)


def test_arguments_of_which_lengths_are_asked_are_not_copied() -> None:
    """The exponentials are kept, not the numbers; the array of these may change, and have another shape."""
    v = V.copy()
    _, pullback = fs.vjp(lambda v: [fs.exp(x) for x in v])(v)
    assert any(np.may_share_memory(kept, v) for kept in pullback._kept)
    assert repr(pullback).endswith(", keeps 32 bytes>")
    expected = pullback(W4)
    v[:] = 7.0
    v.shape = (2, 2)
    assert_same(pullback(W4), expected, 0.0)
    _, pullback = fs.vjp(lambda v: [x * x for x in v])(v := V.copy())
    assert not any(np.may_share_memory(kept, v) for kept in pullback._kept)


def test_the_program_is_not_run_again() -> None:
    """What is dear is kept: the second half has no exponential in it."""
    program = fs.vjp(lambda v: sum(fs.exp(fs.sin(x)) for x in v))
    _, pullback = program(V)
    assert calls(pullback.stages.terms["optimised"]) == ["cos"]
    assert calls(program.stages.terms["optimised"]) == ["exp", "sin"]
    assert_same(pullback(2.0), 2.0 * np.exp(np.sin(V)) * np.cos(V))


def test_integers_and_lists_as_cotangents() -> None:
    _, pullback = fs.vjp(lambda v: [x * x for x in v])(V)
    assert_same(pullback([1, 2, 3, 4]), 2.0 * V * np.array([1.0, 2.0, 3.0, 4.0]))
    _, pullback = fs.vjp(lambda v: sum(x * x for x in v))(V)
    assert_same(pullback(1), 2.0 * V)


def test_float32() -> None:
    v = V.astype(np.float32)
    value, pullback = fs.vjp(lambda v: [fs.sin(x) for x in v])(v)
    assert value.dtype == np.float32
    found = pullback(np.ones(4, np.float32))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, np.cos(v), rtol=1e-6)


def test_out() -> None:
    _, pullback = fs.vjp(lambda v: [x * x for x in v])(V)
    place = np.empty(4)
    assert pullback(np.ones(4), out=place) is place
    assert_same(place, 2.0 * V)


def test_defaults_keywords_and_captured_values() -> None:
    scale = np.array([1.0, 2.0, 3.0, 4.0])

    def f(v, power=2.0):  # type: ignore[no-untyped-def]
        return [scale[i] * v[i] ** power for i in range(len(v))]

    _, pullback = fs.vjp(f)(v=np.abs(V))
    assert_same(pullback(np.ones(4)), scale * 2.0 * np.abs(V))
    _, pullback = fs.vjp(f)(np.abs(V), power=3.0)
    assert_same(pullback(np.ones(4)), scale * 3.0 * V**2)
    scale[:] = 0.0
    assert_same(pullback(np.ones(4)), np.array([1.0, 2.0, 3.0, 4.0]) * 3.0 * V**2)


def test_requirements_are_checked_by_the_first_half() -> None:
    with pytest.raises(fs.SizeError, match="sizes 4 and 3 differ"):
        fs.vjp(lambda v, w: fs.dot(v, w))(V, W)


def test_of_a_gradient() -> None:
    """A vjp of a gradient gives Hessian-vector products."""

    def f(v):  # type: ignore[no-untyped-def]
        return sum(fs.sin(v[i]) * v[0] for i in range(len(v)))

    gradient, pullback = fs.vjp(fs.grad(f))(V)
    assert_same(gradient, fs.grad(f)(V))
    assert_same(pullback(W4), fs.hvp(f)(V, tangent=W4))


W4 = np.array([0.5, -1.0, 2.0, 0.25])


def test_of_a_gradient_in_reverse_mode() -> None:
    """Sums of one-hot arrays are made in the first derivative: the second saves none of them."""

    def energy(x):
        s = sum(a * a for a in x)
        return fs.log(s) * sum(fs.exp(a / s) for a in x)

    x = np.array([1.0, 2.0, 3.0])
    expected = fs.hessian(energy, method="forward")(x)
    pullback = fs.vjp(fs.grad(energy, method="reverse"))(x)[1]
    assert np.array([pullback(e) for e in np.eye(3)]) == pytest.approx(expected, rel=1e-12)
    assert fs.hessian(energy, method="reverse")(x) == pytest.approx(expected, rel=1e-12)


def test_inside_a_program() -> None:
    def f(v, w):  # type: ignore[no-untyped-def]
        return [fs.sin(v[i] * w[i]) * v[0] for i in range(len(v))]

    @fs.function
    def both(v, w):  # type: ignore[no-untyped-def]
        value, pullback = fs.vjp(f, wrt=("v", "w"))(v, w)
        a, b = pullback(value)
        c, _ = pullback([1.0 for _ in v])
        return value, a, b, c

    value, a, b, c = both(V, W4)
    outer, pullback = fs.vjp(f, wrt=("v", "w"))(V, W4)
    assert_same((value, (a, b)), (outer, pullback(outer)))
    assert_same(c, pullback(np.ones(4))[0])


def test_inside_a_program_the_derivative_of_a_pullback() -> None:
    @fs.function
    def slope(v, w):  # type: ignore[no-untyped-def]
        def along(r):  # type: ignore[no-untyped-def]
            _, pullback = fs.vjp(lambda x: [fs.sin(y) for y in x])(v)
            return sum(pullback(r))

        return fs.grad(along)(w)

    assert_same(slope(V, W4), np.cos(V))


def test_threads() -> None:
    _, pullback = fs.vjp(lambda v: [fs.exp(x) * sum(v) for x in v])(np.linspace(0.0, 1.0, 300))
    cotangents = [np.full(300, float(k)) for k in range(8)]
    expected = [pullback(c) for c in cotangents]
    failed: list[int] = []

    def work(k: int) -> None:
        for _ in range(20):
            if not np.array_equal(pullback(cotangents[k]), expected[k]):
                failed.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failed


def test_repr() -> None:
    def model(v, w):  # type: ignore[no-untyped-def]
        return [x * sum(w) for x in v], sum(v)

    _, pullback = fs.vjp(model, wrt=("v", "w"))(V, W)
    assert repr(pullback).startswith(
        "<pullback of model(v, w) with respect to v, w: takes (an array of shape (4,), a number), keeps "
    )


BAD: dict[str, tuple[Callable[[Any], Any], object, str]] = {
    "shape": (
        lambda v: [x * x for x in v],
        np.ones(3),
        "cotangent: expected an array of shape (4,), that of the value, not (3,)",
    ),
    "rank": (
        lambda v: [x * x for x in v],
        1.0,
        "cotangent: expected a 1-dimensional array of float64, found float 1.0",
    ),
    "a number": (
        lambda v: sum(v),
        np.ones(4),
        "cotangent: expected a number, found a 1-dimensional array of float64 of shape (4,)",
    ),
    "dtype": (
        lambda v: [x * x for x in v],
        np.ones(4, complex),
        "cotangent: expected a 1-dimensional array of float64, found a 1-dimensional array of complex128 of shape (4,)",
    ),
    "structure": (
        lambda v: (sum(v), [x * x for x in v]),
        np.ones(4),
        "cotangent: expected a tuple of 2, found a 1-dimensional array of float64 of shape (4,)",
    ),
    "a part": (
        lambda v: (sum(v), [x * x for x in v]),
        (1.0, np.ones(2)),
        "cotangent[1]: expected an array of shape (4,), that of the value, not (2,)",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_cotangents(name: str) -> None:
    f, cotangent, message = BAD[name]
    _, pullback = fs.vjp(f)(V)
    with pytest.raises(fs.ArgumentError) as caught:
        pullback(cotangent)
    assert str(caught.value) == message


PROGRAM = """
import numpy as np, fsmooth as fs, sys
def f(v): return [fs.sin(x) * v[0] for x in v]
value, pullback = fs.vjp(f)(np.array([1.0, 2.0]))
print(pullback(np.ones(2)).tolist())
print("fsmooth.differentiate.deriv" in sys.modules)
"""


def test_both_halves_are_in_the_persistent_cache(tmp_path: Path) -> None:
    """A second process neither elaborates nor compiles."""
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    environment = {**os.environ, "FSMOOTH_CACHE_DIR": str(tmp_path / "cache")}
    said = [
        subprocess.run(
            [sys.executable, str(script)], env=environment, capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    ]
    first, second = [lines.split("\n") for lines in said]
    assert first[0] == second[0]
    assert (first[1], second[1]) == ("True", "False")


def test_save(tmp_path: Path) -> None:
    program = fs.vjp(lambda v: [x * x for x in v])
    paths = program.save(tmp_path / "square", V)
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "square.c",
        "square.h",
        "square_pullback.c",
        "square_pullback.h",
    ]
    assert paths == (tmp_path / "square.c", tmp_path / "square.h")

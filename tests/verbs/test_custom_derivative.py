"""`fs.custom_derivative`: which rule each mode follows, at any order, for any structure, and what it costs."""

from __future__ import annotations

import math
import pickle
from typing import Any, NamedTuple

import numpy as np
import pytest

import fsmooth as fs
from tests.verbs.parts import assert_same

V = np.array([0.5, -1.5, 2.0])
METHODS = ("forward", "reverse")
SCHEDULES = ("NONE", "DEFAULT", "REAL")


@fs.custom_derivative(jvp=lambda x, dx: 10.0 * dx, vjp=lambda x, c: 20.0 * c, check=False)
def both(x):  # type: ignore[no-untyped-def]
    return fs.sin(x)


only_jvp = fs.custom_derivative(lambda x: fs.sin(x), jvp=lambda x, dx: 10.0 * x * dx, check=False)
only_vjp = fs.custom_derivative(lambda x: fs.sin(x), vjp=lambda x, c: 20.0 * x * c, check=False)
exponential = fs.custom_derivative(lambda x: fs.exp(x), jvp=lambda x, dx: exponential(x) * dx)


def test_the_value_is_that_of_the_function() -> None:
    assert both(0.5) == fs.function(lambda x: both(x))(0.5) == pytest.approx(math.sin(0.5), rel=1e-15)
    assert fs.value_and_grad(both)(0.5)[0] == pytest.approx(math.sin(0.5), rel=1e-15)
    assert fs.vjp(both)(0.5)[0] == pytest.approx(math.sin(0.5), rel=1e-15)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_each_mode_follows_its_own_rule(schedule: str) -> None:
    assert fs.grad(both, method="forward", schedule=schedule)(0.5) == 10.0
    assert fs.grad(both, method="reverse", schedule=schedule)(0.5) == 20.0
    assert fs.jvp(both, schedule=schedule)(0.5, tangent=2.0)[1] == 20.0
    assert fs.vjp(both, schedule=schedule)(0.5)[1](3.0) == 60.0


@pytest.mark.parametrize("method", METHODS)
def test_the_other_rule_is_the_transpose(method: str) -> None:
    assert fs.grad(only_jvp, method=method)(0.5) == 5.0
    assert fs.grad(only_vjp, method=method)(0.5) == 10.0
    assert_same(fs.jacobian(lambda v: [only_vjp(x) * v[0] for x in v], method=method)(V), _expected())


def _expected() -> np.ndarray:
    found = np.diag(20.0 * V * V[0])
    found[:, 0] += np.sin(V)
    return found


@pytest.mark.parametrize("outer", METHODS)
@pytest.mark.parametrize("inner", METHODS)
def test_second_derivatives_differentiate_the_rule(inner: str, outer: str) -> None:
    assert fs.grad(fs.grad(only_jvp, method=inner), method=outer)(0.5) == 10.0
    assert fs.grad(fs.grad(only_vjp, method=inner), method=outer)(0.5) == 20.0


def test_hessians_and_hessians_times_vectors() -> None:
    def f(v):  # type: ignore[no-untyped-def]
        return sum(only_vjp(x) for x in v) + only_jvp(v[0] * v[1])

    expected = np.diag([20.0, 20.0, 20.0])
    expected[:2, :2] += [[10.0 * V[1] ** 2, 20.0 * V[0] * V[1]], [20.0 * V[0] * V[1], 10.0 * V[0] ** 2]]
    for method in METHODS:
        assert_same(fs.hessian(f, method=method)(V), expected)
    assert_same(fs.hvp(f)(V, tangent=np.arange(3.0)), expected @ np.arange(3.0))


def test_a_rule_may_call_its_function_at_any_order() -> None:
    derivative: Any = exponential
    for order in range(6):
        derivative = fs.grad(derivative, method=METHODS[order % 2])
        assert derivative(0.5) == pytest.approx(math.exp(0.5), rel=1e-14)


def test_inside_programs_and_by_fig_5() -> None:
    assert fs.function(lambda x: fs.grad(only_jvp)(x) + fs.vjp(both)(x)[1](1.0))(0.5) == 25.0
    assert fs.function(lambda x: fs.deriv(both(x) * x, x)[1])(0.5) == pytest.approx(5.0 + math.sin(0.5))
    assert fs.function(lambda x: fs.grad(lambda y: both(y) * x, method="reverse")(x))(0.5) == 10.0


def test_a_program_that_uses_the_value_of_a_derivative() -> None:
    """Newton's method, whose steps are derivatives, in a loop that is differentiated again."""

    def root(a):  # type: ignore[no-untyped-def]
        x = 1.0
        for _ in range(8):
            x = x - (square(x) - a) / fs.grad(square)(x)
        return x

    square = fs.custom_derivative(lambda x: x * x, vjp=lambda x, c: 2.0 * x * c)
    for method in METHODS:
        assert fs.grad(root, method=method)(2.0) == pytest.approx(0.5 / math.sqrt(2.0), rel=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_in_each_way_of_calling_it_for_every_element(method: str) -> None:
    ways = (
        lambda v: sum(only_vjp(x) for x in v),
        lambda v: sum(map(only_vjp, v)),
        lambda v: fs.sum([only_vjp(x) for x in v]),
        lambda v: fs.fold(lambda s, x: s + only_vjp(x), 0.0, v),
        lambda v: fs.sum(len(v), lambda i: only_vjp(v[i])),
        lambda v: sum(only_vjp(v[i]) for i in fs.unroll(range(3))),
        lambda v: max(0.0 * x for x in v) + np.sum(np.array([only_vjp(x) for x in v])),
    )
    for f in ways:
        assert_same(fs.grad(f, method=method)(V), 20.0 * V)


@pytest.mark.parametrize("checkpoint", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_in_loops_that_carry_state(method: str, checkpoint: bool) -> None:
    def f(x, n):  # type: ignore[no-untyped-def]
        for _ in range(n):
            x = 0.1 * exponential(x)
        return x

    def plain(x, n):  # type: ignore[no-untyped-def]
        for _ in range(n):
            x = 0.1 * fs.exp(x)
        return x

    for n in (0, 1, 2, 7, 20):
        expected = fs.grad(plain, method="forward")(0.3, n)
        assert fs.grad(f, method=method, checkpoint=checkpoint)(0.3, n) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("method", METHODS)
def test_in_branches_and_while(method: str) -> None:
    def f(x):  # type: ignore[no-untyped-def]
        while x < 3.0:
            x = both(x) + 1.0 if x < 0.0 else only_jvp(x) + 2.0 * x
        return x

    assert fs.grad(f, method=method)(0.9) == pytest.approx(_slope_of_loop(0.9), rel=1e-13)


def _slope_of_loop(x: float) -> float:
    slope = 1.0
    while x < 3.0:
        assert x >= 0.0
        slope *= 10.0 * x + 2.0
        x = math.sin(x) + 2.0 * x
    return slope


# -- structures ----------------------------------------------------------------------------------------------------------


def matrix_vjp(A, x, k, c):  # type: ignore[no-untyped-def]
    dA = [[k * c[i] * x[j] for j in range(len(x))] for i in range(len(A))]
    return dA, [k * sum(c[i] * A[i, j] for i in range(len(A))) for j in range(len(x))], None


@fs.custom_derivative(vjp=matrix_vjp)
def times(A, x, k):  # type: ignore[no-untyped-def]
    return [k * sum(A[i, j] * x[j] for j in range(len(x))) for i in range(len(A))]


@pytest.mark.parametrize("method", METHODS)
def test_arrays_and_integers(method: str) -> None:
    A, x = np.arange(6.0).reshape(2, 3), np.array([1.0, 2.0, 3.0])
    by_matrix, by_vector = fs.jacobian(times, wrt=("A", "x"), method=method)(A, x, 2)
    assert_same(by_vector, 2.0 * A)
    assert_same(by_matrix, 2.0 * np.einsum("ab,j->abj", np.eye(2), x))
    assert_same(fs.vjp(times, wrt="x")(A, x, 2)[1](np.array([1.0, 10.0])), 2.0 * A.T @ [1.0, 10.0])


class Body(NamedTuple):
    mass: float
    count: int
    place: Any


def _moved(b, s, db, ds):  # type: ignore[no-untyped-def]
    return Body(db.mass * s + b.mass * ds, 0, [db.place[i] * s + b.place[i] * ds for i in range(len(b.place))])


@fs.custom_derivative(jvp=_moved)
def scaled(b, s):  # type: ignore[no-untyped-def]
    return Body(b.mass * s, b.count + 1, [p * s for p in b.place])


@fs.custom_derivative(
    vjp=lambda b, s, c: (Body(c * s * sum(b.place), (), [c * b.mass * s for _ in b.place]), c * b.mass * sum(b.place))
)
def moment(b, s):  # type: ignore[no-untyped-def]
    return b.mass * s * sum(b.place) + b.count


@pytest.mark.parametrize("method", METHODS)
def test_records(method: str) -> None:
    body = Body(2.0, 3, np.array([1.0, 5.0]))
    by_body, by_scale = fs.grad(lambda b, s: moment(scaled(b, s), s), wrt=("b", "s"), method=method)(body, 4.0)
    assert by_body.mass == pytest.approx(4.0**3 * 6.0)
    assert_same(by_body.place, np.full(2, 2.0 * 4.0**3))
    assert by_body.count == ()
    assert by_scale == pytest.approx(3.0 * 4.0**2 * 2.0 * 6.0)
    moved = fs.jvp(scaled, wrt=("b", "s"))(body, 4.0, tangent=(Body(1.0, (), np.ones(2)), 0.5))[1]  # type: ignore[arg-type]
    assert (moved.mass, moved.count) == (5.0, ())
    assert_same(moved.place, np.array([4.5, 6.5]))


@pytest.mark.parametrize("method", METHODS)
def test_arrays_of_tuples(method: str) -> None:
    f = fs.custom_derivative(lambda ps: sum(a * b for a, b in ps), vjp=lambda ps, c: [(b * c, a * c) for a, b in ps])
    assert_same(fs.grad(lambda v: f([(x, x * x) for x in v]), method=method)(V), 3.0 * V**2)


def test_what_is_known_at_compile_time() -> None:
    f = fs.custom_derivative(
        lambda x, picked, kind, g: sum(g(x[i]) for i in picked) * (2.0 if kind == "twice" else 1.0),
        jvp=lambda x, picked, kind, g, dx, d1, d2, d3: sum(dx[i] + d1[0] for i in picked) * len(kind),
        check=False,
    )
    for method in METHODS:
        gradient = fs.grad(lambda x, picked: f(x, picked, "twice", lambda y: 3.0 * y), method=method)
        assert_same(gradient(V, np.array([1, 1, 2])), np.array([0.0, 10.0, 5.0]))


def test_defaults_keywords_and_constants() -> None:
    f = fs.custom_derivative(
        lambda x, n=3, *, s=2.0: s * x**n, jvp=lambda x, n, s, dx, dn, ds: s * n * x ** (n - 1) * dx + x**n * ds
    )
    assert fs.grad(f)(2.0) == 24.0
    assert fs.grad(lambda x: f(x, s=1.0, n=2), method="reverse")(2.0) == 4.0


def test_integers_and_arguments_that_do_not_move() -> None:
    """The cotangents of what is not differentiated are not computed: this one would be infinite."""
    f = fs.custom_derivative(lambda x, y: x * y, vjp=lambda x, y, c: (c * y, c * x / 0.0), check=False)
    assert fs.grad(f, method="reverse")(2.0, 3.0) == 3.0
    assert fs.grad(f, method="forward")(2.0, 3.0) == 3.0
    assert fs.grad(lambda x: f(x, 3), method="reverse")(2.0) == 3.0
    assert f(2, 3) == 6
    assert "/" not in _body(fs.grad(f, method="reverse").c_source(2.0, 3.0))


def test_captured_values_are_read_anew() -> None:
    factor = np.array([2.0])
    f = fs.custom_derivative(lambda x: factor[0] * x, jvp=lambda x, dx: factor[0] * dx)
    gradient = fs.grad(f)
    assert gradient(1.0) == 2.0
    factor[0] = 5.0
    assert gradient(1.0) == 5.0


def test_float32() -> None:
    found = fs.grad(lambda v: sum(exponential(x) for x in v), method="reverse")(V.astype(np.float32))
    assert found.dtype == np.float32
    assert_same(found, np.exp(V).astype(np.float32), 1e-6)


def test_pickle() -> None:
    assert pickle.loads(pickle.dumps(both)) is both
    assert pickle.loads(pickle.dumps(fs.grad(both, method="reverse")))(0.5) == 20.0


# -- what runs -----------------------------------------------------------------------------------------------------------


def _body(code: str) -> str:
    """The C of the kernel, without comments and what comes before it."""
    kernel = code.split("\nint32_t ")[1]
    return "\n".join([line for line in kernel.split("\n") if "/*" not in line])


@pytest.mark.parametrize("method", METHODS)
def test_the_rule_runs_and_not_the_function(method: str) -> None:
    f = fs.custom_derivative(lambda x: fs.tanh(x), jvp=lambda x, dx: fs.sin(x) * dx, check=False)
    code = _body(fs.grad(lambda v: sum(f(x) for x in v), method=method).c_source(V))
    assert "sin(" in code
    assert "tanh" not in code


def test_without_derivatives_a_rule_costs_nothing() -> None:
    plain, own = fs.function(lambda v: sum(fs.tanh(x) for x in v)), fs.function(lambda v: sum(both_of(x) for x in v))
    both_of = fs.custom_derivative(lambda x: fs.tanh(x), jvp=lambda x, dx: dx)
    assert own.cost(V) == plain.cost(V)
    assert "custom" not in own.explain(V)


def test_what_the_rule_and_the_function_share_is_computed_once() -> None:
    code = _body(fs.value_and_grad(exponential, method="reverse").c_source(0.5))
    assert code.count("exp(") == 1


def test_a_pullback_does_not_run_again_what_the_rule_computes_without_the_cotangent() -> None:
    f = fs.custom_derivative(lambda x: x * x, vjp=lambda x, c: fs.exp(fs.sin(x)) * c, check=False)
    value, pullback = fs.vjp(f)(0.5)
    assert (value, pullback(2.0)) == (0.25, pytest.approx(2.0 * math.exp(math.sin(0.5))))
    assert "exp(" not in _body(pullback.c_source())


def test_the_demonstration_of_the_notes_differentiates_the_body() -> None:
    f = fs.custom_derivative(lambda x: fs.sin(x), jvp=lambda x, dx: 7.0 * dx, check=False)
    text = fs.grad(lambda x: f(x) * x).explain(0.5, linear_maps=True)
    shown = text[text.index("linear maps (paper 001, §9)") :]
    assert "cos x" in shown
    assert "7.0" not in shown


def test_explain() -> None:
    text = fs.grad(lambda x: both(x) + only_jvp(x) + only_vjp(x)).explain(0.5)
    assert "derivatives given:\n  both: its jvp and its vjp\n" in text
    assert "  anonymous: its jvp; reverse mode transposes it\n" in text
    assert "  anonymous: its vjp; forward mode transposes it\n" in text

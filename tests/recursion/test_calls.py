"""Calls of definitions: Python, the interpreter, loops, C and derivatives agree."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import fsmooth as fs
from fsmooth import driver
from fsmooth.core import primitives as p
from fsmooth.core.definitions import called, reachable
from fsmooth.core.evaluate import ArrayValue, evaluate
from fsmooth.core.term import Call, Const, Header, If, Lam, Prim, Var
from fsmooth.core.types import F64, INT
from fsmooth.loops.evaluate import evaluate as run_loops
from fsmooth.lower.functions import lower
from fsmooth.optimise.calls.loops import calls_as_loops
from tests.recursion.programs import (
    LOOPS,
    PROGRAMS,
    REAL,
    A,
    V,
    determinant,
    even,
    fibonacci,
    fourier,
    merged,
    newton,
    power,
)

BY_NAME = [pytest.param(f, id=f.__name__) for f in PROGRAMS]
OF_REALS = [pytest.param(f, id=f.__name__) for f in REAL]


def term_of(program: Callable[..., object]) -> Lam:
    """The elaborated program, for the types of its arguments."""
    compiled = fs.function(program)
    compiled(*PROGRAMS[program])
    return compiled.stages.elaborated.term


def as_value(x: object) -> object:
    """An argument for the interpreter."""
    if isinstance(x, np.ndarray):
        return ArrayValue(x.shape, tuple([as_value(row) for row in x]))
    return float(x) if isinstance(x, np.floating) else x


@pytest.mark.parametrize("program", BY_NAME)
def test_values(program: Callable[..., object]):
    arguments = PROGRAMS[program]
    expected = program(*arguments)
    assert fs.function(program)(*arguments) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    function = evaluate(term_of(program), {})
    assert callable(function)
    value = function(*[as_value(x) for x in arguments])
    assert (value.items if isinstance(value, ArrayValue) else value) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_the_cost_says_that_calls_are_counted_once():
    assert fs.function(fibonacci).cost(*PROGRAMS[fibonacci]).endswith("O(1), counting 64 for each call of fibonacci")


@pytest.mark.parametrize("program", BY_NAME)
def test_what_is_a_loop_calls_nothing(program: Callable[..., object]):
    term = term_of(program)
    assert reachable(term)
    assert (not reachable(calls_as_loops(term)(term))) is (program in LOOPS)
    for header in reachable(term):
        assert not header.definition.free


@pytest.mark.parametrize("program", OF_REALS)
def test_derivatives(program: Callable[..., object]):
    first, *rest = PROGRAMS[program]
    step, along = 1e-6, np.ones_like(first) if isinstance(first, np.ndarray) else 1.0
    plus, minus = (np.array(program(first + s * along, *rest)) for s in (step, -step))
    _, slope = fs.jvp(program)(first, *rest, tangent=along)
    assert np.allclose(slope, (plus - minus) / (2 * step), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("program", [f for f in OF_REALS if f.id not in ("both", "bisection", "doubled", "merged")])
def test_every_way_agrees(program: Callable[..., object]):
    """Complex step, dual numbers, those of paper 003, continuations; of a pair, and of steps, there is no gradient to compare."""
    fs.check_derivative(program, *PROGRAMS[program], wrt=0)


def test_gradient_and_hessian_of_a_determinant():
    inverse = np.linalg.inv(A)
    det = np.linalg.det(A)
    assert np.allclose(fs.grad(determinant)(A), det * inverse.T)
    direction = np.arange(16.0).reshape(4, 4)
    moved = det * (np.trace(inverse @ direction) * inverse - inverse @ direction @ inverse).T
    assert np.allclose(fs.hvp(determinant)(A, tangent=direction), moved)


@pytest.mark.parametrize("program", OF_REALS)
def test_reverse_mode_is_the_transpose_of_forward_mode(program: Callable[..., object]):
    first, *rest = PROGRAMS[program]
    rng = np.random.default_rng(0)
    along = rng.standard_normal(np.shape(first)) if np.ndim(first) else 0.7
    value, slope = fs.jvp(program)(first, *rest, tangent=along)
    value_again, pullback = fs.vjp(program, wrt=0)(first, *rest)
    several = value if isinstance(value, tuple) else (value,)
    weights = [rng.standard_normal(np.shape(v)) if np.ndim(v) else 1.3 for v in several]
    given = pullback(tuple(weights) if isinstance(value, tuple) else weights[0])
    slopes = slope if isinstance(value, tuple) else (slope,)
    forwards = sum([float(np.sum(w * t)) for w, t in zip(weights, slopes, strict=True)])
    assert np.sum(given * along) == pytest.approx(forwards, rel=1e-9, abs=1e-12)
    for v, w in zip(several, value_again if isinstance(value, tuple) else (value_again,), strict=True):
        assert np.allclose(v, w, rtol=1e-12)
    if not isinstance(value, tuple) and not np.ndim(value):
        assert np.allclose(fs.grad(program, wrt=0, method="reverse")(first, *rest), given / weights[0], rtol=1e-12)


def test_arrays_have_the_sizes_that_were_made_room_for():
    def longer(x, n):
        return x if n == 0 else np.append(longer(x, n - 1), 1.0)

    compiled = fs.function(longer)
    assert np.array_equal(compiled(V, 0), V)
    with pytest.raises(fs.SizeError, match="sizes 8 and 9 differ"):
        compiled(V, 1)


def test_transforms_and_their_derivatives():
    frequencies = np.fft.fft(V)
    assert fs.function(fourier)(V, 3) == pytest.approx(frequencies[3].real + frequencies[3].imag)
    assert np.array_equal(fs.function(merged)(V), np.sort(V))
    assert np.array_equal(fs.jacobian(merged)(V), np.eye(8)[np.argsort(V)])


def test_a_call_is_made_where_it_is_defined():
    """Each half is transformed once, though what follows asks for lengths and then reads in loops and their branches."""
    compiled = fs.function(fourier)
    compiled(V, 3)
    [definition] = functions_of(compiled).values()
    assert definition.count("fourier_transform(") == 2


def product(left, right, value, t):
    """Of the numbers in a tree, whose nodes have a left and a right one, or -1."""
    if left[t] < 0:
        return value[t]
    return product(left, right, value, left[t]) * product(left, right, value, right[t]) * value[t]


def functions_of(compiled: fs.Function) -> dict[str, str]:
    """The C of the definitions, by the names that follow that of the program."""
    code = compiled.stages.code
    assert code is not None
    found = re.findall(
        rf"^static (?:inline )?\w+ {code.name}_(\w+)\(([^;{{]*){{\n(.*?)^}}", code.source, re.DOTALL | re.MULTILINE
    )
    return {name: body for name, _, body in found}


TREE = (np.array([1, 3, -1, -1, -1]), np.array([2, 4, -1, -1, -1]), np.array([0.5, -2.0, 1.5, 0.8, 1.2]), 0)


def test_cotangents_of_arrays_are_added_in_place_through_the_calls():
    compiled = fs.grad(product, wrt="value")
    assert np.allclose(compiled(*TREE), np.prod(TREE[2]) / TREE[2])
    assert "reverse" in compiled.explain().split("modes:")[1].split("\n")[1]
    bodies = functions_of(compiled)
    assigning, adding = ["product_back", "product_both"], ["product_backward"]
    assert set(bodies) == {"product_forward", *assigning, *adding}
    assert all(["fs_take" not in body for body in bodies.values()])
    assert [bodies[name].count("memset") for name in (*assigning, *adding)] == [1, 1, 0]
    for name in (*assigning, *adding):
        assert bodies[name].count("product_backward(") == (1 if name in assigning else 2)
    loops = lower(compiled.stages.terms["optimised"], "f")
    result: list[float | int | bool | None] = [None] * 5
    arguments = {name: list(x) for name, x in zip(("left", "right", "value"), TREE[:3], strict=True)}
    sizes = {f"{name}_n0": 5 for name in arguments}
    run_loops(loops.kernel, {**arguments, **sizes, "t": 0, "result": result}, definitions=loops.definitions)
    assert result == pytest.approx(compiled(*TREE))


def test_value_and_cotangents_at_once_where_the_cotangent_is_known_before():
    compiled = fs.grad(determinant)
    compiled(A)
    bodies = functions_of(compiled)
    assert {name.rstrip("_0123456789") for name in bodies} == {"determinant_back", "determinant_both"}
    assert all(["int64_t bad" not in body for body in bodies.values()]), "short loops are tested as they run"
    sizes = re.findall(r"const int64_t n\w* = (.*);", "".join(bodies.values()))
    assert set(sizes) == {"a_n0 - 1"}, "a loop over n runs, so n - 1 is not negative"


def test_what_is_handed_twice_gets_both_cotangents():
    def mixed(a, b, k):
        if k == 0:
            return a @ b
        return mixed(a, a, k - 1) + mixed(b, b, k - 2 if k > 1 else 0) * np.sum(a)

    b = V[::-1].copy()
    for wrt in ("a", "b", ("a", "b")):
        forward, reverse = (fs.grad(mixed, wrt=wrt, method=m)(V, b, 3) for m in ("forward", "reverse"))
        assert np.allclose(forward, reverse, rtol=1e-12)


def test_second_derivatives_by_reverse_over_reverse():
    slope = fs.grad(
        lambda v: np.sum(np.sin(fs.grad(lambda w: product(*TREE[:2], w, 0), method="reverse")(v))), method="reverse"
    )
    along = np.array([1.0, -0.5, 0.3, 2.0, 0.7])
    gradient = fs.grad(product, wrt="value")(*TREE)
    expected = fs.hvp(product, wrt="value")(*TREE, tangent=np.cos(gradient))
    assert np.allclose(slope(TREE[2]), expected)
    step = 1e-6
    around = [fs.grad(product, wrt="value")(*TREE[:2], TREE[2] + s * along, 0) for s in (step, -step)]
    assert np.allclose(
        fs.hvp(product, wrt="value")(*TREE, tangent=along), (around[0] - around[1]) / (2 * step), atol=1e-8
    )


def test_rules_of_the_user_in_a_function_that_calls_itself():
    @fs.custom_derivative(jvp=lambda x, t: 4.0 * x * t, check=False)
    def doubled_slope(x):
        return x * x

    def halves(x, k):
        return x if k == 0 else doubled_slope(halves(0.5 * x, k - 1)) + halves(0.3 * x, k - 1)

    forward, reverse = (fs.grad(halves, method=m)(1.5, 4) for m in ("forward", "reverse"))
    assert reverse == pytest.approx(forward)
    assert fs.grad(halves, method="reverse")(1.5, 1) == pytest.approx(4 * 0.75 * 0.5 + 0.3)


def test_reverse_mode_beside_calls_without_reals():
    def scaled(x, n):
        return x * x * fibonacci(n)

    assert fs.grad(scaled, wrt="x", method="reverse")(1.5, 10) == 165.0


def test_derivatives_inside_a_function_that_calls_itself():
    def slopes(x, k):
        return x if k == 0 else fs.grad(lambda y: y * y * y)(x) + slopes(0.5 * x, k - 1)

    assert fs.function(slopes)(1.5, 3) == pytest.approx(3 * 1.5**2 * (1 + 1 / 4 + 1 / 16) + 1.5 / 8)
    assert fs.grad(slopes)(1.5, 3) == pytest.approx(6 * 1.5 * (1 + 1 / 4 + 1 / 16) + 1 / 8)


def test_a_function_does_not_differentiate_itself():
    def itself(x, k):
        return x * x if k == 0 else fs.grad(lambda y: itself(y, k - 1), method="forward")(x) * x

    with pytest.raises(fs.NotDifferentiableError, match="itself calls itself in a function that it differentiates"):
        fs.function(itself)(1.5, 3)


@dataclass
class Halving:
    """A record whose method calls itself."""

    x: float

    def total(self, k):
        """The sum of k halves."""
        return self.x if k == 0 else self.x + Halving(0.5 * self.x).total(k - 1)


class Pair(NamedTuple):
    """A record as an argument."""

    a: float
    b: float


WEIGHTS = np.array([0.5, 1.5, 2.5])


def test_methods_records_keywords_texts_and_captured_arrays(monkeypatch: pytest.MonkeyPatch):
    assert fs.function(lambda h, k: h.total(k))(Halving(1.0), 6) == Halving(1.0).total(6)

    def swapped(p, k=5, *, scale=2.0):
        return p.a * scale if k == 0 else swapped(Pair(p.b, p.a * 0.5), k - 1, scale=scale) + p.a

    assert fs.function(swapped)(Pair(1.0, 2.0)) == swapped(Pair(1.0, 2.0))
    assert fs.grad(swapped)(Pair(1.0, 2.0)) == Pair(1.75, 2.0)

    def by_mode(x, mode, k):
        return (x if mode == "one" else 2 * x) if k == 0 else by_mode(x, mode, k - 1) * 1.5

    compiled = fs.function(by_mode)
    assert (compiled(1.0, "one", 5), compiled(1.0, "two", 5)) == (1.5**5, 2 * 1.5**5)

    def weighted(x, i):
        return 0.0 if i == len(WEIGHTS) else WEIGHTS[i] * x + weighted(x, i + 1)

    compiled = fs.function(weighted)
    assert compiled(2.0, 0) == 9.0
    monkeypatch.setitem(globals(), "WEIGHTS", np.array([10.0, 0.0]))
    assert compiled(2.0, 0) == 20.0


def test_claims_in_calls():
    def down(x, k):
        assert k >= 0, "negative"
        if k > 20:
            raise ValueError("too many")
        return x if k == 0 else down(x, k - 2) + x

    compiled = fs.function(down)
    assert compiled(1.0, 4) == 3.0
    with pytest.raises(fs.AssertionFailedError, match="negative"):
        compiled(1.0, 5)
    with pytest.raises(ValueError, match="too many"):
        compiled(1.0, 22)


def test_batches_single_precision_and_second_derivatives():
    def cascade(x, k):
        return x if k == 0 else cascade(x, k - 1) * x + cascade(x * 0.5, k - 1)

    points = np.array([0.5, 1.5])
    assert np.allclose(fs.vmap(cascade, in_axes=(0, None))(points, 4), [cascade(x, 4) for x in points])
    assert fs.function(cascade)(np.float32(1.5), 4) == pytest.approx(cascade(1.5, 4), rel=1e-5)
    step = 1e-4
    second = (cascade(1.5 + step, 4) - 2 * cascade(1.5, 4) + cascade(1.5 - step, 4)) / step**2
    assert fs.hessian(cascade)(1.5, 4) == pytest.approx(second, rel=1e-5)


def test_arguments_that_do_not_vary_have_no_tangents():
    def weighted(x, a, i):
        return (
            x
            if i == len(a)
            else weighted(x * a[i], a, i + 1) + weighted(x * a[i], a, i + 2 if i + 2 < len(a) else len(a))
        )

    a = np.array([0.5, 1.5, 2.5])
    slope = fs.grad(weighted, wrt="x")
    assert slope(1.5, a, 0) == pytest.approx(weighted(1.0, a, 0))
    (header,) = called(slope.stages.terms["optimised"])
    assert [repr(t) for t in header.parameters] == ["(Float, Float)", "Array<Float>", "Int"]


def test_a_tail_call_is_the_loop_that_a_user_writes():
    compiled = fs.function(newton)
    compiled(2.0, 5)
    code = compiled.stages.code
    assert code is not None
    body = code.source[code.source.index("int32_t newton(") :]
    assert body.count("while (") == 1
    assert "if (" not in body
    assert compiled(2.0, 10_000_000) == pytest.approx(2.0**0.5)


def test_linear_recursion_takes_no_stack():
    steps = 10_000_000
    value, slope = fs.value_and_grad(power, method="reverse")(1.0 + 1e-7, steps)
    assert value == pytest.approx((1.0 + 1e-7) ** steps, rel=1e-7)
    assert slope == pytest.approx(steps * (1.0 + 1e-7) ** (steps - 1), rel=1e-7)


def test_recursion_that_never_ends_is_an_error_where_it_would_be_a_loop():
    with pytest.raises(fs.RecursionDepthError, match="a function calls itself too often"):
        fs.function(power)(1.5, -1)


def test_too_deep_is_an_error_with_any_stack(monkeypatch):
    monkeypatch.setattr(driver, "_RECORDS", 2.0**27)

    def total(k, x):
        return 0.0 if k == 0 else x + total(k - 1, x) + total(0, x)

    compiled = fs.function(total)
    assert compiled(10_000, 0.5) == 5000.0
    for text in ("a function calls itself too often", "hint: end the recursion earlier"):
        with pytest.raises(fs.RecursionDepthError, match=text):
            compiled(100_000_000, 0.5)
    found: list[object] = []

    def small() -> None:
        found.append(compiled(10, 0.5))
        try:
            compiled(100_000_000, 0.5)
        except RecursionError as error:
            found.append(type(error))

    before = threading.stack_size(64 * 1024)
    try:
        thread = threading.Thread(target=small)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert found == [5.0, fs.RecursionDepthError]
    assert compiled(10_000, 0.5) == 5000.0


def test_failures_in_calls_are_those_of_the_user():
    def last(v, i):
        return v[i] if i > 5 else last(v, i + 1) + 1.0

    with pytest.raises(IndexError, match="index 6"):
        fs.function(last)(np.ones(6), 0)


def test_what_is_known_while_compiling_ends_a_recursion():
    compiled = fs.function(lambda x: power(x, 3))
    compiled(1.5)
    assert not called(compiled.stages.elaborated.term)


def test_a_function_is_read_once_for_each_key():
    compiled = fs.function(lambda n: (even(n), even(n + 1), fibonacci(n), fibonacci(2 * n)))
    assert compiled(6) == (True, False, 8, 144)
    assert [h.name for h in called(compiled.stages.elaborated.term)] == ["even", "fibonacci"]


def test_loops_are_interpreted_with_their_definitions():
    x, k = Var("x", F64), Var("k", INT)
    header = Header("power", (F64, INT), F64)
    again = Call(header, (x, Prim(p.subtract, (k, Const(1)))))
    header.define(Lam((x, k), If(Prim(p.equal, (k, Const(0))), Const(1.0), Prim(p.multiply, (x, again)))))
    program = lower(Lam((x, k), Call(header, (x, k))), "f")
    result: list[float | int | bool | None] = [None]
    run_loops(program.kernel, {"x": 1.5, "k": 3, "result": result}, definitions=program.definitions)
    assert result == [1.5**3]
    assert [f.name for f in program.definitions] == ["f_power"]


def test_a_header_is_defined_once():
    header = Header("f", (F64,), F64)
    with pytest.raises(LookupError, match="f has no definition yet"):
        _ = header.definition
    x = Var("x", F64)
    header.define(Lam((x,), x))
    with pytest.raises(ValueError, match="f is defined twice"):
        header.define(Lam((x,), x))
    assert repr(header) == "<f : Float -> Float>"


def along_a_tree(start, kids, s, y):
    if start[s + 1] == start[s]:
        return y * y
    for j in range(start[s], start[s + 1]):
        y = along_a_tree(start, kids, kids[j], y)
    return y


def longer(n, y):
    return y * y if n == 0 else np.concatenate([longer(n - 1, y), y])


@pytest.mark.parametrize("method", ["forward", "reverse"])
def test_gradients_in_forward_mode_of_arrays_that_calls_give_are_differentiated(method):
    """Lengths of what they give have no slope."""
    start, kids = np.array([0, 1, 3, 3, 3]), np.array([1, 2, 3])
    y = np.array([0.9, 0.8, 0.7, 0.6])
    for f, second in [
        (lambda y: np.sum(along_a_tree(start, kids, 0, y)), 12.0 * y**2),
        (lambda y: np.sum(longer(3, y) ** 3), 30.0 * y**4 + 18.0 * y),
    ]:
        found = fs.jacobian(fs.grad(f, method="forward"), method=method)(y)
        np.testing.assert_allclose(found, np.diag(second), rtol=1e-12, atol=1e-12)

"""What calls save for their way back: each runs once forward and once back, whatever the shape of the recursion."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core.arithmetic.counting import Counting
from fsmooth.core.evaluate import ArrayValue, evaluate
from fsmooth.loops import evaluate as loops_evaluate
from fsmooth.loops import tree as t
from fsmooth.loops.evaluate import evaluate as run_loops
from fsmooth.lower.functions import lower
from tests.recursion.test_calls import product


@dataclass
class Tree:
    """Nodes with a left and a right one, or -1; children come after their parents."""

    left: np.ndarray
    right: np.ndarray
    value: np.ndarray

    @property
    def arguments(self) -> tuple[object, ...]:
        """What a program over trees takes."""
        return self.left, self.right, self.value, 0


def made(splits: Callable[[int], int], leaves: int) -> Tree:
    """A tree whose nodes of k leaves have `splits(k)` of them on the left."""
    left: list[int] = []
    right: list[int] = []
    pending = [(leaves, -1, left)]
    while pending:
        count, parent, side = pending.pop()
        node = len(left)
        left.append(-1)
        right.append(-1)
        if parent >= 0:
            side[parent] = node
        if count > 1:
            own = splits(count)
            pending += [(count - own, node, right), (own, node, left)]
    value = 1.0 + 0.3 * np.sin(np.arange(len(left)))
    return Tree(np.array(left), np.array(right), value)


SHAPES: dict[str, Callable[[int], int]] = {
    "balanced": lambda k: k // 2,
    "left comb": lambda k: k - 1,
    "right comb": lambda k: 1,
    "thirds": lambda k: (k + 2) // 3,
}


def mixed(left, right, value, t):
    """Sums and products, with a loop, and what is dear."""
    if left[t] < 0:
        return np.exp(value[t])
    a = mixed(left, right, value, left[t])
    b = mixed(left, right, value, right[t])
    return 0.3 * a + 0.2 * b + np.sin(a * b) * value[t]


def pairs(left, right, value, t):
    """Two numbers from each call."""

    def of(t):
        if left[t] < 0:
            return value[t], 1.0
        a, b = of(left[t])
        c, d = of(right[t])
        return np.cos(a * d + value[t]), b * c * value[t]

    x, y = of(t)
    return x * y


def chosen(left, right, value, t):
    """Branches in branches at the end, one of which reads what only one call gave, and one after calls."""
    if left[t] < 0:
        return value[t]
    a = chosen(left, right, value, left[t])
    if a > 1.0:
        return a * a * value[t]
    b = chosen(left, right, value, right[t])
    if b > a:
        b = np.sin(b) * a
    return a * b + value[t]


def listed(left, right, value, t):
    """Calls in a sum."""
    if left[t] < 0:
        return value[t]
    total = 0.0
    for k in range(2):
        each = listed(left, right, value, left[t] if k == 0 else right[t])
        total += each * each * value[t]
    return np.sin(total)


def even(left, right, value, t):
    """Two functions that call one another."""

    def one(t):
        return value[t] if left[t] < 0 else other(left[t]) * other(right[t])

    def other(t):
        return 2.0 * value[t] if left[t] < 0 else np.sin(one(left[t]) * one(right[t])) + value[t]

    return one(t)


def vectors(left, right, value, t):
    """Arrays from each call, which their way back reads."""

    def of(t):
        if left[t] < 0:
            return np.array([value[t], 1.0, value[t] * value[t]])
        a, b = of(left[t]), of(right[t])
        return np.tanh(a * b + value[t])

    return np.sum(of(t))


def inactive(left, right, value, t):
    """A call of what does not vary, beside those that do."""

    def size(t):
        return 1 if left[t] < 0 else size(left[t]) + size(right[t])

    def of(t):
        return value[t] if left[t] < 0 else of(left[t]) * of(right[t]) * np.sin(1.0 * size(t))

    return of(t)


def folded(left, right, value, t):
    """Calls in a loop that carries a state."""
    if left[t] < 0:
        return value[t]
    state = 1.0
    for k in range(2):
        state = np.sin(state * folded(left, right, value, left[t] if k == 0 else right[t])) + value[t]
    return state


def branching(left, right, value, t):
    """Branches with calls that do not end the function."""
    if left[t] < 0:
        return value[t]
    a = branching(left, right, value, left[t])
    b = a * value[t]
    if t % 3 != 1:
        b = np.sin(branching(left, right, value, right[t]) * a)
    else:
        b = b * branching(left, right, value, right[t]) * b
    return np.cos(b * a) + b


def tables(left, right, value, t):
    """Matrices from each call, in a pair with an integer and a truth value that are saved too."""

    def of(t):
        if left[t] < 0:
            return np.array([[value[t], 1.0], [0.5, value[t]]]), 1, True
        a, m, odd = of(left[t])
        b, n, _ = of(right[t])
        c = a @ b
        many = sum([(k * m + n) % 7 for k in range(5)])
        return (0.2 * np.sin(c) * many if odd else c + np.cos(c) * n), many % 5, not odd

    return np.sum(of(t)[0])


def while_it_goes(left, right, value, t):
    """A loop that runs until what calls give is small."""
    if left[t] < 0:
        return value[t]
    a = while_it_goes(left, right, value, left[t]) * while_it_goes(left, right, value, right[t])
    while a > 0.5:
        a = 0.6 * np.sin(a)
    return a + value[t]


def sliced(left, right, value, t):
    """Arguments that are parts of arrays, of which calls give what is read."""

    def of(v):
        n = len(v)
        if n == 1:
            return v[0]
        return np.sin(of(v[: n // 2]) * of(v[n // 2 :])) + v[0]

    return of(value[: len(left)])


def largest(left, right, value, t):
    """The largest of what calls give."""
    if left[t] < 0:
        return value[t]
    most = max([largest(left, right, value, left[t] if k == 0 else right[t]) for k in range(2)])
    return np.sin(most) * most + value[t]


def cell(left, right, value, w, t):
    """Vectors by a matrix, as long as half of what that gives."""
    if left[t] < 0:
        z = w @ np.full(w.shape[1], value[t])
        gate, inner = np.split(z, 2)
        return np.tanh(gate) * np.sin(inner) + np.zeros(len(z) // 2)
    a, b = cell(left, right, value, w, left[t]), cell(left, right, value, w, right[t])
    gate, inner = np.split(w @ (a * b) + value[t], 2)
    return np.tanh(gate) * np.sin(inner)


def weights(value):
    """A matrix for them."""
    n = min(len(value), 3)
    return np.array([[np.sin(value[i // 2] * j) for j in range(n)] for i in range(2 * n)])


def forest(left, right, value, t):
    """A loop over trees, whose way back reads the vectors that calls gave."""
    if left[t] < 0:
        return value[t]
    total = 0.0
    for k in range(2):
        h = cell(left, right, value, weights(value), left[t] if k == 0 else right[t])
        total += np.sum(h * h)
    return total


def table(left, right, value, t):
    """Vectors that calls gave, as the rows of a matrix that is read many times."""
    if left[t] < 0:
        return value[t]
    w = weights(value)
    rows = np.array([cell(left, right, value, w, left[t] if k == 0 else right[t]) for k in range(2)])
    return np.sum(np.sin(rows @ rows.T))


PROGRAMS = (
    *(product, mixed, pairs, chosen, listed, even, vectors, inactive),
    *(folded, branching, tables, while_it_goes, sliced, largest, forest, table),
)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_gradients(program: Callable[..., float], shape: str):
    tree = made(SHAPES[shape], 9)
    gradient = fs.grad(program, wrt="value", method="reverse")(*tree.arguments)
    forward = fs.jacobian(program, wrt="value", method="forward")(*tree.arguments)
    assert np.allclose(gradient, forward, rtol=1e-11, atol=1e-13)
    step = 1e-6 * np.cos(np.arange(len(tree.value)))
    plus, minus = [program(tree.left, tree.right, tree.value + s * step, 0) for s in (1.0, -1.0)]
    assert np.sum(gradient * step) == pytest.approx((plus - minus) / 2, rel=1e-5, abs=1e-9)
    value, again = fs.value_and_grad(program, wrt="value", method="reverse")(*tree.arguments)
    assert value == pytest.approx(program(*tree.arguments), rel=1e-13)
    assert np.allclose(again, gradient, rtol=1e-13)


@pytest.mark.parametrize("program", PROGRAMS)
def test_second_derivatives_and_pullbacks(program: Callable[..., float]):
    tree = made(SHAPES["thirds"], 6)
    along = np.cos(np.arange(len(tree.value)))
    curved = fs.hvp(program, wrt="value", method="reverse")(*tree.arguments, tangent=along)
    gradient = fs.grad(program, wrt="value", method="reverse")
    step = 1e-6
    moved = [gradient(tree.left, tree.right, tree.value + s * along, 0) for s in (step, -step)]
    assert np.allclose(curved, (moved[0] - moved[1]) / (2 * step), rtol=1e-5, atol=1e-6)
    value, pullback = fs.vjp(program, wrt="value")(*tree.arguments)
    assert np.allclose(pullback(2.0), 2.0 * gradient(*tree.arguments), rtol=1e-12)
    assert value == pytest.approx(program(*tree.arguments), rel=1e-13)


def counted(program: Callable[..., float], tree: Tree) -> tuple[Counting, Counting]:
    """What a program does, and what its gradient does."""
    found = []
    for compiled in (fs.function(program), fs.value_and_grad(program, wrt="value", method="reverse")):
        compiled(*tree.arguments)
        counting = Counting()
        function = evaluate(compiled.stages.terms["optimised"], {}, counting)
        assert callable(function)
        function(*[ArrayValue(x.shape, tuple(x.tolist())) for x in (tree.left, tree.right, tree.value)], 0)
        found.append(counting)
    return found[0], found[1]


@pytest.mark.parametrize("shape", ["balanced", "left comb", "right comb"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_each_call_runs_once_forward_and_once_back(program: Callable[..., float], shape: str):
    for leaves in (8, 16):
        primal, derivative = counted(program, made(SHAPES[shape], leaves))
        forward = back = own = 0
        for name, count in derivative.calls.items():
            forward += 0 if name.endswith(("_back", "_backward")) else count
            back += count if name.endswith(("_both", "_back", "_backward")) else 0
            own += count if name == "size" else 0
        assert forward - own == sum(primal.calls.values()) - primal.calls["size"]
        assert back == forward - own
        assert own <= 2 * primal.calls["size"]


def run_in_loops(program: Callable[..., float], tree: Tree) -> list[float]:
    """Its gradient, from the loops that become C."""
    compiled = fs.grad(program, wrt="value", method="reverse")
    compiled(*tree.arguments)
    loops = lower(compiled.stages.terms["optimised"], "f")
    result: list[float | int | bool | None] = [None] * len(tree.value)
    arrays = {"left": tree.left.tolist(), "right": tree.right.tolist(), "value": tree.value.tolist()}
    sizes = {f"{name}_n0": len(tree.value) for name in arrays}
    run_loops(loops.kernel, {**arrays, **sizes, "t": 0, "result": result}, definitions=loops.definitions)
    return [x for x in result if x is not None]


@pytest.mark.parametrize("program", PROGRAMS)
def test_loops_agree(program: Callable[..., float]):
    tree = made(SHAPES["thirds"], 7)
    expected = fs.grad(program, wrt="value", method="reverse")(*tree.arguments)
    assert run_in_loops(program, tree) == pytest.approx(expected)


@pytest.mark.parametrize("shape", ["balanced", "left comb", "right comb"])
@pytest.mark.parametrize("program", [f for f in PROGRAMS if f not in (inactive, chosen, sliced)])
def test_four_times_the_calls_are_four_times_the_steps(
    program: Callable[..., float], shape: str, monkeypatch: pytest.MonkeyPatch
):
    """In loops, where cotangents of arrays are added in place: at n, 4 n, 16 n, since two functions may take turns."""
    steps = [0]
    plain = loops_evaluate._Memory.statement

    def counting(memory: loops_evaluate._Memory, s: t.Statement) -> None:
        steps[0] += 1
        plain(memory, s)

    monkeypatch.setattr(loops_evaluate._Memory, "statement", counting)
    totals = []
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(10_000)
    try:
        for leaves in (8, 32, 128):
            before = steps[0]
            run_in_loops(program, made(SHAPES[shape], leaves))
            totals.append(steps[0] - before)
    finally:
        sys.setrecursionlimit(limit)
    first, second = totals[1] - totals[0], totals[2] - totals[1]
    assert 3.7 * first <= second <= 4.3 * first


def test_both_ways_go_on_on_records_where_the_stack_ends():
    """tests/recursion/test_deep.py has more."""
    tree = made(SHAPES["left comb"], 2_000_000)
    value, slopes = fs.value_and_grad(product, wrt="value", method="reverse")(*tree.arguments)
    by_records, again = fs.value_and_grad(product, wrt="value", method="continuations")(*tree.arguments)
    assert value == by_records
    np.testing.assert_array_equal(slopes, again)


def twofold(x, n):
    """As many calls as Fibonacci's number."""
    if n < 2:
        return x
    return 0.9 * np.sin(twofold(x, n - 1) * twofold(x, n - 2)) + x


def test_more_than_the_machine_has_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Nothing kills the process; and what one call saved is there for the next, in a loop too."""

    def often(x, n, times):
        return sum([twofold(x + 0.001 * k, n) * twofold(x, 2) for k in range(times)])

    monkeypatch.setenv("FSMOOTH_CFLAGS", "-DFS_MEMORY=100000000")
    monkeypatch.setenv("FSMOOTH_CACHE_DIR", str(tmp_path))
    gradient = fs.grad(often, wrt="x", method="reverse")
    expected = fs.jvp(often, wrt="x")(0.5, 18, 2000, tangent=1.0)[1]
    assert gradient(0.5, 18, 2000) == pytest.approx(expected, rel=1e-9)
    with pytest.raises(fs.OutOfMemoryError):
        gradient(0.5, 36, 1)
    assert gradient(0.5, 18, 2000) == pytest.approx(expected, rel=1e-9)


def test_a_check_that_fails_in_the_middle():
    tree = made(SHAPES["balanced"], 64)
    gradient = fs.grad(mixed, wrt="value", method="reverse")
    expected = gradient(*tree.arguments)
    broken = tree.right.copy()
    broken[np.flatnonzero(broken >= 0)[-1]] = 1000
    with pytest.raises(fs.Error):
        gradient(tree.left, broken, tree.value, 0)
    assert np.array_equal(gradient(*tree.arguments), expected)


def test_a_gradient_of_a_gradient_calls_anew():
    """Both in reverse mode: what the inner one saves has no cotangents."""

    def slope(x, n):
        return fs.grad(twofold, wrt="x", method="reverse")(x, n)

    second = fs.grad(slope, wrt="x", method="reverse")(0.4, 7)
    step = 1e-6
    assert second == pytest.approx((slope(0.4 + step, 7) - slope(0.4 - step, 7)) / (2 * step), rel=1e-5)
    assert second == pytest.approx(fs.hvp(twofold, wrt="x")(0.4, 7, tangent=1.0), rel=1e-10)


def structs(program: Callable[..., float]) -> list[list[str]]:
    """What is in the frames of its gradient."""
    compiled = fs.grad(program, wrt="value", method="reverse")
    compiled(*made(SHAPES["thirds"], 5).arguments)
    assert compiled.stages.code is not None
    found = re.findall(r"typedef struct \{([^}]*)\} \w+_saved_\d+;", compiled.stages.code.source)
    return [re.findall(r"(\S[^;]*?) ?\*?x\d+;", fields) for fields in found]


def test_what_is_saved():
    """No more than is read, each once; leaves save nothing, and types with one constructor no tag."""
    assert structs(product) == [["double", "fs_frame", "double", "fs_frame"]]
    assert structs(listed) == [["const double", "int64_t", "const fs_frame", "int64_t", "double"]]
    assert structs(mixed)[0] == ["int64_t", "double"]


def test_what_is_linear_in_its_calls_saves_nothing():
    def total(left, right, value, t):
        if left[t] < 0:
            return np.exp(value[t])
        scale = np.sin(value[t])
        return scale * total(left, right, value, left[t]) + total(left, right, value, right[t]) / scale

    assert structs(total) == []
